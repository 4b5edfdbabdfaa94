import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { PageQuery, findPage } from '../api/paging.ts'
import { SUCCESS, Success } from '../api/wire.ts'
import { findAccessToRooms } from '../rooms/access-store.ts'
import { ENTRY_REFUSALS, admitReader, requireOpen } from '../rooms/admission.ts'
import { requireLength } from '../rooms/message-length.ts'
import { decideEntry } from '../rooms/permissions.ts'
import { RoomParams } from '../rooms/schema.ts'
import { DraftAnswer, DraftBody, DraftPage, toDraft } from './schema.ts'
import { deleteDraft as deleteRow, findDraft, putDraft, selectDrafts } from './store.ts'

const tag = 'Drafts'

const listDrafts = operation({
  id: 'listDrafts',
  methods: ['GET'],
  path: '/drafts',
  scope: 'session',
  tag,
  summary: 'List what you have begun to write in rooms that you may enter, newest first',
  query: PageQuery,
  result: DraftPage,
  async handler({ actor, database, now }, { query }) {
    const { id: userId } = actor.user
    const { rows, nextCursor } = await findPage(['drafts', userId], query, (after, limit) =>
      selectDrafts(database.read, userId, after, limit),
    )
    const roomIds = rows.map(({ room_id }) => room_id)
    const accesses = rows.length > 0 ? await findAccessToRooms(database, { userId, roomIds, nowMs: now }) : []
    const open = new Set(
      accesses.filter((access) => decideEntry(access) === 'yes').map(({ roomId }) => roomId),
    )
    return { drafts: rows.filter(({ room_id }) => open.has(room_id)).map(toDraft), nextCursor }
  },
})

const saveDraft = operation({
  id: 'saveDraft',
  methods: ['PUT'],
  path: '/rooms/{id}/draft',
  scope: 'session',
  tag,
  summary: 'Keep what you have begun to write in a room, for your other tabs and devices',
  params: RoomParams,
  body: DraftBody,
  result: DraftAnswer,
  failures: ['forbidden', ...ENTRY_REFUSALS, 'archived', 'limit_reached'],
  async handler(context, { params: { id: roomId }, body: { content } }) {
    const { drafts_person: maxDrafts } = context.policy.limits
    if (maxDrafts === 0) throw failure('forbidden')
    requireLength(context, content)
    const { userId, room } = await admitReader(context, roomId)
    requireOpen(room)
    const row = { room_id: roomId, user_id: userId, content, updated_at: context.now }
    const isChanged = await context.database.write(async (tx) => {
      const before = await findDraft(tx, { roomId, userId })
      if (!(await putDraft(tx, row, maxDrafts))) throw failure('limit_reached')
      return before !== content
    })
    if (isChanged) publish(context, roomId, content)
    return { draft: toDraft(row) }
  },
})

const deleteDraft = operation({
  id: 'deleteDraft',
  methods: ['DELETE'],
  path: '/rooms/{id}/draft',
  scope: 'session',
  tag,
  summary: 'Delete what you have begun to write in a room',
  params: RoomParams,
  result: Success,
  failures: ENTRY_REFUSALS,
  async handler(context, { params: { id: roomId } }) {
    const { userId } = await admitReader(context, roomId)
    const key = { roomId, userId }
    if (await context.database.write((tx) => deleteRow(tx, key))) publish(context, roomId, null)
    return SUCCESS
  },
})

/** For the other tabs of the person. */
function publish({ actor, publish: send }: Context, roomId: string, content: string | null): void {
  send({ kind: 'notice', userId: actor.user.id, notice: 'draft', data: { roomId, content } })
}

export const draftOperations = [listDrafts, saveDraft, deleteDraft]
