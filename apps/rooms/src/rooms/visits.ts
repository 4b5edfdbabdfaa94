import { type DialectName } from '@latchkey/database/url'
import type { Transaction } from 'kysely'
import { among } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { PresenceLeaseRow, RoomRow, Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import type { Limits } from '../limits.ts'
import { type Entrant, enterOrFail } from './entry.ts'
import { goesOn } from './history.ts'
import { lockRoom } from './log.ts'
import type { FoundStanding } from './standing.ts'

/** How long somebody is taken to be there without a sign of life (R18.6). */
export const LEASE_MS = 45_000
/** Whose leases nobody renews but another `join`. No node has this id, so they outlive any node. */
export const HTTP_NODE = 'http'

/** The connection by which somebody is in a room. */
export type Connection = Pick<PresenceLeaseRow, 'connection_id' | 'session_id' | 'node_id'>

export interface Started {
  /** As it is now that the visit has begun or gone on. */
  standing: FoundStanding
  /** Whether the person was not there before. */
  hasCome: boolean
}

/** Somebody at the door, with the connection by which they come. */
export interface Arrival {
  entrant: Entrant
  connection: Connection
}

/**
 * Begins a visit or goes on with it, and holds a lease by this connection. Throws what R17.2 refuses, and `room_full`; the
 * room is locked from here to the commit, so that its last place is given away once.
 */
export async function startVisit(
  tx: Transaction<Tables>,
  { roomId, ...arrival }: Arrival & { roomId: string },
  limits: Limits,
): Promise<Started> {
  const [outcome] = await startVisits(tx, { roomId, arrivals: [arrival] }, limits)
  if (!outcome || outcome instanceof Failure) throw outcome ?? failure('not_found')
  return outcome
}

/** The same for several, in their order: what each comes to, a refusal of one being nothing to the others. */
export async function startVisits(
  tx: Transaction<Tables>,
  { roomId, arrivals }: { roomId: string; arrivals: readonly Arrival[] },
  limits: Limits,
): Promise<(Started | Failure)[]> {
  const locked = await lockRoom(tx, roomId)
  const nowMs = Math.max(...arrivals.map(({ entrant }) => entrant.nowMs))
  const present = locked ? await findPresent(tx, roomId, nowMs) : new Map<string, boolean>()
  const outcomes: (Started | Failure)[] = []
  for (const arrival of arrivals)
    try {
      outcomes.push(await letIn(tx, { roomId, arrival, present }, limits))
    } catch (error) {
      // Nothing of this one was written, except that an administrator stood at the door of a full room.
      if (!(error instanceof Failure)) throw error
      outcomes.push(error)
    }
  return outcomes
}

/** Who is in the room, and whether they are guests. */
type Present = Map<string, boolean>

async function letIn(
  tx: Transaction<Tables>,
  { roomId, arrival, present }: { roomId: string; arrival: Arrival; present: Present },
  limits: Limits,
): Promise<Started> {
  const { entrant, connection } = arrival
  const { nowMs } = entrant
  const standing = await enterOrFail(tx, roomId, entrant)
  const { userId, isGuest } = standing
  const hasCome = !present.has(userId)
  if (hasCome) refuseOverfull(standing, present, limits)
  const visit = await putVisit(tx, standing, nowMs)
  await putLease(tx, { ...connection, room_id: roomId, user_id: userId, expires_at: nowMs + LEASE_MS })
  present.set(userId, isGuest)
  return { standing: { ...standing, visit }, hasCome }
}

async function findPresent(tx: Transaction<Tables>, roomId: string, nowMs: number): Promise<Present> {
  const rows = await tx
    .selectFrom('presence_leases')
    .innerJoin('users', 'users.id', 'presence_leases.user_id')
    .select(['users.id', 'users.is_guest'])
    .distinct()
    .where('presence_leases.room_id', '=', roomId)
    .where('presence_leases.expires_at', '>', nowMs)
    .execute()
  return new Map(rows.map(({ id, is_guest }) => [id, is_guest === 1]))
}

/** R17.9, R22. */
function refuseOverfull({ room, isGuest }: FoundStanding, present: Present, limits: Limits): void {
  if (present.size >= room.max_participants) throw failure('room_full')
  if (!isGuest) return
  const guests = [...present.values()].filter(Boolean).length
  if (guests >= guestPlaces(room, limits)) throw failure('room_full')
}

function guestPlaces({ max_participants }: RoomRow, limits: Limits): number {
  const share = Math.floor((max_participants * limits.guest_share_percent) / 100)
  return Math.min(Math.max(share, 1), limits.guest_present_room)
}

async function putVisit(
  tx: Transaction<Tables>,
  standing: FoundStanding,
  nowMs: number,
): Promise<NonNullable<FoundStanding['visit']>> {
  const { roomId, userId, room } = standing
  const ended = await lastSign(tx, standing)
  const last = standing.visit && { ...standing.visit, endedAtMs: ended }
  const visit =
    last && goesOn(last, nowMs)
      ? { ...last, endedAtMs: null }
      : { startedAtMs: nowMs, startedSeq: room.last_seq, endedAtMs: null }
  const row = { started_at: visit.startedAtMs, started_seq: visit.startedSeq, ended_at: null }
  await tx
    .insertInto('room_visits')
    .values({ room_id: roomId, user_id: userId, ...row })
    .onConflict((conflict) => conflict.columns(['room_id', 'user_id']).doUpdateSet(row))
    .execute()
  return visit
}

/** When the visit ended, also where no job has written it down yet; null while it lasts. */
async function lastSign(
  tx: Transaction<Tables>,
  { roomId, userId, visit }: FoundStanding,
): Promise<number | null> {
  if (!visit || visit.endedAtMs !== null) return visit?.endedAtMs ?? null
  const { until } = await tx
    .selectFrom('presence_leases')
    .select((eb) => eb.fn.max('expires_at').as('until'))
    .where('room_id', '=', roomId)
    .where('user_id', '=', userId)
    .executeTakeFirstOrThrow()
  return until ?? visit.startedAtMs
}

async function putLease(tx: Transaction<Tables>, lease: PresenceLeaseRow): Promise<void> {
  const { session_id, user_id, node_id, expires_at } = lease
  await tx
    .insertInto('presence_leases')
    .values(lease)
    .onConflict((conflict) =>
      conflict
        .columns(['connection_id', 'room_id'])
        .doUpdateSet({ session_id, user_id, node_id, expires_at }),
    )
    .execute()
}

/** Holds the leases of these connections for longer, and returns those that still exist: whoever lost a room has none. */
export async function renewLeases(
  tx: Transaction<Tables>,
  dialect: DialectName,
  connectionIds: readonly string[],
  nowMs: number,
): Promise<Pick<PresenceLeaseRow, 'connection_id' | 'room_id'>[]> {
  return tx
    .updateTable('presence_leases')
    .set({ expires_at: nowMs + LEASE_MS })
    .where(among(dialect, 'connection_id', connectionIds))
    .where('expires_at', '>', nowMs)
    .returning(['connection_id', 'room_id'])
    .execute()
}

/**
 * Gives up one connection's lease; the visit ends with the last one. True when the person has gone. To tell of it later than
 * at once, let the lease run out instead: `shortenLeases`.
 */
export async function endLease(
  tx: Transaction<Tables>,
  { roomId, connectionId, nowMs }: { roomId: string; connectionId: string; nowMs: number },
): Promise<boolean> {
  await lockRoom(tx, roomId)
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

/** Lets the leases of connections that are gone run out at this moment, unless they end before. */
export async function shortenLeases(
  tx: Transaction<Tables>,
  dialect: DialectName,
  connectionIds: readonly string[],
  untilMs: number,
): Promise<void> {
  await tx
    .updateTable('presence_leases')
    .set({ expires_at: untilMs })
    .where(among(dialect, 'connection_id', connectionIds))
    .where('expires_at', '>', untilMs)
    .execute()
}

/** Ends the visit with all its leases. False when there was none. */
export async function endVisit(
  tx: Transaction<Tables>,
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
