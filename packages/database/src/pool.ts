import type { PostgresPool, PostgresPoolClient } from 'kysely'
import { Client, type CustomTypesConfig, Pool, types as defaults } from 'pg'
import { markUnavailable } from './errors.ts'
import { stream } from './postgres-stream.ts'
import { sessionSettings } from './session.ts'

const INT8 = 20
const NUMERIC = 1700

/**
 * All our integers (seconds, counts, ids below 2^53) fit a double exactly. They arrive as numbers,
 * as from SQLite.
 */
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    [INT8, NUMERIC].includes(oid) ? Number : defaults.getTypeParser(oid, format),
}

/** How long a caller waits for a connection, in milliseconds, before the request fails with 503. */
const CONNECT_TIMEOUT_MS = 3_000
const POOL_SIZE = 10
/**
 * How long a connection is silent before the client probes the server. A server that has failed
 * is noticed soon after.
 */
const KEEP_ALIVE_MS = 10_000

const connectionTo = (url: string, name: string) => ({
  connectionString: url,
  stream,
  application_name: name,
  keepAlive: true,
  keepAliveInitialDelayMillis: KEEP_ALIVE_MS,
})

interface PoolOptions {
  /**
   * Timeout of each answer, in milliseconds, for callers that prefer an error to a long wait. By
   * default there is none.
   */
  queryTimeoutMs?: number
  /**
   * Time in milliseconds after which the server cancels a statement. If the server does not answer
   * at all, the client gives up soon after.
   */
  statementLimitMs?: number | undefined
}

/** How much longer than the server the client waits. */
const ANSWER_TIMEOUT_MS = 1_000

export function openPool(url: string, { queryTimeoutMs, statementLimitMs }: PoolOptions = {}): Pool {
  const waitMs = statementLimitMs === undefined ? queryTimeoutMs : statementLimitMs + ANSWER_TIMEOUT_MS
  const pool = new Pool({
    ...connectionTo(url, 'latchkey'),
    types,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // oxlint-disable-next-line typescript/no-misused-promises -- the pool waits for it, which its types do not say
    onConnect: async (client) => void (await client.query(sessionSettings(statementLimitMs))),
    ...(waitMs === undefined ? {} : { query_timeout: waitMs }),
  })
  // An idle connection that the server drops is replaced on next use. Without a listener, the error
  // would end the process.
  pool.on('error', () => {})
  // A connection in use needs a listener, too; its user receives the error as well.
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}

/**
 * A separate connection, to be opened by `connectClient`, on which no wait exceeds `withinMs`
 * milliseconds.
 */
export function createClient(url: string, { name, withinMs }: { name: string; withinMs: number }): Client {
  const client = new Client({
    ...connectionTo(url, name),
    connectionTimeoutMillis: withinMs,
    query_timeout: withinMs,
  })
  // The user of the connection receives the error as well. Without a listener, it would end the
  // process.
  client.on('error', () => undefined)
  return client
}

export async function connectClient(client: Client): Promise<void> {
  await client.connect()
  await client.query(sessionSettings())
}

/** The current connections of a pool, and the number of callers that wait for one. */
export interface ConnectionCounts {
  busy: number
  idle: number
  waiting: number
}

type Counts = Pick<Pool, 'totalCount' | 'idleCount' | 'waitingCount'>

/** Reads the pool's own counters, without a query. */
export function connectionsOf({ totalCount, idleCount, waitingCount }: Counts): ConnectionCounts {
  return { busy: totalCount - idleCount, idle: idleCount, waiting: waitingCount }
}

/** A pool for Kysely with its connection counts. */
export interface CountedPool extends PostgresPool {
  readonly connections: ConnectionCounts
}

/** A pool without a statement timeout, for an application's database. */
export function openPoolWithoutTimeout(url: string): CountedPool {
  const pool = openPool(url)
  return withCounts(pool, () => pool.connect())
}

function withCounts(pool: Pool, connect: CountedPool['connect']): CountedPool {
  return {
    options: pool.options,
    async connect() {
      try {
        return await connect()
      } catch (error) {
        throw markUnavailable(error)
      }
    },
    end: () => pool.end(),
    get connections() {
      return connectionsOf(pool)
    },
  }
}

/**
 * A pool whose statements end within `limitMs` milliseconds, whether the server is slow, waits for
 * a lock, or is frozen. In the last case the connection is dropped, because it may never answer.
 */
export function openPoolWithTimeout(url: string, limitMs: number): CountedPool {
  const pool = openPool(url, { statementLimitMs: limitMs })
  return withCounts(pool, async () => {
    const client = await pool.connect()
    let dead: Error | undefined
    const query = async (...statement: [string, unknown[]]) => {
      // The server rolls back a transaction when its connection is lost.
      if (dead) throw dead
      try {
        return await client.query(...statement)
      } catch (error) {
        if (error instanceof Error && error.message.startsWith('Query read timeout')) dead = error
        throw error
      }
    }
    const release = (destroy?: boolean) => client.release(destroy || dead !== undefined)
    return { query, release } as unknown as PostgresPoolClient
  })
}
