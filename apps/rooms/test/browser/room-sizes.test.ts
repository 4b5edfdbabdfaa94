import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, admin, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { MESH, setState } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { call, callRooms, control, joinCall, tiles } from './call-page.ts'
import { field, lines } from './room-page.ts'

const pages = roomPages({
  settings: { voice: { ...MESH, guests: 'speak' } },
  limits: { voice_joins_per_minute: 1000 },
})
const SIZES = [
  [1280, 720],
  [1366, 768],
  [1440, 900],
  [390, 844],
  [320, 568],
] as const

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)
const { callOf, another } = callRooms(pages, () => host)

const toEnd = (page: Page) =>
  page.locator('.messages').evaluate((list) => list.scrollTo(0, list.scrollHeight))
const toTop = (page: Page) => page.locator('.messages').evaluate((list) => list.scrollTo(0, 0))

/** Sizes of a window with a call: two of them, of a low window and of a phone on its side, beyond the rule. */
const CALL_SIZES = [
  [1200, 800],
  [1280, 720],
  [1366, 768],
  [1440, 900],
  [390, 844],
  [320, 568],
  [1024, 600],
  [844, 390],
] as const

/** Measures of a room with a call. */
const measure = (page: Page) =>
  page.evaluate(async () => {
    // Tiles follow a change of their area in the next frame.
    for (let frames = 0; frames < 2; frames++) await new Promise(requestAnimationFrame)
    const boxOf = (selector: string) => {
      const { left, top, right, bottom, width, height } =
        document.querySelector(selector)?.getBoundingClientRect() ?? new DOMRect()
      return { left, top, right, bottom, width, height }
    }
    const write = boxOf('.composer')
    const visible = [...document.querySelectorAll('.call-tile')].filter((tile) => tile.checkVisibility())
    const covers = (tile: Element) => {
      const { left, top, right, bottom } = tile.getBoundingClientRect()
      return left < write.right && right > write.left && top < write.bottom && bottom > write.top
    }
    const frame = boxOf('.call-stage')
    const isBeyond = (tile: Element) => {
      const { left, top, right, bottom } = tile.getBoundingClientRect()
      return left < frame.left || right > frame.right || top < frame.top || bottom > frame.bottom
    }
    return {
      pageHeight: document.documentElement.scrollHeight,
      pageWidth: document.documentElement.scrollWidth,
      stage: boxOf('.call'),
      conversation: boxOf('.conversation'),
      list: boxOf('.messages'),
      write,
      send: boxOf('.composer-send'),
      rows: new Set(visible.map((tile) => Math.round(tile.getBoundingClientRect().top))).size,
      covering: visible.filter(covers).length,
      // In less height than the lowest tiles have, they scroll.
      beyond: frame.height < 64 ? 0 : visible.filter(isBeyond).length,
    }
  })

