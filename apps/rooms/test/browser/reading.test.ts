import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, admin, createMessage, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { ROOT, roomPages } from './browser.ts'
import { lines, openMessageMenu, pressInMessageMenu } from './room-page.ts'

const pages = roomPages()

let host: TestUser
let root: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  root = await admin(pages.service(), 'Rosa Root')
}, 60_000)

/** Creates a room with this many messages. */
async function roomWith(count: number) {
  const { id } = await createRoom(host, { name: 'Harbour' })
  for (let index = 1; index <= count; index++) await createMessage(host, id, `Message number ${index}`)
  return id
}

const field = (page: Page) => page.getByRole('textbox', { name: /^Message / })
const list = (page: Page) => page.getByRole('region', { name: 'Messages', exact: true })
const line = (page: Page, text: string) => list(page).getByText(text, { exact: true })

/** The distance in pixels that the page itself can scroll, in addition to its messages. */
const beyond = (page: Page) =>
  page.evaluate(() => document.documentElement.scrollHeight - document.documentElement.clientHeight)

test('the page scrolls no further than the messages of a room, at any size', async () => {
  const id = await roomWith(45)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  for (const [width, height] of [
    [1440, 900],
    [390, 844],
    [720, 450],
  ] as const) {
    await page.setViewportSize({ width, height })
    await line(page, 'Message number 45').waitFor()
    expect(await beyond(page)).toBe(0)
    await page.mouse.move(width / 2, height / 2)
    for (let times = 0; times < 5; times++) await page.mouse.wheel(0, 1000)
    await screenshot(page, `reading-${width}-${height}`)
    expect(await page.evaluate(() => scrollY)).toBe(0)
  }
}, 60_000)

for (const [language, width, height] of [
  ['en', 390, 480],
  ['id', 720, 450],
] as const)
  test(`in a low window every announcement can be read and a message written, ${width} by ${height}`, async () => {
    const announcement = 'Rooms will be down for maintenance of the storage. '.repeat(6).trim()
    const change = (body: Record<string, unknown>) =>
      root.browser.json('/api/admin/settings', { method: 'PATCH', body })
    const id = await roomWith(30)
    await change({ announcement, supportUrl: 'https://help.example.com/' })
    const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width, height, locale: language })
    await page.getByText('Message number 30', { exact: true }).waitFor()
    await page.getByText(announcement).waitFor()
    const cut = await page.evaluate(() =>
      [...document.querySelectorAll('.page > *, .room > :not(.messages)')]
        .filter((part) => part.scrollHeight > part.clientHeight + 1)
        .map((part) => part.outerHTML.slice(0, 100)),
    )
    expect(cut).toEqual([])
    await screenshot(page, `reading-told-${width}-${height}`)
    await page.mouse.move(width / 2, height - 20)
    for (let times = 0; times < 5; times++) await page.mouse.wheel(0, 1000)
    await page.waitForFunction(() => {
      const write = document.querySelector('.room textarea:not([aria-hidden])')
      return write !== null && write.getBoundingClientRect().bottom <= innerHeight
    })
    await change({ announcement: null, supportUrl: null })
  }, 60_000)

test('a reader further up is shown that there are new messages, reaches them by a button, and sees their own messages', async () => {
  const id = await roomWith(45)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const isSeen = (text: string) =>
    line(page, text).evaluate((element) => {
      const { top, bottom } = element.getBoundingClientRect()
      const around = element.closest('.messages')?.getBoundingClientRect()
      return around !== undefined && top >= around.top && bottom <= around.bottom
    })
  await line(page, 'Message number 45').waitFor()
  const up = () =>
    list(page).evaluate((around) => {
      const scrolled = new Promise((resolve) => around.addEventListener('scroll', resolve, { once: true }))
      around.scrollTo(0, 300)
      return scrolled.then(() => undefined)
    })
  const newMessages = page.getByRole('button', { name: /new message/ })
  await createMessage(host, id, 'Seen as it came')
  await line(page, 'Seen as it came').waitFor()
  expect(await newMessages.count()).toBe(0)
  await up()
  await createMessage(host, id, 'New below')
  await page.getByRole('button', { name: '1 new message', exact: true }).waitFor()
  await createMessage(host, id, 'And more')
  await page.getByRole('button', { name: '2 new messages', exact: true }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'reading-new-below')
  const [around, button, write] = await Promise.all(
    [list(page), newMessages, field(page)].map((part) => part.boundingBox()),
  )
  if (!around || !button || !write) throw new Error('A part of the room is not shown')
  // It covers the last line at most.
  expect(button.y).toBeGreaterThanOrEqual(around.y + around.height - 48)
  expect(button.y + button.height).toBeLessThanOrEqual(write.y)
  expect(await isSeen('And more')).toBe(false)
  await newMessages.press('Enter')
  await newMessages.waitFor({ state: 'detached' })
  expect(await isSeen('And more')).toBe(true)
  expect(await list(page).evaluate((region) => region === document.activeElement)).toBe(true)
  await up()
  await field(page).fill('Of my own')
  await field(page).press('Enter')
  await line(page, 'Of my own').waitFor()
  await page.getByText('Sending').waitFor({ state: 'detached' })
  expect(await isSeen('Of my own')).toBe(true)
  expect(errors).toEqual([])
}, 60_000)

