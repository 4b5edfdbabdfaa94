import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Db, UserRow } from '../db/tables.ts'
import type { RoomRole } from '../api/roles.ts'
import { isAccount } from '../users/store.ts'

/** Name of a user whose account is deleted: distinguishable, without any part of the old name. */
export function deletedUserName(userId: string): string {
  return `#${userId.slice(0, 4)}`
}

/** Display of a user in a room. The role is that of their membership, null without one. */
export interface UserDisplay extends Pick<UserRow, 'nickname' | 'avatar_color' | 'picture_id' | 'is_guest'> {
  role: RoomRole | null
}

/**
 * Names of many users, by the rule of `nicknameIn`. Everyone with an equal-looking name is looked up
 * once, whatever the number of users and of people in the room.
 */
export async function findUserDisplays(
  db: Db,
  roomId: string,
  userIds: readonly string[],
): Promise<Map<string, UserDisplay>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await sql<UserDisplay & { id: string }>`
    with named as materialized (
      select id, nickname, avatar_color, picture_id, skeleton, is_guest from users
      where id in (${sql.join(userIds)}) and ${isAccount()}
    ), alike as materialized (
      select other.skeleton, case when other.is_guest = 0 then other.nickname end as member_name,
        min(other.id) as first_id, max(other.id) as last_id
      from users as other
      where other.skeleton in (select skeleton from named) and ${isKnownIn(roomId)}
      group by 1, 2
    )
    select id, avatar_color, picture_id, is_guest, case when exists (
      select 1 from alike
      where alike.skeleton = named.skeleton and (first_id <> named.id or last_id <> named.id)
        and (is_guest = 1 or member_name = named.nickname)
    ) then ${withSuffix('named')} else nickname end as nickname, ${roleIn(roomId, 'named')} as role from named`.execute(
    db,
  )
  return new Map(rows.map(({ id, ...display }) => [id, display]))
}

/** Role of the membership of a user in this room; null without one. */
export function roleIn(roomId: string, table: 'users' | 'named' = 'users'): RawBuilder<RoomRole | null> {
  const id = sql.ref(`${table}.id`)
  return sql<RoomRole | null>`case
    when exists (select 1 from rooms where rooms.id = ${roomId} and owner_id = ${id}) then 'owner'
    else (select role from room_members where room_id = ${roomId} and user_id = ${id}) end`
}

/** Name with a suffix that distinguishes equal-looking names. */
function withSuffix(table: 'users' | 'named'): RawBuilder<string> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<string>`${column('nickname')} || ' #' || substr(${column('id')}, 1, 4)`
}

/**
 * Name of a user of the table `users` in this room, by its id or by a column with it. A guest gets a short suffix if another user of
 * the room has a name that looks the same. An account gets one only if another account of the room
 * has the identical name (R14.6, R28.26): the name of a guest never changes that of an account.
 */
export function nicknameIn(roomId: string | RawBuilder<unknown>): RawBuilder<string> {
  return sql<string>`case when exists (
    select 1 from users as other
    where other.skeleton = users.skeleton and other.id <> users.id
      and (users.is_guest = 1 or (other.is_guest = 0 and other.nickname = users.nickname))
      and ${isKnownIn(roomId)}
  ) then ${withSuffix('users')} else users.nickname end`
}

/** Whether a user, as `other`, is or was in the room or is a member of it. */
function isKnownIn(roomId: string | RawBuilder<unknown>): RawBuilder<SqlBool> {
  return sql<SqlBool>`(
    exists (select 1 from room_visits where room_id = ${roomId} and user_id = other.id)
    or exists (select 1 from room_members where room_id = ${roomId} and user_id = other.id)
    or exists (select 1 from rooms where id = ${roomId} and owner_id = other.id)
  )`
}
