// Events about messages that some participants may not read (R17.8, R29.1).
import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import {
  type EventJson,
  type MessageJson,
  type TestUser,
  createMessage,
  createRoom,
  deleteMessage,
  editMessage,
  makeMember,
  member,
  pin,
  postMessage,
  react,
  readEvents,
  removeMember,
  succeed,
} from '../actions.ts'
import type { Frame, LiveSocket } from './live.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from './nodes.ts'

const RECONCILED_MS = 5_000

eachDialect((_dialect, newUrl) => {
  let nodes: [Node, Node]
  let owner: TestUser
  let early: TestUser
  beforeAll(async () => {
    // Each has its own bus: nothing passes from one to the other.
    nodes = await twoNodes({ url: await newUrl() })
    owner = await member(nodes[0].service, 'Olga')
    early = await member(nodes[0].service, 'Early')
  })
  afterAll(() => closeNodes(nodes))

  const connect = async (node: Node, who: TestUser, roomId: string): Promise<LiveSocket> => {
    const socket = node.live.connect(who.browser)
    await socket.subscribe(roomId)
    return socket
  }
  const eventsOf = ({ frames }: LiveSocket) =>
    frames
      .filter(({ type }) => type === 'event')
      .map(({ type: _type, roomId: _roomId, ...event }: Frame) => event as unknown as EventJson)
  /** What an event shows: the log has the current texts, a socket those of the time. */
  const outline = ({ seq, event, data }: EventJson) => {
    const message = data['message'] as MessageJson | undefined
    return [seq, event, Object.keys(data).toSorted(), message?.id, message?.['replyTo'] !== null]
  }

  test('R29.1c, R17.8: sockets get what the log has for their users: changes of hidden messages without data, replies without them', async () => {
    const { id } = await createRoom(owner, { historyVisibility: 'since_membership' })
    await makeMember(nodes[0].service, id, early)
    const hidden = await createMessage(owner, id, 'Secret text')
    const late = await member(nodes[0].service, 'Late')
    await makeMember(nodes[0].service, id, late)
    const people = [owner, early, late]
    const sockets = await Promise.all(nodes.flatMap((node) => people.map((who) => connect(node, who, id))))
    await succeed(postMessage(owner, id, { content: 'A reply', replyTo: hidden.id }), 201)
    await succeed(editMessage(owner, id, hidden.id, 'Secret change'))
    await succeed(react(owner, id, hidden.id, '👍'))
    await succeed(pin(owner, id, hidden.id))
    await succeed(pin(owner, id, hidden.id, 'DELETE'))
    const seen = await createMessage(late, id, 'Seen by all')
    await succeed(react(early, id, seen.id, '🎉'))
    await advanceAll(nodes, RECONCILED_MS)
    for (const [index, socket] of sockets.entries()) {
      await socket.frame(({ seq }) => seq === 8)
      const who = people[index % people.length] ?? owner
      const logged = await readEvents(who, id, 1)
      expect([who.user.nickname, eventsOf(socket).map(outline)]).toEqual([
        who.user.nickname,
        logged.map(outline),
      ])
      expect([who.user.nickname, JSON.stringify(socket.frames).includes('Secret')]).toEqual([
        who.user.nickname,
        who !== late,
      ])
      expect(JSON.stringify(socket.frames)).not.toContain('"shows"')
    }
    const [, , lateSocket] = sockets
    expect(lateSocket && eventsOf(lateSocket).map(({ data }) => Object.keys(data))).toEqual([
      ['message'],
      [],
      [],
      [],
      [],
      ['message'],
      ['messageId', 'by', 'emoji', 'added', 'reactions'],
    ])
    for (const socket of sockets) socket.close()
  })

  test('R28.3, R29.1b: a person who was kicked gets no edit, reaction, pin or deletion any more', async () => {
    const { id } = await createRoom(owner)
    const message = await createMessage(owner, id, 'Before')
    const bob = await member(nodes[0].service, 'Bob')
    const sockets = await Promise.all(nodes.map((node) => connect(node, bob, id)))
    const staying = await connect(nodes[0], early, id)
    await succeed(removeMember(owner, id, bob, { action: 'kick' }))
    await advanceAll(nodes, RECONCILED_MS)
    for (const socket of sockets) await socket.of('room.removed')
    await succeed(editMessage(owner, id, message.id, 'After'))
    await succeed(react(owner, id, message.id, '👍'))
    await succeed(pin(owner, id, message.id))
    await succeed(deleteMessage(owner, id, message.id))
    await advanceAll(nodes, RECONCILED_MS)
    await staying.frame(({ event }) => event === 'message.deleted')
    for (const socket of sockets) {
      await socket.settle()
      const kinds = eventsOf(socket).map(({ event }) => event)
      expect(kinds.filter((kind) => kind.startsWith('message.'))).toEqual([])
      expect(JSON.stringify(socket.frames)).not.toContain('After')
      socket.close()
    }
    staying.close()
  })
})
