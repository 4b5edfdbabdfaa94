import type { Database } from '@latchkey/database/database'
import { withSnapshot } from '../../db/snapshot.ts'
import type { Tables } from '../../db/tables.ts'
import type { ViewerFilters } from '../../clicks/filters.ts'
import type { Page } from './breakdowns.ts'
import { type ExplorerDimension, NO_BUNDLE, valueDimensions } from './dimensions.ts'
import { type ClickFilter, FilteredSource, type Progress } from './filtered-source.ts'
import type { AnalyticsQuery } from './query.ts'
import { readAnalytics, readBreakdown } from './read.ts'
import type { Analytics, AnalyticsBreakdown } from './schema.ts'
import { findLinks } from './subjects.ts'
import type { TimeQuery } from './windows.ts'

/** Statistics to be read from raw clicks; plain data, for another thread. */
export interface FilteredRead {
  query: AnalyticsQuery
  time: TimeQuery
  now: number
  filters: ViewerFilters
  /** One breakdown instead of analytics. */
  breakdown?: (Page & { dimension: ExplorerDimension; search?: string | undefined }) | undefined
}

/** Reads filtered statistics. Rejects with the reason of the signal soon after it aborts. */
export async function readFiltered(
  database: Database<Tables>,
  { query, time, now, filters, breakdown }: FilteredRead,
  { signal, onProgress }: { signal: AbortSignal; onProgress: (progress: Progress) => void },
): Promise<Analytics | AnalyticsBreakdown> {
  return withSnapshot(database, async (db) => {
    const filter = await findFilter(db, query)
    const source = new FilteredSource(db, filter, { now, filters, signal, onProgress })
    return breakdown
      ? readBreakdown(db, source, { ...breakdown, time, now })
      : readAnalytics(db, source, time, { now, filtered: true })
  })
}

/** The clicks that a query selects. */
export async function findFilter(db: Database<Tables>, query: AnalyticsQuery): Promise<ClickFilter> {
  const { slug, link, bundle } = query
  const isUnbundled = bundle?.includes(NO_BUNDLE) === true
  return {
    linkIds: await findLinks(db, isUnbundled ? { link } : { link, bundle }),
    unbundledOr: isUnbundled ? await findLinks(db, { bundle }) : undefined,
    slugs: slug,
    values: Object.fromEntries(valueDimensions.map((name) => [name, query[name]])),
  }
}
