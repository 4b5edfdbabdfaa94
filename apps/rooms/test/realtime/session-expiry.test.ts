// The end of a session or of room access reaches every socket concerned, on every node, and no
// others (R18.3, R17.7).
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { admin, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE, claimPath } from '../provider/hostile.ts'
import type { Browser, TestOptions } from '../rooms.ts'
import { deliver } from '../sessions/deliver.ts'
import { browserOf, insertPerson } from '../sessions/people.ts'
import { until } from '../until.ts'
import { type Frame, type LiveSocket } from './live.ts'
import { DROPS_EVERYTHING, lossyBus } from './lossy-bus.ts'
import { type Node, advanceAll, closeNodes, twoNodes } from './nodes.ts'
import { ownRedis, redisServer } from './redis.ts'

type TestUser = Awaited<ReturnType<typeof member>>

const MINUTE = 60_000

/** A session that ends, and how. The user has another session, which does not end. */
interface Ending {
  name: string
  reason: string
  end: (nodes: readonly Node[]) => Promise<{ ended: Browser; others: Browser[]; act: () => Promise<void> }>
}

async function twoSessions({
  service,
}: Node): Promise<{ user: TestUser['user']; one: Browser; two: Browser }> {
  const user = await insertPerson(service)
  return { user, one: await browserOf(service, user), two: await browserOf(service, user) }
}

const ok = async (browser: Browser, address: string, sent: Parameters<Browser['send']>[1]) => {
  const answer = await browser.send(address, sent)
  if (answer.status >= 300) throw new Error(`${address}: ${answer.status} ${await answer.text()}`)
}

const ENDINGS: Ending[] = [
  {
    name: 'a logout',
    reason: 'signed_out',
    async end([node]) {
      const { one, two } = await twoSessions(node as Node)
      return { ended: one, others: [two], act: () => ok(one, '/api/auth/logout', { body: {} }) }
    },
  },
  {
    name: 'ending all other sessions',
    reason: 'signed_out',
    async end([node]) {
      const { one, two } = await twoSessions(node as Node)
      return {
        ended: one,
        others: [two],
        act: () => ok(two, '/api/sessions/revoke-others', { body: {} }),
      }
    },
  },
  {
    name: 'ending one by its id',
    reason: 'signed_out',
    async end([node]) {
      const { one, two } = await twoSessions(node as Node)
      const { sessionId } = one as Browser & { sessionId: string }
      return {
        ended: one,
        others: [two],
        act: () => ok(two, `/api/sessions/${sessionId}`, { method: 'DELETE' }),
      }
    },
  },
  {
    name: 'an administrator who ends it',
    reason: 'revoked',
    async end([node]) {
      const { one, two } = await twoSessions(node as Node)
      const root = await admin((node as Node).service)
      const { sessionId } = one as Browser & { sessionId: string }
      return {
        ended: one,
        others: [two, root.browser],
        act: () => ok(root.browser, `/api/admin/sessions/${sessionId}`, { method: 'DELETE' }),
      }
    },
  },
  {
    name: 'a disabled account',
    reason: 'disabled',
    async end([node]) {
      const { service } = node as Node
      const bob = await member(service, 'Bob')
      const root = await admin(service)
      const address = `/api/admin/users/${bob.user.id}/status`
      return {
        ended: bob.browser,
        others: [root.browser],
        act: () => ok(root.browser, address, { method: 'PATCH', body: { disabled: true } }),
      }
    },
  },
  {
    name: 'time',
    reason: 'expired',
    async end([node]) {
      const { service } = node as Node
      const user = await insertPerson(service)
      // Sooner than a silent socket is closed.
      const lifetimes = { idleMs: MINUTE / 2, absoluteMs: MINUTE / 2 }
      const one = await browserOf(service, user, { lifetimes })
      return {
        ended: one,
        others: [await browserOf(service, user)],
        act: async () => void (service.clock.ms += MINUTE / 2),
      }
    },
  },
  {
    name: 'a logout token of the provider',
    reason: 'idp_logout',
    async end([node]) {
      const { service } = node as Node
      const sid = crypto.randomUUID()
      const one = await service.signedInBrowser({ ...ALICE, sid })
      const two = await service.signedInBrowser({ ...ALICE, sid: crypto.randomUUID() })
      const token = service.idp.logoutToken((usual) => ({ ...usual, sid }))
      return {
        ended: one,
        others: [two],
        act: async () => {
          const answer = await deliver(service, token)
          if (answer.status !== 200) throw new Error(await answer.text())
        },
      }
    },
  },
]

