const DAY_SECONDS = 86_400

/** Milliseconds that the local time of a zone is ahead of UTC at a moment. */
function offsetAt(ms: number, timeZone: string): number {
  const format = new Intl.DateTimeFormat('en-US', {
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

/** Start of a day (`YYYY-MM-DD`) in a time zone, in Unix seconds. */
export function startOfDay(day: string, timeZone: string): number {
  const utc = Date.parse(`${day}T00:00:00Z`)
  const guess = utc - offsetAt(utc, timeZone)
  // The offset may change between the guess and UTC's midnight.
  return (utc - offsetAt(guess, timeZone)) / 1000
}

/** Last second of a day (`YYYY-MM-DD`) in a time zone, in Unix seconds. */
export function endOfDay(day: string, timeZone: string): number {
  const next = new Date(Date.parse(`${day}T00:00:00Z`) + DAY_SECONDS * 1000).toISOString().slice(0, 10)
  return startOfDay(next, timeZone) - 1
}

/** Day (`YYYY-MM-DD`) of a moment in a time zone. */
export function dayOf(seconds: number, timeZone: string): string {
  return new Date(seconds * 1000 + offsetAt(seconds * 1000, timeZone)).toISOString().slice(0, 10)
}
