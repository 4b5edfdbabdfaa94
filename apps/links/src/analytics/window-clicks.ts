import { inList } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { ClickCounts } from '../db/tables.ts'
import { clicksOfEach } from './bucket-clicks.ts'
import { type Gap, edgesOf, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, filled, lookUp, unitsUpTo } from './periods.ts'
import { countSums, gapRows, talliesOf } from './store.ts'
import { Tally } from './tally.ts'
import type { Window } from './window.ts'

/** Clicks of one slug in a window. */
export interface SlugClicks {
  link_id: number
  slug: string
  clicks: number
}

/** Clicks in a window by slug, and in the one before it, if there is one, by link. */
export interface WindowClicks {
  slugs: SlugClicks[]
  before: Map<number, number> | undefined
}

/**
 * Clicks of these links, exactly as a scan of the raw clicks would count them. Slugs without clicks are left out. Within a
 * `snapshot`.
 */
export async function clicksInWindows(
  db: Db,
  linkIds: readonly number[],
  { current, previous }: { current: Window; previous: Window | undefined },
  filters: ViewerFilters,
): Promise<WindowClicks> {
  const both = [current, ...(previous ? [previous] : [])]
  await lookUp(
    db,
    both.map((window) => ({ gaps: wholeHours(linkIds, window), units: unitsUpTo('quarter') })),
  )
  const { periods, gaps: hours } = await filled(db, wholeHours(linkIds, current), unitsUpTo('quarter'))
  const [tally = new Tally()] = await talliesOf(db, linkIds, [
    { cover: { periods, gaps: [] }, columns: ['slug'] },
  ])
  await addHours(db, tally, linkIds, { hours, window: current })
  const slugs = await slugClicks(db, linkIds, tally, filters)
  const before = previous && (await clicksOfEach(db, linkIds, previous, filters))
  return { slugs, before: before && new Map(linkIds.map((id, n) => [id, before[n] ?? 0])) }
}

/** Clicks by slug of a window whose clicks are in `tally`. */
export async function slugClicks(
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
    .map((row) => ({ ...row, clicks: tally.of('slug').countOf(row.slug, filters) }))
    .filter((row) => row.clicks > 0)
}

/** Adds the clicks by slug of whole hours, less the raw clicks outside the window in the first and the last. */
async function addHours(
  { read, dialect }: Db,
  tally: Tally,
  linkIds: readonly number[],
  { hours, window }: { hours: readonly Gap[]; window: Window },
): Promise<void> {
  const outside = edgesOf(window).flatMap((edge) =>
    linkIds.map((link_id) => ({ ...edge, link_id, sign: -1 as const })),
  )
  const inHours = (table: string) => sql`
    select slug, clicks, bots, self_referrers, bot_self_referrers from ${gapRows(dialect, hours)} as gap
    cross join ${sql.table(table)} as hours
    where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high`
  const { rows } = await sql<ClickCounts & { slug: string }>`select slug, ${countSums()} from (
      ${inHours('click_hour_closed')} union all ${inHours('click_hour_open')} union all
      select slug, sign, sign * is_bot, sign * is_self_referrer, sign * is_bot * is_self_referrer
      from ${gapRows(dialect, outside)} as gap cross join click
      where click.link_id = gap.link_id and clicked_at >= gap.low and clicked_at < gap.high
    ) as part group by slug`.execute(read)
  for (const { slug, ...counts } of rows) tally.of('slug').add(slug, counts)
}
