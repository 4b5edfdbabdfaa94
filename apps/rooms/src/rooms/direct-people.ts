import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { ReadDatabase, RoomRow } from '../db/tables.ts'
import { nicknameIn } from './nickname.ts'
import { type ListedUser, toListedUser } from '../users/schema.ts'

/** People of direct conversations by room, in the order of their names. Other rooms have none. */
export type DirectPeople = ReadonlyMap<string, readonly ListedUser[]>

/** Takes no statement unless there are direct conversations among these rooms. */
export async function findDirectPeople(
  { read, dialect }: ReadDatabase,
  rooms: readonly Pick<RoomRow, 'id' | 'kind'>[],
): Promise<DirectPeople> {
  const roomIds = rooms.flatMap(({ id, kind }) => (kind === 'direct' ? id : []))
  if (roomIds.length === 0) return new Map()
  const rows = await read
    .selectFrom('room_members as person')
    .innerJoin('users', 'users.id', 'person.user_id')
    .select(['person.room_id', 'users.id', 'users.avatar_color', 'users.picture_id'])
    .select(nicknameIn(sql.ref('person.room_id')).as('nickname'))
    .where(inList(dialect, 'person.room_id', roomIds))
    .orderBy('users.search_name')
    .orderBy('users.id')
    .execute()
  const byRoom = Map.groupBy(rows, ({ room_id }) => room_id)
  return new Map([...byRoom].map(([roomId, people]) => [roomId, people.map(toListedUser)]))
}

/**
 * Name of a room, and the other people of a direct conversation, whose names it has: as this user sees
 * them.
 */
export function namedFor(
  userId: string,
  { id, kind, name }: Pick<RoomRow, 'id' | 'kind' | 'name'>,
  everyone: DirectPeople,
): { name: string; people: ListedUser[] | null } {
  if (kind === 'room') return { name, people: null }
  const people = (everyone.get(id) ?? []).filter((person) => person.id !== userId)
  return { name: people.map(({ nickname }) => nickname).join(', ') || NO_ONE, people }
}

/** Name of a direct conversation with accounts that have all been erased, as `deletedUserName` begins. */
const NO_ONE = '#'
