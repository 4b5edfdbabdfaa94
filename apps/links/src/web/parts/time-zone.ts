import { momentFormat } from '@latchkey/web/formats'

/** Time zone in which all pages show times and begin their days. */
export const { timeZone } = Intl.DateTimeFormat().resolvedOptions()

/** Short name of the time zone at a moment: "CET", or "GMT+1" where the language has none. */
export function zoneName(language: string, seconds: number): string {
  const parts = momentFormat(language, { timeZone, timeZoneName: 'short' }).formatToParts(seconds * 1000)
  return parts.find(({ type }) => type === 'timeZoneName')?.value ?? timeZone
}
