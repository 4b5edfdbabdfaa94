import { inList } from '@latchkey/database/database'
import { isStorageUnavailable } from '@latchkey/database/errors'
import { lockRows } from '@latchkey/database/locks'
import { HOUR } from '../time/window.ts'
import { markHoursChanged } from '../clicks/changed-hours.ts'
import type { ClickCounts, ClickHourTable } from '../db/click-tables.ts'
import type { Db, Tx } from '../db/tables.ts'
import { deletionStopped } from '../api/failures.ts'

/** Clicks per transaction: few enough not to delay concurrent redirects. */
const CLICKS_PER_STEP = 2_000
const HOURS_PER_STEP = 200

/** The link, or one of its slugs, whose clicks are deleted. */
export interface DeletionScope {
  link_id: number
  slug?: string
}

/**
 * Deletes clicks, the oldest hours first, until few enough remain for `remove` to delete them with
 * their link or slug. Small transactions leave room for other writers: ten million clicks take a
 * minute. `findScope` returns the scope of each transaction, and throws if the deletion is not
 * allowed.
 */
export async function deleteClicks(
  database: Db,
  findScope: (tx: Tx) => Promise<DeletionScope>,
  remove: () => Promise<void>,
  maxClicks = CLICKS_PER_STEP,
): Promise<void> {
  const step = () => database.write(async (tx) => deleteStep(tx, database, await findScope(tx), maxClicks))
  let hasStarted = false
  try {
    while (await step()) {
      hasStarted = true
      await new Promise((resolve) => setImmediate(resolve))
    }
    await remove()
  } catch (error) {
    throw hasStarted && isStorageUnavailable(error) ? deletionStopped() : error
  }
}

/**
 * Deletes one batch, after which all counts of clicks agree. If few clicks are left, it keeps them
 * and returns false.
 */
