import type { Result } from '../call.ts'

export type RoomFields = Pick<
  Result<'getRoom'>['room'],
  | 'name'
  | 'topic'
  | 'maxParticipants'
  | 'visibility'
  | 'allowGuests'
  | 'defaultRole'
  | 'historyVisibility'
  | 'retention'
  | 'voice'
  | 'voiceScreen'
  | 'voiceGuests'
>
