import type { NotificationLevel } from '../rooms/notification-levels.ts'
import type { QuietHours } from './schema.ts'

interface Counts {
  /** Null, like the next, for users who do not follow the room. */
  unread: number | null
  mentions: number | null
  notificationLevel: NotificationLevel
}

/** Number of unread messages of which the user is notified in a room. */
export function countNotifying({ unread, mentions, notificationLevel: level }: Counts): number {
  if (level === 'none') return 0
  return (level === 'all' ? unread : mentions) ?? 0
}

/** Whether this moment is within the quiet hours, whose end does not belong to them. */
export function isQuiet(quiet: QuietHours | null, now: Date): boolean {
  if (!quiet) return false
  const time = now.toLocaleTimeString('en-GB', { timeZone: quiet.tz, hour: '2-digit', minute: '2-digit' })
  const [isAfter, isBefore] = [time >= quiet.from, time < quiet.to]
  return quiet.from < quiet.to ? isAfter && isBefore : isAfter || isBefore
}
