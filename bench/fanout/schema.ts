import { Pool } from 'pg'

/**
 * Creates a separate schema in the server of LATCHKEY_TEST_POSTGRES. Undefined without a server.
 */
export async function ownSchema(): Promise<{ url: string; drop(): Promise<void> } | undefined> {
  const server = process.env['LATCHKEY_TEST_POSTGRES']
  if (!server) return undefined
  const name = `bench_${crypto.randomUUID().replaceAll('-', '')}`
  const run = async (sql: string) => {
    const pool = new Pool({ connectionString: server })
    await pool.query(sql)
    await pool.end()
  }
  await run(`create schema ${name}`)
  const url = new URL(server)
  url.searchParams.set('options', `-csearch_path=${name}`)
  return { url: url.href, drop: () => run(`drop schema ${name} cascade`) }
}
