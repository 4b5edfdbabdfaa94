import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { ClusterEvent } from '../../src/api/cluster-events.ts'
import { pagesOfMessages } from '../../src/account/store.ts'
import { roomJobs } from '../../src/jobs/rooms.ts'
import {
  type TestUser,
  createMessage,
  createRoom,
  deleteRoom,
  join,
  leave,
  member,
  succeed,
  visitOf,
} from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { browserOf } from '../sessions/people.ts'
import { findMessage, findMessagesBetween, listEvents, listMessagesBefore } from '../../src/messages/store.ts'
import { lockRoom } from '../../src/rooms/room-events.ts'
import { deleteOrphanedLog } from '../../src/rooms/store.ts'
import { deletePastRetention } from '../../src/rooms/upkeep.ts'
import { renewLeases } from '../../src/rooms/visits.ts'
import { untilWaiting } from './locks.ts'

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE
const DAY = 24 * HOUR

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    const limits = { rooms_per_hour: 1000, messages_per_10s: 1000 }
    rooms = await openRooms({ url: await newUrl(), limits })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const db = () => rooms.rooms.database.read
  const run = async (name: string): Promise<readonly ClusterEvent[]> => {
    const job = roomJobs.find((each) => each.name === name)
    if (!job) throw new Error(`No job is called ${name}`)
    const outcome = await rooms.rooms.database.write((tx) => job.run(tx, rooms.clock.ms))
    return typeof outcome === 'object' ? outcome.events : []
  }
  const count = async (table: 'room_messages' | 'room_events', roomId: string) =>
    (await db().selectFrom(table).select('seq').where('room_id', '=', roomId).execute()).length
  /** By the owner of the room, without limits. */
  const fillRoom = (room_id: string, { length, atMs }: { length: number; atMs: number }) =>
    rooms.rooms.database.write(async (tx) => {
      const row = { room_id, created_at: atMs }
      const who = { user_id: owner.user.id, client_id: null, author_name: '', author_guest: 0 } as const
      const what = { content: 'Words', deleted_at: null, deleted_by: null }
      const seqs = Array.from({ length }, (_, at) => at + 1)
      const events = seqs.map((seq) => ({ ...row, seq, type: 'message.created' as const, data: '{}' }))
      await tx.insertInto('room_events').values(events).execute()
      const messages = seqs.map((seq) => ({ ...row, ...who, ...what, id: `${seq} ${room_id}`, seq }))
      await tx.insertInto('room_messages').values(messages).execute()
      await tx.updateTable('rooms').set({ last_seq: length }).where('id', '=', room_id).execute()
    })
  const leasesOf = async (roomId: string) =>
    (await db().selectFrom('presence_leases').select('user_id').where('room_id', '=', roomId).execute()).map(
      ({ user_id }) => user_id,
    )

  test('R21.1a, R28.18: a user whose leases have expired has left when the last of them expired', async () => {
    const { id } = await createRoom(owner)
    const [bob, cem] = [await member(rooms), await member(rooms)]
    await join(bob, id)
    await join(cem, id)
    const goneMs = rooms.clock.ms + 45 * SECOND
    rooms.clock.ms = goneMs - 1
    expect(await run('presence')).toEqual([])
    expect(await visitOf(rooms, id, bob)).toMatchObject({ ended_at: null })
    await join(cem, id)
    rooms.clock.ms = goneMs + 10 * SECOND
    expect(await run('presence')).toEqual([
      { kind: 'presence', roomId: id },
      { kind: 'lobby', roomId: id },
    ])
    expect(await visitOf(rooms, id, bob)).toMatchObject({ ended_at: goneMs })
    expect(await visitOf(rooms, id, cem)).toMatchObject({ ended_at: null })
    expect(await leasesOf(id)).toEqual([cem.user.id])
    expect(await run('presence')).toEqual([])
  })

  test('a user with two connections leaves with the last of them, and is reported only in the rooms concerned', async () => {
    const [here, there] = [await createRoom(owner), await createRoom(owner)]
    const bob = await member(rooms)
    const second = { user: bob.user, browser: await browserOf(rooms, bob.user) }
    await join(bob, here.id)
    await join(bob, there.id)
    rooms.clock.ms += 30 * SECOND
    await join(second, here.id)
    rooms.clock.ms += 20 * SECOND
    const roomIds = (await run('presence')).flatMap((event) => ('roomId' in event ? [event.roomId] : []))
    expect(roomIds.filter((id) => id === there.id)).toHaveLength(2)
    expect(roomIds).not.toContain(here.id)
    expect(await leasesOf(here.id)).toEqual([bob.user.id])
    expect(await visitOf(rooms, here.id, bob)).toMatchObject({ ended_at: null })
    expect(await visitOf(rooms, there.id, bob)).toMatchObject({ ended_at: expect.any(Number) })
  })

  test('a user who returns while the job runs is not removed', async () => {
    const { id } = await createRoom(owner)
    const people = await Promise.all(Array.from({ length: 6 }, () => member(rooms)))
    for (const who of people) await join(who, id)
    rooms.clock.ms += 45 * SECOND
    const [, ...answers] = await Promise.all([
      run('presence'),
      ...people.slice(0, 3).map((who) => join(who, id)),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    for (const [at, who] of people.entries()) {
      const visit = await visitOf(rooms, id, who)
      expect([at, visit?.ended_at === null]).toEqual([at, at < 3])
    }
    expect(new Set(await leasesOf(id))).toEqual(new Set(people.slice(0, 3).map(({ user }) => user.id)))
  })

  if (dialect === 'postgres')
    test('a user whose lease a node renews while the job runs has a visit or no lease', async () => {
      const [first, second] = [await createRoom(owner), await createRoom(owner)].toSorted((a, b) =>
        a.id < b.id ? -1 : 1,
      )
      const bob = await member(rooms)
      for (const room of [first!, second!]) await join(bob, room.id)
      const held = await db()
        .selectFrom('presence_leases')
        .select('connection_id')
        .where('room_id', '=', first!.id)
        .execute()
      const ids = held.map(({ connection_id }) => connection_id)
      rooms.clock.ms += 46 * SECOND
      const { database } = rooms.rooms
      // The job has finished the first room and waits for the second. The clock of that node is
      // behind.
      const { job, renewed } = await database.write(async (tx) => {
        await lockRoom(tx, second!.id)
        const started = { job: run('presence'), renewed: Promise.resolve() }
        await untilWaiting(rooms)
        started.renewed = database.write((other) =>
          renewLeases(other, dialect, ids, rooms.clock.ms - 5 * SECOND),
        )
        await untilWaiting(rooms, { count: 2, done: started.renewed })
        return started
      })
      await Promise.all([job, renewed])
      expect(await visitOf(rooms, first!.id, bob)).toMatchObject({ ended_at: expect.any(Number) })
      expect(await leasesOf(first!.id)).toEqual([])
    })

  test('R21.1c, R28.4: the job deletes messages and events past their retention, also in idle rooms, and no others', async () => {
    const kinds = [
      [7, 'all', 7 * DAY],
      [30, 'since_membership', 30 * DAY],
      ['forever', 'all', null],
      ['forever', 'none', HOUR],
      [7, 'none', HOUR],
    ] as const
    const made: { id: string; keptMs: number | null }[] = []
    for (const [retention, historyVisibility, keptMs] of kinds) {
      const { id } = await createRoom(owner, { retention, historyVisibility })
      for (const content of ['old', 'young']) await createMessage(owner, id, content)
      made.push({ id, keptMs })
      const oldMs = rooms.clock.ms - (keptMs ?? 3650 * DAY)
      await rooms.rooms.database.write(async (tx) => {
        for (const table of ['room_messages', 'room_events'] as const)
          for (const [seq, created_at] of [
            [1, oldMs],
            [2, oldMs + 1],
          ] as const)
            await tx
              .updateTable(table)
              .set({ created_at })
              .where('room_id', '=', id)
              .where('seq', '=', seq)
              .execute()
      })
    }
    await run('retention')
    for (const { id, keptMs } of made)
      for (const table of ['room_messages', 'room_events'] as const) {
        const rows = await db()
          .selectFrom(table)
          .select('seq')
          .where('room_id', '=', id)
          .orderBy('seq')
          .execute()
        expect([keptMs, rows.map(({ seq }) => seq)]).toEqual([keptMs, keptMs === null ? [1, 2] : [2]])
      }
    const numbers = await db()
      .selectFrom('rooms')
      .select('last_seq')
      .where(
        'id',
        'in',
        made.map(({ id }) => id),
      )
      .execute()
    expect(numbers.map(({ last_seq }) => last_seq)).toEqual([2, 2, 2, 2, 2])
  })

  test('R28.4: one run deletes everything past its retention, in several transactions between which other writers run', async () => {
    const { id } = await createRoom(owner, { retention: 7 })
    const { database } = rooms.rooms
    const length = 2_500
    await fillRoom(id, { length, atMs: rooms.clock.ms - 8 * DAY })
    // The remaining rows when other writers ran.
    const seen = new Set<number>()
    let left = length
    let isOver = false
    database.afterWrite(async () => {
      if (isOver) return
      left = await count('room_messages', id)
      setImmediate(() => seen.add(left))
    })
    rooms.clock.ms += 10 * MINUTE
    await rooms.rooms.jobs.runDue()
    isOver = true
    expect([await count('room_messages', id), await count('room_events', id)]).toEqual([0, 0])
    expect([...seen].some((rows) => rows > 0 && rows < length)).toBe(true)
  })

  test('a deleted room with many messages disappears at once, its rest cannot be read, and is deleted in batches, also after a restart', async () => {
    const { id } = await createRoom(owner)
    const { id: other } = await createRoom(owner)
    const length = 2_500
    for (const roomId of [id, other]) await fillRoom(roomId, { length, atMs: rooms.clock.ms })
    await succeed(deleteRoom(owner, id))
    const left = await count('room_messages', id)
    expect([left > 0, left < length]).toEqual([true, true])
    for (const path of ['', '/messages', '/events?after=0'])
      expect((await owner.browser.send(`/api/rooms/${id}${path}`)).status).toBe(404)
    // Nor by a user who was admitted before and reads only now.
    const whole = { roomId: id, afterSeq: 0, lastSeq: length, first: 0, last: length, limit: 10 }
    expect(
      await listMessagesBefore(db(), { ...whole, retainedAfterMs: 0 }, { before: undefined, limit: 10 }),
    ).toEqual([])
    expect(await listEvents(db(), whole)).toEqual([])
    expect((await findMessagesBetween(db(), whole)).size).toBe(0)
    expect(await findMessage(db(), id, `${length} ${id}`)).toBeUndefined()
    const exported = new Set<string>()
    for await (const page of pagesOfMessages(db(), owner.user.id))
      for (const { room_id } of page) exported.add(room_id)
    expect([exported.has(id), exported.has(other)]).toEqual([false, true])
    // The process is killed after one batch. Another one continues.
    await run('gone-rooms')
    expect(await count('room_messages', id)).toBeLessThan(left)
    expect(await count('room_events', id)).toBeGreaterThan(0)
    rooms.clock.ms += MINUTE
    const next = await rooms.node()
    await next.rooms.jobs.runDue()
    await next.close()
    expect([await count('room_messages', id), await count('room_events', id)]).toEqual([0, 0])
    expect([await count('room_messages', other), await count('room_events', other)]).toEqual([length, length])
    const states = await db().selectFrom('platform_state').select('key').execute()
    expect(states.filter(({ key }) => key.includes(id))).toEqual([])
  })

  if (dialect === 'postgres')
    test('two nodes that delete the rest of a room at once delete all of it', async () => {
      const { id } = await createRoom(owner)
      await fillRoom(id, { length: 2_500, atMs: rooms.clock.ms })
      await succeed(deleteRoom(owner, id))
      const { database } = rooms.rooms
      const { other } = await database.write(async (tx) => {
        await tx.deleteFrom('room_events').where('room_id', '=', id).execute()
        await deleteOrphanedLog(tx)
        const begun = { other: run('gone-rooms') }
        await untilWaiting(rooms)
        return begun
      })
      await other
      rooms.clock.ms += MINUTE
      await rooms.rooms.jobs.runDue()
      expect(await count('room_messages', id)).toBe(0)
    })

  if (dialect === 'postgres')
    test('the rest of a room is deleted completely while expired messages of it are being deleted', async () => {
      const { id } = await createRoom(owner, { retention: 7 })
      await fillRoom(id, { length: 1_500, atMs: rooms.clock.ms - 8 * DAY })
      const { database } = rooms.rooms
      const { gone } = await database.write(async (tx) => {
        await tx.deleteFrom('room_events').where('room_id', '=', id).execute()
        await deletePastRetention(tx, rooms.clock.ms)
        const begun = { gone: succeed(deleteRoom(owner, id)) }
        await untilWaiting(rooms)
        return begun
      })
      await gone
      // The two deletions need not choose the same messages.
      expect(await count('room_messages', id)).toBeGreaterThan(0)
      rooms.clock.ms += MINUTE
      await rooms.rooms.jobs.runDue()
      expect(await count('room_messages', id)).toBe(0)
    })

  test('visits that ended a day ago are deleted, and running or later ones are not', async () => {
    const { id } = await createRoom(owner)
    const [old, young, staying] = [await member(rooms), await member(rooms), await member(rooms)]
    for (const who of [old, young, staying]) await join(who, id)
    await leave(old, id)
    rooms.clock.ms += 1
    await leave(young, id)
    rooms.clock.ms += DAY - 1
    await run('old-visits')
    expect(await visitOf(rooms, id, old)).toBeUndefined()
    expect(await visitOf(rooms, id, young)).toBeDefined()
    expect(await visitOf(rooms, id, staying)).toBeDefined()
  })

  test('the service runs these jobs itself and publishes their events', async () => {
    const { id } = await createRoom(owner)
    await join(await member(rooms), id)
    rooms.clock.ms += 45 * SECOND
    rooms.publishedEvents.length = 0
    await rooms.rooms.jobs.runDue()
    expect(rooms.publishedEvents).toContainEqual({ kind: 'presence', roomId: id })
    expect(await leasesOf(id)).toEqual([])
    expect(rooms.logLines.join('')).not.toContain('job: failed')
  })
})
