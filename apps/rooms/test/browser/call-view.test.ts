import { beforeAll, expect, test } from 'bun:test'
import {
  expectAccessible,
  expectFingerSized,
  expectWithinWidth,
  screenshot,
} from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type TestUser, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { MESH } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import {
  call,
  callRooms,
  collectConnections,
  control,
  giveTone,
  joinCall,
  mute,
  received,
  receivedWithin,
  talk,
  tiles,
} from './call-page.ts'
import { networkProxy } from './network-proxy.ts'

const pages = roomPages({
  settings: { voice: { ...MESH, guests: 'speak' } },
  limits: { voice_joins_per_minute: 1000 },
})

declare global {
  interface Window {
    /** All tracks that a device has opened. */
    openedTracks: MediaStreamTrack[]
  }
}

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)
const { roomOf, openIn, callOf, another } = callRooms(pages, () => host)

/** Places of all elements that match, in whole pixels. */
function boxesOf(page: Page, selector: string) {
  return page.locator(selector).evaluateAll((elements) =>
    elements.map((element) => {
      const { left, top, right, bottom } = element.getBoundingClientRect()
      return { left, top, right, bottom }
    }),
  )
}

const areaOf = ({ left, top, right, bottom }: Box) => (right - left) * (bottom - top)

type Box = Awaited<ReturnType<typeof boxesOf>>[number]

const isInside = (inner: Box, outer: Box) =>
  inner.left >= outer.left - 1 &&
  inner.top >= outer.top - 1 &&
  inner.right <= outer.right + 1 &&
  inner.bottom <= outer.bottom + 1
const overlaps = (a: Box, b: Box) =>
  Math.min(a.right, b.right) - Math.max(a.left, b.left) > 1 &&
  Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > 1

/** Waits until this many tiles are in the stage, none over another, in most of its area. */
async function expectFilled(page: Page, count: number): Promise<void> {
  await until(async () => {
    const [stage] = await boxesOf(page, '.call-stage')
    const boxes = await boxesOf(page, '.call-tile')
    if (!stage || boxes.length !== count) return false
    const isAlone = (box: Box) => boxes.every((other) => other === box || !overlaps(box, other))
    const used = boxes.reduce((sum, box) => sum + areaOf(box), 0) / areaOf(stage)
    return used > 0.4 && boxes.every((box) => isInside(box, stage) && isAlone(box))
  })
}

// Other counts up to eight: best-grid.test.ts.
test('R33.6b: one, three and eight people fill the stage, none over another, on a desktop and on a phone', async () => {
  const roomId = await roomOf([ALICE])
  const { page } = await openIn(ALICE, roomId, { width: 1440 })
  await joinCall(page)
  let present = 1
  for (const count of [1, 3, 8]) {
    for (; present < count; present++) await another(roomId, `Person ${present + 1}`)
    await tiles(page)
      .nth(count - 1)
      .waitFor()
    await expectFilled(page, count)
    await screenshot(page, `stage-${count}-1440`)
    await page.setViewportSize({ width: 390, height: 844 })
    await control(page, 'Enlarge the call').click()
    await expectFilled(page, count)
    await screenshot(page, `stage-${count}-390`)
    await control(page, 'Show the messages').click()
    await page.setViewportSize({ width: 1440, height: 900 })
  }
  await expectWithinWidth(page)
  await expectAccessible(page)
}, 90_000)

/** Waits until a popover that opens has taken the focus, which it would take from another element. */
const waitForFocusIn = (page: Page, name: string) =>
  page.getByRole('dialog', { name }).locator(':focus').waitFor()

/** The name of the element with the focus, as a screen reader reads it. */
const focused = (page: Page) =>
  page.evaluate(() => {
    const { activeElement: element } = document
    return element?.getAttribute('aria-label') ?? element?.textContent ?? ''
  })

