import type { NotificationSettingsRow } from '../db/notification-rows.ts'
import type { QuietHours } from '../notifications/schema.ts'

/** Whether this moment is within the quiet hours, whose end does not belong to them. */
export function isQuiet(quiet: QuietHours | null, now: Date): boolean {
  if (!quiet) return false
  const time = now.toLocaleTimeString('en-GB', { timeZone: quiet.tz, hour: '2-digit', minute: '2-digit' })
  const [isAfter, isBefore] = [time >= quiet.from, time < quiet.to]
  return quiet.from < quiet.to ? isAfter && isBefore : isAfter || isBefore
}

/** Null without quiet hours. */
export function quietHoursOf({
  quiet_from: from,
  quiet_to: to,
  quiet_tz: tz,
}: NotificationSettingsRow): QuietHours | null {
  return from !== null && to !== null && tz !== null ? { from, to, tz } : null
}
