import { z } from 'zod'
import { type Context, actorOf, operation } from '../context.ts'
import { failure } from '../failures.ts'
import { SUCCESS, Success } from '../wire.ts'
import { VISIT_REFUSALS, entrantOf } from './entry.ts'
import { presenceChanged } from './eviction.ts'
import { lockRoom } from './log.ts'
import { canPublish, effectiveRole, entryOf } from './room-access.ts'
import { Joined, RoomParams } from './schema.ts'
import { findStanding } from './standing.ts'
import { type Connection, HTTP_NODE, endVisit, startVisit } from './visits.ts'

const tag = 'Rooms'

/** Who comes without a socket is there by the session, for as long as `join` is repeated. */
function connectionOf(context: Context): Connection {
  const { session } = actorOf(context)
  return { connection_id: `http:${session.id}`, session_id: session.id, node_id: HTTP_NODE }
}

export const join = operation({
  id: 'joinRoom',
  methods: ['POST'],
  path: '/rooms/{id}/join',
  scope: 'session',
  tag,
  summary: 'Enter a room for the next 45 seconds; a subscribed socket stays in it',
  params: RoomParams,
  result: Joined,
  failures: [...VISIT_REFUSALS, 'room_full'],
  async handler(context, { params }) {
    const { dialect } = context.database
    const arrival = { entrant: entrantOf(context), connection: connectionOf(context) }
    const asked = { dialect, roomId: params.id, ...arrival }
    const { standing, hasCome } = await context.database.write((tx) =>
      startVisit(tx, asked, context.policy.limits),
    )
    if (hasCome) for (const news of presenceChanged(params.id)) context.tell(news)
    const { room } = standing
    return {
      role: effectiveRole(standing),
      canPublish: canPublish(standing),
      lastSeq: room.last_seq,
      voice: null,
      room: { id: room.id, name: room.name },
    }
  },
})

export const leave = operation({
  id: 'leaveRoom',
  methods: ['DELETE'],
  path: '/rooms/{id}/leave',
  scope: 'session',
  tag,
  summary: 'Leave a room with all your connections and keep the membership',
  params: RoomParams,
  result: Success.extend({ left: z.boolean() }),
  failures: ['not_found'],
  async handler(context, { params }) {
    const roomId = params.id
    const entrant = entrantOf(context)
    const { userId, nowMs } = entrant
    const left = await context.database.write(async (tx) => {
      await lockRoom(tx, roomId)
      const standing = await findStanding(tx, roomId, entrant)
      if (standing && (await endVisit(tx, { roomId, userId, nowMs }))) return true
      if (!standing || entryOf(standing) === 'not_found') throw failure('not_found')
      return false
    })
    if (left) {
      context.tell({ kind: 'removed', roomId, userIds: [userId], reason: 'left', untilMs: null })
      for (const news of presenceChanged(roomId)) context.tell(news)
    }
    return { ...SUCCESS, left }
  },
})
