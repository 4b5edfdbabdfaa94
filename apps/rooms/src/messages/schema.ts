import { z } from 'zod'
import { text } from '@latchkey/http/text'
import type { RoomMessageRow } from '../db/tables.ts'
import { NextCursor, wholeNumber } from '../paging.ts'
import { ROOM_ROLES, type RoomRole } from '../roles.ts'
import { trimmedText } from '../text.ts'
import { avatarColorOf } from '../users/avatar-color.ts'
import { Id, Moment, toMoment, toMomentOrNull } from '../wire.ts'

export const Message = z
  .object({
    id: z.string(),
    roomId: z.string(),
    seq: z.int().meta({ description: 'Sequence number of the event that created it.' }),
    userId: z.string().nullable().meta({ description: 'Null if the account was deleted.' }),
    nickname: z.string().meta({
      description:
        'The current name; `#` and four characters if the account was deleted, which distinguish authors.',
    }),
    avatarColor: z.string(),
    guest: z.boolean(),
    authorRole: z.enum(ROOM_ROLES).nullable().meta({
      description: 'The current role of the author’s membership; null without a membership.',
    }),
    content: z.string().nullable().meta({ description: 'Plain text; null if the message was deleted.' }),
    clientId: z.string().nullable(),
    createdAt: Moment,
    deletedAt: Moment.nullable(),
  })
  .meta({ id: 'Message' })
export type Message = z.output<typeof Message>

/**
 * Message with its author, as stores return it. Name, colour and role of an existing account are current.
 */
export interface MessageWithAuthor extends RoomMessageRow {
  nickname: string | null
  avatar_color: string | null
  author_role: RoomRole | null
}

export function toMessage(row: MessageWithAuthor): Message {
  return {
    id: row.id,
    roomId: row.room_id,
    seq: row.seq,
    // Both may still be stored for an erased account.
    userId: row.nickname === null ? null : row.user_id,
    nickname: row.nickname ?? row.author_name,
    avatarColor: row.avatar_color ?? avatarColorOf(row.author_name),
    guest: row.author_guest === 1,
    authorRole: row.author_role,
    content: row.content,
    clientId: row.nickname === null ? null : row.client_id,
    createdAt: toMoment(row.created_at),
    deletedAt: toMomentOrNull(row.deleted_at),
  }
}

/** Upper limit within that of the request body. The permitted length is a setting. */
const MAX_CHARACTERS = 65_536

export const NewMessage = z.object({
  content: trimmedText(1, MAX_CHARACTERS).meta({
    description: 'Plain text; the limits are in ROOMS_LIMITS.',
  }),
  clientId: text().min(1).max(64).optional().meta({
    description:
      'Chosen by the client. Sending the same value again stores nothing and returns the stored message.',
  }),
})

export const MessageParams = z.object({ id: Id, messageId: Id })

const MAX_SEQ = 999_999_999

export const MessageQuery = z.object({
  limit: wholeNumber(1, 100).default(50),
  cursor: wholeNumber(0, MAX_SEQ).optional().meta({
    description: '`nextCursor` of the previous page, for older messages.',
  }),
})
export const MessagePage = z.object({
  messages: z.array(Message).meta({ description: 'Oldest to newest.' }),
  nextCursor: NextCursor,
})

export const EventQuery = z.object({
  after: wholeNumber(0, MAX_SEQ).default(0).meta({ description: 'The highest known sequence number.' }),
  limit: wholeNumber(1, 200).default(200),
})

const LoggedEvent = z
  .object({
    seq: z.int(),
    at: Moment,
    event: z.enum([
      'message.created',
      'message.deleted',
      'member.joined',
      'member.left',
      'member.removed',
      'member.role',
      'room.settings',
      'room.owner',
    ]),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RoomEvent' })

export const EventPage = z.object({
  events: z.array(LoggedEvent).meta({
    description:
      'In order, without gaps. Events that the caller may not read are missing, always at the beginning.',
  }),
  lastSeq: z.int().meta({
    description:
      'Sequence number of the newest event. Fewer events than `limit` include all events up to it.',
  }),
  reset: z.boolean().meta({
    description: 'Events after `after` were deleted: reload the messages and continue after `lastSeq`.',
  }),
})
