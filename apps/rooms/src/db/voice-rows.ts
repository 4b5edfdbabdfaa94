import type { Flag } from './flag.ts'

/** Calls in a room: none, with microphones only, or with cameras. */
export type RoomVoice = 'off' | 'voice' | 'video'
/** What guests may do in calls. */
export type GuestVoice = 'off' | 'listen' | 'speak'

/** A call that goes on now. */
export interface CallRow {
  room_id: string
  id: string
  started_at: number
  /** Null once the account is erased. */
  started_by: string | null
  /** Until when an answer is awaited; null once there is one or the call is missed, and outside of direct conversations. */
  answer_until: number | null
}

/** Person of a direct conversation whom its call alerts. */
export interface CallAlertRow {
  user_id: string
  room_id: string
  until: number
}

/** Connection in a call. It has a presence lease, too. */
export interface CallLeaseRow {
  connection_id: string
  room_id: string
  joined_at: number
  audio: Flag
  camera: Flag
  screen: Flag
  /** A moderator has muted the user, who has not unmuted since. */
  muted: Flag
  /** When the user raised their hand; null if it is down. */
  hand_at: number | null
  /** When the socket was closed; the user may return. */
  lost_at: number | null
}

/** The tables of calls. */
export interface VoiceTables {
  calls: CallRow
  call_alerts: CallAlertRow
  call_leases: CallLeaseRow
}
