/**
 * Settings of each PostgreSQL connection. They are sent as statements, not as connection
 * parameters, because poolers such as PgBouncer refuse parameters that they do not know.
 */

/**
 * The server ends a session that is idle inside a transaction, and releases its locks. The client
 * may have vanished silently, which the server would otherwise notice only after hours. The timeout
 * is shorter than the eight seconds that a request waits for a statement. A request that needs
 * those locks is late but does not fail.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
/**
 * Longer than any of our transactions holds a lock that others need. A lock of another application
 * is not awaited forever.
 */
export const LOCK_WAIT_MS = 30_000
/**
 * The server gives up a client that answers no probe for 30 seconds, whether the session is idle or
 * sending. Unix sockets ignore these settings, and so does a server whose system lacks them.
 */
const KEEP_ALIVE = { idleSeconds: 10, intervalSeconds: 5, count: 4 }
const UNACKNOWLEDGED_MS = 30_000
/**
 * Our queries end before a compiler or parallel workers have started. The planner estimates
 * otherwise.
 */
const FOR_SHORT_QUERIES = 'set jit = off; set max_parallel_workers_per_gather = 0'

const SESSION = [
  FOR_SHORT_QUERIES,
  `set idle_in_transaction_session_timeout = ${IDLE_IN_TRANSACTION_MS}`,
  `set lock_timeout = ${LOCK_WAIT_MS}`,
  `set tcp_keepalives_idle = ${KEEP_ALIVE.idleSeconds}`,
  `set tcp_keepalives_interval = ${KEEP_ALIVE.intervalSeconds}`,
  `set tcp_keepalives_count = ${KEEP_ALIVE.count}`,
  `set tcp_user_timeout = ${UNACKNOWLEDGED_MS}`,
].join('; ')

/**
 * Statements for a new connection. With `statementLimitMs`, the server cancels each statement that
 * takes longer.
 */
export function sessionSettings(statementLimitMs?: number): string {
  return statementLimitMs === undefined ? SESSION : `${SESSION}; set statement_timeout = ${statementLimitMs}`
}

/**
 * For the only transactions that wait for more than the database: restoring or writing an archive,
 * at the pace of the file, pipe or person on the other side. Must be the first statement of the
 * transaction.
 */
export const ALLOW_IDLE_TRANSACTION = `set local idle_in_transaction_session_timeout = '1h'`
