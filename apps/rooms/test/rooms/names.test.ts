import { afterAll, beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { migrations } from '../../src/db/migrations.ts'
import type { Tables } from '../../src/db/tables.ts'
import { loadEvents } from '../../src/messages/event-log.ts'
import { findCalled } from '../../src/messages/store.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { type Somebody, createRoom, guest, join, makeMember, member } from './rooms.ts'

/** Everything that is stored of what happens in rooms, as one text. */
async function storedIn({ rooms: { database } }: TestRooms): Promise<string> {
  const tables = ['users', 'room_messages', 'room_events', 'audit_events'] as const
  const rows = await Promise.all(tables.map((table) => database.read.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows)
}

interface Events {
  events: { event: string; data: Record<string, Record<string, unknown>> }[]
}

eachDialect((_dialect, newUrl) => {
  let service: TestRooms
  beforeAll(async () => {
    service = await openRooms({ url: await newUrl() })
  })
  afterAll(() => service.close())

  test('R28.26: the name of an erased account is nowhere, in what was said and what happened neither', async () => {
    const owner = await member(service, 'Olga')
    const [ines, bob] = [await member(service, 'Inês Quixote'), await member(service, 'Bob')]
    const { id } = await createRoom(owner)
    for (const each of [ines, bob]) await join(each, id)
    const members = `/api/rooms/${id}/members`
    for (const { user } of [ines, bob])
      await owner.browser.json(`${members}/${user.id}`, { method: 'PATCH', body: { role: 'speaker' } })
    await ines.browser.json(`/api/rooms/${id}/messages`, { body: { content: 'Hello' } }, 201)
    await owner.browser.json(`${members}/${ines.user.id}/remove`, { body: { action: 'kick' } })
    const names = async () => {
      const { events } = await owner.browser.json<Events>(`/api/rooms/${id}/events?after=0`)
      return events.map(({ event, data }) => [event, (data['person'] ?? data['message'])?.['nickname']])
    }
    const happened = (name: string) => [
      ['member.joined', name],
      ['member.joined', 'Bob'],
      ['message.created', name],
      ['member.removed', name],
    ]
    expect(await names()).toEqual(happened('Inês Quixote'))
    expect(await storedIn(service)).toContain('Quixote')
    await ines.browser.json('/api/account', { method: 'DELETE', body: { confirm: true } })
    expect(await names()).toEqual(happened(`#${ines.user.id.slice(0, 4)}`))
    expect(await storedIn(service)).not.toContain('Quixote')
  })

  test('what is told of a person as it happens is what the list says of it', async () => {
    const [owner, bob] = [await member(service, 'Olga'), await member(service, 'Bob')]
    const { id } = await createRoom(owner)
    await makeMember(service, id, bob)
    service.told.length = 0
    const body = { role: 'moderator' }
    await owner.browser.json(`/api/rooms/${id}/members/${bob.user.id}`, { method: 'PATCH', body })
    const told = service.told.find((news) => news.kind === 'event')
    const { events } = await owner.browser.json<Events>(`/api/rooms/${id}/events?after=0`)
    expect(told?.kind === 'event' && told.event).toEqual(events[0] as never)
  })

  test('names that were stored before go with the update, and the rest of what happened stays', async () => {
    const { '0001-identity': identity, '0002-rooms': rooms } = migrations
    const database = openDatabase<Tables>(await newUrl())
    await migrate(database, { '0001-identity': identity, '0002-rooms': rooms } as typeof migrations)
    const person = { userId: 'abcdef', nickname: 'Quixote', avatarColor: '#1', guest: false, role: 'speaker' }
    await database.write(async (tx) => {
      await sql`insert into users (id, nickname, search_name, avatar_color, disabled, is_guest, created_at, last_seen_at)
        values ('abcdef', 'Olga', 'olga', '#1', 0, 0, 1, 1)`.execute(tx)
      await sql`insert into rooms (id, name, search_name, owner_id, owner_since, max_participants, visibility,
        allow_guests, default_role, history_visibility, retention, created_at)
        values ('r', 'Room', 'room', 'abcdef', 1, 5, 'public', 1, 'speaker', 'all', '30', 1)`.execute(tx)
      for (const [id, seq, userId] of [
        ['m1', 1, 'abcdef'],
        ['m2', 2, null],
      ] as const)
        await sql`insert into room_messages (id, room_id, seq, user_id, author_name, author_guest, content, created_at)
          values (${id}, 'r', ${seq}, ${userId}, 'Quixote', 0, 'Hello', 1)`.execute(tx)
      for (const [seq, type, data] of [
        [3, 'member.joined', { person }],
        [4, 'room.owner', { ownerId: 'abcdef', previousOwnerId: 'x' }],
      ] as const)
        await sql`insert into room_events (room_id, seq, type, data, created_at)
          values ('r', ${seq}, ${type}, ${JSON.stringify(data)}, 1)`.execute(tx)
    })
    await migrate(database, migrations)
    const messages = await database.read.selectFrom('room_messages').selectAll().orderBy('seq').execute()
    expect(messages.map(({ author_name, content }) => [author_name, content])).toEqual([
      ['#abcd', 'Hello'],
      ['#', 'Hello'],
    ])
    const events = await database.read.selectFrom('room_events').selectAll().orderBy('seq').execute()
    expect(events.map(({ data }) => JSON.parse(data) as unknown)).toEqual([
      { person: { userId: 'abcdef', guest: false, role: 'speaker' } },
      { ownerId: 'abcdef', previousOwnerId: 'x' },
    ])
    await database.close()
  })

  test('a page of events asks for names once, however many people share one', async () => {
    const owner = await member(service, 'Olga')
    const { id } = await createRoom(owner)
    const guests = await Promise.all(Array.from({ length: 6 }, () => guest(service, 'Sam')))
    for (const each of guests) await join(each, id)
    const members = `/api/rooms/${id}/members`
    const { database } = service.rooms
    for (const { user, browser } of guests) {
      const body = { role: 'speaker' }
      await owner.browser.json(`${members}/${user.id}`, { method: 'PATCH', body })
      await browser.json(`/api/rooms/${id}/messages`, { body: { content: 'Hello' } }, 201)
    }
    const count = async (limit: number) => {
      let statements = 0
      const counting = database.read.withPlugin({
        transformQuery: ({ node }) => node,
        transformResult: async ({ result }) => {
          statements++
          return result
        },
      })
      const { events } = await loadEvents(counting, id, 0, limit)
      return { events, statements }
    }
    const [few, many] = [await count(3), await count(200)]
    expect(many.events).toHaveLength(12)
    expect([few.statements, many.statements]).toEqual([4, 4])
    const names = many.events.map(({ data }) => {
      const { person, message } = data as Record<string, { nickname: string }>
      return (person ?? message)?.nickname
    })
    const expected = guests.flatMap(({ user }) => Array(2).fill(`Sam #${user.id.slice(0, 4)}`))
    expect(names).toEqual(expected)
  })

  test('on a page as alone, guests are told apart from anybody there who looks the same, members only from the very same', async () => {
    const owner = await member(service, 'Olga')
    const { id } = await createRoom(owner)
    const people = [
      await member(service, 'Kim'),
      await guest(service, 'Kim'),
      await guest(service, 'Кim'),
      await member(service, 'Robin'),
      await member(service, 'Robin'),
      await guest(service, 'Nobody else'),
    ]
    await guest(service, 'Nobody else')
    for (const each of people) {
      await join(each, id)
      await each.browser.json(`/api/rooms/${id}/messages`, { body: { content: 'Hello' } }, 201)
    }
    const { messages } = await owner.browser.json<{ messages: { nickname: string }[] }>(
      `/api/rooms/${id}/messages`,
    )
    const suffix = ({ user }: Somebody) => ` #${user.id.slice(0, 4)}`
    const isSuffixed = [false, true, true, true, true, false]
    const expected = people.map((each, at) => each.user.nickname + (isSuffixed[at] ? suffix(each) : ''))
    expect(messages.map(({ nickname }) => nickname)).toEqual(expected)
    const { read } = service.rooms.database
    for (const [at, { user }] of people.entries())
      expect((await findCalled(read, id, user.id))?.nickname).toBe(expected[at])
  })
})
