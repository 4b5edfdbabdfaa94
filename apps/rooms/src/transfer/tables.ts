import { Database as SqliteFile } from 'bun:sqlite'
import { type ArchiveFormat, type TableFormat, text } from '@latchkey/database/archive/format'
import { sqliteDialect } from '@latchkey/database/sqlite'
import { Kysely } from 'kysely'
import { migrations } from '../db/migrations.ts'
import type { Tables } from '../db/tables.ts'

/** The tables of an archive. A row comes after the rows that it refers to. */
const archivedTables = [
  'file_contents',
  'users',
  'blocks',
  'identities',
  'notification_settings',
  'sessions',
  'push_subscriptions',
  'role_grants',
  'platform_state',
  'logout_tokens',
  'logout_markers',
  'audit_events',
  'rooms',
  'room_groups',
  'room_members',
  'room_visits',
  'room_user_states',
  'room_drafts',
  'room_messages',
  'room_message_versions',
  'room_mentions',
  'room_reactions',
  'room_events',
  'files',
  'room_bans',
  'room_invitations',
  'room_invitation_uses',
  'room_manual_roles',
  'room_ownership_transfers',
] as const satisfies readonly (keyof Tables)[]

export type RoomsTable = (typeof archivedTables)[number]

/**
 * Useless in another instance: connections of nodes and calls, pending logins and socket tickets, and
 * whom the access layer has admitted. The index of words is built during a restore.
 */
export const omittedTables = [
  'access_claims',
  'access_codes',
  'access_keys',
  'access_sessions',
  'call_alerts',
  'call_leases',
  'calls',
  'login_states',
  'message_search',
  'nodes',
  'online_users',
  'presence_leases',
  'ws_tickets',
] as const

/** Columns that are computed from others during a restore. */
const COMPUTED_COLUMNS: ReadonlySet<string> = new Set(['users.skeleton'])

/** Sort orders other than the primary key. */
const SORT_ORDERS: Partial<Record<RoomsTable, readonly string[]>> = { room_messages: ['room_id', 'seq'] }

/** Columns of archives of earlier versions. */
const FORMER_COLUMNS: Partial<Record<RoomsTable, TableFormat['columns']>> = { rooms: { retention: text } }

/**
 * The archive format of Rooms. Its columns are those of the database schema, read from an empty
 * database in memory. Times are Unix milliseconds.
 */
export async function readFormat(): Promise<ArchiveFormat<RoomsTable>> {
  using file = new SqliteFile(':memory:', { strict: true })
  const db = new Kysely<unknown>({ dialect: sqliteDialect(file) })
  await db.transaction().execute(async (tx) => {
    for (const migration of Object.values(migrations)) await migration(tx, 'sqlite')
  })
  await db.destroy()
  const tables = archivedTables.map((table) => [table, readTable(file, table)] as const)
  return {
    name: 'latchkey-rooms-instance',
    version: 1,
    tables: Object.fromEntries(tables) as Record<RoomsTable, TableFormat>,
    numbered: [],
    hasContents: true,
  }
}

interface ColumnInfo {
  name: string
  type: string
  notnull: number
  /** Position in the primary key, from 1; 0 outside of it. */
  pk: number
}

function readTable(file: SqliteFile, table: RoomsTable): TableFormat {
  const columns = file.query<ColumnInfo, []>(`select * from pragma_table_info('${table}')`).all()
  const key = columns.filter(({ pk }) => pk > 0).toSorted((one, other) => one.pk - other.pk)
  const archived = columns.filter(({ name }) => !COMPUTED_COLUMNS.has(`${table}.${name}`))
  return {
    columns: Object.fromEntries(
      archived.map(({ name, type, notnull }) => [
        name,
        { type: type.toLowerCase() === 'integer' ? 'int' : 'text', nullable: notnull === 0 },
      ]),
    ),
    ...(FORMER_COLUMNS[table] && { formerColumns: FORMER_COLUMNS[table] }),
    orderBy: SORT_ORDERS[table] ?? key.map(({ name }) => name),
  }
}
