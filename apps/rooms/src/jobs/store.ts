import type { Tx } from '../db/tables.ts'
import type { Job } from './job.ts'

/**
 * Claims a job for this node. One statement that succeeds on only one node, while the others wait
 * for the end of its transaction. A failed run rolls the claim back. A time in the future, written
 * under a wrong clock, does not delay the job.
 */
export async function claimJob(tx: Tx, { name, everyMs }: Job, nowMs: number): Promise<boolean> {
  const key = `job.${name}`
  const claimed = await tx
    .insertInto('platform_state')
    .values({ key, value: '', updated_at: nowMs })
    .onConflict((conflict) =>
      conflict
        .column('key')
        .doUpdateSet({ updated_at: nowMs })
        .where((eb) =>
          eb.or([
            eb('platform_state.updated_at', '<=', nowMs - everyMs),
            eb('platform_state.updated_at', '>', nowMs),
          ]),
        ),
    )
    .returning('key')
    .executeTakeFirst()
  return claimed !== undefined
}

/**
 * Releases the claim of `claimedMs` after a later transaction of the run failed. Any node can start
 * the job again.
 */
export async function releaseJob(tx: Tx, { name }: Job, claimedMs: number): Promise<void> {
  await tx
    .deleteFrom('platform_state')
    .where('key', '=', `job.${name}`)
    .where('updated_at', '=', claimedMs)
    .execute()
}

export async function deleteEndedLoginStates(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('login_states').where('expires_at', '<=', nowMs).execute()
}

export async function deleteEndedLogoutTokens(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('logout_tokens').where('expires_at', '<=', nowMs).execute()
}

export async function deleteEndedLogoutMarkers(tx: Tx, nowMs: number): Promise<void> {
  await tx.deleteFrom('logout_markers').where('expires_at', '<=', nowMs).execute()
}

/**
 * Rows of the largest tables that one transaction changes, in some milliseconds. Requests run in
 * between.
 */
const BATCH_SIZE = 1_000

/** Records which sessions have expired and when, and since when their guests have no session. */
export async function markExpiredSessions(tx: Tx, nowMs: number): Promise<'more' | void> {
  const expired = tx
    .selectFrom('sessions')
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '<=', nowMs)
    .orderBy('idle_expires_at')
    .orderBy('id')
    .limit(BATCH_SIZE)
  await tx
    .updateTable('users')
    .set((eb) => ({
      guest_ended_at: eb
        .selectFrom('sessions')
        .select((s) => s.fn.max(s.fn.coalesce('revoked_at', 'idle_expires_at')).as('ended_at'))
        .whereRef('sessions.user_id', '=', 'users.id'),
    }))
    .where('is_guest', '=', 1)
    .where('id', 'in', expired.select('user_id'))
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set((eb) => ({
      revoked_at: eb.ref('idle_expires_at'),
      revoke_reason: 'expired' as const,
      id_token_sealed: null,
    }))
    .where('id', 'in', expired.select('id'))
    // Repeated for rows that another transaction has just changed.
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '<=', nowMs)
    .executeTakeFirstOrThrow()
  return moreIfFull(numUpdatedRows)
}

export async function deleteSessionsEndedBefore(tx: Tx, endedMs: number): Promise<'more' | void> {
  const ended = tx.selectFrom('sessions').select('id').where('revoked_at', '<=', endedMs).limit(BATCH_SIZE)
  const { numDeletedRows } = await tx
    .deleteFrom('sessions')
    .where('id', 'in', ended)
    .executeTakeFirstOrThrow()
  return moreIfFull(numDeletedRows)
}

export async function deleteAuditBefore(tx: Tx, createdMs: number): Promise<'more' | void> {
  const old = tx
    .selectFrom('audit_events')
    .select('id')
    .where('created_at', '<=', createdMs)
    .limit(BATCH_SIZE)
  const { numDeletedRows } = await tx
    .deleteFrom('audit_events')
    .where('id', 'in', old)
    .executeTakeFirstOrThrow()
  return moreIfFull(numDeletedRows)
}

function moreIfFull(rows: bigint): 'more' | void {
  if (rows >= BATCH_SIZE) return 'more'
}
