import type { Failure } from '@latchkey/http/failure'
import { recordAudit } from '../audit/store.ts'
import type { Entrant } from '../api/caller.ts'
import type { Context } from '../api/context.ts'
import type { Db, RoomRow, Tx } from '../db/tables.ts'
import { type FailureCode, failure } from '../api/failures.ts'
import { lockGrantsOf } from '../grants/store.ts'
import { lockRoom } from './room-events.ts'
import { VISIT_RESUME_MS, isResumable } from './history.ts'
import { type RoomAction, type RoomAccess, decideOrdinaryEntry, decideEntry, may } from './permissions.ts'
import { type UserRoomAccess, findRoomAccess } from './access-store.ts'
import { hasEnteredAsAdminSince } from './store.ts'

/** Refusals of entry (R17.2). */
export const ENTRY_REFUSALS = ['not_found', 'banned', 'cooldown', 'guests_not_allowed'] as const

/** Refusals of actions that need more than entry. */
export const REFUSALS = ['forbidden', ...ENTRY_REFUSALS] as const

/** Refusals of changes, for which administrators need a fresh sign-in. */
export const VISIT_REFUSALS = ['reauth_required', ...ENTRY_REFUSALS] as const
export const CHANGE_REFUSALS = ['reauth_required', ...REFUSALS] as const

/**
 * Access of a user who may enter. Throws the refusals of R17.2 otherwise. Runs in the transaction
 * of the action; if that depends on the participants, the room is locked first. An entry as
 * administrator is audited in the same transaction.
 */
export async function admit(tx: Tx, roomId: string, entrant: Entrant): Promise<UserRoomAccess> {
  const access = await requireAccess(tx, roomId, entrant)
  if (!isByRightOfAdmin(access)) return access
  // A concurrent revocation waits and then finds this user in the room, or it has won and has removed
  // the grant.
  if (!(await lockGrantsOf(tx, entrant.userId, 'platform_admin'))) return requireAccess(tx, roomId, entrant)
  await auditEntry(tx, access, entrant)
  return access
}

/**
 * Access of a user who may enter, for an action that an archived room refuses: everything but
 * reading, leaving, settings, moderation and deletion (R36.3). Throws `archived`.
 */
export async function admitWriter(tx: Tx, roomId: string, entrant: Entrant): Promise<UserRoomAccess> {
  const access = await admit(tx, roomId, entrant)
  requireOpen(access.room)
  return access
}

/** Throws `archived` (R36.3). */
export function requireOpen({ archived_at }: Pick<RoomRow, 'archived_at'>): void {
  if (archived_at !== null) throw failure('archived')
}

/** Access of a user who may read. Administrators may, however long ago they signed in. */
export async function admitReader(context: Context, roomId: string): Promise<UserRoomAccess> {
  const entrant = { ...context.entrant, adminUntilMs: Infinity }
  const access = await requireAccess(context.database.read, roomId, entrant)
  if (isByRightOfAdmin(access)) await context.database.write((tx) => auditEntry(tx, access, entrant))
  return access
}

/**
 * Access of a user who may enter without the right of an administrator, which makes no one a member.
 */
export async function admitWithoutAdminRight(
  tx: Tx,
  roomId: string,
  entrant: Entrant,
): Promise<UserRoomAccess> {
  const access = await requireAccess(tx, roomId, entrant)
  if (decideOrdinaryEntry(access) !== 'yes') throw failure('forbidden')
  return access
}

/** Throws unless an admitted user may do this. */
export function requirePermission(action: RoomAction, access: RoomAccess): void {
  if (!may(action, access)) throw refusalOf(access, 'forbidden')
}

/** Locks the room and checks that the caller may enter it and do this. */
export async function authorizeInRoom(
  tx: Tx,
  context: Context,
  roomId: string,
  action: RoomAction,
): Promise<UserRoomAccess> {
  await lockRoom(tx, roomId)
  const access = await admit(tx, roomId, context.entrant)
  requirePermission(action, access)
  return access
}

/**
 * `reauth_required` if a fresh sign-in would give the right of an administrator; otherwise this
 * code.
 */
export function refusalOf({ needsSignIn }: RoomAccess, code: FailureCode): Failure {
  return failure(needsSignIn ? 'reauth_required' : code)
}

async function requireAccess(db: Db, roomId: string, entrant: Entrant): Promise<UserRoomAccess> {
  const access = await findRoomAccess(db, roomId, entrant)
  const entry = access ? decideEntry(access) : 'not_found'
  if (!access || entry !== 'yes')
    throw failure(entry === 'yes' ? 'not_found' : entry, retryAfter(access, entrant.nowMs))
  return access
}

function retryAfter(access: UserRoomAccess | undefined, nowMs: number): { headers?: Record<string, string> } {
  // Not for a private room, whose existence it would reveal.
  if (!access || decideEntry(access) !== 'cooldown' || !access.ban?.untilMs) return {}
  return { headers: { 'Retry-After': String(Math.ceil((access.ban.untilMs - nowMs) / 1000)) } }
}

function isByRightOfAdmin({ isAdmin, role }: UserRoomAccess): boolean {
  return isAdmin && role === null
}

/**
 * Whether a former member may stay, with the room locked. A present administrator counts as
 * entering by that right now.
 */
export async function mayStay(tx: Tx, access: UserRoomAccess, entrant: Entrant): Promise<boolean> {
  const visitor = { ...access, role: null }
  if (!isByRightOfAdmin(visitor) || !(await lockGrantsOf(tx, entrant.userId, 'platform_admin')))
    return decideOrdinaryEntry(visitor) === 'yes'
  if (access.visit?.endedAtMs === null) await auditEntry(tx, visitor, entrant)
  return true
}

/**
 * Audits an entry as administrator once per visit, which may have begun as a member's. Readers
 * without a visit are audited once in the time for which a visit can be resumed.
 */
async function auditEntry(tx: Tx, { roomId, visit }: UserRoomAccess, entrant: Entrant): Promise<void> {
  const { userId, nowMs } = entrant
  const beganMs = visit && isResumable(visit, nowMs) ? visit.startedAtMs : nowMs
  if (await hasEnteredAsAdminSince(tx, { roomId, userId, sinceMs: beganMs - VISIT_RESUME_MS })) return
  const target = { type: 'room', id: roomId }
  await recordAudit(tx, { action: 'room.admin_entry', actorUserId: userId, target }, entrant)
}
