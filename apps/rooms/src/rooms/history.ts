import type { RoomRow } from '../db/tables.ts'
import type { UserRoomAccess } from './access-store.ts'

const HOUR_MS = 3_600_000
const DAY_MS = 24 * HOUR_MS
/** A user who returns within this time resumes the visit (R17.8). */
export const VISIT_RESUME_MS = 600_000

/** Retention of messages that later visitors may not read. */
export const UNREAD_RETENTION_MS = HOUR_MS
export const RETENTION_MS = { '7': 7 * DAY_MS, '30': 30 * DAY_MS } as const

type RetentionSettings = Pick<RoomRow, 'history_visibility' | 'retention'>

/**
 * Moment after which messages and events are retained. Readers filter by it, whether or not the job
 * has run.
 */
export function retainedAfterMs({ history_visibility, retention }: RetentionSettings, nowMs: number): number {
  if (history_visibility === 'none') return nowMs - UNREAD_RETENTION_MS
  return retention === 'forever' ? 0 : nowMs - RETENTION_MS[retention]
}

/**
 * The user may read only events with a higher number (R17.8). Hidden events are always the oldest.
 */
export function readableAfterSeq(access: UserRoomAccess): number {
  const { room, role, isAdmin, joinedSeq, visit } = access
  const visitSeq = visit && visit.endedAtMs === null ? visit.startedSeq : room.last_seq
  if (room.history_visibility === 'none') return visitSeq
  if (room.history_visibility === 'all' || isAdmin || role === 'owner') return 0
  return joinedSeq ?? visitSeq
}

/** Whether a user who enters now resumes this visit. */
export function isResumable(visit: UserRoomAccess['visit'], nowMs: number): boolean {
  return visit !== null && (visit.endedAtMs === null || nowMs - visit.endedAtMs <= VISIT_RESUME_MS)
}
