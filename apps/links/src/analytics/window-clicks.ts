import { among } from '@latchkey/database/database'
import { sql } from 'kysely'
import { countedOf } from '../clicks/store.ts'
import type { ClickCounts } from '../db/tables.ts'
import { edgesOf, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, countSums, filled, gapRows, packedSums, unitsUpTo } from './store.ts'
import { Tally } from './tally.ts'
import type { Window } from './window.ts'

/** Clicks of one slug in a window and in the one before it. */
export interface SlugClicks {
  link_id: number
  slug: string
  current: number
  previous: number
}

/**
 * Clicks per slug of these links, exactly as a scan of the raw clicks would count them. Slugs without clicks in either
 * window are left out. Within a `snapshot`.
 */
export async function clicksInWindows(
  db: Db,
  linkIds: readonly number[],
  windows: { current: Window; previous: Window | undefined },
  filters: ViewerFilters,
): Promise<SlugClicks[]> {
  const current = await slugTally(db, linkIds, windows.current)
  const previous = windows.previous && (await slugTally(db, linkIds, windows.previous))
  return slugClicks(db, linkIds, { current, previous, filters })
}

/** The same of windows whose clicks by slug are there already. */
export async function slugClicks(
  { read, dialect }: Db,
  linkIds: readonly number[],
  { current, previous, filters }: { current: Tally; previous: Tally | undefined; filters: ViewerFilters },
): Promise<SlugClicks[]> {
  const slugs = await read
    .selectFrom('slug')
    .select(['link_id', 'slug'])
    .where(among(dialect, 'link_id', linkIds))
    .execute()
  const clicksOf = (tally: Tally | undefined, slug: string) => {
    const counts = tally?.get('slug').get(slug)
    return counts ? countedOf(counts, filters) : 0
  }
  return slugs
    .map((row) => ({ ...row, current: clicksOf(current, row.slug), previous: clicksOf(previous, row.slug) }))
    .filter((row) => row.current > 0 || row.previous > 0)
}

/** Clicks by slug: from complete periods, else whole hours, less the raw clicks that lie outside in the first and last. */
export async function slugTally(db: Db, linkIds: readonly number[], window: Window): Promise<Tally> {
  const { periods, gaps } = await filled(db, wholeHours(linkIds, window), unitsUpTo('quarter'))
  const tally = new Tally()
  for (const sums of await packedSums(db, periods, ['slug'])) tally.addPacked('slug', sums)
  const inHours = (table: string) => sql`
    select slug, clicks, bots, self_referrers, bot_self_referrers from ${gapRows(db.dialect, gaps)} as gap
    cross join ${sql.table(table)} as hours
    where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high`
  const outside = gapRows(
    db.dialect,
    edgesOf(window).flatMap((edge) => linkIds.map((link_id) => ({ ...edge, link_id, sign: -1 as const }))),
  )
  const { rows } = await sql<ClickCounts & { slug: string }>`select slug, ${countSums()} from (
      ${inHours('click_hour_closed')} union all ${inHours('click_hour_open')} union all
      select slug, sign, sign * is_bot, sign * is_self_referrer, sign * is_bot * is_self_referrer
      from ${outside} as gap cross join click
      where click.link_id = gap.link_id and clicked_at >= gap.low and clicked_at < gap.high
    ) as part group by slug`.execute(db.read)
  for (const { slug, ...counts } of rows) tally.add('slug', slug, counts)
  return tally
}
