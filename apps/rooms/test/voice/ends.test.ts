// The end of a right is the end of the call for that user (R33.5).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { changeSettings, guest } from '../actions.ts'
import { type Live, advance, listen } from '../realtime/live.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { until } from '../until.ts'
import { type Caller, MESH, enter, isLeft, joinCall, sendJoin, setState, threeInCall } from './call.ts'
import { ENDS, type End } from './ends.ts'

async function expectNotice({ socket }: Caller, notice: End['notice']): Promise<void> {
  if (typeof notice === 'number') return expect((await socket.closed).code).toBe(notice)
  expect(await socket.of(notice.type)).toMatchObject(notice)
}

async function isInCall({ rooms, clock }: TestRooms, { connectionId }: Caller): Promise<boolean> {
  const lease = await rooms.database.read
    .selectFrom('call_leases')
    .innerJoin('presence_leases', 'presence_leases.connection_id', 'call_leases.connection_id')
    .select('call_leases.connection_id')
    .where('call_leases.connection_id', '=', connectionId)
    .where('call_leases.lost_at', 'is', null)
    .where('presence_leases.expires_at', '>', clock.ms)
    .executeTakeFirst()
  return lease !== undefined
}

let rooms: TestRooms
let live: Live
beforeAll(async () => {
  rooms = await openRooms({
    settings: { voice: { ...MESH, guests: 'speak' } },
    limits: { voice_joins_per_minute: 1000 },
  })
  live = listen(rooms.rooms)
})
afterAll(async () => {
  await live.stop()
  await rooms.close()
})

for (const { what, act, notice, othersOf } of ENDS)
  test(`R33.5: ${what} ends the call of the user, and the others close their connections`, async () => {
    const call = await threeInCall(rooms, live)
    const { speaker, owner, listener, roomId } = call
    await setState(speaker, roomId, { audio: true, camera: true })
    await act(rooms, call)
    await advance(rooms, 1_000)
    await expectNotice(speaker, notice)
    for (const other of othersOf?.(call) ?? [owner, listener]) await other.socket.frame(isLeft(speaker))
    await until(async () => !(await isInCall(rooms, speaker)))
  })

test('R33.5: a change whose event was lost ends the call within two seconds', async () => {
  const { speaker, owner, roomId } = await threeInCall(rooms, live)
  await rooms.rooms.database.write((tx) =>
    tx.updateTable('room_members').set({ role: 'listener' }).where('user_id', '=', speaker.user.id).execute(),
  )
  await advance(rooms, 1_000)
  expect(await speaker.socket.of('voice.removed')).toMatchObject({ reason: 'rights' })
  await owner.socket.frame(isLeft(speaker))
  expect((await joinCall(speaker, roomId)).grants.audio).toBe(false)
})

test('R33.5: guests leave the call when the room lets them only listen, and may return to listen', async () => {
  const { owner, roomId } = await threeInCall(rooms, live, { defaultRole: 'speaker', voiceGuests: 'speak' })
  const visitor = await enter(live, await guest(rooms), roomId)
  expect((await joinCall(visitor, roomId)).grants).toEqual({ audio: true, camera: false, screen: false })
  await setState(visitor, roomId, { audio: true })
  await changeSettings(owner, roomId, { voiceGuests: 'listen' })
  expect(await visitor.socket.of('voice.removed')).toMatchObject({ reason: 'rights' })
  await owner.socket.frame(isLeft(visitor))
  expect((await joinCall(visitor, roomId)).grants.audio).toBe(false)
  await changeSettings(owner, roomId, { allowGuests: false })
  expect(await visitor.socket.of('room.removed')).toMatchObject({ reason: 'access_lost' })
})

test('R33.5: a room that becomes private takes visitors out of its call', async () => {
  const { owner, roomId } = await threeInCall(rooms, live)
  const visitor = await enter(live, await guest(rooms), roomId)
  await joinCall(visitor, roomId)
  await changeSettings(owner, roomId, { visibility: 'private' })
  expect(await visitor.socket.of('room.removed')).toMatchObject({ reason: 'access_lost' })
  await owner.socket.frame(isLeft(visitor))
  expect((await sendJoin(visitor, roomId)).status).toBe(404)
})

test('R33.5: a socket that closes leaves the call at once', async () => {
  const { owner, speaker } = await threeInCall(rooms, live)
  speaker.socket.terminate()
  await owner.socket.frame(isLeft(speaker))
  await owner.socket.settle()
  expect(owner.socket.frames.filter(isLeft(speaker))).toHaveLength(1)
})