test('R33.6n R33.6a R33.6o: in a call, the message field is in the window at every size, wherever the reader is', async () => {
  const {
    roomId,
    opened,
    pages: [alice],
  } = await callOf([ALICE])
  if (!alice) throw new Error('A page is needed')
  for (const name of ['Bob Berg', 'Carol Clark']) await another(roomId, name)
  for (let number = 1; number <= 80; number++) await createMessage(host, roomId, `Message ${number}`)
  await tiles(alice).nth(2).waitFor()
  await control(alice, 'Turn on the camera').click()
  await alice.locator('.call-video').waitFor()
  const expectField = async (width: number, height: number, what: string) => {
    const { pageHeight, pageWidth, stage, conversation, list, write, send, rows, covering, beyond } =
      await measure(alice)
    const isBeside = width >= 1200
    const isLow = height < 560
    expect({
      what,
      size: [width, height],
      page: [pageWidth, pageHeight],
      isFieldInside:
        write.bottom <= height && write.right <= width && send.bottom <= height && send.right < write.right,
      isBeside: stage.right <= conversation.left,
      isAbove: stage.bottom <= conversation.top,
      hasWords: list.height >= 40 && conversation.width >= Math.min(360, width),
      isLowEnough: isBeside || stage.height <= Math.max(60, Math.min(0.46 * height, height - 420)) + 1,
      rows: isBeside ? undefined : rows,
      covering,
      beyond,
    }).toEqual({
      what,
      size: [width, height],
      page: [width, height],
      isFieldInside: true,
      isBeside,
      isAbove: !isBeside,
      hasWords: true,
      isLowEnough: true,
      rows: isBeside ? undefined : isLow ? 0 : 1,
      covering: 0,
      beyond: 0,
    })
  }
  const expectFieldAt = async (width: number, height: number, name: string) => {
    await alice.setViewportSize({ width, height })
    const isOffered = async () => (await alice.locator('.to-newest').count()) > 0
    // Again, as rows that appear make the list longer.
    await until(() => toEnd(alice).then(async () => !(await isOffered())))
    await expectField(width, height, 'at the end')
    await until(() => toTop(alice).then(isOffered))
    await expectField(width, height, 'further up')
    await screenshot(alice, `${name}-${width}x${height}`)
    const message = lines(alice).filter({ hasText: 'Message 20' }).first()
    await message.focus()
    await message.press('Enter')
    await message.getByRole('button', { name: 'Reply' }).press('Enter')
    await alice.locator('.replying').waitFor()
    await field(alice).fill('One\ntwo\nthree\nfour\nfive')
    await expectField(width, height, 'replying')
    await field(alice).fill('')
    await alice.getByRole('button', { name: 'Cancel the reply' }).click()
  }
  for (const [width, height] of CALL_SIZES) await expectFieldAt(width, height, 'call-field')
  await alice.setViewportSize({ width: 390, height: 844 })
  // Folded to its controls, and the words have the rest.
  await control(alice, 'More').click()
  await alice.getByRole('button', { name: 'Minimise the call' }).click()
  await until(async () => (await measure(alice)).rows === 0)
  expect((await measure(alice)).stage.height).toBeLessThanOrEqual(60)
  await control(alice, 'Leave the call').waitFor()
  await screenshot(alice, 'call-folded')
  // Covering the conversation is a choice at every width.
  for (const [width, height] of [
    [390, 844],
    [1440, 900],
  ] as const) {
    await alice.setViewportSize({ width, height })
    await control(alice, 'Enlarge the call').click()
    await until(async () => (await field(alice).count()) === 0)
    await control(alice, 'Show the messages').click()
    await field(alice).waitFor()
  }
  await expectAccessible(alice)
  // With a notice above the room.
  const root = await admin(pages.service(), 'Rosa Root')
  const announce = (announcement: string | null) =>
    root.browser.json('/api/admin/settings', { method: 'PATCH', body: { announcement } })
  await announce('Closed on Sunday')
  await alice.reload()
  await alice.getByText('Closed on Sunday').waitFor()
  await joinCall(alice)
  await tiles(alice).nth(2).waitFor()
  for (const [width, height] of CALL_SIZES)
    if (height >= 568) await expectFieldAt(width, height, 'call-notice')
  await announce(null)
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
}, 120_000)

test('R33.6n: no width of a window with a call scrolls sideways', async () => {
  const {
    roomId,
    pages: [alice],
  } = await callOf([ALICE])
  if (!alice) throw new Error('A page is needed')
  for (const name of ['Bob Berg', 'Carol Clark']) await another(roomId, name)
  await tiles(alice).nth(2).waitFor()
  const wide: number[] = []
  for (let width = 320; width <= 1440; width += 23) {
    await alice.setViewportSize({ width, height: 700 })
    if ((await measure(alice)).pageWidth > width) wide.push(width)
  }
  expect(wide).toEqual([])
}, 120_000)

test('R33.6n: a keyboard on the screen that covers the page covers neither the field nor the call', async () => {
  const {
    pages: [alice],
  } = await callOf([ALICE])
  if (!alice) throw new Error('A page is needed')
  await alice.setViewportSize({ width: 390, height: 844 })
  await field(alice).focus()
  await alice.evaluate(() => {
    if (!visualViewport) return
    Object.defineProperty(visualViewport, 'height', { configurable: true, value: 500 })
    visualViewport.dispatchEvent(new Event('resize'))
  })
  await until(
    async () => (await measure(alice)).pageHeight <= 844 && (await measure(alice)).write.bottom <= 500,
  )
  const { stage, list, write } = await measure(alice)
  expect(stage.top).toBeGreaterThan(0)
  expect(stage.bottom).toBeLessThanOrEqual(list.top)
  expect(write.bottom).toBe(500)
  await screenshot(alice, 'call-keyboard')
  await alice.evaluate(() => {
    Reflect.deleteProperty(visualViewport ?? {}, 'height')
    visualViewport?.dispatchEvent(new Event('resize'))
  })
  await until(async () => (await measure(alice)).write.bottom === 844)
}, 60_000)

