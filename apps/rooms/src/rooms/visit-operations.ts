import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { VISIT_REFUSALS } from './admission.ts'
import { findDirectPeople, namedFor } from './direct-people.ts'
import { presenceEvents } from './eviction.ts'
import { lockRoom } from './room-events.ts'
import { canPublish, effectiveRole, decideEntry } from './permissions.ts'
import { JoinAnswer, RoomParams } from './schema.ts'
import { findRoomAccess } from './access-store.ts'
import { type LeaseConnection, HTTP_NODE, endVisit, startVisit } from './visits.ts'

const tag = 'Rooms'

/** Without a socket, the session counts as the connection, for as long as `join` is repeated. */
function connectionOf(context: Context): LeaseConnection {
  const { session } = context.actor
  return { connection_id: `http:${session.id}`, session_id: session.id, node_id: HTTP_NODE }
}

export const joinRoom = operation({
  id: 'joinRoom',
  methods: ['POST'],
  path: '/rooms/{id}/join',
  scope: 'session',
  tag,
  summary: 'Enter a room for the next 45 seconds; a subscribed socket stays in it',
  params: RoomParams,
  result: JoinAnswer,
  failures: [...VISIT_REFUSALS, 'room_full'],
  async handler(context, { params }) {
    const { dialect } = context.database
    const request = { entrant: context.entrant, connection: connectionOf(context) }
    const visit = { dialect, roomId: params.id, ...request }
    const { access, hasEntered } = await context.writeInRoom(params.id, (tx) =>
      startVisit(tx, visit, context.policy.limits),
    )
    if (hasEntered) for (const event of presenceEvents(params.id)) context.publish(event)
    const { room } = access
    const everyone = await findDirectPeople(context.database, [room])
    return {
      role: effectiveRole(access),
      canPublish: canPublish(access),
      lastSeq: room.last_seq,
      room: { id: room.id, name: namedFor(access.userId, room, everyone).name },
    }
  },
})

export const leaveRoom = operation({
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
    const entrant = context.entrant
    const { userId, nowMs } = entrant
    const left = await context.writeInRoom(roomId, async (tx) => {
      await lockRoom(tx, roomId)
      const access = await findRoomAccess(tx, roomId, entrant)
      if ((await endVisit(tx, { roomId, userId, nowMs })) && access) return true
      if (!access || decideEntry(access) === 'not_found') throw failure('not_found')
      return false
    })
    if (left) {
      context.publish({ kind: 'removed', roomId, userIds: [userId], reason: 'left', untilMs: null })
      for (const event of presenceEvents(roomId)) context.publish(event)
    }
    return { ...SUCCESS, left }
  },
})
