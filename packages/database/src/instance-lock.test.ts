import { afterEach, describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import type { Database } from './database.ts'
import { DatabaseInUse, openMigrated } from './instance-lock.ts'
import { type Migration, NewerDatabase } from './migrate.ts'
import { openPool } from './pool.ts'
import { isStorageUnavailable } from './errors.ts'
import { eachDialect } from './testing.ts'
import { Relay } from './testing-relay.ts'
import type { Bulk } from './archive/bulk-types.ts'
import { openBulk } from './archive/bulk.ts'

/** The server's list of connections that hold the lock of this instance. */
const HELD = `pg_locks where locktype = 'advisory' and database = (select oid from pg_database where datname = current_database())
  and objid = (hashtext(current_schema())::bigint & 4294967295)::text::oid`

const closings: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closings.splice(0).toReversed()) await close()
})

/** A node that has used its database. */
async function node(url: string, log = { error: () => {} }): Promise<Database<unknown>> {
  const database = await openMigrated<unknown>(url, {}, log)
  closings.push(() => database.close())
  await database.write((tx) => sql`create table if not exists thing (name text)`.execute(tx))
  await sql`select name from thing`.execute(database.read)
  return database
}

async function begin(url: string): Promise<Bulk> {
  const bulk = await openBulk(url)
  closings.push(() => bulk.close())
  return bulk
}

async function end(closing: { close(): Promise<unknown> }): Promise<void> {
  closings.pop()
  await closing.close()
}

const failureOf = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: unknown) => error,
  )

/** The server may take a moment to notice that a connection has ended. */
async function beginSoon(url: string): Promise<Bulk> {
  const deadlineMs = performance.now() + 10_000
  for (;;)
    try {
      return await begin(url)
    } catch (error) {
      if (!(error instanceof DatabaseInUse) || performance.now() > deadlineMs) throw error
    }
}

