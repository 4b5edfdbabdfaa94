import { DAY_MS, HOUR_MS } from '@latchkey/http/duration'
import { type RawBuilder, type SqlBool, sql } from 'kysely'
import type { RoomRow } from '../db/tables.ts'
import type { UserRoomAccess } from './access-store.ts'

/** A user who returns within this time resumes the visit (R17.8). */
export const VISIT_RESUME_MS = 600_000

/** Retention of messages that later visitors may not read. */
export const UNREAD_RETENTION_MS = HOUR_MS

type RetentionSettings = Pick<
  RoomRow,
  | 'history_visibility'
  | 'retention_days'
  | 'max_retention_days'
  | 'max_retention_from'
  | 'max_retention_before'
>

/**
 * Moment after which messages and events are retained. Readers filter by it, whether or not the job
 * has run.
 */
export function retainedAfterMs(room: RetentionSettings, nowMs: number): number {
  if (room.history_visibility === 'none') return nowMs - UNREAD_RETENTION_MS
  const days = retainedDays(room, nowMs)
  return days === null ? 0 : nowMs - days * DAY_MS
}

/** Days for which the room retains messages now; null for no end (R36.2). */
export function retainedDays(
  room: Omit<RetentionSettings, 'history_visibility'>,
  nowMs: number,
): number | null {
  const { max_retention_from: fromMs } = room
  const isInForce = fromMs !== null && fromMs <= nowMs
  return minDays(room.retention_days, isInForce ? room.max_retention_days : room.max_retention_before)
}

/** The smaller one; null stands for no end. */
export function minDays(days: number | null, maxDays: number | null): number | null {
  return days === null || maxDays === null ? (days ?? maxDays) : Math.min(days, maxDays)
}

/**
 * Moment after which a row of `rooms` retains messages and events: the condition of
 * `retainedAfterMs`. Never null, and 0 for no end.
 */
export function retainedAfter(nowMs: number): RawBuilder<number> {
  const now = sql`cast(${nowMs} as bigint)`
  const day = sql.lit(DAY_MS)
  const max = sql`case when rooms.max_retention_from <= ${now} then rooms.max_retention_days
    else rooms.max_retention_before end`
  return sql<number>`case
      when rooms.history_visibility = 'none' then ${now} - ${sql.lit(UNREAD_RETENTION_MS)}
      when rooms.retention_days <= ${max} then ${now} - rooms.retention_days * ${day}
      else coalesce(${now} - coalesce(${max}, rooms.retention_days) * ${day}, 0) end`
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
    and room_messages.created_at > ${retainedAfter(nowMs)}`
}

/** Whether a user who enters now resumes this visit. */
export function isResumable(visit: UserRoomAccess['visit'], nowMs: number): boolean {
  return visit !== null && (visit.endedAtMs === null || nowMs - visit.endedAtMs <= VISIT_RESUME_MS)
}
