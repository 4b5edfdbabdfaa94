import { referrerHost } from '../../clicks/referrer.ts'
import { classifyUserAgent } from '../../clicks/user-agent.ts'
import type { Condition, Hours } from './program.ts'

/** What a redirect knows of a visit. Anything expensive is a function, called when it is needed. */
export interface Visit {
  /** Unix seconds. */
  readonly now: number
  readonly userAgent: string | null
  readonly acceptLanguage: string | null
  readonly referrer: string | null
  /** Query of the short URL with its question mark. */
  readonly query: string | null
  /** The segments of the path after the slug, decoded. */
  readonly parameters: readonly string[]
  country(): string | null
  /** The visitor's hash of the day. */
  visitorFp(): string | null
  /** A random number from 0 up to 1. */
  random(): number
}

/** Whether the condition holds. Its twin `not_…` holds exactly when it does not (L26). */
export function holds(condition: Condition, visit: Visit): boolean {
  const [, , isNegated = false] = condition
  return test(condition, visit) !== isNegated
}

function test(condition: Condition, visit: Visit): boolean {
  switch (condition[0]) {
    case 'after':
      return visit.now >= condition[1]
    case 'before':
      return visit.now < condition[1]
    case 'hours':
      return isWithin(condition[1], visit.now)
    case 'query':
      return hasParameter(condition[1], visit.query)
    case 'language':
      return isLanguage(condition[1], valueOf('language', visit))
    default: {
      const value = valueOf(condition[0], visit)
      return value !== null && condition[1].includes(value)
    }
  }
}

/** What a condition looks at: its value in this visit, or null if that is unknown. */
export function observedBy(condition: Condition, visit: Visit): string | number | null {
  switch (condition[0]) {
    case 'after':
    case 'before':
      return visit.now
    case 'hours':
      return zonedTime(condition[1].tz, visit.now).toPlainDateTime().toString({ smallestUnit: 'minute' })
    case 'query':
      return visit.query
    default:
      return valueOf(condition[0], visit)
  }
}

function valueOf(
  name: 'device' | 'os' | 'browser' | 'country' | 'language' | 'referrer_host',
  visit: Visit,
): string | null {
  if (name === 'country') return visit.country()
  if (name === 'language') return bestLanguage(visit.acceptLanguage)
  if (name === 'referrer_host') return referrerHost(visit.referrer)
  const client = classifyUserAgent(visit.userAgent)
  return name === 'device' ? client.deviceType : client[name]
}

function hasParameter(parameters: readonly { name: string; is?: string }[], query: string | null): boolean {
  if (query === null) return false
  const values = new URLSearchParams(query)
  return parameters.some(({ name, is }) => (is === undefined ? values.has(name) : values.has(name, is)))
}

/** Matches prefixes of language tags: `pt` matches `pt-BR`. */
function isLanguage(prefixes: readonly string[], language: string | null): boolean {
  if (language === null) return false
  return prefixes.some((prefix) => language === prefix || language.startsWith(`${prefix}-`))
}

/** A longer header is not from a browser. */
const MAX_LANGUAGES = 50

/**
 * The language that the visitor prefers, in lower case: of the highest quality, and of several the
 * first. Null if the header names none.
 */
export function bestLanguage(header: string | null): string | null {
  let best: string | null = null
  let bestQuality = 0
  for (const entry of header?.split(',', MAX_LANGUAGES) ?? []) {
    const [tag = '', ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    if (!/^[a-z]{1,8}(?:-[a-z0-9]{1,8})*$/.test(tag)) continue
    const quality = qualityOf(parameters[0])
    if (quality > bestQuality) [best, bestQuality] = [tag, quality]
  }
  return best
}

/** The weight of RFC 9110 section 12.4.2; 0 for a malformed one. */
function qualityOf(parameter: string | undefined): number {
  if (parameter === undefined) return 1
  const digits = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/.exec(parameter)?.[1]
  return digits === undefined ? 0 : Number(digits)
}

/** Hours that end on the next day belong to the day on which they begin. */
function isWithin({ days, from, to, tz }: Hours, now: number): boolean {
  const { day, minute } = localTime(tz, now)
  const begins = (on: number) => days === undefined || days.includes(on)
  if (from < to) return from <= minute && minute < to && begins(day)
  const dayBefore = day === 1 ? 7 : day - 1
  return (minute >= from && begins(day)) || (minute < to && begins(dayBefore))
}

/** The latest local time of each zone, of which there are some 600. It is asked once a minute. */
const localTimes = new Map<string, { at: number; day: number; minute: number }>()

/** ISO day and minute of the day in a time zone. */
function localTime(tz: string, now: number): { day: number; minute: number } {
  const at = Math.floor(now / 60)
  const cached = localTimes.get(tz)
  if (cached?.at === at) return cached
  const local = zonedTime(tz, at * 60)
  const time = { at, day: local.dayOfWeek, minute: local.hour * 60 + local.minute }
  localTimes.set(tz, time)
  return time
}

export function zonedTime(tz: string, now: number): Temporal.ZonedDateTime {
  return Temporal.Instant.fromEpochMilliseconds(now * 1000).toZonedDateTimeISO(tz)
}
