import { HOUR_MS } from '@latchkey/http/duration'
import { hashToken } from '@latchkey/tokens/opaque'
import { type Context, operation } from '../api/context.ts'
import type { RoomInvitationRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { lockKnownPerson } from '../members/store.ts'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { auditRoom } from '../rooms/audit.ts'
import {
  CHANGE_REFUSALS,
  REFUSALS,
  admitReader,
  requireOpen,
  requirePermission,
  authorizeInRoom,
} from '../rooms/admission.ts'
import { inviteActionFor, isAtLeast, may } from '../rooms/permissions.ts'
import type { MemberRole } from '../api/roles.ts'
import { RoomParams } from '../rooms/schema.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { newToken } from '@latchkey/tokens/token'
import { PageQuery, findPage } from '../api/paging.ts'
import { SUCCESS, Success, toMoment } from '../api/wire.ts'
import { isAuthorized, filterAuthorized } from './authority.ts'
import { inviteeOperations } from './invitee.ts'
import {
  type Invitation,
  InvitationAnswer,
  InvitationList,
  LinkAnswer,
  NewLink,
  NewTargetedInvitation,
  RoomInvitationParams,
  toInvitation,
  toPending,
} from './schema.ts'
import {
  deleteInvitation,
  findInvitation,
  findLive,
  findUnanswered,
  insertInvitation,
  invitationRevokedEvents,
  listLive,
  renewInvitation,
} from './store.ts'

const tag = 'Invitations'

/**
 * Locks the room and checks that the caller may invite with this role. Without a role, the default
 * role of the room applies.
 */
async function authorizeInvitation(
  tx: Tx,
  context: Context,
  roomId: string,
  role: MemberRole | undefined,
): Promise<{ access: UserRoomAccess; permission: MemberRole }> {
  const access = await authorizeInRoom(tx, context, roomId, 'invite_listeners_and_speakers')
  const permission = role ?? access.defaultRole
  requirePermission(inviteActionFor(permission), access)
  requireOpen(access.room)
  return { access, permission }
}

async function requireInvitationCapacity(tx: Tx, context: Context, roomId: string): Promise<void> {
  const live = await filterAuthorized(tx, await findLive(tx, roomId, context.now), context.now)
  if (live.length >= context.policy.limits.invitations_live) throw failure('limit_reached')
}

async function auditInvitation(
  tx: Tx,
  context: Context,
  action: 'create' | 'revoke',
  row: RoomInvitationRow,
): Promise<void> {
  const { id, room_id: roomId, invited_user_id: userId, permission: role, max_uses: maxUses } = row
  const metadata = { invitationId: id, userId, role, maxUses, expiresAt: toMoment(row.expires_at) }
  await auditRoom(tx, context, { action: `room.invitation.${action}`, roomId, metadata })
}

interface InviteResult {
  invitation: Invitation
  isNew: boolean
}

const inviteUser = operation({
  id: 'inviteUser',
  methods: ['POST'],
  path: '/rooms/{id}/invitations/users',
  scope: 'member',
  tag,
  summary: 'Invite a user, or renew the pending invitation',
  params: RoomParams,
  body: NewTargetedInvitation,
  result: InvitationAnswer,
  status: 201,
  otherStatus: { status: 200, description: 'The pending invitation was renewed' },
  failures: [...CHANGE_REFUSALS, 'archived', 'already_member', 'limit_reached'],
  async handler(context, { params, body }): Promise<InviteResult> {
    context.rates.take('invitations_per_hour', context.actor.user.id)
    const { event, ...invited } = await context.database.write((tx) =>
      putTargetedInvitation(tx, context, params.id, body),
    )
    context.publish(event)
    return invited
  },
  answer: ({ invitation, isNew }) => ({ status: isNew ? 201 : 200, body: { invitation } }),
})

async function putTargetedInvitation(
  tx: Tx,
  context: Context,
  roomId: string,
  { userId, role, expiresInHours }: NewTargetedInvitation,
): Promise<InviteResult & { event: ClusterEvent }> {
  const { access, permission } = await authorizeInvitation(tx, context, roomId, role)
  const { now } = context
  const person = await lockKnownPerson(tx, roomId, userId, now)
  if (!person || person.disabled === 1 || person.is_guest === 1) throw failure('not_found')
  if (isAtLeast(person.role, permission)) throw failure('already_member')
  const terms = {
    permission,
    expires_at: now + expiresInHours * HOUR_MS,
    created_by: access.userId,
    offered_seq: access.room.last_seq,
  }
  const pending = await findUnanswered(tx, roomId, userId)
  const isRenewal = pending && pending.expires_at > now && (await isAuthorized(tx, pending, now))
  if (isRenewal) requirePermission(inviteActionFor(pending.permission), access)
  const row = isRenewal
    ? await renewInvitation(tx, pending.id, terms)
    : await insertTargetedInvitation(tx, context, { roomId, userId, terms, ended: pending })
  await auditInvitation(tx, context, 'create', row)
  const data = { invitation: toPending(row, access.room.name) }
  const event: ClusterEvent = { kind: 'notice', userId, notice: 'invitation', data }
  return { invitation: toInvitation(row), isNew: !isRenewal, event }
}

interface TargetedInvitation {
  roomId: string
  userId: string
  terms: Pick<RoomInvitationRow, 'permission' | 'expires_at' | 'created_by' | 'offered_seq'>
  /** Ended invitation that is replaced: a user has at most one per room. */
  ended: RoomInvitationRow | undefined
}

async function insertTargetedInvitation(
  tx: Tx,
  context: Context,
  { roomId, userId, terms, ended }: TargetedInvitation,
): Promise<RoomInvitationRow> {
  if (ended) await deleteInvitation(tx, ended.id)
  await requireInvitationCapacity(tx, context, roomId)
  const row: RoomInvitationRow = {
    id: crypto.randomUUID(),
    room_id: roomId,
    token_hash: null,
    invited_user_id: userId,
    ...terms,
    max_uses: 1,
    use_count: 0,
    declined_at: null,
    created_at: context.now,
  }
  await insertInvitation(tx, row)
  return row
}

const createInvitationLink = operation({
  id: 'createInvitationLink',
  methods: ['POST'],
  path: '/rooms/{id}/invitations/links',
  scope: 'session',
  tag,
  summary: 'Create an invitation link, which each person can use once',
  params: RoomParams,
  body: NewLink,
  result: LinkAnswer,
  status: 201,
  failures: [...CHANGE_REFUSALS, 'archived', 'limit_reached'],
  async handler(context, { params, body }) {
    context.rates.take('invitations_per_hour', context.actor.user.id)
    const token = newToken()
    const row = await context.database.write((tx) => insertLink(tx, context, params.id, { ...body, token }))
    const url = `${context.policy.canonicalOrigin}/invite/${token}`
    return { invitation: toInvitation(row), token, url }
  },
})

async function insertLink(
  tx: Tx,
  context: Context,
  roomId: string,
  { role, expiresInHours, maxUses, token }: NewLink & { token: string },
): Promise<RoomInvitationRow> {
  const { access, permission } = await authorizeInvitation(tx, context, roomId, role)
  await requireInvitationCapacity(tx, context, roomId)
  const row: RoomInvitationRow = {
    id: crypto.randomUUID(),
    room_id: roomId,
    token_hash: hashToken(token),
    invited_user_id: null,
    permission,
    expires_at: context.now + expiresInHours * HOUR_MS,
    max_uses: maxUses,
    use_count: 0,
    declined_at: null,
    created_by: access.userId,
    created_at: context.now,
    offered_seq: access.room.last_seq,
  }
  await insertInvitation(tx, row)
  await auditInvitation(tx, context, 'create', row)
  return row
}

const listInvitations = operation({
  id: 'listInvitations',
  methods: ['GET'],
  path: '/rooms/{id}/invitations',
  scope: 'session',
  tag,
  summary: 'List the live invitations to a room that you may manage, newest first',
  params: RoomParams,
  query: PageQuery,
  result: InvitationList,
  failures: REFUSALS,
  async handler(context, { params, query }) {
    const access = await admitReader(context, params.id)
    requirePermission('invite_listeners_and_speakers', access)
    const { database, now: nowMs } = context
    const { rows, nextCursor } = await findPage(['invitations', params.id], query, (after, limit) =>
      listLive(database.read, { roomId: params.id, nowMs }, after, limit),
    )
    const live = await filterAuthorized(database.read, rows, nowMs)
    const managed = live.filter(({ permission }) => may(inviteActionFor(permission), access))
    const invitations = managed.map((row) => ({
      ...toInvitation(row),
      invitedNickname: row.invited_nickname,
    }))
    return { invitations, nextCursor }
  },
})

const revokeInvitation = operation({
  id: 'revokeInvitation',
  methods: ['DELETE'],
  path: '/rooms/{id}/invitations/{invitationId}',
  scope: 'session',
  tag,
  summary: 'Revoke an invitation; members who accepted it stay',
  params: RoomInvitationParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params }) {
    const { id: roomId, invitationId } = params
    const row = await context.database.write(async (tx) => {
      const access = await authorizeInRoom(tx, context, roomId, 'invite_listeners_and_speakers')
      const invitation = await findInvitation(tx, invitationId)
      if (!invitation || invitation.room_id !== roomId || hasEnded(invitation, context.now))
        throw failure('not_found')
      requirePermission(inviteActionFor(invitation.permission), access)
      await deleteInvitation(tx, invitationId)
      await auditInvitation(tx, context, 'revoke', invitation)
      return invitation
    })
    for (const event of invitationRevokedEvents(row)) context.publish(event)
    return SUCCESS
  },
})

function hasEnded(
  { expires_at, declined_at, use_count, max_uses }: RoomInvitationRow,
  nowMs: number,
): boolean {
  return expires_at <= nowMs || declined_at !== null || use_count >= max_uses
}

export const invitationOperations = [
  inviteUser,
  createInvitationLink,
  listInvitations,
  revokeInvitation,
  ...inviteeOperations,
]
