import { requireUnlocked } from '../instance-lock.ts'
import { openPool } from '../pool.ts'
import { ALLOW_IDLE_TRANSACTION } from '../session.ts'
import type { Bulk } from './bulk-types.ts'
import type { Value } from './reader.ts'

/** One transaction on one connection. Throws `DatabaseInUse` while a node works on the database. */
export async function openPostgresBulk(url: string): Promise<Bulk> {
  const pool = openPool(url)
  const client = await pool.connect()
  let isOpen = true
  try {
    await client.query('begin')
    await client.query(ALLOW_IDLE_TRANSACTION)
    await requireUnlocked(client)
  } catch (error) {
    client.release(true)
    await pool.end()
    throw error
  }
  return {
    dialect: 'postgres',
    // One array per column keeps the statement the same for any number of rows.
    async insert({ table, columns, types, rows }) {
      const arrays = types.map((type, at) => `$${at + 1}::${type === 'int' ? 'bigint' : 'text'}[]`)
      await client.query(
        `insert into ${table} (${columns.join(', ')}) select * from unnest(${arrays.join(', ')})`,
        columns.map((_, at) => rows.map((row) => row[at] ?? null)),
      )
    },
    async run(...all) {
      for (const statement of all) await client.query(statement)
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
      // Awaiting the rollback lets the next transaction begin at once. If it fails, the server
      // rolls back itself.
      if (isOpen) await client.query('rollback').catch(() => {})
      client.release(isOpen)
      await pool.end()
    },
  }
}
