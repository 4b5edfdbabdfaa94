// A right that is revoked by a login ends access to rooms like a manual revocation does (R17.7,
// R28.3).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createMessage, createRoom, member } from '../actions.ts'
import { claimPath } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { untilWaiting } from '../rooms/locks.ts'
import { type Live, listen } from './live.ts'

const ROOT = { sub: 'root', name: 'Root' }

eachDialect((dialect, newUrl) => {
  let rooms: TestRooms
  let live: Live
  beforeAll(async () => {
    rooms = await openRooms({
      url: await newUrl(),
      provider: (idp) => idp.config({ adminClaim: { path: claimPath('groups'), value: 'admins' } }),
      // The first user to sign in should have the right by the claim alone.
      settings: { adminBootstrap: 'off' },
    })
    live = listen(rooms.rooms)
  })
  afterAll(async () => {
    await live.stop()
    await rooms.close()
  })

  test('R17.7 R28.3: a user who is not an administrator after a login loses, in every other session, the private rooms that the right opened', async () => {
    const owner = await member(rooms, 'Olga')
    const [hidden, open] = [await createRoom(owner, { visibility: 'private' }), await createRoom(owner)]
    const before = await rooms.signedInBrowser({ ...ROOT, groups: ['admins'] })
    const socket = live.connect(before)
    for (const { id } of [hidden, open])
      expect(await socket.subscribe(id)).toMatchObject({ type: 'subscribed' })
    await createMessage(owner, hidden.id, 'for administrators')
    await socket.frame(({ type, roomId }) => type === 'event' && roomId === hidden.id)
    await rooms.signedInBrowser({ ...ROOT, groups: [] })
    expect(await socket.of('room.removed')).toMatchObject({ roomId: hidden.id, reason: 'access_lost' })
    await createMessage(owner, hidden.id, 'not for others')
    await createMessage(owner, open.id, 'for everybody')
    await socket.frame(({ type, roomId }) => type === 'event' && roomId === open.id)
    await socket.settle()
    expect(JSON.stringify(socket.frames)).toContain('for administrators')
    expect(JSON.stringify(socket.frames)).not.toContain('not for others')
    expect(socket.isClosed).toBe(false)
    const { participants } = await owner.browser.json<{ participants: unknown[] }>(`/api/rooms/${hidden.id}`)
    expect(participants).toEqual([])
  })

  if (dialect === 'postgres')
    test('R17.7 R28.3: a user who enters by the right at the moment a login revokes it does not stay', async () => {
      const owner = await member(rooms, 'Olga')
      const { id: roomId } = await createRoom(owner, { visibility: 'private' })
      const before = await rooms.signedInBrowser({ ...ROOT, groups: ['admins'] })
      const socket = live.connect(before)
      const { userId } = await socket.of('welcome')
      const { database } = rooms.rooms
      // Entering waits for this session after it has found that the user may enter.
      const { entered, signedIn } = await database.write(async (tx) => {
        await tx
          .selectFrom('sessions')
          .select('id')
          .where('user_id', '=', String(userId))
          .orderBy('id')
          .forUpdate()
          .execute()
        const started = { entered: socket.subscribe(roomId), signedIn: Promise.resolve<unknown>(undefined) }
        await untilWaiting(rooms)
        started.signedIn = rooms.signedInBrowser({ ...ROOT, groups: [] })
        await untilWaiting(rooms, { count: 2, done: started.signedIn })
        return started
      })
      const [answer] = await Promise.all([entered, signedIn])
      // An admitted client gets the response first, and is in the room until it is removed.
      if (answer.type === 'subscribed') await socket.of('room.removed')
      const leases = await database.read
        .selectFrom('presence_leases')
        .select('room_id')
        .where('user_id', '=', String(userId))
        .where('room_id', '=', roomId)
        .execute()
      expect(leases).toEqual([])
      await createMessage(owner, roomId, 'not for others')
      await socket.settle()
      expect(JSON.stringify(socket.frames)).not.toContain('not for others')
    })
})
