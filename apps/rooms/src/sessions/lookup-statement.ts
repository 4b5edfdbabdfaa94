import type { Flag } from '../db/flag.ts'
import type { SessionWithUser } from './types.ts'

/**
 * Selects a session with its user and administrator right, up to the column to compare. Both
 * engines use it. It is written as text, since building it for each request would cost more than
 * running it.
 */
export const FIND_SESSION = `
  select sessions.id, user_id, login_at, sessions.created_at, sessions.last_seen_at, idle_expires_at, absolute_expires_at,
    revoked_at, nickname, email, avatar_color, disabled, is_guest, users.created_at as user_created_at,
    users.last_seen_at as user_last_seen_at, guest_ended_at, picture_id,
    exists (
      select 1 from role_grants where role_grants.user_id = sessions.user_id and role = 'platform_admin'
    ) as platform_admin
  from sessions join users on users.id = sessions.user_id
  where `

export interface SessionUserRow extends Omit<SessionWithUser, 'user' | 'platformAdmin'> {
  nickname: string
  email: string | null
  avatar_color: string
  disabled: Flag
  is_guest: Flag
  user_created_at: number
  user_last_seen_at: number
  guest_ended_at: number | null
  picture_id: string | null
  /** A boolean in PostgreSQL, 0 or 1 in SQLite. */
  platform_admin: boolean | Flag
}

export function toSessionWithUser(row: SessionUserRow | null | undefined): SessionWithUser | undefined {
  if (!row) return undefined
  const {
    nickname,
    email,
    avatar_color,
    disabled,
    is_guest,
    guest_ended_at,
    picture_id,
    platform_admin,
    ...rest
  } = row
  const { user_created_at: created_at, user_last_seen_at: last_seen_at, ...session } = rest
  const person = { id: row.user_id, nickname, email, avatar_color, disabled, is_guest }
  return {
    ...session,
    user: { ...person, created_at, last_seen_at, guest_ended_at, picture_id },
    platformAdmin: Boolean(platform_admin),
  }
}
