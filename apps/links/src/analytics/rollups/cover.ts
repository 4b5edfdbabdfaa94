import type { ClickPeriodTable, PeriodUnit } from '../../db/tables.ts'
import { DAY, HOUR, type Window, hourOf } from '../window.ts'

/** `link_id` 0 is the whole instance. */
export interface Period {
  link_id: number
  unit: PeriodUnit
  start: number
}

/** A period whose sums are complete, with them. */
export type StoredPeriod = ClickPeriodTable

/** Clicks in `[low, high)` are counted one by one, or taken out again (-1). */
export interface Interval {
  link_id: number
  low: number
  high: number
  sign: 1 | -1
  /** Which of several buckets this is part of, where there are such. */
  n?: number | undefined
}

/** Periods and gaps that hold together exactly the clicks of a window. */
export interface Cover<Part extends Period = StoredPeriod> {
  /** `n` is that of the gap which it fills. */
  periods: (Part & Pick<Interval, 'n'>)[]
  gaps: Interval[]
}

/** From the largest to the smallest. A handful of each is enough for any window, which is what keeps reading cheap. */
export const periodUnits = ['quarter', 'month', '10d', 'day', '6h', 'hour'] as const satisfies PeriodUnit[]

const lengths = { hour: HOUR, '6h': 6 * HOUR, day: DAY }

/** Where the UTC period that begins here ends, exclusive; Unix seconds. */
export function endOf(unit: PeriodUnit, start: number): number {
  if (unit === 'hour' || unit === '6h' || unit === 'day') return start + lengths[unit]
  const date = new Date(start * 1000)
  if (unit === '10d' && date.getUTCDate() <= 11) return start + 10 * DAY
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (unit === 'quarter' ? 3 : 1)) / 1000
}

/** What is left of the gaps without these periods; only those that fit are used. Periods in ascending order of a link. */
export function applyPeriods<Part extends Period>(
  cover: Cover<Part>,
  candidates: readonly Part[],
): Cover<Part> {
  if (candidates.length === 0) return cover
  const periods = [...cover.periods]
  const gaps: Interval[] = []
  const candidatesByLink = Map.groupBy(candidates, (period) => period.link_id)
  for (const gap of cover.gaps) {
    let low = gap.low
    const own = candidatesByLink.get(gap.link_id) ?? []
    for (let index = firstIndexFrom(own, low); index < own.length; index++) {
      const period = own[index] as Part
      if (period.start >= gap.high) break
      const end = endOf(period.unit, period.start)
      if (period.start < low || end > gap.high) continue
      if (period.start > low) gaps.push({ ...gap, low, high: period.start })
      periods.push(gap.n === undefined ? period : { ...period, n: gap.n })
      low = end
    }
    if (low < gap.high) gaps.push({ ...gap, low })
  }
  return { periods, gaps }
}

/** The same stretches of time of each link, those that touch or overlap made one: where to look for periods. */
export function mergeIntervals(gaps: readonly Interval[]): Interval[] {
  return [...Map.groupBy(gaps, (gap) => gap.link_id).values()].flatMap((own) => {
    const intervals: Interval[] = []
    for (const { link_id, low, high, sign } of own.toSorted((a, b) => a.low - b.low)) {
      const last = intervals.at(-1)
      if (last && low <= last.high) last.high = Math.max(last.high, high)
      else intervals.push({ link_id, low, high, sign })
    }
    return intervals
  })
}

/** Every period of the unit that begins in `[low, high)`. */
export function startsIn(unit: PeriodUnit, low: number, high: number): number[] {
  const starts: number[] = []
  for (let start = beginningOf(unit, low); start < high; start = endOf(unit, start))
    if (start >= low) starts.push(start)
  return starts
}

/** When the UTC period begins that holds this moment. */
function beginningOf(unit: PeriodUnit, moment: number): number {
  if (unit === 'hour' || unit === '6h' || unit === 'day') return moment - (moment % lengths[unit])
  const date = new Date(moment * 1000)
  const month = date.getUTCMonth()
  const first = Date.UTC(date.getUTCFullYear(), unit === 'quarter' ? month - (month % 3) : month) / 1000
  return unit === '10d' ? first + 10 * DAY * Math.min(2, Math.floor((date.getUTCDate() - 1) / 10)) : first
}

/** Where the periods begin that are not before this moment. */
export function firstIndexFrom(periods: readonly Pick<Period, 'start'>[], low: number): number {
  let [first, end] = [0, periods.length]
  while (first < end) {
    const middle = (first + end) >> 1
    if ((periods[middle]?.start ?? low) < low) first = middle + 1
    else end = middle
  }
  return first
}

/** The whole hours that touch the window, nothing of them found yet. */
export function enclosingHours(linkIds: readonly number[], { from, to }: Window): Interval[] {
  const [low, high] = [hourOf(from), hourOf(to) + HOUR]
  return linkIds.map((link_id) => ({ link_id, low, high, sign: 1 }))
}

/**
 * The whole hours nearest to the window: of an hour that it cuts, its clicks are counted one by one, or those beyond it,
 * whichever is less time.
 */
export function nearestHours(linkIds: readonly number[], { from, to }: Window): Interval[] {
  const low = nearestHour(from)
  const high = nearestHour(to + 1)
  return low < high
    ? linkIds.map((link_id) => ({ link_id, low, high, sign: 1 }))
    : enclosingHours(linkIds, { from, to })
}

function nearestHour(moment: number): number {
  return hourOf(moment + HOUR / 2)
}

/** What the whole hours of a window hold beyond it. */
export function edgesOf({ from, to }: Window): { low: number; high: number }[] {
  return [
    { low: hourOf(from), high: from },
    { low: to + 1, high: hourOf(to) + HOUR },
  ].filter(({ low, high }) => low < high)
}

/**
 * A cover of whole hours, those that touch a window or those nearest to it, cut down to the window: gaps begin and end with
 * it, and what a period holds beyond it is taken out again, click by click. Either way an hour whose raw clicks were deleted
 * stays whole.
 */
export function clipTo(window: Window, hours: readonly Interval[], cover: Cover): Cover {
  const { from, to } = window
  const edges = edgesOf(window)
  const missing = hours.flatMap((hour) => [
    { ...hour, low: from, high: hour.low },
    { ...hour, low: hour.high, high: to + 1 },
  ])
  const clipped = [...cover.gaps, ...missing]
    .map((gap) => ({ ...gap, low: Math.max(gap.low, from), high: Math.min(gap.high, to + 1) }))
    .filter(({ low, high }) => low < high)
  const beyond = edges.flatMap(({ low, high }) =>
    cover.periods
      .filter((period) => period.start <= low && endOf(period.unit, period.start) >= high)
      .map(({ link_id }) => ({ link_id, low, high, sign: -1 as const })),
  )
  return { periods: cover.periods, gaps: [...clipped, ...beyond] }
}
