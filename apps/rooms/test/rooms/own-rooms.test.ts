import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { ClusterEvent } from '../../src/api/cluster-events.ts'
import {
  type RoomJson,
  type TestUser,
  admin,
  changeSettings,
  createMessage,
  createRoom,
  deleteRoom,
  guest,
  makeMember,
  member,
  refusal,
  succeed,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      limits: { rooms_per_hour: 1000, guest_rooms_per_hour: 100, messages_per_10s: 1000 },
    })
  })
  afterAll(() => rooms.close())

  const db = () => rooms.rooms.database.read
  const countRooms = async () => (await db().selectFrom('rooms').select('id').execute()).length
  const create = ({ browser }: TestUser, body: unknown) => browser.send('/api/rooms', { body })
  const auditOf = async (id: string) =>
    (await listAuditEvents(rooms)).filter(({ target }) => (target as string[] | null)?.[1] === id)

  test('R16.3, R16.3d: a room is created with the defaults, its creator owns it without being a member, and it is audited', async () => {
    const ada = await member(rooms)
    rooms.publishedEvents.length = 0
    const response = await create(ada, { name: '  Tea\u200b  room ' })
    expect(response.status).toBe(201)
    const { room } = (await response.json()) as { room: RoomJson }
    expect(room).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      kind: 'room',
      name: 'Tea room',
      topic: null,
      createdBy: ada.user.id,
      ownerId: ada.user.id,
      maxParticipants: null,
      visibility: 'public',
      allowGuests: true,
      defaultRole: 'speaker',
      historyVisibility: 'all',
      retention: 'forever',
      maxRetention: null,
      voice: 'video',
      voiceScreen: true,
      voiceGuests: 'listen',
      archived: false,
      default: false,
      createdAt: new Date(rooms.clock.ms).toISOString(),
      lastSeq: 0,
      readSeq: 0,
      unread: 0,
      mentions: 0,
      notificationLevel: 'mentions',
      starred: false,
      participantCount: 0,
      people: null,
      role: 'owner',
      canPublish: true,
      call: null,
    })
    expect(
      await db().selectFrom('room_members').selectAll().where('room_id', '=', room.id).execute(),
    ).toEqual([])
    expect(await auditOf(room.id)).toEqual([
      expect.objectContaining({ action: 'room.create', actor: ada.user.id, metadata: {} }),
    ])
    expect(rooms.publishedEvents).toEqual([{ kind: 'lobby', roomId: room.id }])
    expect(await createRoom(ada, { visibility: 'private', defaultRole: 'listener' })).toMatchObject({
      defaultRole: 'listener',
    })
  })

  test('twenty concurrent creations do not exceed the limit of rooms per user', async () => {
    const node = await rooms.node({ limits: { ...rooms.limits, rooms_owned: 5 } })
    const ada = await member(node)
    const answers = await Promise.all(Array.from({ length: 20 }, () => create(ada, { name: 'Many' })))
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(5)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(15)
    const owned = await db().selectFrom('rooms').select('id').where('owner_id', '=', ada.user.id).execute()
    expect(owned).toHaveLength(5)
    await node.close()
  })

  test('a deleted room loses everything in it, and is answered like one that never existed', async () => {
    const ada = await member(rooms)
    const { id } = await createRoom(ada, { name: 'Doomed' })
    await makeMember(rooms, id, await member(rooms))
    await ada.browser.json(`/api/rooms/${id}/join`, { method: 'POST' })
    await createMessage(ada, id, 'Last words')
    rooms.publishedEvents.length = 0
    expect(await succeed(deleteRoom(ada, id))).toEqual({ success: true })
    expect(rooms.publishedEvents[0]).toEqual({
      kind: 'removed',
      roomId: id,
      userIds: null,
      reason: 'deleted',
      untilMs: null,
    })
    expect(await refusal(await ada.browser.send(`/api/rooms/${id}`))).toEqual([404, 'not_found'])
    expect(await refusal(await ada.browser.send(`/api/rooms/${id}`, { method: 'DELETE' }))).toEqual([
      404,
      'not_found',
    ])
    for (const table of [
      'room_members',
      'room_visits',
      'presence_leases',
      'room_messages',
      'room_events',
    ] as const)
      expect(await db().selectFrom(table).selectAll().where('room_id', '=', id).execute()).toEqual([])
    expect((await auditOf(id)).at(-1)).toMatchObject({ action: 'room.delete', metadata: { name: 'Doomed' } })
  })

  if (dialect === 'postgres') return

  test('R28.22: invalid values are refused at creation and in settings alike, and change nothing', async () => {
    const ada = await member(rooms)
    const { id } = await createRoom(ada)
    const before = await countRooms()
    const readRoom = () => db().selectFrom('rooms').selectAll().where('id', '=', id).executeTakeFirst()
    const room = await readRoom()
    const bad: unknown[] = [
      ...[
        1,
        null,
        [],
        {},
        '',
        '   ',
        '\u200b',
        'x'.repeat(65),
        'a\0b',
        '\ud800',
        `a${'\u200b'.repeat(2048)}`,
      ].map((name) => ({ name })),
      ...[0, 1, 10_001, 1.5, '50'].map((maxParticipants) => ({ maxParticipants })),
      ...['secret', null, 1].map((visibility) => ({ visibility })),
      ...[1, 'true', null].map((allowGuests) => ({ allowGuests })),
      ...['owner', 'moderator', null].map((defaultRole) => ({ defaultRole })),
      ...['some', null].map((historyVisibility) => ({ historyVisibility })),
      ...[0, '8', 'never', null].map((retention) => ({ retention })),
      { ownerId: ada.user.id },
      { id: crypto.randomUUID() },
    ]
    for (const part of bad) {
      const whole = { name: 'Lounge', ...(part as Record<string, unknown>) }
      expect([part, await refusal(await create(ada, whole))]).toEqual([part, [400, 'invalid_request']])
      expect([part, await refusal(await changeSettings(ada, id, part))]).toEqual([
        part,
        [400, 'invalid_request'],
      ])
    }
    for (const body of [{}, [], null, 'x', 1]) {
      expect(await refusal(await create(ada, body))).toEqual([400, 'invalid_request'])
      expect(await refusal(await changeSettings(ada, id, body))).toEqual([400, 'invalid_request'])
    }
    expect(await countRooms()).toBe(before)
    expect(await readRoom()).toEqual(room)
    expect(await createRoom(ada, { name: '😀'.repeat(64) })).toMatchObject({ name: '😀'.repeat(64) })
  })

  test('R15.3: a room’s name is trimmed before it is measured', async () => {
    const ada = await member(rooms)
    const padded = `${' '.repeat(2100)}Zed${'\n'.repeat(2100)}`
    const { id, name } = await createRoom(ada, { name: padded })
    expect(name).toBe('Zed')
    const changed = await changeSettings(ada, id, { name: padded.replace('Zed', 'Zoe') })
    expect(await changed.json()).toMatchObject({ room: { name: 'Zoe' } })
  })

  test('C122 (R14.2): guests cannot create a private room or one without guests, nor change a room to that', async () => {
    const gustav = await guest(rooms)
    const before = await countRooms()
    for (const settings of [{ visibility: 'private' }, { allowGuests: false }]) {
      expect(await refusal(await create(gustav, { name: 'Mine', ...settings }))).toEqual([
        403,
        'guest_not_permitted',
      ])
    }
    expect(await countRooms()).toBe(before)
    const { id } = await createRoom(gustav, { visibility: 'unlisted' })
    for (const settings of [{ visibility: 'private' }, { allowGuests: false }])
      expect(await refusal(await changeSettings(gustav, id, { name: 'Other', ...settings }))).toEqual([
        403,
        'guest_not_permitted',
      ])
    const { room } = await gustav.browser.json<{ room: RoomJson }>(`/api/rooms/${id}`)
    expect(room).toMatchObject({ visibility: 'unlisted', allowGuests: true, name: 'Lounge' })
    expect((await changeSettings(gustav, id, { name: 'Other', visibility: 'public' })).status).toBe(200)
  })

  test('C125 (R14.5): with GUEST_ROOMS=false guests create no rooms, and members do', async () => {
    const node = await rooms.node({ guestRooms: false })
    const gustav = await guest(node)
    expect(await refusal(await create(gustav, { name: 'Mine' }))).toEqual([403, 'guest_rooms_disabled'])
    expect(await createRoom(await member(node))).toMatchObject({ role: 'owner' })
    await node.close()
  })

  test('R22: rooms per user, and per user and hour, are limited; for guests by address', async () => {
    const node = await rooms.node({
      limits: { ...rooms.limits, rooms_owned: 3, rooms_per_hour: 4, guest_rooms: 2, guest_rooms_per_hour: 3 },
    })
    const ada = await member(node)
    const bob = await member(node)
    for (let count = 0; count < 3; count++) await createRoom(ada)
    expect(await refusal(await create(ada, { name: 'One more' }))).toEqual([409, 'limit_reached'])
    const late = await create(ada, { name: 'One more' })
    expect(late.headers.get('retry-after')).toBe('900')
    expect(await refusal(late)).toEqual([429, 'rate_limited'])
    await createRoom(bob)
    const ip = '203.0.113.50'
    const gustav = await guest(node, 'Gustav', ip)
    await createRoom(gustav)
    const { id } = await createRoom(gustav)
    expect(await refusal(await create(gustav, { name: 'Third' }))).toEqual([409, 'limit_reached'])
    await succeed(deleteRoom(gustav, id))
    const neighbour = await guest(node, 'Greta', ip)
    expect(await refusal(await create(neighbour, { name: 'Fourth' }))).toEqual([429, 'rate_limited'])
    await createRoom(await guest(node, 'Gina', '203.0.113.51'))
    await node.close()
  })

  test('R17.4: only the owner and administrators change or delete a room; others get the reason', async () => {
    const ada = await member(rooms)
    const { id } = await createRoom(ada)
    const visitor = await member(rooms)
    const others = [visitor, await guest(rooms)]
    for (const role of ['listener', 'speaker', 'moderator'] as const) {
      const insider = await member(rooms)
      await makeMember(rooms, id, insider, role)
      others.push(insider)
    }
    for (const who of others) {
      expect(await refusal(await changeSettings(who, id, { name: 'Taken' }))).toEqual([403, 'forbidden'])
      expect(await refusal(await who.browser.send(`/api/rooms/${id}`, { method: 'DELETE' }))).toEqual([
        403,
        'forbidden',
      ])
    }
    const root = await admin(rooms)
    expect((await changeSettings(root, id, { name: 'Renamed' })).status).toBe(200)
    expect((await changeSettings(ada, id, { name: 'Again' })).status).toBe(200)
    expect((await root.browser.send(`/api/rooms/${id}`, { method: 'DELETE' })).status).toBe(200)
  })

  test('changed settings take the next number, are published with their public part, and are audited with the previous values', async () => {
    const ada = await member(rooms)
    const { id } = await createRoom(ada)
    rooms.publishedEvents.length = 0
    const { room } = (await (
      await changeSettings(ada, id, {
        name: 'Lounge',
        maxParticipants: 7,
        defaultRole: 'speaker',
        retention: 90,
      })
    ).json()) as { room: RoomJson }
    expect(room).toMatchObject({
      name: 'Lounge',
      maxParticipants: 7,
      defaultRole: 'speaker',
      retention: 90,
      lastSeq: 1,
      role: 'owner',
    })
    const [event, ...others] = rooms.publishedEvents
    expect(event).toMatchObject({ kind: 'event', roomId: id, event: { seq: 1, event: 'room.settings' } })
    const { data } = (event as Extract<ClusterEvent, { kind: 'event' }>).event
    expect(data).toMatchObject({ person: { userId: ada.user.id } })
    const text = JSON.stringify(data['room'])
    expect(text).toContain('"maxParticipants":7')
    expect(text).not.toContain('"role"')
    expect(others).toEqual([
      { kind: 'access', roomId: id },
      { kind: 'lobby', roomId: id, previousAudience: 'everyone' },
    ])
    expect(await auditOf(id)).toEqual([
      expect.objectContaining({ action: 'room.create' }),
      expect.objectContaining({
        action: 'room.settings.update',
        metadata: {
          max_participants: { from: null, to: 7 },
          default_role: { from: 'listener', to: 'speaker' },
          retention_days: { from: null, to: 90 },
        },
      }),
    ])
  })

  test('unchanged settings publish nothing', async () => {
    const ada = await member(rooms)
    const { id } = await createRoom(ada, { maxParticipants: 50 })
    rooms.publishedEvents.length = 0
    const { room } = (await (
      await changeSettings(ada, id, { name: 'Lounge', maxParticipants: 50 })
    ).json()) as {
      room: RoomJson
    }
    expect(room).toMatchObject({ lastSeq: 0 })
    expect(rooms.publishedEvents).toEqual([])
    expect(await auditOf(id)).toHaveLength(1)
  })
})
