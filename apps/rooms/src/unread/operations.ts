import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { ENTRY_REFUSALS, admitReader } from '../rooms/admission.ts'
import { RoomParams, Unread } from '../rooms/schema.ts'
import { advanceReadMark } from './store.ts'
import { findUnreadOf } from './unread.ts'

const ReadMark = z.object({
  seq: z.int().min(0).max(Number.MAX_SAFE_INTEGER).meta({
    description: 'Sequence number of the newest event that was read. Beyond the last, it counts as the last.',
  }),
})

const markRoomRead = operation({
  id: 'markRoomRead',
  methods: ['PUT'],
  path: '/rooms/{id}/read',
  scope: 'session',
  tag: 'Rooms',
  summary: 'Mark a room as read up to an event; the mark never moves back',
  params: RoomParams,
  body: ReadMark,
  result: Unread,
  failures: ENTRY_REFUSALS,
  async handler(context, { params, body }) {
    const access = await admitReader(context, params.id)
    const seq = Math.min(body.seq, access.room.last_seq)
    const lastReadSeq =
      access.lastReadSeq !== null && access.lastReadSeq >= seq
        ? access.lastReadSeq
        : await storeMark(context, params.id, seq)
    const unread = await findUnreadOf(context.database, { ...access, lastReadSeq }, context.now)
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

function storeMark(context: Context, roomId: string, seq: number): Promise<number> {
  const userId = context.actor.user.id
  return context.database.write((tx) => advanceReadMark(tx, { roomId, userId, seq }))
}

export const unreadOperations = [markRoomRead]
