import { type Database, lockKey } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import { MINUTE_MS } from '@latchkey/http/duration'
import type { AccessSessionRow, Db, Tables, Tx } from '../db/tables.ts'
import { findState, saveState } from '../platform/store.ts'
import type { AccessPolicy } from './policy.ts'

/** Key of the last number of an end. */
const LAST_END = 'access-end'
/** Key of the random id of the last restore. */
const LAST_RESTORE = 'access-restored'
/**
 * Serialises the numbering: all smaller numbers are committed before a number can be read. Any number
 * that no other lock uses.
 */
const END_LOCK_KEY = 0x6163_656e
/** Access sessions that one transaction ends. */
const BATCH_SIZE = 500
/** Time for which an end can be read: ten times as long as an assertion lasts. */
export const END_RETENTION_MS = 10 * MINUTE_MS

/**
 * Access sessions that admit no more. Ends are found here and not where they come about, so that none
 * is forgotten: sign-outs, logouts by the provider, expiry, disabled and erased accounts, lost rights.
 */
function lostAccess(db: Db, { origins, conditionsHash }: AccessPolicy, nowMs: number) {
  return db
    .selectFrom('access_sessions')
    .leftJoin('sessions', 'sessions.id', 'access_sessions.session_id')
    .leftJoin('users', 'users.id', 'sessions.user_id')
    .leftJoin('access_claims', 'access_claims.user_id', 'sessions.user_id')
    .select('access_sessions.id')
    .where('ended_seq', 'is', null)
    .where((eb) =>
      eb.or([
        eb('access_sessions.expires_at', '<=', nowMs),
        eb('access_sessions.origin', 'not in', origins),
        eb('users.id', 'is', null),
        eb('sessions.revoked_at', 'is not', null),
        eb('sessions.idle_expires_at', '<=', nowMs),
        eb('users.disabled', '=', 1),
        eb('users.is_guest', '=', 1),
        eb('access_claims.user_id', 'is', null),
        eb('access_claims.conditions_hash', '<>', conditionsHash),
        eb('access_claims.is_met', '=', 0),
      ]),
    )
}

/** The number of the last end; 0 before the first. */
async function findLastEnd(db: Db): Promise<number> {
  return Number((await findState(db, LAST_END)) ?? 0)
}

/** Ends what admits no more. Returns the number of the last end, and whether more is left. */
export async function endLostAccess(
  tx: Tx,
  dialect: DialectName,
  policy: AccessPolicy,
  nowMs: number,
): Promise<{ lastEnd: number; isMore: boolean }> {
  await lockKey(dialect, tx, END_LOCK_KEY)
  const lost = await lostAccess(tx, policy, nowMs).orderBy('access_sessions.id').limit(BATCH_SIZE).execute()
  let lastEnd = await findLastEnd(tx)
  for (const { id } of lost)
    await tx
      .updateTable('access_sessions')
      .set({ ended_seq: ++lastEnd, ended_at: nowMs })
      .where('id', '=', id)
      .execute()
  if (lost.length > 0) await saveState(tx, LAST_END, String(lastEnd), nowMs)
  return { lastEnd, isMore: lost.length === BATCH_SIZE }
}

/** `endLostAccess`, with a transaction only if there is something to end. */
export async function findEnds(
  database: Database<Tables>,
  policy: AccessPolicy,
  nowMs: number,
): Promise<number> {
  const { read, dialect } = database
  if (!(await lostAccess(read, policy, nowMs).limit(1).executeTakeFirst())) return findLastEnd(read)
  const { lastEnd } = await database.write((tx) => endLostAccess(tx, dialect, policy, nowMs))
  return lastEnd
}

/**
 * Access that began after the backup has no end in a restored database. Clocks of two machines do not
 * say what came first, so a restore has an id.
 */
export function recordRestore(tx: Tx, nowMs: number): Promise<void> {
  return saveState(tx, LAST_RESTORE, crypto.randomUUID(), nowMs)
}

/** The id of the last restore to this database; empty if there was none. */
export async function findRestore(db: Db): Promise<string> {
  return (await findState(db, LAST_RESTORE)) ?? ''
}

export interface EndedAccess {
  id: string
  ended_seq: number
  ended_at: number
}

/** Ends at the origin with numbers above `after`, up to `until`, in this order. */
export async function listEnded(
  db: Db,
  { origin, after, until, limit }: { origin: string; after: number; until: number; limit: number },
): Promise<EndedAccess[]> {
  return db
    .selectFrom('access_sessions')
    .select(['id', 'ended_seq', 'ended_at'])
    .where('ended_seq', '>', after)
    .where('ended_seq', '<=', until)
    .where('origin', '=', origin)
    .orderBy('ended_seq')
    .limit(limit)
    .$narrowType<Pick<AccessSessionRow, 'id'> & { ended_seq: number; ended_at: number }>()
    .execute()
}

export async function deleteOldEnds(tx: Tx, nowMs: number): Promise<void> {
  await tx
    .deleteFrom('access_sessions')
    .where('ended_at', '<=', nowMs - END_RETENTION_MS)
    .execute()
}
