import { type Range, ranges } from './ranges.ts'
import { DAY, currentWindow } from './window.ts'

export type Unit = 'hour' | 'day' | 'week' | 'month'

/**
 * Calendar units that overlap a window, ascending. The first one starts with the window, not with
 * its unit.
 */
export interface Calendar {
  starts: number[]
  labels: string[]
  /** Whether the window begins inside the first unit, and whether it ends inside the last one. */
  partial: { first: boolean; last: boolean }
}

/** `YYYY-MM-DD HH`, `YYYY-MM-DD` or `YYYY-MM` (L14.4). */
const labelLengths = { hour: 13, day: 10, week: 10, month: 7 } as const

const steps = { hour: { hours: 1 }, day: { days: 1 }, week: { weeks: 1 }, month: { months: 1 } } as const

/** Checks for a name of the IANA time zone database. Offsets such as `+02:00` are rejected. */
export function isTimeZone(name: string): boolean {
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    return new Temporal.ZonedDateTime(0n, name).timeZoneId !== ''
  } catch {
    return false
  }
}

/** The unit of a timeline. The range `all` derives it from the whole days since the first click. */
export function timelineUnit(range: Range, now: number, first: number): Unit {
  if (range !== 'all') return ranges[range].unit
  const elapsedDays = Math.floor((now - first) / DAY)
  return elapsedDays <= 90 ? 'day' : elapsedDays <= 730 ? 'week' : 'month'
}

/**
 * The calendar of a timeline. `first` is the first click that counts (Unix seconds); without it,
 * `all` has no buckets.
 */
export function createTimelineCalendar(
  range: Range,
  now: number,
  tz: string,
  first: number | undefined,
): Calendar {
  if (range !== 'all') return createCalendar(ranges[range].unit, currentWindow(range, now).from, now, tz)
  if (first === undefined) return { starts: [], labels: [], partial: { first: false, last: false } }
  return createCalendar(timelineUnit(range, now, first), first, now, tz)
}

/**
 * Every unit that overlaps `from..to` (Unix seconds, inclusive) in a time zone. Local clock time
 * identifies a unit: an hour that a clock change repeats is one unit, and a skipped hour is none.
 */
export function createCalendar(unit: Unit, from: number, to: number, tz: string): Calendar {
  const result: Calendar = { starts: [], labels: [], partial: { first: false, last: false } }
  const label = (clock: Temporal.PlainDateTime) =>
    clock.toString().replace('T', ' ').slice(0, labelLengths[unit])
  let clock = startOfUnit(
    unit,
    Temporal.Instant.fromEpochMilliseconds(from * 1000)
      .toZonedDateTimeISO(tz)
      .toPlainDateTime(),
  )
  for (;;) {
    // The earlier of two instants. In a gap, the instant at which the clock resumes.
    const moment = clock.toZonedDateTime(tz)
    const start = Math.floor(moment.epochMilliseconds / 1000)
    if (start > to) {
      result.partial.last = start > to + 1
      return result
    }
    if (label(moment.toPlainDateTime()) === label(clock)) {
      if (start < from) result.partial.first = true
      result.starts.push(Math.max(start, from))
      result.labels.push(label(clock))
    }
    clock = clock.add(steps[unit])
  }
}

function startOfUnit(unit: Unit, clock: Temporal.PlainDateTime): Temporal.PlainDateTime {
  if (unit === 'hour') return clock.round({ smallestUnit: 'hour', roundingMode: 'floor' })
  const day = clock.round({ smallestUnit: 'day', roundingMode: 'floor' })
  if (unit === 'week') return day.subtract({ days: day.dayOfWeek - 1 })
  return unit === 'month' ? day.with({ day: 1 }) : day
}
