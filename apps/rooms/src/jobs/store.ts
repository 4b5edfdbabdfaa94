import type { Transaction } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Job } from './job.ts'

/**
 * Whether it is this node's turn: one statement that only one node can succeed with, and that makes the others wait until
 * its transaction ends. A run that fails gives the turn back. A moment that lies ahead, written by a clock that was wrong,
 * does not stop the job for as long.
 */
export async function claimJob(
  tx: Transaction<Tables>,
  { name, everyMs }: Job,
  nowMs: number,
): Promise<boolean> {
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

/** Lets any node begin again with what was claimed at `claimedMs` and failed in a later transaction. */
export async function returnTurn(tx: Transaction<Tables>, { name }: Job, claimedMs: number): Promise<void> {
  await tx
    .deleteFrom('platform_state')
    .where('key', '=', `job.${name}`)
    .where('updated_at', '=', claimedMs)
    .execute()
}

export async function deleteEndedLoginStates(tx: Transaction<Tables>, nowMs: number): Promise<void> {
  await tx.deleteFrom('login_states').where('expires_at', '<=', nowMs).execute()
}

export async function deleteEndedLogoutTokens(tx: Transaction<Tables>, nowMs: number): Promise<void> {
  await tx.deleteFrom('logout_tokens').where('expires_at', '<=', nowMs).execute()
}

export async function deleteEndedLogoutMarkers(tx: Transaction<Tables>, nowMs: number): Promise<void> {
  await tx.deleteFrom('logout_markers').where('expires_at', '<=', nowMs).execute()
}

/** Writes down which sessions time has ended, as of when it did, and since when their guests have none. */
export async function markExpiredSessions(tx: Transaction<Tables>, nowMs: number): Promise<void> {
  const expired = tx
    .selectFrom('sessions')
    .select('user_id')
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '<=', nowMs)
  await tx
    .updateTable('users')
    .set((eb) => ({
      guest_ended_at: eb
        .selectFrom('sessions')
        .select((s) => s.fn.max(s.fn.coalesce('revoked_at', 'idle_expires_at')).as('ended_at'))
        .whereRef('sessions.user_id', '=', 'users.id'),
    }))
    .where('is_guest', '=', 1)
    .where('id', 'in', expired)
    .execute()
  await tx
    .updateTable('sessions')
    .set((eb) => ({
      revoked_at: eb.ref('idle_expires_at'),
      revoke_reason: 'expired' as const,
      id_token_sealed: null,
    }))
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '<=', nowMs)
    .execute()
}

export async function deleteSessionsEndedBefore(tx: Transaction<Tables>, endedMs: number): Promise<void> {
  await tx.deleteFrom('sessions').where('revoked_at', '<=', endedMs).execute()
}

export async function deleteAuditBefore(tx: Transaction<Tables>, createdMs: number): Promise<void> {
  await tx.deleteFrom('audit_events').where('created_at', '<=', createdMs).execute()
}