test('R33.6d: the speaker, a chosen person or a watched screen is large, and all others are in a strip', async () => {
  const {
    roomId,
    opened,
    pages: [alice, bob],
  } = await callOf([ALICE, BOB])
  if (!alice || !bob) throw new Error('Two pages are needed')
  await another(roomId, 'Carol Clark')
  await giveTone(alice)
  await control(alice, 'Turn on the camera').click()
  await talk(alice, [bob])
  const tileOf = (name: string) => bob.locator('.call-tile', { hasText: name })
  // The mark of people who speak, and the mark of people who are muted.
  await bob.locator('.call-tile[data-speaking]', { hasText: 'Alice' }).waitFor()
  await tileOf('Carol').getByText('Microphone off').waitFor({ state: 'attached' })
  expect(await tileOf('Alice').getByText('Microphone off').count()).toBe(0)
  await control(bob, 'Speaker view').click()
  await bob.locator('.call-focus [data-featured]', { hasText: 'Alice' }).waitFor()
  expect(await bob.locator('.call-strip .call-tile').count()).toBe(2)
  await expectAccessible(bob)
  await screenshot(bob, 'call-speaker-view')
  await control(bob, 'Actions for Carol Clark').press('Enter')
  await waitForFocusIn(bob, 'Actions for Carol Clark')
  await bob.getByRole('button', { name: 'Spotlight' }).press('Enter')
  await bob.locator('.call-focus [data-featured]', { hasText: 'Carol' }).waitFor()
  // The focus is where the button is now.
  await until(async () => (await focused(bob)) === 'Actions for Carol Clark')
  // Who speaks takes nothing away from a person whom the user has chosen.
  await bob.locator('.call-tile[data-speaking]', { hasText: 'Alice' }).waitFor()
  expect(await bob.locator('[data-featured]').textContent()).toContain('Carol')
  await mute(alice)
  await control(alice, 'Share screen').click()
  await waitForFocusIn(alice, 'Share screen')
  await alice.getByRole('button', { name: 'Sharp, for text' }).press('Enter')
  await control(alice, 'Stop sharing the screen').and(alice.locator(':focus')).waitFor()
  await call(alice).getByText('You’re sharing your screen.').waitFor()
  await bob.locator('.call-focus .call-screen video').waitFor()
  expect(await bob.locator('.call-strip .call-tile').count()).toBe(3)
  const [screen] = await boxesOf(bob, '.call-screen')
  const people = await boxesOf(bob, '.call-tile')
  expect(screen && people.filter((box) => areaOf(box) * 3 > areaOf(screen))).toEqual([])
  for (const [width, colorScheme, name] of [
    [1440, 'light', 'Enlarge the call'],
    [390, 'dark', 'Show the messages'],
  ] as const) {
    await bob.setViewportSize({ width, height: 844 })
    await bob.emulateMedia({ colorScheme })
    await expectAccessible(bob)
    await screenshot(bob, `call-screen-${width}-${colorScheme}`)
    await control(bob, name).click()
  }
  await control(bob, 'Stop watching').press('Enter')
  await until(async () => (await focused(bob)) === 'Watch the screen of Alice Andersson')
  await control(bob, 'Watch the screen of Alice Andersson').press('Enter')
  await until(async () => (await focused(bob)) === 'Stop watching')
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
}, 90_000)

test('R33.6e: devices are chosen and tested before joining, and are closed again', async () => {
  const roomId = await roomOf([ALICE])
  const { page, errors } = await openIn(ALICE, roomId, { width: 1440 })
  await page.evaluate(() => {
    const open = navigator.mediaDevices.getUserMedia.bind(navigator.mediaDevices)
    navigator.mediaDevices.getUserMedia = async (constraints) => {
      const stream = await open(constraints)
      ;(window.openedTracks ??= []).push(...stream.getTracks())
      return stream
    }
  })
  const live = () =>
    page.evaluate(() => window.openedTracks.filter(({ readyState }) => readyState === 'live').length)
  await page.getByRole('button', { name: 'Check devices' }).press('Enter')
  const panel = page.getByRole('dialog', { name: 'Check devices' })
  await panel.getByRole('button', { name: 'Test the camera' }).click()
  const picture = panel.getByLabel('Camera preview')
  await until(() => picture.evaluate((video: HTMLVideoElement) => video.videoWidth > 0))
  await panel.getByRole('button', { name: 'Test the microphone' }).click()
  const level = panel.getByRole('meter', { name: 'Microphone level' })
  await until(() => level.evaluate((meter: HTMLMeterElement) => meter.value > 0.01))
  await panel.getByRole('button', { name: 'Play a test sound' }).click()
  await panel.getByLabel('Microphone', { exact: true }).selectOption('Fake Audio Input 2')
  await until(() => page.evaluate(() => window.openedTracks.at(-1)?.label === 'Fake Audio Input 2'))
  for (const [width, colorScheme] of [
    [1440, 'light'],
    [390, 'dark'],
  ] as const) {
    await page.setViewportSize({ width, height: 900 })
    await page.emulateMedia({ colorScheme })
    await expectAccessible(page)
    await screenshot(page, `call-before-${width}-${colorScheme}`)
  }
  expect(await live()).toBe(2)
  await page.keyboard.press('Escape')
  await panel.waitFor({ state: 'detached' })
  await until(async () => (await live()) === 0)
  await page.getByRole('button', { name: 'Check devices' }).and(page.locator(':focus')).waitFor()
  // What was chosen is used in the call.
  await joinCall(page)
  expect(await live()).toBe(0)
  await control(page, 'Turn on the microphone').click()
  await control(page, 'Turn off the microphone').waitFor()
  expect(await page.evaluate(() => window.openedTracks.at(-1)?.label)).toBe('Fake Audio Input 2')
  expect(errors).toEqual([])
}, 60_000)

