import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { purgeGuests } from '../../src/guests/operations.ts'
import {
  type TestUser,
  admin,
  ban,
  confirmTransfer,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  offerRoom,
  ownerOf,
  refusal,
  rolesIn,
  takeOver,
} from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { expectRefused, linesOf } from './state.ts'

const MINUTE = 60_000
const DAY = 86_400_000
const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      rooms_owned: 1000,
      admin_writes_per_minute: 1000,
      search_per_minute: 1000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())
  beforeEach(() => void (rooms.publishedEvents.length = 0))

  const db = () => rooms.rooms.database.read
  const transfersOf = (roomId: string) =>
    db().selectFrom('room_ownership_transfers').selectAll().where('room_id', '=', roomId).execute()

  test('R16.5: administrators list all rooms, newest first, by id or part of the name, with numbers of members and participants', async () => {
    const root = await admin(rooms)
    const names = ['Zebra 100%', 'zebra_crossing', 'ZEBRA Hall']
    const ids: string[] = []
    for (const name of names) {
      rooms.clock.ms += 1
      const { id } = await createRoom(owner, { name, visibility: 'private' })
      ids.unshift(id)
    }
    const bob = await member(rooms)
    await makeMember(rooms, ids[0] ?? '', bob, 'speaker')
    await join(bob, ids[0] ?? '')
    const list = (query: string) =>
      root.browser.json<{ rooms: Record<string, unknown>[]; nextCursor: string | null }>(
        `/api/admin/rooms${query}`,
      )
    const idsOf = (page: { rooms: Record<string, unknown>[] }) => page.rooms.map(({ id }) => id)
    const all = await list('?q=zebra')
    expect(idsOf(all)).toEqual(ids)
    expect(all.rooms[0]).toEqual({
      id: ids[0],
      name: 'ZEBRA Hall',
      createdBy: owner.user.id,
      visibility: 'private',
      allowGuests: true,
      maxParticipants: null,
      archived: false,
      default: false,
      createdAt: new Date(rooms.clock.ms).toISOString(),
      ownerId: owner.user.id,
      memberCount: 2,
      participantCount: 1,
    })
    expect(idsOf(await list(`?q=${encodeURIComponent('0%')}`))).toEqual([ids[2]])
    expect(idsOf(await list('?q=a_c'))).toEqual([ids[1]])
    expect(idsOf(await list(`?q=${ids[1]}`))).toEqual([ids[1]])
    const first = await list('?q=zebra&limit=2')
    const second = await list(`?q=zebra&limit=2&cursor=${first.nextCursor}`)
    expect([...idsOf(first), ...idsOf(second)]).toEqual(ids)
    expect(second.nextCursor).toBeNull()
    expect(await refusal(await owner.browser.send('/api/admin/rooms'))).toEqual([403, 'forbidden'])
  })

  test('R17.10 R28.26: a room of a purged guest goes to its oldest moderator with a member account, or is deleted', async () => {
    const gone = await guest(rooms, 'Gone')
    const [inheritedRoom, deletedRoom] = [await createRoom(gone, { name: 'Kept' }), await createRoom(gone)]
    const [disabled, oldest, younger] = [await member(rooms), await member(rooms), await member(rooms)]
    const speaker = await member(rooms)
    await makeMember(rooms, inheritedRoom.id, speaker, 'speaker')
    for (const who of [disabled, oldest, younger]) {
      rooms.clock.ms += MINUTE
      await makeMember(rooms, inheritedRoom.id, who, 'moderator')
    }
    await makeMember(rooms, deletedRoom.id, speaker, 'speaker')
    const stays = await guest(rooms, 'Stays')
    const untouched = await createRoom(stays)
    await rooms.rooms.database.write(async (tx) => {
      await tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute()
      await tx
        .updateTable('users')
        .set({ guest_ended_at: rooms.clock.ms - 7 * DAY })
        .where('id', 'in', [gone.user.id, stays.user.id])
        .execute()
      await tx.deleteFrom('sessions').where('user_id', '=', gone.user.id).execute()
    })
    const { events } = await rooms.rooms.database.write((tx) => purgeGuests(tx, rooms.clock.ms))
    expect(await ownerOf(rooms, inheritedRoom.id)).toBe(oldest.user.id)
    expect(await rolesIn(rooms, inheritedRoom.id)).toEqual({
      [speaker.user.id]: 'speaker',
      [disabled.user.id]: 'moderator',
      [younger.user.id]: 'moderator',
    })
    expect(await ownerOf(rooms, deletedRoom.id)).toBeUndefined()
    expect(await ownerOf(rooms, untouched.id)).toBe(stays.user.id)
    const left = await db()
      .selectFrom('users')
      .select('id')
      .where('id', 'in', [gone.user.id, stays.user.id])
      .execute()
    expect(left).toEqual([{ id: stays.user.id }])
    expect(events.filter(({ kind }) => kind === 'event' || kind === 'removed')).toHaveLength(2)
    expect(events).toContainEqual({
      kind: 'removed',
      roomId: deletedRoom.id,
      userIds: null,
      reason: 'deleted',
      untilMs: null,
    })
    const lines = (await listAuditEvents(rooms)).filter(
      ({ metadata }) => (metadata as { reason?: string }).reason === 'owner_purged',
    )
    expect(
      new Set(lines.map(({ action, actor, target }) => [action, actor, (target as string[])[1]].join(' '))),
    ).toEqual(new Set([`room.delete  ${deletedRoom.id}`, `room.ownership.transfer  ${inheritedRoom.id}`]))
  })

  if (dialect === 'postgres') return

  test('R16.5: an administrator takes over a room with a reason; users are notified, and the pending offer ends', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const [root, bob] = [await admin(rooms), await member(rooms)]
    await makeMember(rooms, id, bob, 'moderator')
    await offerRoom(owner, id, bob)
    await ban(rooms, id, root)
    rooms.publishedEvents.length = 0
    expect(await (await takeOver(root, id, '  Nobody answers ')).json()).toEqual({
      success: true,
      ownerId: root.user.id,
      previousOwnerId: owner.user.id,
    })
    expect(await ownerOf(rooms, id)).toBe(root.user.id)
    expect(await rolesIn(rooms, id)).toEqual({ [owner.user.id]: 'moderator', [bob.user.id]: 'moderator' })
    expect(await transfersOf(id)).toEqual([])
    // Owners cannot be banned, even after they lose the administrator's right.
    expect(await db().selectFrom('room_bans').selectAll().where('room_id', '=', id).execute()).toEqual([])
    expect(rooms.publishedEvents.map(({ kind }) => kind)).toEqual([
      'event',
      'access',
      'lobby',
      'notice',
      'notice',
    ])
    await expectRefused(rooms, () => confirmTransfer(bob, id), [404, 'not_found'])
    expect((await linesOf(rooms, id)).at(-1)).toMatchObject({
      action: 'admin.room.takeover',
      actor: root.user.id,
      metadata: { reason: 'Nobody answers', previousOwnerId: owner.user.id },
    })
    rooms.publishedEvents.length = 0
    expect(await (await takeOver(root, id)).json()).toMatchObject({ previousOwnerId: root.user.id })
    expect(rooms.publishedEvents).toEqual([])
    expect(await rolesIn(rooms, id)).not.toHaveProperty(root.user.id)
    for (const reason of [undefined, '', 'ab', '  ab  ', 'x'.repeat(1001), 3])
      await expectRefused(
        rooms,
        () => root.browser.send(`/api/admin/rooms/${id}/takeover`, { body: { reason } }),
        [400, 'invalid_request'],
      )
    await expectRefused(rooms, () => takeOver(root, NOWHERE), [404, 'not_found'])
    await expectRefused(rooms, () => takeOver(bob, id), [403, 'forbidden'])
  })

  test('R28.24: a takeover removes no participant, and the former owner continues as a moderator', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    const root = await admin(rooms)
    await join(owner, id)
    await takeOver(root, id)
    expect(await (await join(owner, id)).json()).toMatchObject({ role: 'moderator' })
    expect(rooms.publishedEvents.some(({ kind }) => kind === 'removed')).toBe(false)
  })

  test('R28.26: an account that owns rooms cannot be erased before they have another owner', async () => {
    const root = await admin(rooms)
    const bob = await member(rooms)
    const { id } = await createRoom(bob)
    const eraseBob = () => root.browser.send(`/api/admin/users/${bob.user.id}`, { method: 'DELETE' })
    await expectRefused(rooms, eraseBob, [409, 'owns_rooms'])
    await takeOver(root, id)
    expect((await eraseBob()).status).toBe(200)
    expect(await rolesIn(rooms, id)).toEqual({})
    expect(await ownerOf(rooms, id)).toBe(root.user.id)
  })
})
