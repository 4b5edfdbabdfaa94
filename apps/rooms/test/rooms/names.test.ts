import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { loadEvents } from '../../src/messages/load-events.ts'
import { findUserDisplay } from '../../src/messages/store.ts'
import {
  type TestUser,
  createMessage,
  createRoom,
  eraseAccount,
  guest,
  join,
  makeMember,
  member,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

/** All stored events and messages as one text. */
async function storedIn({ rooms: { database } }: TestRooms): Promise<string> {
  const tables = ['users', 'room_messages', 'room_events', 'audit_events'] as const
  const rows = await Promise.all(tables.map((table) => database.read.selectFrom(table).selectAll().execute()))
  return JSON.stringify(rows)
}

interface Events {
  events: { event: string; data: Record<string, Record<string, unknown>> }[]
}

eachDialect((dialect, newUrl) => {
  let service: TestRooms
  beforeAll(async () => {
    service = await openRooms({ url: await newUrl() })
  })
  afterAll(() => service.close())

  test('a page of events looks names up once, however many users share one', async () => {
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
      const { events } = await loadEvents(counting, { roomId: id, afterSeq: 0, limit }, service.clock.ms)
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

  test('on a page as for a single message, guests are distinguished from all who look alike, and members only from equal names', async () => {
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
      await createMessage(each, id, 'Hello')
    }
    const { messages } = await owner.browser.json<{ messages: { nickname: string }[] }>(
      `/api/rooms/${id}/messages`,
    )
    const suffix = ({ user }: TestUser) => ` #${user.id.slice(0, 4)}`
    const isSuffixed = [false, true, true, true, true, false]
    const expected = people.map((each, at) => each.user.nickname + (isSuffixed[at] ? suffix(each) : ''))
    expect(messages.map(({ nickname }) => nickname)).toEqual(expected)
    const { read } = service.rooms.database
    for (const [at, { user }] of people.entries())
      expect((await findUserDisplay(read, id, user.id))?.nickname).toBe(expected[at])
  })

  if (dialect === 'postgres') return

  test('R28.26: the name of an erased account is nowhere, neither in messages nor in events', async () => {
    const owner = await member(service, 'Olga')
    const [ines, bob] = [await member(service, 'Inês Quixote'), await member(service, 'Bob')]
    const { id } = await createRoom(owner)
    for (const each of [ines, bob]) await join(each, id)
    const members = `/api/rooms/${id}/members`
    for (const { user } of [ines, bob])
      await owner.browser.json(`${members}/${user.id}`, { method: 'PATCH', body: { role: 'speaker' } })
    await createMessage(ines, id, 'Hello')
    await owner.browser.json(`${members}/${ines.user.id}/remove`, { body: { action: 'kick' } })
    const names = async () => {
      const { events } = await owner.browser.json<Events>(`/api/rooms/${id}/events?after=0`)
      return events.map(({ event, data }) => [event, (data['person'] ?? data['message'])?.['nickname']])
    }
    const expectedEvents = (name: string) => [
      ['member.joined', name],
      ['member.joined', 'Bob'],
      ['message.created', name],
      ['member.removed', name],
    ]
    expect(await names()).toEqual(expectedEvents('Inês Quixote'))
    expect(await storedIn(service)).toContain('Quixote')
    await succeed(eraseAccount(ines))
    expect(await names()).toEqual(expectedEvents(`#${ines.user.id.slice(0, 4)}`))
    expect(await storedIn(service)).not.toContain('Quixote')
  })

  test('events contain the same data of a user as the list', async () => {
    const [owner, bob] = [await member(service, 'Olga'), await member(service, 'Bob')]
    const { id } = await createRoom(owner)
    await makeMember(service, id, bob)
    service.publishedEvents.length = 0
    const body = { role: 'moderator' }
    await owner.browser.json(`/api/rooms/${id}/members/${bob.user.id}`, { method: 'PATCH', body })
    const published = service.publishedEvents.find((event) => event.kind === 'event')
    const { events } = await owner.browser.json<Events>(`/api/rooms/${id}/events?after=0`)
    expect(published?.kind === 'event' && published.event).toEqual(events[0] as never)
  })
})
