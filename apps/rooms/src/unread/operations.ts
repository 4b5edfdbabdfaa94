import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { RoomParams, Unread } from '../rooms/schema.ts'
import { advanceReadMark, putReadMark, putStar } from './store.ts'
import { findUnreadOf, readSeqOf } from './unread.ts'

const ReadMark = z.object({
  seq: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description:
      'Sequence number of the newest event that was read, or with `unread` of the first that was not. Beyond the last, it counts as the last.',
  }),
  unread: z.literal(true).optional().meta({
    description: 'Makes the event of `seq` the first that is new, also one that was read.',
  }),
})

const Preferences = z.object({
  starred: z.boolean().meta({ description: 'Whether the room is before the others in your own lists.' }),
})

const markRoomRead = operation({
  id: 'markRoomRead',
  methods: ['PUT'],
  path: '/rooms/{id}/read',
  scope: 'session',
  tag: 'Rooms',
  summary:
    'Mark a room as read up to an event, which never moves the mark back; or as unread from an event on',
  params: RoomParams,
  body: ReadMark,
  result: Unread,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, body }) {
    const access = await admitReader(context, params.id)
    const lastReadSeq = await storeMark(context, access, body)
    // A person who left the room may read it, and gets the numbers for it.
    const marked = { ...access, lastReadSeq, hasLeft: false }
    const unread = await findUnreadOf(context.database, marked, context.now)
    if (!unread) throw failure('not_found')
    if (lastReadSeq !== access.lastReadSeq)
      context.publish({
        kind: 'notice',
        userId: access.userId,
        notice: 'read',
        data: { roomId: params.id, ...unread },
      })
    return unread
  },
})

/** Returns the resulting mark. */
async function storeMark(
  { database }: Context,
  { roomId, userId, lastReadSeq, room }: UserRoomAccess,
  { seq: requested, unread: isUnread }: z.output<typeof ReadMark>,
): Promise<number> {
  if (isUnread) {
    const seq = Math.max(0, Math.min(requested - 1, room.last_seq))
    if (seq !== lastReadSeq) await database.write((tx) => putReadMark(tx, { roomId, userId, seq }))
    return seq
  }
  const seq = Math.min(requested, room.last_seq)
  if (lastReadSeq !== null && lastReadSeq >= seq) return lastReadSeq
  return database.write((tx) => advanceReadMark(tx, { roomId, userId, seq }))
}

const setRoomPreferences = operation({
  id: 'setRoomPreferences',
  methods: ['PUT'],
  path: '/rooms/{id}/preferences',
  scope: 'session',
  tag: 'Rooms',
  summary: 'Star a room, which puts it before the others in your own lists',
  params: RoomParams,
  body: Preferences,
  result: Preferences,
  failures: ENTRY_REFUSALS,
  async handler(context, { params: { id: roomId }, body: { starred } }) {
    const access = await admitReader(context, roomId)
    const { userId } = access
    const star = { roomId, userId, readSeq: readSeqOf(access) ?? access.room.last_seq, isStarred: starred }
    await context.database.write((tx) => putStar(tx, star))
    context.publish({ kind: 'notice', userId, notice: 'preferences', data: { roomId, starred } })
    return { starred }
  },
})

export const unreadOperations = [markRoomRead, setRoomPreferences]
