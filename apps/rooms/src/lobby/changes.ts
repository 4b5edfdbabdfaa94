import { isDeepStrictEqual } from 'node:util'
import type { z } from 'zod'
import type { ClusterEvent } from '../api/cluster-events.ts'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { RoomRow, Tx } from '../db/tables.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { CHANGE_REFUSALS, authorizeInRoom } from '../rooms/admission.ts'
import { auditRoom } from '../rooms/audit.ts'
import { revokeLostAccess } from '../rooms/eviction.ts'
import { retentionDaysOf } from '../rooms/retention.ts'
import { RoomParams } from '../rooms/schema.ts'
import { countParticipants, deleteLog, deleteUnreadBatch, updateRoom } from '../rooms/store.ts'
import { findUnreadOf } from '../unread/unread.ts'
import { findCalls } from '../voice/store.ts'
import { columnsOf, differences } from './columns.ts'
import { type Room, RoomAnswer, RoomSettings, type SharedRoom, toRoom, toSharedRoom } from './schema.ts'
import { appendSettingsEvent } from './settings-event.ts'

const tag = 'Rooms'

/** R14.2: on creation and on changes of settings. */
export function refuseForGuests(settings: Pick<RoomSettings, 'visibility' | 'allowGuests'>): void {
  if (settings.visibility === 'private' || settings.allowGuests === false)
    throw failure('guest_not_permitted')
}

export const updateRoomSettings = operation({
  id: 'updateRoomSettings',
  methods: ['PATCH'],
  path: '/rooms/{id}/settings',
  scope: 'session',
  tag,
  summary: 'Change a room; users who lose access leave it at once',
  params: RoomParams,
  body: RoomSettings,
  result: RoomAnswer,
  failures: [...CHANGE_REFUSALS, 'guest_not_permitted'],
  async handler(context, { params, body }) {
    for (;;) {
      const changed = await context.database.write((tx) => changeSettings(tx, context, params.id, body))
      if (changed !== 'more') {
        for (const event of changed.events) context.publish(event)
        return { room: changed.room }
      }
      // Lets other requests run in between.
      await new Promise((resolve) => setImmediate(resolve))
    }
  },
})

/**
 * Returns `more` after deleting a batch of unreadable messages, which precedes the change. All
 * checks are then repeated.
 */
async function changeSettings(
  tx: Tx,
  context: Context,
  roomId: string,
  settings: RoomSettings,
): Promise<ChangedRoom | 'more'> {
  const access = await authorizeInRoom(tx, context, roomId, 'change_room')
  if (access.isGuest) refuseForGuests(settings)
  const { now: nowMs } = context
  const before = access.room
  const changes = differences(before, columnsOf(settings))
  if (changes.retention_days !== undefined)
    retentionDaysOf(context.policy, changes.retention_days ?? 'forever')
  // New members join public rooms only (R36.3).
  if (before.is_default === 1 && (changes.visibility ?? 'public') !== 'public') changes.is_default = 0
  if (Object.keys(changes).length === 0) return answerWith(tx, context, access, [])
  // Messages that later visitors could not read stay unreadable: they are deleted before the change.
  if (before.history_visibility === 'none' && changes.history_visibility !== undefined) {
    if (await deleteUnreadBatch(tx, before, nowMs)) return 'more'
    await deleteLog(tx, roomId)
  }
  const updated = await updateRoom(tx, before, changes)
  const { room, event } = await appendSettingsEvent(tx, context, updated, changedNames(before, updated))
  const names = Object.keys(changes) as (keyof RoomRow)[]
  const metadata = Object.fromEntries(names.map((name) => [name, { from: before[name], to: room[name] }]))
  await auditRoom(tx, context, { action: 'room.settings.update', roomId, metadata })
  const previousAudience = before.visibility === 'public' ? ('everyone' as const) : []
  return answerWith(tx, context, { ...access, room }, [
    event,
    { kind: 'access', roomId },
    { kind: 'lobby', roomId, previousAudience },
    ...(await revokeLostAccess(tx, roomId, nowMs)),
  ])
}

/** Members of a room whose values differ. */
function changedNames(before: RoomRow, after: RoomRow): (keyof SharedRoom)[] {
  const [old, now] = [toSharedRoom(before), toSharedRoom(after)]
  const names = Object.keys(now) as (keyof SharedRoom)[]
  return names.filter((name) => !isDeepStrictEqual(old[name], now[name]))
}

interface ChangedRoom {
  room: Room
  events: ClusterEvent[]
}

/** The room of this access as the caller sees it, for the answer to a change. */
async function answerWith(
  tx: Tx,
  context: Context,
  access: UserRoomAccess,
  events: ClusterEvent[],
): Promise<ChangedRoom> {
  const { roomId, room } = access
  const viewer = { ...access, defaultRole: room.default_role }
  const database = { ...context.database, read: tx }
  const unread = await findUnreadOf(database, access, context.now)
  const count = await countParticipants(tx, roomId, context.now)
  const call = (await findCalls(database, [roomId], context.now)).get(roomId) ?? null
  return { room: toRoom(room, viewer, { count, call, people: new Map() }, unread), events }
}

export const archiveRoom = operation({
  id: 'archiveRoom',
  methods: ['PUT'],
  path: '/rooms/{id}/archive',
  scope: 'session',
  tag,
  summary: 'Archive a room: it can be read, and nothing is added',
  params: RoomParams,
  result: RoomAnswer,
  failures: CHANGE_REFUSALS,
  handler: (context, { params }) => setArchived(context, params.id, true),
})

export const unarchiveRoom = operation({
  id: 'unarchiveRoom',
  methods: ['DELETE'],
  path: '/rooms/{id}/archive',
  scope: 'session',
  tag,
  summary: 'Bring a room back from the archive',
  params: RoomParams,
  result: RoomAnswer,
  failures: CHANGE_REFUSALS,
  handler: (context, { params }) => setArchived(context, params.id, false),
})

async function setArchived(
  context: Context,
  roomId: string,
  isArchived: boolean,
): Promise<z.output<typeof RoomAnswer>> {
  const { room, events } = await context.database.write(async (tx) => {
    const access = await authorizeInRoom(tx, context, roomId, 'change_room')
    const before = access.room
    if ((before.archived_at !== null) === isArchived) return answerWith(tx, context, access, [])
    const updated = await updateRoom(tx, before, { archived_at: isArchived ? context.now : null })
    const changed = await appendSettingsEvent(tx, context, updated, ['archived'])
    await auditRoom(tx, context, { action: isArchived ? 'room.archive' : 'room.unarchive', roomId })
    const previousAudience = before.visibility === 'public' ? ('everyone' as const) : []
    return answerWith(tx, context, { ...access, room: changed.room }, [
      changed.event,
      // Ends its call, like all changes that take rights in calls away.
      { kind: 'access', roomId },
      { kind: 'lobby', roomId, previousAudience },
    ])
  })
  for (const event of events) context.publish(event)
  return { room }
}