test('R33.6g: a call is used by keys alone, and the focus returns to where it came from', async () => {
  const roomId = await roomOf([ALICE])
  const { page } = await openIn(ALICE, roomId)
  await page.getByRole('button', { name: 'Start a call' }).press('Enter')
  await call(page).and(page.locator(':focus')).waitFor()
  const on = (name: string) => control(page, name).waitFor()
  await page.keyboard.press('Control+Shift+M')
  await on('Turn off the microphone')
  await page.keyboard.press('Control+Shift+M')
  await on('Turn on the microphone')
  await page.keyboard.press('Control+Shift+O')
  await on('Turn off the camera')
  await page.keyboard.press('Control+Shift+K')
  await on('Lower your hand')
  // Keys work while the user writes, except for the space bar.
  await page.getByRole('textbox', { name: /^Message / }).focus()
  await page.keyboard.press('Control+Shift+K')
  await on('Raise your hand')
  await page.keyboard.press('Space')
  await on('Turn on the microphone')
  // A button that was clicked keeps the focus, and the space bar still talks.
  await control(page, 'Turn off the camera').click()
  await on('Turn on the camera')
  await page.keyboard.down('Space')
  await on('Turn off the microphone')
  await page.keyboard.up('Space')
  await on('Turn on the microphone')
  await on('Turn on the camera')
  await control(page, 'Turn on the microphone').focus()
  await page.keyboard.press('ArrowRight')
  await control(page, 'Turn on the camera').and(page.locator(':focus')).waitFor()
  await control(page, 'Devices').press('Enter')
  const devices = page.getByRole('dialog', { name: 'Devices' })
  await devices.getByText('Ctrl+Shift+M').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'call-devices-keys')
  await page.keyboard.press('Escape')
  await control(page, 'Devices').and(page.locator(':focus')).waitFor()
  await control(page, 'Enlarge the call').press('Enter')
  await control(page, 'Show the messages').and(page.locator(':focus')).waitFor()
  // Covered elements cannot get the focus.
  expect(await page.getByRole('textbox', { name: /^Message / }).count()).toBe(0)
  await control(page, 'Leave the call').press('Enter')
  await page.getByRole('button', { name: 'Start a call' }).and(page.locator(':focus')).waitFor()
}, 40_000)

test('R33.6f: a window above all others holds several people, the microphone and leaving', async () => {
  const {
    roomId,
    opened,
    pages: [alice, bob],
  } = await callOf([ALICE, BOB])
  if (!alice || !bob) throw new Error('Two pages are needed')
  await another(roomId, 'Carol Clark')
  await control(alice, 'Turn on the camera').click()
  const inWindow = <Value>(read: (body: HTMLElement) => Value) =>
    bob.evaluate<Value>(
      `(${String(read)})(documentPictureInPicture.window?.document.body ?? document.createElement('body'))`,
    )
  await control(bob, 'Picture in picture').click()
  await until(() => inWindow((body) => body.querySelectorAll('.call-tile').length === 3))
  await until(() => inWindow((body) => (body.querySelector('video')?.videoWidth ?? 0) > 0))
  expect(
    await inWindow((body) => getComputedStyle(body.querySelector('.call-pip') ?? body).backgroundColor),
  ).toBe('rgb(11, 16, 27)')
  const small = bob
    .context()
    .pages()
    .find((page) => page !== bob)
  if (!small) throw new Error('There is no small window')
  await expectAccessible(small)
  await screenshot(small, 'call-pip')
  const press = (name: string) =>
    bob.evaluate(
      `documentPictureInPicture.window.document.querySelector('button[aria-label="${name}"]').click()`,
    )
  await press('Turn on the microphone')
  await control(bob, 'Turn off the microphone').waitFor()
  await control(bob, 'Picture in picture').click()
  expect(await inWindow((body) => body.querySelectorAll('.call-tile').length)).toBe(0)
  await control(bob, 'Picture in picture').click()
  await until(() => inWindow((body) => body.querySelectorAll('.call-tile').length === 3))
  await press('Leave the call')
  await call(bob).waitFor({ state: 'detached' })
  await until(() => bob.evaluate<boolean>('documentPictureInPicture.window === null'))
  // Where the browser has only the other kind, one picture is shown.
  await alice.evaluate(`delete window.documentPictureInPicture`)
  await control(alice, 'Speaker view').click()
  await alice.waitForFunction(() =>
    [...document.querySelectorAll<HTMLVideoElement>('.call video')].some(({ videoWidth }) => videoWidth > 0),
  )
  await control(alice, 'Picture in picture').click()
  await until(() => alice.evaluate(() => document.pictureInPictureElement !== null))
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
}, 60_000)

