import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { ClusterEvent } from '../../src/api/cluster-events.ts'
import { revokeAccess, revokeLostAccessOfUser } from '../../src/rooms/eviction.ts'
import {
  type TestUser,
  admin,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1000 } })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const peopleIn = async (roomId: string) => {
    const db = rooms.rooms.database.read
    const rows = [
      ...(await db.selectFrom('presence_leases').select('user_id').where('room_id', '=', roomId).execute()),
      ...(await db.selectFrom('room_visits').select('user_id').where('room_id', '=', roomId).execute()),
    ]
    return new Set(rows.map(({ user_id }) => user_id))
  }
  const removals = (events: readonly ClusterEvent[] = rooms.publishedEvents) =>
    events.filter((event) => event.kind === 'removed')
  const ids = (...people: TestUser[]) => new Set(people.map(({ user }) => user.id))

  test('R28.24: a room that becomes private removes at once all users who are not members, and guests who are', async () => {
    const { id } = await createRoom(owner)
    const [insider, visitor, root] = [await member(rooms), await member(rooms), await admin(rooms)]
    const [gustav, greta] = [await guest(rooms), await guest(rooms)]
    await makeMember(rooms, id, insider)
    await makeMember(rooms, id, greta)
    for (const who of [owner, insider, visitor, root, gustav, greta]) await join(who, id)
    rooms.publishedEvents.length = 0
    await succeed(changeSettings(owner, id, { visibility: 'private' }))
    expect(await peopleIn(id)).toEqual(ids(owner, insider, root))
    const [removed, ...none] = removals()
    expect(none).toEqual([])
    expect(removed).toMatchObject({ roomId: id, reason: 'access_lost', untilMs: null })
    expect(new Set(removed?.userIds)).toEqual(ids(visitor, gustav, greta))
    expect(rooms.publishedEvents.map(({ kind }) => kind)).toEqual([
      'event',
      'access',
      'lobby',
      'removed',
      'presence',
      'lobby',
    ])
    for (const who of [visitor, gustav, greta])
      expect(await refusal(await join(who, id))).toEqual([404, 'not_found'])
  })

  test('a kick ends visit and leases of that user in that room only, and includes its end', async () => {
    const [here, there] = [await createRoom(owner), await createRoom(owner)]
    const [bob, cem] = [await member(rooms), await member(rooms)]
    for (const { id } of [here, there]) for (const who of [bob, cem]) await join(who, id)
    const lost = { roomId: here.id, userIds: [bob.user.id], reason: 'kicked' as const, untilMs: 5 }
    const events = await rooms.rooms.database.write((tx) => revokeAccess(tx, lost))
    expect(events).toEqual([
      { kind: 'removed', ...lost },
      { kind: 'presence', roomId: here.id },
      { kind: 'lobby', roomId: here.id },
    ])
    expect(await peopleIn(here.id)).toEqual(ids(cem))
    expect(await peopleIn(there.id)).toEqual(ids(bob, cem))
  })

  test('a room that becomes private while users are entering keeps none of them', async () => {
    const { id } = await createRoom(owner)
    const node = await rooms.node()
    const crowd = await Promise.all(Array.from({ length: 10 }, (_, at) => member(at % 2 ? rooms : node)))
    await Promise.all([
      ...crowd.slice(0, 5).map((who) => join(who, id)),
      succeed(changeSettings(owner, id, { visibility: 'private' })),
      ...crowd.slice(5).map((who) => join(who, id)),
    ])
    expect(await peopleIn(id)).toEqual(new Set())
    await node.close()
  })

  if (dialect === 'postgres') return

  test('R28.24: a room that disallows guests removes its guests, and no one else', async () => {
    const { id } = await createRoom(owner)
    const [visitor, gustav] = [await member(rooms), await guest(rooms)]
    for (const who of [visitor, gustav]) await join(who, id)
    rooms.publishedEvents.length = 0
    await succeed(changeSettings(owner, id, { allowGuests: false }))
    expect(await peopleIn(id)).toEqual(ids(visitor))
    expect(removals()).toEqual([
      { kind: 'removed', roomId: id, userIds: [gustav.user.id], reason: 'access_lost', untilMs: null },
    ])
    rooms.publishedEvents.length = 0
    await succeed(changeSettings(owner, id, { name: 'Without guests' }))
    expect(removals()).toEqual([])
  })

  test('a removed user does not continue the earlier visit, however soon they return', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const bob = await member(rooms)
    await join(bob, id)
    const lost = { roomId: id, userIds: [bob.user.id], reason: 'kicked' as const }
    await rooms.rooms.database.write((tx) => revokeAccess(tx, lost))
    await createMessage(owner, id, 'About Bob')
    await join(bob, id)
    expect(await bob.browser.json(`/api/rooms/${id}/messages`)).toEqual({
      messages: [],
      events: [],
      newerCursor: null,
      nextCursor: null,
    })
  })

  test('R17.7: a revoked administrator loses the private rooms that the right opened, and no others', async () => {
    const [hidden, open, own] = [
      await createRoom(owner, { visibility: 'private' }),
      await createRoom(owner),
      await createRoom(owner, { visibility: 'private' }),
    ]
    const root = await admin(rooms)
    await makeMember(rooms, own.id, root)
    for (const { id } of [hidden, open, own]) await join(root, id)
    const revokeLostAccess = () =>
      rooms.rooms.database.write((tx) => revokeLostAccessOfUser(tx, root.user.id, rooms.clock.ms))
    expect(await revokeLostAccess()).toEqual([])
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('role_grants').where('user_id', '=', root.user.id).execute(),
    )
    const events = await revokeLostAccess()
    expect(removals(events)).toEqual([
      { kind: 'removed', roomId: hidden.id, userIds: [root.user.id], reason: 'access_lost', untilMs: null },
    ])
    expect(await peopleIn(hidden.id)).toEqual(new Set())
    expect([await peopleIn(open.id), await peopleIn(own.id)]).toEqual([ids(root), ids(root)])
  })

  test('R17.7: a disabled account loses every room', async () => {
    const [one, two] = [await createRoom(owner), await createRoom(owner)]
    const bob = await member(rooms)
    for (const { id } of [one, two]) await join(bob, id)
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('users').set({ disabled: 1 }).where('id', '=', bob.user.id).execute(),
    )
    const events = await rooms.rooms.database.write((tx) =>
      revokeLostAccessOfUser(tx, bob.user.id, rooms.clock.ms),
    )
    expect(new Set(removals(events).map(({ roomId }) => roomId))).toEqual(new Set([one.id, two.id]))
    for (const { id } of [one, two]) expect(await peopleIn(id)).toEqual(new Set())
  })
})
