import type { ViewerFilters } from '../../src/clicks/filters.ts'
import { type BreakdownName, breakdownNames } from '../../src/analytics/schema.ts'
import type { Range } from '../../src/time/schema.ts'
import type { ClassifiedClick } from '../../src/clicks/click.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const QUARTER = HOUR / 4
const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365, all: Infinity } as const

export interface View {
  range: Range
  now: number
  tz: string
  filters: ViewerFilters
}

type Clicks = readonly ClassifiedClick[]

/**
 * Computes every statistic by scanning the clicks, filtering them and counting. Uses no hours and
 * no rollups.
 */
export class Scan {
  readonly #all: Clicks
  readonly view: View
  readonly clicks: Clicks
  readonly previous: Clicks

  constructor(clicks: Clicks, view: View) {
    const { bots, selfReferrers } = view.filters
    this.view = view
    this.#all = clicks.filter((click) => !(bots && click.isBot) && !(selfReferrers && click.isSelfReferrer))
    this.clicks = this.within(days[view.range] * DAY)
    const seconds = days[view.range] * DAY
    this.previous = this.#all.filter(
      ({ clickedAt: at }) => at >= view.now - 2 * seconds && at < view.now - seconds && seconds !== Infinity,
    )
  }

  within(seconds: number): Clicks {
    const { now } = this.view
    return this.#all.filter(({ clickedAt: at }) => at >= now - seconds && at <= now)
  }

  of(linkIds: readonly number[]): Scan {
    return new Scan(
      this.#all.filter((click) => linkIds.includes(click.linkId)),
      this.view,
    )
  }

  delta(current: number, before: number): number | undefined {
    if (this.view.range === 'all' || before === 0) return undefined
    const change = (100 * (current - before)) / before
    return Math.sign(change) * Math.floor(Math.abs(change) + 0.5) + 0
  }

  stats(): Record<string, unknown> {
    const { clicks } = this
    const delta = this.delta(clicks.length, this.previous.length)
    const lists = Object.fromEntries(breakdownNames.map((name) => [name, this.list(name)])) as Record<
      BreakdownName,
      { name: string; count: number }[]
    >
    const whole = new Set(['devices', 'link_modes', 'channels'])
    return {
      total_clicks: clicks.length,
      ...(delta === undefined ? {} : { delta_pct: delta }),
      unique_visitors: new Set(clicks.flatMap((click) => click.visitorFp ?? [])).size,
      ...Object.fromEntries(
        breakdownNames.map((name) => [name, whole.has(name) ? lists[name] : lists[name].slice(0, 10)]),
      ),
      clicks_over_time: this.#counts(clicks.map((click) => labelOf('day', click.clickedAt, this.view.tz)))
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .slice(-30)
        .map(({ name, count }) => ({ date: name, count })),
      slug_clicks: this.#counts(clicks.map((click) => click.slug)).map(({ name, count }) => ({
        slug: name,
        count,
      })),
      num_countries: lists.countries.length,
      num_referrers: lists.referrers.length,
      num_referrer_hosts: lists.referrer_hosts.length,
      num_os: lists.os.length,
      num_browsers: lists.browsers.length,
    }
  }

  list(name: BreakdownName): { name: string; count: number }[] {
    const values = this.clicks.flatMap((click) => {
      const value = {
        countries: click.country,
        referrers: click.referrer?.includes('-app://') ? null : click.referrer,
        referrer_hosts: click.referrerHost,
        os: click.os,
        browsers: click.browser,
        utm_sources: click.utmSource,
        utm_mediums: click.utmMedium,
        utm_campaigns: click.utmCampaign,
        devices: click.deviceType,
        link_modes: click.linkMode,
        channels: click.channel,
      }[name]
      return value ?? []
    })
    return this.#counts(values)
  }

  timeline(): Record<string, unknown> {
    const { range, now } = this.view
    const moments = this.clicks.map((click) => click.clickedAt)
    const from = range === 'all' ? Math.min(...moments) : now - days[range] * DAY
    const elapsed = Math.floor((now - from) / DAY)
    const defaultUnit = elapsed <= 90 ? 'day' : elapsed <= 730 ? 'week' : 'month'
    const unit = range === '24h' ? 'hour' : range === '1y' ? 'week' : range === 'all' ? defaultUnit : 'day'
    const labels = new Set<string>()
    if (from !== Infinity) {
      const step = stepOf(unit)
      for (let at = from; at < now; at += step) labels.add(labelOf(unit, at, this.view.tz))
      labels.add(labelOf(unit, now, this.view.tz))
    }
    const counts = new Map(
      this.#counts(moments.map((at) => labelOf(unit, at, this.view.tz))).map(({ name, count }) => [
        name,
        count,
      ]),
    )
    const last = (seconds: number) => this.within(seconds * DAY).length
    return {
      range,
      buckets: [...labels].map((label) => ({ label, count: counts.get(label) ?? 0 })),
      summary: {
        last_24h: last(1),
        last_7d: last(7),
        last_30d: last(30),
        last_90d: last(90),
        last_1y: last(365),
      },
    }
  }

  /** Links with clicks, ordered by clicks descending, then by id. */
  links(clicks: Clicks = this.clicks): { link_id: number; clicks: number }[] {
    return this.#counts(clicks.map((click) => String(click.linkId)))
      .map(({ name, count }) => ({ link_id: Number(name), clicks: count }))
      .toSorted((a, b) => b.clicks - a.clicks || a.link_id - b.link_id)
  }

  /**
   * One number for each UTC hour, day or month that touches the window; `all` starts with the first
   * click.
   */
  sparkline(count: (clicks: Clicks) => number): number[] {
    const { range, now } = this.view
    const length = range === '24h' ? 13 : range === '1y' || range === 'all' ? 7 : 10
    const label = (at: number) => new Date(at * 1000).toISOString().slice(0, length)
    const first = Math.min(...this.clicks.map((click) => click.clickedAt))
    const from = range === 'all' ? first : now - days[range] * DAY
    const labels = new Set<string>()
    if (from !== Infinity) {
      const step = stepOf(range === '24h' ? 'hour' : 'day')
      for (let at = from; at < now; at += step) labels.add(label(at))
      labels.add(label(now))
    }
    const clicks = Map.groupBy(this.clicks, (click) => label(click.clickedAt))
    return [...labels].map((one) => count(clicks.get(one) ?? []))
  }

  #counts(values: readonly string[]): { name: string; count: number }[] {
    return [...Map.groupBy(values, (value) => value)]
      .map(([name, all]) => ({ name, count: all.length }))
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  }
}