/** How a participant loses a room by an action of another user. */
const LOSSES: {
  name: string
  reason: string
  act: (owner: TestUser, roomId: string, bob: TestUser) => Promise<void>
}[] = [
  {
    name: 'a kick',
    reason: 'kicked',
    act: ({ browser }, roomId, { user }) =>
      ok(browser, `/api/rooms/${roomId}/members/${user.id}/remove`, { body: { action: 'kick' } }),
  },
  {
    name: 'a ban',
    reason: 'banned',
    act: ({ browser }, roomId, { user }) =>
      ok(browser, `/api/rooms/${roomId}/members/${user.id}/remove`, { body: { action: 'ban' } }),
  },
  {
    name: 'a room made private',
    reason: 'access_lost',
    act: ({ browser }, roomId) =>
      ok(browser, `/api/rooms/${roomId}/settings`, { method: 'PATCH', body: { visibility: 'private' } }),
  },
  {
    name: 'leaving in another tab',
    reason: 'left',
    act: (_owner, roomId, { browser }) => ok(browser, `/api/rooms/${roomId}/leave`, { method: 'DELETE' }),
  },
  {
    name: 'a deleted room',
    reason: 'deleted',
    act: ({ browser }, roomId) => ok(browser, `/api/rooms/${roomId}`, { method: 'DELETE' }),
  },
]

interface Ways {
  name: string
  open: (url: string) => Promise<{ nodes: [Node, Node]; close: () => Promise<void> }>
  /** Two seconds pass, or five for rooms. */
  pass: (nodes: readonly Node[], ms: number, came: () => boolean) => Promise<void>
}

const OPTIONS = {
  limits: { rooms_per_hour: 1_000, admin_writes_per_minute: 1_000 },
  settings: { adminBootstrap: 'off' },
  provider: (idp) => idp.config({ adminClaim: { path: claimPath('groups'), value: 'admins' } }),
} satisfies TestOptions

const WAYS: Ways[] = [
  {
    name: 'with the bus paused',
    async open(url) {
      const bus = lossyBus(DROPS_EVERYTHING)
      const nodes = await twoNodes({ ...OPTIONS, url }, () => bus.join())
      return { nodes, close: () => closeNodes(nodes) }
    },
    pass: (nodes, ms) => advanceAll(nodes, ms),
  },
  {
    name: 'by a real Redis alone, before anybody looks',
    async open(url) {
      const redis = await ownRedis()
      const settings = { ...OPTIONS.settings, busUrl: redis.url }
      const nodes = await twoNodes({ ...OPTIONS, url, settings })
      for (const { service } of nodes) await until(async () => (await checksOf(service)).bus === 'ok')
      return {
        nodes,
        async close() {
          await closeNodes(nodes)
          await redis.kill()
        },
      }
    },
    pass: (_nodes, _ms, came) => until(came),
  },
]

async function checksOf(service: Node['service']): Promise<{ bus: string }> {
  const answer = await service.browser().send('/api/ready')
  return ((await answer.json()) as { checks: { bus: string } }).checks
}

