import { type RawBuilder, sql } from 'kysely'

/** What somebody is called whose account is gone: told from others, and nothing of the name. */
export function nameOfGone(userId: string): string {
  return `#${userId.slice(0, 4)}`
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
  ) then users.nickname || ' #' || substr(users.id, 1, 4) else users.nickname end`
}