export type Unit = 'hour' | 'day' | 'week' | 'month'

/** Seconds between moments of which each unit of the calendar has at least one. */
export function stepOf(unit: Unit): number {
  return unit === 'hour' ? QUARTER : 6 * HOUR
}

/** The calendar unit of a moment in a zone. */
export function labelOf(unit: Unit, at: number, tz: string): string {
  const [date = '', hour = ''] = localHourOf(at, tz).split(', ')
  if (unit === 'hour') return `${date} ${hour}`
  if (unit === 'month') return date.slice(0, 7)
  if (unit === 'day') return date
  const noon = Date.parse(`${date}T12:00:00Z`)
  const sinceMonday = (new Date(noon).getUTCDay() + 6) % 7
  return new Date(noon - sinceMonday * DAY * 1000).toISOString().slice(0, 10)
}

/** Local hours by zone and quarter of an hour. A quarter has no other: zones change at whole ones. */
const localHours = new Map<string, string>()

function localHourOf(at: number, tz: string): string {
  const quarter = `${tz} ${Math.floor(at / QUARTER)}`
  const cached = localHours.get(quarter)
  if (cached !== undefined) return cached
  const hour = clockFor(tz).format(at * 1000)
  localHours.set(quarter, hour)
  return hour
}

const clocks = new Map<string, Intl.DateTimeFormat>()

function clockFor(tz: string): Intl.DateTimeFormat {
  const cached = clocks.get(tz)
  if (cached) return cached
  const formatter = new Intl.DateTimeFormat('en-CA', {
    timeZone: tz,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
  })
  clocks.set(tz, formatter)
  return formatter
}
