import { afterAll, describe, expect, test } from 'bun:test'
import { Database as SqliteFile } from 'bun:sqlite'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { Pool } from 'pg'
import { type Database, openDatabase } from './database.ts'
import { isReferenceViolation, isStorageUnavailable, isTransactionConflict } from './errors.ts'
import { eachDialect } from './testing.ts'

async function errorOf(work: Promise<unknown> | (() => unknown)): Promise<unknown> {
  try {
    await (typeof work === 'function' ? work() : work)
  } catch (error) {
    return error
  }
  throw new Error('That was expected to fail')
}

function verdicts(error: unknown) {
  return {
    reference: isReferenceViolation(error),
    conflict: isTransactionConflict(error),
    unavailable: isStorageUnavailable(error),
  }
}

const NONE = { reference: false, conflict: false, unavailable: false }

eachDialect((_dialect, newUrl) => {
  async function openThings(): Promise<Database<unknown>> {
    const database = openDatabase<unknown>(await newUrl())
    afterAll(() => database.close())
    await database.write(async (tx) => {
      await sql`create table thing (id integer primary key, name text not null unique, size integer check (size > 0))`.execute(
        tx,
      )
      await sql`create table part (thing_id integer not null references thing (id))`.execute(tx)
      await sql`insert into thing values (1, 'one', 1)`.execute(tx)
    })
    return database
  }

  const cases = [
    ['a taken key', "insert into thing values (1, 'two', 1)", NONE],
    ['a taken unique value', "insert into thing values (2, 'one', 1)", NONE],
    ['a reference to nothing', 'insert into part values (9)', { ...NONE, reference: true }],
    ['a value a check refuses', "insert into thing values (2, 'two', 0)", NONE],
    ['a missing value', 'insert into thing values (2, null, 1)', NONE],
    ['a missing table', 'select * from nothing', NONE],
    ['bad SQL', 'selekt', NONE],
  ] as const
  for (const [label, statement, expected] of cases)
    test(`${label} is distinguished from every other error`, async () => {
      const database = await openThings()
      const error = await errorOf(database.write((tx) => sql.raw(statement).execute(tx)))
      expect(verdicts(error)).toEqual(expected)
    })
})

describe('SQLite that cannot be written', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-errors-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  let fileCount = 0
  const newFile = () => {
    const path = join(folder, `${++fileCount}.db`)
    const file = new SqliteFile(path)
    file.run('pragma journal_mode = wal')
    file.run('create table thing (x text)')
    return { path, file }
  }

  test('a full disk is no fault of the caller', async () => {
    const { file } = newFile()
    file.run('pragma max_page_count = 3')
    const error = await errorOf(() => {
      for (let index = 0; index < 100; index++) file.run('insert into thing values (?)', ['x'.repeat(1000)])
    })
    expect((error as { code?: string }).code).toBe('SQLITE_FULL')
    expect(verdicts(error)).toEqual({ ...NONE, unavailable: true })
  })

  test('another process that holds the lock is no fault of the caller', async () => {
    const { path, file } = newFile()
    const other = new SqliteFile(path)
    file.run('begin immediate')
    expect(verdicts(await errorOf(() => other.run('begin immediate')))).toEqual({
      ...NONE,
      unavailable: true,
    })
    expect(verdicts(await errorOf(() => other.run('insert into thing values (1)')))).toMatchObject({
      unavailable: true,
    })
  })

  test('a snapshot that is too old to be written to is no fault of the caller', async () => {
    const { path, file } = newFile()
    const other = new SqliteFile(path)
    other.run('begin')
    other.query('select * from thing').all()
    file.run(`insert into thing values ('newer')`)
    expect(verdicts(await errorOf(() => other.run(`insert into thing values ('older')`)))).toMatchObject({
      unavailable: true,
    })
  })

  test('a file that may only be read is no fault of the caller', async () => {
    const { path } = newFile()
    const reader = new SqliteFile(path, { readonly: true })
    expect(verdicts(await errorOf(() => reader.run(`insert into thing values ('x')`)))).toEqual({
      ...NONE,
      unavailable: true,
    })
  })

  test('a folder that is not there cannot be opened, now', async () => {
    const error = await errorOf(() => new SqliteFile(join(folder, 'nowhere', 'x.db'), { create: true }))
    expect(verdicts(error)).toEqual({ ...NONE, unavailable: true })
  })

  test('a file that is no database will not get better by waiting', async () => {
    const path = join(folder, 'no.db')
    await Bun.write(path, 'This is not a database, and it is long enough to be read as one. '.repeat(100))
    const file = new SqliteFile(path)
    expect(verdicts(await errorOf(() => file.query('select * from thing').all()))).toEqual(NONE)
  })
})

const server = process.env['LATCHKEY_TEST_POSTGRES']

