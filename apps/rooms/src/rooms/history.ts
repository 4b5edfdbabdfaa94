import { DAY_MS, HOUR_MS } from '@latchkey/http/duration'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { RoomRow } from '../db/tables.ts'
import type { UserRoomAccess } from './access-store.ts'

/** A user who returns within this time resumes the visit (R17.8). */
export const VISIT_RESUME_MS = 600_000

/** Retention of messages that later visitors may not read. */
export const UNREAD_RETENTION_MS = HOUR_MS

type RetentionSettings = Pick<RoomRow, 'history_visibility' | 'retention_days'>

/**
 * Moment after which messages and events are retained. Readers filter by it, whether or not the job
 * has run.
 */
export function retainedAfterMs(
  { history_visibility, retention_days }: RetentionSettings,
  nowMs: number,
): number {
  if (history_visibility === 'none') return nowMs - UNREAD_RETENTION_MS
  return retention_days === null ? 0 : nowMs - retention_days * DAY_MS
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

/**
 * The conditions of `readableAfterSeq` and `retainedAfterMs` for a row of `room_messages`, joined
 * with its room and with the membership and visit of the user there.
 */
export function isReadableRow({
  userId,
  isAdmin,
  nowMs,
}: {
  userId: string
  isAdmin: boolean
  nowMs: number
}): RawBuilder<SqlBool> {
  const readsAll = sql`rooms.history_visibility = 'all' or rooms.owner_id = ${userId}
    or (${isAdmin ? 1 : 0} = 1 and room_members.role is not null)`
  return sql<SqlBool>`room_messages.seq > case
      when rooms.history_visibility <> 'none' and (${readsAll}) then 0
      when rooms.history_visibility <> 'none' and room_members.joined_seq is not null then room_members.joined_seq
      when room_visits.started_seq is not null and room_visits.ended_at is null then room_visits.started_seq
      else rooms.last_seq end
    and room_messages.created_at > case
      when rooms.history_visibility = 'none' then cast(${nowMs - UNREAD_RETENTION_MS} as bigint)
      when rooms.retention_days is not null then cast(${nowMs} as bigint) - rooms.retention_days * ${sql.lit(DAY_MS)}
      else 0 end`
}

/** Whether a user who enters now resumes this visit. */
export function isResumable(visit: UserRoomAccess['visit'], nowMs: number): boolean {
  return visit !== null && (visit.endedAtMs === null || nowMs - visit.endedAtMs <= VISIT_RESUME_MS)
}
