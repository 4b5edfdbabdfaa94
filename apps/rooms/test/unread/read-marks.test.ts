import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import fc from 'fast-check'
import { countUnread } from '../../src/unread/store.ts'
import {
  type TestUser,
  admin,
  changeSettings,
  confirmTransfer,
  createMessage,
  createRoom,
  deleteMessage,
  deleteRoom,
  editMessage,
  endMembership,
  guest,
  join,
  leave,
  listedRoom,
  makeMember,
  markRead,
  member,
  offerRoom,
  refusal,
  removeMember,
  sendRead,
  setRole,
  signedInUser,
  succeed,
} from '../actions.ts'
import { closeNodes, twoNodes } from '../realtime/nodes.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const WITHOUT_RATES = {
  messages_per_10s: 100_000,
  guest_messages_per_10s: 100_000,
  room_writes_per_minute: 100_000,
  http_per_minute: 100_000,
  rooms_per_hour: 1_000,
}
const MINUTE_MS = 60_000

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let olga: TestUser
  let mia: TestUser
  let root: TestUser
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      limits: WITHOUT_RATES,
      settings: { adminBootstrap: 'off' },
    })
    root = await admin(rooms)
    olga = await member(rooms, 'Olga')
    mia = await member(rooms, 'Mia')
  })
  afterAll(() => rooms.close())

  /** A room of Olga with Mia as a member. */
  const newRoom = async (settings: Record<string, unknown> = {}) => {
    const { id } = await createRoom(olga, settings)
    await makeMember(rooms, id, mia)
    return id
  }
  const unreadOf = async (who: TestUser, roomId: string) => (await listedRoom(who, roomId))?.unread

  test('R30.1e: unread are the messages of others after the mark, without own and deleted ones', async () => {
    const id = await newRoom()
    const first = await createMessage(olga, id)
    await createMessage(mia, id)
    const second = await createMessage(olga, id)
    const third = await createMessage(olga, id)
    expect(await listedRoom(mia, id)).toMatchObject({ readSeq: 0, unread: 3, mentions: 0 })
    expect(await listedRoom(olga, id)).toMatchObject({ readSeq: 0, unread: 1, mentions: 0 })
    await succeed(deleteMessage(olga, id, third.id))
    expect(await unreadOf(mia, id)).toBe(2)
    expect(await markRead(mia, id, first.seq)).toEqual({ readSeq: first.seq, unread: 1, mentions: 0 })
    expect(await unreadOf(mia, id)).toBe(1)
    const { room } = await mia.browser.json<{ room: unknown }>(`/api/rooms/${id}`)
    expect(room).toMatchObject({ readSeq: first.seq, unread: 1, mentions: 0 })
    await markRead(mia, id, second.seq)
    expect(await unreadOf(mia, id)).toBe(0)
  })

  test('R30.1: unread mentions are those by others after the mark, by name or as part of a group', async () => {
    const id = await newRoom()
    const mentionsOf = async (who: TestUser) => (await listedRoom(who, id))?.mentions
    const toMia = `<@${mia.user.id}>`
    await createMessage(mia, id, toMia)
    await createMessage(olga, id, 'to nobody')
    expect(await mentionsOf(mia)).toBe(0)
    const first = await createMessage(olga, id, `${toMia} and again ${toMia}`)
    const second = await createMessage(olga, id, '<!room>')
    const third = await createMessage(olga, id, toMia)
    expect([await mentionsOf(mia), await mentionsOf(olga)]).toEqual([3, 0])
    await succeed(deleteMessage(olga, id, third.id))
    expect(await mentionsOf(mia)).toBe(2)
    await succeed(editMessage(olga, id, second.id, 'to nobody'))
    expect(await mentionsOf(mia)).toBe(1)
    expect(await markRead(mia, id, first.seq)).toMatchObject({ unread: 1, mentions: 0 })
  })

  test('R30.1: a mention from before the present membership is not counted', async () => {
    const id = await newRoom()
    const nils = await member(rooms, 'Nils')
    await makeMember(rooms, id, nils)
    await createMessage(olga, id, `<@${nils.user.id}>`)
    expect((await listedRoom(nils, id))?.mentions).toBe(1)
    await succeed(endMembership(nils, id))
    await makeMember(rooms, id, nils)
    expect((await listedRoom(nils, id))?.mentions).toBe(0)
  })

  test('R30.1: a mark moves only forward, and a number beyond the last event counts as the last', async () => {
    const id = await newRoom()
    const { seq } = await createMessage(olga, id)
    await createMessage(olga, id)
    expect(await markRead(mia, id, seq)).toMatchObject({ readSeq: seq, unread: 1 })
    expect(await markRead(mia, id, 0)).toMatchObject({ readSeq: seq, unread: 1 })
    expect(await markRead(mia, id, seq + 1_000)).toMatchObject({ readSeq: seq + 1, unread: 0 })
    await createMessage(olga, id)
    expect(await unreadOf(mia, id)).toBe(1)
    for (const wrong of [-1, 1.5, '1', null])
      expect(await refusal(await sendRead(mia, id, wrong))).toEqual([400, 'invalid_request'])
  })

  test('R30.1d: counts end at 100, also for an author whose own messages are most of the room', async () => {
    const id = await newRoom()
    await createMessage(olga, id)
    for (let own = 0; own < 150; own++) await createMessage(mia, id)
    expect([await unreadOf(mia, id), await unreadOf(olga, id)]).toEqual([1, 100])
    for (let number = 0; number < 98; number++) await createMessage(olga, id)
    expect(await unreadOf(mia, id)).toBe(99)
    for (let number = 0; number < 3; number++) await createMessage(olga, id)
    expect(await unreadOf(mia, id)).toBe(100)
  })

  test('R30.1b: users without membership have numbers once they have marked the room, guests too', async () => {
    const id = await newRoom()
    const gus = await guest(rooms)
    const { seq } = await createMessage(olga, id)
    const nothing = { readSeq: null, unread: null, mentions: null }
    expect(await listedRoom(gus, id)).toMatchObject(nothing)
    expect(await markRead(gus, id, seq)).toEqual({ readSeq: seq, unread: 0, mentions: 0 })
    await createMessage(olga, id)
    expect(await unreadOf(gus, id)).toBe(1)
    expect(await listedRoom(root, id)).toMatchObject(nothing)
  })

  test('R30.1f: a new member begins at joining, and a new owner where they were', async () => {
    const { id } = await createRoom(olga)
    const nils = await member(rooms, 'Nils')
    for (let number = 0; number < 3; number++) await createMessage(olga, id)
    await join(nils, id)
    await succeed(setRole(olga, id, nils, 'listener'))
    expect(await unreadOf(nils, id)).toBe(0)
    await createMessage(olga, id)
    await succeed(offerRoom(olga, id, nils), 201)
    await succeed(confirmTransfer(nils, id))
    expect(await listedRoom(nils, id)).toMatchObject({ role: 'owner', unread: 1 })
    const body = { reason: 'It needs an owner' }
    await succeed(root.browser.send(`/api/admin/rooms/${id}/takeover`, { body }))
    expect(await listedRoom(root, id)).toMatchObject({ role: 'owner', unread: 0 })
    expect(await listedRoom(nils, id)).toMatchObject({ role: 'moderator', unread: 1 })
  })

  test('R30.1e, R17.8: messages that the user may not read do not count', async () => {
    const visited = await newRoom({ historyVisibility: 'since_membership' })
    const fleeting = await newRoom({ historyVisibility: 'none' })
    const brief = await newRoom({ retention: 7 })
    const gus = await guest(rooms)
    for (const id of [visited, fleeting, brief]) await createMessage(olga, id)
    await join(gus, visited)
    await markRead(gus, visited, 0)
    expect(await unreadOf(gus, visited)).toBe(0)
    await createMessage(olga, visited)
    expect(await unreadOf(gus, visited)).toBe(1)
    await succeed(leave(gus, visited))
    expect(await unreadOf(gus, visited)).toBe(0)
    expect([await unreadOf(mia, visited), await unreadOf(mia, fleeting)]).toEqual([2, 0])
    await join(mia, fleeting)
    await createMessage(olga, fleeting)
    expect(await unreadOf(mia, fleeting)).toBe(1)
    expect(await unreadOf(mia, brief)).toBe(1)
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_messages')
        .set({ created_at: rooms.clock.ms - 7 * 24 * 60 * MINUTE_MS })
        .where('room_id', '=', brief)
        .execute(),
    )
    expect(await unreadOf(mia, brief)).toBe(0)
  })

  test('R30.1: kicked and banned users and outsiders of a private room can neither mark it nor see numbers', async () => {
    const id = await newRoom()
    const [kim, ben, otto] = [
      await member(rooms, 'Kim'),
      await member(rooms, 'Ben'),
      await member(rooms, 'Otto'),
    ]
    for (const who of [kim, ben, otto]) {
      await makeMember(rooms, id, who)
      await markRead(who, id)
    }
    await createMessage(olga, id)
    await succeed(removeMember(olga, id, kim, { action: 'kick', cooldownMinutes: 1 }))
    await succeed(removeMember(olga, id, ben, { action: 'ban' }))
    await succeed(endMembership(otto, id))
    for (const [who, code] of [
      [kim, 'cooldown'],
      [ben, 'banned'],
    ] as const) {
      expect(await refusal(await sendRead(who, id, 1))).toEqual([403, code])
      expect(await listedRoom(who, id)).toBeUndefined()
    }
    // Leaving and removal end the mark.
    expect(await listedRoom(otto, id)).toMatchObject({ readSeq: null, unread: null })
    rooms.clock.ms += 2 * MINUTE_MS
    expect(await listedRoom(kim, id)).toMatchObject({ readSeq: null, unread: null })
    await markRead(otto, id, 0)
    await succeed(changeSettings(olga, id, { visibility: 'private' }))
    expect(await refusal(await sendRead(otto, id, 1))).toEqual([404, 'not_found'])
    expect(await listedRoom(otto, id)).toBeUndefined()
    await succeed(deleteRoom(olga, id))
    expect(await refusal(await sendRead(mia, id, 1))).toEqual([404, 'not_found'])
    const left = rooms.rooms.database.read.selectFrom('room_user_states').where('room_id', '=', id)
    expect(await left.select('user_id').execute()).toEqual([])
  })

  test('R30.1, R28.26: marks are in the export of an account and end with it', async () => {
    const { browser, id: userId } = await signedInUser(rooms, { sub: 'ada', name: 'Ada' })
    const id = await newRoom()
    const { seq } = await createMessage(olga, id)
    await markRead({ browser }, id, seq)
    const { rooms: own } = await browser.json<{ rooms: { readMarks: unknown[] } }>('/api/account/export')
    expect(own.readMarks).toEqual([
      {
        roomId: id,
        readSeq: seq,
        notificationLevel: 'mentions',
        starred: false,
        leftAt: null,
        hidden: false,
      },
    ])
    await succeed(browser.send('/api/account', { method: 'DELETE', body: { confirm: true } }))
    const { read } = rooms.rooms.database
    const left = read.selectFrom('room_user_states').where('user_id', '=', userId)
    expect(await left.select('room_id').execute()).toEqual([])
  })

  test('R30.1g: many users of a room are counted as each of them alone', async () => {
    const id = await newRoom()
    for (let number = 0; number < 130; number++) {
      const { id: messageId } = await createMessage(number % 3 === 0 ? mia : olga, id)
      if (number % 7 === 0) await succeed(deleteMessage(olga, id, messageId))
    }
    const { database } = rooms.rooms
    const ranges = [0, 1, 5, 64, 100, 129, 130, 200].flatMap((afterSeq) =>
      [olga, mia, root].map(({ user }) => ({ roomId: id, userId: user.id, afterSeq, retainedAfterMs: 0 })),
    )
    const together = await countUnread(database, ranges)
    for (const [index, range] of ranges.entries())
      expect([range, await countUnread(database, [range])]).toEqual([range, [together[index] ?? -1]])
    expect(new Set(together).size).toBeGreaterThan(10)
  })

  test('R30.1: marks never move back under concurrent writers on two nodes', async () => {
    const nodes = await twoNodes({ url: await newUrl(), limits: WITHOUT_RATES })
    const owner = await member(nodes[0].service, 'Owner')
    const reader = await member(nodes[0].service, 'Reader')
    const elsewhere = nodes[1].service.browser({ ip: '198.51.100.7' })
    for (const [name, value] of reader.browser.cookies) elsewhere.cookies.set(name, value)
    const tabs = [reader, { ...reader, browser: elsewhere }]
    const { id } = await createRoom(owner)
    for (let number = 0; number < 20; number++) await createMessage(owner, id)
    let stored = 0
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat({ max: 1 }), fc.nat({ max: 25 })), { minLength: 2, maxLength: 8 }),
        async (writes) => {
          const answers = await Promise.all(
            writes.map(async ([tab, seq]) => (await markRead(tabs[tab] as TestUser, id, seq)).readSeq),
          )
          const highest = Math.max(stored, ...writes.map(([, seq]) => Math.min(seq, 20)))
          for (const [index, [, seq]] of writes.entries()) {
            expect(answers[index]).toBeGreaterThanOrEqual(Math.max(stored, Math.min(seq, 20)))
            expect(answers[index]).toBeLessThanOrEqual(highest)
          }
          stored = highest
          for (const tab of tabs)
            expect(await listedRoom(tab, id)).toMatchObject({ readSeq: stored, unread: 20 - stored })
        },
      ),
      { numRuns: 15 },
    )
    await closeNodes(nodes)
  })
})
