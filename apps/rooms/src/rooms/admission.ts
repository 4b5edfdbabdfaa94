import type { Failure } from '@latchkey/http/failure'
import type { Kysely, Transaction } from 'kysely'
import { recordAudit } from '../audit/store.ts'
import { type Context, actorOf } from '../context.ts'
import type { Tables } from '../db/tables.ts'
import { type FailureCode, failure } from '../failures.ts'
import { lockGrantsOf } from '../grants/store.ts'
import { VISIT_RESUME_MS, isResumable } from './history.ts'
import { type RoomAction, type RoomAccess, decideOrdinaryEntry, decideEntry, may } from './permissions.ts'
import { type UserRoomAccess, findRoomAccess } from './access-store.ts'
import { hasEnteredAsAdminSince } from './store.ts'

/** With what entering is refused (R17.2). */
export const ENTRY_REFUSALS = ['not_found', 'banned', 'cooldown', 'guests_not_allowed'] as const

/** The same where it takes a right to do more than being there. */
export const REFUSALS = ['forbidden', ...ENTRY_REFUSALS] as const

/** The same where something changes, which administrators do by their right only after a fresh sign-in. */
export const VISIT_REFUSALS = ['reauth_required', ...ENTRY_REFUSALS] as const
export const CHANGE_REFUSALS = ['reauth_required', ...REFUSALS] as const

/** Who wants to enter, when, and from where. */
export interface Entrant {
  userId: string
  clientPrefix: string
  clientIp: string
  requestId: string | null
  nowMs: number
  /** Until when this session may use the right of an administrator. */
  adminUntilMs: number
}

export function entrantOf(context: Context): Entrant {
  const { clientPrefix, clientIp, requestId, now: nowMs } = context
  const { user, session } = actorOf(context)
  const { adminUntilMs } = session
  return { userId: user.id, clientPrefix, clientIp, requestId, nowMs, adminUntilMs }
}

/**
 * The standing of somebody who may enter; otherwise the failure that R17.2 names. In the transaction of what is done in the
 * room, with the room locked before where it depends on who is there. An administrator's entry is audited in it as well.
 */
export async function admit(
  tx: Transaction<Tables>,
  roomId: string,
  entrant: Entrant,
): Promise<UserRoomAccess> {
  const access = await requireAccess(tx, roomId, entrant)
  if (!isByRightOfAdmin(access)) return access
  // Whoever takes the right away at this moment waits, and finds them in the room; or it is gone.
  if (!(await lockGrantsOf(tx, entrant.userId, 'platform_admin'))) return requireAccess(tx, roomId, entrant)
  await auditEntry(tx, access, entrant)
  return access
}

/** The same for those who only read, which administrators do however long ago they signed in. */
export async function admitReader(context: Context, roomId: string): Promise<UserRoomAccess> {
  const entrant = { ...entrantOf(context), adminUntilMs: Infinity }
  const access = await requireAccess(context.database.read, roomId, entrant)
  if (isByRightOfAdmin(access)) await context.database.write((tx) => auditEntry(tx, access, entrant))
  return access
}

/** Throws unless the person may do this, whom entering has let in. */
export function requirePermission(action: RoomAction, access: RoomAccess): void {
  if (!may(action, access)) throw refusalOf(access, 'forbidden')
}

/** That a fresh sign-in is needed, where the right of an administrator would do; otherwise this code. */
export function refusalOf({ needsSignIn }: RoomAccess, code: FailureCode): Failure {
  return failure(needsSignIn ? 'reauth_required' : code)
}

async function requireAccess(db: Kysely<Tables>, roomId: string, entrant: Entrant): Promise<UserRoomAccess> {
  const access = await findRoomAccess(db, roomId, entrant)
  const entry = access ? decideEntry(access) : 'not_found'
  if (!access || entry !== 'yes')
    throw failure(entry === 'yes' ? 'not_found' : entry, retryAfter(access, entrant.nowMs))
  return access
}

function retryAfter(access: UserRoomAccess | undefined, nowMs: number): { headers?: Record<string, string> } {
  // Not for a private room, of which this would be a sign.
  if (!access || decideEntry(access) !== 'cooldown' || !access.ban?.untilMs) return {}
  return { headers: { 'Retry-After': String(Math.ceil((access.ban.untilMs - nowMs) / 1000)) } }
}

function isByRightOfAdmin({ isAdmin, role }: UserRoomAccess): boolean {
  return isAdmin && role === null
}

/**
 * Whether somebody who is no member any more may stay, with the room locked. An administrator who is there comes in by that
 * right at this moment.
 */
export async function mayStay(
  tx: Transaction<Tables>,
  access: UserRoomAccess,
  entrant: Entrant,
): Promise<boolean> {
  const visitor = { ...access, role: null }
  if (!isByRightOfAdmin(visitor) || !(await lockGrantsOf(tx, entrant.userId, 'platform_admin')))
    return decideOrdinaryEntry(visitor) === 'yes'
  if (access.visit?.endedAtMs === null) await auditEntry(tx, visitor, entrant)
  return true
}

/**
 * Once for a visit, which may have begun as a member's; for those who read without one, once in the time for which a visit
 * goes on.
 */
async function auditEntry(
  tx: Transaction<Tables>,
  { roomId, visit }: UserRoomAccess,
  entrant: Entrant,
): Promise<void> {
  const { userId, nowMs } = entrant
  const beganMs = visit && isResumable(visit, nowMs) ? visit.startedAtMs : nowMs
  if (await hasEnteredAsAdminSince(tx, { roomId, userId, sinceMs: beganMs - VISIT_RESUME_MS })) return
  const target = { type: 'room', id: roomId }
  await recordAudit(tx, { action: 'room.admin_entry', actorUserId: userId, target }, entrant)
}
