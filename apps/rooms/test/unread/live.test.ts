import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type RoomJson,
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  guest,
  makeMember,
  markRead,
  member,
  removeMember,
  succeed,
} from '../actions.ts'
import type { LiveSocket } from '../realtime/live.ts'
import { DROPS_EVERYTHING, lossyBus } from '../realtime/lossy-bus.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from '../realtime/nodes.ts'

eachDialect((dialect, newUrl) => {
  const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
  let nodes: [Node, Node]
  let olga: TestUser
  beforeAll(async () => {
    nodes = await twoNodes({ url: await newUrl(), limits: { rooms_per_hour: 1_000 } }, () => bus.join())
    olga = await member(nodes[0].service, 'Olga')
  })
  afterAll(() => closeNodes(nodes))

  /** A socket at one of the nodes that follows the lobby. */
  const follow = async ({ live }: Node, { browser }: TestUser) => {
    const socket = live.connect(browser)
    await socket.ask({ type: 'subscribe_lobby' })
    return socket
  }
  /** The newest entry of the room that each socket has received since the last call. */
  const entriesOf = async (roomId: string, sockets: readonly LiveSocket[]) => {
    for (const { service } of nodes) await service.rooms.hub.lobby.flush()
    const entries: unknown[] = []
    for (const socket of sockets) {
      await socket.settle()
      const rooms = socket.frames.flatMap(({ upsert }) => (upsert ? [upsert as RoomJson] : []))
      const room = rooms.findLast(({ id }) => id === roomId)
      entries.push(room && [room.role, room.unread, room.mentions])
      socket.frames.length = 0
    }
    return entries
  }

  test('R30.1c: a message reaches the lobby of members and of users with a mark, on all nodes, and of no others', async () => {
    const [here, there] = nodes
    const { id } = await createRoom(olga)
    const [mia, otto, gus, ben] = [
      await member(here.service, 'Mia'),
      await member(here.service, 'Otto'),
      await guest(here.service, 'Gus'),
      await member(here.service, 'Ben'),
    ]
    await makeMember(here.service, id, mia)
    await makeMember(here.service, id, ben)
    await markRead(gus, id)
    const sockets = [
      await follow(here, olga),
      await follow(there, mia),
      await follow(there, gus),
      await follow(there, otto),
      await follow(here, ben),
    ]
    await entriesOf(id, sockets)
    await createMessage(olga, id)
    const entries = [
      ['owner', 0, 0],
      ['listener', 1, 0],
      [null, 1, 0],
    ]
    expect(await entriesOf(id, sockets)).toEqual([...entries, undefined, ['listener', 1, 0]])
    await succeed(removeMember(olga, id, ben, { action: 'kick' }))
    await succeed(changeSettings(olga, id, { visibility: 'private' }))
    await entriesOf(id, sockets)
    await createMessage(olga, id)
    expect(await entriesOf(id, sockets)).toEqual([
      ['owner', 0, 0],
      ['listener', 2, 0],
      undefined,
      undefined,
      undefined,
    ])
    for (const socket of sockets) socket.close()
  })

  if (dialect === 'postgres') return

  test('R30.1c: a message in an unlisted room reaches visitors with a mark, as long as they may enter it', async () => {
    const [here, there] = nodes
    const { id } = await createRoom(olga, { visibility: 'unlisted' })
    const [mia, gus] = [await member(here.service, 'Mia'), await guest(here.service, 'Gus')]
    const sockets = [await follow(here, mia), await follow(there, gus)]
    for (const user of [mia, gus]) await markRead(user, id)
    await createMessage(olga, id)
    expect(await entriesOf(id, sockets)).toEqual([
      [null, 1, 0],
      [null, 1, 0],
    ])
    await succeed(changeSettings(olga, id, { allowGuests: false }))
    await createMessage(olga, id)
    expect((await entriesOf(id, sockets))[1]).toBeUndefined()
    await succeed(removeMember(olga, id, mia, { action: 'ban' }))
    await createMessage(olga, id)
    expect(await entriesOf(id, sockets)).toEqual([undefined, undefined])
    for (const socket of sockets) socket.close()
  })

  test('R30.1a: a mark that moves is sent to the other tabs of the person on all nodes, and to no one else', async () => {
    const [here, there] = nodes
    const { id } = await createRoom(olga)
    const mia = await member(here.service, 'Mia')
    await makeMember(here.service, id, mia)
    const { seq } = await createMessage(olga, id)
    await createMessage(olga, id)
    const tabs = [here.live.connect(mia.browser), there.live.connect(mia.browser)]
    const other = here.live.connect(olga.browser)
    for (const socket of [...tabs, other]) await socket.of('welcome')
    await markRead(mia, id, seq)
    const data = { roomId: id, readSeq: seq, unread: 1, mentions: 0 }
    for (const socket of tabs)
      expect(await socket.of('notice')).toEqual({ type: 'notice', notice: 'read', data })
    // An unchanged mark causes no notice.
    await markRead(mia, id, 0)
    for (const socket of [...tabs, other]) {
      await socket.settle()
      expect(socket.frames.filter(({ type }) => type === 'notice')).toHaveLength(socket === other ? 0 : 1)
      socket.close()
    }
  })

  test('R30.1, R19.2: with a bus that drops everything, a message on one node is counted in the lobby of the other', async () => {
    const [here, there] = nodes
    const { id } = await createRoom(olga)
    const mia = await member(here.service, 'Mia')
    await makeMember(here.service, id, mia)
    const socket = await follow(there, mia)
    await entriesOf(id, [socket])
    Object.assign(bus.loss, DROPS_EVERYTHING)
    await createMessage(olga, id)
    for (let second = 0; second < 6; second++) await advanceAll(nodes, 1_000)
    expect(await entriesOf(id, [socket])).toEqual([['listener', 1, 0]])
    bus.loss.isPaused = false
    socket.close()
  })
})
