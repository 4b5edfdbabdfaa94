import { type CustomTypesConfig, Pool, types as defaults } from 'pg'

const INT8 = 20
const NUMERIC = 1700

/** All our integers fit a double exactly (seconds, counts, ids below 2^53), so they arrive as numbers, as from SQLite. */
const types: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    [INT8, NUMERIC].includes(oid) ? Number : defaults.getTypeParser(oid, format),
}

/** How long a caller waits for a connection, in milliseconds, before the request ends in 503 instead of hanging. */
const CONNECT_TIMEOUT_MS = 3_000
const POOL_SIZE = 10

/**
 * A pool of connections. `queryTimeoutMs` bounds each query, for callers who would rather fail than wait; without it a
 * query may take as long as it needs.
 */
export function openPool(url: string, options: { queryTimeoutMs?: number } = {}): Pool {
  const pool = new Pool({
    connectionString: url,
    types,
    max: POOL_SIZE,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    application_name: 'latchkey',
    ...(options.queryTimeoutMs === undefined ? {} : { query_timeout: options.queryTimeoutMs }),
  })
  // An idle connection that the server drops is replaced at the next use; without a listener it would end the process.
  pool.on('error', () => {})
  // The same for one that is in use: whoever uses it gets the error as well.
  pool.on('connect', (client) => void client.on('error', () => {}))
  return pool
}
