import { type DialectName } from '@latchkey/database/url'
import { inList } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Entrant } from '../api/caller.ts'
import type { Context } from '../api/context.ts'
import type { Db, PresenceLeaseRow, RoomRow, RoomVisitRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import { admit } from './admission.ts'
import { isResumable } from './history.ts'
import { lockRoom } from './room-events.ts'
import type { UserRoomAccess } from './access-store.ts'
import {
  type LeaseHolder,
  findOwnLease,
  listLeaseHolders,
  putAddresses,
  putLeases,
  putVisits,
} from './visit-store.ts'

/** Time for which a user counts as present without a sign of life (R18.6). */
export const LEASE_MS = 45_000
/**
 * Node id of leases that only another `join` renews. No node has this id, and the leases outlive
 * every node.
 */
export const HTTP_NODE = 'http'

/** Connection through which a user is in a room. */
export type LeaseConnection = Pick<PresenceLeaseRow, 'connection_id' | 'session_id' | 'node_id'>

export interface StartedVisit {
  /** Access after the visit was started or resumed. */
  access: UserRoomAccess
  /** Whether the user was absent before. */
  hasEntered: boolean
}

/** User who wants to enter, with the connection. */
export interface EntryRequest {
  entrant: Entrant
  connection: LeaseConnection
}

/** Room and database engine. */
interface RoomTarget {
  dialect: DialectName
  roomId: string
}

/**
 * Starts or resumes a visit and takes a lease for this connection. Throws the refusals of R17.2 and
 * `room_full`. The room is locked until the commit, which prevents giving its last place away
 * twice.
 */
export async function startVisit(
  tx: Tx,
  { dialect, roomId, ...request }: EntryRequest & RoomTarget,
  limits: Limits,
): Promise<StartedVisit> {
  const [outcome] = await startVisits(tx, { dialect, roomId, requests: [request] }, limits)
  if (!outcome || outcome instanceof Failure) throw outcome ?? failure('not_found')
  return outcome
}

/** Starts or resumes the visits of several users, in order. The refusal of one does not affect the others. */
export async function startVisits(
  tx: Tx,
  { dialect, roomId, requests }: RoomTarget & { requests: readonly EntryRequest[] },
  limits: Limits,
): Promise<(StartedVisit | Failure)[]> {
  await lockRoom(tx, roomId)
  const nowMs = Math.max(...requests.map(({ entrant }) => entrant.nowMs))
  const presence = new RoomPresence(await listLeaseHolders(tx, { roomId }), nowMs)
  // By connection: two concurrent requests of one connection take one lease.
  const leases = new Map<string, PresenceLeaseRow>()
  const addresses: { session_id: string; client_ip: string }[] = []
  const outcomes: (StartedVisit | Failure)[] = []
  for (const { entrant, connection } of requests)
    try {
      const access = await admit(tx, roomId, entrant)
      outcomes.push(presence.admit(access, entrant.nowMs, limits))
      const expires_at = entrant.nowMs + LEASE_MS
      leases.set(connection.connection_id, {
        ...connection,
        room_id: roomId,
        user_id: entrant.userId,
        expires_at,
      })
      addresses.push({ session_id: connection.session_id, client_ip: entrant.clientIp })
    } catch (error) {
      // This request wrote at most the audited attempt of an administrator to enter a full room.
      if (!(error instanceof Failure)) throw error
      outcomes.push(error)
    }
  if (leases.size > 0) {
    await putAddresses(tx, dialect, addresses)
    // In the order in which the loss of a right deletes them, which locks no room.
    await putLeases(tx, dialect, [...leases.values()])
    await putVisits(tx, dialect, presence.visits(roomId))
  }
  return outcomes
}

type Visit = NonNullable<UserRoomAccess['visit']>

/**
 * Access of a user who wants to write. Throws the refusals of entry, and `room_full` for whom `join`
 * would refuse: HTTP is no way past the door. Members have a place for writing.
 */
export async function admitAuthor(tx: Tx, context: Context, roomId: string): Promise<UserRoomAccess> {
  const access = await admit(tx, roomId, context.entrant)
  await requirePlace(tx, access, context)
  return access
}

/** Throws `room_full` for visitors and guests who are not present and could not enter now. */
export async function requirePlace(
  db: Db,
  access: UserRoomAccess,
  { policy, now: nowMs }: Pick<Context, 'policy' | 'now'>,
): Promise<void> {
  const { roomId, userId, role, isGuest } = access
  if (role !== null && !isGuest) return
  const [own] = await findOwnLease(db, { roomId, userId, nowMs })
  if (own) return
  new RoomPresence(await listLeaseHolders(db, { roomId }), nowMs).requireCapacity(access, policy.limits)
}

/** Participants of a room during a group of entries. */
class RoomPresence {
  /** Present users, and whether they are guests. */
  readonly #present = new Map<string, boolean>()
  /** Last lease expiry per user, also of absent users. */
  readonly #leaseEnds = new Map<string, number>()
  readonly #startedVisits = new Map<string, Visit>()

  constructor(leaseHolders: readonly LeaseHolder[], nowMs: number) {
    for (const { user_id, is_guest, until } of leaseHolders) {
      this.#leaseEnds.set(user_id, until)
      if (until > nowMs) this.#present.set(user_id, is_guest === 1)
    }
  }

  /** Throws `room_full`, but never for a user who is already present. */
  admit(access: UserRoomAccess, nowMs: number, limits: Limits): StartedVisit {
    const { userId, isGuest } = access
    const hasEntered = !this.#present.has(userId)
    if (hasEntered) this.requireCapacity(access, limits)
    this.#present.set(userId, isGuest)
    const visit = this.#startedVisits.get(userId) ?? this.#resumeOrStart(access, nowMs)
    this.#startedVisits.set(userId, visit)
    return { access: { ...access, visit }, hasEntered }
  }

  /** Rows to store. */
  visits(roomId: string): Omit<RoomVisitRow, 'ended_at'>[] {
    return [...this.#startedVisits].map(([user_id, { startedAtMs, startedSeq }]) => ({
      room_id: roomId,
      user_id,
      started_at: startedAtMs,
      started_seq: startedSeq,
    }))
  }

  /** R17.9, R22. */
  requireCapacity({ room, isGuest }: UserRoomAccess, limits: Limits): void {
    if (room.max_participants !== null && this.#present.size >= room.max_participants)
      throw failure('room_full')
    if (!isGuest) return
    const guests = [...this.#present.values()].filter(Boolean).length
    if (guests >= maxGuests(room, limits)) throw failure('room_full')
  }

  #resumeOrStart({ userId, visit, room }: UserRoomAccess, nowMs: number): Visit {
    // Also if no job has recorded the end yet.
    const ended = visit && (visit.endedAtMs ?? this.#leaseEnds.get(userId) ?? visit.startedAtMs)
    return visit && isResumable({ ...visit, endedAtMs: ended }, nowMs)
      ? { ...visit, endedAtMs: null }
      : { startedAtMs: nowMs, startedSeq: room.last_seq, endedAtMs: null }
  }
}

function maxGuests({ max_participants }: RoomRow, limits: Limits): number {
  if (max_participants === null) return limits.guest_present_room
  const share = Math.floor((max_participants * limits.guest_share_percent) / 100)
  return Math.min(Math.max(share, 1), limits.guest_present_room)
}

/** Extends the leases of these connections. Revoked and expired leases stay so. */
export async function renewLeases(
  tx: Tx,
  dialect: DialectName,
  connectionIds: readonly string[],
  nowMs: number,
): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: nowMs + LEASE_MS })
    .where(inList(dialect, 'connection_id', connectionIds))
    .where('expires_at', '>', nowMs)
    .execute()
}

