import { MAX_MOMENT } from '../api/fields.ts'

const DATES = [
  /^(?<year>\d{4})(?<sign>[-/.])(?<month>\d\d?)\k<sign>(?<day>\d\d?)(?:T|$|(?=[\s,]))/i,
  /^(?<year>\d{4})(?<month>\d\d)(?<day>\d\d)(?:T|$)/i,
  // Only the day may follow a dot: `31.1.2020` is never American.
  /^(?<day>\d\d?)\.(?<month>\d\d?)\.(?<year>\d{4})(?=$|[\s,])/,
  /^(?<first>\d\d?)([-/])(?<second>\d\d?)\2(?<year>\d{4})(?=$|[\s,])/,
  /^(?:[a-z]{3,9},?\s+)?(?<day>\d\d?)[\s-](?<name>[a-z]{3,9})\.?,?[\s-](?<year>\d{4})(?=$|[\s,])/i,
  /^(?:[a-z]{3,9},?\s+)?(?<name>[a-z]{3,9})\.?\s+(?<day>\d\d?)(?:st|nd|rd|th)?,?\s+(?<year>\d{4})(?=$|[\s,])/i,
] as const
const TIME =
  /^(?:[\s,]+(?:at\s+)?)?(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:[.,]\d{1,9})?)?(?:\s?(?<half>[ap])\.?m\.?)?(?<zone>.*)$/i
const COMPACT_TIME = /^(?<hour>\d\d)(?<minute>\d\d)(?<second>\d\d)?(?<zone>.*)$/
/** A name may repeat the offset, as in `+0000 UTC` and `GMT+0000 (Coordinated Universal Time)`. */
const ZONE = /^(?:Z|UTC|GMT)?(?<offset>[+-]\d\d(?::?\d\d)?)?(?:UTC|GMT|Z)?(?:\([^()]{1,60}\))?$/i
const MONTHS = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')
/** A longer text is no time. */
const MAX_LENGTH = 100
/** What databases and programs write for no time at all. */
const ZERO_DATE = /^000[01]-0[01]-0[01](?!\d)/

export function isZeroDate(value: unknown): boolean {
  return typeof value === 'string' && ZERO_DATE.test(value.trim())
}

/**
 * Returns the Unix seconds of a value in a file: a number of seconds, or of milli- or microseconds
 * if it is too large for seconds, or a date in a common form, with or without a time, in UTC unless
 * it has a zone. Undefined for anything else, for dates whose day and month could be exchanged,
 * and for times before 1970 or after 9999.
 */
export function parseMoment(value: string | number): number | undefined {
  const seconds = typeof value === 'string' ? secondsOf(value.trim()) : wholeSeconds(value)
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_MOMENT ? seconds : undefined
}

function wholeSeconds(count: number): number {
  let seconds = count
  for (let factor = 0; factor < 2 && seconds > MAX_MOMENT; factor++) seconds /= 1000
  return Math.floor(seconds)
}

function secondsOf(text: string): number {
  if (/^\d{1,17}(?:\.\d{1,9})?$/.test(text) && !/^\d{8}$/.test(text)) return wholeSeconds(Number(text))
  if (text.length > MAX_LENGTH) return Number.NaN
  for (const pattern of DATES) {
    const match = pattern.exec(text)
    if (match) return dateSeconds(match.groups ?? {}) + timeSeconds(text.slice(match[0].length))
  }
  return Number.NaN
}

type Groups = Readonly<Record<string, string | undefined>>

function dateSeconds({ year, month, day, name, first, second }: Groups): number {
  const [y, m, d] = [Number(year), monthOf({ month, name, first, second }), dayOf({ day, first, second })]
  const date = new Date(Date.UTC(y, m - 1, d))
  // Date.UTC turns 30 February into 1 March.
  return date.getUTCDate() === d && date.getUTCMonth() === m - 1 ? date.getTime() / 1000 : Number.NaN
}

function monthOf({ month, name, first, second }: Groups): number {
  if (name !== undefined) return MONTHS.indexOf(name.slice(0, 3).toLowerCase()) + 1
  return month === undefined ? orderedDay({ first, second }).month : Number(month)
}

function dayOf({ day, first, second }: Groups): number {
  return day === undefined ? orderedDay({ first, second }).day : Number(day)
}

/** `01/31/2020` and `31/01/2020` are the same day; `01/02/2020` is one of two. */
function orderedDay({ first, second }: Groups): { day: number; month: number } {
  const [a, b] = [Number(first), Number(second)]
  if (a > 12 || a === b) return { day: a, month: b }
  return b > 12 ? { day: b, month: a } : { day: Number.NaN, month: Number.NaN }
}

function timeSeconds(text: string): number {
  if (text.trim() === '') return 0
  const {
    hour,
    minute,
    second = '0',
    half,
    zone = '',
  } = (TIME.exec(text) ?? COMPACT_TIME.exec(text))?.groups ?? {}
  const offset = ZONE.exec(zone.replaceAll(/\s+/g, ' ').replaceAll(/ (?![^()]*\))/g, ''))
  if (!offset) return Number.NaN
  const [h, m, s] = [hourOf(Number(hour), half), Number(minute), Number(second)]
  const isReal = h < 24 && m < 60 && s < 60
  return isReal ? h * 3600 + m * 60 + s - offsetSeconds(offset.groups?.['offset'] ?? '') : Number.NaN
}

/** The hour of 24. */
function hourOf(hour: number, half: string | undefined): number {
  if (half === undefined) return hour
  return hour < 1 || hour > 12 ? Number.NaN : (hour % 12) + (half.toLowerCase() === 'p' ? 12 : 0)
}

function offsetSeconds(offset: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? []
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return sign === '-' ? -seconds : seconds
}
