import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type RoomJson,
  type TestUser,
  admin,
  ban,
  changeSettings,
  createMessage,
  createRoom,
  deleteMessage,
  guest,
  join,
  makeMember,
  markRead,
  member,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

interface Page {
  rooms: RoomJson[]
  nextCursor: string | null
}

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let ada: TestUser
  const made = new Map<string, RoomJson>()
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl() })
    ada = await member(rooms)
    const kinds: [string, Record<string, unknown>][] = [
      ['Öffentlich 100%', {}],
      ['public_2', {}],
      ['public 3', { allowGuests: false }],
      ['Unlisted', { visibility: 'unlisted' }],
      ['Private', { visibility: 'private' }],
    ]
    for (const [name, settings] of kinds) {
      made.set(name, await createRoom(ada, { name, ...settings }))
      rooms.clock.ms += 1
    }
  })
  afterAll(() => rooms.close())

  const idOf = (name: string) => made.get(name)?.id ?? ''
  const page = ({ browser }: TestUser, query: string) => browser.json<Page>(`/api/rooms?${query}`)
  const names = async (who: TestUser, q = '') =>
    (await page(who, `q=${encodeURIComponent(q)}`)).rooms.map(({ name }) => name)

  test('R16.3c: the lobby shows public rooms to all, and own and joined rooms to their owners and members, last active first', async () => {
    const bob = await member(rooms)
    expect(await names(ada)).toEqual(['Private', 'Unlisted', 'public 3', 'public_2', 'Öffentlich 100%'])
    expect(await names(bob)).toEqual(['public 3', 'public_2', 'Öffentlich 100%'])
    await makeMember(rooms, idOf('Private'), bob, 'moderator')
    await makeMember(rooms, idOf('Unlisted'), bob)
    expect(await names(bob)).toEqual(['Private', 'Unlisted', 'public 3', 'public_2', 'Öffentlich 100%'])
  })

  test('rooms that the caller may not enter are missing: private and closed ones for guests, and those with an active ban', async () => {
    const gustav = await guest(rooms)
    await makeMember(rooms, idOf('Private'), gustav)
    await makeMember(rooms, idOf('public 3'), gustav)
    expect(await names(gustav)).toEqual(['public_2', 'Öffentlich 100%'])
    const bob = await member(rooms)
    await ban(rooms, idOf('public_2'), bob)
    await ban(rooms, idOf('public 3'), bob, { untilMs: rooms.clock.ms + 1000 })
    expect(await names(bob)).toEqual(['Öffentlich 100%'])
    rooms.clock.ms += 1000
    expect(await names(bob)).toEqual(['public 3', 'Öffentlich 100%'])
    const root = await admin(rooms)
    await ban(rooms, idOf('public_2'), root)
    expect(await names(root)).toEqual(['public 3', 'public_2', 'Öffentlich 100%'])
  })

  test('each room shows the role and right of the caller, and the number of different participants', async () => {
    const bob = await member(rooms)
    await makeMember(rooms, idOf('public_2'), bob, 'speaker')
    for (const who of [ada, bob, bob]) expect((await join(who, idOf('public_2'))).status).toBe(200)
    const seenBy = async (who: TestUser) => {
      const { rooms: list } = await page(who, 'q=public_2')
      return list.map(({ role, canPublish, participantCount }) => [role, canPublish, participantCount])
    }
    expect(await seenBy(ada)).toEqual([['owner', true, 2]])
    expect(await seenBy(bob)).toEqual([['speaker', true, 2]])
    expect(await seenBy(await member(rooms))).toEqual([[null, false, 2]])
    rooms.clock.ms += 45_000
    expect(await seenBy(ada)).toEqual([['owner', true, 0]])
  })

  test('R28.8: a part of the name matches in any case, and % and _ match literally', async () => {
    expect(await names(ada, 'PUBLIC')).toEqual(['public 3', 'public_2'])
    expect(await names(ada, 'öFFENT')).toEqual(['Öffentlich 100%'])
    expect(await names(ada, 'o\u0308ffent')).toEqual(['Öffentlich 100%'])
    expect(await names(ada, '%')).toEqual(['Öffentlich 100%'])
    expect(await names(ada, '_')).toEqual(['public_2'])
    expect(await names(ada, 'p%c')).toEqual([])
    expect(await names(ada, "'; drop table rooms; --")).toEqual([])
    for (const q of ['  private ', `private${' '.repeat(2100)}`])
      expect(await names(ada, q)).toEqual(['Private'])
  })

  test('R28.4: pages of any size together show every room once, also those of one millisecond', async () => {
    const bea = await member(rooms)
    for (let count = 0; count < 7; count++) await createRoom(bea, { name: `Flock ${count}` })
    const all = (await page(bea, 'q=flock')).rooms.map(({ id }) => id)
    expect(new Set(all).size).toBe(7)
    for (const limit of [1, 2, 3, 7, 8]) {
      const list: string[] = []
      let cursor: string | null = ''
      while (cursor !== null) {
        const next: Page = await page(bea, `q=flock&limit=${limit}${cursor && `&cursor=${cursor}`}`)
        expect(next.rooms.length).toBeLessThanOrEqual(limit)
        list.push(...next.rooms.map(({ id }) => id))
        cursor = next.nextCursor
      }
      expect(list).toEqual(all)
    }
  })

  test('R16.3c: a room with a message between two pages moves to the front, and no page has a room twice', async () => {
    const bea = await member(rooms)
    const herons: RoomJson[] = []
    for (const name of ['Heron 1', 'Heron 2', 'Heron 3', 'Heron 4']) {
      rooms.clock.ms += 1_000
      herons.push(await createRoom(bea, { name }))
    }
    const listed = (answer: Page) => answer.rooms.map(({ name }) => name)
    const first = await page(ada, 'q=heron&limit=2')
    expect(listed(first)).toEqual(['Heron 4', 'Heron 3'])
    // The first of them is on the page before.
    for (const room of [herons[2], herons[0]]) {
      rooms.clock.ms += 1_000
      await createMessage(bea, room?.id ?? '', 'Active')
    }
    const second = await page(ada, `q=heron&limit=2&cursor=${first.nextCursor}`)
    expect([listed(second), second.nextCursor]).toEqual([['Heron 2'], null])
    expect(await names(ada, 'heron')).toEqual(['Heron 1', 'Heron 3', 'Heron 4', 'Heron 2'])
  })

  test('R15.3: a cursor of another list, a malformed one and a limit out of range are refused', async () => {
    const { nextCursor } = await page(ada, 'limit=1')
    for (const query of [
      'cursor=x',
      `cursor=${nextCursor}&q=other`,
      'limit=0',
      'limit=101',
      'limit=1.5',
      'limit=x',
      'q=a%00b',
    ])
      expect([query, await refusal(await ada.browser.send(`/api/rooms?${query}`))]).toEqual([
        query,
        [400, 'invalid_request'],
      ])
  })

  test('R16.3c R35.1: followed rooms are listed by their last messages, without those of others', async () => {
    const [cleo, dan] = [await member(rooms), await member(rooms)]
    const at = async (make: () => Promise<RoomJson>) => {
      rooms.clock.ms += 1_000
      return make()
    }
    const first = await at(() => createRoom(cleo, { name: 'First' }))
    const second = await at(() => createRoom(cleo, { name: 'Second' }))
    const joined = await at(() => createRoom(dan, { name: 'Joined', visibility: 'private' }))
    await at(() => createRoom(dan, { name: 'Of others' }))
    await makeMember(rooms, joined.id, cleo)
    const followed = async (more = '') =>
      (await page(cleo, `followed=true${more}`)).rooms.map(({ name }) => name)
    expect(await followed()).toEqual(['Joined', 'Second', 'First'])
    rooms.clock.ms += 1_000
    const message = await createMessage(cleo, first.id, 'Active')
    expect(await followed()).toEqual(['First', 'Joined', 'Second'])
    rooms.clock.ms += 1_000
    // Only messages count.
    const path = `/api/rooms/${second.id}/settings`
    await succeed(cleo.browser.send(path, { method: 'PATCH', body: { name: 'Renamed' } }))
    await succeed(deleteMessage(cleo, first.id, message.id))
    expect(await followed()).toEqual(['First', 'Joined', 'Renamed'])
    const begin = await page(cleo, 'followed=true&limit=2')
    expect(begin.rooms.map(({ name }) => name)).toEqual(['First', 'Joined'])
    expect(await followed(`&limit=2&cursor=${begin.nextCursor}`)).toEqual(['Renamed'])
    expect((await refusal(await cleo.browser.send('/api/rooms?followed=maybe')))[0]).toBe(400)
  })

  test('R30.1 R17.2: rooms that a visitor has marked as read are followed as long as the visitor may enter them', async () => {
    const [eva, fay] = [await member(rooms), await guest(rooms)]
    const listedAs = async (user: TestUser, query: string) =>
      (await page(user, `${query}&limit=100`)).rooms.map(({ name }) => name).toSorted()
    const open = await createRoom(ada, { name: 'Open' })
    const hidden = await createRoom(ada, { name: 'Hidden', visibility: 'unlisted' })
    const banned = await createRoom(ada, { name: 'Banned' })
    await createRoom(ada, { name: 'Unmarked' })
    for (const { id } of [open, hidden, banned]) for (const user of [eva, fay]) await markRead(user, id)
    for (const user of [eva, fay]) {
      expect(await listedAs(user, 'followed=true')).toEqual(['Banned', 'Hidden', 'Open'])
      expect(await listedAs(user, '')).not.toContain('Hidden')
      await ban(rooms, banned.id, user)
      expect(await listedAs(user, 'followed=true')).toEqual(['Hidden', 'Open'])
    }
    await succeed(changeSettings(ada, hidden.id, { allowGuests: false }))
    expect(await listedAs(fay, 'followed=true')).toEqual(['Open'])
    await succeed(changeSettings(ada, hidden.id, { visibility: 'private' }))
    expect(await listedAs(eva, 'followed=true')).toEqual(['Open'])
    const root = await admin(rooms)
    await markRead(root, hidden.id)
    expect(await listedAs(root, 'followed=true')).toEqual([])
  })
})
