import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { type Migration, NewerDatabase, migrate } from './migrate.ts'
import { eachDialect } from './testing.ts'

const open: Database<unknown>[] = []

afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})

function openAt(url: string): Database<unknown> {
  const database = openDatabase<unknown>(url)
  open.push(database)
  return database
}

const createThing: Migration = async (tx) => {
  await sql`create table thing (name text not null)`.execute(tx)
}
const fillThing: Migration = async (tx) => {
  await sql`insert into thing (name) values ('first')`.execute(tx)
}
const brokenMigration: Migration = async (tx) => {
  await sql`create table half (x integer)`.execute(tx)
  await sql`insert into thing (name) values ('half')`.execute(tx)
  throw new Error('this step is broken')
}

const two = { '0001-create': createThing, '0002-fill': fillThing }

async function things(database: Database<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from thing order by name`.execute(database.read)
  return rows.map(({ name }) => name)
}

async function listApplied(database: Database<unknown>): Promise<string[]> {
  const { rows } = await sql<{ name: string }>`select name from migration order by name`.execute(
    database.read,
  )
  return rows.map(({ name }) => name)
}

eachDialect((dialect, newUrl) => {
  test('migrations are applied in their order, each once, and returned', async () => {
    const database = openAt(await newUrl())
    expect(await migrate(database, two)).toEqual(['0001-create', '0002-fill'])
    expect(await migrate(database, two)).toEqual([])
    expect(await things(database)).toEqual(['first'])
    expect(await listApplied(database)).toEqual(['0001-create', '0002-fill'])
  })

  test('a migration receives the engine that it runs on', async () => {
    const database = openAt(await newUrl())
    const dialects: string[] = []
    await migrate(database, { '0001-ask': async (_tx, name) => void dialects.push(name) })
    expect(dialects).toEqual([dialect])
  })

  test('a newer version applies only what is new', async () => {
    const database = openAt(await newUrl())
    await migrate(database, { '0001-create': createThing })
    expect(await migrate(database, two)).toEqual(['0002-fill'])
    expect(await things(database)).toEqual(['first'])
  })

  describe('a database of a newer version', () => {
    test('O4.1d: is refused with the names of its unknown migrations, and is not changed', async () => {
      const database = openAt(await newUrl())
      await migrate(database, { ...two, '0003-later': fillThing, '0004-last': fillThing })
      const refused = await errorOf(migrate(database, two))
      expect(refused).toBeInstanceOf(NewerDatabase)
      expect(refused.message).toBe(
        'The database was created by a newer version, or by one before 0.1.0 (it has 0003-later, 0004-last). Run that version, restore a backup, or export everything there and import it here.',
      )
      expect(await things(database)).toEqual(['first', 'first', 'first'])
      expect(await listApplied(database)).toHaveLength(4)
    })

    test('is refused before any pending migration is applied', async () => {
      const database = openAt(await newUrl())
      await migrate(database, { '0001-create': createThing, '0003-later': fillThing })
      expect(await errorOf(migrate(database, two))).toBeInstanceOf(NewerDatabase)
      expect(await listApplied(database)).toEqual(['0001-create', '0003-later'])
    })
  })

  describe('a migration that fails', () => {
    test('leaves nothing on an empty database, not even the list of migrations', async () => {
      const database = openAt(await newUrl())
      expect((await errorOf(migrate(database, { ...two, '0003-broken': brokenMigration }))).message).toBe(
        'this step is broken',
      )
      expect((await errorOf(things(database))).message).toMatch(/thing/)
      expect((await errorOf(listApplied(database))).message).toMatch(/migration/)
    })

    test('leaves an older database as it was, and the repaired version migrates it', async () => {
      const database = openAt(await newUrl())
      await migrate(database, { '0001-create': createThing })
      const release = { ...two, '0003-broken': brokenMigration }
      expect((await errorOf(migrate(database, release))).message).toBe('this step is broken')
      expect(await listApplied(database)).toEqual(['0001-create'])
      expect(await things(database)).toEqual([])
      expect((await errorOf(sql`select * from half`.execute(database.read))).message).toMatch(/half/)

      expect(await migrate(database, { ...two, '0003-repaired': fillThing })).toEqual([
        '0002-fill',
        '0003-repaired',
      ])
      expect(await things(database)).toEqual(['first', 'first'])
    })
  })

  test('many handles that start together on an empty database: one migrates, none fails', async () => {
    const url = await newUrl()
    const done = await Promise.all(Array.from({ length: 8 }, () => migrate(openAt(url), two)))
    expect(done.map((names) => names.length).toSorted((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 0, 0, 2])
    expect(await things(openAt(url))).toEqual(['first'])
  })

  test('several processes that start together on an empty database: one migrates, none fails', async () => {
    const url = await newUrl()
    const program = `
      import { openDatabase } from ${JSON.stringify(`${import.meta.dir}/database.ts`)}
      import { migrate } from ${JSON.stringify(`${import.meta.dir}/migrate.ts`)}
      import { sql } from 'kysely'
      const step = (text) => async (tx) => { await sql.raw(text).execute(tx) }
      const database = openDatabase(process.env.URL)
      const names = await migrate(database, {
        '0001-create': step('create table thing (name text not null)'),
        '0002-fill': step("insert into thing (name) values ('first')"),
      })
      console.log(names.length)
      await database.close()`
    const outcomes = await Promise.all(Array.from({ length: 5 }, () => runProgram(program, { URL: url })))
    expect(outcomes.map(({ code, complaints }) => ({ code, complaints }))).toEqual(
      Array.from({ length: 5 }, () => ({ code: 0, complaints: '' })),
    )
    expect(outcomes.map(({ output }) => output.trim()).toSorted()).toEqual(['0', '0', '0', '0', '2'])
    expect(await things(openAt(url))).toEqual(['first'])
  })

  test('a table can be replaced by a new one, and the rows that refer to it stay', async () => {
    const database = openAt(await newUrl())
    const create: Migration = async (tx) => {
      await sql`create table thing (name text not null primary key)`.execute(tx)
      await sql`create table part (thing text not null references thing (name) on delete cascade)`.execute(tx)
      await sql`insert into thing (name) values ('first')`.execute(tx)
      await sql`insert into part (thing) values ('first')`.execute(tx)
    }
    const replace: Migration = async (tx, name) => {
      if (name === 'postgres') return
      await sql`create table new_thing (name text not null primary key, size integer)`.execute(tx)
      await sql`insert into new_thing (name) select name from thing`.execute(tx)
      await sql`drop table thing`.execute(tx)
      await sql`alter table new_thing rename to thing`.execute(tx)
    }
    await migrate(database, { '0001-create': create, '0002-replace': replace })
    const parts = () => sql`select thing from part`.execute(database.read).then(({ rows }) => rows)
    expect(await parts()).toEqual([{ thing: 'first' }])
    // Foreign keys are in force again.
    await database.write(async (tx) => sql`delete from thing`.execute(tx))
    expect(await parts()).toEqual([])
  })

  test('a migration that leaves a row without the row that it refers to changes nothing', async () => {
    const database = openAt(await newUrl())
    const create: Migration = async (tx) => {
      await sql`create table thing (name text not null primary key)`.execute(tx)
      await sql`create table part (thing text not null references thing (name))`.execute(tx)
    }
    await migrate(database, { '0001-create': create })
    const orphan: Migration = async (tx) => {
      await sql`insert into part (thing) values ('none')`.execute(tx)
    }
    const outcome = migrate(database, { '0001-create': create, '0002-orphan': orphan })
    expect(await outcome.catch(() => 'refused')).toBe('refused')
    expect(await listApplied(database)).toEqual(['0001-create'])
  })
})

/** The error of the promise. The test fails if it resolves. */
async function errorOf(failing: Promise<unknown>): Promise<Error> {
  try {
    await failing
  } catch (error) {
    return error as Error
  }
  throw new Error('That was expected to fail')
}

async function runProgram(
  program: string,
  environment: Record<string, string>,
): Promise<{ code: number; output: string; complaints: string }> {
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: import.meta.dir,
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
  })
  const [output, complaints] = await Promise.all([
    new Response(child.stdout).text(),
    new Response(child.stderr).text(),
  ])
  return { code: await child.exited, output, complaints }
}
