import type { RoomRow } from '../db/tables.ts'
import type { UserRoomAccess } from './access-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** Who comes back within this time goes on with the visit (R17.8). */
export const VISIT_RESUME_MS = 600_000

/** How long what is said is kept where nobody who comes later may read it. */
export const UNREAD_RETENTION_MS = HOUR_MS
export const RETENTION_MS = { '7': 7 * DAY_MS, '30': 30 * DAY_MS } as const

type RetentionSettings = Pick<RoomRow, 'history_visibility' | 'retention'>

/** Only what happened after this moment is kept in the room: a filter when reading, whether or not the job has run. */
export function retainedAfterMs({ history_visibility, retention }: RetentionSettings, nowMs: number): number {
  if (history_visibility === 'none') return nowMs - UNREAD_RETENTION_MS
  return retention === 'forever' ? 0 : nowMs - RETENTION_MS[retention]
}

/** Only events with a higher number may be read by this person (R17.8): what is hidden is always the beginning. */
export function readableAfterSeq(access: UserRoomAccess): number {
  const { room, role, isAdmin, joinedSeq, visit } = access
  const visitSeq = visit && visit.endedAtMs === null ? visit.startedSeq : room.last_seq
  if (room.history_visibility === 'none') return visitSeq
  if (room.history_visibility === 'all' || isAdmin || role === 'owner') return 0
  return joinedSeq ?? visitSeq
}

/** Whether somebody who enters at this moment goes on with the visit instead of beginning one. */
export function isResumable(visit: UserRoomAccess['visit'], nowMs: number): boolean {
  return visit !== null && (visit.endedAtMs === null || nowMs - visit.endedAtMs <= VISIT_RESUME_MS)
}
