import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { MESH, setState } from '../voice/call.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { call, callRooms, control, tiles } from './call-page.ts'
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

/** Lower edge of an element, in whole pixels. */
const bottomOf = (page: Page, selector: string) =>
  page.locator(selector).evaluate((element) => Math.ceil(element.getBoundingClientRect().bottom))

const toEnd = (page: Page) =>
  page.locator('.messages').evaluate((list) => list.scrollTo(0, list.scrollHeight))
const toTop = (page: Page) => page.locator('.messages').evaluate((list) => list.scrollTo(0, 0))

test('R33.6a: in a call, the message field is in the window at every size, wherever the reader is', async () => {
  const {
    roomId,
    opened,
    pages: [alice],
  } = await callOf([ALICE])
  if (!alice) throw new Error('A page is needed')
  for (const name of ['Bob Berg', 'Carol Clark']) await another(roomId, name)
  for (let number = 1; number <= 40; number++) await createMessage(host, roomId, `Message ${number}`)
  await control(alice, 'Turn on the camera').click()
  await alice.locator('.call-video').waitFor()
  const expectField = async (width: number, height: number, what: string) => {
    const { pageHeight, callHeight, listHeight } = await alice.evaluate(() => ({
      pageHeight: document.documentElement.scrollHeight,
      callHeight: document.querySelector('.call')?.getBoundingClientRect().height ?? 0,
      listHeight: document.querySelector('.messages')?.clientHeight ?? 0,
    }))
    const size = [width, height, what]
    expect([...size, pageHeight]).toEqual([...size, height])
    expect([...size, (await bottomOf(alice, '.composer')) <= height]).toEqual([...size, true])
    expect([...size, (await bottomOf(alice, '.composer-send')) <= height]).toEqual([...size, true])
    expect([...size, callHeight <= Math.max(0, Math.min(0.46 * height, height - 420)) + 1]).toEqual([
      ...size,
      true,
    ])
    expect([...size, listHeight >= 60]).toEqual([...size, true])
  }
  for (const [width, height] of SIZES) {
    await alice.setViewportSize({ width, height })
    await toEnd(alice)
    await until(async () => (await alice.locator('.to-newest').count()) === 0)
    await expectField(width, height, 'at the end')
    await toTop(alice)
    await alice.locator('.to-newest').waitFor()
    await expectField(width, height, 'further up')
    await screenshot(alice, `call-field-${width}x${height}`)
    const message = lines(alice).filter({ hasText: 'Message 20' }).first()
    await message.focus()
    await message.press('Enter')
    await message.getByRole('button', { name: 'Reply' }).press('Enter')
    await alice.locator('.replying').waitFor()
    await field(alice).fill('One\ntwo\nthree\nfour\nfive')
    await expectField(width, height, 'replying')
    await field(alice).fill('')
    await alice.getByRole('button', { name: 'Cancel the reply' }).click()
    await expectWithinWidth(alice)
  }
  // Without a place for more, the controls of the call stay.
  await alice.setViewportSize({ width: 844, height: 390 })
  await until(async () => (await bottomOf(alice, '.composer')) <= 390)
  expect(await bottomOf(alice, '.call-controls')).toBeLessThanOrEqual(await bottomOf(alice, '.call'))
  await screenshot(alice, 'call-field-844x390')
  // Covering the conversation is a choice at every width.
  await alice.setViewportSize({ width: 390, height: 844 })
  await control(alice, 'Enlarge the call').click()
  await until(async () => (await field(alice).count()) === 0)
  await control(alice, 'Show the messages').click()
  await field(alice).waitFor()
  await expectAccessible(alice)
  expect(await tiles(alice).count()).toBe(3)
  expect(opened.flatMap(({ errors }) => errors)).toEqual([])
}, 120_000)

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

test('R35.1c: on a phone, the header shows the name of the room, and further buttons behind one', async () => {
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
    expect(header?.height).toBe(53)
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
