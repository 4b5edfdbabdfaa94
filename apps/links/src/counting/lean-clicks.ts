import type { Database } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import { hourOf } from '../time/window.ts'
import type { Tables } from '../db/tables.ts'
import { findInstanceValue, saveInstanceValue } from '../preferences/store.ts'
import { markHoursChanged } from '../clicks/changed-hours.ts'

/** Ids per transaction, few enough not to delay the redirects that run beside it. */
const IDS_PER_STEP = 500
/** The id up to which no click holds more than `lean` keeps. A restored archive has none. */
const LEAN_THROUGH = 'lean_through'

/**
 * Erases user agents and full referrers of clicks that were stored before `LINKS_PRIVACY=lean`, in
 * small transactions. What was read once is not read again (L37.6).
 */
export async function eraseDetails(database: Database<Tables>): Promise<void> {
  while (await database.write((tx) => eraseNext(tx, database)))
    // Writing to a file does not yield to the event loop.
    await new Promise((resolve) => setImmediate(resolve))
}

/** Makes the next `eraseDetails` read all clicks: from now on they are stored with details. */
export async function forgetProgress(database: Database<Tables>): Promise<void> {
  if ((await findInstanceValue(database.read, LEAN_THROUGH)) === undefined) return
  await database.write((tx) => saveInstanceValue(tx, LEAN_THROUGH, null))
}

/** Erases the details of the next clicks by id. False if there are none. */
async function eraseNext(tx: Transaction<Tables>, { dialect }: Database<Tables>): Promise<boolean> {
  const through = Number((await findInstanceValue(tx, LEAN_THROUGH)) ?? 0)
  const clicks = await tx
    .selectFrom('click')
    .select(['id', 'link_id', 'clicked_at', 'referrer', 'user_agent'])
    .where('id', '>', through)
    .orderBy('id')
    .limit(IDS_PER_STEP)
    .execute()
  const last = clicks.at(-1)
  if (!last) return false
  const detailed = clicks.filter(({ referrer, user_agent }) => referrer !== null || user_agent !== null)
  const ids = detailed.map(({ id }) => id)
  if (ids.length > 0)
    await tx.updateTable('click').set({ referrer: null, user_agent: null }).where('id', 'in', ids).execute()
  const referred = detailed.filter(({ referrer }) => referrer !== null)
  const hours = referred.map(({ link_id, clicked_at }) => ({ link_id, hour: hourOf(clicked_at) }))
  if (hours.length > 0) await markHoursChanged(tx, dialect, hours)
  await saveInstanceValue(tx, LEAN_THROUGH, String(last.id))
  return true
}
