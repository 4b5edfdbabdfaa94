// Calls in the browser that LiveKit's own server carries, through Rooms.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type TestUser, deleteRoom, makeMember, member, removeMember, setRole } from '../actions.ts'
import { signParticipantToken } from '../../src/voice/livekit/tokens.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { MESH } from '../voice/call.ts'
import { CallClient } from '../voice/livekit-client.ts'
import { livekitProgram, livekitServer } from '../voice/livekit-server.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import {
  call,
  callRooms,
  collectConnections,
  control,
  expectSilence,
  joinCall,
  received,
  receivedWithin,
  talk,
  tiles,
} from './call-page.ts'

const CAROL = { sub: 'carol', name: 'Carol Clark', email: 'carol@example.com' }
const LATER_MS = 400

const server = livekitProgram ? await livekitServer() : undefined

describe.skipIf(!livekitProgram)('calls through LiveKit', () => {
  const pages = roomPages({
    settings: { voice: { ...MESH, mode: 'livekit', guests: 'speak', livekit: server?.settings ?? null } },
    limits: { voice_joins_per_minute: 1000 },
  })
  let host: TestUser
  let clock: ReturnType<typeof setInterval>
  beforeAll(async () => {
    pages.service().rooms.hub.start()
    // LiveKit has the time of the machine.
    clock = setInterval(() => (pages.service().clock.ms = Date.now()), 50)
    await pages.signIn(ROOT)
    host = await member(pages.service(), 'Hanna Host')
  }, 60_000)
  afterAll(async () => {
    clearInterval(clock)
    await server?.kill()
  })
  const { roomOf, openIn, callOf } = callRooms(pages, () => host)

  async function twoIn(settings = {}) {
    const {
      roomId,
      opened,
      pages: [alice, bob],
    } = await callOf([ALICE, BOB], settings)
    if (!alice || !bob) throw new Error('Two pages are needed')
    return { roomId, opened, alice, bob }
  }

  const bobAsUser = async () => ({ user: { id: await pages.idOf('Bob Berg') } }) as TestUser

  test('R33.6: three people hear and see each other, and one who leaves is gone at once', async () => {
    const {
      opened,
      pages: [alice, bob, carol],
    } = await callOf([ALICE, BOB, CAROL])
    if (!alice || !bob || !carol) throw new Error('Three pages are needed')
    for (const page of [alice, bob, carol]) await control(page, 'Turn on the camera').click()
    await talk(alice, [bob, carol])
    await talk(bob, [alice, carol])
    for (const page of [alice, bob, carol]) await until(async () => (await received(page)).frames > 20)
    await control(alice, 'Leave the call').click()
    for (const page of [bob, carol]) await tiles(page).nth(2).waitFor({ state: 'detached' })
    expect(await received(alice)).toMatchObject({ connections: 0 })
    await control(bob, 'Leave the call').click()
    await expectSilence(carol)
    expect(opened.flatMap(({ errors }) => errors)).toEqual([])
  }, 60_000)

  test('R33.6c: a screen plays at once, is not received while it is not watched, and disappears when it is not shared any more', async () => {
    const { alice, bob } = await twoIn()
    await control(alice, 'Share a screen').click()
    await alice.getByRole('button', { name: 'Sharp, for text' }).click()
    await until(async () => (await received(bob)).frames > 3)
    await control(bob, 'Stop watching').click()
    await control(bob, 'Watch the screen of Alice Andersson').waitFor()
    await until(async () => (await receivedWithin(bob, LATER_MS)).frames === 0)
    await control(bob, 'Watch the screen of Alice Andersson').click()
    await until(async () => (await receivedWithin(bob, LATER_MS)).frames > 0)
    await control(alice, 'Stop sharing the screen').click()
    await call(bob).locator('.call-screen').waitFor({ state: 'detached' })
    await expectSilence(bob)
  }, 40_000)

  /** Ends of the right of Bob in the room. */
  const ENDS: readonly [
    what: string,
    act: (end: { roomId: string; bob: TestUser; page: Page }) => unknown,
  ][] = [
    ['a ban', ({ roomId, bob }) => removeMember(host, roomId, bob, { action: 'ban' })],
    ['the role of a listener', ({ roomId, bob }) => setRole(host, roomId, bob, 'listener')],
    ['leaving', ({ page }) => page.getByRole('button', { name: 'Leave', exact: true }).click()],
    ['deletion of the room', ({ roomId }) => deleteRoom(host, roomId)],
  ]
  test('R33.5: the sound of a person stops within two seconds after the end of a right in the room', async () => {
    for (const [what, act] of ENDS) {
      const { roomId, alice, bob: page } = await twoIn()
      await control(page, 'Turn on the camera').click()
      await talk(page, [alice])
      await until(async () => (await received(alice)).frames > 0)
      await act({ roomId, bob: await bobAsUser(), page })
      await expectSilence(alice)
      // The page of Bob sends nothing either, whether or not it is received.
      expect([what, (await receivedWithin(page, LATER_MS)).sentMedia]).toEqual([what, 0])
      for (const each of [alice, page]) await each.context().close()
    }
  }, 90_000)

  test('R33.4: a listener who becomes a speaker may talk at once', async () => {
    const {
      roomId,
      pages: [alice],
    } = await callOf([ALICE])
    if (!alice) throw new Error('A page is needed')
    await makeMember(pages.service(), roomId, { user: { id: (await pages.signIn(BOB)).id } }, 'listener')
    const { page: bob } = await openIn(BOB, roomId)
    await joinCall(bob)
    await talk(alice, [bob])
    await setRole(host, roomId, await bobAsUser(), 'speaker')
    await talk(bob, [alice])
  }, 40_000)

  test('R33.4: a moderator mutes a person, who may speak again, and removes them for good', async () => {
    const { roomId, alice, bob } = await twoIn()
    await talk(bob, [alice])
    const moderate = async (act: string) =>
      host.browser.send(`/api/rooms/${roomId}/voice/people/${await pages.idOf('Bob Berg')}`, {
        method: 'POST',
        body: { act },
      })
    await moderate('mute')
    await expectSilence(alice)
    await talk(bob, [alice])
    await moderate('remove')
    await expectSilence(alice)
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    // Longer than a page waits until it joins again.
    await bob.waitForTimeout(4_000)
    expect(await tiles(alice).count()).toBe(1)
    expect((await receivedWithin(bob, LATER_MS)).sentPackets).toBe(0)
  }, 60_000)

  test('R33.7: everyone in the call reads of a recorder, and the call goes on', async () => {
    const { roomId, alice, bob } = await twoIn()
    await talk(alice, [bob])
    const rooms = await server?.api.listRooms()
    const room = rooms?.find(({ name }) => name.endsWith(roomId))?.name ?? ''
    const { settings } = server ?? {}
    if (!settings) throw new Error('A server is needed')
    const identity = { userId: 'recorder', connectionId: '1' }
    const grants = { audio: false, camera: false, screen: false }
    const token = await signParticipantToken(settings, { identity, room, grants }, Date.now())
    const recorder = await new CallClient().connect(settings.url.replace('http', 'ws'), token)
    for (const page of [alice, bob]) await call(page).getByText('Something tried to record').waitFor()
    expect(recorder.isDisconnected).toBe(true)
    await control(alice, 'Close').click()
    expect((await receivedWithin(bob, LATER_MS)).audioPackets).toBeGreaterThan(0)
  }, 40_000)

  test('R33.3: two tabs of one person are both in the call, the second with its microphone off', async () => {
    const { roomId, alice, bob } = await twoIn()
    await talk(alice, [bob])
    const second = await alice.context().newPage()
    await second.goto(pages.at(`/rooms/${roomId}`))
    await second.getByRole('textbox', { name: /^Message / }).waitFor()
    await joinCall(second)
    await control(second, 'Turn on the microphone').waitFor()
    await tiles(bob).nth(2).waitFor()
    await second.close()
    await tiles(bob).nth(2).waitFor({ state: 'detached' })
    expect((await receivedWithin(bob, LATER_MS)).audioPackets).toBeGreaterThan(0)
  }, 40_000)

  test('R33.6: leaving before the call has been joined leaves nothing behind', async () => {
    const roomId = await roomOf([ALICE, BOB])
    const { page: alice } = await openIn(ALICE, roomId)
    await joinCall(alice)
    const { page: bob } = await openIn(BOB, roomId)
    const answer = Promise.withResolvers<void>()
    await bob.route('**/voice', async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    await joinCall(bob)
    await tiles(alice).nth(1).waitFor()
    await control(bob, 'Leave the call').click()
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    const answered = bob.waitForResponse('**/voice')
    answer.resolve()
    await answered
    await bob.waitForTimeout(LATER_MS)
    expect(await bob.evaluate(() => window.peerConnections.length)).toBe(0)
    expect(await tiles(alice).count()).toBe(1)
  }, 40_000)

  test('R33.5a: a page whose server is silent for two seconds sends nothing until it answers', async () => {
    const roomId = await roomOf([ALICE, BOB])
    const { page: alice } = await openIn(ALICE, roomId)
    const frames: (string | Buffer)[] = []
    let isSilent = false
    await alice.context().routeWebSocket(/\/api\/ws$/, (socket) => {
      const toServer = socket.connectToServer()
      toServer.onMessage((frame) => (isSilent ? void frames.push(frame) : socket.send(frame)))
    })
    await alice.reload()
    await alice.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(alice)
    await joinCall(alice)
    const { page: bob } = await openIn(BOB, roomId)
    await joinCall(bob)
    await talk(alice, [bob])
    const { connections } = await received(alice)
    isSilent = true
    await alice.waitForTimeout(2_600)
    expect((await receivedWithin(alice, LATER_MS)).sentMedia).toBe(0)
    // LiveKit fills the first second with silence of its own.
    await expectSilence(bob)
    isSilent = false
    await until(async () => (await receivedWithin(bob, LATER_MS)).audioEnergy > 0)
    expect(await received(alice)).toMatchObject({ connections })
  }, 60_000)

  test('R33.5a: the call goes on by itself after ten seconds without a connection to the server', async () => {
    const { alice, bob } = await twoIn()
    await talk(alice, [bob])
    await alice.context().setOffline(true)
    await tiles(bob).nth(1).waitFor({ state: 'detached' })
    await expectSilence(bob)
    await call(alice).getByText('The connection was lost. Joining again…').waitFor()
    await alice.waitForTimeout(10_000)
    await alice.context().setOffline(false)
    const back = performance.now()
    await tiles(bob).nth(1).waitFor()
    await until(async () => (await receivedWithin(bob, 200)).audioPackets > 0)
    expect(performance.now() - back).toBeLessThan(5_000)
  }, 60_000)

  test('R33.6m, R33.5: the call goes on by itself after LiveKit was killed and started again', async () => {
    const { alice, bob } = await twoIn()
    await talk(alice, [bob])
    await server?.kill()
    await call(alice).getByText('The connection was lost. Joining again…').waitFor()
    await expectSilence(bob)
    // After a while, the page tries again less often.
    await alice.waitForTimeout(8_000)
    await server?.start()
    const back = performance.now()
    await until(async () => (await receivedWithin(bob, 200)).audioPackets > 0)
    expect(performance.now() - back).toBeLessThan(5_000)
  }, 60_000)
})
