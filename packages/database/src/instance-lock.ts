import type { ClientBase, PoolClient } from 'pg'
import { type Database, openDatabase } from './database.ts'
import { openPool } from './pool.ts'

/** Nodes and an import of everything do not work on a database at the same time. */
export class DatabaseInUse extends Error {
  override readonly name = 'DatabaseInUse'

  constructor(
    message = 'The database is in use: stop the service first, and start it again when this is done',
  ) {
    super(message)
  }
}

/** Any number will do, as long as every node uses the same; the other one tells instances apart that share a database. */
const LOCK = `4170618, hashtext(coalesce(current_schema(), ''))`
const RETRY_MS = 1_000
/** A server that takes the question and does not answer is asked anew on another connection. */
const ANSWER_TIMEOUT_MS = 3_000

interface Log {
  error(message: string, fields: Readonly<Record<string, unknown>>): void
}

/**
 * Opens the database for a node, which imports of everything know of until it is closed: they refuse a database that nodes
 * work on, and this throws `DatabaseInUse` while one runs. SQLite knows by itself who has the file open. On PostgreSQL
 * a connection of its own holds a lock that nodes share; when it is lost, there is a new one within seconds.
 *
 * @example
 * const database = await openOccupied<Tables>('postgres://db.internal/links', log)
 */
export async function openExclusively<Tables>(url: string, log: Log): Promise<Database<Tables>> {
  const database = openDatabase<Tables>(url)
  if (database.dialect === 'sqlite') return database
  const leave = await acquireLock(url, log)
  return {
    ...database,
    async close() {
      await database.close()
      leave()
    },
  }
}

/** Until the transaction ends no node works on the database. Throws `DatabaseInUse` when one does. */
export async function requireUnlocked(transaction: ClientBase): Promise<void> {
  if (!(await isGranted(transaction, 'pg_try_advisory_xact_lock'))) throw new DatabaseInUse()
}

/** Returns what ends it. */
async function acquireLock(url: string, log: Log): Promise<() => void> {
  const pool = openPool(url, { queryTimeoutMs: ANSWER_TIMEOUT_MS })
  let holder: PoolClient | undefined
  let retry: Timer | undefined
  let isOver = false
  const hold = async () => {
    const client = await pool.connect()
    try {
      if (!(await isGranted(client, 'pg_try_advisory_lock_shared')))
        throw new DatabaseInUse(
          'Everything is being imported into the database: start the service when that is done',
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
      // That the database is away is told by all who want something of it.
      if (error instanceof DatabaseInUse)
        log.error('everything is being imported under this node: start it anew afterwards', { error })
      holdLater()
    })
  const letGo = () => {
    const client = holder
    holder = undefined
    client?.release(true)
  }
  await hold()
  return () => {
    isOver = true
    clearTimeout(retry)
    letGo()
    // Not waited for: a server that is frozen says no goodbye.
    void pool.end()
  }
}

async function isGranted(client: ClientBase, lock: string): Promise<boolean> {
  const { rows } = await client.query<{ given: boolean }>(`select ${lock}(${LOCK}) as given`)
  return rows[0]?.given === true
}
