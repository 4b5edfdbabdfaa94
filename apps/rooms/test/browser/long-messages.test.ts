import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { ROOT, roomPages } from './browser.ts'
import { field, lines } from './room-page.ts'

const pages = roomPages()

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

test('R29.3a: each paragraph, item and quote has the direction of its own text', async () => {
  const { id } = await createRoom(host, { name: 'Market' })
  await createMessage(host, id, 'Hello\n\nשלום לכולם\n\n- one\n- שתיים\n\n> مرحبا\n>\n> Hello there\n\n> Hi')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).first().waitFor()
  const directions = await lines(page)
    .locator('.message-text :is(p, li, blockquote)')
    .evaluateAll((parts) =>
      parts.map((part) => [part.localName, part.textContent, getComputedStyle(part).direction]),
    )
  expect(directions).toEqual([
    ['p', 'Hello', 'ltr'],
    ['p', 'שלום לכולם', 'rtl'],
    ['li', 'one', 'ltr'],
    ['p', 'one', 'ltr'],
    ['li', 'שתיים', 'rtl'],
    ['p', 'שתיים', 'rtl'],
    ['blockquote', 'مرحباHello there', 'rtl'],
    ['p', 'مرحبا', 'rtl'],
    ['p', 'Hello there', 'ltr'],
    ['blockquote', 'Hi', 'ltr'],
    ['p', 'Hi', 'ltr'],
  ])
  await screenshot(page, 'directions')
}, 40_000)

test('R35.2e, R29.3: a message of more than 20 lines shows its first ones until all are asked for', async () => {
  const { id } = await createRoom(host, { name: 'Tower' })
  await createMessage(host, id, 'Before')
  await createMessage(host, id, '.\n'.repeat(999))
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const long = lines(page).nth(1)
  const heightOf = async () => (await long.boundingBox())?.height ?? 0
  const button = long.getByRole('button', { name: 'Show all', expanded: false })
  await button.waitFor()
  expect(await heightOf()).toBeLessThan(540)
  const top = async () => (await lines(page).first().boundingBox())?.y
  const before = await top()
  await long.focus()
  await page.keyboard.press('Tab')
  await button.and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
  await page.keyboard.press('Enter')
  const less = long.getByRole('button', { name: 'Show less', expanded: true })
  await less.and(page.locator(':focus')).waitFor()
  await until(async () => (await heightOf()) > 20_000)
  // The reader goes on where the message was.
  expect(Math.abs(((await top()) ?? 0) - (before ?? 0))).toBeLessThan(24)
  await less.click()
  await until(async () => (await heightOf()) < 540)
  await button.waitFor()
  expect(errors).toEqual([])
}, 40_000)

test('R35.2: a room opens at its first new message, however long the new ones are', async () => {
  const { id } = await createRoom(host, { name: 'Library' })
  const long = (number: number) => `Chapter ${number} ${'word '.repeat(380)}`
  const alice = await pages.signIn(ALICE)
  await makeMember(pages.service(), id, { user: alice }, 'speaker')
  for (let number = 1; number <= 45; number++) await createMessage(host, id, long(number))
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const line = page.locator('.new-line')
  await line.waitFor()
  const isAtTop = async () => {
    const [box, list] = await Promise.all([line.boundingBox(), page.locator('.messages').boundingBox()])
    return box !== null && list !== null && box.y >= list.y && box.y < list.y + 80
  }
  await until(isAtTop)
  await line.locator('+ li').getByText('Chapter 1 ').waitFor()
  expect(await page.getByRole('button', { name: 'New messages start further up' }).count()).toBe(0)
  expect(errors).toEqual([])
}, 40_000)

