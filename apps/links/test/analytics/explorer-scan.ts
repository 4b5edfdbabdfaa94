import type { AnalyticsQuery } from '../../src/analytics/explorer/query.ts'
import type { ViewerFilters } from '../../src/clicks/filters.ts'
import type { ClassifiedClick } from '../../src/clicks/click.ts'
import { type Unit, labelOf, stepOf } from './scan.ts'
import type { World } from './world.ts'

const HOUR = 3600
const DAY = 24 * HOUR
const days = { '24h': 1, '7d': 7, '30d': 30, '90d': 90, '1y': 365 } as const

/** One look at analytics: the query, its time and the viewer. */
export interface Look {
  query: AnalyticsQuery
  now: number
  filters: ViewerFilters
}

type Clicks = readonly ClassifiedClick[]
type Value = (click: ClassifiedClick) => string | null
interface Span {
  from: number
  to: number
}

const values: Record<string, Value> = {
  country: (click) => click.country,
  referrer_host: (click) => click.referrerHost,
  referrer: (click) => (click.referrer?.includes('-app://') ? null : click.referrer),
  channel: (click) => click.channel,
  device: (click) => click.deviceType,
  os: (click) => click.os,
  browser: (click) => click.browser,
  link_mode: (click) => click.linkMode,
  utm_source: (click) => click.utmSource,
  utm_medium: (click) => click.utmMedium,
  utm_campaign: (click) => click.utmCampaign,
  variant: (click) => click.variant,
}

/**
 * Computes analytics by going through the clicks one by one. `rawStart` is the start of the first day
 * whose raw clicks are kept.
 */
export class ExplorerScan {
  readonly #look: Look
  readonly #world: World
  readonly #rawStart: number | undefined
  readonly #clicks: Clicks

