// What a search finds, by every kind of person in every kind of room, against what the same person
// reads in each room.
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type TestUser,
  admin,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  join,
  leave,
  makeMember,
  member,
  removeMember,
  refusal,
  succeed,
} from '../actions.ts'
import { findAuditEvents } from '../audit-log.ts'
import { type RoomState, insertRooms, readable } from './room-states.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type SearchPageJson, searchTexts, search, sendSearch } from './actions.ts'

const GUEST_ADDRESS = '192.0.2.77'
const NOWHERE = '11111111-2222-4333-8444-555555555555'
const MINUTE = 60_000
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = {
      rooms_per_hour: 1000,
      rooms_owned: 1000,
      message_searches_per_minute: 10_000,
      http_per_minute: 100_000,
    }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  test('R32.1i: each person finds what they may read, in every state of a room, and nothing else', async () => {
    const people = [await member(rooms), await guest(rooms, 'Gustav', GUEST_ADDRESS), await admin(rooms)]
    for (const who of people) {
      const states = await insertRooms(rooms, { owner, who, clientPrefix: GUEST_ADDRESS })
      const pages = []
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await search(who, { q: `w${who.user.id.slice(0, 8)}`, ...(cursor && { cursor }) })
        pages.push(...page.results)
        cursor = page.nextCursor
      }
      const resultsIn = Map.groupBy(pages, ({ room }) => room.id)
      const compare = async (state: RoomState) => {
        const expected = await readable(rooms, { who, clientPrefix: GUEST_ADDRESS }, state)
        const texts = (resultsIn.get(state.id) ?? []).map(({ message }) => message.content)
        expect([state.name, texts]).toEqual([state.name, expected.listed])
        const response = await sendSearch(who, { q: 'w', room: state.id })
        const answer = response.ok
          ? ((await response.json()) as SearchPageJson).results.map(({ message }) => message.content)
          : (await refusal(response))[1]
        expect([state.name, answer]).toEqual([state.name, expected.refusal ?? expected.entered])
      }
      await Promise.all(states.map(compare))
      expect(pages.length).toBeGreaterThan(50)
    }
  }, 120_000)

  test('R32.1: what ends access ends what a search finds, at once', async () => {
    const { id } = await createRoom(owner, { name: 'Changing' })
    const [anna, gustav, mona] = [await member(rooms), await guest(rooms), await member(rooms)]
    await makeMember(rooms, id, mona, 'moderator')
    await createMessage(owner, id, 'quicksilver')
    const everyone = async () => ({
      anna: await searchTexts(anna, { q: 'quicksilver' }),
      gustav: await searchTexts(gustav, { q: 'quicksilver' }),
      mona: await searchTexts(mona, { q: 'quicksilver' }),
    })
    const [yes, no] = [['quicksilver'], []]
    expect(await everyone()).toEqual({ anna: yes, gustav: yes, mona: yes })
    await succeed(changeSettings(owner, id, { allowGuests: false }))
    expect(await everyone()).toEqual({ anna: yes, gustav: no, mona: yes })
    await succeed(changeSettings(owner, id, { visibility: 'private' }))
    expect(await everyone()).toEqual({ anna: no, gustav: no, mona: yes })
    await succeed(changeSettings(owner, id, { visibility: 'unlisted', allowGuests: true }))
    expect(await everyone()).toEqual({ anna: no, gustav: no, mona: yes })
    expect(await searchTexts(anna, { q: 'quicksilver', room: id })).toEqual(yes)
    await succeed(changeSettings(owner, id, { visibility: 'public' }))
    await succeed(removeMember(owner, id, anna, { action: 'kick', cooldownMinutes: 10 }))
    await succeed(removeMember(owner, id, mona, { action: 'ban' }))
    expect(await everyone()).toEqual({ anna: no, gustav: yes, mona: no })
    for (const [who, code] of [
      [anna, 'cooldown'],
      [mona, 'banned'],
    ] as const)
      expect(await refusal(await sendSearch(who, { q: 'quicksilver', room: id }))).toEqual([403, code])
    rooms.clock.ms += 11 * MINUTE
    expect(await everyone()).toEqual({ anna: yes, gustav: yes, mona: no })
  })

  test('R32.1: what is older than membership, visit or retention is not found', async () => {
    const since = await createRoom(owner, { historyVisibility: 'since_membership', retention: 7 })
    const none = await createRoom(owner, { historyVisibility: 'none' })
    const anna = await member(rooms)
    const [early, late] = ['harbour early', 'harbour late']
    for (const { id } of [since, none]) await createMessage(owner, id, early)
    expect(await searchTexts(anna, { q: 'harbour' })).toEqual([])
    for (const { id } of [since, none]) {
      await succeed(join(anna, id))
      await createMessage(owner, id, late)
    }
    expect(await searchTexts(anna, { q: 'harbour' })).toEqual([late, late])
    expect(await searchTexts(owner, { q: 'harbour' })).toEqual([late, early])
    await succeed(leave(anna, since.id))
    await makeMember(rooms, since.id, anna)
    expect(await searchTexts(anna, { q: 'harbour' })).toEqual([late])
    rooms.clock.ms += HOUR + 1
    expect(await searchTexts(anna, { q: 'harbour' })).toEqual([])
    expect(await searchTexts(owner, { q: 'harbour', room: since.id })).toEqual([late, early])
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_messages')
        .set({ created_at: rooms.clock.ms - 7 * DAY })
        .where('room_id', '=', since.id)
        .execute(),
    )
    expect(await searchTexts(owner, { q: 'harbour' })).toEqual([])
    await rooms.rooms.jobs.runDue()
    const left = await rooms.rooms.database.read
      .selectFrom('message_search')
      .select('no')
      .where('room_id', '=', since.id)
      .execute()
    expect(left).toEqual([])
  })

  for (const days of [7, 30])
    test(`R17.8d, R32.1i: a search finds messages younger than ${days} days in a room that keeps them so long`, async () => {
      const { id } = await createRoom(owner, { retention: days })
      await createMessage(owner, id, 'lantern')
      const searchAt = async (ageMs: number) => {
        await rooms.rooms.database.write((tx) =>
          tx
            .updateTable('room_messages')
            .set({ created_at: rooms.clock.ms - ageMs })
            .where('room_id', '=', id)
            .execute(),
        )
        return [
          await searchTexts(owner, { q: 'lantern' }),
          await searchTexts(owner, { q: 'lantern', room: id }),
        ]
      }
      expect(await searchAt(days * DAY - 1)).toEqual([['lantern'], ['lantern']])
      expect(await searchAt(days * DAY)).toEqual([[], []])
    })

  if (dialect === 'postgres') return

  test('R32.1: the answer for a private room is that for a missing one, and an author reveals nothing', async () => {
    const { id } = await createRoom(owner, { visibility: 'private', name: 'Secret' })
    await createMessage(owner, id, 'xylophone')
    const outsider = await member(rooms)
    for (const query of [
      { q: 'xylophone' },
      { from: owner.user.id, q: 'xylophone' },
      { q: 'xylophone', has: 'link' },
    ]) {
      expect(await search(outsider, query)).toEqual({ results: [], nextCursor: null })
      const [hidden, missing] = await Promise.all(
        [id, NOWHERE].map((room) => sendSearch(outsider, { ...query, room })),
      )
      expect([hidden?.status, await hidden?.text()]).toEqual([missing?.status, await missing?.text()])
    }
  })

  test('R32.1h: an administrator searches one room by that right, which is audited, and never all rooms', async () => {
    const { id } = await createRoom(owner, { visibility: 'private' })
    await createMessage(owner, id, 'zeppelin')
    const root = await admin(rooms)
    const entries = async () =>
      (await findAuditEvents(rooms.rooms, 'room.admin_entry')).filter(({ target_id }) => target_id === id)
    expect(await searchTexts(root, { q: 'zeppelin' })).toEqual([])
    expect(await entries()).toEqual([])
    expect(await searchTexts(root, { q: 'zeppelin', room: id })).toEqual(['zeppelin'])
    expect(await entries()).toHaveLength(1)
  })

  test('R32.1: a quoted message is shown only to those who may read it', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const anna = await member(rooms)
    const original = await createMessage(owner, id, 'before')
    await makeMember(rooms, id, anna)
    await succeed(
      owner.browser.send(`/api/rooms/${id}/messages`, {
        body: { content: 'waterfall', replyTo: original.id },
      }),
      201,
    )
    const quoted = async (who: TestUser) =>
      (await search(who, { q: 'waterfall' })).results[0]?.message['replyTo']
    expect(await quoted(owner)).toMatchObject({ id: original.id, excerpt: 'before' })
    expect(await quoted(anna)).toBeNull()
  })
})
