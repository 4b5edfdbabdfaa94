// Calls that a LiveKit server carries, with two nodes of Rooms and a bus that drops everything.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createRoom, makeMember, member } from '../actions.ts'
import { DROPS_EVERYTHING, lossyBus } from '../realtime/lossy-bus.ts'
import { type Node, closeNodes, twoNodes } from '../realtime/nodes.ts'
import { until } from '../until.ts'
import { MESH, enter } from './call.ts'
import { CallClient, asBrowser, joinLiveKit } from './livekit-client.ts'
import { type LiveKitServer, livekitProgram, livekitServer } from './livekit-server.ts'

eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return
  describe.skipIf(!livekitProgram)('calls that LiveKit carries, on two nodes with a bus that is down', () => {
    let server: LiveKitServer
    let nodes: [Node, Node]
    let clock: ReturnType<typeof setInterval>
    beforeAll(async () => {
      server = await livekitServer()
      const bus = lossyBus(DROPS_EVERYTHING)
      const voice = { ...MESH, mode: 'livekit', livekit: server.settings } as const
      nodes = await twoNodes({ url: await newUrl(), settings: { voice } }, () => bus.join())
      const [{ service }] = nodes
      service.clock.ms = Date.now()
      clock = setInterval(() => (service.clock.ms = Date.now()), 50)
      service.rooms.hub.start()
    })
    afterAll(async () => {
      await closeNodes(nodes)
      clearInterval(clock)
      await server.kill()
    })

    /** An owner on the first node waitForSound a speaker of the second, whose signal socket the first carries. */
    async function talking() {
      const [here, there] = nodes
      const owner = await member(here.service, 'Olga')
      const who = await member(there.service, 'Sam')
      const { id: roomId } = await createRoom(owner)
      await makeMember(here.service, roomId, who, 'speaker')
      const hearing = await enter(here.live, owner, roomId)
      const speaking = await enter(there.live, who, roomId)
      const sides = [asBrowser(here.live.port, hearing), asBrowser(here.live.port, speaking)] as const
      const ownerClient = await new CallClient().connect(
        sides[0].url,
        (await joinLiveKit(hearing, roomId)).token,
      )
      const client = await new CallClient().connect(sides[1].url, (await joinLiveKit(speaking, roomId)).token)
      await client.speak()
      await ownerClient.waitForSound(`${who.user.id}:${speaking.connectionId}`)
      const close = async () => {
        await Promise.all([ownerClient.close(), client.close()])
        for (const side of sides) await side.stop()
      }
      return { roomId, owner, who, speaking, client, close }
    }

    test('R33.5: (2n) a kick on one node ends the media of a connection on the other', async () => {
      const { roomId, owner, who, client, close } = await talking()
      nodes[1].service.rooms.hub.start()
      await owner.browser.send(`/api/rooms/${roomId}/members/${who.user.id}/remove`, {
        body: { action: 'kick', cooldownMinutes: 5 },
      })
      const endedAt = performance.now()
      await until(() => client.isDisconnected)
      expect(performance.now() - endedAt).toBeLessThan(2_500)
      await close()
    })

    test('R33.5: (2n) signing out ends the media although the node of the connection stands still', async () => {
      const { who, client, close } = await talking()
      // As if the load balancer had sent the request to the first node.
      const browser = nodes[0].service.browser()
      for (const [name, value] of who.browser.cookies) browser.cookies.set(name, value)
      expect((await browser.send('/api/auth/logout', { body: {} })).status).toBe(200)
      const endedAt = performance.now()
      await until(() => client.isDisconnected)
      expect(performance.now() - endedAt).toBeLessThan(2_500)
      await close()
    })
  })
})
