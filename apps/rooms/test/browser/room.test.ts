import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, expectAccessibleViews } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, eraseAccount, member, succeed } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { BOB, ROOT, expectFits, isRefusal, roomPages } from './browser.ts'
import { field, lines, openMessageMenu, pressInMessageMenu, scrollUpTo, send, texts } from './room-page.ts'

const pages = roomPages()

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

const newRoom = async (settings: Record<string, unknown> = {}) => (await createRoom(host, settings)).id
test('R23.3: two users see each other enter, type, post and leave, and messages are announced to screen readers', async () => {
  const id = await newRoom({ name: 'Corner' })
  const alice = await pages.openAs(ALICE, `/rooms/${id}`)
  await alice.page.getByRole('heading', { name: 'Corner', level: 1 }).waitFor()
  await alice.page.getByText(/^This is the start of /).waitFor()
  await alice.page.getByRole('button', { name: 'People 1' }).waitFor()
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await alice.page.getByRole('button', { name: 'People 2' }).waitFor()
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg joined').waitFor()
  await field(bob.page).pressSequentially('Hello')
  await alice.page.getByText('Bob Berg is typing').waitFor()
  await field(bob.page).press('Shift+Enter')
  await field(bob.page).pressSequentially('there https://example.com/a?b=1.')
  await field(bob.page).press('Enter')
  expect(await field(bob.page).inputValue()).toBe('')
  await lines(alice.page).getByText('Hello').waitFor()
  await alice.page.getByText('Bob Berg is typing').waitFor({ state: 'detached' })
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg: Hello').waitFor()
  const link = lines(alice.page).getByRole('link', { name: 'https://example.com/a?b=1', exact: true })
  expect(await link.getAttribute('rel')).toContain('noopener')
  expect(await texts(alice.page)).toEqual(await texts(bob.page))
  await field(alice.page).fill('<b>Hi</b>')
  await alice.page.getByRole('button', { name: 'Send', exact: true }).click()
  await lines(bob.page).getByText('<b>Hi</b>').waitFor()
  expect(await lines(bob.page).count()).toBe(2)
  expect(await lines(alice.page).count()).toBe(2)
  await bob.page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await bob.page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  await alice.page.locator('[aria-live=polite]').getByText('Bob Berg left').waitFor({ timeout: 20_000 })
  await alice.page.getByRole('button', { name: 'People 1' }).waitFor()
  expect([...alice.errors, ...bob.errors].filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)

test('older messages load page by page without moving the view, and new messages wait with a mark while the reader is further up', async () => {
  const id = await newRoom()
  for (let index = 1; index <= 120; index++) await createMessage(host, id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 120', { exact: true }).waitFor()
  const list = page.getByRole('region', { name: 'Messages', exact: true })
  // The page reads ahead of the reader.
  await lines(page).getByText('Message number 21', { exact: true }).waitFor()
  await page.route('**/messages?cursor=*', (route) => route.abort(), { times: 1 })
  const place = lines(page).getByText('Message number 40', { exact: true })
  await place.evaluate((line) => line.scrollIntoView({ block: 'center' }))
  await page.getByRole('button', { name: 'Try again' }).focus()
  const top = (await place.boundingBox())?.y ?? -1
  await page.getByRole('button', { name: 'Try again' }).press('Enter')
  await lines(page).getByText('Message number 1', { exact: true }).waitFor()
  expect(Math.abs(((await place.boundingBox())?.y ?? -1) - top)).toBeLessThan(3)
  await createMessage(host, id, 'While you were reading')
  await lines(page).getByText('While you were reading').waitFor()
  await page.getByText('New', { exact: true }).waitFor()
  expect(await page.title()).toStartWith('(1) ')
  expect(Math.abs(((await place.boundingBox())?.y ?? -1) - top)).toBeLessThan(3)
  await list.evaluate((region) => region.scrollTo(0, region.scrollHeight))
  await page.waitForFunction(() => !document.title.startsWith('('))
  await list.evaluate((region) => region.scrollTo(0, 0))
  await page.getByText(/^This is the start of (?!the history)/).waitFor()
  expect(await texts(page)).toEqual([
    ...Array.from({ length: 120 }, (_, index) => `Message number ${index + 1}`),
    'While you were reading',
  ])
}, 90_000)

test('consecutive messages of one author show the name once, and screen readers still get the author of each', async () => {
  const id = await newRoom()
  await createMessage(host, id, 'One')
  await createMessage(host, id, 'Two')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Two', { exact: true }).waitFor()
  await send(page, 'Three')
  // A stored message shows its time.
  await lines(page)
    .filter({ has: page.locator('time'), hasText: 'Three' })
    .waitFor()
  pages.service().clock.ms += 6 * 60_000
  await createMessage(host, id, 'Four')
  await createMessage(host, id, 'Five')
  pages.service().clock.ms += 6 * 60_000
  await createMessage(host, id, 'Six')
  await lines(page).getByText('Six', { exact: true }).waitFor()
  // Five continues the group of Four. Six comes too late for it.
  const named = lines(page).filter({ has: page.locator('time') })
  expect(await named.locator('.message-text').allInnerTexts()).toEqual(['One', 'Three', 'Four', 'Six'])
  for (const text of ['Two', 'Five'])
    expect(await lines(page).filter({ hasText: text }).innerText()).toContain('Hanna Host')
  const leftEdgeOf = async (text: string) =>
    (await page.locator('.message-text', { hasText: text }).boundingBox())?.x
  expect(await leftEdgeOf('Two')).toBe(await leftEdgeOf('One'))
}, 60_000)

test('an erased account is shown as deleted, and right-to-left text is laid out from the right', async () => {
  const id = await newRoom()
  await createMessage(host, id, 'مرحبا بالعالم.')
  const gone = await member(pages.service(), 'Gone Gustavsson')
  await createMessage(gone, id, 'Farewell')
  await succeed(eraseAccount(gone))
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const farewell = lines(page).filter({ hasText: 'Farewell' })
  await farewell.getByText(/^#.* \(deleted account\)$/).waitFor()
  expect(await page.getByText('Gone Gustavsson').count()).toBe(0)
  const direction = (text: string) =>
    page
      .locator('.message-text p', { hasText: text })
      .evaluate((element) => getComputedStyle(element).direction)
  expect([await direction('مرحبا'), await direction('Farewell')]).toEqual(['rtl', 'ltr'])
}, 60_000)

/** The greatest number of elements that the browser restyled at once until a message was shown. */
async function maxRestyled(page: Page, postOne: () => Promise<unknown>): Promise<number> {
  const browser = page.context().browser()
  const before = (await texts(page)).at(-1)
  await browser?.startTracing(page, { categories: ['-*', 'devtools.timeline'] })
  await postOne()
  await page.waitForFunction(
    (old) => [...document.querySelectorAll('li.message .message-text')].at(-1)?.textContent !== old,
    before,
  )
  const trace = JSON.parse(String(await browser?.stopTracing())) as {
    traceEvents: { name: string; args: { elementCount?: number } }[]
  }
  const counts = trace.traceEvents.flatMap(({ name, args }) =>
    name === 'UpdateLayoutTree' ? (args.elementCount ?? 0) : [],
  )
  return Math.max(...counts)
}

test('a room that is open for a long time keeps a limited number of messages, and older ones can be loaded again', async () => {
  const id = await newRoom()
  await createMessage(host, id, 'Message number 0')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await lines(page).getByText('Message number 0', { exact: true }).waitFor()
  for (let index = 1; index <= 380; index++) await createMessage(host, id, `Message number ${index}`)
  await lines(page).getByText('Message number 380', { exact: true }).waitFor()
  const first = Number(((await texts(page))[0] ?? '').slice('Message number '.length))
  expect(first).toBeGreaterThan(50)
  // On a busy machine, what is still drawn of the messages before counts for the first of them.
  const restyled: number[] = []
  for (const number of [381, 382, 383])
    restyled.push(await maxRestyled(page, () => createMessage(host, id, `Message number ${number}`)))
  expect(Math.min(...restyled)).toBeLessThan(100)
  await scrollUpTo(page, `Message number ${first - 1}`)
  const contents = await texts(page)
  const from = Number((contents[0] ?? '').slice('Message number '.length))
  expect(contents).toEqual(contents.map((_, index) => `Message number ${from + index}`))
}, 90_000)

test('the newest message stays in view when the window shrinks, as with an on-screen keyboard', async () => {
  const id = await newRoom()
  for (let index = 1; index <= 40; index++) await createMessage(host, id, `Message number ${index}`)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 390, height: 800 })
  await lines(page).getByText('Message number 40').waitFor()
  await page.setViewportSize({ width: 390, height: 520 })
  await page.waitForFunction(() => {
    const list = document.querySelector('.messages')?.getBoundingClientRect()
    const last = document.querySelector('.messages li:last-child')?.getBoundingClientRect()
    return list !== undefined && last !== undefined && list.height < 400 && last.bottom <= list.bottom + 1
  })
}, 60_000)

test('the Enter key that accepts an input method’s suggestion sends nothing, also in Safari', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await field(page).fill('にほんご')
  await field(page).dispatchEvent('keydown', { key: 'Enter', keyCode: 229, isComposing: false })
  await field(page).dispatchEvent('keydown', { key: 'Enter', isComposing: true })
  expect(await field(page).inputValue()).toBe('にほんご')
  await field(page).press('Enter')
  await lines(page).getByText('にほんご').waitFor()
  expect(await texts(page)).toEqual(['にほんご'])
}, 60_000)

test('a message without visible characters is not sent and not announced as typing', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 2' }).waitFor()
  const sent: string[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postData() ?? ''))
  for (const blank of [' \n ', '\u200b\u200b', '\u3164', '\u2800']) {
    await send(page, blank)
    expect(await field(page).inputValue()).toBe(blank)
  }
  expect(await bob.page.getByText('is typing').count()).toBe(0)
  await send(page, 'Something')
  await lines(bob.page).getByText('Something').waitFor()
  expect(sent.map((body) => (JSON.parse(body) as { content: string }).content)).toEqual(['Something'])
  expect(await texts(bob.page)).toEqual(['Something'])
}, 60_000)