/**
 * Deletes the lease of one connection; the last one ends the visit. Returns true if the user has
 * left. To publish the departure later, use `shortenLeases` instead. `isHeld` is evaluated under
 * the lock of the room and prevents the deletion.
 */
export async function endLease(
  tx: Tx,
  {
    roomId,
    connectionId,
    nowMs,
    isHeld = () => false,
  }: { roomId: string; connectionId: string; nowMs: number; isHeld?: (() => boolean) | undefined },
): Promise<boolean> {
  await lockRoom(tx, roomId)
  if (isHeld()) return false
  const ended = await tx
    .deleteFrom('presence_leases')
    .where('room_id', '=', roomId)
    .where('connection_id', '=', connectionId)
    .returning('user_id')
    .executeTakeFirst()
  if (!ended) return false
  const other = await tx
    .selectFrom('presence_leases')
    .select('connection_id')
    .where('room_id', '=', roomId)
    .where('user_id', '=', ended.user_id)
    .where('expires_at', '>', nowMs)
    .limit(1)
    .executeTakeFirst()
  if (other) return false
  return endVisit(tx, { roomId, userId: ended.user_id, nowMs })
}

/** Lets the leases of closed connections expire at this moment, unless they end earlier. */
export async function shortenLeases(
  tx: Tx,
  dialect: DialectName,
  connectionIds: readonly string[],
  untilMs: number,
): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: untilMs })
    .where(inList(dialect, 'connection_id', connectionIds))
    .where('expires_at', '>', untilMs)
    .execute()
}

/** Ends the visit with all its leases. False if there was none. */
export async function endVisit(
  tx: Tx,
  { roomId, userId, nowMs }: { roomId: string; userId: string; nowMs: number },
): Promise<boolean> {
  await tx.deleteFrom('presence_leases').where('room_id', '=', roomId).where('user_id', '=', userId).execute()
  const ended = await tx
    .updateTable('room_visits')
    .set({ ended_at: nowMs })
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .where('ended_at', 'is', null)
    .returning('user_id')
    .executeTakeFirst()
  return ended !== undefined
}