test('R35.2d: Back and a reload return to the place in a room, and entering it again does not', async () => {
  const { id } = await createRoom(host, { name: 'Archive' })
  for (let number = 1; number <= 130; number++) await createMessage(host, id, `Message ${number}`)
  const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`)
  const message = (number: number) => lines(page).getByText(`Message ${number}`, { exact: true })
  const isInView = (number: number) => async () => {
    const box = await message(number).boundingBox()
    const list = await page.locator('.messages').boundingBox()
    return box !== null && list !== null && box.y >= list.y && box.y < list.y + list.height
  }
  await message(130).waitFor()
  // Older than the newest page.
  await until(async () => {
    await page.locator('.messages').evaluate((list) => list.scrollTo(0, 0))
    return (await message(20).count()) > 0
  })
  await message(20).evaluate((line) => line.scrollIntoView({ block: 'center' }))
  await until(isInView(20))
  // The place is kept a moment after the last scroll.
  await page.waitForFunction(() => {
    const { place } = (history.state ?? {}) as { place?: { key: string; top: number } }
    const list = document.querySelector('.messages')
    const row = place && list?.querySelector<HTMLElement>(`[data-row="${place.key}"]`)
    return row && list && Math.abs(row.offsetTop - list.scrollTop - place.top) < 2
  })
  await page.getByRole('link', { name: 'Browse rooms' }).first().click()
  await page.getByRole('heading', { level: 1, name: 'Browse rooms' }).waitFor()
  await page.goBack()
  await until(isInView(20))
  await page.reload()
  await until(isInView(20))
  await page.getByRole('link', { name: 'Browse rooms' }).first().click()
  await page.locator('.room-rows').getByRole('link', { name: 'Archive' }).click()
  await until(isInView(130))
  expect(errors).toEqual([])
}, 60_000)

test('R32.1: Enter in the search of messages searches at once, and then opens the first result', async () => {
  const { id } = await createRoom(host, { name: 'Cellar' })
  await createMessage(host, id, 'A bottle of elderberry wine')
  const { page, errors } = await pages.openAs(ALICE, '/account')
  await page.keyboard.press('Control+Shift+F')
  const search = page.getByRole('searchbox', { name: 'Search messages' })
  await search.fill('elderberry')
  await search.press('Enter')
  await page.locator('[data-result]').getByText('elderberry').waitFor()
  expect(new URL(page.url()).pathname).toBe('/account')
  await search.press('Enter')
  await page.waitForURL(pages.at(`/rooms/${id}?message=*`))
  await lines(page).getByText('elderberry').waitFor()
  expect(await search.count()).toBe(0)
  expect(errors).toEqual([])
}, 40_000)

test('R35.2f: a question mark lists all shortcuts, in each language, except while the user writes', async () => {
  for (const [locale, title, count] of [
    ['en', 'Keyboard shortcuts', 32],
    ['sv', 'Kortkommandon', 32],
    ['id', 'Pintasan papan ketik', 32],
  ] as const) {
    // A draft of one page appears in the other pages of its room.
    const { id } = await createRoom(host, { name: 'Office' })
    const { page, errors } = await pages.openAs(ALICE, `/rooms/${id}`, { locale })
    await page.getByRole('textbox').first().focus()
    await page.keyboard.press('?')
    expect(await page.getByRole('textbox').first().inputValue()).toBe('?')
    await page.locator('.messages').click()
    await page.keyboard.press('?')
    const sheet = page.getByRole('dialog', { name: title })
    await sheet.waitFor()
    expect(await sheet.locator('dt').count()).toBe(count)
    expect(await sheet.getByText('Ctrl+Shift+M', { exact: true }).count()).toBe(1)
    if (locale === 'en') await expectAccessible(page)
    await screenshot(page, `shortcuts-${locale}`)
    await sheet.getByRole('switch').press('Space')
    await page.keyboard.press('Escape')
    await sheet.waitFor({ state: 'detached' })
    await page.keyboard.press('?')
    await field(page).or(page.locator('#write')).waitFor()
    expect(await sheet.count()).toBe(0)
    expect(errors).toEqual([])
    await page.context().close()
  }
}, 60_000)
