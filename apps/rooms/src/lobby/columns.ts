import type { RoomRow } from '../db/tables.ts'
import type { NewRoom, RoomSettings } from './schema.ts'

/** Columns of these settings, without those that are missing. */
export function columnsOf(settings: RoomSettings): Partial<RoomRow> {
  const { name, maxParticipants, visibility, allowGuests, defaultRole, historyVisibility, retention } =
    settings
  const { voice, voiceScreen, voiceGuests } = settings
  return {
    ...(name !== undefined && { name }),
    ...(maxParticipants !== undefined && { max_participants: maxParticipants }),
    ...(visibility !== undefined && { visibility }),
    ...(allowGuests !== undefined && { allow_guests: allowGuests ? 1 : 0 }),
    ...(defaultRole !== undefined && { default_role: defaultRole }),
    ...(historyVisibility !== undefined && { history_visibility: historyVisibility }),
    ...(retention !== undefined && { retention_days: retentionDays(retention) }),
    ...(voice !== undefined && { voice }),
    ...(voiceScreen !== undefined && { voice_screen: voiceScreen ? 1 : 0 }),
    ...(voiceGuests !== undefined && { voice_guests: voiceGuests }),
  }
}

/** Days of a retention; null for one without an end. */
export const retentionDays = (retention: NewRoom['retention']): number | null =>
  retention === 'forever' ? null : retention

/** Columns whose values differ. */
export function differences(before: RoomRow, columns: Partial<RoomRow>): Partial<RoomRow> {
  return Object.fromEntries(
    Object.entries(columns).filter(([name, value]) => before[name as keyof RoomRow] !== value),
  )
}