test('R33.6c: shared screens play at once, beyond two by choice, and one that was stopped stays so', async () => {
  const {
    roomId,
    pages: [alice, bob],
  } = await callOf([ALICE, BOB])
  if (!alice || !bob) throw new Error('Two pages are needed')
  const carol = await another(roomId, 'Carol Clark')
  const share = async (page: Page) => {
    await control(page, 'Share screen').hover()
    await control(page, 'Share screen').click()
    const smooth = page.getByRole('button', { name: 'Smooth, for video' })
    await smooth.waitFor()
    await page.waitForFunction(() => document.querySelector('[role=tooltip]') === null)
    await smooth.click()
  }
  await share(bob)
  await alice.locator('.call-screen video').waitFor()
  await alice.waitForFunction(
    () => (document.querySelector<HTMLVideoElement>('.call-screen video')?.videoWidth ?? 0) > 0,
  )
  expect(await control(alice, 'Watch the screen of Bob Berg').count()).toBe(0)
  await control(alice, 'Stop watching').click()
  await control(alice, 'Watch the screen of Bob Berg').waitFor()
  await setState(carol, roomId, { screen: true })
  await alice.locator('.call-screen', { hasText: 'Carol' }).waitFor()
  await control(alice, 'Watch the screen of Bob Berg').waitFor()
  expect(await alice.locator('.call-screen').count()).toBe(1)
  // Another screen of the same person plays again.
  await control(bob, 'Stop sharing the screen').click()
  await until(async () => (await control(alice, 'Watch the screen of Bob Berg').count()) === 0)
  await share(bob)
  await alice.locator('.call-screen', { hasText: 'Bob' }).waitFor()
  expect(await call(alice).locator('.call-screen').count()).toBe(2)
}, 90_000)

test('R35.2c: Arrow Up opens one’s last message for editing with its buttons in view, however far it is', async () => {
  const { id } = await createRoom(host, { name: 'Library' })
  const { id: aliceId, browser } = await pages.signIn(ALICE)
  await makeMember(pages.service(), id, { user: { id: aliceId } })
  await createMessage({ browser }, id, `My words\n${'and more\n'.repeat(12)}`)
  for (let number = 1; number <= 45; number++) await createMessage(host, id, `Message ${number}`)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message 45').waitFor()
  for (const [width, height] of SIZES) {
    await page.setViewportSize({ width, height })
    await toEnd(page)
    await field(page).focus()
    await page.keyboard.press('ArrowUp')
    const save = page.getByRole('button', { name: 'Save' })
    await save.waitFor()
    const isInView = async () => {
      const button = await save.boundingBox()
      const list = await page.locator('.messages').boundingBox()
      if (!button || !list) return false
      return button.y >= list.y && button.y + button.height <= list.y + list.height
    }
    await until(isInView)
    await page.keyboard.press('Control+End')
    for (let line = 0; line < 4; line++) await page.keyboard.press('Shift+Enter')
    await until(isInView)
    await page.keyboard.press('Escape')
    await save.waitFor({ state: 'detached' })
  }
  expect(errors).toEqual([])
}, 60_000)

test('R23.9: no page scrolls sideways at any width from 320 to 1440 pixels', async () => {
  const { id } = await createRoom(host, { name: `A room with a long name ${'n'.repeat(30)}` })
  for (let number = 1; number <= 30; number++)
    await createMessage(
      host,
      id,
      `Message ${number} ${'x'.repeat(200)} https://example.com/${'y'.repeat(100)}`,
    )
  const { page } = await pages.openAs(ROOT, '/')
  for (const path of [`/rooms/${id}`, '/', '/account', '/admin']) {
    await page.goto(pages.at(path))
    await page.locator('h1').waitFor()
    if (path.startsWith('/rooms')) await lines(page).last().waitFor()
    const wide: number[] = []
    // No multiple of the distances between breakpoints.
    for (let width = 320; width <= 1440; width += 23) {
      await page.setViewportSize({ width, height: 800 })
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      if (beyond > 0) wide.push(width)
    }
    expect([path, wide]).toEqual([path, []])
  }
}, 120_000)

test('R35.1c: on a phone, the header of 52 px has the name of the room, and further buttons behind one', async () => {
  const { id } = await createRoom(host, { name: 'Learning together' })
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 844, touch: true })
  const name = page.getByRole('heading', { level: 1, name: 'Learning together' })
  for (const [width, isWhole] of [
    [390, true],
    [320, false],
  ] as const) {
    await page.setViewportSize({ width, height: 844 })
    const [visible, whole] = await name.evaluate((heading) => [heading.clientWidth, heading.scrollWidth])
    expect([width, (visible ?? 0) >= Math.min(whole ?? 0, 120)]).toEqual([width, true])
    if (isWhole) expect(visible).toBe(whole)
    const header = await page.locator('.room-header').boundingBox()
    expect(header?.height).toBe(52)
    await screenshot(page, `phone-header-${width}`)
  }
  const more = page.getByRole('button', { name: 'More' })
  await more.tap()
  await page.getByText('Pinned messages').waitFor()
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'phone-header-more')
  await page.keyboard.press('Escape')
  await page.getByText('Pinned messages').waitFor({ state: 'hidden' })
  await more.tap()
  await page.getByRole('button', { name: 'People 1' }).tap()
  await page.getByRole('complementary', { name: 'People' }).getByText('Alice Andersson').waitFor()
  await page.goBack()
  await field(page).waitFor()
  expect(await page.getByText('Pinned messages').isVisible()).toBe(false)
  expect(errors).toEqual([])
}, 60_000)
