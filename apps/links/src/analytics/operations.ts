import { z } from 'zod'
import { requireBundle } from '../bundles/operations.ts'
import { readBundleStats } from './bundle-stats.ts'
import { BundleStats } from './bundle-stats-schema.ts'
import { findMembers } from '../bundles/store.ts'
import { type Context, operation } from '../api/context.ts'
import { withSnapshot } from '../db/snapshot.ts'
import type { Db } from '../db/tables.ts'
import { requireLink } from '../links/operations.ts'
import { IdParams, pageLimit, wholeNumber, type NameCount } from '../api/fields.ts'
import { type StoredLink, withOrigin } from '../links/read-model.ts'
import { readDashboardStats } from './dashboard.ts'
import { DashboardStats } from './dashboard-schema.ts'
import { dimensionOfBreakdown } from '../clicks/dimensions.ts'
import { sum } from '../time/window.ts'
import { type View, readClickStats, readRanking, readTimeline } from './stats.ts'
import { Breakdown, BreakdownName, ClickStats, TimelineData } from './schema.ts'
import { Range, TimeZone } from '../time/schema.ts'

const tag = 'Analytics'

/** Without a range, the caller's default applies: `all` on the public API. */
const WindowQuery = z.object({ range: Range.optional().meta({ default: 'all' }) })
const CalendarQuery = WindowQuery.extend({
  tz: TimeZone.default('UTC').meta({
    description: 'Time zone whose calendar groups the clicks; it never shifts the window.',
  }),
})
/** The breakdown by the targets of a link's behaviour (L26.6). */
const VARIANT = 'variant'
const MAX_OFFSET = 999_999_999
const BreakdownQuery = WindowQuery.extend({
  dimension: z
    .enum([...BreakdownName.options, VARIANT])
    .meta({ description: 'What to group the clicks by.' }),
  // A negative offset counts as 0, however many digits it has.
  offset: z
    .string()
    .transform((offset) => offset.replace(/^-\d+$/, '0'))
    .pipe(wholeNumber(0, MAX_OFFSET))
    .meta({
      type: 'integer',
      minimum: -MAX_OFFSET,
      maximum: MAX_OFFSET,
      description: 'Entries to leave out from the beginning.',
    } as z.core.GlobalMeta)
    .default(0),
  limit: pageLimit(100, 10),
})

/**
 * Reads statistics at one moment, in the caller's view, including every click that this node has
 * redirected.
 * `read` receives the arguments of `readClickStats`, `readRanking`, `readDashboardStats` and
 * similar functions.
 */
export async function readStats<Result>(
  context: Context,
  query: { range?: Range | undefined; tz?: string },
  read: (db: Db, view: View) => Promise<Result>,
): Promise<Result> {
  await context.flushClicks()
  const { now, filters, defaultRange } = context
  const view = { range: query.range ?? defaultRange, tz: query.tz ?? 'UTC', now, filters }
  return withSnapshot(context.database.offThread, (db) => read(db, view))
}

/** One page of a full breakdown. */
async function readBreakdown(
  db: Db,
  linkIds: readonly number[],
  view: View,
  { dimension, offset, limit }: Pick<z.output<typeof BreakdownQuery>, 'dimension' | 'offset' | 'limit'>,
): Promise<Breakdown> {
  if (dimension === VARIANT) {
    const variants = await readVariants(db, linkIds, view)
    return { items: variants.slice(offset, offset + limit), total: variants.length }
  }
  const max = offset + limit
  const { items, total } = await readRanking(db, linkIds, dimensionOfBreakdown[dimension], {
    ...view,
    max,
  })
  return { items: items.slice(offset), total }
}

/** Clicks by variant, which add up to all clicks: `url` are those that followed no rule and no split. */
async function readVariants(db: Db, linkIds: readonly number[], view: View): Promise<NameCount[]> {
  const { items: variants } = await readRanking(db, linkIds, 'variant', view)
  // Every click has a link mode.
  const { items: modes } = await readRanking(db, linkIds, 'link_mode', view)
  const ownCount = clicksOf(modes) - clicksOf(variants)
  const all = ownCount > 0 ? [...variants, { name: 'url', count: ownCount }] : variants
  return all.toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}

function clicksOf(items: readonly NameCount[]): number {
  return sum(items.map(({ count }) => count))
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
    return readStats(context, query, async (db, view) => (await readClickStats(db, [id], view)).stats)
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
    return readStats(context, query, (db, view) => readTimeline(db, [id], view))
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
    return readStats(context, query, (db, view) => readBreakdown(db, [id], view, query))
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
    return readStats(context, query, (db, view) => readBundleStats(db, bundle, view))
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
    return readStats(context, query, async (db, view) => {
      const members = await findMembers(db, id)
      const ids = members.map((member) => member.link_id)
      return readBreakdown(db, ids, view, query)
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
    const { recent_links, top_links, ...stats } = await readStats(context, query, readDashboardStats)
    const toLink = (link: StoredLink) => withOrigin(context, link)
    return { ...stats, recent_links: recent_links.map(toLink), top_links: top_links.map(toLink) }
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

/** Statistics of the whole instance, which API keys cannot read. */
export const dashboardOperations = [getDashboard]
