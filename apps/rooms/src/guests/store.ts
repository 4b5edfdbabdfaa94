import type { Tx } from '../db/tables.ts'
import { endSessions } from '../sessions/store.ts'
import { namesOf } from '../users/names.ts'

export async function renameUser(tx: Tx, id: string, nickname: string): Promise<void> {
  await tx.updateTable('users').set(namesOf(nickname)).where('id', '=', id).execute()
}

/** Ends the sessions of all guests. Returns their ids. */
export async function endSessionsOfGuests(tx: Tx, nowMs: number): Promise<string[]> {
  return endSessions(tx, 'revoked', nowMs, (query) =>
    query.where('user_id', 'in', tx.selectFrom('users').select('id').where('is_guest', '=', 1)),
  )
}

/** The id of a guest whose last session ended at or before `endedMs`. */
export async function findEndedGuest(tx: Tx, endedMs: number, nowMs: number): Promise<string | undefined> {
  const guest = await tx
    .selectFrom('users')
    .select('id')
    .where('is_guest', '=', 1)
    .where('guest_ended_at', '<=', endedMs)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('sessions')
            .select('sessions.id')
            .whereRef('sessions.user_id', '=', 'users.id')
            .where('revoked_at', 'is', null)
            .where('idle_expires_at', '>', nowMs),
        ),
      ),
    )
    .orderBy('guest_ended_at')
    .limit(1)
    .executeTakeFirst()
  return guest?.id
}
