import { afterAll, describe } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import type { DialectName } from './url.ts'

/** A PostgreSQL server on which tests may create databases. `npm test` starts one if it can. */
const POSTGRES = process.env['LATCHKEY_TEST_POSTGRES']

type NewUrl = () => Promise<string>

/**
 * Runs one suite on every engine, for promises that an engine can break: SQL, locks, isolation,
 * errors. Who may call what, which input is refused, and the shape of a response are tried on SQLite
 * alone, without `eachDialect` or below `if (dialect === 'postgres') return`. `newUrl` names a fresh,
 * empty database each time: its own file on SQLite, its own schema on PostgreSQL. Without a
 * PostgreSQL server, that half is skipped and `npm test` says so.
 */
export function eachDialect(suite: (dialect: DialectName, newUrl: NewUrl) => void): void {
  describe('on sqlite', () => suite('sqlite', newSqliteUrl()))
  describe.skipIf(!POSTGRES)('on postgres', () => suite('postgres', newPostgresUrl(POSTGRES ?? '')))
}

/** For a suite that runs on SQLite alone. */
export function newSqliteUrl(): NewUrl {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return async () => `sqlite:${join(folder, `${++count}.db`)}`
}

/**
 * Creates a database for the suite: PostgreSQL's notifications and waiting queries are visible to
 * the whole database.
 */
function newPostgresUrl(server: string): NewUrl {
  const database = `t_${crypto.randomUUID().replaceAll('-', '')}`
  let creation: Promise<void> | undefined
  let count = 0
  afterAll(() => creation && onServer(`drop database ${database} with (force)`))
  return async () => {
    await (creation ??= onServer(`create database ${database}`))
    const url = new URL(server)
    url.pathname = `/${database}`
    const schema = `s_${++count}`
    await onServer(`create schema ${schema}`, url.href)
    url.searchParams.set('options', `-csearch_path=${schema}`)
    return url.href
  }

  async function onServer(statement: string, url = server): Promise<void> {
    const pool = new Pool({ connectionString: url })
    await pool.query(statement)
    await pool.end()
  }
}
