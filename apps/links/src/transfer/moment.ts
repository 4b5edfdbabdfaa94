import { MAX_MOMENT } from '../links/schema.ts'

const ISO =
  /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:[.,]\d+)?)?\s?(Z|UTC|[+-]\d\d(?::?\d\d)?)?)?$/i

/**
 * Returns the Unix seconds of a value in a file: a whole number of seconds, a date, or a date with
 * a time, in UTC unless it has a zone. Undefined for anything else, and for times before 1970 or
 * after 9999.
 */
export function parseMoment(value: string | number): number | undefined {
  const seconds = typeof value === 'string' ? secondsOf(value.trim()) : value
  return Number.isInteger(seconds) && seconds >= 0 && seconds <= MAX_MOMENT ? seconds : undefined
}

function secondsOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  const [, year, month, day, hour = '0', minute = '0', second = '0', zone = 'Z'] = ISO.exec(text) ?? []
  const [y, mo, d, h, mi, s] = [year, month, day, hour, minute, second].map(Number) as Six
  const date = new Date(Date.UTC(y, mo - 1, d, h, mi, s))
  // Date.UTC turns 30 February into 1 March.
  const isReal = date.getUTCDate() === d && date.getUTCMonth() === mo - 1 && mi < 60 && s < 60
  return isReal ? date.getTime() / 1000 - offsetSeconds(zone) : Number.NaN
}

type Six = [number, number, number, number, number, number]

function offsetSeconds(zone: string): number {
  const [, sign, hours = '0', minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(zone) ?? []
  const seconds = Number(hours) * 3600 + Number(minutes) * 60
  return sign === '-' ? -seconds : seconds
}
