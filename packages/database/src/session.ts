/**
 * What the server is told of each of our connections. It is sent as statements, not as parameters of the connection: poolers
 * such as PgBouncer refuse those that they do not know.
 */

/**
 * A session that stands still inside a transaction is ended, and its locks with it. The client may have vanished without a
 * word, which the server would else find out after hours. Shorter than the eight seconds that a request waits for a statement,
 * so a request that needs those locks is late and does not fail.
 */
const IDLE_IN_TRANSACTION_MS = 5_000
/** Longer than any transaction of ours holds a lock that others want; a lock of somebody else's is not waited for forever. */
export const LOCK_WAIT_MS = 30_000
/**
 * A client that answers no probe is given up after 30 seconds, whether the session is idle or sending. Unix sockets ignore
 * these, and so does a server whose system lacks them.
 */
const KEEP_ALIVE = { idleSeconds: 10, intervalSeconds: 5, count: 4 }
const UNACKNOWLEDGED_MS = 30_000
/** Ours are over before a compiler or helping processes have started; the planner believes otherwise. */
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

/** Statements for a new connection; with a limit, the server gives up each statement that takes longer. */
export function sessionSettings(statementLimitMs?: number): string {
  return statementLimitMs === undefined ? SESSION : `${SESSION}; set statement_timeout = ${statementLimitMs}`
}

/**
 * For the one kind of transaction that waits for more than the database: an import or export of everything, at the pace of
 * the file, pipe or person on the other side. It goes first in the transaction.
 */
export const ALLOW_IDLE_TRANSACTION = `set local idle_in_transaction_session_timeout = '1h'`
