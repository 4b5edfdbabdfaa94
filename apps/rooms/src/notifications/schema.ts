import { z } from 'zod'
import type { NotificationSettingsRow } from '../db/notification-rows.ts'
import { TimeZone } from '../api/time-zone.ts'
import { NOTIFICATION_LEVELS } from '../rooms/notification-levels.ts'
import { quietHoursOf } from '../users/quiet-hours.ts'

export const LevelBody = z.object({
  level: z.enum(NOTIFICATION_LEVELS).meta({
    description: 'Notify of all messages, of those that mention the caller, or of none.',
  }),
})

const TimeOfDay = z
  .string()
  .regex(/^(?:[01]\d|2[0-3]):[0-5]\d$/, 'must be a time as HH:MM')
  .meta({ examples: ['22:00'] })

const QuietHours = z
  .object({ from: TimeOfDay, to: TimeOfDay, tz: TimeZone })
  .refine(({ from, to }) => from !== to, { path: ['to'], error: 'must differ from the beginning' })
  .meta({ id: 'QuietHours' })
export type QuietHours = z.output<typeof QuietHours>

export const NotificationSettings = z
  .object({
    quiet: QuietHours.nullable().meta({
      description: 'Hours without notifications, which may pass midnight; null for none.',
    }),
    sound: z.boolean().meta({ description: 'Whether pages play a sound for a notification.' }),
  })
  .meta({ id: 'NotificationSettings' })
export type NotificationSettings = z.output<typeof NotificationSettings>

export function toNotificationSettings(row: NotificationSettingsRow | undefined): NotificationSettings {
  return row ? { quiet: quietHoursOf(row), sound: row.sound === 1 } : { quiet: null, sound: false }
}
