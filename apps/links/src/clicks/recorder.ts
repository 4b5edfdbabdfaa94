import { dialectOf, sqlitePath } from '@latchkey/database/url'
import type { ClassifiedClick } from './click.ts'
import { openPostgresRecorder } from './recorder-postgres.ts'
import { openSqliteRecorder } from './recorder-sqlite.ts'

/** Where a journal stands in the counting database. */
export interface Cursor {
  journalId: string
  seq: number
}

/**
 * Stores classified clicks with their sums, in one transaction, past Kysely: this runs for every click, and its cost is
 * measured in `bench/redirect`.
 */
export interface Recorder {
  /** The last batch of this journal that is counted; 0 for a journal never seen. */
  position(journalId: string): Promise<number>
  /**
   * Stores the clicks and moves the journal's cursor from `from` to `to`, or changes nothing and returns false when the
   * cursor stands elsewhere: then somebody else has counted them. Clicks of slugs that are gone are dropped.
   */
  record(clicks: readonly ClassifiedClick[], move?: { from: Cursor; to: number }): Promise<boolean>
  /** Moves some of the hours before this one (Unix seconds) to where they stay; true when there may be more. */
  closeHours(before: number): Promise<boolean>
  /**
   * Deletes the visitor salts of days that began before this moment (Unix seconds), also from the files, where deleted rows
   * would stay. What stands in the way for the moment is left to the next call.
   */
  deleteSalts(before: number): Promise<void>
  close(): Promise<void>
}

/** With a limit, in milliseconds, no statement on PostgreSQL takes longer, or is waited for. */
export function openRecorder(databaseUrl: string, statementLimitMs?: number): Recorder {
  return dialectOf(databaseUrl) === 'sqlite'
    ? openSqliteRecorder(sqlitePath(databaseUrl))
    : openPostgresRecorder(databaseUrl, statementLimitMs)
}
