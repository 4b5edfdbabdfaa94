import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { type StoredLink, readLinks } from '../links/store.ts'
import type { DashboardStats } from './dashboard-schema.ts'
import type { ViewerFilters } from './filters.ts'
import { type View, sum } from './figures.ts'
import { sparkline, sparklineUnits } from './sparkline.ts'
import {
  type InstanceBucket,
  clickedLinks,
  countLinksIn,
  firstClickEver,
  instanceBuckets,
  linksByBucket,
  newestLinkIds,
} from './instance-store.ts'
import type { LinkClicks } from './link-tally.ts'
import { hoursOfScope, lookUp, unitsUpTo } from './periods.ts'
import { type Ranking, rankings } from './rankings.ts'
import { tallied } from './store.ts'
import type { Dimension, InstanceDimension } from './tally.ts'
import { DAY, type Window, currentWindow, delta, spans, windowsOf } from './window.ts'

type Db = Database<Tables>
/** Its links are shown with their origin only in an answer. */
type StoredStats = Omit<DashboardStats, LinkList> & Record<LinkList, StoredLink[]>
type LinkList = 'recent_links' | 'top_links'
type InstanceView = Omit<View, 'tz'>

const TOP = 5

/** The values of a dimension with the most clicks of the whole instance, then by name. */
export async function instanceRanking(
  db: Db,
  dimension: InstanceDimension,
  { range, now, filters, most }: InstanceView & { most: number },
): Promise<Ranking> {
  const tally = await tallied(db, 'instance', currentWindow(range, now), { columns: [dimension] })
  return (await rankings(db, tally, filters, { [dimension]: most } as Record<Dimension, number>))[dimension]
}

/** The links with the most clicks in the window, then by id; and all clicks of the instance in it. */
export async function mostClicked(
  db: Db,
  { range, now, filters }: InstanceView,
  limit: number,
): Promise<{ top: LinkClicks[]; links: number; clicks: number }> {
  return clickedLinks(db, currentWindow(range, now), filters, limit)
}

/** What the dashboard shows of the whole instance (L14.9). Within a `snapshot`, so that all of it is one moment. */
export async function dashboardStats(db: Db, view: InstanceView): Promise<StoredStats> {
  const { range, now, filters } = view
  const { current, previous } = windowsOf(range, now)
  await lookUp(
    db,
    [current, ...(previous ? [previous] : [])].map((window) => ({
      gaps: hoursOfScope('instance', window),
      units: unitsUpTo('quarter'),
    })),
  )
  const tally = await tallied(db, 'instance', current, { columns: ['country', 'referrer_host'] })
  const clicked = await clickedLinks(db, current, filters, TOP)
  const { clicks } = clicked
  const created = await linksByBucket(db, current, sparklineUnits[range])
  const links = sum([...created.values()])
  const before = previous && (await figuresBefore(db, previous, filters))
  const { country: countries, referrer_host: hosts } = await rankings(db, tally, filters, {
    country: TOP,
    referrer_host: TOP,
  })
  const ids = clicked.top.map(({ link_id }) => link_id)
  const recentIds = await newestLinkIds(db, TOP)
  const shown = new Map(
    (await readLinks(db, [...new Set([...ids, ...recentIds])], view)).map((link) => [link.id, link]),
  )
  const days = await daysOf(db, view)
  return {
    range,
    total_links: links,
    total_clicks: clicks,
    total_clicks_previous: before?.clicks ?? 0,
    ...delta('total_clicks_delta', clicks, before?.clicks),
    ...delta('new_links_delta', links, before?.links),
    clicks_per_day: Math.round(clicks / days),
    days,
    ...delta('clicks_per_day_delta', clicks, before?.clicks),
    num_domains: hosts.total,
    num_countries: countries.total,
    clicked_links: clicked.links,
    ...delta('clicked_links_delta', clicked.links, before?.clicked),
    ...(await sparklines(db, view, { current, created })),
    recent_links: recentIds.flatMap((id) => shown.get(id) ?? []),
    top_links: ids.flatMap((id) => shown.get(id) ?? []),
    top_countries: countries.items,
    top_referrers: hosts.items,
    num_referrers: hosts.total,
  }
}

async function figuresBefore(db: Db, previous: Window, filters: ViewerFilters) {
  const { clicks, links: clicked } = await clickedLinks(db, previous, filters, 1)
  return { clicks, clicked, links: await countLinksIn(db, previous) }
}

/** How many days an average is over: those of the range, and for all time those since the first click, at least one. */
async function daysOf(db: Db, { range, now, filters }: InstanceView): Promise<number> {
  const span = spans[range]
  if (span !== null) return span / DAY
  const first = await firstClickEver(db, now, filters)
  return Math.max(1, Math.floor((now - (first ?? now)) / DAY))
}

async function sparklines(
  db: Db,
  { range, now, filters }: InstanceView,
  { current, created }: { current: Window; created: ReadonlyMap<number, number> },
) {
  const buckets = await instanceBuckets(db, current, sparklineUnits[range], filters)
  const of = (figure: keyof InstanceBucket) =>
    sparkline(range, now, new Map([...buckets].map(([bucket, figures]) => [bucket, figures[figure]])))
  return {
    timeline: of('clicks'),
    timeline_links: sparkline(range, now, created),
    timeline_clicked_links: of('links'),
  }
}
