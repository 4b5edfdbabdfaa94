import { hashToken } from '@latchkey/tokens/opaque'
import { CompiledQuery, type Kysely } from 'kysely'
import type { Flag, Tables } from '../db/tables.ts'
import type { FoundSession, SessionLookup } from './lookup.ts'

/** One trip to the server. Written out, since building it for each request would cost more than the trip. */
const QUERY = `
  select sessions.id, user_id, login_at, sessions.created_at, sessions.last_seen_at, idle_expires_at, absolute_expires_at,
    revoked_at, nickname, email, avatar_color, disabled, is_guest, users.created_at as user_created_at,
    users.last_seen_at as user_last_seen_at, guest_ended_at,
    exists (
      select 1 from role_grants where role_grants.user_id = sessions.user_id and role = 'platform_admin'
    ) as platform_admin
  from sessions join users on users.id = sessions.user_id
  where `

interface Row extends Omit<FoundSession, 'user' | 'platformAdmin'> {
  nickname: string
  email: string | null
  avatar_color: string
  disabled: Flag
  is_guest: Flag
  user_created_at: number
  user_last_seen_at: number
  guest_ended_at: number | null
  platform_admin: boolean
}

export function openPostgresLookup(db: Kysely<Tables>): SessionLookup {
  const findBy = async (column: 'token_hash' | 'sessions.id', value: string) => {
    const { rows } = await db.executeQuery<Row>(CompiledQuery.raw(`${QUERY}${column} = $1`, [value]))
    return rows[0] && toFound(rows[0])
  }
  return {
    find: (token) => findBy('token_hash', hashToken(token)),
    findById: (id) => findBy('sessions.id', id),
    close() {},
  }
}

function toFound(row: Row): FoundSession {
  const { nickname, email, avatar_color, disabled, is_guest, guest_ended_at, platform_admin, ...rest } = row
  const { user_created_at: created_at, user_last_seen_at: last_seen_at, ...session } = rest
  const person = { id: row.user_id, nickname, email, avatar_color, disabled, is_guest }
  return {
    ...session,
    user: { ...person, created_at, last_seen_at, guest_ended_at },
    platformAdmin: platform_admin,
  }
}
