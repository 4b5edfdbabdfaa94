import { getTimeZone } from '@latchkey/web/formats'
import { clockTimeAt, momentOfClock } from './clock-time.ts'
import { zoneName } from './time-zone.ts'

/**
 * Latest time that the service accepts, for `max` of a field. Otherwise, browsers accept six-digit
 * years.
 */
export const MAX_DATE_TIME = '9999-12-31T23:59'

/** Converts Unix seconds to the value of a `datetime-local` field, in the time zone of the page. */
export const toField = (seconds: number): string => clockTimeAt(seconds, getTimeZone())

/**
 * Converts the value of a field to Unix seconds, an empty value to null. An invalid value becomes a
 * number that the service refuses: JSON would turn NaN into null.
 */
export function fromField(value: string): number | null {
  if (value === '') return null
  const seconds = momentOfClock(value, getTimeZone())
  return Number.isNaN(seconds) ? Number.MAX_SAFE_INTEGER : Math.floor(seconds)
}

/** The time zone in which a field is read, with its short name then: "Europe/Stockholm (CET)". */
export function zoneOfField(value: string, language: string): string {
  const zone = getTimeZone()
  const moment = momentOfClock(value, zone)
  const name = zoneName(language, Number.isNaN(moment) ? Date.now() / 1000 : moment)
  return name === zone ? zone : `${zone} (${name})`
}