test('R33.6i, R33.5a: after ten seconds without a network a call resumes by itself within five, as it was', async () => {
  const {
    roomId,
    pages: [alice],
  } = await callOf([ALICE])
  if (!alice) throw new Error('A page is needed')
  const { id } = await pages.signIn(BOB)
  await makeMember(pages.service(), roomId, { user: { id } }, 'speaker')
  const network = await networkProxy(pages.port())
  try {
    const { page: bob } = await openIn(BOB, roomId)
    await bob.goto(`http://localhost:${network.port}/rooms/${roomId}`)
    await bob.getByRole('textbox', { name: /^Message / }).waitFor()
    await collectConnections(bob)
    await joinCall(bob)
    await control(bob, 'Turn on the camera').click()
    await talk(bob, [alice])
    await until(async () => (await received(alice)).frames > 5)
    await control(alice, 'Share screen').click()
    await alice.getByRole('button', { name: 'Sharp, for text' }).click()
    await bob.locator('.call-screen video').waitFor()
    network.cut()
    await bob.waitForTimeout(3_000)
    const { audioPackets, frames } = await receivedWithin(alice, 500)
    expect({ audioPackets, frames }).toEqual({ audioPackets: 0, frames: 0 })
    await bob.waitForTimeout(6_500)
    await call(bob).getByText('The connection was lost. Joining again…').waitFor()
    await screenshot(bob, 'call-lost')
    network.restore()
    const back = performance.now()
    await until(async () => {
      const now = await receivedWithin(alice, 200)
      return now.audioPackets > 0 && now.frames > 0
    })
    expect(performance.now() - back).toBeLessThan(5_000)
    await control(bob, 'Turn off the microphone').waitFor()
    await control(bob, 'Turn off the camera').waitFor()
    expect(await tiles(alice).count()).toBe(2)
    // The screen that was watched is watched again.
    await until(async () => (await receivedWithin(bob, 300)).frames > 0)
    await bob.locator('.call-screen video').waitFor()
    await bob.close()
  } finally {
    network.close()
  }
}, 60_000)

test('R33.6b: on a phone the call can fill the page, with its controls at the lower edge, in every language', async () => {
  const roomId = await roomOf([ALICE])
  for (const [locale, leave, more, back, enlarge] of [
    ['en', 'Leave the call', 'More', 'Show the messages', 'Enlarge the call'],
    ['sv', 'Lämna samtalet', 'Mer', 'Visa meddelandena', 'Förstora samtalet'],
    ['id', 'Tinggalkan panggilan', 'Lainnya', 'Tampilkan pesan', 'Perbesar panggilan'],
  ] as const) {
    const { page, errors } = await pages.openAs(ALICE, `/rooms/${roomId}`, {
      width: 390,
      height: 844,
      touch: true,
      locale,
    })
    await page.locator('.call-button').tap()
    const button = (name: string) => page.locator('.call').getByRole('button', { name, exact: true })
    await button(leave).waitFor()
    await button(enlarge).tap()
    for (const width of [390, 320]) {
      await page.setViewportSize({ width, height: 844 })
      await expectWithinWidth(page)
      const { y = 0, height = 0 } = (await button(leave).boundingBox()) ?? {}
      expect(844 - y - height).toBeLessThan(24)
      await screenshot(page, `call-phone-${locale}-${width}`)
    }
    await page.setViewportSize({ width: 390, height: 844 })
    await expectFingerSized(page)
    if (locale === 'en') await expectAccessible(page)
    await button(more).tap()
    await page.getByRole('dialog', { name: more }).waitFor()
    await expectWithinWidth(page)
    if (locale === 'en') await expectAccessible(page)
    await screenshot(page, `call-phone-more-${locale}`)
    await page.getByRole('dialog', { name: more }).getByRole('button').first().tap()
    await page.getByRole('dialog', { name: more }).locator('select').first().waitFor()
    await expectWithinWidth(page)
    await screenshot(page, `call-phone-devices-${locale}`)
    await page.keyboard.press('Escape')
    await button(back).tap()
    await page.getByRole('textbox').waitFor()
    await expectWithinWidth(page)
    expect(errors).toEqual([])
    await page.context().close()
  }
}, 60_000)
