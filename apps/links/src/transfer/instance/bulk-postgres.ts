import { openPool } from '@latchkey/database/pool'
import type { Bulk } from './bulk.ts'
import { type InstanceTable, type TableFormat, instanceTables } from './tables.ts'
import type { Value } from './reader.ts'

export async function openPostgresBulk(url: string): Promise<Bulk> {
  const pool = openPool(url)
  const client = await pool.connect()
  let isOpen = true
  await client.query('begin')
  return {
    dialect: 'postgres',
    // One array per column, so that the statement is the same for any number of rows.
    async insert(table, columns, rows) {
      const arrays = columns.map((column, at) => `$${at + 1}::${typeOf(table, column)}[]`)
      await client.query(
        `insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`,
        columns.map((_, at) => rows.map((row) => row[at] ?? null)),
      )
    },
    async run(...all) {
      for (const each of all) await client.query(each)
    },
    async column(statement) {
      const { rows } = await client.query<[Value]>({ text: statement, rowMode: 'array' })
      return rows.map(([value]) => value)
    },
    async commit() {
      await client.query('commit')
      isOpen = false
    },
    async close() {
      // Half way through anything the connection is of no use; the server rolls back.
      client.release(isOpen)
      await pool.end()
    },
  }
}

/** Columns that the import adds itself are `url_key` and `search_text`. */
function typeOf(table: InstanceTable, column: string): 'bigint' | 'text' {
  const { columns }: TableFormat = instanceTables[table]
  return (columns[column]?.type ?? (column === 'url_key' ? 'int' : 'text')) === 'int' ? 'bigint' : 'text'
}
