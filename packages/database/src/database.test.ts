import { afterEach, describe, expect, test } from 'bun:test'
import { existsSync } from 'node:fs'
import { sql } from 'kysely'
import { type Database, inList, openDatabase, lockKey } from './database.ts'
import { OutcomeUnknown, isStorageUnavailable } from './errors.ts'
import { eachDialect } from './testing.ts'
import { sqlitePath } from './url.ts'

interface Tables {
  counter: { name: string; value: number }
  child: { parent: string | null }
}

const open: Database<Tables>[] = []

afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})

function openAt(url: string): Database<Tables> {
  const database = openDatabase<Tables>(url)
  open.push(database)
  return database
}

async function openNew(newUrl: () => Promise<string>): Promise<{ url: string; database: Database<Tables> }> {
  const url = await newUrl()
  const database = openAt(url)
  await database.write(async (tx) => {
    await sql`create table counter (name text primary key, value bigint not null)`.execute(tx)
    await sql`create table child (parent text references counter (name) deferrable initially deferred)`.execute(
      tx,
    )
    await tx.insertInto('counter').values({ name: 'a', value: 0 }).execute()
    await tx.insertInto('counter').values({ name: 'b', value: 0 }).execute()
  })
  return { url, database }
}

async function valueOf(database: Database<Tables>, name: string): Promise<number | undefined> {
  const row = await database.read
    .selectFrom('counter')
    .select('value')
    .where('name', '=', name)
    .executeTakeFirst()
  return row?.value
}

/** Reads, waits, writes. Loses an update to any other writer between the two. */
function increment(database: Database<Tables>, name = 'a'): Promise<void> {
  return database.write(async (tx) => {
    const lock = database.dialect === 'postgres' ? sql`for update` : sql``
    const { rows } = await sql<{
      value: number
    }>`select value from counter where name = ${name} ${lock}`.execute(tx)
    await sql`select 1`.execute(tx)
    await tx
      .updateTable('counter')
      .set({ value: (rows[0]?.value ?? Number.NaN) + 1 })
      .where('name', '=', name)
      .execute()
  })
}