async function deleteStep(tx: Tx, database: Db, scope: DeletionScope, maxClicks: number): Promise<boolean> {
  const all = await listOldestHours(tx, scope)
  let clicks = 0
  const first = all.findIndex((hour) => (clicks += hour.clicks) > maxClicks)
  if (first === -1 && all.length < HOURS_PER_STEP) return false
  const hours = first === -1 ? all : all.slice(0, Math.max(1, first))
  const { link_id } = scope
  const interval = { low: hours[0]?.hour ?? 0, high: (hours.at(-1)?.hour ?? 0) + HOUR }
  const { low, high } = interval
  await markHoursChanged(
    tx,
    database.dialect,
    hours.map(({ hour }) => ({ link_id, hour })),
  )
  const hourCounts = await deleteHours(tx, scope, interval)
  if (first === 0) {
    const deletions = await deleteRawClicks(tx, database, scope, { ...interval, maxClicks })
    if (deletions.length > 0) {
      await reopenHour(tx, { link_id, hour: low }, [...hourCounts, ...deletions])
      return true
    }
    // All clicks of the hour are in rollups already, which have few rows.
  }
  const { slug } = scope
  await tx
    .deleteFrom('click')
    .where('link_id', '=', link_id)
    .where('clicked_at', '>=', low)
    .where('clicked_at', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  // Forgotten clicks come after the raw clicks, some of which another transaction may have moved
  // here.
  await tx
    .deleteFrom('click_forgotten')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .execute()
  return true
}

/** Lists at most `HOURS_PER_STEP` hours, each with its number of clicks. */
async function listOldestHours(
  tx: Tx,
  { link_id, slug }: DeletionScope,
): Promise<{ hour: number; clicks: number }[]> {
  const clicksOf = new Map<number, number>()
  for (const table of ['click_hour_open', 'click_hour_closed'] as const) {
    const rows = await tx
      .selectFrom(table)
      .select(['hour', (eb) => eb.fn.sum<number>('clicks').as('clicks')])
      .where('link_id', '=', link_id)
      .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
      .groupBy('hour')
      .orderBy('hour')
      .limit(HOURS_PER_STEP)
      .execute()
    for (const { hour, clicks } of rows) clicksOf.set(hour, (clicksOf.get(hour) ?? 0) + clicks)
  }
  return [...clicksOf]
    .map(([hour, clicks]) => ({ hour, clicks }))
    .toSorted((a, b) => a.hour - b.hour)
    .slice(0, HOURS_PER_STEP)
}

interface TimeInterval {
  low: number
  high: number
}

type SlugCounts = Omit<ClickHourTable, 'link_id' | 'hour'>
const countColumns = ['slug', 'clicks', 'bots', 'self_referrers', 'bot_self_referrers'] as const

/**
 * Deletes whole hours and returns their counts. Open hours come first, because closing an hour
 * moves its counts to the closed ones.
 */
async function deleteHours(
  tx: Tx,
  { link_id, slug }: DeletionScope,
  { low, high }: TimeInterval,
): Promise<SlugCounts[]> {
  const open = await tx
    .deleteFrom('click_hour_open')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .returning(countColumns)
    .execute()
  const closed = await tx
    .deleteFrom('click_hour_closed')
    .where('link_id', '=', link_id)
    .where('hour', '>=', low)
    .where('hour', '<', high)
    .$if(slug !== undefined, (query) => query.where('slug', '=', slug ?? ''))
    .returning(countColumns)
    .execute()
  for (const [name, rows] of Map.groupBy(closed, (row) => row.slug)) {
    const sum = (count: keyof ClickCounts) => sumOf(rows, count)
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
  return [...open, ...closed]
}

function sumOf(rows: readonly ClickCounts[], count: keyof ClickCounts): number {
  return rows.reduce((total, row) => total + row[count], 0)
}

/** Deletes up to `maxClicks` raw clicks. Returns each as negative counts. */
async function deleteRawClicks(
  tx: Tx,
  { dialect }: Db,
  { link_id, slug }: DeletionScope,
  { low, high, maxClicks }: TimeInterval & { maxClicks: number },
): Promise<SlugCounts[]> {
  const query = tx
    .selectFrom('click')
    .select(['id', 'slug', 'is_bot', 'is_self_referrer'])
    .where('link_id', '=', link_id)
    .where('clicked_at', '>=', low)
    .where('clicked_at', '<', high)
    .$if(slug !== undefined, (clicks) => clicks.where('slug', '=', slug ?? ''))
    .limit(maxClicks)
  // Clicks that another transaction is rolling up do not exist after the wait, and their counts stay.
  const clicks = await lockRows(dialect, query, 'clicked_at').execute()
  const ids = clicks.map(({ id }) => id)
  await tx
    .deleteFrom('click')
    .where(inList(dialect, 'id', ids))
    .execute()
  return clicks.map((click) => ({
    slug: click.slug,
    clicks: -1,
    bots: -click.is_bot,
    self_referrers: -click.is_self_referrer,
    bot_self_referrers: -click.is_bot * click.is_self_referrer,
  }))
}

/**
 * Adds the remaining changes of an hour to its open counts. The hour is closed again like any
 * other.
 */
async function reopenHour(
  tx: Tx,
  hour: Pick<ClickHourTable, 'link_id' | 'hour'>,
  changes: readonly SlugCounts[],
): Promise<void> {
  const rows = [...Map.groupBy(changes, (row) => row.slug)].map(([slug, own]) => ({
    ...hour,
    slug,
    clicks: sumOf(own, 'clicks'),
    bots: sumOf(own, 'bots'),
    self_referrers: sumOf(own, 'self_referrers'),
    bot_self_referrers: sumOf(own, 'bot_self_referrers'),
  }))
  const nonZero = rows.filter((row) => row.clicks !== 0)
  if (nonZero.length === 0) return
  await tx
    .insertInto('click_hour_open')
    .values(nonZero)
    // Another writer may have counted a click here.
    .onConflict((conflict) =>
      conflict.columns(['link_id', 'hour', 'slug']).doUpdateSet((eb) => ({
        clicks: eb('click_hour_open.clicks', '+', eb.ref('excluded.clicks')),
        bots: eb('click_hour_open.bots', '+', eb.ref('excluded.bots')),
        self_referrers: eb('click_hour_open.self_referrers', '+', eb.ref('excluded.self_referrers')),
        bot_self_referrers: eb(
          'click_hour_open.bot_self_referrers',
          '+',
          eb.ref('excluded.bot_self_referrers'),
        ),
      })),
    )
    .execute()
}
