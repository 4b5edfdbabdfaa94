import type { RoomRow } from '../db/tables.ts'
import type { RoomSettings } from './schema.ts'

/** Columns of these settings, without those that are missing. */
export function columnsOf(settings: RoomSettings): Partial<RoomRow> {
  const { name, topic, maxParticipants, visibility, allowGuests, defaultRole, historyVisibility, retention } =
    settings
  const { voice, voiceScreen, voiceGuests } = settings
  return {
    ...(name !== undefined && { name }),
    ...(topic !== undefined && { topic }),
    ...(maxParticipants !== undefined && { max_participants: maxParticipants }),
    ...(visibility !== undefined && { visibility }),
    ...(allowGuests !== undefined && { allow_guests: allowGuests ? 1 : 0 }),
    ...(defaultRole !== undefined && { default_role: defaultRole }),
    ...(historyVisibility !== undefined && { history_visibility: historyVisibility }),
    ...(retention !== undefined && { retention_days: retention === 'forever' ? null : retention }),
    ...(voice !== undefined && { voice }),
    ...(voiceScreen !== undefined && { voice_screen: voiceScreen ? 1 : 0 }),
    ...(voiceGuests !== undefined && { voice_guests: voiceGuests }),
  }
}

/** Columns whose values differ. */
export function differences(before: RoomRow, columns: Partial<RoomRow>): Partial<RoomRow> {
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => before[name as keyof RoomRow] !== value),
  )
}
