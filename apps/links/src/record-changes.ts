import type { Database } from '@latchkey/database/database'
import { type Writer, trackChanges } from './changes/change-tracker.ts'
import type { ChangeSource } from './changes/source.ts'
import type { Tables } from './db/tables.ts'
import { insertChangeEvents } from './events/changes.ts'
import { requirePolicy } from './policies/require-policy.ts'

/** Events come last, because the events of other transactions wait from there on. */
const steps = [requirePolicy, insertChangeEvents]

/**
 * The database whose transactions store what they change in links and bundles, obey the policy of
 * their program, and store an event for each change.
 */
export function recordChanges(database: Database<Tables>, source: ChangeSource): Database<Tables> {
  return {
    ...database,
    ...recordWrites(database, source),
    withStatementTimeout: (ms) => recordChanges(database.withStatementTimeout(ms), source),
    get offThread() {
      return database.offThread
    },
    get withoutTimeout() {
      return recordChanges(database.withoutTimeout, source)
    },
  }
}

/** `recordChanges` for what only writes. */
export function recordWrites(writer: Writer, source: ChangeSource): Writer {
  return trackChanges(writer, source, steps)
}
