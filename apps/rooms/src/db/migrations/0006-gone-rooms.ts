import type { Migration } from '@latchkey/database/migrate'
import { sql } from 'kysely'

/** What was said in a room no longer goes in the same moment as the room, but in pieces afterwards (docs/decisions/0017). */
export const goneRooms: Migration = async (tx, dialect) => {
  for (const table of ['room_messages', 'room_events'])
    if (dialect === 'postgres')
      await sql.raw(`alter table ${table} drop constraint ${table}_room_id_fkey`).execute(tx)
    else {
      // SQLite takes a reference away from new tables only; the indexes go with the old one.
      const { rows } = await sql<{ type: string; sql: string }>`
        select type, sql from sqlite_schema where tbl_name = ${table} and sql is not null`.execute(tx)
      const made = rows.find(({ type }) => type === 'table')?.sql ?? ''
      for (const statement of [
        made.replace(table, 'remade').replace(' references rooms (id) on delete cascade', ''),
        `insert into remade select * from ${table}`,
        `drop table ${table}`,
        `alter table remade rename to ${table}`,
        ...rows.filter(({ type }) => type === 'index').map((index) => index.sql),
      ])
        await sql.raw(statement).execute(tx)
    }
}