eachDialect((dialect, newUrl) => {
  // Several nodes need PostgreSQL.
  if (dialect === 'sqlite') return
  for (const way of WAYS)
    describe.skipIf(way.name.includes('Redis') && !redisServer)(`on two nodes, ${way.name}`, () => {
      let nodes: [Node, Node]
      let close: () => Promise<void>
      beforeAll(async () => {
        const opened = await way.open(await newUrl())
        nodes = opened.nodes
        close = opened.close
      })
      afterAll(() => close())
      const everywhere = (browser: Browser) => nodes.map(({ live }) => live.connect(browser))
      const waitForWelcomes = (sockets: readonly LiveSocket[]) =>
        Promise.all(sockets.map((each) => each.of('welcome')))

      // No event announces an expiry: each node has a clock.
      for (const { name, reason, end } of ENDINGS.filter(
        (each) => each.name !== 'time' || way.name.includes('paused'),
      ))
        test(`C98: (2n) ${name} closes the sockets of that session on both nodes with ${reason}, and no others`, async () => {
          const { ended, others, act } = await end(nodes)
          const going = everywhere(ended)
          const staying = others.flatMap(everywhere)
          await waitForWelcomes([...going, ...staying])
          await act()
          await way.pass(nodes, 1_000, () => going.every((socket) => socket.isClosed))
          for (const socket of going) expect(await socket.closed).toEqual({ code: 4401, reason })
          for (const socket of staying) await socket.settle()
          for (const socket of staying) socket.close()
        })

      for (const { name, reason, act } of LOSSES)
        test(`R28.3: (2n) after ${name} no frame of the room reaches that user on any node, and the others get all of them`, async () => {
          const { service } = nodes[0]
          const [owner, bob, carol] = [
            await member(service, 'Olga'),
            await member(service, 'Bob'),
            await member(service, 'Carol'),
          ]
          const { id: roomId } = await createRoom(owner)
          await makeMember(service, roomId, carol)
          const [going, staying] = [everywhere(bob.browser), everywhere(carol.browser)]
          for (const socket of [...going, ...staying])
            expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
          await act(owner, roomId, bob)
          const isRemoved = (socket: LiveSocket) => socket.frames.some(({ type }) => type === 'room.removed')
          await way.pass(nodes, 5_000, () => going.every(isRemoved))
          for (const socket of going) {
            expect(await socket.of('room.removed')).toMatchObject({ roomId, reason })
            expect(socket.isClosed).toBe(false)
          }
          if (reason !== 'deleted') {
            await createMessage(owner, roomId, 'Among ourselves')
            await way.pass(nodes, 5_000, () => staying.every(hasMessage))
            for (const socket of staying) await socket.frame(isMessage)
          }
          for (const socket of going) {
            await socket.settle()
            expect(JSON.stringify(socket.frames)).not.toContain('Among ourselves')
          }
          for (const socket of staying) expect(isRemoved(socket)).toBe(reason === 'deleted')
          for (const socket of [...going, ...staying]) socket.close()
        })

      test(`R28.3: (2n) a revoked administrator loses the private room that the right opened, and a disabled account every socket`, async () => {
        const { service } = nodes[0]
        const [root, other, owner] = [
          await admin(service),
          await admin(service),
          await member(service, 'Olga'),
        ]
        const { id: roomId } = await createRoom(owner, { visibility: 'private' })
        const going = everywhere(other.browser)
        for (const socket of going)
          expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
        const address = `/api/admin/users/${other.user.id}`
        await ok(root.browser, `${address}/platform-admin`, { method: 'PUT', body: { granted: false } })
        // Sessions end with the right (R9.7), and the room with the sessions.
        await way.pass(nodes, 5_000, () => going.every((socket) => socket.isClosed))
        await createMessage(owner, roomId, 'Among ourselves')
        for (const socket of going) {
          expect((await socket.closed).code).toBe(4401)
          expect(JSON.stringify(socket.frames)).not.toContain('Among ourselves')
        }
      })

      test('R28.3 C87: (2n) an administrator’s right that the next login revokes ends access to the private room that it opened', async () => {
        const { service } = nodes[0]
        const owner = await member(service, 'Olga')
        const { id: roomId } = await createRoom(owner, { visibility: 'private' })
        const rhea = { sub: crypto.randomUUID(), name: 'Rhea' }
        const going = everywhere(await service.signedInBrowser({ ...rhea, groups: ['admins'] }))
        const staying = everywhere(owner.browser)
        for (const socket of [...going, ...staying])
          expect(await socket.subscribe(roomId)).toMatchObject({ type: 'subscribed' })
        // In another browser, to keep the session of those sockets.
        await service.signedInBrowser(rhea)
        const isRemoved = (socket: LiveSocket) => socket.frames.some(({ type }) => type === 'room.removed')
        await way.pass(nodes, 5_000, () => going.every(isRemoved))
        for (const socket of going)
          expect(await socket.of('room.removed')).toMatchObject({ roomId, reason: 'access_lost' })
        await createMessage(owner, roomId, 'Among ourselves')
        await way.pass(nodes, 5_000, () => staying.every(hasMessage))
        for (const socket of staying) await socket.frame(isMessage)
        for (const socket of staying) socket.close()
        for (const socket of going) {
          await socket.settle()
          expect(socket.isClosed).toBe(false)
          expect(JSON.stringify(socket.frames)).not.toContain('Among ourselves')
          socket.close()
        }
      })
    })

  test('R19.2: an account that is erased while the bus is down loses its sockets on the other node too', async () => {
    const bus = lossyBus(DROPS_EVERYTHING)
    const nodes = await twoNodes({ url: await newUrl() }, () => bus.join())
    const bob = await member(nodes[0].service, 'Bob')
    const socket = nodes[1].live.connect(bob.browser)
    await socket.of('welcome')
    await ok(bob.browser, '/api/account', { method: 'DELETE', body: { confirm: true } })
    await advanceAll(nodes, 1_000)
    expect(await socket.closed).toEqual({ code: 4401, reason: 'revoked' })
    await closeNodes(nodes)
  })
})

function isMessage(frame: Frame): boolean {
  return frame['event'] === 'message.created'
}

function hasMessage({ frames }: LiveSocket): boolean {
  return frames.some(isMessage)
}
