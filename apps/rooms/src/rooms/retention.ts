import { DAY_MS } from '@latchkey/http/duration'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { failure } from '../api/failures.ts'
import type { Policy } from '../api/services.ts'
import { toMoment } from '../api/wire.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import { exchangeState, findState } from '../platform/store.ts'
import { minDays } from './history.ts'
import { appendEvent, lockRoom } from './room-events.ts'
import { updateRoom } from './store.ts'

/** Time between the announcement of a smaller maximum and the first deletion (R36.2). */
const NOTICE_MS = 7 * DAY_MS

/** Rooms of a batch: few enough that their other writers are not delayed noticeably. */
const BATCH_SIZE = 20

/** Key of the state: the maximum retention in days, empty for none, of the node that started last. */
const MAX_RETENTION = 'retention.max'

/** Stores the maximum of this node, which `announceMaxRetention` then brings to all rooms. */
export async function recordMaxRetention(tx: Tx, maxDays: number | null, nowMs: number): Promise<void> {
  await exchangeState(tx, MAX_RETENTION, String(maxDays ?? ''), nowMs)
}

/** Days for which a room shall retain messages; null for no end. Throws 400 for more than the maximum. */
export function retentionDaysOf(
  { retention: { maxDays } }: Policy,
  retention: number | 'forever',
): number | null {
  const days = retention === 'forever' ? null : retention
  if (minDays(days, maxDays) !== days)
    throw failure('invalid_request', {
      text: `retention: this instance retains messages for at most ${maxDays} days`,
      fields: [{ path: 'retention', code: 'too_big' }],
    })
  return days
}

/**
 * Brings the maximum of the instance to the rooms that retain messages for longer, as a job: in the
 * transaction that announces it. A smaller one holds only after a notice, a larger one at once.
 */
export async function announceMaxRetention(
  tx: Tx,
  nowMs: number,
): Promise<{ events: ClusterEvent[]; isMore: boolean }> {
  const state = await findState(tx, MAX_RETENTION)
  const maxDays = state ? Number(state) : null
  const events: ClusterEvent[] = []
  const roomIds = await listOutdated(tx, maxDays)
  for (const roomId of roomIds) {
    const room = await lockRoom(tx, roomId)
    if (room) events.push(...(await applyMaxRetention(tx, room, maxDays, nowMs)))
  }
  return { events, isMore: roomIds.length === BATCH_SIZE }
}

/** Rooms whose maximum is not that of the instance although it affects them, or the other way round. */
async function listOutdated(tx: Tx, maxDays: number | null): Promise<string[]> {
  const rows = await tx
    .selectFrom('rooms')
    .select('id')
    .where((eb) => {
      const isAffected =
        maxDays === null
          ? eb.val(false)
          : eb.and([
              eb('history_visibility', '<>', 'none'),
              eb.or([eb('retention_days', 'is', null), eb('retention_days', '>', maxDays)]),
            ])
      const isCurrent = eb('max_retention_days', 'is not distinct from', maxDays)
      const isFree = eb('max_retention_days', 'is', null)
      return maxDays === null
        ? eb.not(isFree)
        : eb.or([eb.and([isAffected, eb.not(isCurrent)]), eb.and([eb.not(isAffected), eb.not(isFree)])])
    })
    .orderBy('id')
    .limit(BATCH_SIZE)
    .execute()
  return rows.map(({ id }) => id)
}

async function applyMaxRetention(
  tx: Tx,
  room: RoomRow,
  maxDays: number | null,
  nowMs: number,
): Promise<ClusterEvent[]> {
  const isAffected =
    room.history_visibility !== 'none' && minDays(room.retention_days, maxDays) !== room.retention_days
  const changes = isAffected ? nextMaxRetention(room, maxDays, nowMs) : WITHOUT_MAXIMUM
  await updateRoom(tx, room, changes)
  const days = minDays(room.retention_days, changes.max_retention_days)
  // The setting of the room is smaller, or became so.
  if (days === minDays(room.retention_days, room.max_retention_days)) return []
  const data = { days, from: toMoment(changes.max_retention_from ?? nowMs) }
  const event = await appendEvent(tx, { roomId: room.id, event: 'room.retention', data, nowMs })
  return [
    { kind: 'event', roomId: room.id, event },
    { kind: 'lobby', roomId: room.id },
  ]
}

type MaxRetention = Pick<RoomRow, 'max_retention_days' | 'max_retention_from' | 'max_retention_before'>

const WITHOUT_MAXIMUM: MaxRetention = {
  max_retention_days: null,
  max_retention_from: null,
  max_retention_before: null,
}

function nextMaxRetention(room: MaxRetention, maxDays: number | null, nowMs: number): MaxRetention {
  const { max_retention_days: days, max_retention_from: fromMs, max_retention_before: before } = room
  const isPending = fromMs !== null && fromMs > nowMs
  const inForce = isPending ? before : days
  const isSmaller = minDays(inForce, maxDays) !== inForce
  return isSmaller
    ? { max_retention_days: maxDays, max_retention_from: nowMs + NOTICE_MS, max_retention_before: inForce }
    : { max_retention_days: maxDays, max_retention_from: nowMs, max_retention_before: null }
}
