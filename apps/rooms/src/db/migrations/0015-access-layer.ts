import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Rooms as the access layer of other origins. */
export const accessLayer: Migration = async (tx, dialect) => {
  const [int, text, table] =
    dialect === 'sqlite' ? ['integer', 'text', 'strict'] : ['bigint', 'text collate "C"', '']
  const statements = [
    `create table access_keys (
      kid ${text} not null primary key,
      public_key ${text} not null,
      private_key_sealed ${text} not null,
      created_at ${int} not null
    ) ${table}`,
    `create table access_claims (
      user_id ${text} not null primary key references users (id) on delete cascade,
      email ${text},
      groups ${text},
      conditions_hash ${text} not null,
      is_met ${int} not null check (is_met in (0, 1))
    ) ${table}`,
    // No reference to sessions: neither may keep one from being deleted, nor vanish with it.
    `create table access_codes (
      code_hash ${text} not null primary key,
      session_id ${text} not null,
      origin ${text} not null,
      challenge ${text} not null,
      expires_at ${int} not null
    ) ${table}`,
    'create index access_codes_by_end on access_codes (expires_at)',
    `create table access_sessions (
      id ${text} not null primary key,
      session_id ${text} not null,
      origin ${text} not null,
      token_hash ${text} not null unique,
      created_at ${int} not null,
      expires_at ${int} not null,
      ended_seq ${int} unique,
      ended_at ${int},
      check ((ended_seq is null) = (ended_at is null))
    ) ${table}`,
    'create index access_sessions_by_session on access_sessions (session_id)',
    'create index access_sessions_by_end on access_sessions (ended_at) where ended_at is not null',
  ]
  for (const statement of statements) await sql.raw(statement).execute(tx)
}
