import { z } from 'zod'
import { ROOM_ROLES, type RoomRole } from '../api/roles.ts'
import { Id } from '../api/wire.ts'
import { type RoomAccess, effectiveRole } from './permissions.ts'
import { AvatarUrl, avatarUrlOf } from '../users/picture-url.ts'

export const Role = z.enum(ROOM_ROLES)

export const RoomParams = z.object({ id: Id })

/** Unread messages and mentions of the caller in a room, for members and users with a read mark (R30.1). */
export const Unread = z.object({
  readSeq: z.int().meta({ description: 'The caller has read the events up to this sequence number.' }),
  unread: z.int().meta({
    description: 'Number of unread messages, at most 100; own and deleted messages do not count.',
  }),
  mentions: z.int().meta({ description: 'Number of these that mention the caller, at most 100.' }),
})
export type Unread = z.output<typeof Unread>

/** User in a room as all others there see them: without address and email. */
export const Person = z
  .object({
    userId: z.string(),
    nickname: z.string(),
    avatarColor: z.string(),
    avatarUrl: AvatarUrl,
    guest: z.boolean(),
    role: Role.meta({ description: 'For users without membership: the role of such users in this room.' }),
  })
  .meta({ id: 'Person' })
export type Person = z.output<typeof Person>

/** Columns of a `Person`. */
export interface PersonRow {
  user_id: string
  nickname: string
  avatar_color: string
  picture_id: string | null
  is_guest: number
  role: RoomRole | null
}

export function toPerson(row: PersonRow, defaultRole: RoomAccess['defaultRole']): Person {
  return {
    userId: row.user_id,
    nickname: row.nickname,
    avatarColor: row.avatar_color,
    avatarUrl: avatarUrlOf(row.picture_id),
    guest: row.is_guest === 1,
    role: effectiveRole({ role: row.role, defaultRole }),
  }
}

export const JoinAnswer = z
  .object({
    role: Role,
    canPublish: z.boolean(),
    lastSeq: z.int(),
    room: z.object({ id: z.string(), name: z.string() }),
  })
  .meta({ id: 'Joined' })
