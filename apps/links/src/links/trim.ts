import type { Database } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import type { Transaction } from 'kysely'
import { HOUR } from '../analytics/window.ts'
import { changeHours } from '../clicks/changed-hours.ts'
import type { ClickCounts, Tables } from '../db/tables.ts'
import { deletionStopped } from '../failures.ts'

type Db = Database<Tables>
type Tx = Transaction<Tables>

/** Clicks that go in one transaction: few enough that those who are redirected beside it do not notice. */
const CLICKS_AT_ONCE = 2_000
const HOURS_AT_ONCE = 200

/** What loses its clicks: a link, or one of its slugs. */
export interface Trimmed {
  link_id: number
  slug?: string
}

/**
 * Deletes clicks, the oldest hours first, until so few are left that they can go with whatever they are of, which `remove`
 * then does. In small transactions, between which others have their turn: ten million clicks take a minute. `choose` says
 * in each of them what is trimmed, and throws if it may not be.
 */
export async function trimClicks(
  database: Db,
  choose: (tx: Tx) => Promise<Trimmed>,
  remove: () => Promise<void>,
  atOnce = CLICKS_AT_ONCE,
): Promise<void> {
  const step = () => database.write(async (tx) => trimSome(tx, database, await choose(tx), atOnce))
  let begun = false
  try {
    while (await step()) {
      begun = true
      await new Promise((resolve) => setImmediate(resolve))
    }
    await remove()
  } catch (error) {
    throw begun && isStorageUnavailable(error) ? deletionStopped() : error
  }
}

/** After each step all that counts the clicks agrees. False when the rest is few, and still there. */
async function trimSome(tx: Tx, { dialect }: Db, of: Trimmed, atOnce: number): Promise<boolean> {
  const all = await oldestHours(tx, of)
  let clicks = 0
  const first = all.findIndex((hour) => (clicks += hour.clicks) > atOnce)
  if (first === -1 && all.length < HOURS_AT_ONCE) return false
  // An hour goes as a whole, however many clicks it has.
  const hours = first === -1 ? all : all.slice(0, Math.max(1, first))
  const { link_id } = of
  const [low, high] = [hours[0]?.hour ?? 0, (hours.at(-1)?.hour ?? 0) + HOUR]
  await changeHours(
    tx,
    dialect,
    hours.map(({ hour }) => ({ link_id, hour })),
  )
  await deleteHours(tx, of, { low, high })
  const { slug } = of
  await tx
    .deleteFrom('click')
    .where('link_id', '=', link_id)
    .where('clicked_at', '>=', low)
    .where('clicked_at', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  // After the raw clicks, which somebody may have turned into these meanwhile.
  await tx
    .deleteFrom('click_forgotten')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  return true
}

/** At most `HOURS_AT_ONCE`, with all clicks that each has. */
async function oldestHours(tx: Tx, { link_id, slug }: Trimmed): Promise<{ hour: number; clicks: number }[]> {
  const clicksOf = new Map<number, number>()
  for (const table of ['click_hour_open', 'click_hour_closed'] as const) {
    const rows = await tx
      .selectFrom(table)
      .select(['hour', (eb) => eb.fn.sum<number>('clicks').as('clicks')])
      .where('link_id', '=', link_id)
      .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
      .groupBy('hour')
      .orderBy('hour')
      .limit(HOURS_AT_ONCE)
      .execute()
    for (const { hour, clicks } of rows) clicksOf.set(hour, (clicksOf.get(hour) ?? 0) + clicks)
  }
  return [...clicksOf]
    .map(([hour, clicks]) => ({ hour, clicks }))
    .toSorted((a, b) => a.hour - b.hour)
    .slice(0, HOURS_AT_ONCE)
}

/** Open hours first: who closes them meanwhile moves them to the others. */
async function deleteHours(
  tx: Tx,
  { link_id, slug }: Trimmed,
  { low, high }: { low: number; high: number },
): Promise<void> {
  await tx
    .deleteFrom('click_hour_open')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  const closed = await tx
    .deleteFrom('click_hour_closed')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .returning(['slug', 'clicks', 'bots', 'self_referrers', 'bot_self_referrers'])
    .execute()
  for (const [name, rows] of Map.groupBy(closed, (row) => row.slug)) {
    const sum = (count: keyof ClickCounts) => rows.reduce((total, row) => total + row[count], 0)
    await tx
      .updateTable('slug')
      .set((eb) => ({
        closed_clicks: eb('closed_clicks', '-', sum('clicks')),
        closed_bots: eb('closed_bots', '-', sum('bots')),
        closed_self_referrers: eb('closed_self_referrers', '-', sum('self_referrers')),
        closed_bot_self_referrers: eb('closed_bot_self_referrers', '-', sum('bot_self_referrers')),
      }))
      .where('slug', '=', name)
      .where('link_id', '=', link_id)
      .execute()
  }
}