test('a message is deleted with the keyboard, after confirmation, for all participants, and only by users with that right', async () => {
  const id = await newRoom()
  const alice = await pages.openAs(ALICE, `/rooms/${id}`)
  const bob = await pages.openAs(BOB, `/rooms/${id}`)
  await bob.page.getByRole('button', { name: 'People 2' }).waitFor()
  await send(alice.page, 'Regretted')
  await lines(bob.page).getByText('Regretted').waitFor()
  await openMessageMenu(bob.page, 'Regretted')
  expect(await bob.page.getByRole('menuitem').count()).toBe(2)
  for (const name of ['Mark unread', 'Copy link']) await bob.page.getByRole('menuitem', { name }).waitFor()
  await bob.page.keyboard.press('Escape')
  await pressInMessageMenu(alice.page, 'Regretted', 'Delete')
  const dialog = alice.page.getByRole('dialog', { name: 'Delete this message?' })
  await dialog.getByText('Regretted').waitFor()
  await expectAccessible(alice.page)
  await alice.page.keyboard.press('Tab')
  await alice.page.keyboard.press('Enter')
  // The dialog repeats the message until it is deleted.
  await dialog.waitFor({ state: 'hidden' })
  for (const { page } of [alice, bob]) {
    await page.getByText('This message was deleted').waitFor()
    expect(await page.getByText('Regretted').count()).toBe(0)
    await page.context().close()
  }
}, 60_000)