/** Simulates a switch to another tab, or back from it. */
const look = (page: Page, isHidden: boolean) =>
  page.evaluate((hidden) => {
    Object.defineProperty(document, 'hidden', { configurable: true, value: hidden })
    document.dispatchEvent(new Event('visibilitychange'))
  }, isHidden)

test('R35.2: the mark of new messages stands before the first of them, and a button leads there if it is not in the page', async () => {
  const id = await roomWith(3)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 844 })
  await line(page, 'Message number 3').waitFor()
  await look(page, true)
  pages.service().clock.ms += 10_000
  for (let index = 4; index <= 380; index++) await createMessage(host, id, `Message number ${index}`)
  await line(page, 'Message number 380').waitFor()
  expect(await page.title()).toStartWith('(377) ')
  const readTexts = async () => (await list(page).locator('li').allInnerTexts()).map((text) => text.trim())
  const first = page.getByText('New', { exact: true })
  await look(page, false)
  const toNew = page.getByRole('button', { name: 'New messages start further up' })
  await toNew.waitFor()
  expect(await first.count()).toBe(0)
  await screenshot(page, 'reading-new-above-390')
  await toNew.click()
  await first.waitFor()
  await toNew.waitFor({ state: 'detached' })
  const texts = await readTexts()
  expect(texts[texts.indexOf('New') + 1]).toContain('Message number 4')
  pages.service().clock.ms += 10_000
  expect(errors).toEqual([])
}, 90_000)

test('messages missed without a connection are marked as new, even if the tab was in front', async () => {
  const id = await roomWith(3)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await line(page, 'Message number 3').waitFor()
  await pages.whileDown(page, async () => {
    for (let index = 4; index <= 43; index++) await createMessage(host, id, `Message number ${index}`)
  })
  await line(page, 'Message number 43').waitFor()
  await page.getByText('New', { exact: true }).waitFor()
  const texts = (await list(page).locator('li').allInnerTexts()).map((text) => text.trim())
  expect(texts[texts.indexOf('New') + 1]).toContain('Message number 4')
  // The reader has seen them by now.
  expect(await page.title()).not.toStartWith('(')
  await createMessage(host, id, 'Seen as it came')
  await line(page, 'Seen as it came').waitFor()
  expect(await page.getByText('New', { exact: true }).count()).toBe(1)
}, 60_000)

test('the end stays in view when the window is rotated, narrowed and widened', async () => {
  const { id } = await createRoom(host, { name: 'Harbour' })
  for (let index = 1; index <= 30; index++)
    await createMessage(host, id, `Message number ${index} with https://example.com/x`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 1280, height: 860 })
  const newest = list(page).getByText('Message number 30 with')
  await newest.waitFor()
  for (const [width, height] of [
    [390, 844],
    [844, 390],
    [390, 844],
    [1280, 860],
  ] as const) {
    await page.setViewportSize({ width, height })
    await page.waitForFunction(() => {
      const region = document.querySelector('.messages')
      return region && region.scrollHeight - region.scrollTop - region.clientHeight < 2
    })
    // Not in the middle of the list.
    await page.evaluate(async () => {
      for (let frame = 0; frame < 30; frame++) await new Promise(requestAnimationFrame)
    })
    expect(
      await list(page).evaluate((region) => region.scrollHeight - region.scrollTop - region.clientHeight),
    ).toBeLessThan(2)
  }
}, 60_000)

