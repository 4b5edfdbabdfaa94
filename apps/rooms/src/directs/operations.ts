import { type Context, operation } from '../api/context.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import { PageQuery, findPage } from '../api/paging.ts'
import { type Room, RoomAnswer } from '../lobby/schema.ts'
import { viewRooms } from '../lobby/view-rooms.ts'
import { hideDirect, showDirect } from '../rooms/hidden.ts'
import { countParticipants } from '../rooms/store.ts'
import { canAddress } from '../users/blocks.ts'
import { lockAccount } from '../users/store.ts'
import { DirectPage, MAX_PEOPLE, NewDirect } from './schema.ts'
import { directKeyOf, findDirect, insertDirect, insertDirectMembers, selectDirects } from './store.ts'

const tag = 'Direct conversations'

interface OpenedDirect {
  roomId: string
  isNew: boolean
  /** The list of the caller did not have it before. */
  isShown: boolean
}

const openDirect = operation({
  id: 'openDirect',
  methods: ['POST'],
  path: '/directs',
  scope: 'member',
  tag,
  summary: 'Find the direct conversation with these people, or create it',
  body: NewDirect,
  result: RoomAnswer,
  status: 201,
  otherStatus: { status: 200, description: 'The conversation that exists' },
  failures: ['forbidden', 'not_found'],
  async handler(context, { body }): Promise<{ room: Room; isNew: boolean }> {
    const { user } = context.actor
    const userIds = [...new Set([user.id, ...body.userIds])].toSorted()
    requirePeople(userIds)
    const opened = (await showExisting(context, userIds)) ?? (await createDirect(context, userIds))
    const { roomId, isNew, isShown } = opened
    // Other tabs of the user list it.
    if (isShown) context.publish({ kind: 'lobby', roomId })
    return { room: await viewDirect(context, roomId), isNew }
  },
  answer: ({ room, isNew }) => ({ status: isNew ? 201 : 200, body: { room } }),
})

function requirePeople(userIds: readonly string[]): void {
  const problem =
    userIds.length === 1
      ? 'must have another person'
      : userIds.length > MAX_PEOPLE
        ? `must have at most ${MAX_PEOPLE} people together with you`
        : undefined
  if (problem === undefined) return
  throw failure('invalid_request', {
    text: `userIds: ${problem}`,
    fields: [{ path: 'userIds', code: 'custom' }],
  })
}

/** Finds a conversation that exists, also with people who can no longer be addressed, and shows it to the caller again. */
async function showExisting(context: Context, userIds: readonly string[]): Promise<OpenedDirect | undefined> {
  const { database } = context
  const room = await findDirect(database.read, directKeyOf(userIds))
  if (!room) return undefined
  const roomId = room.id
  const isShown = await database.write((tx) => showDirect(tx, { roomId, userId: context.actor.user.id }))
  return { roomId, isNew: false, isShown }
}

async function createDirect(context: Context, userIds: readonly string[]): Promise<OpenedDirect> {
  const { policy, rates, database } = context
  const { id: userId } = context.actor.user
  if (policy.limits.directs_per_hour === 0) throw failure('forbidden')
  rates.take('directs_per_hour', userId)
  if (!(await canAddress(database.read, database.dialect, userId, userIds))) throw failure('not_found')
  return database.write((tx) => putDirect(tx, context, userIds))
}

/** Creates the conversation unless another request has created it meanwhile. */
async function putDirect(tx: Tx, context: Context, userIds: readonly string[]): Promise<OpenedDirect> {
  const { now, database } = context
  const { id: userId } = context.actor.user
  const directKey = directKeyOf(userIds)
  const room = await insertDirect(tx, newDirect(directKey, now, context.policy.retention.days))
  if (!room) {
    const existing = await findDirect(tx, directKey)
    if (!existing) throw failure('not_found')
    const isShown = await showDirect(tx, { roomId: existing.id, userId })
    return { roomId: existing.id, isNew: false, isShown }
  }
  for (const id of userIds) await lockAccount(tx, id)
  // Asked again with the accounts locked: one may have been erased since.
  if (!(await canAddress(tx, database.dialect, userId, userIds))) throw failure('not_found')
  const { id: roomId } = room
  await insertDirectMembers(tx, userIds, { room_id: roomId, joined_at: now })
  // The others see it once it has a message.
  await hideDirect(tx, { roomId, userIds: userIds.filter((id) => id !== userId), seq: 0 })
  return { roomId, isNew: true, isShown: true }
}

function newDirect(directKey: string, nowMs: number, retentionDays: number | null): RoomRow {
  return {
    id: crypto.randomUUID(),
    kind: 'direct',
    name: '',
    search_name: '',
    topic: null,
    created_by: null,
    owner_id: null,
    owner_since: nowMs,
    max_participants: null,
    visibility: 'private',
    allow_guests: 0,
    default_role: 'speaker',
    history_visibility: 'all',
    retention_days: retentionDays,
    max_retention_days: null,
    max_retention_from: null,
    max_retention_before: null,
    voice: 'video',
    voice_screen: 1,
    voice_guests: 'off',
    archived_at: null,
    is_default: 0,
    direct_key: directKey,
    last_seq: 0,
    created_at: nowMs,
    active_at: nowMs,
  }
}

async function viewDirect({ database, actor, now: nowMs }: Context, roomId: string): Promise<Room> {
  const present = await countParticipants(database.read, roomId, nowMs)
  const row = { id: roomId, present, created_at: nowMs }
  const [view] = await viewRooms(database, [row], { userId: actor.user.id, nowMs })
  if (!view) throw failure('not_found')
  return view.room
}

const listDirects = operation({
  id: 'listDirects',
  methods: ['GET'],
  path: '/directs',
  scope: 'member',
  tag,
  summary: 'List your direct conversations by their last messages, without hidden ones',
  query: PageQuery,
  result: DirectPage,
  async handler({ database, actor, now: nowMs }, { query }) {
    const viewer = { userId: actor.user.id, nowMs }
    const { rows, nextCursor } = await findPage(['directs', viewer.userId], query, (after, limit) =>
      selectDirects(database.read, viewer, after, limit),
    )
    const views = await viewRooms(database, rows, viewer)
    return { directs: views.map(({ room }) => room), nextCursor }
  },
})

export const directOperations = [openDirect, listDirects]
