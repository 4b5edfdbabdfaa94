import { z } from 'zod'
import { text } from '@latchkey/http/text'
import { NextCursor, PageQuery } from '../api/paging.ts'
import { DEFAULT_ROLES } from '../api/roles.ts'
import { Moment, toMoment } from '../api/wire.ts'
import type { RoomRow } from '../db/tables.ts'
import { MAX_INPUT_LENGTH } from '../identity/display-name.ts'
import { LevelBody } from '../notifications/schema.ts'
import { DEFAULT_LEVEL, type NotificationLevel } from '../rooms/notification-levels.ts'
import { type RoomAccess, canPublish } from '../rooms/permissions.ts'
import { type DirectPeople, namedFor } from '../rooms/direct-people.ts'
import { Person, Role, Unread } from '../rooms/schema.ts'
import { cleanLine } from '../users/line.ts'
import { ListedUser } from '../users/schema.ts'
import { Call, ParticipantVoice } from '../voice/schema.ts'

const NAME_LIMIT = 64

const Name = cleanLine(1, NAME_LIMIT)

const TOPIC_LIMIT = 250

/** Null without one. */
const Topic = cleanLine(0, TOPIC_LIMIT)
  .transform((topic) => topic || null)
  .nullable()
  .meta({
    type: ['string', 'null'],
    maxLength: TOPIC_LIMIT,
    description: 'What the room is for.',
  } as z.core.GlobalMeta)

const MaxParticipants = z.int().min(2).max(10_000).nullable().meta({
  description: 'The most visitors and guests at once; null without a limit. Members always have a place.',
})
const Visibility = z.enum(['public', 'unlisted', 'private']).meta({
  description:
    '`unlisted`: open to anyone who knows the id; `private`: for members only, and 404 for all others.',
})
const DefaultRole = z.enum(DEFAULT_ROLES).meta({ description: 'The role of users without membership.' })
const HistoryVisibility = z.enum(['all', 'since_membership', 'none']).meta({
  description:
    'Readable messages: all; those after joining, or for users without membership during the visit; only those during the visit, deleted after an hour.',
})
const Voice = z.enum(['off', 'voice', 'video']).meta({
  description: 'Calls in the room: none, with microphones only, or with cameras.',
})
const VoiceScreen = z.boolean().meta({ description: 'Screens can be shared in calls.' })
const VoiceGuests = z.enum(['off', 'listen', 'speak']).meta({
  description: 'What guests may do in calls; the instance may allow less.',
})
const Retention = z
  .union([z.int().min(1).max(36_500), z.literal('forever')])
  .meta({ description: 'Number of days for which messages are retained, or `forever`.' })

export const NewRoom = z
  .object({
    name: Name,
    topic: Topic.default(null),
    maxParticipants: MaxParticipants.default(null),
    visibility: Visibility.default('public'),
    allowGuests: z.boolean().default(true),
    defaultRole: DefaultRole.default('speaker'),
    historyVisibility: HistoryVisibility.default('all'),
    retention: Retention.optional().meta({
      description:
        'By default that of the instance (`ROOMS_RETENTION`); no more than its maximum (`ROOMS_RETENTION_MAX`).',
    }),
    voice: Voice.default('video'),
    voiceScreen: VoiceScreen.default(true),
    voiceGuests: VoiceGuests.default('listen'),
  })
  .meta({ id: 'NewRoom' })
export type NewRoom = z.output<typeof NewRoom>

export const RoomSettings = z
  .object({
    name: Name.optional(),
    topic: Topic.optional(),
    maxParticipants: MaxParticipants.optional(),
    visibility: Visibility.optional(),
    allowGuests: z.boolean().optional(),
    defaultRole: DefaultRole.optional(),
    historyVisibility: HistoryVisibility.optional(),
    retention: Retention.optional(),
    voice: Voice.optional(),
    voiceScreen: VoiceScreen.optional(),
    voiceGuests: VoiceGuests.optional(),
  })
  .refine(
    (settings) => Object.values(settings).some((value) => value !== undefined),
    'at least one is required',
  )
  .meta({ id: 'RoomSettings', minProperties: 1 } as z.core.GlobalMeta)
export type RoomSettings = z.output<typeof RoomSettings>

/** Maximum retention of the instance in a room that would retain messages for longer (R36.2). */
const MaxRetention = z
  .object({
    days: z.int(),
    from: Moment.meta({ description: 'Until then, it deletes nothing.' }),
  })
  .meta({ id: 'MaxRetention' })

/** Part of a room that is equal for everyone who may enter it. */
const SharedRoom = z.object({
  id: z.string(),
  kind: z.enum(['room', 'direct']).meta({
    description: '`direct`: a conversation of 2 to 20 people, without an owner.',
  }),
  name: z.string().meta({ description: 'For a direct conversation: the names of the others in it.' }),
  topic: z.string().nullable(),
  createdBy: z.string().nullable(),
  ownerId: z.string().nullable(),
  maxParticipants: z.int().nullable(),
  visibility: Visibility,
  allowGuests: z.boolean(),
  defaultRole: DefaultRole,
  historyVisibility: HistoryVisibility,
  retention: Retention,
  maxRetention: MaxRetention.nullable(),
  voice: Voice,
  voiceScreen: VoiceScreen,
  voiceGuests: VoiceGuests,
  archived: z.boolean().meta({ description: 'It can be read, and nothing is added.' }),
  default: z.boolean().meta({ description: 'New member accounts join it.' }),
  createdAt: Moment,
})
export type SharedRoom = z.output<typeof SharedRoom>

