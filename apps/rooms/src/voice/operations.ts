import { type Context, operation } from '../api/context.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { findKnownPerson } from '../members/store.ts'
import {
  CHANGE_REFUSALS,
  REFUSALS,
  admit,
  admitWriter,
  authorizeInRoom,
  requirePermission,
} from '../rooms/admission.ts'
import { auditRoom } from '../rooms/audit.ts'
import { lockRoom } from '../rooms/room-events.ts'
import { removeActionFor } from '../rooms/permissions.ts'
import { RoomParams, toPerson } from '../rooms/schema.ts'
import { SUCCESS, Success, toMoment } from '../api/wire.ts'
import { declineAlert } from './alerts/alerts.ts'
import { findCallAlert } from './alerts/store.ts'
import { callEvents, endEmptyCall, enterCall } from './call.ts'
import { grantsOf } from './grants.ts'
import { iceServersFor } from './ice-servers.ts'
import {
  CallPersonParams,
  DeclineCallBody,
  JoinCallBody,
  JoinedCall,
  LeaveCallQuery,
  ModerateCallBody,
} from './schema.ts'
import {
  type Peer,
  deleteCallLeases,
  findCallRow,
  isOwnConnection,
  listPeers,
  mayStayInCall,
  toCallPeer,
  updateCallLeases,
} from './store.ts'

const tag = 'Calls'

/** Publishes the events of a transaction after its commit. */
async function writeAndPublish<Value>(
  context: Context,
  roomId: string,
  work: (tx: Tx) => Promise<{ value: Value; events: readonly ClusterEvent[] }>,
): Promise<Value> {
  const { value, events } = await context.writeInRoom(roomId, work)
  for (const event of events) context.publish(event)
  return value
}

const joinCall = operation({
  id: 'joinCall',
  methods: ['POST'],
  path: '/rooms/{id}/voice',
  scope: 'session',
  tag,
  summary: 'Join the call of a room with one of your connections; the first one starts it',
  params: RoomParams,
  body: JoinCallBody,
  result: JoinedCall,
  failures: [
    'reauth_required',
    ...REFUSALS,
    'archived',
    'voice_off',
    'not_present',
    'voice_full',
    'voice_unavailable',
  ],
  async handler(context, { params: { id: roomId }, body: { connectionId } }) {
    const { policy, now: nowMs, rates, livekit } = context
    const { user, session } = context.actor
    const { voice } = policy
    const { mode } = voice
    if (mode === 'off') throw failure('voice_off')
    rates.take('voice_joins_per_minute', user.id)
    // Before the call begins: otherwise, people would read of a call that never was.
    await livekit?.requireAvailable()
    const { joined, alertedIds } = await writeAndPublish(context, roomId, async (tx) => {
      await lockRoom(tx, roomId)
      const access = await admitWriter(tx, roomId, context.entrant)
      const grants = grantsOf(access, access.room, voice.guests)
      if (!grants) throw failure(access.room.voice === 'off' ? 'voice_off' : 'forbidden')
      const present = { roomId, nowMs, connectionId, sessionId: session.id }
      const self = await findKnownPerson(tx, roomId, user.id, nowMs)
      if (!self || !(await isOwnConnection(tx, present))) throw failure('not_present')
      const person = toPerson(self, access.defaultRole)
      const joining = { room: access.room, connectionId, person, nowMs }
      const {
        call,
        others,
        alertedIds: alerted,
        events,
      } = await enterCall(tx, context.database.dialect, joining, policy)
      const value: JoinedCall = {
        mode,
        call: { id: call.id, startedAt: toMoment(call.started_at) },
        peers: others.filter(mayStayInCall).map(toCallPeer),
        grants,
        // LiveKit names its own.
        iceServers: mode === 'mesh' ? iceServersFor(voice, session.id, nowMs) : [],
        relayOnly: mode === 'mesh' && voice.relayOnly,
      }
      return { value: { joined: value, alertedIds: alerted }, events }
    })
    context.pusher.announceCall({ roomId, callId: joined.call.id, userIds: alertedIds })
    if (!livekit) return joined
    try {
      await livekit.ensureRoom(roomId)
    } catch (error) {
      await endOwnCall(context, roomId, connectionId)
      throw error
    }
    const token = await livekit.signToken({ userId: user.id, connectionId }, roomId, joined.grants)
    return { ...joined, url: livekit.urlFor(context.origin), token }
  },
})