test('R23.6: a private room is not found by a user who is not a member, not even by its link', async () => {
  const id = await newRoom({ name: 'Secret', visibility: 'private' })
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('heading', { name: 'Room not found', level: 1 }).waitFor()
  expect(await page.getByText('Secret').count()).toBe(0)
}, 60_000)

for (const locale of ['en', 'sv', 'id'] as const)
  test(`a room is accessible and fits, ${locale}`, async () => {
    const id = await newRoom({ name: 'N'.repeat(64) })
    await createMessage(host, id, 'Short')
    await createMessage(host, id, `${'Long words '.repeat(20)}${'x'.repeat(300)}`)
    const long = { sub: 'long', name: 'W'.repeat(60) }
    const width = locale === 'en' ? 1280 : 390
    const { page, errors } = await pages.openAs(long, `/rooms/${id}`, { locale, width })
    await lines(page).getByText('Short').waitFor()
    await page.locator('textarea:not([aria-hidden])').fill('y'.repeat(2010))
    if (locale !== 'id') await expectAccessibleViews(page, `room-${locale}`, [width])
    // Beside the conversation in a wide window, in its place on a phone.
    const people = page.getByRole('complementary').getByRole('listitem')
    if (width === 390) {
      await expectFits(page, `room-${locale}`)
      await page.locator('.room-more-button').click()
      await page.locator('.room-tool').first().click()
      await people.waitFor()
      if (locale !== 'id') await expectAccessibleViews(page, `people-${locale}`, [width])
      await expectFits(page, `people-${locale}`)
      await page.keyboard.press('Escape')
      await people.waitFor({ state: 'detached' })
      await page.locator('.room-more-button').and(page.locator(':focus')).waitFor()
    } else await people.waitFor()
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  }, 90_000)
