import { findFirstClickTime, findFirstClickTimeOfInstance } from '../../clicks/store.ts'
import type { Db } from '../../db/tables.ts'
import type { Dimension } from '../../clicks/dimensions.ts'
import type { ViewerFilters } from '../../clicks/filters.ts'
import {
  type Ranking,
  countClicksPerLink,
  distinctColumn,
  prefetchWindows,
  readBucketCounts,
  readClicksByLink,
  readInstanceBucketCounts,
  readInstanceVisitors,
  readRankings,
  readVisitorCounts,
} from '../../rollups/index.ts'
import type { Window } from '../../time/window.ts'
import { columnOf } from './dimensions.ts'
import type { CalendarWindow } from './windows.ts'

export type RankedDimension = Dimension | 'slug'

/** The column of each dimension that is ranked by value. */
export const rankedColumns = { ...columnOf, slug: 'slug' } as const satisfies Record<string, RankedDimension>

/** The number of values in each ranking that is wanted. */
export type Limits = Partial<Record<RankedDimension, number>>

/** Statistics of one window. */
export interface WindowStats {
  visitors: number
  /** Clicks of each link that has any. */
  links: ReadonlyMap<number, number>
  /** Clicks in each bucket of the calendar. */
  buckets: readonly number[]
  rankings: Partial<Record<RankedDimension, Ranking>>
}

/** Clicks whose statistics can be read: those of the instance, of some links, or filtered ones. */
export interface StatsSource {
  /** Whether clicks can be ranked by slug. */
  hasSlugs: boolean
  /** The time of the first click up to now; undefined without any. */
  findFirstClick(): Promise<number | undefined>
  /** Prepares to read these windows. */
  prefetch(windows: readonly Window[]): Promise<void>
  read(window: CalendarWindow, limits: Limits): Promise<WindowStats>
}

/** All clicks of the instance, from rollups. Use it in a `snapshot`. */
export function instanceSource(db: Db, now: number, filters: ViewerFilters): StatsSource {
  return {
    hasSlugs: false,
    findFirstClick: () => findFirstClickTimeOfInstance(db, now, filters),
    prefetch: (windows) => prefetchWindows(db, 'instance', windows),
    async read({ calendar, ...window }, limits) {
      const links = await readClicksByLink(db, window, filters)
      return {
        visitors: await readInstanceVisitors(db, window, filters),
        links: new Map(links.map(({ link_id, clicks }) => [link_id, clicks])),
        buckets: await readInstanceBucketCounts(db, { starts: calendar.starts, to: window.to }, filters),
        rankings: await rank(db, 'instance', { window, limits }, filters),
      }
    },
  }
}

/** The clicks of these links, from rollups. Use it in a `snapshot`. */
export function linkSource(
  db: Db,
  linkIds: readonly number[],
  now: number,
  filters: ViewerFilters,
): StatsSource {
  return {
    hasSlugs: true,
    findFirstClick: () => findFirstClickTime(db, linkIds, now, filters),
    prefetch: (windows) => prefetchWindows(db, linkIds, windows),
    async read({ calendar, ...window }, limits) {
      const perLink = await countClicksPerLink(db, linkIds, window, filters)
      const clicked = linkIds.flatMap((id, n): [number, number][] => (perLink[n] ? [[id, perLink[n]]] : []))
      const visitors = await readVisitorCounts(db, linkIds, window)
      return {
        visitors: visitors[distinctColumn(filters)],
        links: new Map(clicked),
        buckets: await readBucketCounts(db, linkIds, { starts: calendar.starts, to: window.to }, filters),
        rankings: await rank(db, linkIds, { window, limits }, filters),
      }
    },
  }
}

async function rank(
  db: Db,
  scope: readonly number[] | 'instance',
  { window, limits }: { window: Window; limits: Limits },
  filters: ViewerFilters,
): Promise<WindowStats['rankings']> {
  if (Object.keys(limits).length === 0) return {}
  return readRankings(db, scope, { window, limits: limits as Record<RankedDimension, number> }, filters)
}
