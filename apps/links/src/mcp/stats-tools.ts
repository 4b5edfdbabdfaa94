import type { Database } from '@latchkey/database/database'
import { z } from 'zod'
import { readInstanceRanking, findTopLinks } from '../analytics/dashboard.ts'
import { DashboardStats } from '../analytics/dashboard-schema.ts'
import type { Dimension } from '../clicks/dimensions.ts'
import { type View, readTopValues } from '../analytics/stats.ts'
import {
  getDashboard,
  getLinkAnalytics,
  getLinkBreakdown,
  getLinkTimeline,
  readStats,
} from '../analytics/operations.ts'
import { ClickStats, type BreakdownName, TimelineData } from '../analytics/schema.ts'
import { NameCount } from '../api/fields.ts'
import type { Range } from '../time/schema.ts'
import type { Context } from '../api/context.ts'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { readLinks } from '../links/read-model.ts'
import { perform } from '../api/perform.ts'
import { LinkId, MAX_ITEMS, truncateList, listOf, rangedTool } from './tool.ts'

const limitSchema = (defaultLimit: number) =>
  z.int().min(1).max(100).default(defaultLimit).meta({ description: 'The maximum number of results.' })

const linkTools = [
  rangedTool({
    name: 'get_link_analytics',
    title: 'Analyse a link',
    description: 'Returns the visitors, countries, referrers, devices and channels of a link.',
    input: { link_id: LinkId },
    output: ClickStats.shape,
    run: (context, { link_id }, range) =>
      perform(context, getLinkAnalytics, { params: { id: link_id }, query: { range } }),
  }),
  rangedTool({
    name: 'get_link_timeline',
    title: 'Clicks of a link over time',
    description:
      'Returns the clicks of a link by hour, day, week or month, in UTC. They add up to the total of the range.',
    input: { link_id: LinkId },
    output: TimelineData.shape,
    run: (context, { link_id }, range) =>
      perform(context, getLinkTimeline, { params: { id: link_id }, query: { range } }),
  }),
  rangedTool({
    name: 'get_link_breakdown',
    title: 'Break down the clicks of a link',
    description:
      'Returns the clicks of a link by country, referrer, device, system, browser, link mode or channel.',
    input: {
      link_id: LinkId,
      dimension: z.enum(['country', 'referrer_host', 'device_type', 'os', 'browser', 'link_mode', 'channel']),
      limit: limitSchema(25),
    },
    output: listOf(NameCount),
    async run(context, { link_id, dimension, limit }, range) {
      const query = { dimension: breakdownOfDimension[dimension], range, limit }
      const { items, total } = await perform(context, getLinkBreakdown, {
        params: { id: link_id },
        query,
      })
      return truncateList({ items, total }, limit)
    },
  }),
]

const breakdownOfDimension = {
  country: 'countries',
  referrer_host: 'referrer_hosts',
  device_type: 'devices',
  os: 'os',
  browser: 'browsers',
  link_mode: 'link_modes',
  channel: 'channels',
} as const satisfies Record<string, BreakdownName>

async function rankInstance(context: Context, dimension: Dimension, range: Range, limit: number) {
  const { items, total } = await readStats(context, { range }, (db, view) =>
    readInstanceRanking(db, dimension, { ...view, max: limit }),
  )
  return truncateList({ items, total }, limit)
}

const instanceTools = [
  rangedTool({
    name: 'get_trending_links',
    title: 'Most clicked links',
    description: 'Lists the links with the most clicks.',
    input: { limit: limitSchema(10) },
    output: listOf(
      z.object({ link_id: z.int(), clicks: z.int(), url: z.string(), label: z.string().nullable() }),
    ),
    run: (context, { limit }, range) =>
      readStats(context, { range }, async (db, view) => {
        const { top, links: total } = await findTopLinks(db, view, limit)
        const ids = top.map(({ link_id }) => link_id)
        const links = new Map((await readLinks(db, ids, view)).map((link) => [link.id, link]))
        const items = top.flatMap(({ link_id, clicks }) => {
          const link = links.get(link_id)
          return link ? { link_id, clicks, url: link.url, label: link.label } : []
        })
        return truncateList({ items, total }, limit)
      }),
  }),
  rangedTool({
    name: 'get_dashboard_stats',
    title: 'Statistics of the instance',
    description:
      'Returns clicks, links, countries and referrers of the whole instance, compared with the previous period.',
    output: DashboardStats.shape,
    run: (context, _, range) => perform(context, getDashboard, { query: { range } }),
  }),
  rangedTool({
    name: 'get_total_clicks',
    title: 'Count all clicks',
    description: 'Returns the number of clicks of the whole instance.',
    output: { total_clicks: z.int() },
    run: async (context, _, range) => ({
      total_clicks: (await readStats(context, { range }, (db, view) => findTopLinks(db, view, 1))).clicks,
    }),
  }),
  rangedTool({
    name: 'get_clicks_by_country',
    title: 'Clicks by country',
    description: 'Returns the clicks of the whole instance by country (ISO 3166-1 alpha-2).',
    input: { limit: limitSchema(10) },
    output: listOf(NameCount),
    run: (context, { limit }, range) => rankInstance(context, 'country', range, limit),
  }),
  rangedTool({
    name: 'get_clicks_by_referrer',
    title: 'Clicks by referrer',
    description: 'Returns the clicks of the whole instance by referrer host.',
    input: { limit: limitSchema(10) },
    output: listOf(NameCount),
    run: (context, { limit }, range) => rankInstance(context, 'referrer_host', range, limit),
  }),
  rangedTool({
    name: 'get_clicks_by_device',
    title: 'Clicks by device',
    description: 'Returns the clicks of the whole instance by device type, operating system or browser.',
    input: {
      dimension: z.enum(['device_type', 'os', 'browser']).default('device_type'),
      limit: limitSchema(10),
    },
    output: listOf(NameCount),
    run: (context, { dimension, limit }, range) => rankInstance(context, dimension, range, limit),
  }),
  rangedTool({
    name: 'compare_links',
    title: 'Compare links',
    description: 'Returns the clicks, top country and top referrer of several links, in the given order.',
    input: { link_ids: z.array(LinkId).min(2).max(MAX_ITEMS).meta({ description: 'Two links or more.' }) },
    output: listOf(
      z.object({
        link_id: z.int(),
        url: z.string(),
        label: z.string().nullable(),
        total_clicks: z.int(),
        top_country: z.string().nullable(),
        top_referrer: z.string().nullable().meta({ description: 'A host.' }),
      }),
    ),
    run: (context, { link_ids }, range) =>
      readStats(context, { range }, async (db, view) => ({
        results: await compareLinks(db, view, link_ids),
      })),
  }),
]

async function compareLinks(db: Database<Tables>, view: View, ids: readonly number[]) {
  const distinct = [...new Set(ids)]
  const links = new Map((await readLinks(db, distinct, view)).map((link) => [link.id, link]))
  const missing = ids.find((id) => !links.has(id))
  if (missing !== undefined) throw failure('link_not_found', `Link ${missing} not found`)
  const tops = await readTopValues(db, distinct, ['country', 'referrer_host'], view)
  return ids.flatMap((id) => {
    const link = links.get(id)
    const top = tops.get(id)
    if (!link || !top) return []
    const { url, label, total_clicks } = link
    const { country: top_country, referrer_host: top_referrer } = top
    return { link_id: id, url, label, total_clicks, top_country, top_referrer }
  })
}

export const statsTools = [...linkTools, ...instanceTools]
