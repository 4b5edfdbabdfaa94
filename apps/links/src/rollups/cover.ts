import type { ClickPeriodTable, PeriodUnit } from '../db/click-tables.ts'
import { DAY, HOUR, type Window, hourOf } from '../time/window.ts'

/** A `link_id` of 0 stands for the whole instance. */
export interface Period {
  link_id: number
  unit: PeriodUnit
  start: number
}

/** A complete period, with its rollups. */
export type StoredPeriod = ClickPeriodTable

/** Clicks in `[low, high)` that are counted one by one, or subtracted (`sign` -1). */
export interface Interval {
  link_id: number
  low: number
  high: number
  sign: 1 | -1
  /** The bucket that the interval belongs to, if any. */
  n?: number | undefined
}

/** Periods and gaps that together hold exactly the clicks of a window. */
export interface Cover<Part extends Period = StoredPeriod> {
  /** Periods, each with the `n` of the gap that it fills. */
  periods: (Part & Pick<Interval, 'n'>)[]
  gaps: Interval[]
}

/** Units of periods, largest first. A few of each cover any window, which keeps reads cheap. */
export const periodUnits = ['quarter', 'month', '10d', 'day', '6h', 'hour'] as const satisfies PeriodUnit[]

const lengths = { hour: HOUR, '6h': 6 * HOUR, day: DAY }

/** The exclusive end of the UTC period that starts here, in Unix seconds. */
export function endOf(unit: PeriodUnit, start: number): number {
  if (unit === 'hour' || unit === '6h' || unit === 'day') return start + lengths[unit]
  const date = new Date(start * 1000)
  if (unit === '10d' && date.getUTCDate() <= 11) return start + 10 * DAY
  return Date.UTC(date.getUTCFullYear(), date.getUTCMonth() + (unit === 'quarter' ? 3 : 1)) / 1000
}

/**
 * Fills gaps with the periods that fit and returns what remains. The periods of each link are in
 * ascending order.
 */
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

/**
 * The intervals of each link, with adjacent and overlapping ones merged: the ranges to search for
 * periods.
 */
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

/** Every start of a period of this unit in `[low, high)`. */
export function startsIn(unit: PeriodUnit, low: number, high: number): number[] {
  const starts: number[] = []
  for (let start = beginningOf(unit, low); start < high; start = endOf(unit, start))
    if (start >= low) starts.push(start)
  return starts
}

/** The start of the UTC period that contains this moment. */
function beginningOf(unit: PeriodUnit, moment: number): number {
  if (unit === 'hour' || unit === '6h' || unit === 'day') return moment - (moment % lengths[unit])
  const date = new Date(moment * 1000)
  const month = date.getUTCMonth()
  const first = Date.UTC(date.getUTCFullYear(), unit === 'quarter' ? month - (month % 3) : month) / 1000
  return unit === '10d' ? first + 10 * DAY * Math.min(2, Math.floor((date.getUTCDate() - 1) / 10)) : first
}

/** The index of the first period that starts at or after this moment. */
export function firstIndexFrom(periods: readonly Pick<Period, 'start'>[], low: number): number {
  let [first, end] = [0, periods.length]
  while (first < end) {
    const middle = (first + end) >> 1
    if ((periods[middle]?.start ?? low) < low) first = middle + 1
    else end = middle
  }
  return first
}

/** The whole hours that overlap the window, as gaps. */
export function enclosingHours(linkIds: readonly number[], { from, to }: Window): Interval[] {
  const [low, high] = [hourOf(from), hourOf(to) + HOUR]
  return linkIds.map((link_id) => ({ link_id, low, high, sign: 1 }))
}

/**
 * The whole hours nearest to the window. For a cut hour, either the clicks inside the window are
 * counted one by one or those outside, whichever covers less time.
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

/** The parts of the enclosing hours that lie outside the window. */
export function edgesOf({ from, to }: Window): { low: number; high: number }[] {
  return [
    { low: hourOf(from), high: from },
    { low: to + 1, high: hourOf(to) + HOUR },
  ].filter(({ low, high }) => low < high)
}

/**
 * Clips a cover of whole hours, enclosing or nearest, to the window. Gaps start and end with the
 * window. Clicks of a period that lie outside the window are subtracted one by one. In both cases
 * an hour whose raw clicks were deleted stays whole.
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
