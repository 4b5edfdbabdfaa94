import { afterAll, describe } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import type { DialectName } from './url.ts'

/** Where tests find a PostgreSQL server that they may fill with schemas; `npm test` starts one where it can. */
const POSTGRES = process.env['LATCHKEY_TEST_POSTGRES']

/**
 * Runs one suite on every engine. `newUrl` names a fresh, empty database each time: a file of its own on SQLite, a
 * schema of its own on PostgreSQL. Without a PostgreSQL server that half is skipped, and `npm test` says so.
 */
export function eachDialect(suite: (dialect: DialectName, newUrl: () => Promise<string>) => void): void {
  describe('on sqlite', () => suite('sqlite', newSqliteUrl()))
  describe.skipIf(!POSTGRES)('on postgres', () => suite('postgres', newPostgresUrl(POSTGRES ?? '')))
}

function newSqliteUrl(): () => Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return async () => `sqlite:${join(folder, `${++count}.db`)}`
}

function newPostgresUrl(server: string): () => Promise<string> {
  const schemas: string[] = []
  afterAll(async () => {
    const pool = new Pool({ connectionString: server })
    for (const schema of schemas) await pool.query(`drop schema if exists ${schema} cascade`)
    await pool.end()
  })
  return async () => {
    const schema = `t_${crypto.randomUUID().replaceAll('-', '')}`
    schemas.push(schema)
    const pool = new Pool({ connectionString: server })
    await pool.query(`create schema ${schema}`)
    await pool.end()
    const url = new URL(server)
    url.searchParams.set('options', `-csearch_path=${schema}`)
    return url.href
  }
}
