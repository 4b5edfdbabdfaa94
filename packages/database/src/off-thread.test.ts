import { afterEach, describe, expect, spyOn, test } from 'bun:test'
import { existsSync, mkdtempSync, renameSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sql } from 'kysely'
import { type Database, openDatabase } from './database.ts'
import { ReaderUnavailable, isStorageUnavailable } from './errors.ts'
import { ReadThread } from './read-thread.ts'
import { eachDialect } from './testing.ts'
import { sqlitePath } from './url.ts'

interface Tables {
  item: { id: number; name: string | null }
}

const open: Database<Tables>[] = []

afterEach(async () => {
  for (const database of open.splice(0)) await database.close()
})

/** Far above what any statement of a test takes, on any machine. */
const LIMIT_MS = 60_000

async function openWithTimeout(url: string): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  open.push(database)
  await database.write(async (tx) => {
    await sql`create table item (id integer primary key, name text)`.execute(tx)
    await tx
      .insertInto('item')
      .values([
        { id: 1, name: 'one "quoted" \ud83d\ude00' },
        { id: 2, name: null },
      ])
      .execute()
  })
  return database.withStatementTimeout(LIMIT_MS)
}

/** Takes about a second of a processor for every two million numbers. */
const slow = (numbers = 2_000_000) => sql<{ largest: number }>`with recursive series (i) as (
  select 1 union all select i + 1 from series where i < ${numbers}) select max(i) as largest from series`

/** Runs work whose statements are over their limit at once, however fast the machine is. */
async function expireAtOnce<Result>(work: () => Promise<Result>): Promise<Result> {
  const later = setTimeout
  const timer = (run: () => void, ms?: number) => later(run, ms === LIMIT_MS ? 0 : ms)
  const spy = spyOn(globalThis, 'setTimeout').mockImplementation(timer as typeof setTimeout)
  try {
    return await work()
  } finally {
    spy.mockRestore()
  }
}

function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  )
}

eachDialect((dialect, newUrl) => {
  test('a read off the thread returns the same rows as any other', async () => {
    const { read, offThread } = await openWithTimeout(await newUrl())
    const bytes = dialect === 'sqlite' ? sql`x'00ff'` : sql`'\\x00ff'::bytea`
    for (const query of [
      sql`select * from item order by id`,
      sql`select * from item where id = ${2} or name = ${'nobody'}`,
      sql`select * from item where id > 2`,
      sql`select sum(id) as sum, 0.5 * sum(id) as half, 9007199254740991 as largest, null as none from item`,
      sql`select id, case when id = 2 then ${bytes} end as bytes from item order by id`,
    ]) {
      const [near, far] = [await query.execute(read), await query.execute(offThread.read)]
      expect(far.rows).toEqual(near.rows)
    }
  })

  test('a read off the thread sees earlier commits, and a snapshot there the state when it began', async () => {
    const database = await openWithTimeout(await newUrl())
    const { offThread } = database
    const count = async (read = offThread.read) =>
      (await read.selectFrom('item').select('id').execute()).length
    expect(await count()).toBe(2)
    await database.write((tx) => tx.insertInto('item').values({ id: 3, name: null }).execute())
    expect(await count()).toBe(3)
    await offThread.read.connection().execute(async (read) => {
      await sql.raw(dialect === 'sqlite' ? 'begin' : 'begin isolation level repeatable read').execute(read)
      expect(await count(read)).toBe(3)
      await database.write((tx) => tx.insertInto('item').values({ id: 4, name: null }).execute())
      expect(await count(read)).toBe(3)
      await sql`commit`.execute(read)
    })
    expect(await count()).toBe(4)
  })

  test('a failed read off the thread throws the error of the database, and the next one is served', async () => {
    const { read, offThread } = await openWithTimeout(await newUrl())
    const wrong = sql`select nothing from nowhere`
    const [near, far] = [await failureOf(wrong.execute(read)), await failureOf(wrong.execute(offThread.read))]
    const { message, code } = near as Error & { code: string }
    expect(far).toMatchObject({ message, code })
    expect(isStorageUnavailable(far)).toBe(false)
    expect((await sql`select 1 as one`.execute(offThread.read)).rows).toEqual([{ one: 1 }])
  })
})

