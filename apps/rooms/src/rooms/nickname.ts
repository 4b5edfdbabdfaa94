import { type Kysely, type RawBuilder, sql } from 'kysely'
import type { Tables, UserRow } from '../db/tables.ts'
import { isAccount } from '../users/store.ts'

/** What somebody is called whose account is gone: told from others, and nothing of the name. */
export function deletedUserName(userId: string): string {
  return `#${userId.slice(0, 4)}`
}

/** How somebody is shown. */
export type UserDisplay = Pick<UserRow, 'nickname' | 'avatar_color'>

/**
 * The same as `nicknameIn` says, for many at once: the people of the room are gone through once, however many they are asked for
 * and whoever else has their names.
 */
export async function findUserDisplays(
  db: Kysely<Tables>,
  roomId: string,
  userIds: readonly string[],
): Promise<Map<string, UserDisplay>> {
  if (userIds.length === 0) return new Map()
  const { rows } = await sql<UserDisplay & { id: string }>`
    with people as materialized (
      select user_id from room_visits where room_id = ${roomId}
      union select user_id from room_members where room_id = ${roomId}
      union select owner_id from rooms where id = ${roomId}
    ), named as materialized (
      select id, nickname, avatar_color, skeleton, is_guest from users
      where id in (${sql.join(userIds)}) and ${isAccount()}
    ), alike as materialized (
      select other.skeleton, case when other.is_guest = 0 then other.nickname end as member_name,
        min(other.id) as first_id, max(other.id) as last_id
      from people cross join users as other
      where other.id = people.user_id and other.skeleton in (select skeleton from named)
      group by 1, 2
    )
    select id, avatar_color, case when exists (
      select 1 from alike
      where alike.skeleton = named.skeleton and (first_id <> named.id or last_id <> named.id)
        and (is_guest = 1 or member_name = named.nickname)
    ) then ${withSuffix('named')} else nickname end as nickname from named`.execute(db)
  return new Map(rows.map(({ id, ...display }) => [id, display]))
}

/** With what tells people apart whose names look the same. */
function withSuffix(table: 'users' | 'named'): RawBuilder<string> {
  const column = (name: string) => sql.ref(`${table}.${name}`)
  return sql<string>`${column('nickname')} || ' #' || substr(${column('id')}, 1, 4)`
}

/**
 * What somebody from `users` is called in this room: guests get a short suffix where somebody else there has a name that looks the
 * same, members only where another member has the very same (R14.6, R28.26), so that a guest's name never changes a member's.
 */
export function nicknameIn(roomId: string): RawBuilder<string> {
  return sql<string>`case when exists (
    select 1 from users as other
    where other.skeleton = users.skeleton and other.id <> users.id
      and (users.is_guest = 1 or (other.is_guest = 0 and other.nickname = users.nickname))
      and (
        exists (select 1 from room_visits where room_id = ${roomId} and user_id = other.id)
        or exists (select 1 from room_members where room_id = ${roomId} and user_id = other.id)
        or exists (select 1 from rooms where id = ${roomId} and owner_id = other.id)
      )
  ) then ${withSuffix('users')} else users.nickname end`
}
