import { HOUR_MS } from '@latchkey/http/duration'
import { z } from 'zod'
import type { RoomInvitationRow } from '../db/tables.ts'
import { MemberRole } from '../members/schema.ts'
import { NextCursor } from '../api/paging.ts'
import { TOKEN } from '@latchkey/tokens/token'
import { Id, Moment, Success, toMoment } from '../api/wire.ts'

/** Default lifetimes in hours. Both are limited to 30 days. */
const TARGETED_HOURS = 168
const LINK_HOURS = 24
const MAX_HOURS = 720
export const MAX_LIFETIME_MS = MAX_HOURS * HOUR_MS

function hours(defaultHours: number) {
  return z.int().min(1).max(MAX_HOURS).default(defaultHours)
}

const Role = MemberRole.optional().meta({
  description: 'By default the role of users without membership in this room.',
})

export const NewTargetedInvitation = z.object({
  userId: Id,
  role: Role,
  expiresInHours: hours(TARGETED_HOURS),
})
export type NewTargetedInvitation = z.output<typeof NewTargetedInvitation>

export const NewLink = z.object({
  role: Role,
  expiresInHours: hours(LINK_HOURS),
  maxUses: z.int().min(1).max(1000).default(1),
})
export type NewLink = z.output<typeof NewLink>

const Invitation = z
  .object({
    id: z.string(),
    roomId: z.string(),
    invitedUserId: z.string().nullable().meta({ description: 'Null for links.' }),
    permission: MemberRole,
    expiresAt: Moment,
    maxUses: z.int(),
    useCount: z.int(),
    createdBy: z.string(),
    createdAt: Moment,
  })
  .meta({ id: 'Invitation' })
export type Invitation = z.output<typeof Invitation>

export function toInvitation(row: RoomInvitationRow): Invitation {
  return {
    id: row.id,
    roomId: row.room_id,
    invitedUserId: row.invited_user_id,
    permission: row.permission,
    expiresAt: toMoment(row.expires_at),
    maxUses: row.max_uses,
    useCount: row.use_count,
    createdBy: row.created_by,
    createdAt: toMoment(row.created_at),
  }
}

/** Invitation as its recipient sees it. */
const PendingInvitation = z
  .object({
    id: z.string(),
    roomId: z.string(),
    roomName: z.string(),
    permission: MemberRole,
    expiresAt: Moment,
    createdBy: z.string(),
    createdAt: Moment,
  })
  .meta({ id: 'PendingInvitation' })
export type PendingInvitation = z.output<typeof PendingInvitation>

export function toPending(row: RoomInvitationRow, roomName: string): PendingInvitation {
  const { id, roomId, permission, expiresAt, createdBy, createdAt } = toInvitation(row)
  return { id, roomId, roomName, permission, expiresAt, createdBy, createdAt }
}

export const InvitationAnswer = z.object({ invitation: Invitation })
export const LinkAnswer = z.object({
  invitation: Invitation,
  token: z.string().meta({ description: 'Shown only once; only its hash is stored.' }),
  url: z.string().meta({ format: 'uri' }),
})
export const InvitationList = z.object({
  invitations: z.array(Invitation.extend({ invitedNickname: z.string().nullable() })).meta({
    description: 'Only those that the caller may manage, which may be fewer than `limit`.',
  }),
  nextCursor: NextCursor,
})
export const PendingPage = z.object({
  invitations: z.array(PendingInvitation),
  nextCursor: NextCursor,
})
const PreviewPerson = z.object({ nickname: z.string(), avatarColor: z.string() })

export const Preview = z
  .object({
    roomName: z.string(),
    invitedBy: PreviewPerson,
    people: z.array(PreviewPerson).meta({ description: 'The owner and the first members, at most five.' }),
    peopleCount: z.int().meta({ description: 'The owner and all members.' }),
    permission: MemberRole,
    expiresAt: Moment,
    guestAllowed: z.boolean().meta({ description: 'Whether guests can accept it.' }),
    roomId: z.string().optional().meta({
      description: 'Only for members whose role is already as high: the room, which they need not join.',
    }),
  })
  .meta({ id: 'InvitationPreview' })
export const AcceptAnswer = Success.extend({ roomId: z.string(), role: MemberRole })

const Token = z.string().regex(TOKEN)

export const RoomInvitationParams = z.object({ id: Id, invitationId: Id })
export const TokenParams = z.object({ token: Token })
export const InvitationParams = z.object({
  invitation: z
    .union([Id, Token])
    .meta({ description: 'The id of a targeted invitation, or the token of a link.' }),
})
export const DeclineParams = z.object({ invitationId: Id })

/** Whether the parameter is an id. Ids and tokens differ in length. */
export function isId(invitation: string): boolean {
  return Id.safeParse(invitation).success
}
