import { z } from 'zod'
import { text } from '@latchkey/http/text'
import { RoomFile } from '../files/schema.ts'
import { MAX_SEQ, NextCursor, PAGE_LIMIT, PageQuery, SeqPageQuery, wholeNumber } from '../api/paging.ts'
import { ROOM_ROLES } from '../api/roles.ts'
import { Person } from '../rooms/schema.ts'
import { trimmedText } from '../api/text.ts'
import { Id, Moment, QueriedTime } from '../api/wire.ts'
import { AvatarUrl } from '../users/picture-url.ts'

const ReactionCount = z.object({
  emoji: z.string(),
  count: z.int().meta({ description: 'The number of people, with those whose accounts were deleted.' }),
})

const Reaction = ReactionCount.extend({
  mine: z.boolean().meta({ description: 'The caller is one of them.' }),
}).meta({ id: 'Reaction' })

const MentionedPerson = z.object({ userId: z.string(), nickname: z.string() })

const Quotation = z
  .object({
    id: z.string(),
    nickname: z.string(),
    excerpt: z.string().nullable().meta({
      description:
        'The beginning of its text, or the name of its first file; null if that message was deleted.',
    }),
  })
  .meta({ id: 'Quotation' })

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
    avatarUrl: AvatarUrl,
    guest: z.boolean(),
    authorRole: z.enum(ROOM_ROLES).nullable().meta({
      description: 'The current role of the author’s membership; null without a membership.',
    }),
    content: z.string().nullable().meta({ description: 'As written; null if the message was deleted.' }),
    replyTo: Quotation.nullable().meta({
      description: 'The message that it replies to; null as well if the caller may not read that message.',
    }),
    mentions: z.array(MentionedPerson).meta({
      description: 'People whom the text names as `<@userId>`, with their current names.',
    }),
    groupMention: z.enum(['here', 'room']).nullable().meta({
      description:
        'The group that it mentions as `<!here>` or `<!room>`; null if its author was not permitted to.',
    }),
    files: z.array(RoomFile).meta({ description: 'In the order of the author.' }),
    reactions: z.array(Reaction).meta({ description: 'Oldest first.' }),
    pinned: z.boolean(),
    clientId: z.string().nullable(),
    createdAt: Moment,
    editedAt: Moment.nullable(),
    deletedAt: Moment.nullable(),
  })
  .meta({ id: 'Message' })
export type Message = z.output<typeof Message>

/** Message as events contain it: the same for all recipients. */
export interface EventMessage extends Omit<Message, 'reactions'> {
  reactions: z.output<typeof ReactionCount>[]
}

/** Upper limit within that of the request body. The permitted length is a setting. */
const MAX_CHARACTERS = 65_536

const Content = trimmedText(0, MAX_CHARACTERS).meta({
  description: 'Text, as Markdown; empty only with files. The limits are in ROOMS_LIMITS.',
})

/** Upper limit of one request. The permitted number is a setting. */
const MAX_FILES = 100

export const NewMessage = z.object({
  content: Content,
  files: z
    .array(Id)
    .max(MAX_FILES)
    .refine((ids) => new Set(ids).size === ids.length, 'must not repeat a file')
    .default([])
    .meta({ description: 'Ids of your uploads of the last hour in this room, in order.' }),
  replyTo: Id.optional().meta({ description: 'The message that this one replies to.' }),
  clientId: text().min(1).max(64).optional().meta({
    description:
      'Chosen by the client. Sending the same value again stores nothing and returns the stored message.',
  }),
})

export const EditedMessage = z.object({
  content: Content,
  editedAt: z.iso.datetime().nullable().optional().meta({
    description:
      'The `editedAt` of the message that is changed. If it has been edited since, 409 `message_changed`; without this member, the last edit wins.',
  }),
})

export const MessageParams = z.object({ id: Id, messageId: Id })
export const ReactionParams = MessageParams.extend({
  emoji: z.string().meta({ description: 'One emoji of Unicode, percent-encoded.' }),
})

export const MessageAnswer = z.object({ message: Message })
export const MessageVersions = z.object({
  versions: z
    .array(z.object({ content: z.string(), at: Moment.meta({ description: 'When it was written.' }) }))
    .meta({ description: 'The earlier texts, oldest first.' }),
  nextCursor: NextCursor,
})
export const ReactionsAnswer = z.object({ reactions: z.array(Reaction) })
export const Reactions = z.object({
  reactions: z.array(
    z.object({
      emoji: z.string(),
      users: z.array(Person).meta({ description: 'Without those whose accounts were deleted.' }),
    }),
  ),
  nextCursor: NextCursor.meta({
    description: 'For later reactions, also with the same emoji; null on the last page.',
  }),
})
export const Pins = z.object({
  messages: z.array(Message).meta({ description: 'The pinned messages, last pinned first.' }),
  nextCursor: NextCursor,
})

export const MessageQuery = z
  .object({
    limit: PageQuery.shape.limit,
    cursor: wholeNumber(0, MAX_SEQ).optional().meta({
      description: '`nextCursor` of a page, for older messages.',
    }),
    after: wholeNumber(0, MAX_SEQ).optional().meta({
      description: '`newerCursor` of a page, for newer messages.',
    }),
    around: Id.optional().meta({ description: 'A message in the middle of the page.' }),
    at: QueriedTime.optional().meta({
      description:
        'A time in ISO 8601. The first message since then is in the middle of the page; without one, it is the newest page.',
    }),
  })
  .refine(
    ({ cursor, after, around, at }) =>
      [cursor, after, around, at].filter((parameter) => parameter !== undefined).length <= 1,
    'takes only one of `cursor`, `after`, `around` and `at`',
  )

export const ReactionQuery = SeqPageQuery.extend({
  emoji: z.string().optional().meta({ description: 'Only the reactions with this emoji.' }),
})

export const PinQuery = PageQuery.extend({
  cursor: wholeNumber(0, MAX_SEQ)
    .default(MAX_SEQ)
    .meta({ description: '`nextCursor` of the previous page.' }),
})

export const EventQuery = z.object({
  after: wholeNumber(0, MAX_SEQ).default(0).meta({ description: 'The highest known sequence number.' }),
  limit: wholeNumber(1, 200).default(200).meta({ description: PAGE_LIMIT }),
})

export const roomEventTypes = [
  'message.created',
  'message.edited',
  'message.deleted',
  'message.reactions',
  'message.pinned',
  'message.unpinned',
  'member.joined',
  'member.left',
  'member.removed',
  'member.role',
  'members.added',
  'room.settings',
  'room.owner',
  'room.retention',
  'call.started',
  'call.ended',
  'call.missed',
] as const

const LoggedEvent = z
  .object({
    seq: z.int(),
    at: Moment,
    event: z.enum(roomEventTypes),
    data: z.record(z.string(), z.unknown()),
  })
  .meta({ id: 'RoomEvent' })

export const MessagePage = z.object({
  messages: z.array(Message).meta({ description: 'Oldest to newest.' }),
  nextCursor: NextCursor.meta({ description: 'For older messages; null if there are none.' }),
  newerCursor: NextCursor.meta({ description: 'For newer messages; null at the end of the room.' }),
  events: z.array(LoggedEvent).meta({
    description:
      'Events between these messages that are not about messages, such as members who joined; at most 200, the newest.',
  }),
})

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