eachDialect((dialect, newUrl) => {
  describe('write', () => {
    test('returns the result of the work, and its changes can be read', async () => {
      const { database } = await openNew(newUrl)
      const answer = await database.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 5 }).where('name', '=', 'a').execute()
        return 'done'
      })
      expect(answer).toBe('done')
      expect(await valueOf(database, 'a')).toBe(5)
    })

    test('rolls back work that throws, and the next write is unaffected', async () => {
      const { database } = await openNew(newUrl)
      const failing = database.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 5 }).execute()
        await sql`create table leftover (x integer)`.execute(tx)
        throw new TypeError('no more')
      })
      expect(await errorOf(failing)).toEqual(new TypeError('no more'))
      expect(await valueOf(database, 'a')).toBe(0)
      await increment(database)
      expect(await valueOf(database, 'a')).toBe(1)
      expect(await errorOf(sql`select * from leftover`.execute(database.read))).toMatchObject({
        message: expect.stringMatching(/leftover/),
      })
    })

    test('leaves nothing of work whose statement fails', async () => {
      const { database } = await openNew(newUrl)
      const failing = database.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 5 }).execute()
        await tx.insertInto('counter').values({ name: 'a', value: 1 }).execute()
      })
      expect(await errorOf(failing)).toMatchObject({ message: expect.stringMatching(/unique/i) })
      expect([await valueOf(database, 'a'), await valueOf(database, 'b')]).toEqual([0, 0])
      await increment(database)
      expect(await valueOf(database, 'a')).toBe(1)
    })

    test('leaves nothing of work that only the commit refuses', async () => {
      const { database } = await openNew(newUrl)
      const failing = database.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 5 }).execute()
        await tx.insertInto('child').values({ parent: 'nobody' }).execute()
      })
      expect(await errorOf(failing)).toMatchObject({ message: expect.stringMatching(/foreign key/i) })
      expect(await valueOf(database, 'a')).toBe(0)
      await increment(database)
      expect(await valueOf(database, 'a')).toBe(1)
    })

    test('hides uncommitted changes from other connections', async () => {
      const { url, database } = await openNew(newUrl)
      const other = openAt(url)
      await database.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 5 }).execute()
        expect(await valueOf(database, 'a')).toBe(0)
        expect(await valueOf(other, 'a')).toBe(0)
      })
      expect(await valueOf(database, 'a')).toBe(5)
      expect(await valueOf(other, 'a')).toBe(5)
    })

    test('of many at once in one process loses none', async () => {
      const { database } = await openNew(newUrl)
      await Promise.all(Array.from({ length: 30 }, () => increment(database)))
      expect(await valueOf(database, 'a')).toBe(30)
    })

    test('of many at once through two handles, as of two processes, loses none and fails none', async () => {
      const { url, database } = await openNew(newUrl)
      const other = openAt(url)
      await Promise.all(Array.from({ length: 40 }, (_, index) => increment(index % 2 ? database : other)))
      expect(await valueOf(database, 'a')).toBe(40)
    })

    if (dialect === 'postgres')
      test('that others always stop is tried six times, and then fails as an unavailable database does', async () => {
        const { database } = await openNew(newUrl)
        for (const code of ['40001', '40P01']) {
          let tries = 0
          const failing = database.write(async (tx) => {
            tries++
            await sql.raw(`do $$ begin raise exception using errcode = '${code}'; end $$`).execute(tx)
          })
          const error = await errorOf(failing)
          expect([tries, isStorageUnavailable(error), error instanceof OutcomeUnknown]).toEqual([
            6,
            true,
            false,
          ])
        }
      })

    test('of several processes at once loses none and fails none', async () => {
      const { url, database } = await openNew(newUrl)
      const program = `
        import { openDatabase } from ${JSON.stringify(`${import.meta.dir}/database.ts`)}
        import { sql } from 'kysely'
        const database = openDatabase(process.env.URL)
        const lock = database.dialect === 'postgres' ? sql\`for update\` : sql\`\`
        for (let index = 0; index < 25; index++) await database.write(async (tx) => {
          const { rows } = await sql\`select value from counter where name = 'a' \${lock}\`.execute(tx)
          await sql\`update counter set value = \${rows[0].value + 1} where name = 'a'\`.execute(tx)
        })
        await database.close()`
      await Promise.all([1, 2, 3, 4].map(() => runProgram(program, { URL: url })))
      expect(await valueOf(database, 'a')).toBe(100)
    })

    test('waits for a writer of another handle without stopping the event loop', async () => {
      const { url, database } = await openNew(newUrl)
      const other = openAt(url)
      const [held, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const holding = other.write(async (tx) => {
        await tx.updateTable('counter').set({ value: 10 }).execute()
        held.resolve()
        await go.promise
      })
      await held.promise
      const waiting = increment(database)
      // A blocked loop would not reach these turns.
      const startedMs = performance.now()
      while (performance.now() - startedMs < 200) await new Promise((resolve) => setTimeout(resolve, 1))
      expect(performance.now() - startedMs).toBeLessThan(4_000)
      go.resolve()
      await Promise.all([holding, waiting])
      expect(await valueOf(database, 'a')).toBe(11)
    })

    test('calls its listeners after the commit and before it returns, and never for a rollback', async () => {
      const { database } = await openNew(newUrl)
      const events: string[] = []
      database.afterWrite(async () => {
        events.push(`value is ${await valueOf(database, 'a')}`)
        await new Promise((resolve) => setImmediate(resolve))
        events.push('listener done')
      })
      await increment(database)
      events.push('answered')
      await database.write(() => Promise.reject(new Error('no'))).catch(() => events.push('failed'))
      expect(events).toEqual(['value is 1', 'listener done', 'answered', 'failed'])
    })
  })

  test('read goes on while a write is under way', async () => {
    const { database } = await openNew(newUrl)
    await database.write(async (tx) => {
      await tx.updateTable('counter').set({ value: 1 }).execute()
      expect(await Promise.all([valueOf(database, 'a'), valueOf(database, 'b')])).toEqual([0, 0])
    })
  })

  test('whole numbers up to 2^53 - 1 arrive as numbers, exactly, and so do sums', async () => {
    const { database } = await openNew(newUrl)
    for (const value of [0, -1, 253_402_300_799, 2 ** 53 - 1]) {
      await database.write((tx) => tx.updateTable('counter').set({ value }).where('name', '=', 'a').execute())
      expect(await valueOf(database, 'a')).toBe(value)
    }
    const { rows } = await sql<{
      total: number
    }>`select sum(value) as total, count(*) as count from counter`.execute(database.read)
    expect(rows).toEqual([{ total: 2 ** 53 - 1, count: 2 } as never])
  })

  test('more statements than the cache holds all work, also repeatedly', async () => {
    const { database } = await openNew(newUrl)
    for (let round = 0; round < 2; round++)
      for (let index = 0; index < 300; index++) {
        const { rows } = await sql<
          Record<string, number>
        >`select ${sql.raw(`${index} as n${index}`)}`.execute(database.read)
        expect(rows).toEqual([{ [`n${index}`]: index }])
      }
  })

  describe('among', () => {
    const matching = async (
      database: Database<Tables>,
      column: string,
      values: readonly (string | number)[],
    ) => {
      const { rows } = await sql<{ name: string }>`select name from counter
        where ${inList(database.dialect, column, values)} order by name`.execute(database.read)
      return rows.map(({ name }) => name)
    }

    test('no values match nothing', async () => {
      const { database } = await openNew(newUrl)
      expect(await matching(database, 'name', [])).toEqual([])
      expect(await matching(database, 'value', [])).toEqual([])
    })

    test('one value matches its rows', async () => {
      const { database } = await openNew(newUrl)
      expect(await matching(database, 'name', ['b'])).toEqual(['b'])
      expect(await matching(database, 'value', [0])).toEqual(['a', 'b'])
    })

    test('50,000 values are one parameter', async () => {
      const { database } = await openNew(newUrl)
      const names = Array.from({ length: 50_000 }, (_, index) => `name ${index}`)
      expect(await matching(database, 'name', [...names, 'a'])).toEqual(['a'])
      const numbers = Array.from({ length: 50_000 }, (_, index) => index - 25_000)
      expect(await matching(database, 'value', numbers)).toEqual(['a', 'b'])
      expect(
        await matching(
          database,
          'value',
          numbers.filter((number) => number !== 0),
        ),
      ).toEqual([])
    })

    test('values are literal, with any characters', async () => {
      const { database } = await openNew(newUrl)
      const names = [
        `'`,
        '"',
        '\\',
        '{}',
        '{a,b}',
        'NULL',
        '',
        ',',
        '%',
        '\u{1f600}',
        `'); drop table counter; --`,
      ]
      await database.write((tx) =>
        tx
          .insertInto('counter')
          .values(names.map((name) => ({ name, value: 1 })))
          .execute(),
      )
      for (const name of names) expect(await matching(database, 'name', [name])).toEqual([name])
      expect(await matching(database, 'name', ['{a,b}', 'a'])).toEqual(['a', '{a,b}'].toSorted())
    })
  })

  test('writers with the same key wait for each other until their transaction ends', async () => {
    const { url, database } = await openNew(newUrl)
    const other = openAt(url)
    const events: string[] = []
    const write = (one: Database<Tables>, name: string) =>
      one.write(async (tx) => {
        await lockKey(dialect, tx, 42)
        events.push(`${name} in`)
        await sql`select 1`.execute(tx)
        await sql`select 1`.execute(tx)
        events.push(`${name} out`)
      })
    await Promise.all([write(database, 'x'), write(other, 'y'), write(database, 'z')])
    const order = events.filter((_, index) => index % 2 === 0).map((event) => event[0])
    expect(events).toEqual(order.flatMap((name) => [`${name} in`, `${name} out`]))
  })

  if (dialect === 'postgres')
    test('L24.5c: two writers who lock the same rows in opposite orders both succeed: the aborted one is retried', async () => {
      const { database } = await openNew(newUrl)
      const met = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      let runs = 0
      const write = (mine: number, [first, second]: readonly [string, string]) =>
        database.write(async (tx) => {
          runs++
          const add = (name: string) =>
            sql`update counter set value = value + 1 where name = ${name}`.execute(tx)
          await add(first)
          met[mine]?.resolve()
          await met[1 - mine]?.promise
          await add(second)
        })
      await Promise.all([write(0, ['a', 'b']), write(1, ['b', 'a'])])
      expect([await valueOf(database, 'a'), await valueOf(database, 'b')]).toEqual([2, 2])
      expect(runs).toBeGreaterThanOrEqual(3)
    })
  else {
    test('writers of this process pause while another thread writes, and continue afterwards', async () => {
      const { database } = await openNew(newUrl)
      const events: string[] = []
      const go = Promise.withResolvers<void>()
      const others = database.pauseWriters(async () => {
        events.push('others begin')
        await go.promise
        events.push('others end')
      })
      const own = increment(database).then(() => events.push('own write'))
      await new Promise((resolve) => setTimeout(resolve, 20))
      go.resolve()
      await Promise.all([others, own])
      expect(events).toEqual(['others begin', 'others end', 'own write'])
    })

    for (const [when, use] of [
      ['after reads and writes', valueOf],
      ['without ever having been read', async () => undefined],
    ] as const)
      test(`a file that is closed cleanly, ${when}, leaves no log behind: it can be copied alone`, async () => {
        const { url, database } = await openNew(newUrl)
        await use(database, 'a')
        expect(existsSync(`${sqlitePath(url)}-wal`)).toBe(true)
        open.splice(open.indexOf(database), 1)
        await database.close()
        expect(existsSync(`${sqlitePath(url)}-wal`)).toBe(false)
      })
  }
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

async function runProgram(program: string, environment: Record<string, string>): Promise<void> {
  const child = Bun.spawn([process.execPath, '-e', program], {
    cwd: import.meta.dir,
    env: { ...process.env, ...environment },
    stdin: 'ignore',
    stdout: 'ignore',
    stderr: 'pipe',
  })
  const complaints = await new Response(child.stderr).text()
  expect({ code: await child.exited, complaints }).toEqual({ code: 0, complaints: '' })
}
