import { expect, test } from 'bun:test'
import { createMessage, endMembership, markRead, member, succeed } from '../actions.ts'
import { openRooms } from '../rooms.ts'
import { type LiveSocket, listen } from '../realtime/live.ts'
import { type DirectJson, createDirect } from './actions.ts'

test('R37.2b, R37.2d: frames of the lobby name a conversation for each of its people, and hiding it is seen by oneself', async () => {
  const rooms = await openRooms()
  const live = listen(rooms.rooms)
  const [ada, bob] = [await member(rooms, 'Ada'), await member(rooms, 'Bob')]
  const [here, there] = [live.connect(ada.browser), live.connect(bob.browser)]
  for (const socket of [here, there]) await socket.ask({ type: 'subscribe_lobby' })
  const flush = async () => {
    await rooms.rooms.hub.lobby.flush()
    for (const socket of [here, there]) await socket.settle()
  }
  const takeFrames = ({ frames }: LiveSocket) => frames.splice(0).filter(({ type }) => type === 'lobby')
  const rowsOf = (socket: LiveSocket) =>
    takeFrames(socket).map(({ upsert, remove }) => {
      const { name, unread, mentions } = (upsert ?? {}) as Partial<DirectJson>
      return upsert ? { name, unread, mentions } : { remove }
    })
  const { id } = await createDirect(ada, bob)
  await flush()
  expect([rowsOf(here), rowsOf(there)]).toEqual([[{ name: 'Bob', unread: 0, mentions: 0 }], []])
  await createMessage(ada, id)
  await flush()
  expect(rowsOf(there)).toEqual([{ name: 'Ada', unread: 1, mentions: 1 }])
  await markRead(bob, id)
  takeFrames(here)
  await succeed(endMembership(bob, id))
  await flush()
  expect([rowsOf(here), rowsOf(there)]).toEqual([[{ name: 'Bob', unread: 0, mentions: 0 }], [{ remove: id }]])
  await createMessage(ada, id)
  await flush()
  expect(rowsOf(there)).toEqual([{ name: 'Ada', unread: 1, mentions: 1 }])
  await rooms.rooms.hub.stop()
  await live.stop()
  await rooms.close()
})
