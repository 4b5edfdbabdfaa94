import { afterAll, beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { type TestUser, guest, member, readPerson, signedInUser, succeed } from '../actions.ts'
import type { Frame, LiveSocket } from '../realtime/live.ts'
import { lossyBus } from '../realtime/lossy-bus.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from '../realtime/nodes.ts'

const GRACE = 10_000

eachDialect((_dialect, newUrl) => {
  let nodes: [Node, Node]
  beforeAll(async () => {
    const bus = lossyBus({ isPaused: false, lost: 0, twice: 0, late: 0 })
    nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
  })
  afterAll(() => closeNodes(nodes))

  /** A person with a page on each of these nodes. */
  async function personOn(node: Node, name: string): Promise<{ who: TestUser; socket: LiveSocket }> {
    const who = await member(nodes[0].service, name)
    const socket = node.live.connect(who.browser)
    await socket.of('welcome')
    return { who, socket }
  }
  const watch = (socket: LiveSocket, ...users: TestUser[]) =>
    socket.ask({ type: 'people', userIds: users.map(({ user }) => user.id) })
  const putStatus = ({ browser }: TestUser, body: unknown) =>
    succeed(browser.send('/api/status', { method: 'PUT', body }))
  const updates = ({ frames }: LiveSocket) =>
    frames.filter(({ type, id }) => type === 'people' && id === undefined)
  const isUpdate = (part: Record<string, unknown>) => (frame: Frame) => {
    if (frame.type !== 'people' || frame['id'] !== undefined) return false
    const [person] = frame['people'] as Record<string, unknown>[]
    return Object.entries(part).every(([name, value]) => Bun.deepEquals(person?.[name], value))
  }

  test('R37.1h: people on display are sent whole, and again on another node when they change; others get nothing', async () => {
    const max = await member(nodes[0].service, 'Max')
    const [eva, other] = [await personOn(nodes[1], 'Eva'), await personOn(nodes[1], 'Otto')]
    expect(await watch(eva.socket, max, max)).toMatchObject({
      type: 'people',
      people: [{ id: max.user.id, nickname: 'Max', status: null, present: false }],
    })
    await watch(other.socket, eva.who)
    await putStatus(max, { text: 'Lunch' })
    await eva.socket.frame(isUpdate({ id: max.user.id, status: { text: 'Lunch', emoji: null, until: null } }))
    await other.socket.settle()
    expect(updates(other.socket)).toEqual([])
    // No update follows once the page shows no one.
    await watch(eva.socket)
    const before = updates(eva.socket).length
    await putStatus(max, { text: 'Back' })
    await nodes[1].service.rooms.hub.people.flush()
    await eva.socket.settle()
    expect(updates(eva.socket)).toHaveLength(before)
  })

  test('R37.1h: a name that the provider changes arrives from another node', async () => {
    const [, { service }] = nodes
    const nils = { sub: 'nils', name: 'Nils', email: 'nils@example.com' }
    await signedInUser(service, { ...nils, sub: 'first' })
    const { id } = await signedInUser(service, nils)
    const { socket } = await personOn(nodes[0], 'Eva')
    const read = await socket.ask({ type: 'people', userIds: [id] })
    expect(read).toMatchObject({ people: [{ nickname: 'Nils' }] })
    await signedInUser(service, { ...nils, name: 'Nils Nygren' })
    await socket.frame(isUpdate({ id, nickname: 'Nils Nygren' }))
  })

  test('R37.1h: guests watch no one, and no one watches more than socket_people', async () => {
    const gustav = nodes[0].live.connect((await guest(nodes[0].service)).browser)
    await gustav.of('welcome')
    expect(await watch(gustav)).toMatchObject({ type: 'error', code: 'guest_not_permitted' })
    const { socket } = await personOn(nodes[0], 'Mia')
    const userIds = Array.from({ length: 201 }, () => crypto.randomUUID())
    expect(await socket.ask({ type: 'people', userIds })).toMatchObject({
      type: 'error',
      code: 'limit_reached',
    })
    expect(await socket.ask({ type: 'people', userIds: userIds.slice(1) })).toMatchObject({ people: [] })
  })

  test('R37.1i: a connection on any node makes present; its end does so no more, after a time in which pages reload', async () => {
    const eva = await personOn(nodes[0], 'Eva')
    const max = await personOn(nodes[1], 'Max')
    await watch(eva.socket, max.who)
    await advanceAll(nodes, 1_000)
    await eva.socket.frame(isUpdate({ id: max.who.user.id, present: true }))
    max.socket.close()
    await max.socket.closed
    const again = nodes[0].live.connect(max.who.browser)
    await again.of('welcome')
    await advanceAll(nodes, GRACE + 1_000)
    await advanceAll(nodes, 1_000)
    expect((await readPerson(eva.who, max.who.user.id)).present).toBe(true)
    again.close()
    await again.closed
    await advanceAll(nodes, 1_000)
    expect((await readPerson(eva.who, max.who.user.id)).present).toBe(true)
    await advanceAll(nodes, GRACE)
    await eva.socket.frame(isUpdate({ id: max.who.user.id, present: false }))
  })

  test('R37.4d: who blocks looks absent to a watcher at once, and the own other tabs know it', async () => {
    const [eva, max] = [await personOn(nodes[0], 'Eva'), await personOn(nodes[1], 'Max')]
    await putStatus(max.who, { emoji: '🌴' })
    await advanceAll(nodes, 1_000)
    const status = { text: null, emoji: '🌴', until: null }
    expect(await watch(eva.socket, max.who)).toMatchObject({ people: [{ status, present: true }] })
    const block = (method: string) =>
      succeed(max.who.browser.send(`/api/blocks/${eva.who.user.id}`, { method }))
    await block('PUT')
    await eva.socket.frame(isUpdate({ id: max.who.user.id, status: null, present: false }))
    const { data } = await max.socket.frame((frame) => frame['notice'] === 'blocked')
    expect(data).toEqual({ userId: eva.who.user.id })
    await block('DELETE')
    await eva.socket.frame(isUpdate({ id: max.who.user.id, status, present: true }))
    await max.socket.frame((frame) => frame['notice'] === 'unblocked')
    expect(eva.socket.frames.filter(({ type }) => type === 'notice')).toEqual([])
  })

  test('R37.1l: nothing is sent of people who are away or block the viewer when they come, go or set a status', async () => {
    const [eva, spy] = [await personOn(nodes[0], 'Eva'), await personOn(nodes[0], 'Sam')]
    const [away, blocking] = [await member(nodes[0].service, 'Max'), await member(nodes[0].service, 'Ida')]
    await putStatus(away, { text: 'Gone fishing', away: true })
    await succeed(blocking.browser.send(`/api/blocks/${spy.who.user.id}`, { method: 'PUT' }))
    for (const { socket } of [eva, spy]) await watch(socket, away, blocking)
    const sockets = [away, blocking].map(({ browser }) => nodes[1].live.connect(browser))
    for (const socket of sockets) await socket.of('welcome')
    await putStatus(blocking, { text: 'Lunch' })
    await advanceAll(nodes, 1_000)
    // The others learn of it in the same pass.
    await eva.socket.frame(isUpdate({ id: blocking.user.id, present: true }))
    await spy.socket.settle()
    expect(updates(spy.socket)).toEqual([])
    expect(updates(eva.socket).flatMap(({ people }) => people)).not.toContainEqual(
      expect.objectContaining({ id: away.user.id }),
    )
    const title = 'Gardener'
    await succeed(blocking.browser.send('/api/profile', { method: 'PUT', body: { title, timeZone: null } }))
    await spy.socket.frame(isUpdate({ id: blocking.user.id, title, status: null, present: false }))
  })
})
