import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** Finds what refers to a person by an index, so that an account that goes is not looked for in every message. */
export const references: Migration = async (tx) => {
  for (const statement of [
    'create index room_messages_by_deleter on room_messages (deleted_by) where deleted_by is not null',
    'create index rooms_by_creator on rooms (created_by) where created_by is not null',
    'create index room_bans_by_banner on room_bans (banned_by) where banned_by is not null',
    'create index role_grants_by_granter on role_grants (granted_by) where granted_by is not null',
    'create index room_ownership_transfers_by_sender on room_ownership_transfers (from_user_id)',
  ])
    await sql.raw(statement).execute(tx)
}
