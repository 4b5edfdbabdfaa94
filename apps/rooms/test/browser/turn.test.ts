import { afterAll, beforeAll, expect, test } from 'bun:test'
import { type TestUser, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { iceServersFor } from '../../src/voice/ice-servers.ts'
import { MESH } from '../voice/call.ts'
import { turnServer } from '../voice/turn-server.ts'
import { BOB, roomPages } from './browser.ts'
import { collectConnections, joinCall, talk, tiles } from './call-page.ts'

const server = await turnServer()
afterAll(() => server.stop())
const pages = roomPages({ settings: { voice: { ...MESH, relayOnly: true, turn: server.turn } } })

let host: TestUser
beforeAll(async () => {
  host = await member(pages.service(), 'Hanna Host')
})

test('R33.2: a call that only TURN servers carry reaches people, and shows no address of theirs', async () => {
  const { id: roomId } = await createRoom(host, { defaultRole: 'speaker' })
  const opened = []
  for (const person of [ALICE, BOB]) {
    await pages.signIn(person)
    const { page } = await pages.openAs(person, `/rooms/${roomId}`)
    await page.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(page)
    await joinCall(page)
    opened.push(page)
  }
  const [alice, bob] = opened
  if (!alice || !bob) throw new Error('Two pages are needed')
  await tiles(alice).nth(1).waitFor()
  await talk(alice, [bob])
  const types = await bob.evaluate(async () => {
    const stats = await Promise.all(window.peerConnections.map((connection) => connection.getStats()))
    return stats.flatMap((each) =>
      [...each.values()].flatMap(({ type, candidateType }) =>
        type.endsWith('-candidate') ? [candidateType] : [],
      ),
    )
  })
  expect(new Set(types)).toEqual(new Set(['relay']))
}, 40_000)

test('R33.2: an expired or a forged TURN credential opens nothing', async () => {
  const page = (await pages.open('/login')).page
  const tryWith = (iceServers: unknown) =>
    page.evaluate(async (servers) => {
      const connection = new RTCPeerConnection({
        iceServers: servers as RTCIceServer[],
        iceTransportPolicy: 'relay',
      })
      connection.createDataChannel('probe')
      let relays = 0
      connection.addEventListener('icecandidate', ({ candidate }) => candidate?.type === 'relay' && relays++)
      await connection.setLocalDescription()
      await new Promise<void>((resolve) => {
        connection.addEventListener('icegatheringstatechange', () => {
          if (connection.iceGatheringState === 'complete') resolve()
        })
      })
      connection.close()
      return { relays }
    }, iceServers)
  const settings = { stunUrls: [], turn: server.turn }
  const now = Date.now()
  expect((await tryWith(iceServersFor(settings, 's', now))).relays).toBeGreaterThan(0)
  const [old] = iceServersFor(settings, 's', now - 601_000)
  expect(await tryWith([old])).toMatchObject({ relays: 0 })
  const [valid] = iceServersFor(settings, 's', now)
  const later = `${Math.floor(now / 1000) + 86_400}:${valid?.username?.split(':')[1]}`
  expect(await tryWith([{ ...valid, username: later }])).toMatchObject({ relays: 0 })
}, 40_000)
