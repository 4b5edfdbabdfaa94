import type { Flag } from './flag.ts'

/** Where the push service of a browser accepts messages for it (RFC 8030). */
export interface PushSubscriptionRow {
  id: string
  session_id: string
  endpoint: string
  /** Public key and secret of the browser, in base64url (RFC 8291). */
  p256dh: string
  auth: string
  created_at: number
}

/** How a user wants to be notified, in all rooms. */
export interface NotificationSettingsRow {
  user_id: string
  /** HH:MM in `quiet_tz`. All three are null without quiet hours. */
  quiet_from: string | null
  quiet_to: string | null
  quiet_tz: string | null
  sound: Flag
}

export interface NotificationTables {
  notification_settings: NotificationSettingsRow
  push_subscriptions: PushSubscriptionRow
}
