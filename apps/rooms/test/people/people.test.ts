import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createCursor } from '@latchkey/http/cursor'
import {
  type ListedPersonJson,
  type TestUser,
  createRoom,
  eraseAccount,
  guest,
  join,
  leave,
  makeMember,
  member,
  readPerson,
  refusal,
  succeed,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const NOWHERE = '11111111-2222-4333-8444-555555555555'

interface PeoplePage {
  people: ListedPersonJson[]
  nextCursor: string | null
}

const list = ({ browser }: TestUser, query: string) => browser.json<PeoplePage>(`/api/people?${query}`)
const names = async (who: TestUser, query: string) =>
  (await list(who, query)).people.map(({ nickname }) => nickname)
const put = ({ browser }: TestUser, path: string, body: unknown) =>
  browser.send(`/api/${path}`, { method: 'PUT', body })

eachDialect((_dialect, newUrl, testOnSqlite) => {
  let rooms: TestRooms
  let eva: TestUser
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      limits: { rooms_per_hour: 1000, people_searches_per_minute: 1000, messages_per_10s: 1000 },
    })
    eva = await member(rooms, 'Eva List')
  })
  afterAll(() => rooms.close())

  const block = (who: TestUser, whom: TestUser, method = 'PUT') =>
    succeed(who.browser.send(`/api/blocks/${whom.user.id}`, { method }))

  test('R37.1: people are listed by name, page by page and by any part of it, without guests and disabled people', async () => {
    const added = ['Åke List', 'aron list', 'Zoë List', 'Zoë List', 'B. o. List']
    for (const name of added) await member(rooms, name)
    await guest(rooms, 'Guest List')
    const disabled = await member(rooms, 'Disabled List')
    const erased = await member(rooms, 'Erased List')
    await rooms.rooms.database.write((tx) =>
      tx.updateTable('users').set({ disabled: 1 }).where('id', '=', disabled.user.id).execute(),
    )
    expect((await eraseAccount(erased)).status).toBe(200)
    const expected = ['Åke List', 'aron list', 'B. o. List', 'Eva List', 'Zoë List', 'Zoë List']
    expect(await names(eva, 'q=LIST')).toEqual(expected)
    const walked: string[] = []
    for (let cursor = ''; walked.length < 20;) {
      const page = await list(eva, `q=list&limit=2${cursor}`)
      walked.push(...page.people.map(({ nickname }) => nickname))
      if (page.nextCursor === null) break
      cursor = `&cursor=${page.nextCursor}`
    }
    expect(walked).toEqual(expected)
    expect(await names(eva, 'q=ake')).toEqual(['Åke List'])
    expect(await names(eva, 'q=%25')).toEqual([])
    expect(await names(eva, 'limit=2')).toEqual(expected.slice(0, 2))
    const [own] = (await list(eva, 'q=eva')).people
    expect(Object.keys(own ?? {}).toSorted()).toEqual(
      ['avatarColor', 'avatarUrl', 'id', 'nickname', 'present', 'status', 'timeZone', 'title'].toSorted(),
    )
    const { nextCursor } = await list(eva, 'q=list&limit=2')
    expect((await eva.browser.send(`/api/people?q=other&cursor=${nextCursor}`)).status).toBe(400)
    const forged = createCursor(['people', 'list'], ['\0', eva.user.id])
    expect((await eva.browser.send(`/api/people?q=list&cursor=${forged}`)).status).toBe(400)
  })

  test('R37.1b: a status is replaced as a whole, ends by itself at its time, and away hides presence with it', async () => {
    const [max, other] = [await member(rooms, 'Max'), await member(rooms, 'Other')]
    const { id } = await createRoom(max)
    await succeed(join(max, id))
    expect(await readPerson(other, max.user.id)).toMatchObject({ status: null, present: true })
    const until = new Date(rooms.clock.ms + 60_000).toISOString()
    await succeed(put(max, 'status', { text: ' Lunch ', emoji: '🍜', until, away: true }))
    const status = { text: 'Lunch', emoji: '🍜', until }
    expect(await readPerson(other, max.user.id)).toMatchObject({ status, present: false })
    expect(await max.browser.json('/api/status')).toEqual({ status: { ...status, away: true } })
    rooms.clock.ms += 59_999
    expect((await readPerson(other, max.user.id)).status).not.toBeNull()
    rooms.clock.ms += 1
    await succeed(join(max, id))
    expect(await readPerson(other, max.user.id)).toMatchObject({ status: null, present: true })
    rooms.publishedEvents.length = 0
    await rooms.rooms.jobs.runDue()
    expect(rooms.publishedEvents).toContainEqual({ kind: 'people', userIds: [max.user.id] })
    await succeed(put(max, 'status', { emoji: '🌴' }))
    expect(await readPerson(other, max.user.id)).toMatchObject({
      status: { text: null, emoji: '🌴', until: null },
      present: true,
    })
    await succeed(put(max, 'status', {}))
    expect((await readPerson(other, max.user.id)).status).toBeNull()
    await succeed(leave(max, id))
    rooms.clock.ms += 60_000
    expect((await readPerson(other, max.user.id)).present).toBe(false)
  })

  test('R37.4: who blocks looks away to the person blocked, and to no one else', async () => {
    const [max, other] = [await member(rooms, 'Max'), await member(rooms, 'Other')]
    await succeed(join(max, (await createRoom(max)).id))
    await succeed(put(max, 'status', { text: 'Here' }))
    await block(max, other)
    const seenBy = async (who: TestUser) => {
      const { status, present } = await readPerson(who, max.user.id)
      const listed = (await list(who, 'q=max&limit=100')).people.find((person) => person.id === max.user.id)
      expect(listed).toMatchObject({ status, present })
      return [status?.text, present]
    }
    expect(await seenBy(other)).toEqual([undefined, false])
    expect(await seenBy(eva)).toEqual(['Here', true])
    await block(max, other, 'DELETE')
    expect(await seenBy(other)).toEqual(['Here', true])
  })

  test('R37.1c: a person’s card has the rooms of which both are members, and no others', async () => {
    const [max, other] = [await member(rooms, 'Max'), await member(rooms, 'Other')]
    const [own, both] = [await createRoom(max, { name: 'Own' }), await createRoom(max, { name: 'Both' })]
    await makeMember(rooms, both.id, other)
    await succeed(join(other, own.id))
    const roomsOf = async (who: TestUser, userId: string) =>
      (await who.browser.json<{ rooms: unknown[] }>(`/api/people/${userId}`)).rooms
    expect(await roomsOf(other, max.user.id)).toEqual([{ id: both.id, name: 'Both' }])
    expect(await roomsOf(max, other.user.id)).toEqual([{ id: both.id, name: 'Both' }])
    expect(await roomsOf(eva, max.user.id)).toEqual([])
    for (const id of [NOWHERE, (await guest(rooms)).user.id])
      expect(await refusal(await eva.browser.send(`/api/people/${id}`))).toEqual([404, 'not_found'])
  })

  testOnSqlite('R37.1a: guests see no list and no card, and have no title, picture and status', async () => {
    const gustav = await guest(rooms)
    for (const path of ['people', `people/${eva.user.id}`, 'status', 'blocks'])
      expect([path, await refusal(await gustav.browser.send(`/api/${path}`))]).toEqual([
        path,
        [403, 'guest_not_permitted'],
      ])
    for (const path of ['profile', 'status'])
      expect((await put(gustav, path, { title: null, timeZone: null })).status).toBe(403)
  })

  testOnSqlite(
    'R37.1d: a title has 1 to 80 characters, a time zone a name, and a status one emoji and a later end',
    async () => {
      const profile = { title: 'Gardener', timeZone: 'Europe/Stockholm' }
      await succeed(put(eva, 'profile', { ...profile, title: '  Gardener ' }))
      expect(await readPerson(eva, eva.user.id)).toMatchObject(profile)
      const disguised = '\u202e Gard\n\u200bener\u2066'
      await succeed(put(eva, 'profile', { ...profile, title: disguised }))
      await succeed(put(eva, 'status', { text: disguised }))
      expect(await readPerson(eva, eva.user.id)).toMatchObject({
        title: 'Gard ener',
        status: { text: 'Gard ener' },
      })
      for (const wrong of [
        { title: '' },
        { title: ' ' },
        { title: '\u202e' },
        { title: 'x'.repeat(81) },
        { timeZone: '+01:00' },
        { more: 1 },
      ])
        expect([wrong, (await put(eva, 'profile', { ...profile, ...wrong })).status]).toEqual([wrong, 400])
      for (const wrong of [
        { text: 'x'.repeat(81) },
        { emoji: 'A' },
        { emoji: '🍜🍜' },
        { until: new Date(rooms.clock.ms).toISOString() },
        { away: 1 },
        { more: 1 },
      ])
        expect([wrong, (await put(eva, 'status', wrong)).status]).toEqual([wrong, 400])
      await succeed(put(eva, 'profile', { title: null, timeZone: null }))
      expect(await readPerson(eva, eva.user.id)).toMatchObject({ title: null, timeZone: null })
    },
  )
})
