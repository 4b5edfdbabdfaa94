import { z } from 'zod'

export const TimeZone = z
  .string()
  .max(64)
  .refine(isTimeZone, 'must be the name of a time zone')
  .meta({ description: 'IANA time zone.', examples: ['Europe/Stockholm'] })

function isTimeZone(name: string): boolean {
  // `Intl` also accepts an offset such as +01:00, which ignores daylight saving time.
  if (!/^[A-Za-z]/.test(name)) return false
  try {
    new Intl.DateTimeFormat('en', { timeZone: name }).format(0)
    return true
  } catch {
    return false
  }
}
