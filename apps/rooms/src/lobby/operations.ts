import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { findPage } from '../api/paging.ts'
import { findUnreadOf } from '../unread/unread.ts'
import { SUCCESS, Success, toMoment } from '../api/wire.ts'
import { auditRoom } from '../rooms/audit.ts'
import { CHANGE_REFUSALS, ENTRY_REFUSALS, admitReader, authorizeInRoom } from '../rooms/admission.ts'
import { archiveRoom, refuseForGuests, unarchiveRoom, updateRoomSettings } from './changes.ts'
import { endRoom } from './deletion.ts'
import { selectRooms } from '../rooms/list-store.ts'
import { retentionDaysOf } from '../rooms/retention.ts'
import { NewRoom, Participant, Room, RoomAnswer, RoomPage, RoomQuery, toRoom } from './schema.ts'
import { RoomParams, toPerson } from '../rooms/schema.ts'
import { findDirectPeople } from '../rooms/direct-people.ts'
import { countOwnedRooms, countParticipants, insertRoom, listParticipants } from '../rooms/store.ts'
import { findCalls, findParticipantVoices } from '../voice/store.ts'
import { findPreviews } from './previews.ts'
import { viewRooms } from './view-rooms.ts'
import { joinRoom, leaveRoom } from '../rooms/visit-operations.ts'

const tag = 'Rooms'
/** A room with more participants lists only this many (R16.3). */
const MAX_PARTICIPANTS = 200

export const listRooms = operation({
  id: 'listRooms',
  methods: ['GET'],
  path: '/rooms',
  scope: 'session',
  tag,
  summary:
    'List public rooms and rooms that you are a member of, or those that you follow, by their last messages',
  query: RoomQuery,
  result: RoomPage,
  async handler(context, { query }) {
    const { database, now } = context
    const { user, platformAdmin } = context.actor
    const { q: part = '', followed: isFollowed, archived } = query
    const isArchived = archived ?? (part === '' ? false : undefined)
    const filter = {
      userId: user.id,
      isGuest: user.is_guest === 1,
      isAdmin: platformAdmin,
      clientPrefix: context.clientPrefix,
      part,
      isFollowed,
      isArchived,
      nowMs: now,
    }
    const { rows, nextCursor } = await findPage(
      [isFollowed ? 'followed rooms' : 'rooms', user.id, part, String(isArchived)],
      query,
      (after, limit) => selectRooms(database, filter, after, limit),
    )
    const views = await viewRooms(database, rows, { userId: user.id, nowMs: now })
    const accesses = views.map(({ access }) => access)
    const previews = query.preview ? await findPreviews(database, accesses, now) : undefined
    return {
      rooms: views.map(({ room }) => ({ ...room, preview: previews?.get(room.id) ?? null })),
      nextCursor,
    }
  },
})

/** Refuses rooms that guests may not create, and counts the attempt. */
function admitCreation(context: Context, body: NewRoom): void {
  const { policy, rates, clientPrefix } = context
  const { user } = context.actor
  if (user.is_guest !== 1) return rates.take('rooms_per_hour', user.id)
  if (!policy.guestRooms) throw failure('guest_rooms_disabled')
  refuseForGuests(body)
  rates.take('guest_rooms_per_hour', clientPrefix)
}

const createRoom = operation({
  id: 'createRoom',
  methods: ['POST'],
  path: '/rooms',
  scope: 'session',
  tag,
  summary: 'Create a room',
  body: NewRoom,
  result: RoomAnswer,
  status: 201,
  failures: ['guest_rooms_disabled', 'guest_not_permitted', 'limit_reached'],
  async handler(context, { body }) {
    const { user } = context.actor
    const { database, policy, now } = context
    admitCreation(context, body)
    const retention_days =
      body.retention === undefined ? policy.retention.days : retentionDaysOf(policy, body.retention)
    const maxOwned = user.is_guest === 1 ? policy.limits.guest_rooms : policy.limits.rooms_owned
    const row = await database.write(async (tx) => {
      if ((await countOwnedRooms(tx, user.id)) >= maxOwned) throw failure('limit_reached')
      const room = await insertRoom(tx, {
        id: crypto.randomUUID(),
        name: body.name,
        topic: body.topic,
        created_by: user.id,
        owner_id: user.id,
        owner_since: now,
        max_participants: body.maxParticipants,
        visibility: body.visibility,
        allow_guests: body.allowGuests ? 1 : 0,
        default_role: body.defaultRole,
        history_visibility: body.historyVisibility,
        retention_days,
        voice: body.voice,
        voice_screen: body.voiceScreen ? 1 : 0,
        voice_guests: body.voiceGuests,
        last_seq: 0,
        created_at: now,
        active_at: now,
      })
      await auditRoom(tx, context, { action: 'room.create', roomId: room.id })
      return room
    })
    context.publish({ kind: 'lobby', roomId: row.id })
    const unread = { readSeq: 0, unread: 0, mentions: 0 }
    return {
      room: toRoom(
        row,
        { userId: user.id, role: 'owner', defaultRole: row.default_role },
        { count: 0, call: null, people: new Map() },
        unread,
      ),
    }
  },
})

const getRoom = operation({
  id: 'getRoom',
  methods: ['GET'],
  path: '/rooms/{id}',
  scope: 'session',
  tag,
  summary: 'Read a room with its participants',
  params: RoomParams,
  result: z.object({ room: Room, participants: z.array(Participant).max(MAX_PARTICIPANTS) }),
  failures: ENTRY_REFUSALS,
  async handler(context, { params }) {
    const access = await admitReader(context, params.id)
    const { database, policy, now } = context
    const { room, defaultRole } = access
    const people = await listParticipants(database.read, room.id, now, MAX_PARTICIPANTS)
    const count =
      people.length < MAX_PARTICIPANTS ? people.length : await countParticipants(database.read, room.id, now)
    const voices = await findParticipantVoices(database.read, { roomId: room.id, nowMs: now }, policy.voice)
    const participants = people.map((person) => ({
      ...toPerson(person, defaultRole),
      voice: voices.get(person.user_id) ?? null,
      joinedAt: toMoment(person.started_at),
    }))
    const unread = await findUnreadOf(database, access, now)
    const call = (await findCalls(database, [room.id], now)).get(room.id) ?? null
    const everyone = await findDirectPeople(database, [room])
    return { room: toRoom(room, access, { count, call, people: everyone }, unread), participants }
  },
})

const deleteRoom = operation({
  id: 'deleteRoom',
  methods: ['DELETE'],
  path: '/rooms/{id}',
  scope: 'session',
  tag,
  summary: 'Delete a room with everything in it',
  params: RoomParams,
  result: Success,
  failures: CHANGE_REFUSALS,
  async handler(context, { params }) {
    const events = await context.database.write(async (tx) => {
      const { room } = await authorizeInRoom(tx, context, params.id, 'change_room')
      await auditRoom(tx, context, { action: 'room.delete', roomId: room.id, metadata: { name: room.name } })
      return endRoom(tx, room, context.now)
    })
    for (const event of events) context.publish(event)
    return SUCCESS
  },
})

export const roomOperations = [
  listRooms,
  createRoom,
  getRoom,
  updateRoomSettings,
  archiveRoom,
  unarchiveRoom,
  deleteRoom,
  joinRoom,
  leaveRoom,
]
