import { type Calendar, type Unit, createCalendar, timelineUnit } from '../../time/calendar.ts'
import { type Range, ranges } from '../../time/ranges.ts'
import { DAY, type Window, currentWindow, previousWindow } from '../../time/window.ts'

export const comparisons = ['previous', 'year'] as const
export type Comparison = (typeof comparisons)[number]

/** The time that is asked for: a range that ends now, or a custom window. */
export interface TimeQuery {
  range: Range | Window
  tz: string
  compare: Comparison | undefined
}

/** A window with its calendar. */
export interface CalendarWindow extends Window {
  calendar: Calendar
}

/** The longest custom windows whose timeline has this unit, in seconds. */
const longestWindows = [
  ['hour', 2 * DAY],
  ['day', 92 * DAY],
  ['week', 731 * DAY],
] as const satisfies [Unit, number][]

/** The windows of a query with their calendars. `findFirst` finds the first click, if any. */
export async function findWindows(
  time: TimeQuery,
  now: number,
  findFirst: () => Promise<number | undefined>,
): Promise<{ unit: Unit; window: CalendarWindow; comparison: CalendarWindow | undefined }> {
  const window = windowOf(time, now)
  const start = isEndless(time.range) ? await findFirst() : window.from
  const unit = unitOf(time, now, start ?? now)
  const calendar = start === undefined ? NO_CALENDAR : createCalendar(unit, start, window.to, time.tz)
  const before = comparisonWindow(time, now)
  return {
    unit,
    window: { ...window, calendar },
    comparison: before && { ...before, calendar: createCalendar(unit, before.from, before.to, time.tz) },
  }
}

/** A calendar without buckets. */
export const NO_CALENDAR: Calendar = { starts: [], labels: [], partial: { first: false, last: false } }

/** The unit of a timeline. `first` is the first click, with which the range `all` begins. */
function unitOf({ range }: TimeQuery, now: number, first: number): Unit {
  if (typeof range === 'string') return timelineUnit(range, now, first)
  const length = range.to + 1 - range.from
  return longestWindows.find(([, longest]) => length <= longest)?.[0] ?? 'month'
}

function windowOf({ range }: TimeQuery, now: number): Window {
  return typeof range === 'string' ? currentWindow(range, now) : range
}

/** The window to compare with; undefined without one. Nothing precedes the range `all`. */
function comparisonWindow({ range, tz, compare }: TimeQuery, now: number): Window | undefined {
  if (compare === undefined || range === 'all') return undefined
  const { from, to } = windowOf({ range, tz, compare }, now)
  if (compare === 'year') return { from: shift(from, { years: -1 }, tz), to: shift(to, { years: -1 }, tz) }
  if (typeof range === 'string') return previousWindow(range, now)
  const days = wholeDays({ from, to }, tz)
  const start = days === undefined ? from - (to + 1 - from) : shift(from, { days: -days }, tz)
  return start < 0 ? undefined : { from: start, to: from - 1 }
}

/** The local days of a window that begins and ends at midnight; undefined for another one. */
function wholeDays({ from, to }: Window, tz: string): number | undefined {
  const [start, end] = [from, to + 1].map((moment) => clockAt(moment, tz))
  if (!start || !end) return undefined
  if (![start, end].every((clock) => clock.startOfDay().epochMilliseconds === clock.epochMilliseconds))
    return undefined
  return start.toPlainDate().until(end.toPlainDate()).days
}

function clockAt(moment: number, tz: string): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(moment * 1000).toZonedDateTimeISO(tz)
}

/** The moment at the same local time some years or days later (Unix seconds). */
function shift(moment: number, by: { years: number } | { days: number }, tz: string): number {
  return Math.floor(clockAt(moment, tz).add(by).epochMilliseconds / 1000)
}

/** True for `all`, which begins with the first click. */
export function isEndless(range: Range | Window): boolean {
  return typeof range === 'string' && ranges[range].seconds === null
}