test('on entering a room the message field has focus, and one key press passes the messages', async () => {
  const id = await roomWith(45)
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`)
  const isWriting = () => field(page).evaluate((write) => write === document.activeElement)
  await line(page, 'Message number 45').waitFor()
  expect(await isWriting()).toBe(true)
  await page.keyboard.type('Half a')
  await page.reload()
  await line(page, 'Message number 45').waitFor()
  await page.keyboard.type(' thought')
  expect(await field(page).inputValue()).toBe('Half a thought')
  await page.getByRole('button', { name: 'Manage' }).focus()
  await page.keyboard.press('Tab')
  await screenshot(page, 'reading-skip')
  await page.keyboard.press('Enter')
  await field(page).and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
}, 60_000)

test('on a device with an on-screen keyboard the message field gets focus only when it is tapped', async () => {
  const id = await roomWith(3)
  const { page } = await pages.openAs(ALICE, '/', { own: true })
  await page.addInitScript(() => {
    const { matchMedia } = globalThis
    globalThis.matchMedia = (query) => matchMedia(query.replace('(hover: hover)', '(hover: none)'))
  })
  await page.goto(pages.at(`/rooms/${id}`))
  await line(page, 'Message number 3').waitFor()
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('BODY')
}, 60_000)

test('after a dialog about a message, focus returns to where it was, or to the messages if it was deleted', async () => {
  const id = await roomWith(3)
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`)
  await pressInMessageMenu(page, 'Message number 1', 'Delete')
  await page.getByRole('dialog').getByText('Message number 1').waitFor()
  await page.keyboard.press('Escape')
  await lines(page).filter({ hasText: 'Message number 1' }).and(page.locator(':focus')).waitFor()
  await openMessageMenu(page, 'Message number 1')
  await page.keyboard.press('End')
  await page.getByRole('menuitem', { name: 'Delete' }).and(page.locator(':focus')).press('Enter')
  await page.getByRole('dialog').locator('[data-autofocus]:focus').waitFor()
  await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByText('This message was deleted').waitFor()
  await list(page).and(page.locator(':focus')).waitFor()
}, 60_000)

test('R35.2b: the messages are one tab stop, the arrow keys move between them, and Enter opens the toolbar', async () => {
  const id = await roomWith(2)
  await createMessage(host, id, 'See https://example.com/one')
  await createMessage(host, id, 'See https://example.com/two')
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`)
  await line(page, 'Message number 1').waitFor()
  await page.getByRole('button', { name: 'Join room' }).click()
  await page.getByRole('button', { name: 'Join room' }).waitFor({ state: 'detached' })
  await field(page).and(page.locator(':focus')).waitFor()
  const focused = () => page.evaluate(() => document.activeElement?.textContent ?? '')
  await page.keyboard.press('Shift+Tab')
  expect(await focused()).toContain('example.com/two')
  for (const [key, text] of [
    ['Home', 'Message number 1'],
    ['ArrowDown', 'Message number 2'],
    ['ArrowDown', 'example.com/one'],
    ['ArrowUp', 'Message number 2'],
    ['End', 'example.com/two'],
    ['ArrowDown', 'example.com/two'],
  ] as const) {
    await page.keyboard.press(key)
    expect([key, await focused()]).toEqual([key, expect.stringContaining(text)])
  }
  // From a message, Tab leads to its links and its toolbar, which is one stop, and Enter to the toolbar.
  await page.keyboard.press('Tab')
  await page.getByRole('link', { name: 'https://example.com/two' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  const toolbar = page.getByRole('toolbar', { name: 'Message from Hanna Host' })
  await toolbar.locator(':focus').waitFor()
  await page.keyboard.press('Tab')
  await field(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Shift+Tab')
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await toolbar.getByRole('button', { name: '👍' }).and(page.locator(':focus')).waitFor()
  for (const name of ['❤️', '😄', 'Add a reaction', 'Reply', 'More']) {
    await page.keyboard.press('ArrowRight')
    await toolbar.getByRole('button', { name }).and(page.locator(':focus')).waitFor()
  }
  await page.keyboard.press('Home')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: '👍: 1 reaction', pressed: true }).waitFor()
  await page.keyboard.press('Escape')
  expect(await focused()).toContain('Message number 1')
}, 60_000)

test('R43.3: the toolbar has three emoji, the last chosen one first, all emoji, Reply and a menu, and changes no height', async () => {
  const id = await roomWith(2)
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`, { own: true })
  await page.getByText(/^This is the start of /).waitFor()
  const row = lines(page).filter({ hasText: 'Message number 2' })
  const toolbar = row.getByRole('toolbar')
  const names = () =>
    toolbar
      .getByRole('button')
      .evaluateAll((all) => all.map((each) => each.getAttribute('aria-label') ?? each.textContent))
  const before = await row.boundingBox()
  await row.hover()
  await toolbar.waitFor()
  expect(await row.boundingBox()).toEqual(before)
  expect(await names()).toEqual(['👍', '❤️', '😄', 'Add a reaction', 'Reply', 'More'])
  await toolbar.getByRole('button', { name: 'Add a reaction' }).click()
  const search = page.getByRole('textbox', { name: 'Search emoji' })
  await search.and(page.locator(':focus')).waitFor()
  await search.fill('rocket')
  await page.getByRole('group', { name: 'Results' }).getByRole('button', { name: 'rocket' }).click()
  await row.getByRole('button', { name: '🚀: 1 reaction', pressed: true }).waitFor()
  await row.hover()
  await toolbar.getByRole('button', { name: '🚀' }).waitFor()
  expect(await names()).toEqual(['🚀', '👍', '❤️', 'Add a reaction', 'Reply', 'More'])
}, 60_000)

