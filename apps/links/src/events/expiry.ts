import { type Database, lockKey } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import { type Kysely, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { readLinkStates } from '../changes/states.ts'
import { findInstanceValue, saveInstanceValue } from '../preferences/store.ts'
import { linkEvent } from './link-event.ts'
import { EVENT_LOCK, insertEvents } from './store.ts'

const EVERY_MS = 30_000
/** Links per transaction, few enough not to delay other writers. */
const LINKS_PER_STEP = 200
const POSITION = 'expiry_position'

/** The link that expired last, in the order of time and id, of those that have an event. */
export interface ExpiryPosition {
  expiresAt: number
  id: number
}

/** Call it under the lock of events: links expire under it. */
export async function findExpiryPosition(db: Kysely<Tables>): Promise<ExpiryPosition> {
  const [expiresAt = 0, id = 0] = ((await findInstanceValue(db, POSITION)) ?? '').split('.').map(Number)
  return { expiresAt, id }
}

/** Adds `link.expired` for each link that has expired since the last time, on one of the nodes. */
export async function expireLinks(database: Database<Tables>, now: number): Promise<void> {
  while ((await findExpiring(database.read, now)).length > 0) await expireSome(database, now)
}

async function findExpiring(db: Kysely<Tables>, now: number): Promise<ExpiryPosition[]> {
  const position = await findExpiryPosition(db)
  // The expression of the index.
  const expiresAt = sql<number>`coalesce(expires_at, 253402300800)`
  return db
    .selectFrom('link')
    .select(['id', expiresAt.as('expiresAt')])
    .where(sql<SqlBool>`(${expiresAt}, id) > (${position.expiresAt}, ${position.id})`)
    .where(expiresAt, '<=', now)
    .orderBy(expiresAt)
    .orderBy('id')
    .limit(LINKS_PER_STEP)
    .execute()
}

async function expireSome(database: Database<Tables>, now: number): Promise<void> {
  const { dialect } = database
  await database.write(async (tx) => {
    await lockKey(dialect, tx, EVENT_LOCK)
    const links = await findExpiring(tx, now)
    const last = links.at(-1)
    if (!last) return
    await saveInstanceValue(tx, POSITION, `${last.expiresAt}.${last.id}`)
    const ids = links.map(({ id }) => id)
    const states = await readLinkStates(tx, dialect, ids)
    const events = ids.map((id) => linkEvent('link.expired', { id, state: states.get(id), at: now }))
    await insertEvents(tx, dialect, events)
  })
}

/**
 * Looks for expired links now and every 30 seconds. Returns a function that stops it, after the look
 * that runs.
 */
export function startExpiry(database: Database<Tables>, log: Log, now: () => number): () => Promise<void> {
  const run = () =>
    expireLinks(database, Math.floor(now() / 1000)).catch((error: unknown) =>
      log.error('events: cannot look for expired links', { error }),
    )
  let running = run()
  const timer = setInterval(() => void (running = run()), EVERY_MS)
  return () => {
    clearInterval(timer)
    return running
  }
}
