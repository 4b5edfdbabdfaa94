import { getTimeZone, momentFormat } from '@latchkey/web/formats'

/** Short name of the time zone of the page at a moment: "CET", or "GMT+1" where the language has none. */
export function zoneName(language: string, seconds: number): string {
  const parts = momentFormat(language, { timeZoneName: 'short' }).formatToParts(seconds * 1000)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? getTimeZone()
}

/** Formats Unix seconds as date and time with the time zone: "22 Nov 2026, 12:51 CET". */
export function dayAndTime(seconds: number, language: string): string {
  const format = momentFormat(language, { dateStyle: 'medium', timeStyle: 'short' })
  return `${format.format(seconds * 1000)} ${zoneName(language, seconds)}`
}
