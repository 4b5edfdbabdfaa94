import { MINUTE_MS } from '@latchkey/http/duration'
import { prefixOf } from '@latchkey/http/client-prefix'
import { type Context, operation } from '../../api/context.ts'
import type { RoomBanRow, Tx } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import { roleChangeEvents } from '../membership.ts'
import { MemberParams } from '../schema.ts'
import { type KnownPerson, deleteMember, lockKnownPerson, putManualRole } from '../store.ts'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import { endTransferTo } from '../ownership/transfers.ts'
import { PageQuery, findPage } from '../../api/paging.ts'
import { auditRoom } from '../../rooms/audit.ts'
import {
  CHANGE_REFUSALS,
  REFUSALS,
  admitReader,
  requirePermission,
  authorizeInRoom,
} from '../../rooms/admission.ts'
import { revokeAccess } from '../../rooms/eviction.ts'
import { appendEvent } from '../../rooms/room-events.ts'
import { removeActionFor } from '../../rooms/permissions.ts'
import type { MemberRole } from '../../api/roles.ts'
import { RoomParams, toPerson } from '../../rooms/schema.ts'
import type { UserRoomAccess } from '../../rooms/access-store.ts'
import { deleteUserState } from '../../unread/store.ts'
import { SUCCESS, Success } from '../../api/wire.ts'
import { BanPage, Removal, toBan } from './schema.ts'
import { deleteBan, findBan, findLastAddress, selectBans, putBan } from './store.ts'

const tag = 'Moderation'

const removePerson = operation({
  id: 'removePerson',
  methods: ['POST'],
  path: '/rooms/{id}/members/{userId}/remove',
  scope: 'session',
  tag,
  summary: 'Kick or ban a user, present or not, which ends visit and membership at once',
  params: MemberParams,
  body: Removal,
  result: Success,
  failures: [...CHANGE_REFUSALS, 'target_is_owner'],
  async handler(context, { params, body }) {
    const events = await context.database.write((tx) => removeFromRoom(tx, context, params, body))
    for (const event of events) context.publish(event)
    return SUCCESS
  },
})

async function removeFromRoom(
  tx: Tx,
  context: Context,
  { id: roomId, userId }: { id: string; userId: string },
  removal: Removal,
): Promise<ClusterEvent[]> {
  const access = await authorizeInRoom(tx, context, roomId, 'remove_others')
  const { now: nowMs } = context
  const person = await lockKnownPerson(tx, roomId, userId, nowMs)
  if (!person) throw failure('not_found')
  if (person.role === 'owner') throw failure('target_is_owner')
  const before = await findBan(tx, { roomId, userId, nowMs })
  // A banned user has no role. The lost role still decides who may change the ban.
  const roleHeld: MemberRole | null = person.role ?? before?.role_held ?? null
  requirePermission(removeActionFor(roleHeld), access)
  await deleteMember(tx, roomId, userId)
  await deleteUserState(tx, { roomId, userId })
  const ban = await newBan(tx, { removal, person, before, access, nowMs })
  await putBan(tx, { ...ban, role_held: roleHeld })
  const { action, cooldownMinutes, reason } = removal
  const metadata = { userId, reason: reason ?? null, ...(action === 'kick' && { cooldownMinutes }) }
  await auditRoom(tx, context, { action: `room.member.${action}`, roomId, metadata })
  return evictPerson(tx, { person, ban, access, nowMs })
}

interface RemovalInput {
  removal: Removal
  person: KnownPerson
  before: RoomBanRow | undefined
  access: UserRoomAccess
  nowMs: number
}

/** A kick never shortens an earlier ban or kick. */
async function newBan(
  tx: Tx,
  { removal: { action, cooldownMinutes, reason }, person, before, access, nowMs }: RemovalInput,
): Promise<RoomBanRow> {
  const untilMs = action === 'ban' ? null : nowMs + cooldownMinutes * MINUTE_MS
  if (before && untilMs !== null && (before.expires_at === null || before.expires_at > untilMs)) return before
  const address = action === 'ban' && (await findLastAddress(tx, person.user_id))
  return {
    room_id: access.roomId,
    user_id: person.user_id,
    kind: action,
    role_held: null,
    guest_prefix: address ? prefixOf(address) : (before?.guest_prefix ?? null),
    reason: reason ?? null,
    banned_by: access.userId,
    expires_at: untilMs,
    created_at: nowMs,
  }
}

/** Ends the visit. The room receives an event if the user was a member or present. */
async function evictPerson(
  tx: Tx,
  {
    person,
    ban,
    access,
    nowMs,
  }: { person: KnownPerson; ban: RoomBanRow; access: UserRoomAccess; nowMs: number },
): Promise<ClusterEvent[]> {
  const { roomId, defaultRole } = access
  const userIds = [person.user_id]
  const reason = ban.kind === 'ban' ? ('banned' as const) : ('kicked' as const)
  const events: ClusterEvent[] = []
  if (person.role !== null || person.is_present) {
    const data = { person: toPerson(person, defaultRole) }
    const event = await appendEvent(tx, { roomId, event: 'member.removed', data, nowMs })
    events.push({ kind: 'event', roomId, event })
    await putManualRole(tx, { room_id: roomId, user_id: person.user_id, role: null, nowMs })
  }
  events.push(...(await revokeAccess(tx, { roomId, userIds, reason, untilMs: ban.expires_at })))
  // Other guests at that address lose sight of the room too. The event goes to everyone, because
  // events carry no addresses.
  const isByAddress = ban.guest_prefix !== null && access.visibility === 'public'
  events.push(...roleChangeEvents(roomId, isByAddress ? 'everyone' : userIds))
  events.push(...(await endTransferTo(tx, roomId, person.user_id)))
  return events
}

const listBans = operation({
  id: 'listBans',
  methods: ['GET'],
  path: '/rooms/{id}/bans',
  scope: 'session',
  tag,
  summary: 'List banned and kicked users, newest first',
  params: RoomParams,
  query: PageQuery,
  result: BanPage,
  failures: REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    requirePermission('remove_others', access)
    const { rows, nextCursor } = await findPage(['bans', params.id], query, (after, limit) =>
      selectBans(context.database.read, { roomId: params.id, nowMs: context.now }, after, limit),
    )
    return { bans: rows.map(toBan), nextCursor }
  },
})

const liftBan = operation({
  id: 'liftBan',
  methods: ['DELETE'],
  path: '/rooms/{id}/bans/{userId}',
  scope: 'session',
  tag,
  summary: 'Lift a ban or kick; the membership is not restored',
  params: MemberParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params }) {
    const { id: roomId, userId } = params
    await context.database.write(async (tx) => {
      const access = await authorizeInRoom(tx, context, roomId, 'remove_others')
      const ban = await findBan(tx, { roomId, userId, nowMs: context.now })
      if (!ban) throw failure('not_found')
      requirePermission(removeActionFor(ban.role_held), access)
      await deleteBan(tx, roomId, userId)
      const metadata = { userId, kind: ban.kind }
      await auditRoom(tx, context, { action: 'room.member.unban', roomId, metadata })
    })
    context.publish({ kind: 'lobby', roomId })
    return SUCCESS
  },
})

export const moderationOperations = [removePerson, listBans, liftBan]
