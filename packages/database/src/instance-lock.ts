import type { PoolClient } from 'pg'
import { type Database, openDatabase } from './database.ts'
import { isServerSilent } from './errors.ts'
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
const RETRY_MS = 1_000
/**
 * If the server accepts the query but does not answer in this time, another connection tries again.
 */
const ANSWER_TIMEOUT_MS = 3_000
/** How long a start waits for a server that is silent, in milliseconds. */
const SILENCE_TIMEOUT_MS = 60_000

interface Log {
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/**
 * Opens the database for a node and locks it until it is closed. A restore refuses a database that
 * nodes work on, and this function throws `DatabaseInUse` while a restore runs. SQLite itself knows
 * which processes have the file open. On PostgreSQL, a separate connection holds a lock that nodes
 * share. A lost connection is replaced within seconds. A server that is silent at the start, such as
 * one that is frozen or still recovers, is awaited for a minute; one that is not there is not.
 *
 * @example
 * const database = await openExclusively<Tables>('postgres://db.internal/links', log)
 */
export async function openExclusively<Tables>(
  url: string,
  log: Log,
  silenceTimeoutMs = SILENCE_TIMEOUT_MS,
): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  if (database.dialect === 'sqlite') return database
  const leave = await acquireLock(url, log, silenceTimeoutMs)
  return {
    ...database,
    async close() {
      await database.close()
      leave()
    },
  }
}

/**
 * Excludes nodes from the database until the transaction ends. Throws `DatabaseInUse` when a node
 * works on it.
 */
export async function requireUnlocked(transaction: QueryRunner): Promise<void> {
  if (!(await isGranted(transaction, 'pg_try_advisory_xact_lock'))) throw new DatabaseInUse()
}

/** Returns the function that releases the lock. */
async function acquireLock(url: string, log: Log, silenceTimeoutMs: number): Promise<() => void> {
  const pool = openPool(url, { queryTimeoutMs: ANSWER_TIMEOUT_MS })
  let holder: PoolClient | undefined
  let retry: Timer | undefined
  let isOver = false
  const hold = async () => {
    const client = await pool.connect()
    try {
      if (!(await isGranted(client, 'pg_try_advisory_lock_shared')))
        throw new DatabaseInUse(
          'An archive is being imported into the database: start the service when the import has finished',
        )
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
  return () => {
    isOver = true
    clearTimeout(retry)
    letGo()
    // Not awaited: a frozen server never acknowledges the end of a connection.
    void pool.end()
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

async function isGranted(client: QueryRunner, lock: string): Promise<boolean> {
  const { rows } = await client.query(`select ${lock}(${LOCK}) as acquired`)
  return (rows[0] as { acquired: boolean } | undefined)?.acquired === true
}
