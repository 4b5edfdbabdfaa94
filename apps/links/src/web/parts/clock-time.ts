import { momentFormat } from '@latchkey/web/formats'

/** No change of clocks skips more: Samoa skipped 30 December 2011. */
const DAY_MS = 86_400_000

/** Milliseconds that the clocks of a time zone are ahead of UTC at a moment. */
function offsetAt(ms: number, timeZone: string): number {
  const format = momentFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
  const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
  return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1000) * 1000
}

/** The time that the clocks of a time zone show at a moment (Unix seconds): `YYYY-MM-DDTHH:MM`. */
export function clockTimeAt(seconds: number, timeZone: string): string {
  const ms = seconds * 1000
  return new Date(ms + offsetAt(ms, timeZone)).toISOString().slice(0, 16)
}

/**
 * The moment (Unix seconds) at which the clocks of a time zone show a time. The first one if they
 * show it twice. A time that they skip is as much later as the gap is long, as in Temporal. NaN for
 * an invalid time.
 */
export function momentOfClock(clockTime: string, timeZone: string): number {
  const utcMs = /^\d{4}-/.test(clockTime) ? Date.parse(`${clockTime}Z`) : NaN
  if (Number.isNaN(utcMs)) return utcMs
  const [before, after] = [offsetAt(utcMs - DAY_MS, timeZone), offsetAt(utcMs + DAY_MS, timeZone)]
  const matching = [before, after].filter((offset) => offsetAt(utcMs - offset, timeZone) === offset)
  return (utcMs - Math.max(...(matching.length > 0 ? matching : [before]))) / 1000
}
