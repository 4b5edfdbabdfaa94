import { z } from 'zod'
import type { UserRow } from '../db/tables.ts'
import { AvatarUrl, avatarUrlOf } from './picture-url.ts'

/** A user, with the fields that only the user may see. */
export const User = z
  .object({
    id: z.string(),
    nickname: z.string(),
    email: z.string().nullable(),
    avatarColor: z.string().meta({ description: 'CSS colour, dark enough for white text.' }),
    avatarUrl: AvatarUrl,
    identityType: z.enum(['oauth', 'guest']),
    platformAdmin: z.boolean(),
  })
  .meta({ id: 'User' })
export type User = z.output<typeof User>

export function toUser(user: UserRow, platformAdmin: boolean): User {
  return {
    id: user.id,
    nickname: user.nickname,
    email: user.email,
    avatarColor: user.avatar_color,
    avatarUrl: avatarUrlOf(user.picture_id),
    identityType: user.is_guest === 1 ? 'guest' : 'oauth',
    platformAdmin,
  }
}

/** A user as others see them in a list. */
export const ListedUser = User.pick({ id: true, nickname: true, avatarColor: true, avatarUrl: true })
export type ListedUser = z.output<typeof ListedUser>

export function toListedUser({
  id,
  nickname,
  avatar_color: avatarColor,
  picture_id,
}: Pick<UserRow, 'id' | 'nickname' | 'avatar_color' | 'picture_id'>): ListedUser {
  return { id, nickname, avatarColor, avatarUrl: avatarUrlOf(picture_id) }
}
