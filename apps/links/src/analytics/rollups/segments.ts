import { HOUR, type Window, hourOf } from '../window.ts'

/** Hours that begin in `[low, high)` count for bucket `n`. */
export interface HourInterval {
  n: number
  low: number
  high: number
}

/** Raw clicks in `[low, high)` are added to bucket `n` once more (1) or taken out of it (-1). */
export interface Edge extends HourInterval {
  sign: 1 | -1
}

/** How buckets are counted: whole hours, and raw clicks where a bucket begins or ends inside an hour. */
export interface Segments {
  hours: HourInterval[]
  edges: Edge[]
  /** The links have so few clicked hours that those are read instead of asking for each bucket of each link. */
  byHour?: boolean
}

/**
 * Buckets that follow each other: each from its start (ascending) to the next, the last to `to` inclusive. Each hour counts
 * for one bucket, and the raw clicks behind a boundary inside it move on to the next one. So buckets always add up to
 * what their whole span counts, and after raw clicks were deleted they keep everything, at hour precision.
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

/** Windows that have nothing to do with each other: one bucket each, by their place in the list. */
export function windowSegments(windows: readonly Window[]): Segments {
  const segments = windows.map(({ from, to }) => segmentsOf([from], to))
  return {
    hours: segments.flatMap(({ hours }, n) => hours.map((interval) => ({ ...interval, n }))),
    edges: segments.flatMap(({ edges }, n) => edges.map((edge) => ({ ...edge, n }))),
  }
}

/** Both, the buckets of the second behind those of the first, of which there are `length`. */
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

/** The first beginning of an hour that is not before this moment. */
function hourAfter(moment: number): number {
  return Math.ceil(moment / HOUR) * HOUR
}
