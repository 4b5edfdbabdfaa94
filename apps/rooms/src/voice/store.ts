import { inList } from '@latchkey/database/database'
import type { DialectName } from '@latchkey/database/url'
import type { Flag } from '../db/flag.ts'
import type { Db, RoomRow, Tx } from '../db/tables.ts'
import type { CallLeaseRow, CallRow, GuestVoice } from '../db/voice-rows.ts'
import { prepareQuery } from '../db/prepared-query.ts'
import type { MemberRole } from '../api/roles.ts'
import { HTTP_NODE } from '../rooms/visits.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import { toMoment, toMomentOrNull } from '../api/wire.ts'
import { type Grants, grantsOf } from './grants.ts'
import type { Call, CallPeer, ParticipantVoice } from './schema.ts'

/** Connection in a call, with what its user may do now. */
export interface Peer {
  readonly connectionId: string
  readonly userId: string
  /** Undefined if the user may not be in the call any more. */
  readonly grants: Grants | undefined
  readonly audio: boolean
  readonly camera: boolean
  readonly screen: boolean
  readonly muted: boolean
  readonly handAtMs: number | null
}

type PeerRow = Pick<CallLeaseRow, 'connection_id' | 'audio' | 'camera' | 'screen' | 'muted' | 'hand_at'> &
  Pick<RoomRow, 'owner_id' | 'default_role' | 'voice' | 'voice_screen' | 'voice_guests' | 'archived_at'> & {
    user_id: string
    is_guest: Flag
    member_role: MemberRole | null
    revoked_at: number | null
    idle_expires_at: number
  }

interface Now {
  roomId: string
  nowMs: number
}

/** Leases of connections in the room, and of those closed a moment ago, whose users may return. */
function leases(db: Db, nowMs: number) {
  return db
    .selectFrom('call_leases')
    .innerJoin('presence_leases', (join) =>
      join
        .onRef('presence_leases.connection_id', '=', 'call_leases.connection_id')
        .onRef('presence_leases.room_id', '=', 'call_leases.room_id'),
    )
    .where('presence_leases.expires_at', '>', nowMs)
}

/** Leases of open connections. */
function openLeases(db: Db, nowMs: number) {
  return leases(db, nowMs).where('call_leases.lost_at', 'is', null)
}

const selectPeers = prepareQuery<Now, PeerRow>((db, { roomId, nowMs }) =>
  openLeases(db, nowMs)
    .innerJoin('rooms', 'rooms.id', 'call_leases.room_id')
    .innerJoin('users', 'users.id', 'presence_leases.user_id')
    .innerJoin('sessions', 'sessions.id', 'presence_leases.session_id')
    .leftJoin('room_members', (join) =>
      join.onRef('room_members.room_id', '=', 'rooms.id').onRef('room_members.user_id', '=', 'users.id'),
    )
    .select([
      'call_leases.connection_id',
      'call_leases.audio',
      'call_leases.camera',
      'call_leases.screen',
      'call_leases.muted',
      'call_leases.hand_at',
      'users.id as user_id',
      'users.is_guest',
      'rooms.owner_id',
      'rooms.default_role',
      'rooms.voice',
      'rooms.voice_screen',
      'rooms.voice_guests',
      'rooms.archived_at',
      'room_members.role as member_role',
      'sessions.revoked_at',
      'sessions.idle_expires_at',
    ])
    .where('call_leases.room_id', '=', roomId)
    .where('users.disabled', '=', 0)
    .orderBy('call_leases.joined_at')
    .orderBy('call_leases.connection_id'),
)

/**
 * Connections in the call of a room, in order of joining. Rights are those of this moment; `guests`
 * is the setting of the instance.
 */
export async function listPeers(db: Db, now: Now, guests: GuestVoice): Promise<Peer[]> {
  const rows = await selectPeers(db, now)
  return rows.map((row) => {
    const role = row.owner_id === row.user_id ? ('owner' as const) : row.member_role
    const caller = { role, defaultRole: row.default_role, isGuest: row.is_guest === 1 }
    // A session may have ended without its node: the lease outlives both.
    const isLive = row.revoked_at === null && row.idle_expires_at > now.nowMs
    const grants = isLive ? grantsOf(caller, row, guests) : undefined
    return {
      connectionId: row.connection_id,
      userId: row.user_id,
      grants,
      audio: row.audio === 1 && grants?.audio === true,
      camera: row.camera === 1 && grants?.camera === true,
      screen: row.screen === 1 && grants?.screen === true,
      muted: row.muted === 1,
      handAtMs: row.hand_at,
    }
  })
}

/** Peer as other people in the call see it. */
export function toCallPeer({ grants, handAtMs, ...peer }: Peer & { grants: Grants }): CallPeer {
  return { ...peer, grants, hand: toMomentOrNull(handAtMs) }
}

export function mayStayInCall(peer: Peer): peer is Peer & { grants: Grants } {
  return peer.grants !== undefined
}

/** What the participants of a room do in its call, by user. Empty without a call. */
export async function findParticipantVoices(
  db: Db,
  now: Now,
  { mode, guests }: VoiceSettings,
): Promise<ReadonlyMap<string, ParticipantVoice>> {
  const voices = new Map<string, ParticipantVoice>()
  const peers = mode === 'off' ? [] : await listPeers(db, now, guests)
  for (const { userId, handAtMs, ...peer } of peers) {
    if (peer.grants === undefined) continue
    const other = voices.get(userId)
    const hand = [other?.hand, toMomentOrNull(handAtMs)]
      .filter((moment) => typeof moment === 'string')
      .toSorted()
    voices.set(userId, {
      audio: peer.audio || other?.audio === true,
      camera: peer.camera || other?.camera === true,
      screen: peer.screen || other?.screen === true,
      muted: peer.muted || other?.muted === true,
      hand: hand[0] ?? null,
    })
  }
  return voices
}