test('R43.3a: on a message that has the focus, R replies, E edits, P pins and + opens the emoji, unless letters are switched off', async () => {
  const id = await roomWith(2)
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  const message = line(page, 'Message number 1')
  const focusOn = () => message.locator('xpath=ancestor::li').focus()
  await focusOn()
  await page.keyboard.press('r')
  await page.getByText('Replying to Hanna Host').waitFor()
  await page.keyboard.press('Escape')
  await focusOn()
  // Only its author edits a message.
  await page.keyboard.press('e')
  expect(await page.getByRole('textbox', { name: 'Edit the message' }).count()).toBe(0)
  await page.keyboard.press('p')
  await page.getByText('Pinned', { exact: true }).waitFor()
  await focusOn()
  await page.keyboard.press('+')
  await page.getByRole('dialog', { name: 'Add a reaction' }).locator(':focus').waitFor()
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await focusOn()
  await page.keyboard.press('?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  for (const name of ['Reply', 'Edit', 'Pin', 'Add a reaction'])
    await sheet.getByText(name, { exact: true }).waitFor()
  await sheet.getByRole('switch').click()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.getByRole('textbox', { name: /^Message / }).focus()
  await focusOn()
  await page.keyboard.press('r')
  await page.keyboard.press('ArrowDown')
  expect(await page.getByText('Replying to Hanna Host').count()).toBe(0)
}, 60_000)

test('R43.3b: a printed room has its name and all its messages, and none of its buttons', async () => {
  const id = await roomWith(40)
  const { page } = await pages.openAs(ROOT, `/rooms/${id}`)
  await line(page, 'Message number 40').waitFor()
  await list(page).getByText('Message number 40').hover()
  await page.getByRole('toolbar').waitFor()
  await page.emulateMedia({ media: 'print' })
  // A name is one too, and stays.
  expect(await page.locator('button:not(.person-link):visible').count()).toBe(0)
  expect(await page.getByRole('textbox').count()).toBe(0)
  await page.getByRole('heading', { name: 'Harbour', level: 1 }).waitFor()
  // The paper goes on where the window ends.
  expect(await list(page).evaluate(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)).toBe(0)
  expect(await list(page).evaluate(({ clientHeight }) => clientHeight > innerHeight)).toBe(true)
  await page.emulateMedia({ media: null })
}, 60_000)

test('messages have one rhythm, whether the user may delete them or not', async () => {
  const id = await roomWith(3)
  const heights = async (person: typeof ROOT) => {
    const { page } = await pages.openAs(person, `/rooms/${id}`)
    await line(page, 'Message number 3').waitFor()
    const rows = await page
      .locator('.message[data-continues]')
      .evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)))
    await page.locator('.message[data-continues]').first().hover()
    const hovered = await page
      .locator('.message[data-continues]')
      .evaluateAll((all) => all.map((row) => Math.round(row.getBoundingClientRect().height)))
    expect(hovered).toEqual(rows)
    return rows
  }
  const rows = await heights(ROOT)
  expect(rows).toEqual([rows[0], rows[0]] as number[])
  expect(await heights(ALICE)).toEqual(rows)
}, 60_000)
