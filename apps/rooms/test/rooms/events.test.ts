import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type RoomJson,
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  deleteMessage,
  join,
  leave,
  makeMember,
  member,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const DAY = 86_400_000

interface Event {
  seq: number
  at: string
  event: string
  data: {
    message?: { id: string; content: string | null }
    messageId?: string
    room?: Record<string, unknown>
  }
}
interface Log {
  events: Event[]
  lastSeq: number
  reset: boolean
}

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000, http_per_minute: 1_000_000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const log = ({ browser }: TestUser, roomId: string, query = '') =>
    browser.json<Log>(`/api/rooms/${roomId}/events${query}`)
  const seqs = ({ events }: Log) => events.map(({ seq }) => seq)

  test('R18.8e, R16.3: the list has the same events as sockets, with the text of messages', async () => {
    const { id } = await createRoom(owner)
    rooms.publishedEvents.length = 0
    const { id: keptId } = await createMessage(owner, id, 'Kept')
    const { id: regretted } = await createMessage(owner, id, 'Regretted')
    await succeed(deleteMessage(owner, id, regretted))
    const { events, lastSeq, reset } = await log(owner, id)
    expect([lastSeq, reset]).toEqual([3, false])
    const published = rooms.publishedEvents.flatMap((event) => (event.kind === 'event' ? [event.event] : []))
    expect(events[0]).toEqual(published[0] as unknown as Event)
    expect(events[2]).toEqual(published[2] as unknown as Event)
    expect(events.map(({ seq, event, data }) => [seq, event, data.message?.id ?? data.messageId])).toEqual([
      [1, 'message.created', keptId],
      [2, 'message.created', regretted],
      [3, 'message.deleted', regretted],
    ])
    expect(events.map(({ data }) => data.message?.content)).toEqual(['Kept', null, undefined])
    expect(JSON.stringify(events)).not.toContain('Regretted')
  })

  test('R18.5a: paging by the last number until a short page gives every event once, in order', async () => {
    const { id } = await createRoom(owner)
    for (let count = 0; count < 9; count++) await createMessage(owner, id, `Message ${count}`)
    const all = Array.from({ length: 9 }, (_, at) => at + 1)
    for (const limit of [1, 2, 3, 9, 10, 200]) {
      const collected: number[] = []
      let page: Log
      do {
        page = await log(owner, id, `?after=${collected.at(-1) ?? 0}&limit=${limit}`)
        expect([page.lastSeq, page.reset]).toEqual([9, false])
        collected.push(...seqs(page))
      } while (page.events.length === limit)
      expect(collected).toEqual(all)
    }
    expect(await log(owner, id, '?after=9')).toEqual({ events: [], lastSeq: 9, reset: false })
    expect(await log(owner, id, '?after=10')).toEqual({ events: [], lastSeq: 9, reset: true })
    for (const query of ['?after=-1', '?after=x', '?after=1.5', '?limit=0', '?limit=201'])
      expect(await refusal(await owner.browser.send(`/api/rooms/${id}/events${query}`))).toEqual([
        400,
        'invalid_request',
      ])
  })

  test('R18.5b: events deleted by retention require a reload, also before the job runs, unless the client is past them', async () => {
    const { id } = await createRoom(owner, { retention: 7 })
    for (let count = 0; count < 4; count++) await createMessage(owner, id, `Message ${count}`)
    await rooms.rooms.database.write((tx) =>
      tx
        .updateTable('room_events')
        .set({ created_at: rooms.clock.ms - 7 * DAY })
        .where('room_id', '=', id)
        .where('seq', '<=', 2)
        .execute(),
    )
    const answers = async () => {
      const collected: [number, number[], boolean][] = []
      for (const after of [0, 1, 2, 3, 4]) {
        const page = await log(owner, id, `?after=${after}`)
        collected.push([after, seqs(page), page.reset])
      }
      return collected
    }
    const expected: [number, number[], boolean][] = [
      [0, [3, 4], true],
      [1, [3, 4], true],
      [2, [3, 4], false],
      [3, [4], false],
      [4, [], false],
    ]
    expect(await answers()).toEqual(expected)
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('room_events').where('room_id', '=', id).where('seq', '<=', 2).execute(),
    )
    expect(await answers()).toEqual(expected)
    await rooms.rooms.database.write((tx) => tx.deleteFrom('room_events').where('room_id', '=', id).execute())
    expect(await log(owner, id, '?after=3')).toEqual({ events: [], lastSeq: 4, reset: true })
    expect(await log(owner, id, '?after=4')).toEqual({ events: [], lastSeq: 4, reset: false })
  })

  test('R18.5b: a page that loses events while it is read requires a reload, and never looks like the last one', async () => {
    const { id } = await createRoom(owner)
    for (let count = 0; count < 6; count++) await createMessage(owner, id, `Message ${count}`)
    // As between the read of the events and the read of the messages.
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('room_messages').where('room_id', '=', id).where('seq', '=', 2).execute(),
    )
    const cut = await log(owner, id, '?after=0&limit=3')
    expect([seqs(cut), cut.reset]).toEqual([[1, 3], true])
    expect(await log(owner, id, '?after=2&limit=3')).toMatchObject({ reset: false })
  })

  test('a client that follows the log while others post, delete and rename ends with the state of the room', async () => {
    const { id } = await createRoom(owner)
    const node = await rooms.node()
    const talkers = await Promise.all([member(rooms), member(node), member(rooms), member(node)])
    const listener = await member(rooms)
    const held = new Map<string, string | null>()
    const applied: number[] = []
    const follow = async () => {
      const page = await log(listener, id, `?after=${applied.at(-1) ?? 0}&limit=3`)
      for (const { seq, data } of page.events) {
        applied.push(seq)
        if (data.message) held.set(data.message.id, data.message.content)
        else if (data.messageId !== undefined) held.set(data.messageId, null)
      }
      return page
    }
    const talk = async (who: TestUser, at: number) => {
      for (let count = 0; count < 6; count++) {
        const { id: messageId } = await createMessage(who, id, `${at}.${count}`)
        if ((at + count) % 3 === 0) await succeed(deleteMessage(who, id, messageId))
        if ((at + count) % 4 === 0)
          await succeed(changeSettings(owner, id, { maxParticipants: 20 + at + count }))
      }
    }
    let talking = true
    const end = Promise.all(talkers.map(talk)).finally(() => (talking = false))
    while (talking) {
      await follow()
      // On SQLite all of it is answered within one turn of the event loop, and writers of two nodes
      // wait between turns.
      await new Promise(setImmediate)
    }
    await end
    while ((await follow()).events.length > 0);
    const { messages } = await listener.browser.json<{ messages: { id: string; content: string | null }[] }>(
      `/api/rooms/${id}/messages?limit=100`,
    )
    expect(messages).toHaveLength(24)
    expect(new Map(messages.map((each) => [each.id, each.content]))).toEqual(held)
    expect(applied).toEqual(Array.from({ length: applied.length }, (_, at) => at + 1))
    await node.close()
  })

  if (dialect === 'postgres') return

  test('R28.20: settings are sent to each user with their own role and right, and with the current count', async () => {
    const { id } = await createRoom(owner)
    const [speaker, visitor] = [await member(rooms), await member(rooms)]
    await makeMember(rooms, id, speaker, 'speaker')
    await join(visitor, id)
    await succeed(changeSettings(owner, id, { name: 'Renamed' }))
    await createMessage(owner, id, 'After')
    const seen = []
    for (const who of [owner, speaker, visitor]) seen.push((await log(who, id)).events[0]?.data.room)
    const shared = { id, name: 'Renamed', lastSeq: 1, participantCount: 1, ownerId: owner.user.id }
    expect(seen).toEqual([
      expect.objectContaining({ ...shared, role: 'owner', canPublish: true }),
      expect.objectContaining({ ...shared, role: 'speaker', canPublish: true }),
      expect.objectContaining({ ...shared, role: null, canPublish: false }),
    ])
    const { room } = await owner.browser.json<{ room: RoomJson }>(`/api/rooms/${id}`)
    const {
      readSeq: _,
      unread: _unread,
      mentions: _mentions,
      notificationLevel: _level,
      starred: _starred,
      call: _call,
      people: _people,
      ...rest
    } = room
    expect(Object.keys(seen[0] ?? {}).toSorted()).toEqual(Object.keys(rest).toSorted())
  })

  test('R17.8: events before the readable part do not require a reload', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    const [visitor, outside] = [await member(rooms), await member(rooms)]
    await createMessage(owner, id, 'one')
    await join(visitor, id)
    await createMessage(owner, id, 'two')
    await succeed(changeSettings(owner, id, { name: 'Renamed' }))
    const seen = await log(visitor, id)
    expect([seqs(seen), seen.lastSeq, seen.reset]).toEqual([[2, 3], 3, false])
    expect(await log(outside, id)).toEqual({ events: [], lastSeq: 3, reset: false })
    expect(seqs(await log(owner, id))).toEqual([1, 2, 3])
    await succeed(changeSettings(owner, id, { historyVisibility: 'none' }))
    expect(seqs(await log(owner, id))).toEqual([])
    expect(seqs(await log(visitor, id))).toEqual([2, 3, 4])
    await leave(visitor, id)
    expect(seqs(await log(visitor, id))).toEqual([])
  })
})