  constructor(clicks: Clicks, look: Look, world: World, rawStart?: number) {
    const { bots, selfReferrers } = look.filters
    this.#look = look
    this.#world = world
    this.#rawStart = rawStart
    this.#clicks = clicks.filter(
      (click) => !(bots && click.isBot) && !(selfReferrers && click.isSelfReferrer) && this.#isSubject(click),
    )
  }

  get isFiltered(): boolean {
    const { query } = this.#look
    const names = Object.entries(query).flatMap(([name, value]) => (value === undefined ? [] : [name]))
    return names.some((name) => Object.hasOwn(values, name) || name === 'slug') || this.#isUnbundled
  }

  /** Links of no bundle are chosen by a filter like others, and are no subject. */
  get #isUnbundled(): boolean {
    return this.#look.query.bundle?.includes(0) === true
  }

  #isMember({ linkId }: ClassifiedClick): boolean {
    return linkId === this.#world.first || linkId === this.#world.second
  }

  expected(): Record<string, unknown> {
    const { query } = this.#look
    const span = this.#span()
    const before = this.#before(span)
    const unit = this.#unit(span)
    const clicks = this.#in(span)
    const previous = before && this.#in(before)
    const links = this.#links(clicks)
    const [top] = links
    const empty = span.from === Infinity
    const start = Math.min(empty ? span.to : span.from, before?.from ?? Infinity)
    const isCut = this.#rawStart !== undefined && start < this.#rawStart
    return {
      window: {
        range: query.from === undefined ? query.range : null,
        from: empty ? span.to : span.from,
        to: span.to,
        tz: query.tz,
      },
      comparison_window: before ?? null,
      filtered: this.isFiltered,
      raw_since: isCut ? this.#rawStart : null,
      totals: {
        ...this.#totals(clicks),
        top_link: top
          ? { id: Number(top.name), slug: top.slug, label: null, url: top.url, clicks: top.count }
          : null,
      },
      comparison: previous ? { ...this.#totals(previous), ...this.#changes(clicks, previous) } : null,
      timeline: {
        unit,
        buckets: empty ? [] : this.#buckets(unit, span, clicks),
        comparison: before && previous ? this.#buckets(unit, before, previous) : null,
        first_partial: !empty && query.range !== 'all' && this.#isCut(unit, span.from),
        last_partial: !empty && this.#isCut(unit, span.to + 1),
      },
      breakdowns: this.#breakdowns(clicks, 10),
    }
  }

  /** Every breakdown of the window in full. */
  all(): Record<string, { items: object[]; total: number; unknown: number }> {
    return this.#breakdowns(this.#in(this.#span()), Infinity)
  }

  #isSubject(click: ClassifiedClick): boolean {
    const { link, bundle } = this.#look.query
    const inBundle =
      !bundle || this.#isUnbundled || (bundle.includes(this.#world.bundle) && this.#isMember(click))
    return inBundle && (!link || link.includes(click.linkId))
  }

  #passes(click: ClassifiedClick): boolean {
    const { bundle = [], slug, ...query } = this.#look.query
    if (slug && !slug.includes(click.slug)) return false
    if (this.#isUnbundled && this.#isMember(click) && !bundle.includes(this.#world.bundle)) return false
    const wanted = query as Record<string, unknown>
    return Object.entries(values).every(([name, valueOf]) => {
      const chosen = wanted[name] as string[] | undefined
      return !chosen || chosen.includes(valueOf(click) ?? '')
    })
  }

  #in({ from, to }: Span): Clicks {
    const start = this.isFiltered ? Math.max(from, this.#rawStart ?? 0) : from
    return this.#clicks.filter(
      (click) => click.clickedAt >= start && click.clickedAt <= to && this.#passes(click),
    )
  }

  #span(): Span {
    const { query, now } = this.#look
    if (query.from !== undefined) return { from: query.from, to: Math.min(query.to ?? now, now) }
    const { range = '30d' } = query
    if (range !== 'all') return { from: now - days[range] * DAY, to: now }
    const moments = this.#clicks.map((click) => click.clickedAt).filter((at) => at <= now)
    return { from: Math.min(...moments), to: now }
  }

  #before({ from, to }: Span): Span | undefined {
    const { query } = this.#look
    if (!query.compare || (query.from === undefined && query.range === 'all')) return undefined
    const zoned = (at: number) => new Temporal.ZonedDateTime(BigInt(at) * 1_000_000_000n, query.tz)
    const seconds = (at: Temporal.ZonedDateTime) => Math.floor(at.epochMilliseconds / 1000)
    if (query.compare === 'year')
      return {
        from: seconds(zoned(from).subtract({ years: 1 })),
        to: seconds(zoned(to).subtract({ years: 1 })),
      }
    if (query.from === undefined) return { from: 2 * from - to, to: from - 1 }
    const [start, end] = [from, to + 1].map((at) => labelOf('day', at, query.tz))
    const isWhole = [from, to + 1].every(
      (at) => labelOf('day', at - 1, query.tz) < labelOf('day', at, query.tz),
    )
    const length = (Date.parse(end ?? '') - Date.parse(start ?? '')) / (DAY * 1000)
    return {
      from: isWhole ? seconds(zoned(from).subtract({ days: length })) : 2 * from - to - 1,
      to: from - 1,
    }
  }

  #unit({ from, to }: Span): Unit {
    const { query, now } = this.#look
    const length = to + 1 - from
    if (query.from !== undefined)
      return length <= 2 * DAY ? 'hour' : length <= 92 * DAY ? 'day' : length <= 731 * DAY ? 'week' : 'month'
    if (query.range !== 'all') return query.range === '24h' ? 'hour' : query.range === '1y' ? 'week' : 'day'
    const age = from === Infinity ? 0 : Math.floor((now - from) / DAY)
    return age <= 90 ? 'day' : age <= 730 ? 'week' : 'month'
  }

  /** Whether a unit of the calendar has begun before this moment and is not over. */
  #isCut(unit: Unit, at: number): boolean {
    const { tz } = this.#look.query
    return labelOf(unit, at - 1, tz) === labelOf(unit, at, tz)
  }

  #buckets(unit: Unit, { from, to }: Span, clicks: Clicks): object[] {
    const { tz } = this.#look.query
    const starts = new Map<string, number>()
    const quarter = HOUR / 4
    const step = stepOf(unit)
    for (let next = from - (from % quarter); next < to + step; next += step) {
      const at = Math.min(next, to - (to % quarter))
      const label = labelOf(unit, Math.max(at, from), tz)
      if (starts.has(label)) continue
      let start = at
      while (start > from && labelOf(unit, start - quarter, tz) === label) start -= quarter
      starts.set(label, Math.max(start, from))
    }
    const counts = Map.groupBy(clicks, ({ clickedAt }) => labelOf(unit, clickedAt, tz))
    return [...starts].map(([label, start]) => ({ label, start, clicks: counts.get(label)?.length ?? 0 }))
  }

  #totals(clicks: Clicks) {
    return {
      clicks: clicks.length,
      unique_visitors: new Set(clicks.flatMap((click) => click.visitorFp ?? [])).size,
      clicked_links: new Set(clicks.map((click) => click.linkId)).size,
    }
  }

  #changes(clicks: Clicks, previous: Clicks): Record<string, number> {
    const [now, then] = [this.#totals(clicks), this.#totals(previous)]
    const names = ['clicks', 'unique_visitors', 'clicked_links'] as const
    const changes = names
      .filter((name) => then[name] > 0)
      .map((name): [string, number] => {
        const change = (100 * (now[name] - then[name])) / then[name]
        return [`${name}_delta`, Math.sign(change) * Math.floor(Math.abs(change) + 0.5) + 0]
      })
    return Object.fromEntries(changes)
  }

  #breakdowns(clicks: Clicks, max: number) {
    const lists = Object.entries(values).map(([name, valueOf]) => {
      const items = countsOf(clicks.flatMap((click) => valueOf(click) ?? []))
      const withValue = items.reduce((sum, { count }) => sum + count, 0)
      return [name, { items: items.slice(0, max), total: items.length, unknown: clicks.length - withValue }]
    })
    const { query } = this.#look
    const slugs = countsOf(clicks.map((click) => click.slug))
    const links = this.#links(clicks)
    const inBundle = clicks.filter(({ linkId }) =>
      [this.#world.first, this.#world.second].includes(linkId),
    ).length
    const bundle = {
      name: String(this.#world.bundle),
      count: inBundle,
      label: 'b',
      accent: 'red',
      icon: null,
    }
    return {
      ...Object.fromEntries(lists),
      ...((query.link || query.bundle || this.isFiltered) && {
        slug: { items: slugs.slice(0, max), total: slugs.length, unknown: 0 },
      }),
      link: { items: links.slice(0, max), total: links.length, unknown: 0 },
      bundle: {
        items: inBundle > 0 ? [bundle] : [],
        total: inBundle > 0 ? 1 : 0,
        unknown: clicks.length - inBundle,
      },
    }
  }

  #links(clicks: Clicks) {
    const slugOf = (id: number) => this.#world.slugs.find(({ linkId }) => linkId === id)?.slug ?? ''
    return [...Map.groupBy(clicks, (click) => click.linkId)]
      .toSorted(([a, x], [b, y]) => y.length - x.length || a - b)
      .map(([id, own]) => ({
        name: String(id),
        count: own.length,
        slug: slugOf(id),
        label: null,
        url: `https://example.com/${slugOf(id)}`,
      }))
  }
}

function countsOf(all: readonly string[]): { name: string; count: number }[] {
  return [...Map.groupBy(all, (value) => value)]
    .map(([name, own]) => ({ name, count: own.length }))
    .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
}
