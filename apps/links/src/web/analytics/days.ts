import { clockTimeAt, momentOfClock } from '../parts/clock-time.ts'

const DAY_MS = 86_400_000

/** The day (`YYYY-MM-DD`) that is this number of days after another. */
export function addDays(day: string, days: number): string {
  return new Date(Date.parse(`${day}T00:00Z`) + days * DAY_MS).toISOString().slice(0, 10)
}

/** Start of a day (`YYYY-MM-DD`) in a time zone, in Unix seconds. */
export const startOfDay = (day: string, timeZone: string): number => momentOfClock(`${day}T00:00`, timeZone)

/** Last second of a day (`YYYY-MM-DD`) in a time zone, in Unix seconds. */
export const endOfDay = (day: string, timeZone: string): number => startOfDay(addDays(day, 1), timeZone) - 1

/** Day (`YYYY-MM-DD`) of a moment in a time zone. */
export const dayOf = (seconds: number, timeZone: string): string =>
  clockTimeAt(seconds, timeZone).slice(0, 10)
