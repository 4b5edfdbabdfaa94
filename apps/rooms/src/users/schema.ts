import { z } from 'zod'
import type { UserRow } from '../db/tables.ts'

/** A user, with the fields that only the user may see. */
export const User = z
  .object({
    id: z.string(),
    nickname: z.string(),
    email: z.string().nullable(),
    avatarColor: z.string().meta({ description: 'CSS colour, dark enough for white text.' }),
    avatarUrl: z.null(),
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
    avatarUrl: null,
    identityType: user.is_guest === 1 ? 'guest' : 'oauth',
    platformAdmin,
  }
}
