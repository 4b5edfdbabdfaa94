import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import {
  type TestUser,
  changeSettings,
  deleteRoom,
  makeMember,
  member,
  removeMember,
  setRole,
  unban,
} from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { advance } from '../realtime/live.ts'
import { deliver } from '../sessions/deliver.ts'
import { until } from '../until.ts'
import { MESH } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import {
  call,
  callRooms,
  collectConnections,
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
import { isLost } from './room-page.ts'

const pages = roomPages({
  settings: { voice: { ...MESH, guests: 'speak' } },
  limits: { voice_joins_per_minute: 1000 },
})
const CAROL = { sub: 'carol', name: 'Carol Clark', email: 'carol@example.com' }

/** A person whose account is disabled. */
const DAVE = { sub: 'dave', name: 'Dave Dunn', email: 'dave@example.com' }

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

const { roomOf, openIn, callOf } = callRooms(pages, () => host)

/** Ends of the right of Bob, after each of which `again` lets him return. */
const ENDS: readonly [
  what: string,
  act: (end: EndOfBob) => Promise<unknown>,
  again?: (end: EndOfBob) => unknown,
][] = [
  [
    'kick',
    ({ roomId, bob }) => removeMember(host, roomId, bob, { action: 'kick', cooldownMinutes: 1 }),
    returnToRoom,
  ],
  ['ban', ({ roomId, bob }) => removeMember(host, roomId, bob, { action: 'ban' }), returnToRoom],
  ['no calls', ({ roomId }) => changeSettings(host, roomId, { voice: 'off' }), returnToCall],
  ['the role of a listener', ({ roomId, bob }) => setRole(host, roomId, bob, 'listener'), speakAgain],
  ['leaving', leaveAndUndo, backToRoom],
  ['deletion of the room', ({ roomId }) => deleteRoom(host, roomId)],
]

interface EndOfBob {
  roomId: string
  bob: TestUser
  page: Page
}

async function returnToRoom({ roomId, bob, page }: EndOfBob): Promise<void> {
  await unban(host, roomId, bob)
  await makeMember(pages.service(), roomId, bob, 'speaker')
  await page.reload()
  await page.getByRole('textbox', { name: /^Message / }).waitFor()
  await collectConnections(page)
  await joinCall(page)
}

async function returnToCall({ roomId, page }: EndOfBob): Promise<void> {
  await changeSettings(host, roomId, { voice: 'video' })
  await control(page, 'Close').click()
  await joinCall(page)
}

async function speakAgain({ roomId, bob, page }: EndOfBob): Promise<void> {
  await waitForListener(page)
  await setRole(host, roomId, bob, 'speaker')
}

async function leaveAndUndo({ page }: EndOfBob): Promise<void> {
  await page.getByRole('button', { name: 'Leave room' }).click()
  await page.getByRole('button', { name: 'Undo' }).click()
}

async function backToRoom({ page, roomId }: Pick<EndOfBob, 'page' | 'roomId'>): Promise<void> {
  await page.locator(`a[href="/rooms/${roomId}"]`).first().click()
  await page.getByRole('textbox', { name: /^Message / }).waitFor()
  await joinCall(page)
}

test('R33.8: three people hear and see each other, and one who leaves disappears at once', async () => {
  const {
    opened,
    pages: [alice, bob, carol],
  } = await callOf([ALICE, BOB, CAROL])
  if (!alice || !bob || !carol) throw new Error('Three pages are needed')
  await talk(alice, [bob, carol])
  await talk(bob, [alice, carol])
  // Cameras take most of the time of the processor.
  for (const page of [alice, bob, carol]) await control(page, 'Turn on the camera').click()
  for (const page of [alice, bob, carol]) {
    await until(async () => (await received(page)).frames > 10)
    expect((await received(page)).connections).toBe(2)
  }
  await control(alice, 'Leave the call').click()
  for (const page of [bob, carol]) {
    await tiles(page).nth(2).waitFor({ state: 'detached' })
    expect(await received(page)).toMatchObject({ connections: 1 })
  }
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
}, 60_000)

describe('two people in a call', () => {
  let roomId: string
  let opened: Awaited<ReturnType<typeof callOf>>['opened']
  let alice: Page
  let bob: Page
  beforeAll(async () => {
    ;({ roomId, opened } = await callOf([ALICE, BOB], { defaultRole: 'speaker', voiceGuests: 'speak' }))
    const [first, second] = opened
    if (!first || !second) throw new Error('Two pages are needed')
    ;[alice, bob] = [first.page, second.page]
  }, 60_000)
  afterAll(() => Promise.all(opened.map(({ page }) => page.context().close())))

  test('R33.6k: a mesh loads nothing of LiveKit', async () => {
    const texts = await alice.evaluate(() =>
      Promise.all(
        performance
          .getEntriesByType('resource')
          .filter(({ name }) => name.endsWith('.js'))
          .map(async ({ name }) => (await fetch(name)).text()),
      ),
    )
    expect(texts.some((text) => text.includes('voice.removed'))).toBe(true)
    // Name of an event of its client.
    expect(texts.some((text) => text.includes('participantConnected'))).toBe(false)
  }, 40_000)

  test('R33.6c: a screen plays at once, is not received while it is not watched, and disappears when it is not shared any more', async () => {
    await control(alice, 'Share screen').click()
    await alice.getByRole('button', { name: 'Sharp, for text' }).click()
    await until(async () => (await received(bob)).frames > 3)
    await control(bob, 'Stop watching').click()
    await control(bob, 'Watch the screen of Alice Andersson').waitFor()
    await until(async () => (await receivedWithin(bob, 300)).frames === 0)
    await control(bob, 'Watch the screen of Alice Andersson').click()
    await until(async () => (await receivedWithin(bob, 300)).frames > 0)
    await control(alice, 'Stop sharing the screen').click()
    await call(bob).locator('.call-screen').waitFor({ state: 'detached' })
    expect((await receivedWithin(bob, 400)).frames).toBe(0)
  }, 40_000)

  test('R33.6g: a call is joined, used and left by keyboard alone, and by a phone, in both schemes', async () => {
    await control(bob, 'Leave the call').press('Enter')
    await call(bob).waitFor({ state: 'detached' })
    await bob.getByRole('button', { name: /^Join the call/ }).focus()
    await bob.keyboard.press('Enter')
    await control(bob, 'Raise your hand').focus()
    await bob.keyboard.press('Space')
    await call(alice).getByText('Raised hands: Bob Berg').waitFor()
    await bob.locator('body').evaluate(() => (document.activeElement as HTMLElement).blur())
    await bob.keyboard.down('Space')
    await control(bob, 'Turn off the microphone').waitFor()
    await bob.keyboard.up('Space')
    await control(bob, 'Turn on the microphone').waitFor()
    await control(alice, 'Actions for Bob Berg').click()
    await expectAccessible(alice)
    await screenshot(alice, 'call-actions')
    await alice.keyboard.press('Escape')
    await control(alice, 'Devices').click()
    await alice.getByRole('button', { name: 'Test the camera' }).click()
    await alice.getByRole('button', { name: 'Test the microphone' }).click()
    await alice.getByRole('meter', { name: 'Microphone level' }).waitFor()
    await expectAccessible(alice)
    await screenshot(alice, 'call-devices')
    await alice.keyboard.press('Escape')
    await control(alice, 'Share screen').click()
    await alice.getByRole('button', { name: 'Smooth, for video' }).click()
    await bob.locator('.call-screen video').waitFor()
    for (const [width, colorScheme] of [
      [1440, 'light'],
      [390, 'dark'],
    ] as const) {
      await bob.setViewportSize({ width, height: 900 })
      await bob.emulateMedia({ colorScheme })
      await expectAccessible(bob)
      await screenshot(bob, `call-${width}-${colorScheme}`)
    }
    await control(alice, 'Stop sharing the screen').click()
    await control(bob, 'Lower your hand').click()
    await bob.setViewportSize({ width: 1280, height: 900 })
  }, 60_000)

  test('R33.9: a call goes on after its connection was negotiated again with new candidates', async () => {
    await talk(alice, [bob])
    const usernameOfAlice = () =>
      bob.evaluate(() => {
        const connection = window.peerConnections.at(-1)
        const isStable = connection?.signalingState === 'stable' && connection.connectionState === 'connected'
        return isStable && /a=ice-ufrag:(\S+)/.exec(connection.remoteDescription?.sdp ?? '')?.[1]
      })
    const before = await usernameOfAlice()
    await alice.evaluate(() => window.peerConnections.at(-1)?.restartIce())
    await until(async () => ![before, false].includes(await usernameOfAlice()))
    await mute(alice)
    await talk(alice, [bob])
    await mute(alice)
  }, 40_000)

  test('R33.3: two tabs of one person are both in the call, the second with its microphone off', async () => {
    await talk(alice, [bob])
    const second = await alice.context().newPage()
    await second.goto(pages.at(`/rooms/${roomId}`))
    await second.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(second)
    await joinCall(second)
    await control(second, 'Turn on the microphone').waitFor()
    await tiles(bob).nth(2).waitFor()
    await until(async () => (await received(second)).connections === 2)
    await second.close()
    await tiles(bob).nth(2).waitFor({ state: 'detached' })
    expect((await receivedWithin(bob, 400)).audioPackets).toBeGreaterThan(0)
    await mute(alice)
  }, 40_000)

  test('R33.6h: the call goes on while the user reads another page, and ends with a press there', async () => {
    await talk(alice, [bob])
    await alice.getByRole('link', { name: 'Browse rooms', exact: true }).first().click()
    await alice.getByRole('link', { name: 'On a call in Garden' }).waitFor()
    expect((await receivedWithin(bob, 400)).audioPackets).toBeGreaterThan(0)
    await alice.getByRole('link', { name: 'On a call in Garden' }).click()
    await control(alice, 'Turn off the microphone').waitFor()
    await alice.getByRole('link', { name: 'Browse rooms', exact: true }).first().click()
    await call(alice).getByRole('button', { name: 'Leave the call' }).click()
    await tiles(bob).nth(1).waitFor({ state: 'detached' })
    await backToRoom({ page: alice, roomId })
  }, 40_000)

  test('R33.5a: the call goes on by itself when the connection to the server is back', async () => {
    await talk(alice, [bob])
    await alice.context().setOffline(true)
    await tiles(bob).nth(1).waitFor({ state: 'detached', timeout: 25_000 })
    await expectSilence(bob)
    await call(alice).getByText('The connection was lost. Joining again…').waitFor()
    await alice.context().setOffline(false)
    const back = performance.now()
    await tiles(bob).nth(1).waitFor()
    await until(async () => (await receivedWithin(bob, 200)).audioPackets > 0)
    expect(performance.now() - back).toBeLessThan(5_000)
    await mute(alice)
  }, 60_000)

  test('R33.5: the sound of a guest stops within two seconds after the end of a right of guests', async () => {
    const { page } = await pages.open(`/rooms/${roomId}`)
    await page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
    await page.keyboard.press('Enter')
    await page.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(page)
    await joinCall(page)
    for (const change of [{ voiceGuests: 'listen' }, { visibility: 'private' }]) {
      await tiles(alice).nth(2).waitFor()
      await talk(page, [alice])
      await changeSettings(host, roomId, change)
      await expectSilence(alice)
      expect((await receivedWithin(page, 300)).sentPackets).toBe(0)
      if ('voiceGuests' in change) await changeSettings(host, roomId, { voiceGuests: 'speak' })
    }
  }, 40_000)

  test('R33.5: the sound of a person stops within two seconds after the end of the session', async () => {
    const service = pages.service()
    const { id } = await pages.signIn(DAVE)
    await makeMember(service, roomId, { user: { id } }, 'speaker')
    const endSessions = (changes: object) =>
      service.rooms.database.write((tx) =>
        tx.updateTable('sessions').set(changes).where('user_id', '=', id).execute(),
      )
    const ends: readonly [what: string, (page: Page) => Promise<unknown>][] = [
      [
        'signing out',
        (page) =>
          page.evaluate(() =>
            fetch('/api/auth/logout', {
              method: 'POST',
              headers: {
                'content-type': 'application/json',
                'x-csrf-token': document.documentElement.dataset['csrf'] ?? '',
              },
              body: '{}',
            }),
          ),
      ],
      [
        'back-channel logout',
        () =>
          deliver(
            service,
            service.idp.logoutToken((usual) => ({ ...usual, sub: DAVE.sub, sid: undefined })),
          ),
      ],
      ['expiry', () => endSessions({ idle_expires_at: service.clock.ms - 1 })],
      [
        'disabling the account',
        async () =>
          (await pages.signIn(ROOT)).browser.send(`/api/admin/users/${id}/status`, {
            method: 'PATCH',
            body: { disabled: true },
          }),
      ],
    ]
    const { page } = await pages.open('/login')
    for (const [, act] of ends) {
      await pages.signInAgain(page, DAVE, `/rooms/${roomId}`)
      await page.getByRole('textbox', { name: /^Message / }).waitFor()
      await collectConnections(page)
      await joinCall(page)
      await talk(page, [alice])
      await act(page)
      await advance(service, 1_000)
      await expectSilence(alice)
    }
  }, 90_000)

  test('R33.5: the sound of a person stops within two seconds after the end of a right in the room', async () => {
    const user = { user: { id: await pages.idOf('Bob Berg') } } as TestUser
    const end = { roomId, bob: user, page: bob }
    for (const [what, act, again] of ENDS) {
      await tiles(alice).nth(1).waitFor()
      await control(bob, 'Turn on the microphone').waitFor()
      await talk(bob, [alice])
      await act(end)
      await expectSilence(alice)
      // The page of Bob sends nothing either, whether or not it is received.
      expect([what, (await receivedWithin(bob, 300)).sentPackets]).toEqual([what, 0])
      if (what === 'no calls') await control(alice, 'Close').click()
      await again?.(end)
      if (what === 'no calls') await joinCall(alice)
    }
    expect(opened.flatMap(({ errors }) => errors).filter((text) => !isLost(text))).toEqual([])
  }, 90_000)
})

describe('a listener in a call', () => {
  let alice: Page
  let bob: Page
  beforeAll(async () => {
    const { roomId, pages: speakers } = await callOf([ALICE])
    if (!speakers[0]) throw new Error('A page is needed')
    ;[alice, bob] = [speakers[0], (await openIn(BOB, roomId)).page]
    await joinCall(bob)
    await talk(alice, [bob])
  }, 60_000)
  afterAll(() => Promise.all([alice, bob].map((page) => page.context().close())))

  test('R33.4a: a listener hears, and has no microphone, camera or screen to turn on', async () => {
    for (const name of [/microphone/, /camera/, /screen/])
      expect(await call(bob).getByRole('toolbar').getByRole('button', { name }).count()).toBe(0)
    // Sound that a changed client would send is not in any description that the server passes on.
    const directions = await alice.evaluate(() =>
      window.peerConnections.flatMap((connection) =>
        connection.getTransceivers().map((each) => each.currentDirection),
      ),
    )
    expect(directions.filter((direction) => direction === 'sendrecv' || direction === 'recvonly')).toEqual([])
  }, 40_000)

  test('R33.4: pictures that the changed page of a listener hides in its descriptions reach no one', async () => {
    const answer = await bob.evaluate(async () => {
      const [track] = (await navigator.mediaDevices.getUserMedia({ video: true })).getTracks()
      const transceiver = window.peerConnections[0]?.getTransceivers()[1]
      if (!transceiver || !track) throw new Error('The call has no line for a camera')
      await transceiver.sender.replaceTrack(track)
      // Chromium takes the second line for the direction.
      const [direction = '', hidden = ''] = ['a=sendrecv', 'a=recvonly\r\na=sendrecv:x'].map((line) =>
        JSON.stringify(line).slice(1, -1),
      )
      const { stringify } = JSON
      JSON.stringify = (value: unknown) => stringify(value).replaceAll(direction, hidden)
      const answered = Promise.withResolvers<unknown>()
      const { parse } = JSON
      JSON.parse = (text: string) => {
        const value = parse(text) as { type?: string; code?: string; description?: unknown } | null
        if (value?.type === 'error' || value?.description) answered.resolve(value.code ?? 'description')
        return value
      }
      transceiver.direction = 'sendrecv'
      return answered.promise
    })
    expect(answer).toBe('forbidden')
    expect((await received(alice)).frames).toBe(0)
  }, 40_000)
})

test('R33.4: a page neither receives nor shows the camera of a person without the right to it', async () => {
  const roomId = await roomOf([ALICE, BOB])
  const { page: alice } = await openIn(ALICE, roomId)
  await joinCall(alice)
  // Her page learns that no one has this right, whatever others send.
  await alice.evaluate(() => {
    const { parse } = JSON
    JSON.parse = (text: string) => {
      const value: unknown = parse(text)
      const { peer } = (value ?? {}) as { peer?: { grants: { camera: boolean } } }
      if (peer) peer.grants.camera = false
      return value
    }
  })
  const { page: bob } = await openIn(BOB, roomId)
  await joinCall(bob)
  await control(bob, 'Turn on the camera').click()
  await control(bob, 'Turn off the camera').waitFor()
  await talk(bob, [alice])
  expect((await received(alice)).frames).toBe(0)
  const directions = await alice.evaluate(() =>
    window.peerConnections[0]?.getTransceivers().map(({ direction }) => direction),
  )
  expect(directions).toEqual(['sendrecv', 'inactive', 'inactive', 'inactive'])
}, 40_000)