const declineCall = operation({
  id: 'declineCall',
  methods: ['POST'],
  path: '/rooms/{id}/voice/decline',
  scope: 'member',
  tag,
  summary: 'Decline a call in a direct conversation that alerts you; it goes on alerting others',
  params: RoomParams,
  body: DeclineCallBody,
  result: Success,
  failures: ['not_found'],
  async handler(context, { params: { id: roomId }, body: { callId } }) {
    const { database, now: nowMs } = context
    const userId = context.actor.user.id
    // No other room is locked.
    if (!(await findCallAlert(database.read, { userId, roomId, nowMs }))) throw failure('not_found')
    return writeAndPublish(context, roomId, async (tx) => {
      await lockRoom(tx, roomId)
      const call = await findCallRow(tx, roomId)
      const events = call?.id === callId ? await declineAlert(tx, call, userId) : undefined
      if (!events) throw failure('not_found')
      return { value: SUCCESS, events }
    })
  },
})

/** Takes connections out of the call of a locked room. */
async function endLeases(
  tx: Tx,
  roomId: string,
  { peers, reason, nowMs }: { peers: readonly Peer[]; reason: 'left' | 'removed'; nowMs: number },
): Promise<ClusterEvent[]> {
  if (peers.length === 0) return []
  const connectionIds = peers.map(({ connectionId }) => connectionId)
  await deleteCallLeases(tx, { roomId, connectionIds })
  return [...callEvents(roomId, { connectionIds, reason }), ...(await endEmptyCall(tx, roomId, nowMs))]
}

/** Takes all connections of the caller out of the call, or one. Returns whether there were any. */
async function endOwnCall(context: Context, roomId: string, connectionId?: string): Promise<boolean> {
  const { policy, now: nowMs } = context
  const { user } = context.actor
  return writeAndPublish(context, roomId, async (tx) => {
    await lockRoom(tx, roomId)
    const all = await listPeers(tx, { roomId, nowMs }, policy.voice.guests)
    const peers = all.filter(
      (peer) => peer.userId === user.id && (connectionId ?? peer.connectionId) === peer.connectionId,
    )
    const events = await endLeases(tx, roomId, { peers, reason: 'left', nowMs })
    return { value: peers.length > 0, events }
  })
}

const leaveCall = operation({
  id: 'leaveCall',
  methods: ['DELETE'],
  path: '/rooms/{id}/voice',
  scope: 'session',
  tag,
  summary: 'Leave the call of a room with all your connections, or with one',
  params: RoomParams,
  query: LeaveCallQuery,
  result: Success,
  failures: ['not_found'],
  async handler(context, { params: { id: roomId }, query: { connectionId } }) {
    // Says nothing of rooms that are hidden from the user.
    if (!(await endOwnCall(context, roomId, connectionId)))
      await context.database.write((tx) => admit(tx, roomId, context.entrant))
    return SUCCESS
  },
})

const moderateCall = operation({
  id: 'moderateCall',
  methods: ['POST'],
  path: '/rooms/{id}/voice/people/{userId}',
  scope: 'session',
  tag,
  summary: 'Mute a user in the call, lower their hand, or remove them from the call',
  params: CallPersonParams,
  body: ModerateCallBody,
  result: Success,
  failures: [...CHANGE_REFUSALS, 'target_is_owner'],
  async handler(context, { params: { id: roomId, userId }, body: { action } }) {
    const { policy, now: nowMs } = context
    return writeAndPublish(context, roomId, async (tx) => {
      const access = await authorizeInRoom(tx, context, roomId, 'moderate_call')
      const all = await listPeers(tx, { roomId, nowMs }, policy.voice.guests)
      const peers = all.filter((peer) => peer.userId === userId)
      if (peers.length === 0) throw failure('not_found')
      if (action !== 'lower_hand')
        await auditRoom(tx, context, { action: `room.call.${action}`, roomId, metadata: { userId } })
      if (action === 'remove') {
        const target = await findKnownPerson(tx, roomId, userId, nowMs)
        if (target?.role === 'owner') throw failure('target_is_owner')
        requirePermission(removeActionFor(target?.role ?? null), access)
        return { value: SUCCESS, events: await endLeases(tx, roomId, { peers, reason: 'removed', nowMs }) }
      }
      const connectionIds = peers.map(({ connectionId }) => connectionId)
      const change = action === 'mute' ? ({ audio: 0, muted: 1 } as const) : { hand_at: null }
      await updateCallLeases(tx, { roomId, connectionIds }, change)
      return { value: SUCCESS, events: callEvents(roomId) }
    })
  },
})

export const callOperations = [joinCall, leaveCall, declineCall, moderateCall]
