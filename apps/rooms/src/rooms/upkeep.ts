import type { ExpressionBuilder } from 'kysely'
import type { Tables, Tx } from '../db/tables.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { presenceEvents } from './eviction.ts'
import { retainedAfter, retainedAfterMs } from './history.ts'
import { lockRoom } from './room-events.ts'
import { deleteBatch } from './store.ts'
import { HTTP_NODE } from './visits.ts'

/**
 * Clock skew between nodes. By the clock of the node that runs the job, leases may have
 * expired that another node is about to renew. Leases alone determine presence; the end of a visit
 * can be recorded later.
 */
const CLOCK_SKEW_MS = 60_000

/** Ends visits whose last lease has expired, as of its expiry. Returns the events to publish. */
export async function endExpiredVisits(tx: Tx, nowMs: number): Promise<ClusterEvent[]> {
  const rooms = await expiredVisits(tx, nowMs).select('room_id').distinct().orderBy('room_id').execute()
  const events: ClusterEvent[] = []
  for (const { room_id: roomId } of rooms) {
    await lockRoom(tx, roomId)
    // Locks the expired leases against renewal. A renewed lease would leave a participant without a
    // visit.
    await tx
      .updateTable('presence_leases')
      .set((eb) => ({ expires_at: eb.ref('expires_at') }))
      .where('room_id', '=', roomId)
      .where((eb) => hasExpired(eb, nowMs))
      .execute()
    // Skips users who have returned in the meantime.
    const gone = await tx
      .updateTable('room_visits')
      .set((eb) => ({
        ended_at: eb.fn.coalesce(
          eb
            .selectFrom('presence_leases')
            .select((lease) => lease.fn.max('presence_leases.expires_at').as('until'))
            .whereRef('presence_leases.room_id', '=', 'room_visits.room_id')
            .whereRef('presence_leases.user_id', '=', 'room_visits.user_id'),
          eb.val(nowMs),
        ),
      }))
      .where('room_id', '=', roomId)
      .where('user_id', 'in', expiredVisits(tx, nowMs).select('user_id').where('room_id', '=', roomId))
      .returning('user_id')
      .execute()
    if (gone.length > 0) events.push(...presenceEvents(roomId))
  }
  await tx
    .deleteFrom('presence_leases')
    .where((eb) => hasExpired(eb, nowMs))
    .execute()
  return events
}

/** Leases that no node can still renew. */
function hasExpired(eb: ExpressionBuilder<Tables, 'presence_leases'>, nowMs: number) {
  return eb.or([
    eb('presence_leases.expires_at', '<=', nowMs - CLOCK_SKEW_MS),
    eb.and([eb('presence_leases.node_id', '=', HTTP_NODE), eb('presence_leases.expires_at', '<=', nowMs)]),
  ])
}

/** Open visits of users without a lease. */
function expiredVisits(tx: Tx, nowMs: number) {
  return tx
    .selectFrom('room_visits')
    .where('ended_at', 'is', null)
    .where((eb) =>
      eb.not(
        eb.exists(
          eb
            .selectFrom('presence_leases')
            .select('presence_leases.connection_id')
            .whereRef('presence_leases.room_id', '=', 'room_visits.room_id')
            .whereRef('presence_leases.user_id', '=', 'room_visits.user_id')
            .where((lease) => lease.not(hasExpired(lease, nowMs))),
        ),
      ),
    )
}

/** Rooms from which one transaction deletes. */
const MAX_ROOMS = 10

/**
 * Deletes messages and events that `retainedAfterMs` hides from all readers, in idle rooms too
 * (R17.8). Returns `more` if some may be left.
 */
export async function deletePastRetention(tx: Tx, nowMs: number): Promise<'more' | void> {
  for (const table of ['room_messages', 'room_events'] as const) {
    const rooms = await tx
      .selectFrom('rooms')
      .selectAll('rooms')
      .where((eb) =>
        eb.exists(
          eb
            .selectFrom(table)
            .select('seq')
            .whereRef('room_id', '=', 'rooms.id')
            .where('created_at', '<=', retainedAfter(nowMs)),
        ),
      )
      .limit(MAX_ROOMS)
      .execute()
    for (const room of rooms) {
      const untilMs = retainedAfterMs(room, nowMs)
      const isMore = await deleteBatch(tx, table, (query) =>
        query.where('room_id', '=', room.id).where('created_at', '<=', untilMs),
      )
      if (isMore) return 'more'
    }
    if (rooms.length === MAX_ROOMS) return 'more'
  }
}

/**
 * Deletes visits that cannot be resumed and are too old to distinguish new guests from those
 * present before a ban (R17.5).
 */
export async function deleteVisitsEndedBefore(tx: Tx, endedMs: number): Promise<void> {
  await tx.deleteFrom('room_visits').where('ended_at', '<=', endedMs).execute()
}
