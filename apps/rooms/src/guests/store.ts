import type { Kysely, Transaction } from 'kysely'
import type { Tables, UserRow } from '../db/tables.ts'
import { endSessions } from '../sessions/store.ts'
import { folded } from '../text.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { newGuestId } from './guest-id.ts'

export async function insertGuest(
  tx: Transaction<Tables>,
  nickname: string,
  nowMs: number,
): Promise<UserRow> {
  const id = newGuestId(nowMs)
  return tx
    .insertInto('users')
    .values({
      id,
      nickname,
      search_name: folded(nickname),
      email: null,
      avatar_color: avatarColorOf(id),
      disabled: 0,
      is_guest: 1,
      created_at: nowMs,
      last_seen_at: nowMs,
      guest_ended_at: null,
    })
    .returningAll()
    .executeTakeFirstOrThrow()
}

export async function renameUser(tx: Transaction<Tables>, id: string, nickname: string): Promise<void> {
  await tx
    .updateTable('users')
    .set({ nickname, search_name: folded(nickname) })
    .where('id', '=', id)
    .execute()
}

/** Ends the sessions of all guests, and returns how many. */
export async function endGuestSessions(tx: Transaction<Tables>, nowMs: number): Promise<string[]> {
  return endSessions(tx, 'revoked', nowMs, (query) =>
    query.where('user_id', 'in', tx.selectFrom('users').select('id').where('is_guest', '=', 1)),
  )
}

/** Rooms of guests whose last session ended before this moment. */
export async function findRoomsOfEndedGuests(
  tx: Transaction<Tables>,
  endedMs: number,
  nowMs: number,
): Promise<string[]> {
  const rooms = await tx
    .selectFrom('rooms')
    .select('id')
    .where('owner_id', 'in', endedGuests(tx, endedMs, nowMs))
    .orderBy('id')
    .execute()
  return rooms.map(({ id }) => id)
}

/** Deletes them, with everything of theirs; returns how many. */
export async function deleteEndedGuests(
  tx: Transaction<Tables>,
  endedMs: number,
  nowMs: number,
): Promise<number> {
  const { numDeletedRows } = await tx
    .deleteFrom('users')
    .where('id', 'in', endedGuests(tx, endedMs, nowMs))
    .executeTakeFirst()
  return Number(numDeletedRows)
}

function endedGuests(db: Kysely<Tables>, endedMs: number, nowMs: number) {
  return db
    .selectFrom('users')
    .select('users.id')
    .where('is_guest', '=', 1)
    .where('guest_ended_at', '<=', endedMs)
    .where('users.id', 'not in', liveUsers(db, nowMs))
}

function liveUsers(db: Kysely<Tables>, nowMs: number) {
  return db
    .selectFrom('sessions')
    .select('user_id')
    .where('revoked_at', 'is', null)
    .where('idle_expires_at', '>', nowMs)
}
