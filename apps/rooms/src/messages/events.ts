import { type Context, operation } from '../api/context.ts'
import type { RoomEventRow } from '../db/tables.ts'
import type { RoomEvent } from '../api/cluster-events.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import { viewOf } from '../rooms/event-view.ts'
import { retainedAfterMs, readableAfterSeq } from '../rooms/history.ts'
import { RoomParams } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { countParticipants } from '../rooms/store.ts'
import { eventsOf } from './load-events.ts'
import { EventPage, EventQuery } from './schema.ts'
import { findFirstRetained, listEvents } from './store.ts'

/**
 * Events after a sequence number. A client repeats the request until it receives fewer events than
 * `limit`; it then has everything up to `lastSeq`. Unreadable events are always the oldest (R17.8):
 * the list itself has no gaps.
 */
export const listRoomEvents = operation({
  id: 'listRoomEvents',
  methods: ['GET'],
  path: '/rooms/{id}/events',
  scope: 'session',
  tag: 'Messages',
  summary: 'Read the events of a room after a given event',
  params: RoomParams,
  query: EventQuery,
  result: EventPage,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    const { room, roomId } = access
    const { database, now } = context
    // Read together with the access. Later events belong to the next response.
    const lastSeq = room.last_seq
    const afterSeq = Math.max(query.after, readableAfterSeq(access))
    const readable = { roomId, afterSeq, retainedAfterMs: retainedAfterMs(room, now) }
    const firstRetained = (await findFirstRetained(database.read, readable)) ?? lastSeq + 1
    const from = Math.max(afterSeq, firstRetained - 1)
    const rows = await listEvents(database.read, { roomId, afterSeq: from, lastSeq, limit: query.limit })
    const events = await viewEvents(context, access, rows)
    // A number above `lastSeq` comes from a database that was later restored to an earlier state.
    // Messages may also be deleted at this moment. A page shortened by that would look to the
    // client like the end of the log.
    const reset = query.after > lastSeq || firstRetained > afterSeq + 1 || events.length < rows.length
    return { events, lastSeq, reset }
  },
})

/** Events for rows of the room, as the user with this access sees them. */
export async function viewEvents(
  { database, now }: Context,
  access: UserRoomAccess,
  rows: readonly RoomEventRow[],
): Promise<RoomEvent[]> {
  const { role, room, roomId } = access
  const events = await eventsOf(database.read, room, rows, now)
  const showsRoom = events.some(({ event }) => event === 'room.settings')
  const participantCount = showsRoom ? await countParticipants(database.read, roomId, now) : 0
  const afterSeq = readableAfterSeq(access)
  return events.map((event) => viewOf(event, { role, participantCount, afterSeq }))
}
