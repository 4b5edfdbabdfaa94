import type { CallRemoval, ClusterEvent } from '../api/cluster-events.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import type { CallRow } from '../db/voice-rows.ts'
import type { DialectName } from '@latchkey/database/url'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import { presenceEvents } from '../rooms/eviction.ts'
import { appendEvent, lockRoom } from '../rooms/room-events.ts'
import type { Person } from '../rooms/schema.ts'
import { alertPeople, answerCall, endAlerts } from './alerts/alerts.ts'
import type { Grants } from './grants.ts'
import {
  type Peer,
  deleteCall,
  findCallRow,
  hasCallLease,
  insertCall,
  listEmptyCalls,
  listPeers,
  putCallLease,
  updateCallState,
} from './store.ts'

/** What the instance allows in calls. */
export interface CallPolicy {
  readonly voice: VoiceSettings
  readonly limits: Limits
}

export interface Joining {
  room: Pick<RoomRow, 'id' | 'kind'>
  connectionId: string
  /** The user, named in the event if the call begins with them. */
  person: Person
  nowMs: number
}

/**
 * Puts a connection into the call of a locked room, and starts the call if there is none, of which it
 * alerts the people of a direct conversation. Returns the other connections in it, and the ids of the
 * people who are alerted. Throws `voice_full`.
 */
export async function enterCall(
  tx: Tx,
  dialect: DialectName,
  { room: { id: roomId, kind }, connectionId, person, nowMs }: Joining,
  { voice, limits }: CallPolicy,
): Promise<{ call: CallRow; others: Peer[]; alertedIds: string[]; events: ClusterEvent[] }> {
  const peers = await listPeers(tx, { roomId, nowMs }, voice.guests)
  const others = peers.filter((peer) => peer.connectionId !== connectionId)
  const max = voice.mode === 'mesh' ? limits.voice_people_mesh : limits.voice_people
  if (others.length >= max) throw failure('voice_full')
  const events: ClusterEvent[] = []
  const alertedIds: string[] = []
  let call = await findCallRow(tx, roomId)
  if (call) events.push(...(await answerCall(tx, call, person.userId)))
  else {
    const alertMs = kind === 'direct' ? limits.call_alert_seconds * 1000 : 0
    call = {
      room_id: roomId,
      id: crypto.randomUUID(),
      started_at: nowMs,
      started_by: person.userId,
      answer_until: alertMs > 0 ? nowMs + alertMs : null,
    }
    await insertCall(tx, call)
    const data = { callId: call.id, person }
    const event = await appendEvent(tx, { roomId, event: 'call.started', data, nowMs })
    events.push({ kind: 'event', roomId, event })
    const alerts = await alertPeople(tx, dialect, { call, caller: person, nowMs })
    alertedIds.push(...alerts.alertedIds)
    events.push(...alerts.events)
  }
  await putCallLease(tx, { connection_id: connectionId, room_id: roomId, joined_at: nowMs })
  return { call, others, alertedIds, events: [...events, ...callEvents(roomId)] }
}

/** Events after someone joined or left a call. */
export function callEvents(roomId: string, removal?: CallRemoval): ClusterEvent[] {
  return [{ kind: 'voice', roomId, ...(removal && { removal }) }, ...presenceEvents(roomId)]
}

/** Ends the call of a locked room if all users have left it. */
export async function endEmptyCall(tx: Tx, roomId: string, nowMs: number): Promise<ClusterEvent[]> {
  const call = await findCallRow(tx, roomId)
  if (!call || (await hasCallLease(tx, { roomId, nowMs }))) return []
  const alertEvents = await endAlerts(tx, call, nowMs)
  await deleteCall(tx, roomId)
  const seconds = Math.max(0, Math.round((nowMs - call.started_at) / 1000))
  const data = { callId: call.id, seconds }
  const event = await appendEvent(tx, { roomId, event: 'call.ended', data, nowMs })
  return [...alertEvents, { kind: 'event', roomId, event }, { kind: 'lobby', roomId }]
}

/** Ends all calls that all users have left. Returns the events to publish. */
export async function endEmptyCalls(tx: Tx, nowMs: number): Promise<ClusterEvent[]> {
  const events: ClusterEvent[] = []
  for (const roomId of await listEmptyCalls(tx, nowMs))
    if (await lockRoom(tx, roomId)) events.push(...(await endEmptyCall(tx, roomId, nowMs)))
  return events
}

/** What a user wants to do in a call. */
export interface WantedState {
  readonly audio: boolean
  readonly camera: boolean
  readonly screen: boolean
  readonly hand: boolean
}

/**
 * Stores what a connection does in the call. Throws `not_present` outside of the call, `forbidden`
 * without the right, and `voice_full` for too many cameras or screens.
 */
export async function setCallState(
  tx: Tx,
  {
    roomId,
    connectionId,
    wanted,
    nowMs,
  }: { roomId: string; connectionId: string; wanted: WantedState; nowMs: number },
  { voice, limits }: CallPolicy,
): Promise<void> {
  if (!(await lockRoom(tx, roomId))) throw failure('not_present')
  const peers = await listPeers(tx, { roomId, nowMs }, voice.guests)
  const own = peers.find((peer) => peer.connectionId === connectionId)
  if (!own?.grants) throw failure('not_present')
  requireGrants(own.grants, wanted)
  const others = peers.filter((peer) => peer !== own)
  requireCapacity(others, wanted, { voice, limits })
  const { audio, camera, screen, hand } = wanted
  await updateCallState(tx, {
    connection_id: connectionId,
    room_id: roomId,
    audio: audio ? 1 : 0,
    camera: camera ? 1 : 0,
    screen: screen ? 1 : 0,
    hand_at: hand ? (own.handAtMs ?? nowMs) : null,
    muted: own.muted && !audio ? 1 : 0,
  })
}

function requireGrants(grants: Grants, wanted: WantedState): void {
  const isMissing = (['audio', 'camera', 'screen'] as const).some((name) => wanted[name] && !grants[name])
  if (isMissing) throw failure('forbidden')
}

function requireCapacity(others: readonly Peer[], wanted: WantedState, { voice, limits }: CallPolicy): void {
  const maxCameras = voice.mode === 'mesh' ? limits.voice_cameras_mesh : limits.voice_cameras
  const count = (source: 'camera' | 'screen') => others.filter((peer) => peer[source]).length
  if (wanted.camera && count('camera') >= maxCameras) throw failure('voice_full')
  if (wanted.screen && count('screen') >= limits.voice_screens) throw failure('voice_full')
}
