import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type Actor,
  type RoomJson,
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  listedRoom,
  makeMember,
  member,
  readContents,
  readEvents,
} from '../actions.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'

const HOUR = 3_600_000
const DAY = 24 * HOUR

eachDialect((dialect, newUrl) => {
  test('R36.2d: a smaller maximum is announced in each affected room, and hides and deletes nothing for 7 days, on any node and after restarts', async () => {
    const rooms = await openRooms({ url: await newUrl(), settings: LASTING })
    const owner = await member(rooms)
    await keepSignedIn(rooms)
    const { id: forever } = await createRoom(owner)
    const { id: short } = await createRoom(owner, { retention: 10 })
    for (const id of [forever, short]) await createMessage(owner, id, 'Old')
    const storedIn = async (roomId: string) =>
      (
        await rooms.rooms.database.read
          .selectFrom('room_messages')
          .select('content')
          .where('room_id', '=', roomId)
          .orderBy('seq')
          .execute()
      ).map(({ content }) => content)
    const announced = async (roomId: string) =>
      (await readEvents(owner, roomId))
        .filter(({ event }) => event === 'room.retention')
        .map(({ data }) => data)
    rooms.clock.ms += 40 * DAY
    const node = await rooms.node({ maxRetentionDays: 30, retentionDays: null })
    await runJobs(node)
    const from = new Date(rooms.clock.ms + 7 * DAY).toISOString()
    expect(await announced(forever)).toEqual([{ days: 30, from }])
    expect(await announced(short)).toEqual([])
    expect(await listedRoom(owner, forever)).toMatchObject({
      retention: 'forever',
      maxRetention: { days: 30, from },
    })
    // A message of the room with a smaller setting of its own is deleted, and no other.
    expect([await storedIn(forever), await storedIn(short)]).toEqual([['Old'], []])
    rooms.clock.ms += 7 * DAY - 2 * HOUR
    // Restarts announce nothing again, and do not restart the time.
    for (let restart = 0; restart < 2; restart++)
      await (await rooms.node({ maxRetentionDays: 30, retentionDays: null })).close()
    await runJobs(node)
    expect([await readContents(owner, forever), await storedIn(forever)]).toEqual([['Old'], ['Old']])
    expect(await announced(forever)).toHaveLength(1)
    rooms.clock.ms += HOUR
    expect(await readContents(owner, forever)).toEqual([])
    rooms.clock.ms += HOUR
    await runJobs(node)
    expect(await storedIn(forever)).toEqual([])
    await node.close()
    await rooms.close()
  })

  test('R36.2c R36.2d R36.2e: until a smaller maximum holds, the earlier one does; a larger one holds at once, for readers, search and the job alike', async () => {
    const url = await newUrl()
    const rooms = await openRooms({ url, settings: LASTING })
    const owner = await member(rooms)
    const reader = await member(rooms, 'Rita')
    await keepSignedIn(rooms)
    const { id } = await createRoom(owner, { visibility: 'private' })
    await makeMember(rooms, id, reader)
    const withMax = async (maxRetentionDays: number | null) => {
      const node = await rooms.node({ maxRetentionDays, retentionDays: null })
      await runJobs(node)
      return node
    }
    const countHits = async () =>
      (await reader.browser.json<{ results: unknown[] }>('/api/search?q=anchor')).results.length
    const nodes: TestRooms[] = [await withMax(20)]
    rooms.clock.ms += 8 * DAY
    await createMessage(owner, id, 'anchor')
    nodes.push(await withMax(3))
    rooms.clock.ms += 5 * DAY
    expect([await readContents(reader, id), await countHits()]).toEqual([['anchor'], 1])
    rooms.clock.ms += 3 * DAY
    expect([await readContents(reader, id), await countHits()]).toEqual([[], 0])
    await runJobs(rooms)
    nodes.push(await withMax(20))
    await createMessage(owner, id, 'anchor')
    rooms.clock.ms += 19 * DAY
    expect([await readContents(reader, id), await countHits()]).toEqual([['anchor'], 1])
    rooms.clock.ms += 2 * DAY
    expect([await readContents(reader, id), await countHits()]).toEqual([[], 0])
    await runJobs(rooms)
    nodes.push(await withMax(null))
    expect(await listedRoom(reader, id)).toMatchObject({ maxRetention: null })
    await createMessage(owner, id, 'anchor')
    rooms.clock.ms += 900 * DAY
    await runJobs(rooms)
    expect(await readContents(reader, id)).toEqual(['anchor'])
    const days = (await readEvents(reader, id))
      .filter(({ event }) => event === 'room.retention')
      .map(({ data }) => data['days'])
    // Earlier announcements have been deleted with their time.
    expect(days.at(-1)).toBeNull()
    for (const node of nodes) await node.close()
    await rooms.close()
  })

  if (dialect === 'postgres') return

  test('R36.2 R36.2a R36.2b R36.2f: a room retains messages for any number of days up to the maximum, by default for those of ROOMS_RETENTION', async () => {
    const rooms = await openRooms({
      url: await newUrl(),
      settings: { maxRetentionDays: 365, retentionDays: 90 },
    })
    const owner = await member(rooms)
    const { id, ...room } = await createDefaultRoom(owner)
    expect(room).toMatchObject({ retention: 90, defaultRole: 'speaker', maxParticipants: null })
    for (const retention of [1, 91, 365])
      expect((await changeSettings(owner, id, { retention })).status).toBe(200)
    for (const retention of [0, 1.5, 366, '30', 'forever', null]) {
      const response = await changeSettings(owner, id, { retention })
      expect([retention, response.status]).toEqual([retention, 400])
    }
    expect(
      await owner.browser.json('/api/rooms', { body: { name: 'Lounge', retention: 366 } }, 400),
    ).toMatchObject({
      code: 'invalid_request',
      fields: [{ path: 'retention', code: 'too_big' }],
    })
    const node = await rooms.node({ maxRetentionDays: 365, retentionDays: null })
    expect(await createDefaultRoom({ browser: browserOn(node, owner) })).toMatchObject({ retention: 365 })
    await node.close()
    await rooms.close()
  })
})

const FOREVER_SECONDS = 1e9
const LASTING = { sessionIdleSeconds: FOREVER_SECONDS, sessionAbsoluteSeconds: FOREVER_SECONDS }

/** Lets the sessions of the test last for longer than its years. */
async function keepSignedIn({ rooms, clock }: TestRooms): Promise<void> {
  const until = clock.ms + FOREVER_SECONDS * 1000
  await rooms.database.write((tx) =>
    tx.updateTable('sessions').set({ idle_expires_at: until, absolute_expires_at: until }).execute(),
  )
}

/** A room of which only the name is chosen. */
async function createDefaultRoom({ browser }: Actor): Promise<RoomJson> {
  return (await browser.json<{ room: RoomJson }>('/api/rooms', { body: { name: 'Lounge' } }, 201)).room
}

function browserOn(node: TestRooms, { browser }: TestUser): Browser {
  const other = node.browser()
  for (const [name, value] of browser.cookies) other.cookies.set(name, value)
  return other
}

/** Runs all jobs that did not run in the last hour. */
async function runJobs({ rooms, clock }: TestRooms): Promise<void> {
  clock.ms += HOUR
  await rooms.jobs.runDue()
}
