import type { NotificationLevel } from '../rooms/notification-levels.ts'

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
