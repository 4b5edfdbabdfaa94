import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { addEveryone } from '../../src/members/default-rooms.ts'
import {
  type TestUser,
  admin,
  ban,
  changeSettings,
  createRoom,
  guest,
  makeMember,
  member,
  readEvents,
  refusal,
  signedInUser,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const mark = ({ browser }: TestUser, roomId: string, body: unknown = {}) =>
  browser.send(`/api/admin/rooms/${roomId}/default`, { method: 'PUT', body })

async function memberIds({ rooms }: TestRooms, roomId: string): Promise<string[]> {
  const rows = await rooms.database.read
    .selectFrom('room_members')
    .select('user_id')
    .where('room_id', '=', roomId)
    .execute()
  return rows.map(({ user_id }) => user_id)
}

eachDialect((dialect, newUrl) => {
  test('R36.3g: all accounts are added in batches of one event, but no guest, no one who left by choice or is banned, and a kill between two loses and repeats nothing', async () => {
    const url = await newUrl()
    const rooms = await openRooms({ url })
    const other = await openRooms({ url, shared: rooms })
    const [root, rita] = [await admin(rooms), await admin(other, 'Rita')]
    const { id } = await createRoom(root, { defaultRole: 'listener' })
    const people: TestUser[] = []
    for (let n = 0; n < 119; n++) people.push(await member(rooms, `Person ${n}`))
    people.push(rita)
    const [left, banned, present] = people as [TestUser, TestUser, TestUser]
    const gustav = await guest(rooms)
    await makeMember(rooms, id, present, 'moderator')
    await ban(rooms, id, banned)
    const { database } = rooms.rooms
    await database.write((tx) =>
      tx
        .insertInto('room_user_states')
        .values({
          room_id: id,
          user_id: left.user.id,
          last_read_seq: 0,
          level: 'mentions',
          pushed_at: null,
          starred: 0,
          left_at: rooms.clock.ms,
          hidden_seq: null,
        })
        .execute(),
    )
    const both = await Promise.all([mark(root, id, { everyone: true }), mark(rita, id, { everyone: true })])
    expect(both.map(({ status }) => status)).toEqual([200, 200])
    // One batch, then one that the process does not survive.
    await database.write((tx) => addEveryone(tx, rooms.clock.ms))
    await database
      .write(async (tx) => {
        await addEveryone(tx, rooms.clock.ms)
        throw new Error('killed')
      })
      .catch(() => {})
    expect((await memberIds(rooms, id)).length).toBe(51)
    rooms.clock.ms += 60_000
    await Promise.all([rooms, other].map((node) => node.rooms.jobs.runDue()))
    const added = people.filter((person) => person !== left && person !== banned)
    expect((await memberIds(rooms, id)).toSorted()).toEqual(added.map(({ user }) => user.id).toSorted())
    expect(await memberIds(rooms, id)).not.toContain(gustav.user.id)
    const counts = (await readEvents(root, id))
      .filter(({ event }) => event === 'members.added')
      .map(({ data }) => data['count'])
    expect(counts).toEqual([50, 50, 17])
    const roles = await database.read.selectFrom('room_members').select(['user_id', 'role']).execute()
    expect(roles.filter(({ role }) => role !== 'listener')).toEqual([
      { user_id: present.user.id, role: 'moderator' },
    ])
    await other.close()
    await rooms.close()
  })

  test('R36.3e R36.3f: a new member account is a member of the default rooms from its first sign-in on, once, and a room made private is none any more', async () => {
    const rooms = await openRooms({ url: await newUrl(), limits: { default_rooms: 3 } })
    const root = await admin(rooms)
    const { id } = await createRoom(root)
    const { id: archived } = await createRoom(root)
    const { id: closed } = await createRoom(root)
    for (const roomId of [id, archived, closed]) expect((await mark(root, roomId)).status).toBe(200)
    const { id: fourth } = await createRoom(root)
    expect(await refusal(await mark(root, fourth))).toEqual([409, 'limit_reached'])
    await root.browser.json(`/api/rooms/${archived}/archive`, { method: 'PUT' })
    expect((await changeSettings(root, closed, { visibility: 'unlisted' })).status).toBe(200)
    const [settings] = (await readEvents(root, closed)).slice(-1)
    expect(settings?.data).toMatchObject({ changes: ['visibility', 'default'] })
    const alice = await signedInUser(rooms, { sub: 'new', name: 'Alice', email: 'new@example.com' })
    expect(await memberIds(rooms, id)).toEqual([alice.id])
    for (const roomId of [archived, closed, fourth]) expect(await memberIds(rooms, roomId)).toEqual([])
    expect((await readEvents(root, id)).slice(-1)).toMatchObject([
      { event: 'member.joined', data: { person: { userId: alice.id, nickname: 'Alice', role: 'listener' } } },
    ])
    await alice.browser.json(`/api/rooms/${id}/membership`, { method: 'DELETE' })
    await signedInUser(rooms, { sub: 'new', name: 'Alice', email: 'new@example.com' })
    expect(await memberIds(rooms, id)).toEqual([])
    await rooms.close()
  })

  if (dialect === 'postgres') return

  test('R36.3e: administrators mark public rooms as default rooms, and no other', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const [root, owner] = [await admin(rooms), await member(rooms, 'Olga')]
    const { id } = await createRoom(owner)
    expect((await mark(owner, id)).status).toBe(403)
    expect((await mark(root, crypto.randomUUID())).status).toBe(404)
    for (const visibility of ['private', 'unlisted'])
      expect(await refusal(await mark(root, (await createRoom(owner, { visibility })).id))).toEqual([
        409,
        'room_not_public',
      ])
    const { id: archived } = await createRoom(owner)
    await owner.browser.json(`/api/rooms/${archived}/archive`, { method: 'PUT' })
    expect(await refusal(await mark(root, archived))).toEqual([409, 'archived'])
    for (let repeat = 0; repeat < 2; repeat++) expect((await mark(root, id)).status).toBe(200)
    const listed = async () =>
      (await root.browser.json<{ rooms: { id: string; default: boolean }[] }>('/api/admin/rooms')).rooms
        .filter((room) => room.default)
        .map((room) => room.id)
    expect(await listed()).toEqual([id])
    const changes = (await readEvents(owner, id)).map(({ data }) => data['changes'])
    expect(changes).toEqual([['default']])
    const unmarked = await root.browser.send(`/api/admin/rooms/${id}/default`, { method: 'DELETE' })
    expect(unmarked.status).toBe(200)
    expect(await listed()).toEqual([])
    await rooms.close()
  })
})
