import { z } from 'zod'
import type { RoomBanRow } from '../../db/tables.ts'
import { MemberRole } from '../schema.ts'
import { NextCursor } from '../../api/paging.ts'
import { trimmedText } from '../../api/text.ts'
import { Moment, toMoment, toMomentOrNull } from '../../api/wire.ts'
import { AvatarUrl, avatarUrlOf } from '../../users/picture-url.ts'

const DEFAULT_COOLDOWN_MINUTES = 10

export const Removal = z.object({
  action: z.enum(['kick', 'ban']),
  cooldownMinutes: z.int().min(1).max(1440).default(DEFAULT_COOLDOWN_MINUTES).meta({
    description: 'How long a kick keeps a user out; a ban lasts until it is lifted.',
  }),
  reason: trimmedText(1, 500).optional().meta({ description: 'Readable by moderators.' }),
})
export type Removal = z.output<typeof Removal>

const Ban = z
  .object({
    userId: z.string(),
    nickname: z.string(),
    avatarColor: z.string(),
    avatarUrl: AvatarUrl,
    kind: z.enum(['kick', 'ban']),
    bannedBy: z.string().nullable(),
    role: MemberRole.nullable().meta({ description: 'The lost role.' }),
    reason: z.string().nullable(),
    expiresAt: Moment.nullable(),
    createdAt: Moment,
  })
  .meta({ id: 'Ban' })

export const BanPage = z.object({ bans: z.array(Ban), nextCursor: NextCursor })

/** Ban or kick with its user. Never includes an address, which moderators may not see (R17.5). */
export interface BanWithUser extends Omit<RoomBanRow, 'guest_prefix'> {
  nickname: string
  avatar_color: string
  picture_id: string | null
}

export function toBan(row: BanWithUser): z.output<typeof Ban> {
  return {
    userId: row.user_id,
    nickname: row.nickname,
    avatarColor: row.avatar_color,
    avatarUrl: avatarUrlOf(row.picture_id),
    kind: row.kind,
    bannedBy: row.banned_by,
    role: row.role_held,
    reason: row.reason,
    expiresAt: toMomentOrNull(row.expires_at),
    createdAt: toMoment(row.created_at),
  }
}
