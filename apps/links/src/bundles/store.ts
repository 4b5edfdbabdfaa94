import { inList } from '@latchkey/database/database'
import { lockRows } from '@latchkey/database/locks'
import {
  type Insertable,
  type Kysely,
  type RawBuilder,
  type Selectable,
  type SqlBool,
  type Updateable,
  sql,
} from 'kysely'
import { type Range, ranges } from '../time/ranges.ts'
import { sparkline } from '../time/sparkline.ts'
import { HOUR, type Window, currentWindow, delta, previousWindow, hourOf } from '../time/window.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import { bucketSql } from '../time/bucket-sql.ts'
import { filteredSum, isInFilter } from '../clicks/store.ts'
import { parseSlugKey } from '../urls/slug.ts'
import type { Db, Tables, Tx } from '../db/tables.ts'
import { trackBundle, trackCreatedBundle, trackMemberships } from '../changes/change-tracker.ts'
import type { Membership } from '../changes/states.ts'
import { foldForSearch } from '../links/search.ts'
import { PREVIOUS_BUCKET, type SummaryRow, statsByBundle, emptyStats } from './summary-stats.ts'
import type { Position } from '../api/paging.ts'
import type { Accent } from './accent.ts'
import type { Bundle, BundleWithSummary, BundleFilter } from './schema.ts'

export type BundleRow = Selectable<Tables['bundle']>
export async function insertBundle(
  tx: Tx,
  row: Omit<Insertable<Tables['bundle']>, 'search_text'>,
): Promise<BundleRow> {
  const values = { ...row, search_text: foldForSearch(row.name) }
  const bundle = await tx.insertInto('bundle').values(values).returningAll().executeTakeFirstOrThrow()
  trackCreatedBundle(tx, bundle.id)
  return bundle
}

export async function updateBundleRow(
  tx: Tx,
  id: number,
  changes: Omit<Updateable<Tables['bundle']>, 'search_text'>,
): Promise<BundleRow> {
  await trackBundle(tx, id)
  const { name } = changes
  const values = { ...changes, ...(name !== undefined && { search_text: foldForSearch(name) }) }
  return tx.updateTable('bundle').set(values).where('id', '=', id).returningAll().executeTakeFirstOrThrow()
}

/** Deletes the bundle and its memberships. The links stay. */
export async function deleteBundleRow(tx: Tx, id: number): Promise<void> {
  await trackBundle(tx, id, { willBeDeleted: true })
  await tx.deleteFrom('bundle').where('id', '=', id).execute()
}

export async function findBundleRow(db: Kysely<Tables>, id: number): Promise<BundleRow | undefined> {
  return db.selectFrom('bundle').selectAll().where('id', '=', id).executeTakeFirst()
}

/**
 * The bundle's row, locked until the transaction ends. SQLite needs no lock, because it has a
 * single writer.
 */
export async function lockBundleRow(tx: Tx, { dialect }: Db, id: number): Promise<BundleRow | undefined> {
  return lockRows(dialect, tx.selectFrom('bundle').selectAll().where('id', '=', id), 'id').executeTakeFirst()
}

export function toBundle({ search_text: _, ...row }: BundleRow): Bundle {
  return { ...row, accent: row.accent as Accent }
}

export function selectBundles(db: Kysely<Tables>, filter: BundleFilter) {
  return db
    .selectFrom('bundle')
    .$if(filter === 'active', (query) => query.where('archived_at', 'is', null))
    .$if(filter === 'archived', (query) => query.where('archived_at', 'is not', null))
}

/** The active bundles of a link, by name. */
export async function listBundlesOfLink(db: Db, linkId: number): Promise<BundleRow[]> {
  return selectBundles(db.read, 'active')
    .innerJoin('bundle_link', 'bundle_link.bundle_id', 'bundle.id')
    .selectAll('bundle')
    .where('bundle_link.link_id', '=', linkId)
    .orderBy('bundle.name')
    .orderBy('bundle.id')
    .execute()
}

