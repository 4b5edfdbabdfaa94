import { type DialectName } from '@latchkey/database/url'
import { lockKey } from '@latchkey/database/database'
import type { Db, LoginStateRow, Tx } from '../db/tables.ts'
import { planEvictions } from './login-state-eviction.ts'

/**
 * Login starts are serialised, to enforce the limits however many arrive at once. Any number that
 * no other lock uses.
 */
const START_LOCK_KEY = 0x6c6f_6769

/** Maximum numbers of pending login states (R22). */
export interface LoginStateLimits {
  browser: number
  prefix: number
  total: number
}

/**
 * Returns false if the client prefix has reached its limit. At the limit of a browser, its oldest
 * login state is evicted. At the limit of the instance, the oldest ones of the networks with the
 * most are evicted. No network can therefore block others.
 */
export async function insertState(
  dialect: DialectName,
  tx: Tx,
  state: LoginStateRow,
  limits: LoginStateLimits,
): Promise<boolean> {
  await lockKey(dialect, tx, START_LOCK_KEY)
  await deleteOldest(tx, state, limits.browser - 1)
  const { client_prefix, created_at } = state
  if ((await countOutstanding(tx, created_at, client_prefix)) >= limits.prefix) return false
  await tx.insertInto('login_states').values(state).execute()
  const total = await countOutstanding(tx, created_at)
  // Evicts 1 % of the limit in addition: finding the largest networks reads all login states.
  if (total > limits.total)
    await evictOldest(tx, created_at, total - limits.total + Math.floor(limits.total / 100))
  return true
}

async function evictOldest(tx: Tx, nowMs: number, drop: number): Promise<void> {
  const counts = await outstanding(tx, nowMs)
    .select((eb) => ['client_prefix as prefix', eb.fn.countAll<number>().as('count')])
    .groupBy('client_prefix')
    .orderBy((eb) => eb.fn.min('created_at'))
    .orderBy('client_prefix')
    .execute()
  for (const [prefix, count] of planEvictions(counts, drop)) {
    const oldest = outstanding(tx, nowMs)
      .select('state_hash')
      .where('client_prefix', '=', prefix)
      .orderBy('created_at')
      .orderBy('state_hash')
      .limit(count)
    await tx.deleteFrom('login_states').where('state_hash', 'in', oldest).execute()
  }
}

function outstanding(db: Db, nowMs: number) {
  return db.selectFrom('login_states').where('expires_at', '>', nowMs).where('consumed_at', 'is', null)
}

async function deleteOldest(
  tx: Tx,
  { browser_hash, created_at }: LoginStateRow,
  keep: number,
): Promise<void> {
  const own = await outstanding(tx, created_at)
    .select('state_hash')
    .where('browser_hash', '=', browser_hash)
    .orderBy('created_at', 'desc')
    .orderBy('state_hash')
    .execute()
  for (const { state_hash } of own.slice(keep))
    await tx.deleteFrom('login_states').where('state_hash', '=', state_hash).execute()
}

async function countOutstanding(tx: Tx, nowMs: number, prefix?: string): Promise<number> {
  const { count } = await outstanding(tx, nowMs)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .$if(prefix !== undefined, (query) => query.where('client_prefix', '=', prefix ?? ''))
    .executeTakeFirstOrThrow()
  return count
}

/** Whether `consumeState` would accept the login state now. */
export async function isOutstanding(
  db: Db,
  stateHash: string,
  browserHashes: readonly string[],
  nowMs: number,
): Promise<boolean> {
  const row = await outstanding(db, nowMs)
    .select('state_hash')
    .where('state_hash', '=', stateHash)
    .where('browser_hash', 'in', browserHashes)
    .executeTakeFirst()
  return row !== undefined
}

/**
 * Consumes the login state for this browser, once: of any number of equal callbacks, one gets the
 * row (R6.3). Does not change a login state of another browser.
 */
export async function consumeState(
  tx: Tx,
  stateHash: string,
  browserHashes: readonly string[],
  nowMs: number,
): Promise<LoginStateRow | undefined> {
  return tx
    .updateTable('login_states')
    .set({ consumed_at: nowMs })
    .where('state_hash', '=', stateHash)
    .where('browser_hash', 'in', browserHashes)
    .where('consumed_at', 'is', null)
    .where('expires_at', '>', nowMs)
    .returningAll()
    .executeTakeFirst()
}

/** The reason why `consumeState` found no row, for the audit log. */
export async function explainRejectedState(
  tx: Tx,
  stateHash: string,
  browserHashes: readonly string[],
): Promise<string> {
  const row = await tx
    .selectFrom('login_states')
    .select(['browser_hash', 'consumed_at'])
    .where('state_hash', '=', stateHash)
    .executeTakeFirst()
  if (!row) return 'unknown state'
  if (!browserHashes.includes(row.browser_hash)) return 'state of another browser'
  return row.consumed_at === null ? 'expired state' : 'used state'
}
