import { HOUR, type Window, hourOf } from '../time/window.ts'

/** Hours that start in `[low, high)`, counted for bucket `n`. */
export interface HourInterval {
  n: number
  low: number
  high: number
}

/** Raw clicks in `[low, high)` that are added to bucket `n` (1) or subtracted from it (-1). */
export interface Edge extends HourInterval {
  sign: 1 | -1
}

/**
 * The parts of buckets: whole hours, and raw clicks where a bucket starts or ends inside an hour.
 */
export interface Segments {
  hours: HourInterval[]
  edges: Edge[]
  /**
   * True if the links have so few clicked hours that reading those is cheaper than one query per
   * bucket and link.
   */
  byHour?: boolean
}

/**
 * Segments of consecutive buckets. Starts are ascending, each bucket ends where the next one
 * starts, and the last ends at `to` inclusive. Each hour counts for one bucket, and raw clicks
 * after a boundary inside the hour move to the next bucket. Buckets therefore always add up to the
 * count of the whole window. Once raw clicks are deleted, they keep all clicks at hour precision.
 */
export function segmentsOf(starts: readonly number[], to: number): Segments {
  const hours: HourInterval[] = []
  const edges: Edge[] = []
  for (const [n, start] of starts.entries()) {
    const low = n === 0 ? hourOf(start) : hourAfter(start)
    const next = starts[n + 1]
    hours.push({ n, low, high: next === undefined ? to + 1 : hourAfter(next) })
    if (start === hourOf(start)) continue
    const endOfHour = hourOf(start) + HOUR
    if (n === 0) edges.push({ n, low: hourOf(start), high: start, sign: -1 })
    else
      edges.push(
        { n: n - 1, low: start, high: endOfHour, sign: -1 },
        { n, low: start, high: endOfHour, sign: 1 },
      )
  }
  if (starts.length > 0 && (to + 1) % HOUR !== 0)
    edges.push({ n: starts.length - 1, low: to + 1, high: hourOf(to) + HOUR, sign: -1 })
  return { hours, edges }
}

/** Segments of independent windows, one bucket each, in the order of the list. */
export function windowSegments(windows: readonly Window[]): Segments {
  const segments = windows.map(({ from, to }) => segmentsOf([from], to))
  return {
    hours: segments.flatMap(({ hours }, n) => hours.map((interval) => ({ ...interval, n }))),
    edges: segments.flatMap(({ edges }, n) => edges.map((edge) => ({ ...edge, n }))),
  }
}

/** Joins segments: the buckets of the second follow the `length` buckets of the first. */
export function concatSegments(first: Segments, second: Segments, length: number): Segments {
  const shift = <IntervalType extends HourInterval>(interval: IntervalType) => ({
    ...interval,
    n: interval.n + length,
  })
  return {
    hours: [...first.hours, ...second.hours.map(shift)],
    edges: [...first.edges, ...second.edges.map(shift)],
  }
}

/** The first start of an hour at or after this moment. */
function hourAfter(moment: number): number {
  return Math.ceil(moment / HOUR) * HOUR
}
