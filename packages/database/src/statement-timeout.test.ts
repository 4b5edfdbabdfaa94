import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import { openDatabase } from './database.ts'
import { isStorageUnavailable } from './errors.ts'
import { eachDialect } from './testing.ts'

interface Tables {
  item: { id: number }
}

async function open(url: string) {
  const database = openDatabase<Tables>(url)
  await database.write((tx) => sql`create table item (id integer primary key)`.execute(tx))
  return { database, limited: database.withStatementTimeout(300) }
}

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

eachDialect((dialect, newUrl) => {
  test('the database with a timeout is the same one, and listeners are called after its writes, too', async () => {
    const { database, limited } = await open(await newUrl())
    let writes = 0
    database.afterWrite(() => void writes++)
    await limited.write((tx) => tx.insertInto('item').values({ id: 1 }).execute())
    await database.write((tx) => tx.insertInto('item').values({ id: 2 }).execute())
    expect([writes, await database.read.selectFrom('item').selectAll().execute()]).toEqual([
      2,
      [{ id: 1 }, { id: 2 }],
    ])
    expect(limited.withoutTimeout.dialect).toBe(dialect)
    expect(await limited.withoutTimeout.read.selectFrom('item').selectAll().execute()).toHaveLength(2)
    await database.close()
  })

  if (dialect === 'sqlite') return

  test('every connection is set up for short queries, limited or not', async () => {
    const { database, limited } = await open(await newUrl())
    const settings = sql<{ jit: string; helpers: string; ends: string }>`select current_setting('jit') as jit,
      current_setting('max_parallel_workers_per_gather') as helpers, current_setting('statement_timeout') as ends`
    const seen = [await settings.execute(database.read), await settings.execute(limited.read)]
    expect(seen.map(({ rows }) => rows[0])).toEqual([
      { jit: 'off', helpers: '0', ends: '0' },
      { jit: 'off', helpers: '0', ends: '300ms' },
    ])
    await database.close()
  })

  test('a statement over the limit fails as unavailable storage, and the next one is served', async () => {
    const { database, limited } = await open(await newUrl())
    const startedMs = performance.now()
    const error = await failureOf(sql`select pg_sleep(10)`.execute(limited.read))
    expect([isStorageUnavailable(error), performance.now() - startedMs < 9_000]).toEqual([true, true])
    expect((await sql`select 1 as one`.execute(limited.read)).rows).toEqual([{ one: 1 }])
    await sql`select pg_sleep(0.6)`.execute(limited.withoutTimeout.read)
    await sql`select pg_sleep(0.6)`.execute(database.read)
    await database.close()
  })

  test('a write that waits for a lock over the limit changes nothing', async () => {
    const { database, limited } = await open(await newUrl())
    const held = Promise.withResolvers<void>()
    const holding = Promise.withResolvers<void>()
    const holder = database.write(async (tx) => {
      await sql`lock table item`.execute(tx)
      holding.resolve()
      await held.promise
    })
    await holding.promise
    const error = await failureOf(limited.write((tx) => tx.insertInto('item').values({ id: 1 }).execute()))
    expect(isStorageUnavailable(error)).toBe(true)
    held.resolve()
    await holder
    expect(await limited.read.selectFrom('item').selectAll().execute()).toEqual([])
    await database.close()
  })
})
