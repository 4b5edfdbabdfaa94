import type { Db } from '../db/tables.ts'
import type { Dimension } from '../clicks/dimensions.ts'
import { dimensions } from '../clicks/dimensions.ts'
import type { ViewerFilters } from '../clicks/filters.ts'
import type { Window } from '../time/window.ts'
import {
  MAX_LINKS_BY_PERIOD,
  bucketCoverRequest,
  chooseStrategy,
  countClicksByHour,
  countClicksInBuckets,
  countClicksPerLinkAndBucket,
} from './bucket-clicks.ts'
import { enclosingHours } from './cover.ts'
import { type CoverRequest, coverWindow, hoursOfScope, prefetch, unitsUpTo } from './period-store.ts'
import { type Ranking, rankTally } from './rankings.ts'
import { type Segments, concatSegments, segmentsOf, windowSegments } from './segments.ts'
import { readTallies } from './tally-store.ts'
import { Tally } from './tally.ts'
import {
  type DistinctCounts,
  coverVisitors,
  distinctColumn,
  sumVisitorCounts,
  visitorCoverRequest,
} from './visitors.ts'
import { type WindowClicks, readSlugClicks } from './window-clicks.ts'

/**
 * Consecutive buckets. Starts are ascending, each bucket ends where the next one starts, and the
 * last ends at `to` inclusive.
 */
export interface BucketRange {
  starts: readonly number[]
  to: number
}

interface LinkStatsQuery {
  current: Window
  previous: Window | undefined
  buckets: BucketRange
  /** The number of values in each ranking. */
  limits: Readonly<Record<Dimension, number>>
}

export interface LinkStats {
  clicks: WindowClicks
  visitors: number
  rankings: Record<Dimension, Ranking>
  /** Clicks in each bucket. */
  bucketCounts: number[]
}

/**
 * Statistics of all these links together; `clicks` has them by slug and by link. Run it in a
 * `snapshot`.
 */
export async function readLinkStats(
  db: Db,
  linkIds: readonly number[],
  query: LinkStatsQuery,
  filters: ViewerFilters,
): Promise<LinkStats> {
  const { current, previous, buckets } = query
  const segments = await chooseStrategy(db, linkIds, segmentsOf(buckets.starts, buckets.to))
  await prefetch(db, coverRequests(linkIds, query, segments))
  const { tally, visitors } = await readTallyAndVisitors(db, linkIds, current)
  const slugs = await readSlugClicks(db, linkIds, tally, filters)
  const { perLink, buckets: bucketCounts } = await countClicksPerLinkAndBucket(
    db,
    linkIds,
    { window: previous, segments },
    filters,
  )
  return {
    clicks: { slugs, previous: perLink && new Map(linkIds.map((id, n) => [id, perLink[n] ?? 0])) },
    visitors: visitors[distinctColumn(filters)],
    rankings: await rankTally(db, tally, filters, query.limits),
    bucketCounts,
  }
}

/** All periods that `readLinkStats` uses if none are missing. */
function coverRequests(
  linkIds: readonly number[],
  { current, previous }: LinkStatsQuery,
  segments: Segments,
): CoverRequest[] {
  const units = unitsUpTo('quarter')
  return [
    { intervals: hoursOfScope(linkIds, current), units },
    ...(previous ? [{ intervals: enclosingHours(linkIds, previous), units }] : []),
    visitorCoverRequest(linkIds, current),
    bucketCoverRequest(linkIds, segments),
  ]
}

/** Reads the clicks of a window by every dimension together with its visitors. */
async function readTallyAndVisitors(
  db: Db,
  linkIds: readonly number[],
  window: Window,
): Promise<{ tally: Tally; visitors: DistinctCounts }> {
  const cover = await coverWindow(db, linkIds, window)
  const { distinctCover, fingerprints } = await coverVisitors(db, linkIds, window)
  const [tally = new Tally(), fingerprintTally] = await readTallies(db, linkIds, [
    { cover, columns: [...dimensions, 'slug'] },
    ...(fingerprints ? [fingerprints] : []),
  ])
  return { tally, visitors: await sumVisitorCounts(db, distinctCover, fingerprintTally) }
}

/**
 * Clicks of all these links in each of many buckets. Unlike `readTimelineCounts`, it chooses the
 * strategy by the number of links. Run it in a `snapshot`.
 */
export async function readBucketCounts(
  db: Db,
  linkIds: readonly number[],
  { starts, to }: BucketRange,
  filters: ViewerFilters,
): Promise<number[]> {
  const count = linkIds.length > MAX_LINKS_BY_PERIOD ? countClicksByHour : countClicksInBuckets
  return count(db, linkIds, segmentsOf(starts, to), filters)
}

/**
 * Clicks of all these links in each bucket and in each window, read together. Run it in a
 * `snapshot`.
 */
export async function readTimelineCounts(
  db: Db,
  linkIds: readonly number[],
  { buckets, windows }: { buckets: BucketRange; windows: readonly Window[] },
  filters: ViewerFilters,
): Promise<{ buckets: number[]; windows: number[] }> {
  const { starts, to } = buckets
  const combined = concatSegments(segmentsOf(starts, to), windowSegments(windows), starts.length)
  const segments = await chooseStrategy(db, linkIds, combined)
  await prefetch(db, [bucketCoverRequest(linkIds, segments)])
  const counts = await countClicksInBuckets(db, linkIds, segments, filters)
  return { buckets: counts.slice(0, starts.length), windows: counts.slice(starts.length) }
}
