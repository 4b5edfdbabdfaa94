import { afterAll, beforeAll, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type Browser, type Page, chromium } from 'playwright-core'
import { type TestUser, changeSettings, member } from '../actions.ts'
import texts from '../../src/web/texts/en/call.ts'
import { ALICE } from '../provider/hostile.ts'
import { MESH, moderate, setState } from '../voice/call.ts'
import { ROOT, roomPages } from './browser.ts'
import { call, callRooms, control, joinCall } from './call-page.ts'
import { networkProxy } from './network-proxy.ts'

// Only TURN servers are allowed, and there is none: no media ever arrives.
const pages = roomPages({
  settings: { voice: { ...MESH, relayOnly: true } },
  limits: { voice_joins_per_minute: 1000, voice_people_mesh: 2, voice_cameras_mesh: 1 },
})

/** Browsers that ask the user, and for which `rooms.test` is the service, without https. */
const FLAGS = ['--no-sandbox', '--disable-gpu', '--host-resolver-rules=MAP rooms.test 127.0.0.1']

const CHROMIUM = process.env['LATCHKEY_TEST_CHROMIUM'] || '/usr/bin/chromium'

let host: TestUser
/** On a machine with devices, and on one without. */
let equipped: Browser
let bare: Browser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  bare = await chromium.launch({
    executablePath: process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || CHROMIUM,
    args: FLAGS,
  })
  // The headless shell has no permissions to refuse.
  const args = [...FLAGS, '--use-fake-device-for-media-stream']
  equipped = await chromium.launch({ executablePath: CHROMIUM, args })
}, 60_000)
afterAll(async () => {
  await bare?.close()
  await equipped?.close()
})
const { roomOf, openIn, another } = callRooms(pages, () => host)

type Failure = keyof typeof texts extends infer Key
  ? Key extends `call.failure.${infer Code}`
    ? Code
    : never
  : never

/** Sees the sentence of a failure in the call of this page, to its full length. */
async function expectSentence(page: Page, code: Failure): Promise<void> {
  const sentence = texts[`call.failure.${code}`]
  await call(page).getByRole('alert').getByText(sentence, { exact: true }).waitFor()
  await expectAccessible(page)
  await screenshot(page, `call-failure-${code}`)
}

/** Alice, alone in the call of a room. */
async function aliceInCall() {
  const roomId = await roomOf([ALICE])
  const { page } = await openIn(ALICE, roomId)
  await joinCall(page)
  return { page, roomId }
}

/** Alice in a room, in this browser and at this origin, with these permissions for devices. */
async function openElsewhere(browser: Browser, origin: string, setting?: 'granted' | 'denied') {
  const roomId = await roomOf([ALICE])
  const { cookies } = (await pages.signIn(ALICE)).browser
  const context = await browser.newContext()
  await context.addCookies([...cookies].map(([name, value]) => ({ name, value, url: origin })))
  const opened = await context.newPage()
  const devtools = await context.newCDPSession(opened)
  for (const name of setting ? ['microphone', 'camera'] : [])
    await devtools.send('Browser.setPermission', {
      permission: { name },
      setting: setting ?? 'prompt',
      origin,
    })
  await opened.goto(`${origin}/rooms/${roomId}`)
  return opened
}

test('R33.6j: a device that the user has not allowed is named with the way to allow it, before and in a call', async () => {
  const page = await openElsewhere(equipped, pages.at(''), 'denied')
  await page.getByRole('button', { name: 'Check devices' }).click()
  const panel = page.getByRole('dialog', { name: 'Check devices' })
  await panel.getByRole('button', { name: 'Test the microphone' }).click()
  await panel.getByRole('alert').getByText(texts['call.failure.permission'], { exact: true }).waitFor()
  await panel.getByRole('button', { name: 'Test the camera' }).click()
  await panel.getByRole('alert').nth(1).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'call-before-refused')
  await page.keyboard.press('Escape')
  await joinCall(page)
  await control(page, 'Turn on the microphone').click()
  await expectSentence(page, 'permission')
  // It is still off, and the call goes on.
  await control(page, 'Turn on the microphone').waitFor()
  await control(page, 'Close').click()
  await call(page).getByRole('alert').waitFor({ state: 'detached' })
}, 30_000)

test('R33.6j: a machine without a microphone, and a page without https, are named with their remedies', async () => {
  for (const [code, origin] of [
    ['noDevice', pages.at('')],
    ['insecure', pages.at('').replace('localhost', 'rooms.test')],
  ] as const) {
    const page = await openElsewhere(bare, origin, code === 'noDevice' ? 'granted' : undefined)
    expect(await page.evaluate(() => isSecureContext)).toBe(code === 'noDevice')
    await joinCall(page)
    await control(page, 'Turn on the microphone').click()
    await expectSentence(page, code)
    await page.context().close()
  }
}, 30_000)