eachDialect((dialect, newUrl) => {
  test('an import of everything is kept out for as long as any node has the database open', async () => {
    const url = await newUrl()
    const nodes = [await node(url), await node(url)]
    for (const each of nodes.toReversed()) {
      expect(await failureOf(begin(url))).toBeInstanceOf(DatabaseInUse)
      await end(each)
    }
    await beginSoon(url)
  })

  test('nodes of another instance on the same server lock out no import', async () => {
    const url = await newUrl()
    await node(url)
    await begin(await neighbourOf(url))
    await node(await neighbourOf(url))
  })

  /** Another SQLite file, or on PostgreSQL another schema of the same database. */
  async function neighbourOf(url: string): Promise<string> {
    if (dialect === 'sqlite') return newUrl()
    const schema = `s_${crypto.randomUUID().replaceAll('-', '')}`
    const pool = openPool(url)
    await pool.query(`create schema ${schema}`)
    await pool.end()
    return `${url}?options=-csearch_path=${schema}`
  }

  if (dialect === 'postgres') {
    test('a node does not open a database that is being imported into, and opens it afterwards', async () => {
      const url = await newUrl()
      const bulk = await begin(url)
      const refused = failureOf(openMigrated(url, {}, { error: () => {} }))
      expect(await refused).toEqual(
        new DatabaseInUse(
          'An archive is being imported into the database: start the service when the import has finished',
        ),
      )
      await end(bulk)
      await node(url)
    })

    test('a node whose database is silent at its start waits for it, and logs that it does', async () => {
      const url = await newUrl()
      const relay = await Relay.before(url)
      closings.push(async () => relay.close())
      const silent = relay.silenceAfter('pg_try_advisory_lock_shared')
      const logged: string[] = []
      const opening = openMigrated<unknown>(
        relay.through(url),
        {},
        {
          error(message) {
            logged.push(message)
            relay.cut()
            relay.restore()
          },
        },
      )
      await silent
      const database = await opening
      closings.push(() => database.close())
      await sql`select 1`.execute(database.read)
      expect(logged).toEqual(['database: does not answer, the start waits for it'])
    }, 30_000)

    test('a node whose database falls silent at its start does not wait for it without end', async () => {
      const url = await newUrl()
      const relay = await Relay.before(url)
      closings.push(async () => relay.close())
      const silent = relay.silenceAfter('pg_try_advisory_lock_shared')
      const opening = openMigrated<unknown>(
        relay.through(url),
        {},
        { error: () => {} },
        { silenceTimeoutMs: 1 },
      )
      expect(isStorageUnavailable(await failureOf(opening))).toBe(true)
      await silent
    }, 30_000)

    test('a node that lost its connection takes the lock again, and logs an error if an import runs meanwhile', async () => {
      const url = await newUrl()
      const server = openPool(url)
      closings.push(() => server.end())
      const logged = Promise.withResolvers<string>()
      await node(url, { error: logged.resolve })
      const cut = () => server.query(`select pg_terminate_backend(pid, 10000) from ${HELD}`)
      let bulk: Bulk | undefined
      while (!bulk) {
        await cut()
        // On a busy machine the node may have reconnected already.
        bulk = await begin(url).catch(() => undefined)
      }
      expect(await logged.promise).toStartWith('database: an archive is being imported')
      await end(bulk)
      const held = `select 1 from ${HELD} and mode = 'ShareLock'`
      while ((await server.query(held)).rows.length === 0) await Bun.sleep(20)
      expect(await failureOf(begin(url))).toBeInstanceOf(DatabaseInUse)
    })
  }

  if (dialect === 'postgres')
    describe('a version that changes the database', () => {
      const create: Migration = async (tx) => void (await sql`create table first (name text)`.execute(tx))
      const next: Migration = async (tx) => void (await sql`create table second (name text)`.execute(tx))
      const earlier = { '0001-first': create }
      const later = { ...earlier, '0002-second': next }
      const silent = { error: (_message: string) => {} }

      async function open(url: string, migrations: Record<string, Migration>, log = silent) {
        const database = await openMigrated<unknown>(url, migrations, log)
        closings.push(() => database.close())
        return database
      }

      const isMigrated = (database: Database<unknown>) =>
        sql`select name from second`.execute(database.read).then(
          () => true,
          () => false,
        )

      test('O4.2f: waits at its start until the nodes of an earlier version have stopped, and logs that it does', async () => {
        const url = await newUrl()
        const nodes = [await open(url, earlier), await open(url, earlier)] as const
        const logged = Promise.withResolvers<string>()
        const opening = open(url, later, { error: logged.resolve })
        expect(await logged.promise).toBe(
          'database: the start waits until nodes of an earlier version have stopped',
        )
        closings.splice(0)
        await nodes[0].close()
        expect(await isMigrated(nodes[1])).toBe(false)
        await nodes[1].close()
        expect(await isMigrated(await opening)).toBe(true)
      })

      test('O4.2f: is refused if they go on, and changes nothing', async () => {
        const url = await newUrl()
        const running = await open(url, earlier)
        const refused = failureOf(openMigrated(url, later, silent, { earlierNodesTimeoutMs: 0 }))
        expect(await refused).toEqual(
          new DatabaseInUse(
            'Nodes of an earlier version work on the database, which this version changes (0002-second): stop them, and then start this one',
          ),
        )
        expect(await isMigrated(running)).toBe(false)
      })

      test('O4.2f: several of its nodes start together: one migrates, and none is refused', async () => {
        const url = await newUrl()
        await end(await open(url, earlier))
        const nodes = await Promise.all(Array.from({ length: 4 }, () => open(url, later)))
        expect(await Promise.all(nodes.map(isMigrated))).toEqual([true, true, true, true])
      })

      test('O4.2f: keeps out nodes of the earlier version that start afterwards', async () => {
        const url = await newUrl()
        await open(url, later)
        expect(await failureOf(openMigrated(url, earlier, silent))).toBeInstanceOf(NewerDatabase)
      })

      test('O4.2g: a version that changes nothing starts at once beside nodes of another', async () => {
        const url = await newUrl()
        await open(url, later)
        const logged: string[] = []
        await open(url, later, { error: (message: string) => void logged.push(message) })
        expect(logged).toEqual([])
      })
    })
})
