import { foldText } from '@latchkey/http/fold'
import { codePoints, text } from '@latchkey/http/text'
import { z } from 'zod'
import { NextCursor, PageQuery } from '../api/paging.ts'
import { TimeZone } from '../api/time-zone.ts'
import { Id, Moment, QueriedTime, toMomentOrNull } from '../api/wire.ts'
import { MAX_INPUT_LENGTH } from '../identity/display-name.ts'
import { qualifyEmoji } from '../messages/emoji.ts'
import { cleanLine } from '../users/line.ts'
import { ListedUser, toListedUser } from '../users/schema.ts'
import type { StatusRow, ListedPersonRow } from './store.ts'

const MAX_LENGTH = 80
const MAX_SEARCH_LENGTH = 64

export const PersonParams = z.object({ userId: Id })

export const PeopleQuery = PageQuery.extend({
  q: text()
    .trim()
    .max(MAX_INPUT_LENGTH)
    .transform(foldText)
    .refine((q) => codePoints(q) <= MAX_SEARCH_LENGTH, `must have at most ${MAX_SEARCH_LENGTH} characters`)
    .default('')
    .meta({
      description: 'A part of the name, in any case and with or without accents. No wildcards.',
      maxLength: MAX_SEARCH_LENGTH,
    }),
})

const Status = z
  .object({
    text: z.string().nullable(),
    emoji: z.string().nullable(),
    until: Moment.nullable().meta({ description: 'When it ends by itself; null if it does not.' }),
  })
  .meta({ id: 'Status' })

/** A member account as all others see it. */
export const ListedPerson = ListedUser.extend({
  title: z.string().nullable(),
  timeZone: z.string().nullable(),
  status: Status.nullable(),
  present: z.boolean().meta({
    description: 'Whether the person is connected. Never of people who are away or block the caller.',
  }),
}).meta({ id: 'ListedPerson' })
export type ListedPerson = z.output<typeof ListedPerson>

export const PeoplePage = z.object({
  people: z.array(ListedPerson).meta({ description: 'By name, with the caller.' }),
  nextCursor: NextCursor,
})

export const PersonAnswer = z.object({
  person: ListedPerson,
  rooms: z
    .array(z.object({ id: z.string(), name: z.string() }))
    .meta({ description: 'At most 20 rooms of which both are members, the last active first.' }),
})

const Profile = z
  .object({ title: cleanLine(1, MAX_LENGTH).nullable(), timeZone: TimeZone.nullable() })
  .meta({ id: 'Profile' })
export const ProfileBody = Profile
export const ProfileAnswer = z.object({ profile: Profile })

export const PictureParams = z.object({ id: Id })
export const PictureAnswer = z.object({ avatarUrl: z.string() })

export const StatusBody = z.object({
  text: cleanLine(1, MAX_LENGTH).nullable().default(null),
  emoji: text()
    .max(64)
    .transform((emoji, context) => {
      const qualified = qualifyEmoji(emoji)
      if (qualified === undefined) context.addIssue({ code: 'custom', message: 'must be one emoji' })
      return qualified ?? ''
    })
    .nullable()
    .default(null),
  until: QueriedTime.nullable().default(null).meta({
    description: 'A later time, at which all of it ends by itself.',
  }),
  away: z.boolean().default(false).meta({ description: 'Looks absent to others.' }),
})

export const OwnStatus = Status.extend({ away: z.boolean() }).meta({ id: 'OwnStatus' })
export const StatusAnswer = z.object({ status: OwnStatus })

/** The status as the person has set it, unless it has ended. */
export function toOwnStatus(row: StatusRow, nowMs: number): z.output<typeof OwnStatus> {
  const hasEnded = row.status_until !== null && row.status_until <= nowMs
  if (hasEnded) return { text: null, emoji: null, until: null, away: false }
  const { status_text, status_emoji, status_until, away } = row
  return { text: status_text, emoji: status_emoji, until: toMomentOrNull(status_until), away: away === 1 }
}

/** The person as a caller sees them whom they may block (R37.4). */
export function toListedPerson(row: ListedPersonRow, isBlocked: boolean, nowMs: number): ListedPerson {
  const { title, time_zone: timeZone, is_online } = row
  const { away, ...status } = toOwnStatus(row, nowMs)
  const hasStatus = !isBlocked && (status.text !== null || status.emoji !== null)
  return {
    ...toListedUser(row),
    title,
    timeZone,
    status: hasStatus ? status : null,
    present: is_online && !away && !isBlocked,
  }
}