describe.skipIf(!server)('PostgreSQL that cannot be used', () => {
  test('a server that is not there', async () => {
    const database = openDatabase<unknown>('postgres://postgres@127.0.0.1:1/none')
    const error = await errorOf(sql`select 1`.execute(database.read))
    expect(verdicts(error)).toEqual({ ...NONE, unavailable: true })
    await database.close()
  })

  test('a host that has no address', async () => {
    const database = openDatabase<unknown>('postgres://postgres@nowhere.invalid/none')
    const error = await errorOf(sql`select 1`.execute(database.read))
    expect(verdicts(error)).toEqual({ ...NONE, unavailable: true })
    await database.close()
  })

  test('a database that was dropped, or takes no connections for a while', async () => {
    const name = `closed_${crypto.randomUUID().replaceAll('-', '')}`
    const pool = new Pool({ connectionString: server })
    const url = new URL(server ?? '')
    url.pathname = `/${name}`
    const codesNow = async () => {
      const database = openDatabase<unknown>(url.href)
      const errors = [
        await errorOf(sql`select 1`.execute(database.read)),
        await errorOf(sql`select 1`.execute(database.withStatementTimeout(1_000).read)),
        await errorOf(database.write((tx) => sql`select 1`.execute(tx))),
      ]
      await database.close()
      for (const error of errors) expect(verdicts(error)).toEqual({ ...NONE, unavailable: true })
      return errors.map((error) => (error as { code?: unknown }).code)
    }
    expect(await codesNow()).toEqual(['3D000', '3D000', '3D000'])
    await pool.query(`create database ${name} allow_connections false`)
    expect(await codesNow()).toEqual(['55000', '55000', '55000'])
    await pool.query(`drop database ${name}`)
    await pool.end()
  })

  test('a connection that the server ends, in the middle of a query', async () => {
    const pool = new Pool({ connectionString: server })
    pool.on('error', () => undefined)
    const client = await pool.connect()
    client.on('error', () => undefined)
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid')
    const sleeping = errorOf(client.query('select pg_sleep(30)'))
    await pool.query('select pg_terminate_backend($1)', [rows[0]?.pid])
    expect(verdicts(await sleeping)).toEqual({ ...NONE, unavailable: true })
    expect(verdicts(await errorOf(client.query('select 1')))).toEqual({ ...NONE, unavailable: true })
    client.release(true)
    await pool.end()
  })

  test('a server that may only be read, as a standby', async () => {
    const pool = new Pool({ connectionString: server })
    const client = await pool.connect()
    await client.query('begin read only')
    expect(verdicts(await errorOf(client.query('create table never (x int)')))).toEqual({
      ...NONE,
      unavailable: true,
    })
    client.release(true)
    await pool.end()
  })

  test('two transactions that wait for each other', async () => {
    const pool = new Pool({ connectionString: server })
    const [one, other] = [await pool.connect(), await pool.connect()]
    for (const client of [one, other]) await client.query('begin')
    await one.query('select pg_advisory_xact_lock(1795000001)')
    await other.query('select pg_advisory_xact_lock(1795000002)')
    const errors = await Promise.all(
      [
        one.query('select pg_advisory_xact_lock(1795000002)'),
        other.query('select pg_advisory_xact_lock(1795000001)'),
      ].map((query) =>
        query.then(
          () => undefined,
          (error: unknown) => error,
        ),
      ),
    )
    const [conflict, ...others] = errors.filter(isTransactionConflict)
    expect(others).toEqual([])
    expect(verdicts(conflict)).toEqual({ ...NONE, conflict: true, unavailable: true })
    one.release(true)
    other.release(true)
    await pool.end()
  })
})

test('codes decide, and an error without a code belongs to no kind', () => {
  const unavailable = [
    'SQLITE_FULL',
    'SQLITE_IOERR_WRITE',
    'SQLITE_BUSY_TIMEOUT',
    'SQLITE_READONLY_DBMOVED',
    'SQLITE_CANTOPEN',
  ]
  const server_ = [
    '08006',
    '08P01',
    '53100',
    '53200',
    '53300',
    '57P01',
    '57P03',
    '25006',
    '25P03',
    '55P03',
    'ECONNREFUSED',
    'ETIMEDOUT',
  ]
  for (const code of [...unavailable, ...server_])
    expect([code, verdicts({ code })]).toEqual([code, { ...NONE, unavailable: true }])
  for (const code of [
    'SQLITE_CORRUPT',
    'SQLITE_NOTADB',
    'SQLITE_ERROR',
    '42P01',
    '22001',
    '3D000',
    '28P01',
    '',
  ])
    expect([code, verdicts({ code })]).toEqual([code, NONE])
  for (const thrown of [
    undefined,
    null,
    0,
    '',
    'SQLITE_FULL',
    {},
    [],
    new Error('SQLITE_FULL'),
    { code: 23505 },
  ])
    expect(verdicts(thrown)).toEqual(NONE)
  for (const message of ['timeout exceeded when trying to connect', 'Connection terminated unexpectedly'])
    expect(verdicts(new Error(message))).toEqual({ ...NONE, unavailable: true })
})
