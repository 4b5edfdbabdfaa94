import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type LeaseConnection,
  endLease,
  renewLeases,
  shortenLeases,
  startVisit,
} from '../../src/rooms/visits.ts'
import { type TestUser, createRoom, leave, member } from '../actions.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

const SECOND = 1000

eachDialect((_dialect, newUrl) => {
  let rooms: TestRooms
  let owner: TestUser
  beforeAll(async () => {
    rooms = await openRooms({ url: await newUrl(), limits: { rooms_per_hour: 1000 } })
    owner = await member(rooms, 'Olga')
  })
  afterAll(() => rooms.close())

  const database = () => rooms.rooms.database
  const connection = ({ browser }: TestUser): LeaseConnection => ({
    connection_id: crypto.randomUUID(),
    session_id: browser.sessionId,
    node_id: 'node-1',
  })
  const start = ({ user }: TestUser, roomId: string, by: LeaseConnection) => {
    const entrant = {
      userId: user.id,
      clientPrefix: '192.0.2.1',
      clientIp: '192.0.2.1',
      requestId: null,
      nowMs: rooms.clock.ms,
      adminUntilMs: Infinity,
    }
    return database().write((tx) =>
      startVisit(tx, { dialect: database().dialect, roomId, entrant, connection: by }, rooms.limits),
    )
  }
  const end = (roomId: string, { connection_id }: LeaseConnection) =>
    database().write((tx) => endLease(tx, { roomId, connectionId: connection_id, nowMs: rooms.clock.ms }))
  const renew = (...connections: LeaseConnection[]) =>
    database().write((tx) =>
      renewLeases(
        tx,
        database().dialect,
        connections.map(({ connection_id }) => connection_id),
        rooms.clock.ms,
      ),
    )
  const leases = (roomId: string) =>
    database()
      .read.selectFrom('presence_leases')
      .select(['connection_id', 'expires_at'])
      .where('room_id', '=', roomId)
      .execute()

  test('R18.6a: two tabs are one participant, who leaves with the last of them', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const [one, two] = [connection(bob), connection(bob)]
    expect((await start(bob, id, one)).hasEntered).toBe(true)
    expect((await start(bob, id, two)).hasEntered).toBe(false)
    expect(await end(id, one)).toBe(false)
    expect(await end(id, one)).toBe(false)
    expect(await end(id, two)).toBe(true)
    expect(await leases(id)).toEqual([])
    expect((await start(bob, id, one)).hasEntered).toBe(true)
  })

  test('a tab that ends while the other has long been silent is the last one', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const [silent, live] = [connection(bob), connection(bob)]
    await start(bob, id, silent)
    rooms.clock.ms += 45 * SECOND
    expect((await start(bob, id, live)).hasEntered).toBe(true)
    expect(await end(id, live)).toBe(true)
  })

  test('R19.2: renewing does not restore a lease that was removed or has expired', async () => {
    const [here, there] = [await createRoom(owner), await createRoom(owner)]
    const [bob, cem] = [await member(rooms), await member(rooms)]
    const [ofBob, ofCem] = [connection(bob), connection(cem)]
    await start(bob, here.id, ofBob)
    await start(bob, there.id, ofBob)
    await start(cem, here.id, ofCem)
    rooms.clock.ms += 15 * SECOND
    await leave(bob, here.id)
    await renew(ofBob, ofCem, connection(bob))
    const until = rooms.clock.ms + 45 * SECOND
    expect(await leases(there.id)).toEqual([{ connection_id: ofBob.connection_id, expires_at: until }])
    expect(await leases(here.id)).toEqual([{ connection_id: ofCem.connection_id, expires_at: until }])
    await renew()
    rooms.clock.ms += 45 * SECOND
    await renew(ofBob, ofCem)
    expect(await leases(there.id)).toEqual([{ connection_id: ofBob.connection_id, expires_at: until }])
  })

  test('R18.6: the lease of a closed connection expires sooner, never later, and a user who returns in time has never left', async () => {
    const { id } = await createRoom(owner)
    const bob = await member(rooms)
    const [lost, next] = [connection(bob), connection(bob)]
    await start(bob, id, lost)
    const shorten = (ms: number) =>
      database().write((tx) =>
        shortenLeases(tx, database().dialect, [lost.connection_id], rooms.clock.ms + ms),
      )
    await shorten(10 * SECOND)
    await shorten(40 * SECOND)
    expect(await leases(id)).toEqual([
      { connection_id: lost.connection_id, expires_at: rooms.clock.ms + 10 * SECOND },
    ])
    rooms.clock.ms += 10 * SECOND - 1
    expect((await start(bob, id, next)).hasEntered).toBe(false)
  })
})
