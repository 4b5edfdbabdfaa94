import { expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { ClientBase } from 'pg'
import { openDatabase, openReader } from './database.ts'
import { isStorageUnavailable } from './errors.ts'
import { migrate } from './migrate.ts'
import { readSnapshot } from './snapshot.ts'
import { connectClient, openPool, createClient } from './pool.ts'
import { eachDialect } from './testing.ts'
import { openPostgresBulk } from './archive/bulk-postgres.ts'

const NAMES = [
  'idle_in_transaction_session_timeout',
  'lock_timeout',
  'tcp_keepalives_idle',
  'tcp_keepalives_interval',
  'tcp_keepalives_count',
  'tcp_user_timeout',
] as const
const SET = ['5s', '30s', '10', '5', '4', '30000']

const settings = sql<Record<string, string>>`select ${sql.join(
  NAMES.map((name) => sql`current_setting(${sql.lit(name)}) as ${sql.ref(name)}`),
)}`
const idleLimit = sql<{ is: string }>`select current_setting('idle_in_transaction_session_timeout') as is`

async function readSettings(client: Pick<ClientBase, 'query'>): Promise<string[]> {
  const values: string[] = []
  for (const name of NAMES) {
    const { rows } = await client.query<Record<string, string>>(`show ${name}`)
    values.push(rows[0]?.[name] ?? '')
  }
  return values
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return

  test('every connection is ended by the server when its client vanishes, whichever function opened it', async () => {
    const url = await newUrl()
    const [database, reader] = [openDatabase(url), openReader(url)]
    const values = []
    for (const { read } of [database, database.withStatementTimeout(1_000), reader])
      values.push(Object.values((await settings.execute(read)).rows[0] ?? {}))
    const pool = openPool(url, { queryTimeoutMs: 1_000 })
    const own = createClient(url, { name: 'own', withinMs: 3_000 })
    await connectClient(own)
    for (const each of [pool, own]) values.push(await readSettings(each))
    for (const each of [pool, own]) await each.end()
    for (const each of [reader, database]) await each.close()
    expect(values).toEqual(Array.from({ length: 5 }, () => SET))
  })

  test('a transaction that is idle too long changes nothing, fails as unavailable storage, and lets others go on', async () => {
    const database = openDatabase<{ item: { id: number } }>(await newUrl())
    await database.write((tx) => sql`create table item (id integer primary key)`.execute(tx))
    const insert = sql`insert into item values (1)`
    const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const work = database.write(async (tx) => {
      await insert.execute(tx)
      await sql`set local idle_in_transaction_session_timeout = 20`.execute(tx)
      held.resolve()
      await ended.promise
      await sql`insert into item values (2)`.execute(tx)
    })
    await held.promise
    // Waits for the key that the other transaction holds, until the server ends that session.
    const other = await failureOf(database.write((tx) => insert.execute(tx)))
    ended.resolve()
    expect([other, isStorageUnavailable(await failureOf(work))]).toEqual([undefined, true])
    expect(await database.read.selectFrom('item').select('id').execute()).toEqual([{ id: 1 }])
    await database.close()
  })

  test('a lock timeout is unavailable storage', async () => {
    const database = openDatabase(await newUrl())
    await database.write(async (tx) => {
      await sql`select pg_advisory_xact_lock(4711)`.execute(tx)
      const waits = database.write(async (other) => {
        await sql`set local lock_timeout = 20`.execute(other)
        await sql`select pg_advisory_xact_lock(4711)`.execute(other)
      })
      expect(isStorageUnavailable(await failureOf(waits))).toBe(true)
    })
    await database.close()
  })

  test('an export or import of everything may wait for its other side longer than other transactions', async () => {
    const url = await newUrl()
    const bulk = await openPostgresBulk(url)
    expect(await bulk.column(`select current_setting('idle_in_transaction_session_timeout')`)).toEqual(['1h'])
    await bulk.close()
    const database = openDatabase(url)
    const limitOf = (pacedBy?: 'consumer') =>
      readSnapshot(database, async (read) => (await idleLimit.execute(read)).rows, pacedBy && { pacedBy })
    expect([await limitOf(), await limitOf('consumer'), await limitOf()]).toEqual([
      [{ is: '5s' }],
      [{ is: '1h' }],
      [{ is: '5s' }],
    ])
    await database.close()
  })

  test('a migration waits no longer than any writer for a table that others use', async () => {
    const database = openDatabase(await newUrl())
    const seen: unknown[] = []
    await migrate(database, {
      '0001-first': async (tx) => {
        seen.push((await sql`select current_setting('lock_timeout') as is`.execute(tx)).rows[0])
      },
    })
    expect(seen).toEqual([{ is: '30s' }])
    await database.close()
  })
})