/** Only on SQLite: PostgreSQL is a separate process anyway. */
describe('the thread that reads', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-off-thread-'))
  let fileCount = 0
  const newUrl = () => `sqlite:${join(folder, `${++fileCount}.db`)}`

  test('other reads and writes and the event loop go on while a long read runs', async () => {
    const database = await openWithTimeout(newUrl())
    const { read, offThread } = database
    await sql`select 1`.execute(offThread.read)
    let [rounds, ended] = [0, false]
    const long = slow()
      .execute(offThread.read)
      .finally(() => (ended = true))
    for (; !ended; rounds++) {
      await read.selectFrom('item').selectAll().execute()
      await database.write((tx) =>
        tx
          .updateTable('item')
          .set({ name: `${rounds}` })
          .execute(),
      )
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect((await long).rows).toEqual([{ largest: 2_000_000 }])
    // A loop that waited for the read would get at most one round.
    expect(rounds).toBeGreaterThanOrEqual(2)
  })

  test('rows come in batches of the requested size, and a reader that stops early leaves nothing behind', async () => {
    const { offThread } = await openWithTimeout(newUrl())
    const numbers = sql<{ i: number }>`with recursive series (i) as (
      select 1 union all select i + 1 from series where i < 5) select i from series`
    const parts = async (maxBatches: number) => {
      const seen: number[][] = []
      for await (const { rows } of offThread.read
        .getExecutor()
        .stream<{ i: number }>(numbers.compile(offThread.read), 2)) {
        seen.push(rows.map(({ i }) => i))
        if (seen.length === maxBatches) break
      }
      return seen
    }
    expect(await parts(Infinity)).toEqual([[1, 2], [3, 4], [5]])
    expect(await parts(1)).toEqual([[1, 2]])
    expect(await parts(Infinity)).toEqual([[1, 2], [3, 4], [5]])
  })

  test('a read over the limit, and reads that wait for it, fail as unavailable storage; later reads are served', async () => {
    const { offThread } = await openWithTimeout(newUrl())
    const both = await expireAtOnce(() =>
      Promise.all([
        failureOf(slow().execute(offThread.read)),
        failureOf(sql`select 1`.execute(offThread.read)),
      ]),
    )
    expect(both.map(isStorageUnavailable)).toEqual([true, true])
    expect((await sql`select 1 as one`.execute(offThread.read)).rows).toEqual([{ one: 1 }])
  })

  test('a snapshot whose statement was over the limit reads nothing more, and its transaction is over', async () => {
    const database = await openWithTimeout(newUrl())
    const { offThread } = database
    await offThread.read.connection().execute(async (read) => {
      await sql`begin`.execute(read)
      await sql`select * from item`.execute(read)
      const failure = await expireAtOnce(() => failureOf(slow().execute(read)))
      expect(failure).toBeInstanceOf(ReaderUnavailable)
      expect(await failureOf(sql`commit`.execute(read))).toBeInstanceOf(ReaderUnavailable)
    })
    await database.write((tx) => tx.insertInto('item').values({ id: 3, name: null }).execute())
    expect(await offThread.read.selectFrom('item').select('id').execute()).toHaveLength(3)
  })

  test('closing ends the running read and waiting ones, and refuses later ones', async () => {
    const url = newUrl()
    const { offThread } = await openWithTimeout(url)
    const reads = [
      failureOf(slow(80_000_000).execute(offThread.read)),
      failureOf(sql`select 1`.execute(offThread.read)),
    ]
    // The first statement is running when the second is queued.
    await new Promise((resolve) => setTimeout(resolve))
    await open.pop()?.close()
    expect((await Promise.all(reads)).map(isStorageUnavailable)).toEqual([true, true])
    expect(await failureOf(sql`select 1`.execute(offThread.read))).toBeInstanceOf(ReaderUnavailable)
  })

  test('closing leaves no log behind when nothing is read', async () => {
    const url = newUrl()
    const { offThread } = await openWithTimeout(url)
    await sql`select * from item`.execute(offThread.read)
    expect(existsSync(`${sqlitePath(url)}-wal`)).toBe(true)
    await open.pop()?.close()
    expect(existsSync(`${sqlitePath(url)}-wal`)).toBe(false)
  })

  test('a file that cannot be opened is unavailable storage, until it can be opened', async () => {
    const url = newUrl()
    const { offThread } = await openWithTimeout(url)
    const path = sqlitePath(url)
    renameSync(path, `${path}.away`)
    expect(isStorageUnavailable(await failureOf(sql`select 1`.execute(offThread.read)))).toBe(true)
    renameSync(`${path}.away`, path)
    expect(await offThread.read.selectFrom('item').select('id').execute()).toHaveLength(2)
  })

  test('a thread that ends fails its request, and the next request starts another thread', async () => {
    const program = join(folder, 'ending.ts')
    await Bun.write(
      program,
      `self.onmessage = ({ data }) => { if (data.query?.sql === 'end') throw new Error('no more'); if (!data.open) self.postMessage({ rows: '[{"one":1}]' }) }`,
    )
    const thread = new ReadThread('any', program)
    const query = { sql: 'one', parameters: [] }
    expect(await thread.ask({ query })).toEqual([{ one: 1 }])
    expect(isStorageUnavailable(await failureOf(thread.ask({ query: { ...query, sql: 'end' } })))).toBe(true)
    expect(await thread.ask('stop')).toEqual([])
    expect(await thread.ask({ query })).toEqual([{ one: 1 }])
    await thread.close()
    rmSync(folder, { recursive: true, force: true })
  })
})