test('R33.6j: a proxy that forbids devices is named', async () => {
  const roomId = await roomOf([ALICE])
  const { page } = await openIn(ALICE, roomId)
  const proxy = await networkProxy(pages.port(), (text) => text.replaceAll('=(self)', '=()'))
  await page.goto(`http://localhost:${proxy.port}/rooms/${roomId}`)
  await joinCall(page)
  for (const name of ['Turn on the microphone', 'Turn on the camera']) {
    await control(page, name).click()
    await expectSentence(page, 'policy')
    await control(page, 'Close').click()
  }
  await page.close()
  proxy.close()
}, 30_000)

test('R33.6j: a device that another program uses is named', async () => {
  const { page } = await aliceInCall()
  await page.evaluate(() => {
    navigator.mediaDevices.getUserMedia = () => Promise.reject(new DOMException('In use', 'NotReadableError'))
  })
  await control(page, 'Turn on the camera').click()
  await expectSentence(page, 'busy')
  await control(page, 'Turn on the camera').waitFor()
}, 30_000)

test('R33.6j: a network without media is named after eight seconds, and not before', async () => {
  const { page, roomId } = await aliceInCall()
  const at = performance.now()
  await another(roomId, 'Sam Speaker')
  await page.waitForTimeout(3_000)
  expect(await call(page).getByRole('alert').count()).toBe(0)
  await expectSentence(page, 'noMedia')
  expect(performance.now() - at).toBeLessThan(12_000)
}, 30_000)

test('R33.6j: a full call and one without space for a camera say what to wait for', async () => {
  const { page, roomId } = await aliceInCall()
  const sam = await another(roomId, 'Sam Speaker')
  await setState(sam, roomId, { camera: true })
  await control(page, 'Turn on the camera').click()
  await expectSentence(page, 'camerasFull')
  await setState(sam, roomId, { camera: false })
  await control(page, 'Turn on the camera').click()
  await control(page, 'Turn off the camera').waitFor()
  await control(page, 'Leave the call').click()
  const lea = await another(roomId, 'Lea Listener')
  await page.getByRole('button', { name: /^Join the call/ }).click()
  await expectSentence(page, 'full')
  lea.socket.close()
  await control(page, 'Try again').click()
  await control(page, 'Leave the call').waitFor()
}, 30_000)

test('R33.6: a right that ends while the browser asks for the microphone is named, and nothing is sent', async () => {
  const { page, roomId } = await aliceInCall()
  const sam = await another(roomId, 'Sam Speaker')
  await page.evaluate(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    const permission = new Promise((resolve) => addEventListener('allowed', resolve, { once: true }))
    navigator.mediaDevices.getUserMedia = (constraints) => permission.then(() => open(constraints))
  })
  await control(page, 'Turn on the microphone').click()
  const path = `/api/rooms/${roomId}/members/${await pages.idOf('Alice Andersson')}`
  await host.browser.send(path, { method: 'PATCH', body: { role: 'listener' } })
  await control(page, 'Turn on the microphone').waitFor({ state: 'detached' })
  await page.evaluate(() => dispatchEvent(new Event('allowed')))
  await expectSentence(page, 'forbidden')
  expect(await control(page, 'Try again').count()).toBe(0)
  await control(page, 'Leave the call').waitFor()
  const isOn = sam.socket.frames.some((frame) => (frame['peer'] as { audio?: boolean } | undefined)?.audio)
  expect(isOn).toBe(false)
}, 30_000)

test('R33.6: calls that are off, a removal and a service without calls are named', async () => {
  const { page, roomId } = await aliceInCall()
  const alice = { user: { id: await pages.idOf('Alice Andersson') } } as TestUser
  await moderate(host, roomId, alice, 'remove')
  await expectSentence(page, 'removed')
  await control(page, 'Try again').click()
  await control(page, 'Leave the call').waitFor()
  await changeSettings(host, roomId, { voice: 'off' })
  await expectSentence(page, 'off')
  // Trying again would not help.
  expect(await control(page, 'Try again').count()).toBe(0)
  await control(page, 'Close').click()
  await call(page).waitFor({ state: 'detached' })
  await changeSettings(host, roomId, { voice: 'video' })
  await page.route(/\/voice$/, (route) =>
    route.fulfill({ status: 503, json: { error: 'Not now', code: 'voice_unavailable' } }),
  )
  await page.getByRole('button', { name: 'Start a call' }).click()
  await expectSentence(page, 'unavailable')
  await page.unroute(/\/voice$/)
  await control(page, 'Try again').click()
  await control(page, 'Leave the call').waitFor()
}, 30_000)
