const padTwo = (value: number) => String(value).padStart(2, '0')

/** Unix seconds as a field for a local date and time has them. */
export function toField(seconds: number): string {
  const date = new Date(seconds * 1000)
  const day = `${String(date.getFullYear()).padStart(4, '0')}-${padTwo(date.getMonth() + 1)}-${padTwo(date.getDate())}`
  return `${day}T${padTwo(date.getHours())}:${padTwo(date.getMinutes())}`
}

/** The last moment that the service takes, for a field's `max`: without one, browsers take years of six digits. */
export const MAX_DATE_TIME = '9999-12-31T23:59'

/** Null for an empty field. What cannot be read is beyond what the service takes: NaN would be sent as null. */
export function fromField(value: string): number | null {
  if (value === '') return null
  const at = Date.parse(value)
  return Number.isNaN(at) ? Number.MAX_SAFE_INTEGER : Math.floor(at / 1000)
}

/** Unix seconds as a day and a time of it, in a language. */
export function dayAndTime(seconds: number, language: string): string {
  return new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'short' }).format(seconds * 1000)
}
