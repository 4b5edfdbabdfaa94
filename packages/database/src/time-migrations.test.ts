import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { type Migration, migrate } from './migrate.ts'
import { eachDialect } from './testing.ts'
import { CannotCopy, timeMigrations } from './time-migrations.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-time-'))
const outer = process.env['TMPDIR']
const open: Database<unknown>[] = []

beforeAll(() => {
  process.env['TMPDIR'] = folder
})
afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})
afterAll(() => {
  if (outer === undefined) delete process.env['TMPDIR']
  else process.env['TMPDIR'] = outer
  rmSync(folder, { recursive: true })
})

const create: Migration = async (tx, dialect) => {
  const id = dialect === 'sqlite' ? 'integer primary key' : 'bigint generated always as identity primary key'
  await sql.raw(`create table thing (id ${id}, name text not null)`).execute(tx)
  await sql`create table part (thing bigint not null references thing (id))`.execute(tx)
  await sql`create index part_of_thing on part (thing)`.execute(tx)
  await sql`insert into thing (name) values ('by a migration')`.execute(tx)
}

const ENDLESS = `
  import { sql } from 'kysely'
  import { timeMigrations } from ${JSON.stringify(`${import.meta.dir}/time-migrations.ts`)}
  const create = async (tx, dialect) => {
    const id = dialect === 'sqlite' ? 'integer' : 'bigint generated always as identity'
    await sql.raw('create table thing (id ' + id + ', name text)').execute(tx)
    await sql.raw('create table part (thing bigint)').execute(tx)
  }
  await timeMigrations(process.env.URL, {
    '0001-create': create,
    '0002-endless': () => new Promise(() => {
      setInterval(() => {}, 1000)
      console.log('migrating')
    }),
  })`

eachDialect((dialect, newUrl) => {
  async function openFilled(): Promise<{ url: string; database: Database<unknown> }> {
    const url = await newUrl('empty')
    const database = openDatabase<unknown>(url)
    open.push(database)
    await migrate(database, { '0001-create': create })
    await database.write(async (tx) => {
      await sql`insert into thing (name) values ('second'), ('third')`.execute(tx)
      await sql`insert into part (thing) select id from thing`.execute(tx)
    })
    return { url, database }
  }

  test('O4.3b: migrations run on a copy with all rows, and the database stays as it is', async () => {
    const { url, database } = await openFilled()
    const seen: unknown[] = []
    const change: Migration = async (tx) => {
      await sql`insert into thing (name) values ('fourth')`.execute(tx)
      const { rows } = await sql<{
        id: number
        name: string
      }>`select id, name from thing order by id`.execute(tx)
      seen.push(...rows.map(({ id, name }) => `${id} ${name}`))
      await sql`drop index part_of_thing`.execute(tx)
      await sql`drop table part`.execute(tx)
      await Bun.sleep(20)
    }
    const milliseconds = await timeMigrations(url, { '0001-create': create, '0002-change': change })
    expect(milliseconds).toBeGreaterThan(15)
    expect(seen).toEqual(['1 by a migration', '2 second', '3 third', '4 fourth'])
    const { rows } = await sql`select name from thing join part on thing = id order by id`.execute(
      database.read,
    )
    expect(rows).toEqual([{ name: 'by a migration' }, { name: 'second' }, { name: 'third' }])
    const applied = await sql`select name from migration`.execute(database.read)
    expect(applied.rows).toEqual([{ name: '0001-create' }])
    await expectNoCopy(database)
  })

  test('O4.3b: a migration that fails is an error, and no copy stays', async () => {
    const { url, database } = await openFilled()
    const broken: Migration = () => Promise.reject(new Error('this step is broken'))
    const timing = timeMigrations(url, { '0001-create': create, '0002-broken': broken })
    expect(await timing.catch(String)).toBe('Error: this step is broken')
    await expectNoCopy(database)
  })

  test('O4.3b: no copy stays after Ctrl+C', async () => {
    const { url, database } = await openFilled()
    const child = Bun.spawn([process.execPath, '-e', ENDLESS], {
      env: { ...process.env, URL: url },
      stdout: 'pipe',
    })
    const { value } = await child.stdout.getReader().read()
    expect(new TextDecoder().decode(value)).toBe('migrating\n')
    child.kill('SIGINT')
    await child.exited
    await expectNoCopy(database)
  })

  if (dialect === 'sqlite') return
  test('O4.3b: without the right to create a schema on PostgreSQL, nothing is measured', async () => {
    const { url, database } = await openFilled()
    const role = `latchkey_reader_${process.pid}`
    await sql.raw(`create role ${role} login`).execute(database.writer)
    await sql.raw(`grant select on all tables in schema public to ${role}`).execute(database.writer)
    try {
      const limited = new URL(url)
      limited.username = role
      const create2 = { '0001-create': create, '0002-again': create }
      const error = await timeMigrations(limited.href, create2).catch((each: unknown) => each)
      expect(error).toBeInstanceOf(CannotCopy)
      expect(String(error)).toContain('GRANT CREATE ON DATABASE')
    } finally {
      await sql.raw(`drop owned by ${role}`).execute(database.writer)
      await sql.raw(`drop role ${role}`).execute(database.writer)
    }
  })
})

async function expectNoCopy(database: Database<unknown>): Promise<void> {
  expect(readdirSync(folder)).toEqual([])
  if (database.dialect === 'sqlite') return
  const { rows } = await sql`select nspname from pg_namespace where nspname like 'latchkey%'`.execute(
    database.read,
  )
  expect(rows).toEqual([])
}
