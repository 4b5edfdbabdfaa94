import { z } from 'zod'
import { foldText } from '@latchkey/http/fold'
import { codePoints, text } from '@latchkey/http/text'
import { MAX_INPUT_LENGTH } from '../identity/display-name.ts'
import { isNarrow } from './search-part.ts'
import { NextCursor } from '../api/paging.ts'
import { Person, type PersonRow, toPerson } from '../rooms/schema.ts'
import { MEMBER_ROLES } from '../api/roles.ts'
import type { RoomAccess } from '../rooms/permissions.ts'
import { Id, Moment, toMoment } from '../api/wire.ts'
import { ListedUser } from '../users/schema.ts'

/** Roles that can be assigned. Ownership changes only by handing the room over. */
export const MemberRole = z.enum(MEMBER_ROLES)

const Member = Person.extend({ joinedAt: Moment }).meta({ id: 'Member' })
export type Member = z.output<typeof Member>

export interface MemberRow extends PersonRow {
  joined_at: number
}

export function toMember(row: MemberRow, defaultRole: RoomAccess['defaultRole']): Member {
  return { ...toPerson(row, defaultRole), joinedAt: toMoment(row.joined_at) }
}

export const MemberParams = z.object({ id: Id, userId: Id })
export const MemberPage = z.object({
  members: z
    .array(
      Member.extend({
        group: z.string().nullable().meta({
          description:
            'The group that gives the role; null for roles of another origin, and unless the caller is a moderator.',
        }),
      }).meta({ id: 'ListedMember' }),
    )
    .meta({ description: 'The members including the owner, in the order in which they joined.' }),
  nextCursor: NextCursor,
})
export const MemberAnswer = z.object({ member: Member })
export const RoleBody = z.object({ role: MemberRole })

const MAX_SEARCH_LENGTH = 64

export const SearchQuery = z.object({
  q: text()
    .trim()
    .max(MAX_INPUT_LENGTH)
    .transform(foldText)
    .refine(isNarrow, 'must have at least 2 characters')
    .refine((q) => codePoints(q) <= MAX_SEARCH_LENGTH, `must have at most ${MAX_SEARCH_LENGTH} characters`)
    .meta({
      description:
        'A part of the name, in any case and with or without accents. No wildcards. At least 2 characters, or 1 that can be a word: of Chinese, Japanese or Korean, or an emoji.',
      minLength: 1,
      maxLength: MAX_SEARCH_LENGTH,
    }),
})
export const PeopleAnswer = z.object({
  users: z.array(ListedUser).meta({ description: 'At most 20 users, by name.' }),
})
