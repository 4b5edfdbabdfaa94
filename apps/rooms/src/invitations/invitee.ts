import { hashToken } from '@latchkey/tokens/opaque'
import { type Context, type PublicContext, operation, publicOperation } from '../api/context.ts'
import type { Db, RoomInvitationRow } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { type Position, PageQuery, findPage } from '../api/paging.ts'
import { auditRoom } from '../rooms/audit.ts'
import { isAtLeast } from '../rooms/permissions.ts'
import { findRoomAccess } from '../rooms/access-store.ts'
import { type UserDisplay, findUserDisplays } from '../rooms/nickname.ts'
import { selectMembers } from '../members/store.ts'
import { SUCCESS, Success, toMoment } from '../api/wire.ts'
import { accept, admitsGuests } from './acceptance.ts'
import { isAuthorized, filterAuthorized } from './authority.ts'
import { permissionOf } from './permission.ts'
import {
  AcceptAnswer,
  DeclineParams,
  InvitationParams,
  PendingPage,
  Preview,
  TokenParams,
  isId,
  toPending,
} from './schema.ts'
import {
  type PendingInvitationRow,
  countPeople,
  markDeclined,
  findByTokenHash,
  findInvitation,
  findManualRole,
  findRoomOf,
  listPending,
} from './store.ts'

const tag = 'Invitations'
/** Number of invitations that are read together. */
const BATCH_SIZE = 100

/**
 * Invitations that would raise the role of this user and whose creators may still give it: `limit`
 * of them, or all.
 */
async function listAnswerable(
  db: Db,
  lookup: { userId: string; nowMs: number },
  after: Position | undefined,
  limit: number,
): Promise<PendingInvitationRow[]> {
  const answerable: PendingInvitationRow[] = []
  for (let from = after; ;) {
    const batch = await listPending(db, lookup, from, BATCH_SIZE)
    const raising = batch.filter((row) => !isAtLeast(row.own_role, permissionOf(row, row, row.manual)))
    answerable.push(...(await filterAuthorized(db, raising, lookup.nowMs)))
    if (batch.length < BATCH_SIZE || answerable.length >= limit) return answerable.slice(0, limit)
    from = batch.at(-1)
  }
}

const listPendingInvitations = operation({
  id: 'listPendingInvitations',
  methods: ['GET'],
  path: '/room-invitations/pending',
  scope: 'member',
  tag,
  summary: 'List your pending invitations, newest first',
  query: PageQuery,
  result: PendingPage,
  async handler(context, { query }) {
    const { database, now } = context
    const userId = context.actor.user.id
    const { rows, nextCursor } = await findPage(['pending', userId], query, (after, limit) =>
      listAnswerable(database.read, { userId, nowMs: now }, after, limit),
    )
    return { invitations: rows.map((row) => toPending(row, row.room_name)), nextCursor }
  },
})

/**
 * Failed attempts from the same address do not block a valid link: tokens cannot be guessed (256
 * random bits).
 */
async function findLink(
  { database, rates, clientPrefix }: PublicContext,
  token: string,
): Promise<RoomInvitationRow> {
  const link = await findByTokenHash(database.read, hashToken(token))
  if (link) return link
  rates.take('invitation_failures_per_hour', clientPrefix)
  throw failure('not_found')
}

/** Number of people whom the preview of a room shows. */
const MAX_PEOPLE = 5

function toPerson({ nickname, avatar_color }: Pick<UserDisplay, 'nickname' | 'avatar_color'>) {
  return { nickname, avatarColor: avatar_color }
}

/** The inviter, and who is in the room: names and colours, which need no session. */
async function findPreviewPeople(db: Db, { room_id: roomId, created_by: creatorId }: RoomInvitationRow) {
  const [creators, first, peopleCount] = await Promise.all([
    findUserDisplays(db, roomId, [creatorId]),
    selectMembers(db, roomId, undefined, MAX_PEOPLE),
    countPeople(db, roomId),
  ])
  const creator = creators.get(creatorId)
  if (!creator) throw failure('not_found')
  return { invitedBy: toPerson(creator), people: first.map(toPerson), peopleCount }
}

const previewInvitation = publicOperation({
  id: 'previewInvitation',
  methods: ['GET'],
  path: '/room-invitations/{token}',
  scope: 'public',
  tag,
  summary: 'Preview an invitation link without using it',
  params: TokenParams,
  result: Preview,
  failures: ['not_found'],
  async handler(context, { params }) {
    const { database, policy, now } = context
    const link = await findLink(context, params.token)
    const room = await findRoomOf(database.read, link)
    const isLive = link.expires_at > now && link.use_count < link.max_uses
    if (!room || !isLive || !(await isAuthorized(database.read, link, now))) throw failure('not_found')
    const access = context.entrant && (await findRoomAccess(database.read, room.id, context.entrant))
    const lookup = access && { roomId: room.id, userId: access.userId }
    const manual = lookup ? await findManualRole(database.read, lookup) : undefined
    const hasRole = access && isAtLeast(access.role, permissionOf(link, room, manual))
    return {
      roomName: room.name,
      ...(await findPreviewPeople(database.read, link)),
      permission: link.permission,
      expiresAt: toMoment(link.expires_at),
      guestAllowed: policy.guestEnabled && admitsGuests(room, link),
      ...(hasRole && { roomId: room.id }),
    }
  },
})

/**
 * Targeted invitation by its id, only for its recipient: the id of a link is not secret (R28.17).
 */
async function findTargetedInvitation(context: Context, id: string): Promise<RoomInvitationRow> {
  const { user } = context.actor
  if (user.is_guest === 1) throw failure('guest_not_permitted')
  const invitation = await findInvitation(context.database.read, id)
  if (invitation?.invited_user_id !== user.id) throw failure('not_found')
  return invitation
}

const acceptInvitation = operation({
  id: 'acceptInvitation',
  methods: ['POST'],
  path: '/room-invitations/{invitation}/accept',
  scope: 'session',
  tag,
  summary: 'Accept an invitation and get its role, unless a role was set explicitly since then',
  params: InvitationParams,
  result: AcceptAnswer,
  failures: [
    'not_found',
    'banned',
    'cooldown',
    'guest_not_permitted',
    'already_member',
    'archived',
    'invitation_used',
  ],
  async handler(context, { params: { invitation: idOrToken } }) {
    const invitation = isId(idOrToken)
      ? await findTargetedInvitation(context, idOrToken)
      : await findLink(context, idOrToken)
    const { role, events } = await context.writeInRoom(invitation.room_id, (tx) =>
      accept(tx, context, invitation),
    )
    for (const event of events) context.publish(event)
    return { ...SUCCESS, roomId: invitation.room_id, role }
  },
})

const declineInvitation = operation({
  id: 'declineInvitation',
  methods: ['POST'],
  path: '/room-invitations/{invitationId}/decline',
  scope: 'member',
  tag,
  summary: 'Decline an invitation to you',
  params: DeclineParams,
  result: Success,
  failures: ['not_found'],
  async handler(context, { params: { invitationId: id } }) {
    await context.database.write(async (tx) => {
      const userId = context.actor.user.id
      const declined = await markDeclined(tx, { id, userId, nowMs: context.now })
      if (!declined) throw failure('not_found')
      const metadata = { invitationId: id }
      await auditRoom(tx, context, {
        action: 'room.invitation.decline',
        roomId: declined.room_id,
        metadata,
      })
    })
    return SUCCESS
  },
})

export const inviteeOperations = [
  listPendingInvitations,
  previewInvitation,
  acceptInvitation,
  declineInvitation,
]
