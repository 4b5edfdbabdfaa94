import type { Database } from '@latchkey/database/database'
import { countedOf } from '../clicks/store.ts'
import type { ClickCounts, Tables } from '../db/tables.ts'
import { readLinks } from '../links/store.ts'
import type { DashboardStats } from './dashboard-schema.ts'
import { sum, type View } from './figures.ts'
import type { NameCount } from './schema.ts'
import { sparkline, sparklineUnits } from './sparkline.ts'
import {
  type InstanceBucket,
  countLinksIn,
  firstClickEver,
  instanceBuckets,
  linksByBucket,
  newestLinkIds,
  tallied,
} from './store.ts'
import type { Dimension, Tally } from './tally.ts'
import { DAY, type Window, deltaPct, spans, windowsOf } from './window.ts'

type Db = Database<Tables>
type InstanceView = Omit<View, 'tz'>

const TOP = 5

export interface LinkClicks {
  link_id: number
  clicks: number
}

/** Clicks of the whole instance by value of a dimension, the most first, then by name. */
export async function instanceRanking(
  db: Db,
  dimension: Exclude<Dimension, 'link_id'>,
  { range, now, filters }: InstanceView,
): Promise<NameCount[]> {
  const tally = await tallied(db, 'instance', windowsOf(range, now).current, [dimension])
  return tally.ranked(dimension, (counts) => countedOf(counts, filters))
}

/** Every link with clicks in the window, the most clicked first, then by id. */
export async function clickedLinks(db: Db, { range, now, filters }: InstanceView): Promise<LinkClicks[]> {
  const tally = await tallied(db, 'instance', windowsOf(range, now).current, ['link_id'])
  return byClicks(tally, (counts) => countedOf(counts, filters))
}

/** Clicks of the whole instance in the window. */
export async function totalClicks(db: Db, view: InstanceView): Promise<number> {
  return sum((await clickedLinks(db, view)).map(({ clicks }) => clicks))
}

function byClicks(tally: Tally, counted: (counts: ClickCounts) => number): LinkClicks[] {
  return [...tally.get('link_id')]
    .map(([id, counts]) => ({ link_id: Number(id), clicks: counted(counts) }))
    .filter(({ clicks }) => clicks > 0)
    .toSorted((a, b) => b.clicks - a.clicks || a.link_id - b.link_id)
}

/** What the dashboard shows of the whole instance (L14.9). Within a `snapshot`, so that all of it is one moment. */
export async function dashboardStats(db: Db, view: InstanceView): Promise<DashboardStats> {
  const { range, now, filters } = view
  const { current, previous } = windowsOf(range, now)
  const counted = (counts: ClickCounts) => countedOf(counts, filters)
  const tally = await tallied(db, 'instance', current, ['country', 'referrer_host', 'link_id'])
  const clicked = byClicks(tally, counted)
  const clicks = sum(clicked.map((link) => link.clicks))
  const links = await countLinksIn(db, current)
  const before = previous && (await figuresBefore(db, previous, counted))
  const countries = tally.ranked('country', counted)
  const hosts = tally.ranked('referrer_host', counted)
  const ids = clicked.slice(0, TOP).map(({ link_id }) => link_id)
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
    ...delta('clicks_per_day_delta', clicks, before?.clicks),
    num_domains: hosts.length,
    num_countries: countries.length,
    clicked_links: clicked.length,
    ...delta('clicked_links_delta', clicked.length, before?.clicked),
    ...(await sparklines(db, view, current)),
    recent_links: recentIds.flatMap((id) => shown.get(id) ?? []),
    top_links: ids.flatMap((id) => shown.get(id) ?? []),
    top_countries: countries.slice(0, TOP),
    top_referrers: hosts.slice(0, TOP),
    num_referrers: hosts.length,
  }
}

async function figuresBefore(db: Db, previous: Window, counted: (counts: ClickCounts) => number) {
  const clicked = byClicks(await tallied(db, 'instance', previous, ['link_id']), counted)
  return {
    clicks: sum(clicked.map((link) => link.clicks)),
    clicked: clicked.length,
    links: await countLinksIn(db, previous),
  }
}

function delta<Name extends string>(
  name: Name,
  current: number,
  previous: number | undefined,
): Partial<Record<Name, number>> {
  const change = deltaPct(current, previous)
  return change === undefined ? {} : ({ [name]: change } as Partial<Record<Name, number>>)
}

/** How many days an average is over: those of the range, and for all time those since the first click, at least one. */
async function daysOf(db: Db, { range, now, filters }: InstanceView): Promise<number> {
  const span = spans[range]
  if (span !== null) return span / DAY
  const first = await firstClickEver(db, now, filters)
  return Math.max(1, Math.floor((now - (first ?? now)) / DAY))
}

async function sparklines(db: Db, { range, now, filters }: InstanceView, window: Window) {
  const unit = sparklineUnits[range]
  const buckets = await instanceBuckets(db, window, unit, filters)
  const of = (figure: keyof InstanceBucket) =>
    sparkline(range, now, new Map([...buckets].map(([bucket, figures]) => [bucket, figures[figure]])))
  return {
    timeline: of('clicks'),
    timeline_links: sparkline(range, now, await linksByBucket(db, window, unit)),
    timeline_clicked_links: of('links'),
  }
}
