import { afterAll, describe, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { createMigratedFile, databaseUrl, findTemplate } from './testing-templates.ts'
import type { DialectName } from './url.ts'

/** A PostgreSQL server on which tests may create databases. `npm test` starts one if it can. */
const POSTGRES = process.env['LATCHKEY_TEST_POSTGRES']

/**
 * Names a new database, with the tables of the workspace whose tests run, or without tables. An empty
 * SQLite file does not exist yet.
 */
export type NewUrl = (content?: 'empty') => Promise<string>
type DefineTest = (name: string, run: () => void | Promise<unknown>, timeoutMs?: number) => void

/**
 * Runs one suite on every engine, for promises that an engine can break: SQL, locks, isolation,
 * errors. Who may call what, which input is refused, and the shape of a response are tried on SQLite
 * alone, by `onSqlite`, `testOnSqlite`, or below `if (dialect === 'postgres') return`.
 * Without a PostgreSQL server, that half is skipped and `npm test` says so.
 */
export function eachDialect(
  suite: (dialect: DialectName, newUrl: NewUrl, testOnSqlite: DefineTest) => void,
): void {
  describe('on sqlite', () => suite('sqlite', newSqliteUrl(), test))
  describe.skipIf(!POSTGRES)('on postgres', () =>
    suite('postgres', newPostgresUrl(POSTGRES ?? ''), () => undefined),
  )
}

/** Runs one suite on SQLite alone, of which no engine can break a promise. */
export function onSqlite(suite: (newUrl: NewUrl) => void): void {
  suite(newSqliteUrl())
}

/** Creates databases for a suite that runs on SQLite alone. */
export function newSqliteUrl(): NewUrl {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-test-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let count = 0
  return async (content) => {
    const path = join(folder, `${++count}.db`)
    if (content !== 'empty') await createMigratedFile(path)
    return `sqlite:${path}`
  }
}

function newPostgresUrl(server: string): NewUrl {
  const names: string[] = []
  afterAll(() => onServer(server, ...names.map((name) => `drop database ${name} with (force)`)))
  return async (content) => {
    const template = content === 'empty' ? 'template1' : await findTemplate(server)
    const name = `t_${crypto.randomUUID().replaceAll('-', '')}`
    // Files are copied in half the time of a copy through the log.
    await onServer(server, `create database ${name} template ${template} strategy file_copy`)
    names.push(name)
    return databaseUrl(server, name)
  }
}

async function onServer(server: string, ...statements: readonly string[]): Promise<void> {
  if (statements.length === 0) return
  const pool = new Pool({ connectionString: server })
  for (const statement of statements) await pool.query(statement)
  await pool.end()
}
