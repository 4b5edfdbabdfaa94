import { type DialectName } from '@latchkey/database/url'
import { inList } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Entrant } from '../api/caller.ts'
import type { Context } from '../api/context.ts'
import type { Db, PresenceLeaseRow, RoomRow, RoomVisitRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import { admit, admitWriter } from './admission.ts'
import { isResumable } from './history.ts'
import { lockRoom } from './room-events.ts'
import type { UserRoomAccess } from './access-store.ts'
import {
  type CountedVisitors,
  countVisitors,
  findLeaseEnds,
  findOwnLease,
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
  const userIds = requests.map(({ entrant }) => entrant.userId)
  const leaseEnds = await findLeaseEnds(tx, dialect, { roomId, userIds })
  const entries = new RoomEntries(tx, roomId, { leaseEnds, nowMs, limits })
  // By connection: two concurrent requests of one connection take one lease.
  const leases = new Map<string, PresenceLeaseRow>()
  const addresses: { session_id: string; client_ip: string }[] = []
  const outcomes: (StartedVisit | Failure)[] = []
  for (const { entrant, connection } of requests)
    try {
      const access = await admit(tx, roomId, entrant)
      outcomes.push(await entries.admit(access, entrant.nowMs))
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
    await putVisits(tx, dialect, entries.visits())
  }
  return outcomes
}

type Visit = NonNullable<UserRoomAccess['visit']>

/**
 * Access of a user who wants to write. Throws the refusals of entry, `archived`, and `room_full` for
 * whom `join` would refuse: HTTP is no way past the door. Members have a place for writing.
 */
export async function admitAuthor(tx: Tx, context: Context, roomId: string): Promise<UserRoomAccess> {
  const access = await admitWriter(tx, roomId, context.entrant)
  await requirePlace(tx, access, context)
  return access
}

/**
 * Throws `room_full` for whom `join` would refuse: visitors and guests who are not present (R36.1).
 */
export async function requirePlace(
  db: Db,
  access: UserRoomAccess,
  { policy, now: nowMs }: Pick<Context, 'policy' | 'now'>,
): Promise<void> {
  const { roomId, userId } = access
  if (!isCounted(access)) return
  const [own] = await findOwnLease(db, { roomId, userId, nowMs })
  if (!own) requireCapacity(await countVisitors(db, { room: access.room, nowMs }), access, policy.limits)
}

/** Whether anything limits the number of such users: members have a place without one (R36.1). */
function isCounted({ role, isGuest, room }: UserRoomAccess): boolean {
  return isGuest || (role === null && room.max_participants !== null)
}

/** R36.1, R22. */
function requireCapacity(
  { visitors, guests }: CountedVisitors,
  { room, isGuest }: UserRoomAccess,
  limits: Limits,
): void {
  if (room.max_participants !== null && visitors >= room.max_participants) throw failure('room_full')
  if (isGuest && guests >= maxGuests(room, limits)) throw failure('room_full')
}

/**
 * A group of entries into a room. The people present are counted only for someone whom the number
 * could refuse: there may be thousands.
 */
class RoomEntries {
  readonly #tx: Tx
  readonly #roomId: string
  readonly #nowMs: number
  readonly #limits: Limits
  /** Last lease expiry per user, also of absent users. */
  readonly #leaseEnds: ReadonlyMap<string, number>
  readonly #startedVisits = new Map<string, Visit>()
  #counted: CountedVisitors | undefined

  constructor(
    tx: Tx,
    roomId: string,
    { leaseEnds, nowMs, limits }: { leaseEnds: ReadonlyMap<string, number>; nowMs: number; limits: Limits },
  ) {
    this.#tx = tx
    this.#roomId = roomId
    this.#leaseEnds = leaseEnds
    this.#nowMs = nowMs
    this.#limits = limits
  }

  /** Throws `room_full`, but never for a user who is already present. */
  async admit(access: UserRoomAccess, nowMs: number): Promise<StartedVisit> {
    const { userId } = access
    const isPresent = this.#startedVisits.has(userId) || (this.#leaseEnds.get(userId) ?? 0) > this.#nowMs
    if (!isPresent && isCounted(access)) await this.#takePlace(access)
    const visit = this.#startedVisits.get(userId) ?? this.#resumeOrStart(access, nowMs)
    this.#startedVisits.set(userId, visit)
    return { access: { ...access, visit }, hasEntered: !isPresent }
  }

  /** Rows to store. */
  visits(): Omit<RoomVisitRow, 'ended_at'>[] {
    return [...this.#startedVisits].map(([user_id, { startedAtMs, startedSeq }]) => ({
      room_id: this.#roomId,
      user_id,
      started_at: startedAtMs,
      started_seq: startedSeq,
    }))
  }

  async #takePlace(access: UserRoomAccess): Promise<void> {
    const counted = (this.#counted ??= await countVisitors(this.#tx, {
      room: access.room,
      nowMs: this.#nowMs,
    }))
    requireCapacity(counted, access, this.#limits)
    counted.visitors++
    if (access.isGuest) counted.guests++
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
