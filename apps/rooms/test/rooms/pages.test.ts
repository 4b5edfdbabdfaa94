import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import {
  type MessagePage,
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  join,
  makeMember,
  member,
  react,
  readEvents,
  readMessages,
  refusal,
  setRole,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000, reactions_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const texts = ({ messages }: MessagePage) => messages.map(({ content }) => content)
  const kinds = ({ events }: MessagePage) => events.map(({ seq, event }) => [seq, event])
  const rename = (roomId: string, name: string) => succeed(changeSettings(owner, roomId, { name }))

  /** Twelve messages with a change of the settings before each third one. */
  async function longRoom() {
    const { id } = await createRoom(owner)
    const ids: string[] = []
    for (let count = 0; count < 12; count++) {
      if (count % 3 === 0) await rename(id, `Name ${count}`)
      ids.push((await createMessage(owner, id, `Message ${count}`)).id)
    }
    await rename(id, 'Last')
    return { id, ids }
  }

  test('R29.2: a page around a message has older and newer ones, and leads to all others once', async () => {
    const { id, ids } = await longRoom()
    const all = Array.from({ length: 12 }, (_, count) => `Message ${count}`)
    for (const [index, messageId] of ids.entries())
      for (const limit of [1, 2, 5, 12, 100]) {
        const around = await readMessages(owner, id, `?around=${messageId}&limit=${limit}`)
        expect(texts(around)).toContain(`Message ${index}`)
        const pages = [around]
        for (let page = around; page.nextCursor !== null; pages.unshift(page))
          page = await readMessages(owner, id, `?cursor=${page.nextCursor}&limit=${limit}`)
        for (let page = around; page.newerCursor !== null; pages.push(page))
          page = await readMessages(owner, id, `?after=${page.newerCursor}&limit=${limit}`)
        expect(pages.flatMap(texts)).toEqual(all)
        const log = (await readEvents(owner, id)).filter(({ event }) => event === 'room.settings')
        expect(pages.flatMap(({ events }) => events.map(({ seq }) => seq))).toEqual(log.map(({ seq }) => seq))
      }
    expect(texts(await readMessages(owner, id, `?around=${ids[6]}&limit=5`))).toEqual(all.slice(4, 9))
  })

  test('R29.2: a page around a message that is missing, elsewhere or hidden is not found', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const hidden = await createMessage(owner, id)
    const elsewhere = await createMessage(owner, (await createRoom(owner)).id)
    const bob = await member(rooms)
    await makeMember(rooms, id, bob)
    await createMessage(owner, id, 'Seen')
    for (const messageId of [NOWHERE, elsewhere.id, hidden.id])
      expect(await refusal(await bob.browser.send(`/api/rooms/${id}/messages?around=${messageId}`))).toEqual([
        404,
        'not_found',
      ])
    for (const query of ['around=x', 'after=x', `around=${hidden.id}&cursor=1`, 'cursor=1&after=1'])
      expect(await refusal(await owner.browser.send(`/api/rooms/${id}/messages?${query}`))).toEqual([
        400,
        'invalid_request',
      ])
    expect(texts(await readMessages(owner, id, `?around=${hidden.id}`))).toEqual(['Hello', 'Seen'])
  })

  test('R32.3: a page at a time is around the first message since then, and the newest page without one', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const bob = await member(rooms)
    const startMs = rooms.clock.ms
    for (let count = 0; count < 6; count++) {
      if (count === 2) await makeMember(rooms, id, bob)
      await createMessage(owner, id, `Minute ${count}`)
      rooms.clock.ms += 60_000
    }
    const at = async (who: TestUser, ms: number) =>
      texts(await readMessages(who, id, `?limit=2&at=${new Date(startMs + ms).toISOString()}`))
    expect(await at(owner, 3 * 60_000)).toEqual(['Minute 2', 'Minute 3'])
    expect(await at(owner, 2 * 60_000 + 1)).toEqual(['Minute 2', 'Minute 3'])
    expect(await at(owner, -60_000)).toEqual(['Minute 0'])
    expect(await at(bob, -60_000)).toEqual(['Minute 2'])
    expect(await at(bob, 10 * 60_000)).toEqual(['Minute 4', 'Minute 5'])
    const offset = encodeURIComponent(new Date(startMs + 3_600_000).toISOString().replace('Z', '+01:00'))
    expect(texts(await readMessages(owner, id, `?limit=2&at=${offset}`))).toEqual(['Minute 0'])
    for (const query of ['at=yesterday', 'at=2026-11-21', `at=${offset}&cursor=1`])
      expect(await refusal(await owner.browser.send(`/api/rooms/${id}/messages?${query}`))).toEqual([
        400,
        'invalid_request',
      ])
    expect(texts(await readMessages(bob, (await createRoom(owner)).id, `?at=${offset}`))).toEqual([])
  })

  test('R29.2, R29.5: each page has the other events of its stretch of the log, as its reader sees them', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms, 'Bob')
    await join(bob, id)
    await rename(id, 'One')
    const first = await createMessage(owner, id, 'first')
    await succeed(react(bob, id, first.id, '👍'))
    await succeed(setRole(owner, id, bob, 'speaker'))
    await createMessage(owner, id, 'second')
    await rename(id, 'Two')
    const page = await readMessages(bob, id)
    const settings = 'room.settings'
    expect(kinds(page)).toEqual([
      [1, settings],
      [4, 'member.joined'],
      [6, settings],
    ])
    const logged = (await readEvents(bob, id)).filter(({ event }) => !event.startsWith('message.'))
    expect(page.events).toEqual(logged)
    expect(page.events[1]?.data).toMatchObject({ person: { nickname: 'Bob', role: 'speaker' } })
    expect(page.events[2]?.data).toMatchObject({ room: { name: 'Two', role: 'speaker' } })
    expect(kinds(await readMessages(bob, id, '?limit=1'))).toEqual([[6, settings]])
    expect(kinds(await readMessages(bob, id, '?limit=1&cursor=5'))).toEqual([
      [1, settings],
      [4, 'member.joined'],
    ])
  })

  test('R17.8: a page has no events from before its reader may read, nor from before the retention', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership', retention: 7 })
    await rename(id, 'Before')
    const bob = await member(rooms)
    await makeMember(rooms, id, bob)
    await rename(id, 'After')
    expect(kinds(await readMessages(bob, id))).toEqual([[2, 'room.settings']])
    expect(await readMessages(await guest(rooms), id)).toMatchObject({ messages: [], events: [] })
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_events')
        .set({ created_at: rooms.clock.ms - 7 * 86_400_000 })
        .where('room_id', '=', id)
        .where('seq', '=', 1)
        .execute(),
    )
    expect(kinds(await readMessages(owner, id))).toEqual([[2, 'room.settings']])
  })

  test('a page of many events has the newest 200 and finds them without reading reactions', async () => {
    const { id } = await createRoom(owner)
    const { database } = rooms.rooms
    await database.write(async (tx) => {
      for (let seq = 1; seq <= 1_000; seq++) {
        const type = seq % 4 === 0 ? ('member.left' as const) : ('message.reactions' as const)
        const data = JSON.stringify({ person: { userId: owner.user.id, guest: false, role: 'owner' } })
        await tx
          .insertInto('room_events')
          .values({ room_id: id, seq, type, data, created_at: rooms.clock.ms })
          .execute()
      }
      await tx.updateTable('rooms').set({ last_seq: 1_000 }).where('id', '=', id).execute()
    })
    const { events } = await readMessages(owner, id)
    expect([events.length, events[0]?.seq, events.at(-1)?.seq]).toEqual([200, 204, 1_000])
    if (dialect === 'postgres') return
    const { rows } = await sql<{ detail: string }>`explain query plan
      select * from room_events where room_id = ${id} and substr(type, 1, 8) <> 'message.'
      and seq >= 1 and seq <= 1000 order by seq desc limit 200`.execute(database.read)
    expect(rows[0]?.detail).toContain('room_events_between')
  })
})
