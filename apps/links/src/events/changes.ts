import { type Database, lockKey } from '@latchkey/database/database'
import type { Tables, Tx } from '../db/tables.ts'
import type { StoredChanges } from '../changes/change-tracker.ts'
import type { CurrentStates, State } from '../changes/states.ts'
import type { NewChange } from '../changes/store.ts'
import { parseValues, redactSecrets } from '../changes/values.ts'
import { findExpiryPosition } from './expiry.ts'
import { linkEvent } from './link-event.ts'
import { EVENT_LOCK, type NewEvent, findEventRange, insertEvents } from './store.ts'

type DialectName = Database<Tables>['dialect']

/** Stores an event for each of these changes, as the last step of their transaction (L30.1). */
export async function insertChangeEvents(
  tx: Tx,
  { dialect, changes, current }: Pick<StoredChanges, 'dialect' | 'changes' | 'current'>,
): Promise<void> {
  const events = changes.map((change) => toEvent(change, current))
  const expired = await findPastExpiries(tx, dialect, changes, current)
  await insertEvents(tx, dialect, [...events, ...expired])
  const imported = events.filter(({ data: { via, link_id } }) => via === 'import' && link_id !== undefined)
  if (imported.length > 0) await insertImportEvent(tx, dialect, imported, events.length + expired.length)
}

/** One event in the place of those of all links that an import has stored in this transaction. */
async function insertImportEvent(
  tx: Tx,
  dialect: DialectName,
  imported: readonly NewEvent[],
  stored: number,
): Promise<void> {
  // No other transaction stores events until this one ends: they have the last numbers.
  const { newest: last } = await findEventRange(tx)
  const { seq: first } = await tx
    .selectFrom('event')
    .select('seq')
    .orderBy('seq', 'desc')
    .offset(stored - 1)
    .limit(1)
    .executeTakeFirstOrThrow()
  const [{ at, data } = { at: 0, data: {} }] = imported
  const count = new Set(imported.map((event) => event.data.link_id)).size
  const { identity, via } = data
  await insertEvents(tx, dialect, [
    { type: 'link.imported', at, data: { identity, via, count, first, last } },
  ])
}

function toEvent(change: NewChange, { links, bundles }: CurrentStates): NewEvent {
  const { kind, changed_at, link_id, bundle_id, identity, via, version } = change
  const [before, after] = [parseValues(change.before_values), parseValues(change.after_values)]
  const valuesOf = (state: State | undefined) => redactSecrets(state?.values) ?? before ?? undefined
  return {
    type: kind,
    at: changed_at,
    data: {
      identity,
      via,
      ...(link_id && { link_id, version: version ?? undefined, link: valuesOf(links.get(link_id)) }),
      ...(bundle_id && { bundle_id, bundle: valuesOf(bundles.get(bundle_id)) }),
      ...(before && after && link_id && { changed: Object.keys(after) }),
    },
  }
}

/** Events of links whose expiry was set to a time that the look for expired links has passed. */
async function findPastExpiries(
  tx: Tx,
  dialect: DialectName,
  changes: readonly NewChange[],
  { links }: CurrentStates,
): Promise<NewEvent[]> {
  const rescheduled = changes.flatMap(({ link_id: id, after_values, changed_at }) => {
    const expiresAt = parseValues(after_values)?.['expires_at']
    return id && typeof expiresAt === 'number' && expiresAt <= changed_at
      ? [{ id, expiresAt, changed_at }]
      : []
  })
  if (rescheduled.length === 0) return []
  // The lock comes before the position is read, so that no link expires in between.
  await lockKey(dialect, tx, EVENT_LOCK)
  const position = await findExpiryPosition(tx)
  const isPast = ({ id, expiresAt }: { id: number; expiresAt: number }) =>
    expiresAt < position.expiresAt || (expiresAt === position.expiresAt && id <= position.id)
  return rescheduled
    .filter(isPast)
    .map(({ id, changed_at: at }) => linkEvent('link.expired', { id, state: links.get(id), at }))
}
