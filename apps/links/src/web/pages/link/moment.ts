import { momentFormat } from '@latchkey/web/formats'
const padTwo = (value: number) => String(value).padStart(2, '0')

/** Converts Unix seconds to the value of a `datetime-local` field. */
export function toField(seconds: number): string {
  const date = new Date(seconds * 1000)
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`
  return `${day}T${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`
}

/**
 * Latest time that the service accepts, for `max` of a field. Otherwise, browsers accept six-digit
 * years.
 */
export const MAX_DATE_TIME = '9999-12-31T23:59'

/**
 * Converts the value of a field to Unix seconds, an empty value to null. An invalid value becomes a
 * number that the service refuses: JSON would turn NaN into null.
 */
export function fromField(value: string): number | null {
  if (value === '') return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : Math.floor(at / 1000)
}

/** Formats Unix seconds as date and time. */
export function dayAndTime(seconds: number, language: string): string {
  return momentFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
}
