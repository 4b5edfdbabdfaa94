import type { Db } from '../db/tables.ts'
import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { ClickCounts } from '../db/click-tables.ts'
import { countClicksPerLink } from './bucket-clicks.ts'
import { type Interval, edgesOf, enclosingHours } from './cover.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { coverGaps, prefetch, unitsUpTo } from './period-store.ts'
import { countSums, intervalRows, readTallies } from './tally-store.ts'
import { Tally } from './tally.ts'
import type { Window } from '../time/window.ts'

/** Clicks of one slug in a window. */
export interface SlugClicks {
  link_id: number
  slug: string
  clicks: number
}

/** Clicks in a window by slug, and those of the previous window, if any, by link. */
export interface WindowClicks {
  slugs: SlugClicks[]
  previous: Map<number, number> | undefined
}

/**
 * Clicks of these links, exactly as a scan of the raw clicks would count them. Slugs without clicks
 * are left out. Run it in a `snapshot`.
 */
export async function readWindowClicks(
  db: Db,
  linkIds: readonly number[],
  { current, previous }: { current: Window; previous: Window | undefined },
  filters: ViewerFilters,
): Promise<WindowClicks> {
  const windows = [current, ...(previous ? [previous] : [])]
  await prefetch(
    db,
    windows.map((window) => ({ intervals: enclosingHours(linkIds, window), units: unitsUpTo('quarter') })),
  )
  const { periods, gaps: hours } = await coverGaps(db, enclosingHours(linkIds, current), unitsUpTo('quarter'))
  const [tally = new Tally()] = await readTallies(db, linkIds, [
    { cover: { periods, gaps: [] }, columns: ['slug'] },
  ])
  await addHours(db, tally, linkIds, { hours, window: current })
  const slugs = await readSlugClicks(db, linkIds, tally, filters)
  const previousClicks = previous && (await countClicksPerLink(db, linkIds, previous, filters))
  return { slugs, previous: previousClicks && new Map(linkIds.map((id, n) => [id, previousClicks[n] ?? 0])) }
}

/** Clicks by slug, from a `tally` of the window. */
export async function readSlugClicks(
  { read, dialect }: Db,
  linkIds: readonly number[],
  tally: Tally,
  filters: ViewerFilters,
): Promise<SlugClicks[]> {
  const slugs = await read
    .selectFrom('slug')
    .select(['link_id', 'slug'])
    .where(inList(dialect, 'link_id', linkIds))
    .execute()
  return slugs
    .map((row) => ({ ...row, clicks: tally.valuesOf('slug').filteredCountByName(row.slug, filters) }))
    .filter((row) => row.clicks > 0)
}

/**
 * Adds the clicks by slug of whole hours, minus the raw clicks of the first and last hour that lie
 * outside the window.
 */
async function addHours(
  { read, dialect }: Db,
  tally: Tally,
  linkIds: readonly number[],
  { hours, window }: { hours: readonly Interval[]; window: Window },
): Promise<void> {
  const edges = edgesOf(window).flatMap((edge) =>
    linkIds.map((link_id) => ({ ...edge, link_id, sign: -1 as const })),
  )
  const inHours = (table: string) => sql`
    select slug, clicks, bots, self_referrers, bot_self_referrers from ${intervalRows(dialect, hours)} as gap
    cross join ${sql.table(table)} as hours
    where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high`
  const { rows } = await sql<ClickCounts & { slug: string }>`select slug, ${countSums()} from (
      ${inHours('click_hour_closed')} union all ${inHours('click_hour_open')} union all
      select slug, sign, sign * is_bot, sign * is_self_referrer, sign * is_bot * is_self_referrer
      from ${intervalRows(dialect, edges)} as gap cross join click
      where click.link_id = gap.link_id and clicked_at >= gap.low and clicked_at < gap.high
    ) as part group by slug`.execute(read)
  for (const { slug, ...counts } of rows) tally.valuesOf('slug').add(slug, counts)
}
