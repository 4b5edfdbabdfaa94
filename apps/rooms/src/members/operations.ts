import { type Context, operation } from '../api/context.ts'
import type { Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { endTransferTo } from './ownership/transfers.ts'
import { PageQuery, findPage } from '../api/paging.ts'
import { auditRoom } from '../rooms/audit.ts'
import {
  CHANGE_REFUSALS,
  REFUSALS,
  admitReader,
  mayStay,
  requirePermission,
  authorizeInRoom,
} from '../rooms/admission.ts'
import { revokeAccess } from '../rooms/eviction.ts'
import { appendEvent, lockRoom } from '../rooms/room-events.ts'
import { may, setRoleActionFor } from '../rooms/permissions.ts'
import type { MemberRole } from '../api/roles.ts'
import { RoomParams, toPerson } from '../rooms/schema.ts'
import { type UserRoomAccess, findRoomAccess } from '../rooms/access-store.ts'
import { hideDirect } from '../rooms/hidden.ts'
import { putLeftState } from '../unread/store.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { becomeMember } from './joining.ts'
import { assignRole, roleChangeEvents } from './membership.ts'
import {
  PeopleAnswer,
  type Member,
  MemberAnswer,
  MemberPage,
  MemberParams,
  RoleBody,
  SearchQuery,
  toMember,
} from './schema.ts'
import {
  deleteMember,
  detachFromGroup,
  findKnownPerson,
  lockKnownPerson,
  selectMembers,
  putManualRole,
  selectPeople,
} from './store.ts'
import { toListedUser } from '../users/schema.ts'

const tag = 'Members'
const MAX_SEARCH_RESULTS = 20

const listMembers = operation({
  id: 'listMembers',
  methods: ['GET'],
  path: '/rooms/{id}/members',
  scope: 'session',
  tag,
  summary: 'List the members of a room; guests may do this only as its owner',
  params: RoomParams,
  query: PageQuery,
  result: MemberPage,
  failures: REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    requirePermission('list_members', access)
    const { rows, nextCursor } = await findPage(['members', params.id], query, (after, limit) =>
      selectMembers(context.database.read, params.id, after, limit),
    )
    const showsGroups = may('list_groups', access)
    const members = rows.map((row) => ({
      ...toMember(row, access.defaultRole),
      group: showsGroups ? row.group_name : null,
    }))
    return { members, nextCursor }
  },
})

const searchPeople = operation({
  id: 'searchPeople',
  methods: ['GET'],
  path: '/rooms/{id}/users/search',
  scope: 'member',
  tag,
  summary: 'Find people to invite by part of their names',
  params: RoomParams,
  query: SearchQuery,
  result: PeopleAnswer,
  failures: ['not_found', 'forbidden', 'banned', 'cooldown'],
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    requirePermission('search_people', access)
    context.rates.take('search_per_minute', context.actor.user.id)
    const people = await selectPeople(context.database, query.q, MAX_SEARCH_RESULTS)
    return { users: people.map(toListedUser) }
  },
})

const changeMemberRole = operation({
  id: 'changeMemberRole',
  methods: ['PATCH'],
  path: '/rooms/{id}/members/{userId}',
  scope: 'session',
  tag,
  summary: 'Set the role of a member, or make a participant a member',
  params: MemberParams,
  body: RoleBody,
  result: MemberAnswer,
  failures: [...CHANGE_REFUSALS, 'guest_not_permitted', 'target_is_owner'],
  async handler(context, { params, body }) {
    const { member, events } = await context.database.write((tx) => setRole(tx, context, params, body.role))
    for (const event of events) context.publish(event)
    return { member }
  },
})

async function setRole(
  tx: Tx,
  context: Context,
  { id: roomId, userId }: { id: string; userId: string },
  role: MemberRole,
): Promise<{ member: Member; events: ClusterEvent[] }> {
  const access = await authorizeInRoom(tx, context, roomId, setRoleActionFor(role))
  const { now: nowMs } = context
  const before = await lockKnownPerson(tx, roomId, userId, nowMs)
  if (!before || (before.role === null && !before.is_present)) throw failure('not_found')
  if (before.role === 'owner') throw failure('target_is_owner')
  if (before.role !== null) requirePermission(setRoleActionFor(before.role), access)
  const { person, events } = await assignRole(tx, { room: access.room, person: before, role, nowMs })
  // A role set by hand stays when the group ends, also if it equals that of the group.
  if (events.length > 0 || (await detachFromGroup(tx, roomId, userId))) {
    await putManualRole(tx, { room_id: roomId, user_id: userId, role, nowMs })
    const metadata = { userId, from: before.role, to: role }
    await auditRoom(tx, context, { action: 'room.member.role_update', roomId, metadata })
  }
  const member = toMember({ ...person, joined_at: person.joined_at ?? nowMs }, access.defaultRole)
  return { member, events }
}

const endMembership = operation({
  id: 'endMembership',
  methods: ['DELETE'],
  path: '/rooms/{id}/membership',
  scope: 'session',
  tag,
  summary:
    'Leave a room as a member, which ends the visit if membership is required; or hide a direct conversation until its next message',
  params: RoomParams,
  result: Success,
  failures: ['not_found', 'owner_must_transfer'],
  async handler(context, { params }) {
    const events = await context.database.write((tx) => endOwnMembership(tx, context, params.id))
    for (const event of events) context.publish(event)
    return SUCCESS
  },
})

async function endOwnMembership(tx: Tx, context: Context, roomId: string): Promise<ClusterEvent[]> {
  const room = await lockRoom(tx, roomId)
  const entrant = context.entrant
  const { userId, nowMs } = entrant
  const access = await findRoomAccess(tx, roomId, entrant)
  if (!room || !access || access.role === null) throw failure('not_found')
  if (access.role === 'owner') throw failure('owner_must_transfer')
  if (room.kind === 'direct') return hideOwnDirect(tx, access)
  const person = await findKnownPerson(tx, roomId, userId, nowMs)
  if (!person) throw failure('not_found')
  await deleteMember(tx, roomId, userId)
  await putLeftState(tx, { roomId, userId, seq: room.last_seq, nowMs })
  const data = { person: toPerson(person, access.defaultRole) }
  const event = await appendEvent(tx, { roomId, event: 'member.left', data, nowMs })
  await auditRoom(tx, context, { action: 'room.membership.leave', roomId })
  const stays = await mayStay(tx, access, entrant)
  return [
    { kind: 'event', roomId, event },
    ...(stays ? [] : await revokeAccess(tx, { roomId, userIds: [userId], reason: 'left' })),
    ...roleChangeEvents(roomId, [userId]),
    ...(await endTransferTo(tx, roomId, userId)),
  ]
}

/** No one leaves a direct conversation: its people are what it is. */
async function hideOwnDirect(tx: Tx, { roomId, userId, room }: UserRoomAccess): Promise<ClusterEvent[]> {
  await hideDirect(tx, { roomId, userIds: [userId], seq: room.last_seq })
  return [{ kind: 'lobby', roomId, previousAudience: [userId] }]
}

export const memberOperations = [listMembers, searchPeople, changeMemberRole, becomeMember, endMembership]
