import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from '@latchkey/http/duration'

const numbers = new Map<string, Intl.NumberFormat>()
const moments = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns a cached formatter: formatters are slow to create, and a page may show thousands of
 * times.
 */
export function numberFormat(language: string, options: Intl.NumberFormatOptions = {}): Intl.NumberFormat {
  return cachedFormat(
    numbers,
    `${language} ${JSON.stringify(options)}`,
    () => new Intl.NumberFormat(language, options),
  )
}

export const browserTimeZone = Intl.DateTimeFormat().resolvedOptions().timeZone
let timeZone = browserTimeZone

/** The time zone of all dates and times on the page: an IANA name. */
export const getTimeZone = (): string => timeZone

/**
 * Changes the time zone of what is rendered from now on. Null follows the browser, and so does a
 * name that the browser does not know: its database may be older than the server's.
 */
export function changeTimeZone(name: string | null): void {
  timeZone = name !== null && isKnown(name) ? name : browserTimeZone
}

function isKnown(name: string): boolean {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}

/**
 * Dates and times as in the browser's region, if its language is that of the interface, and in the
 * time zone of the page, unless the options have another.
 */
export function momentFormat(language: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const zoned = { timeZone, ...options }
  return cachedFormat(
    moments,
    `${language} ${JSON.stringify(zoned)}`,
    () => new Intl.DateTimeFormat(withRegion(language, navigator.languages), zoned),
  )
}

/**
 * Adds the region of the first of the browser's languages that is `language`, such as `en-GB` for
 * `en`. Returns `language` itself if there is none, and outside of browsers.
 */
export function withRegion(language: string, browserLanguages: readonly string[] | undefined): string {
  return browserLanguages?.find((tag) => tag.split('-', 1)[0] === language) ?? language
}

/** A time in the past as "now" or "10 min. ago"; as a date if it is older than a week. */
export function relativeTime(language: string, atMs: number, nowMs: number): string {
  const ageMs = Math.max(0, nowMs - atMs)
  if (ageMs >= 7 * DAY_MS) return momentFormat(language, { dateStyle: 'medium' }).format(atMs)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto', style: 'short' })
  if (ageMs >= DAY_MS) return format.format(-Math.floor(ageMs / DAY_MS), 'day')
  if (ageMs >= HOUR_MS) return format.format(-Math.floor(ageMs / HOUR_MS), 'hour')
  if (ageMs >= MINUTE_MS) return format.format(-Math.floor(ageMs / MINUTE_MS), 'minute')
  return format.format(-Math.floor(ageMs / SECOND_MS), 'second')
}

function cachedFormat<Format>(formats: Map<string, Format>, key: string, create: () => Format): Format {
  const format = formats.get(key) ?? create()
  formats.set(key, format)
  return format
}
