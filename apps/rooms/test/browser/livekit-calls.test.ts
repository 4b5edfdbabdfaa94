// Calls in the browser that LiveKit's own server carries, through Rooms.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { type TestUser, member, setRole } from '../actions.ts'
import { signParticipantToken } from '../../src/voice/livekit/tokens.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { MESH, moderate } from '../voice/call.ts'
import { CallClient } from '../voice/livekit-client.ts'
import { livekitProgram, livekitServer } from '../voice/livekit-server.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import {
  call,
  callRooms,
  control,
  expectSilence,
  joinCall,
  mute,
  received,
  receivedWithin,
  talk,
  tiles,
  waitForListener,
} from './call-page.ts'

const LATER_MS = 400

const server = livekitProgram ? await livekitServer() : undefined

describe.skipIf(!livekitProgram)('calls through LiveKit', () => {
  const pages = roomPages({
    settings: { voice: { ...MESH, mode: 'livekit', guests: 'speak', livekit: server?.settings ?? null } },
    limits: { voice_joins_per_minute: 1000 },
  })
  let host: TestUser
  const { callOf } = callRooms(pages, () => host)
  /** The call of Alice and Bob in which all tests take place. */
  let roomId: string
  let opened: Awaited<ReturnType<typeof callOf>>['opened'] = []
  let alice: Page
  let bob: Page
  let clock: ReturnType<typeof setInterval>
  beforeAll(async () => {
    pages.service().rooms.hub.start()
    // LiveKit has the time of the machine.
    clock = setInterval(() => (pages.service().clock.ms = Date.now()), 50)
    await pages.signIn(ROOT)
    host = await member(pages.service(), 'Hanna Host')
    ;({ roomId, opened } = await callOf([ALICE, BOB]))
    const [first, second] = opened
    if (!first || !second) throw new Error('Two pages are needed')
    ;[alice, bob] = [first.page, second.page]
  }, 60_000)
  afterAll(async () => {
    await Promise.all(opened.map(({ page }) => page.context().close()))
    clearInterval(clock)
    await server?.kill()
  })

  const bobAsUser = async () => ({ user: { id: await pages.idOf('Bob Berg') } }) as TestUser

  test('R33.6: two people hear and see each other, and one who leaves disappears at once', async () => {
    await talk(alice, [bob])
    await talk(bob, [alice])
    for (const page of [alice, bob]) await control(page, 'Turn on the camera').click()
    for (const page of [alice, bob]) await until(async () => (await received(page)).frames > 10)
    await control(bob, 'Leave the call').click()
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    await expectSilence(alice)
    expect(await received(bob)).toMatchObject({ connections: 0 })
    expect(opened.flatMap(({ errors }) => errors)).toEqual([])
    await control(alice, 'Turn off the camera').click()
    await mute(alice)
    await joinCall(bob)
  }, 60_000)

  test('R33.7: everyone in the call reads of a recorder, and the call goes on', async () => {
    await talk(alice, [bob])
    const rooms = await server?.api.listRooms()
    const room = rooms?.find(({ name }) => name.endsWith(roomId))?.name ?? ''
    const { settings } = server ?? {}
    if (!settings) throw new Error('A server is needed')
    const identity = { userId: 'recorder', connectionId: '1' }
    const grants = { audio: false, camera: false, screen: false }
    const token = await signParticipantToken(settings, { identity, room, grants }, Date.now())
    const recorder = await new CallClient().connect(settings.url.replace('http', 'ws'), token)
    for (const page of [alice, bob])
      await call(page).getByText('A recorder tried to join and was removed.').waitFor()
    expect(recorder.isDisconnected).toBe(true)
    await control(alice, 'Close').click()
    const { audioPackets: before } = await received(bob)
    await until(async () => (await received(bob)).audioPackets > before)
    await mute(alice)
  }, 40_000)

  test('R33.6: leaving before the call has been joined leaves nothing behind', async () => {
    await control(bob, 'Leave the call').click()
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    const answer = Promise.withResolvers<void>()
    await bob.route('**/voice', async (route) => {
      const response = await route.fetch()
      await answer.promise
      await route.fulfill({ response })
    })
    const connections = () => bob.evaluate(() => window.peerConnections.length)
    const before = await connections()
    await joinCall(bob)
    await tiles(alice).nth(1).waitFor()
    await control(bob, 'Leave the call').click()
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    const answered = bob.waitForResponse('**/voice')
    answer.resolve()
    await answered
    await bob.waitForTimeout(LATER_MS)
    expect(await connections()).toBe(before)
    expect(await tiles(alice).count()).toBe(1)
    await bob.unroute('**/voice')
    await joinCall(bob)
  }, 40_000)

  test('R33.6m, R33.5: the call goes on by itself after LiveKit was killed and started again', async () => {
    await talk(alice, [bob])
    await server?.kill()
    await call(alice).getByText('The connection was lost. Joining again…').waitFor()
    await expectSilence(bob)
    // After a while, the page tries again less often.
    await alice.waitForTimeout(5_000)
    await server?.start()
    const back = performance.now()
    await until(async () => (await receivedWithin(bob, 200)).audioPackets > 0)
    expect(performance.now() - back).toBeLessThan(5_000)
    await mute(alice)
  }, 60_000)

  test('R33.5: the sound of a person stops within two seconds after the end of the right to speak, and may return', async () => {
    await tiles(alice).nth(1).waitFor()
    await control(bob, 'Turn on the camera').click()
    await talk(bob, [alice])
    await until(async () => (await received(alice)).frames > 0)
    await setRole(host, roomId, await bobAsUser(), 'listener')
    await expectSilence(alice)
    // The page of Bob sends nothing either, whether or not it is received.
    expect((await receivedWithin(bob, LATER_MS)).sentMedia).toBe(0)
    await waitForListener(bob)
    await setRole(host, roomId, await bobAsUser(), 'speaker')
    await tiles(alice).nth(1).waitFor()
    await control(bob, 'Turn on the microphone').waitFor()
    await talk(bob, [alice])
    await mute(bob)
  }, 60_000)

  test('R33.4: a moderator mutes a person, who may speak again, and removes them for good', async () => {
    await talk(bob, [alice])
    const user = await bobAsUser()
    await moderate(host, roomId, user, 'mute')
    await expectSilence(alice)
    await talk(bob, [alice])
    await moderate(host, roomId, user, 'remove')
    await expectSilence(alice)
    await tiles(alice).nth(1).waitFor({ state: 'detached' })
    // Longer than a page waits until it joins again.
    await bob.waitForTimeout(4_000)
    expect(await tiles(alice).count()).toBe(1)
    expect((await receivedWithin(bob, LATER_MS)).sentPackets).toBe(0)
  }, 60_000)
})
