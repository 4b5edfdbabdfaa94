/** Messages of a room of which a user is notified, most first (R30.2). */
export const NOTIFICATION_LEVELS = ['all', 'mentions', 'none'] as const
export type NotificationLevel = (typeof NOTIFICATION_LEVELS)[number]

/** Level of users who have chosen none. */
export const DEFAULT_LEVEL: NotificationLevel = 'mentions'
