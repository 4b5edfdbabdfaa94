import type { Database } from '@latchkey/database/database'
import { z } from 'zod'
import { requireBundle } from '../bundles/operations.ts'
import { bundleStats } from '../bundles/stats.ts'
import { BundleStats } from '../bundles/stats-schema.ts'
import { membersOf } from '../bundles/store.ts'
import { type Context, operation } from '../context.ts'
import { snapshot } from '../db/snapshot.ts'
import type { Tables } from '../db/tables.ts'
import { requireLink } from '../links/operations.ts'
import { IdParams, wholeNumber } from '../links/schema.ts'
import { type StoredLink, withOrigin } from '../links/store.ts'
import { isTimeZone } from './calendar.ts'
import { dashboardStats } from './dashboard.ts'
import { DashboardStats } from './dashboard-schema.ts'
import { type View, clickStats, ranking, timeline } from './figures.ts'
import { Breakdown, ClickStats, ListName, Range, TimelineData } from './schema.ts'
import { dimensionOfList } from './tally.ts'

type Db = Database<Tables>

const tag = 'Analytics'

/** A missing one is the caller's default, which is `all` on the public API. */
const WindowQuery = z.object({ range: Range.optional().meta({ default: 'all' }) })
const CalendarQuery = WindowQuery.extend({
  tz: z
    .string()
    .refine(isTimeZone, 'must be the name of an IANA time zone')
    .default('UTC')
    .meta({ description: 'Time zone whose calendar groups the clicks; it never shifts the window.' }),
})
const MOST = 999_999_999
const BreakdownQuery = WindowQuery.extend({
  dimension: ListName,
  // A negative one counts as 0, however long it is.
  offset: z
    .string()
    .transform((offset) => offset.replace(/^-\d+$/, '0'))
    .pipe(wholeNumber(0, MOST))
    .meta({ type: 'integer', minimum: -MOST, maximum: MOST } as z.core.GlobalMeta)
    .default(0),
  limit: wholeNumber(1, 100).default(10),
})

/**
 * Reads figures for a caller: with every click that this node has redirected so far, at one moment, in the caller's view.
 * `read` gets what `clickStats`, `ranking`, `dashboardStats` and the like take.
 */
export async function counted<Result>(
  context: Context,
  query: { range?: Range | undefined; tz?: string },
  read: (db: Db, view: View) => Promise<Result>,
): Promise<Result> {
  await context.settleClicks()
  const { now, filters, defaultRange } = context
  const view = { range: query.range ?? defaultRange, tz: query.tz ?? 'UTC', now, filters }
  return snapshot(context.database.offThread, (db) => read(db, view))
}

/** One list of ClickStats in full, a page of it. */
async function breakdown(
  db: Db,
  linkIds: readonly number[],
  view: View,
  { dimension, offset, limit }: { dimension: ListName; offset: number; limit: number },
): Promise<Breakdown> {
  const most = offset + limit
  const { items, total } = await ranking(db, linkIds, dimensionOfList[dimension], { ...view, most })
  return { items: items.slice(offset), total }
}

export const getLinkAnalytics = operation({
  id: 'getLinkAnalytics',
  methods: ['GET'],
  path: '/links/{id}/analytics',
  scope: 'read',
  tag,
  summary: 'Analytics of a link: visitors, countries, referrers, devices, channels',
  params: IdParams,
  query: CalendarQuery,
  result: ClickStats,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    const { id } = await requireLink(context, params.id)
    return counted(context, query, async (db, view) => (await clickStats(db, [id], view)).stats)
  },
})

export const getLinkTimeline = operation({
  id: 'getLinkTimeline',
  methods: ['GET'],
  path: '/links/{id}/timeline',
  scope: 'read',
  tag,
  summary: 'Clicks of a link by hour, day, week or month',
  params: IdParams,
  query: CalendarQuery,
  result: TimelineData,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    const { id } = await requireLink(context, params.id)
    return counted(context, query, (db, view) => timeline(db, [id], view))
  },
})

export const getLinkBreakdown = operation({
  id: 'getLinkBreakdown',
  methods: ['GET'],
  path: '/links/{id}/breakdown',
  scope: 'read',
  tag,
  summary: 'One breakdown of a link in full, with pagination',
  params: IdParams,
  query: BreakdownQuery,
  result: Breakdown,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    const { id } = await requireLink(context, params.id)
    return counted(context, query, (db, view) => breakdown(db, [id], view, query))
  },
})

export const getBundleAnalytics = operation({
  id: 'getBundleAnalytics',
  methods: ['GET'],
  path: '/bundles/{id}/analytics',
  scope: 'read',
  tag,
  summary: 'Analytics of a bundle: visitors, countries, referrers, devices, channels',
  params: IdParams,
  query: CalendarQuery,
  result: BundleStats,
  failures: ['bundle_not_found'],
  async handler(context, { params, query }) {
    const bundle = await requireBundle(context, params.id)
    return counted(context, query, (db, view) => bundleStats(db, bundle, view))
  },
})

export const getBundleBreakdown = operation({
  id: 'getBundleBreakdown',
  methods: ['GET'],
  path: '/bundles/{id}/breakdown',
  scope: 'read',
  tag,
  summary: 'One breakdown of a bundle in full, with pagination',
  params: IdParams,
  query: BreakdownQuery,
  result: Breakdown,
  failures: ['bundle_not_found'],
  async handler(context, { params, query }) {
    const { id } = await requireBundle(context, params.id)
    return counted(context, query, async (db, view) => {
      const members = await membersOf(db, id)
      const ids = members.map((member) => member.link_id)
      return breakdown(db, ids, view, query)
    })
  },
})

export const getDashboard = operation({
  id: 'getDashboard',
  methods: ['GET'],
  path: '/dashboard',
  scope: 'read',
  tag,
  summary: 'Statistics of all links',
  query: WindowQuery,
  result: DashboardStats,
  async handler(context, { query }) {
    const { recent_links, top_links, ...stats } = await counted(context, query, dashboardStats)
    const shown = (link: StoredLink) => withOrigin(context, link)
    return { ...stats, recent_links: recent_links.map(shown), top_links: top_links.map(shown) }
  },
})

/** Statistics of links and bundles (L14, L15). */
export const analyticsOperations = [
  getLinkAnalytics,
  getLinkTimeline,
  getLinkBreakdown,
  getBundleAnalytics,
  getBundleBreakdown,
]

/** Statistics of the whole instance, which keys do not see. */
export const dashboardOperations = [getDashboard]