const NOTHING_UNREAD = { readSeq: null, unread: null, mentions: null }

export const Room = SharedRoom.extend({
  lastSeq: z.int().meta({ description: 'Sequence number of the newest event.' }),
  participantCount: z.int().meta({ description: 'The number of participants now.' }),
  role: Role.nullable().meta({ description: 'The role of the caller; null for users without membership.' }),
  canPublish: z.boolean(),
  call: Call.nullable().meta({ description: 'The call that goes on now.' }),
  readSeq: Unread.shape.readSeq.nullable().meta({
    description:
      'The caller has read the events up to this sequence number. Null, as are the numbers of what is new, for users without membership who never marked the room as read.',
  }),
  unread: Unread.shape.unread.nullable(),
  mentions: Unread.shape.mentions.nullable(),
  notificationLevel: LevelBody.shape.level,
  people: z
    .array(ListedUser)
    .nullable()
    .meta({ description: 'The others in a direct conversation, without erased accounts. Null for rooms.' }),
  starred: z.boolean().meta({ description: 'Whether the caller has starred the room.' }),
}).meta({ id: 'Room' })
export type Room = z.output<typeof Room>

export function maxRetentionOf({
  max_retention_days: days,
  max_retention_from: fromMs,
}: Pick<RoomRow, 'max_retention_days' | 'max_retention_from'>): z.output<typeof MaxRetention> | null {
  return days === null || fromMs === null ? null : { days, from: toMoment(fromMs) }
}

export function toSharedRoom(row: RoomRow): SharedRoom {
  return {
    id: row.id,
    kind: row.kind,
    name: row.name,
    topic: row.topic,
    createdBy: row.created_by,
    ownerId: row.owner_id,
    maxParticipants: row.max_participants,
    visibility: row.visibility,
    allowGuests: row.allow_guests === 1,
    defaultRole: row.default_role,
    historyVisibility: row.history_visibility,
    retention: row.retention_days ?? 'forever',
    maxRetention: maxRetentionOf(row),
    voice: row.voice,
    voiceScreen: row.voice_screen === 1,
    voiceGuests: row.voice_guests,
    archived: row.archived_at !== null,
    default: row.is_default === 1,
    createdAt: toMoment(row.created_at),
  }
}

/** Room access of the user for whom a room is shown. */
type ViewerAccess = Pick<RoomAccess, 'role' | 'defaultRole'> & {
  readonly userId: string
  readonly notificationLevel?: NotificationLevel
  readonly isStarred?: boolean
}

/** What goes on in a room at this moment. */
export interface RoomActivity {
  /** Number of participants. */
  readonly count: number
  readonly call: Call | null
  readonly people: DirectPeople
}

/** Room as this user sees it. */
export function toRoom(
  row: RoomRow,
  viewer: ViewerAccess,
  { count, call, people }: RoomActivity,
  unread?: Unread,
): Room {
  return {
    ...toSharedRoom(row),
    ...namedFor(viewer.userId, row, people),
    lastSeq: row.last_seq,
    participantCount: count,
    role: viewer.role,
    canPublish: canPublish(viewer),
    call,
    ...(unread ?? NOTHING_UNREAD),
    notificationLevel: viewer.notificationLevel ?? DEFAULT_LEVEL,
    starred: viewer.isStarred ?? false,
  }
}

/** Person in a room. */
export const PresentPerson = Person.extend({
  voice: ParticipantVoice.nullable().meta({ description: 'Null for participants who are not in the call.' }),
}).meta({ id: 'PresentPerson' })
export type PresentPerson = z.output<typeof PresentPerson>

export const Participant = PresentPerson.extend({ joinedAt: Moment }).meta({ id: 'Participant' })

export const RoomAnswer = z.object({ room: Room })

/** What goes on in a room. */
export const RoomPreview = z
  .object({
    people: z
      .array(Person.pick({ userId: true, nickname: true, avatarColor: true, avatarUrl: true }))
      .meta({ description: 'The first participants; `participantCount` is the number of all.' }),
    lastMessage: z
      .object({
        nickname: z.string(),
        excerpt: z.string().meta({ description: 'Beginning of its text, or the name of its first file.' }),
        at: Moment,
      })
      .nullable()
      .meta({ description: 'The newest message that the caller may read now.' }),
  })
  .meta({ id: 'RoomPreview' })
export type RoomPreview = z.output<typeof RoomPreview>

const ListedRoom = Room.extend({
  preview: RoomPreview.nullable().meta({
    description: 'Only with `preview=true`, and only for rooms that the caller may enter.',
  }),
}).meta({ id: 'ListedRoom' })

export const RoomPage = z.object({ rooms: z.array(ListedRoom), nextCursor: NextCursor })
export const RoomQuery = PageQuery.extend({
  q: text().trim().max(MAX_INPUT_LENGTH).optional().meta({ description: 'A part of the name or topic.' }),
  followed: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .default(false)
    .meta({
      type: 'boolean',
      description: 'Only rooms that you are a member of or have marked as read, by their last messages.',
    }),
  archived: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .optional()
    .meta({
      type: 'boolean',
      description: 'Only archived rooms, or only others. By default only others, or with `q` both.',
    }),
  preview: z
    .stringbool({ truthy: ['true'], falsy: ['false'], case: 'sensitive' })
    .default(false)
    .meta({ type: 'boolean', description: 'With the people in each room, and its last message.' }),
})
