import { hash } from 'node:crypto'
import type { Db, RoomRow, Tx } from '../db/tables.ts'
import { type Position, pageOf } from '../api/paging.ts'
import type { ListedRoom } from '../rooms/list-store.ts'
import { queryParticipantCount } from '../rooms/store.ts'

/** Equal for the same people in any order. It outlives their accounts, without their ids. */
export function directKeyOf(userIds: readonly string[]): string {
  return hash('sha256', userIds.toSorted().join('\n'), 'base64url')
}

/** The direct conversation with this key. */
export async function findDirect(db: Db, directKey: string): Promise<RoomRow | undefined> {
  return db.selectFrom('rooms').selectAll().where('direct_key', '=', directKey).executeTakeFirst()
}

/** Undefined if the direct conversation exists. Another creator of it waits until the transaction ends. */
export async function insertDirect(tx: Tx, room: RoomRow): Promise<RoomRow | undefined> {
  return tx
    .insertInto('rooms')
    .values(room)
    .onConflict((conflict) => conflict.column('direct_key').doNothing())
    .returningAll()
    .executeTakeFirst()
}

export async function insertDirectMembers(
  tx: Tx,
  userIds: readonly string[],
  { room_id, joined_at }: { room_id: string; joined_at: number },
): Promise<void> {
  await tx
    .insertInto('room_members')
    .values(
      userIds.map((user_id) => ({ room_id, user_id, role: 'speaker' as const, joined_at, joined_seq: 0 })),
    )
    .execute()
}

/** Direct conversations of a user that they have not hidden, by their last messages. */
export async function selectDirects(
  db: Db,
  { userId, nowMs }: { userId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<ListedRoom[]> {
  return db
    .selectFrom('room_members')
    .innerJoin('rooms', 'rooms.id', 'room_members.room_id')
    .leftJoin('room_user_states', (join) =>
      join
        .onRef('room_user_states.room_id', '=', 'rooms.id')
        .onRef('room_user_states.user_id', '=', 'room_members.user_id'),
    )
    .select(['rooms.id', 'rooms.active_at as created_at'])
    .select((eb) => queryParticipantCount(eb, nowMs).as('present'))
    .where('room_members.user_id', '=', userId)
    .where('rooms.kind', '=', 'direct')
    .where('room_user_states.hidden_seq', 'is', null)
    .$call((query) => pageOf(query, ['rooms.active_at', 'rooms.id', 'desc'], after, limit))
    .execute()
}
