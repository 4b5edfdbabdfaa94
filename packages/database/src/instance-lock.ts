import { type Transaction, sql } from 'kysely'
import type { PoolClient } from 'pg'
import { type Database, openDatabase } from './database.ts'
import { isServerSilent } from './errors.ts'
import { type Migration, migrate } from './migrate.ts'
import { openPool } from './pool.ts'

/** The database is locked: nodes and the restore of an archive exclude each other. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'

  constructor(
    message = 'The database is in use: stop the service first, and start it again when the import has finished',
  ) {
    super(message)
  }
}

/**
 * Arbitrary, but the same on every node. The second number distinguishes instances that share a
 * database.
 */
const LOCK = `4170618, hashtext(coalesce(current_schema(), ''))`
/** Shared by the nodes that have found or made the database as their version needs it. */
const RUNNING_LOCK = `4170619, hashtext(coalesce(current_schema(), ''))`
const RETRY_MS = 1_000
/**
 * If the server accepts the query but does not answer in this time, another connection tries again.
 */
const ANSWER_TIMEOUT_MS = 3_000
/** How long a start waits for a server that is silent, in milliseconds. */
const SILENCE_TIMEOUT_MS = 60_000

/** How long a start waits until nodes of an earlier version have stopped, in milliseconds. */
const EARLIER_NODES_TIMEOUT_MS = 60_000

/** Nodes of an earlier version work on the database, which this version changes. */
class EarlierNodes extends Error {
  override readonly name = 'EarlierNodes'
}

interface Log {
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

interface NodeTimeouts {
  silenceTimeoutMs?: number
  earlierNodesTimeoutMs?: number
}

/**
 * Opens the database for a node, locks it until it is closed, and migrates it. A restore refuses a
 * database that nodes work on, and this function throws `DatabaseInUse` while a restore runs. SQLite
 * itself knows which processes have the file open. On PostgreSQL, a separate connection holds locks
 * that nodes share. A lost connection is replaced within seconds. A server that is silent at the
 * start, such as one that is frozen or still recovers, is awaited for a minute; one that is not there
 * is not. Before a migration, nodes of an earlier version are awaited for a minute: they cannot work
 * on what it changes. Throws `DatabaseInUse` if they go on, and `NewerDatabase`.
 *
 * @example
 * const database = await openMigrated<Tables>('postgres://db.internal/links', migrations, log)
 */
export async function openMigrated<Tables>(
  url: string,
  migrations: Readonly<Record<string, Migration>>,
  log: Log,
  {
    silenceTimeoutMs = SILENCE_TIMEOUT_MS,
    earlierNodesTimeoutMs = EARLIER_NODES_TIMEOUT_MS,
  }: NodeTimeouts = {},
): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  const lock = database.dialect === 'sqlite' ? undefined : await acquireLock(url, log, silenceTimeoutMs)
  const close = async () => {
    await database.close()
    lock?.release()
  }
  try {
    const endMs = performance.now() + earlierNodesTimeoutMs
    await retryBesideEarlierNodes(() => migrate(database, migrations, lock && requireNoNodes), log, endMs)
    // A newer version may have begun to migrate since. It is awaited, and then refuses this one.
    if (lock) while (!(await lock.join())) await migrate(database, migrations)
    return { ...database, close }
  } catch (error) {
    await close()
    throw error
  }
}

async function requireNoNodes(tx: Transaction<unknown>, due: readonly string[]): Promise<void> {
  const { rows } = await sql<{ acquired: boolean }>`
    select pg_try_advisory_xact_lock(${sql.raw(RUNNING_LOCK)}) as acquired`.execute(tx)
  if (!rows[0]?.acquired)
    throw new EarlierNodes(
      `Nodes of an earlier version work on the database, which this version changes (${due.join(', ')}): stop them, and then start this one`,
    )
}

async function retryBesideEarlierNodes(work: () => Promise<unknown>, log: Log, endMs: number): Promise<void> {
  for (let isLogged = false; ; isLogged = true)
    try {
      await work()
      return
    } catch (error) {
      if (!(error instanceof EarlierNodes)) throw error
      if (performance.now() > endMs) throw new DatabaseInUse(error.message)
      if (!isLogged)
        log.error('database: the start waits until nodes of an earlier version have stopped', { error })
      await Bun.sleep(RETRY_MS)
    }
}

/**
 * Excludes nodes from the database until the transaction ends. Throws `DatabaseInUse` when a node
 * works on it.
 */
export async function requireUnlocked(transaction: QueryRunner): Promise<void> {
  if (!(await isGranted(transaction, 'pg_try_advisory_xact_lock', LOCK))) throw new DatabaseInUse()
}

interface NodeLock {
  /** Counts this node among the running ones. False while a newer version migrates. */
  join(): Promise<boolean>
  release(): void
}

async function acquireLock(url: string, log: Log, silenceTimeoutMs: number): Promise<NodeLock> {
  const pool = openPool(url, { queryTimeoutMs: ANSWER_TIMEOUT_MS })
  let holder: PoolClient | undefined
  let retry: Timer | undefined
  let isRunning = false
  let isOver = false
  const hold = async () => {
    const client = await pool.connect()
    try {
      if (!(await isGranted(client, 'pg_try_advisory_lock_shared', LOCK)))
        throw new DatabaseInUse(
          'An archive is being imported into the database: start the service when the import has finished',
        )
      if (isRunning && !(await isGranted(client, 'pg_try_advisory_lock_shared', RUNNING_LOCK)))
        throw new Error('A newer version migrates the database')
      if (isOver) throw new Error('The node stops')
    } catch (error) {
      client.release(true)
      throw error
    }
    holder = client
    client.once('end', () => {
      if (holder !== client) return
      letGo()
      holdLater()
    })
  }
  const holdLater = () => {
    if (!isOver) retry = setTimeout(() => void holdAgain(), RETRY_MS)
  }
  const holdAgain = () =>
    hold().catch((error: unknown) => {
      // All other users of the database report that it is unavailable.
      if (error instanceof DatabaseInUse)
        log.error('database: an archive is being imported, restart this node afterwards', { error })
      holdLater()
    })
  const letGo = () => {
    const client = holder
    holder = undefined
    client?.release(true)
  }
  await retryWhileSilent(hold, log, silenceTimeoutMs)
  return {
    async join() {
      // A lost connection takes both locks again.
      isRunning = !holder || (await isGranted(holder, 'pg_try_advisory_lock_shared', RUNNING_LOCK))
      return isRunning
    },
    release() {
      isOver = true
      clearTimeout(retry)
      letGo()
      // Not awaited: a frozen server never acknowledges the end of a connection.
      void pool.end()
    },
  }
}

async function retryWhileSilent(work: () => Promise<void>, log: Log, timeoutMs: number): Promise<void> {
  const endMs = performance.now() + timeoutMs
  for (let isLogged = false; ; isLogged = true)
    try {
      return await work()
    } catch (error) {
      if (!isServerSilent(error) || performance.now() > endMs) throw error
      if (!isLogged) log.error('database: does not answer, the start waits for it', { error })
      await Bun.sleep(RETRY_MS)
    }
}

/** A client of `pg`, or anything else that runs a statement. */
interface QueryRunner {
  query(statement: string): Promise<{ rows: unknown[] }>
}

async function isGranted(client: QueryRunner, call: string, lock: string): Promise<boolean> {
  const { rows } = await client.query(`select ${call}(${lock}) as acquired`)
  return (rows[0] as { acquired: boolean } | undefined)?.acquired === true
}
