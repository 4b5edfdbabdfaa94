import { among } from '@latchkey/database/database'
import { sql } from 'kysely'
import type { ClickCounts } from '../db/tables.ts'
import { type Cover, type Gap, edgesOf, wholeHours } from './cover.ts'
import type { ViewerFilters } from './filters.ts'
import { type Db, filled, lookUp, unitsUpTo } from './periods.ts'
import { type Wanted, countSums, gapRows, talliesOf } from './store.ts'
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
  const { current, previous } = windows
  const both = [current, ...(previous ? [previous] : [])]
  await lookUp(
    db,
    both.map((window) => ({ gaps: wholeHours(linkIds, window), units: unitsUpTo('quarter') })),
  )
  const covers = await Promise.all(both.map((window) => slugCover(db, linkIds, window)))
  const tallies = await talliesOf(
    db,
    linkIds,
    covers.map(({ wanted }) => wanted),
  )
  await addSlugs(db, tallies, covers)
  const [now = new Tally(), before] = tallies
  return slugClicks(db, linkIds, { current: now, previous: before, filters })
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
  const clicksOf = (tally: Tally | undefined, slug: string) => tally?.of('slug').countOf(slug, filters) ?? 0
  return slugs
    .map((row) => ({ ...row, current: clicksOf(current, row.slug), previous: clicksOf(previous, row.slug) }))
    .filter((row) => row.current > 0 || row.previous > 0)
}

/** How clicks by slug are counted: from complete periods, else whole hours, less the raw clicks outside in the first and last. */
export interface SlugCover {
  wanted: Wanted
  hours: Gap[]
  outside: Gap[]
}

export async function slugCover(db: Db, linkIds: readonly number[], window: Window): Promise<SlugCover> {
  const { periods, gaps } = await filled(db, wholeHours(linkIds, window), unitsUpTo('quarter'))
  const cover: Cover = { periods, gaps: [] }
  const outside = edgesOf(window).flatMap((edge) =>
    linkIds.map((link_id) => ({ ...edge, link_id, sign: -1 as const })),
  )
  return { wanted: { cover, columns: ['slug'] }, hours: gaps, outside }
}

/** Adds to tallies what the complete periods of these covers leave out. */
export async function addSlugs(
  { read, dialect }: Db,
  tallies: readonly Tally[],
  covers: readonly SlugCover[],
): Promise<void> {
  if (covers.length === 0) return
  const parts = covers.map(({ hours, outside }, n) => {
    const inHours = (table: string) => sql`
      select slug, clicks, bots, self_referrers, bot_self_referrers from ${gapRows(dialect, hours)} as gap
      cross join ${sql.table(table)} as hours
      where hours.link_id = gap.link_id and hour >= gap.low and hour < gap.high`
    return sql`select ${sql.lit(n)} as n, slug, ${countSums()} from (
        ${inHours('click_hour_closed')} union all ${inHours('click_hour_open')} union all
        select slug, sign, sign * is_bot, sign * is_self_referrer, sign * is_bot * is_self_referrer
        from ${gapRows(dialect, outside)} as gap cross join click
        where click.link_id = gap.link_id and clicked_at >= gap.low and clicked_at < gap.high
      ) as part group by slug`
  })
  const { rows } = await sql<
    ClickCounts & { n: number; slug: string }
  >`${sql.join(parts, sql` union all `)}`.execute(read)
  for (const { n, slug, ...counts } of rows) tallies[n]?.of('slug').add(slug, counts)
}
