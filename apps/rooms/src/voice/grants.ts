import type { RoomRow } from '../db/tables.ts'
import type { GuestVoice } from '../db/voice-rows.ts'
import { type RoomAccess, canPublish } from '../rooms/permissions.ts'

/** What a user may send in a call. All may hear. */
export interface Grants {
  readonly audio: boolean
  readonly camera: boolean
  readonly screen: boolean
}

type Caller = Pick<RoomAccess, 'role' | 'defaultRole' | 'isGuest'>
type CallRoom = Pick<RoomRow, 'voice' | 'voice_screen' | 'voice_guests' | 'archived_at'>

const GUEST_VOICES: readonly GuestVoice[] = ['off', 'listen', 'speak']

/**
 * Decides who may do what in calls (R33.4), for users who may enter the room; the only place that
 * does. `guests` is the setting of the instance. Undefined for users who may not join.
 */
export function grantsOf(caller: Caller, room: CallRoom, guests: GuestVoice): Grants | undefined {
  if (room.voice === 'off' || room.archived_at !== null) return undefined
  const mayTalk = canPublish(caller)
  if (!caller.isGuest)
    return {
      audio: mayTalk,
      camera: mayTalk && room.voice === 'video',
      screen: mayTalk && room.voice_screen === 1,
    }
  const allowed = Math.min(GUEST_VOICES.indexOf(guests), GUEST_VOICES.indexOf(room.voice_guests))
  if (allowed === GUEST_VOICES.indexOf('off')) return undefined
  return { audio: mayTalk && allowed === GUEST_VOICES.indexOf('speak'), camera: false, screen: false }
}

/** Whether something is missing in `now` that `before` had. */
export function isLess(now: Grants, before: Grants): boolean {
  return (['audio', 'camera', 'screen'] as const).some((name) => before[name] && !now[name])
}
