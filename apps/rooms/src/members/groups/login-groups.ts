// The memberships that follow from the groups of a login (R38.3).
import type { DialectName } from '@latchkey/database/url'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import { MEMBER_ROLES, type MemberRole } from '../../api/roles.ts'
import { type AuditOrigin, recordAudits } from '../../audit/store.ts'
import type { RoomMemberRow, Tx, UserRow } from '../../db/tables.ts'
import { revokeLostAccessOfUser } from '../../rooms/eviction.ts'
import { isAtLeast } from '../../rooms/permissions.ts'
import { type NewEvent, appendEvents } from '../../rooms/room-events.ts'
import { toPerson } from '../../rooms/schema.ts'
import { endTransfersIn } from '../ownership/transfers.ts'
import {
  type RoomOfGroups,
  beginStates,
  deleteGroupMembers,
  putGroupMembers,
  selectRoomsOfGroups,
} from './store.ts'

type Membership = Pick<RoomMemberRow, 'role' | 'group_name' | 'own_role'>

interface Change {
  of: RoomOfGroups
  /** Null if the membership ends. */
  next: Membership | null
}

interface LoginGroups {
  dialect: DialectName
  groups: readonly string[]
  nowMs: number
}

/** The ids of the rooms that the groups of a login change, for `lockRooms`. Most logins change none. */
export async function listRoomsOfGroups(
  tx: Tx,
  userId: string | undefined,
  login: LoginGroups,
): Promise<string[]> {
  const changes = await findChanges(tx, userId ?? '', login)
  return changes.map(({ of }) => of.room.id)
}

/**
 * Gives, changes and ends memberships in the locked rooms, in as many statements for one room as for
 * thousands. Returns the events to publish.
 */
export async function updateGroupMemberships(
  tx: Tx,
  user: UserRow,
  { roomIds, origin, ...login }: LoginGroups & { roomIds: readonly string[]; origin: AuditOrigin },
): Promise<ClusterEvent[]> {
  if (roomIds.length === 0) return []
  const locked = new Set(roomIds)
  const { dialect, nowMs } = login
  // Read again under the locks.
  const changes = (await findChanges(tx, user.id, login)).filter(({ of }) => locked.has(of.room.id))
  if (changes.length === 0) return []
  const members = changes.flatMap(({ of, next }) => (next ? [toRow(of, next, user.id, nowMs)] : []))
  const ended = changes.filter(({ next }) => next === null).map(({ of }) => of.room.id)
  const joined = changes.filter(({ of }) => of.membership === null).map(({ of }) => of.room.id)
  if (members.length > 0) await putGroupMembers(dialect, tx, members)
  if (joined.length > 0) await beginStates(dialect, tx, { userId: user.id, roomIds: joined })
  const events: ClusterEvent[] = []
  if (ended.length > 0) {
    await deleteGroupMembers(dialect, tx, { userId: user.id, roomIds: ended })
    events.push(...(await endTransfersIn(dialect, tx, { userId: user.id, roomIds: ended })))
    events.push(...(await revokeLostAccessOfUser(tx, user.id, nowMs)))
  }
  const visible = changes.filter(({ of, next }) => of.membership?.role !== next?.role)
  events.push(
    ...(await appendEvents(
      dialect,
      tx,
      visible.map((change) => toEvent(change, user, nowMs)),
    )),
  )
  await auditChanges(tx, visible, user.id, origin)
  return [...events, ...accessEvents(visible, user.id)]
}

async function findChanges(tx: Tx, userId: string, { dialect, ...login }: LoginGroups): Promise<Change[]> {
  const rooms = await selectRoomsOfGroups({ dialect, read: tx }, { ...login, userId })
  return rooms.flatMap((of) => {
    const next = nextMembership(of)
    return next === undefined ? [] : [{ of, next }]
  })
}

/** The membership that the groups give; null if it ends, and undefined if it stays as it is. */
function nextMembership(of: RoomOfGroups): Membership | null | undefined {
  if (isFixed(of)) return undefined
  const { group, membership, handRole } = of
  const ownRole = membership && (membership.group_name === null ? membership.role : membership.own_role)
  const role = group && lowerOf(group.role, handRole)
  const next =
    group && role && !isAtLeast(ownRole, role)
      ? { role, group_name: group.name, own_role: ownRole }
      : ownRole && { role: ownRole, group_name: null, own_role: null }
  const isSame = membership?.role === next?.role && membership?.group_name === next?.group_name
  return isSame ? undefined : next
}

/** Whether groups change nothing there, whichever the person has. */
function isFixed({ isArchived, group, membership, handRole, staysOut }: RoomOfGroups): boolean {
  if (membership === null && staysOut) return true
  if (membership?.group_name === null && handRole !== null) return true
  // An archived room gets no members, and may lose some.
  return isArchived && group !== null
}

function lowerOf(role: MemberRole, limit: MemberRole | null): MemberRole {
  return limit !== null && MEMBER_ROLES.indexOf(limit) > MEMBER_ROLES.indexOf(role) ? limit : role
}

function toRow({ room }: RoomOfGroups, next: Membership, userId: string, nowMs: number): RoomMemberRow {
  return { ...next, room_id: room.id, user_id: userId, joined_at: nowMs, joined_seq: room.last_seq }
}

function toEvent({ of: { room, membership }, next }: Change, user: UserRow, nowMs: number): NewEvent {
  const role = next?.role ?? membership?.role ?? null
  return {
    roomId: room.id,
    event: next === null ? 'member.left' : membership === null ? 'member.joined' : 'member.role',
    data: { person: toPerson({ ...user, user_id: user.id, role }, room.default_role) },
    nowMs,
  }
}

/** Maximum rows of a statement. */
const BATCH_ROWS = 500

async function auditChanges(
  tx: Tx,
  changes: readonly Change[],
  userId: string,
  origin: AuditOrigin,
): Promise<void> {
  const entries = changes.map(({ of: { room, membership }, next }) => ({
    action: 'room.member.group_update' as const,
    actorUserId: null,
    target: { type: 'room', id: room.id },
    metadata: {
      userId,
      from: membership?.role ?? null,
      to: next?.role ?? null,
      group: next?.group_name ?? membership?.group_name ?? null,
    },
  }))
  for (let start = 0; start < entries.length; start += BATCH_ROWS)
    await recordAudits(tx, entries.slice(start, start + BATCH_ROWS), origin)
}

/** No one else's access is checked again, however many rooms there are. */
function accessEvents(changes: readonly Change[], userId: string): ClusterEvent[] {
  const notable = changes.filter(({ of: { room, membership }, next }) => {
    const keepsRights = membership === null && next?.role === room.default_role
    return !(keepsRights && room.visibility !== 'private')
  })
  if (notable.length === 0) return []
  return [
    { kind: 'person', userId },
    ...notable.map(({ of: { room }, next }) => ({
      kind: 'lobby' as const,
      roomId: room.id,
      ...(next === null && { previousAudience: [userId] }),
    })),
  ]
}
