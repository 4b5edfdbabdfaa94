import { type Context, operation } from '../context.ts'
import type { RoomEventRow } from '../db/tables.ts'
import type { RoomEvent } from '../cluster-events.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import { viewOf } from '../rooms/event-view.ts'
import { retainedAfterMs, readableAfterSeq } from '../rooms/history.ts'
import { RoomParams } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { countParticipants } from '../rooms/store.ts'
import { eventsOf } from './event-log.ts'
import { EventPage, EventQuery } from './schema.ts'
import { findFirstRetained, listEvents } from './store.ts'

/**
 * A client that holds everything up to `after` asks until it gets fewer events than `limit`; then it holds everything up to
 * `lastSeq`. What it may not read is always the beginning of the log (R17.8), so the list itself has no holes.
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
    // Read with the standing: what is committed meanwhile belongs to the next answer.
    const lastSeq = room.last_seq
    const afterSeq = Math.max(query.after, readableAfterSeq(access))
    const readable = { roomId, afterSeq, retainedAfterMs: retainedAfterMs(room, now) }
    const firstRetained = (await findFirstRetained(database.read, readable)) ?? lastSeq + 1
    const from = Math.max(afterSeq, firstRetained - 1)
    const rows = await listEvents(database.read, { roomId, afterSeq: from, lastSeq, limit: query.limit })
    const events = await viewsOf(context, access, rows)
    // A number that is still to come was given by a database that has been set back since. And what was said may be
    // cleared away at this moment: with a page that is shorter for that, the client would take itself to have everything.
    const reset = query.after > lastSeq || firstRetained > afterSeq + 1 || events.length < rows.length
    return { events, lastSeq, reset }
  },
})

async function viewsOf(
  { database, now }: Context,
  { role, roomId }: UserRoomAccess,
  rows: readonly RoomEventRow[],
): Promise<RoomEvent[]> {
  const events = await eventsOf(database.read, roomId, rows)
  const showsRoom = events.some(({ event }) => event === 'room.settings')
  const participantCount = showsRoom ? await countParticipants(database.read, roomId, now) : 0
  return events.map((event) => viewOf(event, { role, participantCount }))
}
