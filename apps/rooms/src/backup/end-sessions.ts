import { recordRestore } from '../access-layer/ended-store.ts'
import type { Tx } from '../db/tables.ts'

/**
 * Ends all sessions of a restored copy, with what leads to new ones, and returns their number. Each
 * ends when it was last used: nothing of it is known from then on. For guests, the time to their
 * deletion begins.
 */
export async function endAllSessions(tx: Tx, nowMs: number): Promise<number> {
  await tx
    .updateTable('users')
    .set((eb) => ({ guest_ended_at: eb.ref('last_seen_at') }))
    .where('is_guest', '=', 1)
    .where('guest_ended_at', 'is', null)
    .execute()
  const { numUpdatedRows } = await tx
    .updateTable('sessions')
    .set((eb) => ({ revoked_at: eb.ref('last_seen_at'), revoke_reason: 'revoked', id_token_sealed: null }))
    .where('revoked_at', 'is', null)
    .executeTakeFirst()
  await tx.deleteFrom('login_states').execute()
  await tx.deleteFrom('access_codes').execute()
  await tx.deleteFrom('ws_tickets').execute()
  await recordRestore(tx, nowMs)
  return Number(numUpdatedRows)
}