/** Adds links to bundles. Existing members stay. The rows must be locked. */
export async function addMembers(tx: Tx, members: readonly Membership[]): Promise<void> {
  if (members.length === 0) return
  await trackMemberships(tx, members)
  await tx
    .insertInto('bundle_link')
    .values(members)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** False if the link was not a member. */
export async function removeMember(tx: Tx, bundleId: number, linkId: number): Promise<boolean> {
  await trackMemberships(tx, [{ bundle_id: bundleId, link_id: linkId }])
  const { numDeletedRows } = await tx
    .deleteFrom('bundle_link')
    .where('bundle_id', '=', bundleId)
    .where('link_id', '=', linkId)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

export async function countMembers(db: Db, bundleIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db.read
    .selectFrom('bundle_link')
    .select(['bundle_id', (eb) => eb.fn.countAll<number>().as('count')])
    .where(inList(db.dialect, 'bundle_id', bundleIds))
    .groupBy('bundle_id')
    .execute()
  return new Map(rows.map((row) => [row.bundle_id, row.count]))
}

/** The fields of a link that bundle statistics show. */
export type Member = Pick<Selectable<Tables['link']>, 'label' | 'primary_slug' | 'url'> & { link_id: number }

/** All links of a bundle. */
export async function findMembers({ read }: Db, bundleId: number): Promise<Member[]> {
  return read
    .selectFrom('bundle_link')
    .innerJoin('link', 'link.id', 'bundle_link.link_id')
    .select(['link.id as link_id', 'link.label', 'link.primary_slug', 'link.url'])
    .where('bundle_link.bundle_id', '=', bundleId)
    .execute()
}

/** The ids of one page of a bundle's links, newest first, with the position of its end. */
export async function listMemberPositions(
  db: Db,
  { bundleId, limit }: { bundleId: number; limit: number },
  after: Position | undefined,
): Promise<Position[]> {
  return db.read
    .selectFrom('bundle_link')
    .innerJoin('link', 'link.id', 'bundle_link.link_id')
    .select(['link.id', 'link.created_at'])
    .where('bundle_link.bundle_id', '=', bundleId)
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(link.created_at, link.id) < (${after?.created_at}, ${after?.id})`),
    )
    .orderBy('link.created_at', 'desc')
    .orderBy('link.id', 'desc')
    .limit(limit)
    .execute()
}

/**
 * The bundles with their statistics in the window of `range`, in the same order. Takes two
 * statements for any number of bundles.
 */
export async function summarise(
  db: Db,
  bundles: readonly BundleRow[],
  view: SummaryView,
): Promise<BundleWithSummary[]> {
  const { range, now } = view
  const ids = bundles.map((bundle) => bundle.id)
  const memberCounts = await countMembers(db, ids)
  const statsOf = statsByBundle(await readSummaryRows(db, ids, view))
  return bundles.map((bundle) => {
    const { buckets, links } = statsOf.get(bundle.id) ?? emptyStats()
    const counts = sparkline(range, now, buckets)
    const total = counts.reduce((sum, count) => sum + count, 0)
    const top = links
      .filter((link) => link.clicks > 0)
      .toSorted((a, b) => b.clicks - a.clicks || a.link_id - b.link_id)
      .slice(0, TOP_LINKS)
    return {
      ...toBundle(bundle),
      link_count: memberCounts.get(bundle.id) ?? 0,
      total_clicks: total,
      ...delta('delta_pct', total, buckets.get(PREVIOUS_BUCKET)),
      sparkline: counts,
      top_links: top.map(({ slug, clicks }) => ({ ...parseSlugKey(slug), click_count: clicks })),
    }
  })
}

interface SummaryView {
  range: Range
  now: number
  filters: ViewerFilters
}

const TOP_LINKS = 3

/**
 * All click statistics of these bundles, exactly as a scan of the raw clicks would count them. One
 * statement keeps totals, buckets and top links consistent while clicks arrive. Links are grouped
 * into clusters, because joining each bundle with the buckets of each member takes a minute for
 * 1000 bundles that share 1000 links. Members without clicks, possibly nearly all, are left out
 * first. The CTEs are materialised because SQLite would evaluate them at each use.
 */
async function readSummaryRows(
  { read, dialect }: Db,
  bundleIds: readonly number[],
  view: SummaryView,
): Promise<SummaryRow[]> {
  const joinedIds =
    dialect === 'sqlite'
      ? sql`group_concat(bundle_id)`
      : sql`string_agg(cast(bundle_id as text), ',' order by bundle_id)`
  const { rows } = await sql<SummaryRow>`
    with membership as (
      select link_id, ${joinedIds} as bundles from bundle_link
      where ${inList(dialect, 'bundle_id', bundleIds)} and (
        exists (select 1 from link_clicks as ever where ever.link_id = bundle_link.link_id and ever.clicks_raw > 0)
        or exists (select 1 from click_hour_open as open where open.link_id = bundle_link.link_id))
      group by link_id
    ), chosen as materialized (
      select link_id, bundles, min(link_id) over (partition by bundles) as cluster from membership
    ), counted as materialized (
      select link_id, bucket, sum(clicks) as clicks from (${bucketParts(dialect, view)}) as part
      group by link_id, bucket
    ), total as (
      select link_id, sum(case when bucket = ${PREVIOUS_BUCKET} then 0 else clicks end) as clicks
      from counted group by link_id
    ), ranked as (
      select chosen.cluster, chosen.bundles, total.link_id, total.clicks,
        row_number() over (partition by chosen.cluster order by total.clicks desc, total.link_id) as place
      from total join chosen on chosen.link_id = total.link_id
    )
    select chosen.cluster, sum(counted.clicks) as clicks, counted.bucket, null as bundles, null as link_id, null as slug
    from counted join chosen on chosen.link_id = counted.link_id
    group by chosen.cluster, counted.bucket
    union all
    select ranked.cluster, ranked.clicks, null, ranked.bundles, ranked.link_id, link.primary_slug
    from ranked join link on link.id = ranked.link_id where ranked.place <= ${TOP_LINKS}`.execute(read)
  return rows
}

type Fragment = RawBuilder<unknown>

/** Clicks of the chosen links by bucket. The whole previous window has one bucket number. */
function bucketParts(dialect: Db['dialect'], { range, now, filters }: SummaryView): Fragment {
  const unit = ranges[range].sparkline
  const parts = windowParts(currentWindow(range, now), filters, (column) => bucketSql(dialect, unit, column))
  const previous = previousWindow(range, now)
  if (previous) parts.push(...windowParts(previous, filters, () => sql.lit(PREVIOUS_BUCKET)))
  return sql.join(parts, sql` union all `)
}

/**
 * Whole hours from rollups, minus the raw clicks of the first and last hour that lie outside the
 * window.
 */
function windowParts(
  { from, to }: Window,
  filters: ViewerFilters,
  bucket: (column: Fragment) => Fragment,
): Fragment[] {
  const firstHour = hourOf(from)
  const endOfLastHour = hourOf(to) + HOUR
  const uncountedEdge = (low: number, high: number) => sql`
    select link_id, ${bucket(sql`clicked_at`)}, -1 from click
    where link_id in (select link_id from chosen) and clicked_at >= ${low} and clicked_at < ${high}
      and ${isInFilter(filters)}`
  return [
    sql`select link_id, ${bucket(sql`hour`)} as bucket, ${filteredSum(filters)} as clicks from click_hour
      where link_id in (select link_id from chosen) and hour >= ${firstHour} and hour <= ${to}`,
    uncountedEdge(firstHour, from),
    uncountedEdge(to + 1, endOfLastHour),
  ]
}