function queryCalls(db: Db, nowMs: number) {
  return openLeases(db, nowMs)
    .innerJoin('calls', 'calls.room_id', 'call_leases.room_id')
    .select((eb) => [
      'calls.room_id',
      'calls.id',
      'calls.started_at',
      eb.fn.count<number>('presence_leases.user_id').distinct().as('count'),
    ])
    .groupBy(['calls.room_id', 'calls.id', 'calls.started_at'])
}

/** All calls with people in them, by room. */
export async function findAllCalls(db: Db, nowMs: number): Promise<ReadonlyMap<string, Call>> {
  return byRoom(await queryCalls(db, nowMs).execute())
}

/** Calls with people in them in these rooms, by room. */
export async function findCalls(
  { read: db, dialect }: { read: Db; dialect: DialectName },
  roomIds: readonly string[],
  nowMs: number,
): Promise<ReadonlyMap<string, Call>> {
  return byRoom(
    await queryCalls(db, nowMs)
      .where(inList(dialect, 'calls.room_id', roomIds))
      .execute(),
  )
}

function byRoom(
  rows: readonly (Pick<CallRow, 'room_id' | 'id' | 'started_at'> & { count: number })[],
): ReadonlyMap<string, Call> {
  return new Map(
    rows.map(({ room_id, id, started_at, count }) => [
      room_id,
      { id, startedAt: toMoment(started_at), count },
    ]),
  )
}

/** The call of a locked room, also while everyone in it is disconnected. */
export async function findCallRow(tx: Tx, roomId: string): Promise<CallRow | undefined> {
  return tx.selectFrom('calls').selectAll().where('room_id', '=', roomId).executeTakeFirst()
}

export async function insertCall(tx: Tx, call: CallRow): Promise<void> {
  await tx.insertInto('calls').values(call).execute()
}

export async function deleteCall(tx: Tx, roomId: string): Promise<void> {
  await tx.deleteFrom('calls').where('room_id', '=', roomId).execute()
}

/** Whether a user is in the call, or may return to it. */
export async function hasCallLease(tx: Tx, { roomId, nowMs }: Now): Promise<boolean> {
  const lease = await leases(tx, nowMs)
    .select('call_leases.connection_id')
    .where('call_leases.room_id', '=', roomId)
    .limit(1)
    .executeTakeFirst()
  return lease !== undefined
}

/** Rooms with calls that all users have left. */
export async function listEmptyCalls(tx: Tx, nowMs: number): Promise<string[]> {
  const occupied = leases(tx, nowMs).select('call_leases.room_id')
  const rows = await tx
    .selectFrom('calls')
    .select('room_id')
    .where('room_id', 'not in', occupied)
    .orderBy('room_id')
    .execute()
  return rows.map(({ room_id }) => room_id)
}

/** Open socket of this session in the room. */
export async function isOwnConnection(
  db: Db,
  { roomId, nowMs, connectionId, sessionId }: Now & { connectionId: string; sessionId: string },
): Promise<boolean> {
  const lease = await db
    .selectFrom('presence_leases')
    .select('connection_id')
    .where('connection_id', '=', connectionId)
    .where('room_id', '=', roomId)
    .where('session_id', '=', sessionId)
    .where('node_id', '<>', HTTP_NODE)
    .where('expires_at', '>', nowMs)
    .executeTakeFirst()
  return lease !== undefined
}

/** Puts a connection into the call with everything off. One that is in it already stays as it is. */
export async function putCallLease(
  tx: Tx,
  lease: Pick<CallLeaseRow, 'connection_id' | 'room_id' | 'joined_at'>,
): Promise<void> {
  const off = { audio: 0, camera: 0, screen: 0, muted: 0, hand_at: null, lost_at: null } as const
  await tx
    .insertInto('call_leases')
    .values({ ...lease, ...off })
    .onConflict((conflict) => conflict.columns(['connection_id', 'room_id']).doUpdateSet({ lost_at: null }))
    .execute()
}

type CallState = Pick<CallLeaseRow, 'audio' | 'camera' | 'screen' | 'muted' | 'hand_at'>

/** Stores what a connection does. */
export const updateCallState = prepareQuery<
  CallState & Pick<CallLeaseRow, 'connection_id' | 'room_id'>,
  unknown
>((db, { connection_id, room_id, audio, camera, screen, muted, hand_at }) =>
  db
    .updateTable('call_leases')
    .set({ audio, camera, screen, muted, hand_at })
    .where('connection_id', '=', connection_id)
    .where('room_id', '=', room_id),
)

export async function updateCallLeases(
  tx: Tx,
  { roomId, connectionIds }: { roomId: string; connectionIds: readonly string[] },
  changes: Partial<Omit<CallLeaseRow, 'connection_id' | 'room_id'>>,
): Promise<void> {
  if (connectionIds.length === 0) return
  await tx
    .updateTable('call_leases')
    .set(changes)
    .where('room_id', '=', roomId)
    .where('connection_id', 'in', connectionIds)
    .execute()
}

export async function deleteCallLeases(
  tx: Tx,
  { roomId, connectionIds }: { roomId: string; connectionIds: readonly string[] },
): Promise<void> {
  if (connectionIds.length === 0) return
  await tx
    .deleteFrom('call_leases')
    .where('room_id', '=', roomId)
    .where('connection_id', 'in', connectionIds)
    .execute()
}
