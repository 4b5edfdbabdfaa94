import { expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, eraseAccount, member, succeed } from '../actions.ts'
import { createDirect } from '../directs/actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { BOB, ROOT, expectLooks, isRefusal, roomPages } from './browser.ts'
import { field, send, texts } from './room-page.ts'
import { until } from '../until.ts'

const pages = roomPages()

/** The section of the navigation with direct conversations. */
const directs = (page: Page) => page.getByRole('region', { name: 'Direct messages' })
const begun = (page: Page, names: string) =>
  page.getByText(`This is the start of your conversation with ${names}`).waitFor()

async function signedIn(person: typeof BOB): Promise<TestUser> {
  const { browser, id } = await pages.signIn(person)
  return { browser, user: { id } } as unknown as TestUser
}

test('R37.6: a person is found by name and written to, and sees it at once as unread', async () => {
  await pages.signIn(ROOT)
  const { page: there } = await pages.openAs(BOB, '/')
  await directs(there).waitFor()
  const { page, errors } = await pages.openAs(ALICE, '/')
  await directs(page).getByRole('button', { name: 'New message' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New message' })
  const to = dialog.getByRole('combobox', { name: 'To' })
  await to.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('berg')
  await page.getByRole('option', { name: 'Bob Berg' }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'directs-new')
  await page.getByRole('option', { name: 'Bob Berg' }).click()
  await dialog.getByRole('button', { name: 'Start conversation' }).click()
  await begun(page, 'Bob Berg')
  expect(await page.getByRole('heading', { level: 1 }).innerText()).toBe('Bob Berg')
  // It has no settings.
  expect(await page.getByRole('button', { name: 'Manage' }).count()).toBe(0)
  await field(page).and(page.locator(':focus')).waitFor()
  await send(page, 'Hello Bob')
  const link = directs(there).getByRole('link', { name: /^Alice.*1 unread message, 1 mention/ })
  await link.click()
  await begun(there, 'Alice Andersson')
  expect(await texts(there)).toEqual(['Hello Bob'])
  await directs(there)
    .getByRole('link', { name: /^Alice Andersson/ })
    .and(there.locator(':not(:has(.unread-count))'))
    .waitFor()
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('R37.6: Ctrl+K finds people', async () => {
  await pages.signIn(BOB)
  await member(pages.service(), 'Eva Ek')
  const { page } = await pages.openAs(ALICE, '/')
  await directs(page).waitFor()
  await page.keyboard.press('Control+K')
  await page.getByRole('combobox').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('eva')
  await page.getByRole('option', { name: 'Eva Ek' }).waitFor()
  await page.keyboard.press('Enter')
  await begun(page, 'Eva Ek')
  await directs(page).getByRole('link', { name: 'Eva Ek' }).waitFor()
}, 60_000)

test('R37.2d: a hidden conversation leaves the list at once, and comes back by Undo or a new message', async () => {
  const frida = await member(pages.service(), 'Frida Falk')
  const alice = await signedIn(ALICE)
  const { id } = await createDirect(alice, frida)
  await createMessage(frida, id, 'Hello')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const link = directs(page).getByRole('link', { name: /^Frida Falk/ })
  const toast = page.getByRole('alert').filter({ hasText: 'You hid the conversation with Frida Falk' })
  const hide = async () => {
    await page.getByRole('button', { name: 'Hide conversation' }).click()
    await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
    await toast.waitFor()
    await link.waitFor({ state: 'detached' })
  }
  const listed = async () => {
    const { directs: all } = await alice.browser.json<{ directs: { id: string }[] }>('/api/directs')
    return all.some((direct) => direct.id === id)
  }
  await hide()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await link.click()
  await page.getByText('Hello', { exact: true }).waitFor()
  expect(await listed()).toBe(true)
  await hide()
  await toast.getByRole('button', { name: 'Close' }).click()
  await until(async () => !(await listed()))
  // A message that comes before the toast closes is not hidden with it.
  await page.goto(pages.at(`/rooms/${id}`))
  await createMessage(frida, id, 'Are you there?')
  await page.locator('.message-text', { hasText: 'Are you there?' }).waitFor()
  await hide()
  await createMessage(frida, id, 'It is urgent')
  await link.waitFor()
  await toast.getByRole('button', { name: 'Close' }).click()
  await toast.waitFor({ state: 'detached' })
  expect(await listed()).toBe(true)
  await link.waitFor()
}, 60_000)

test('R37.6b: presence, status and name of the other person follow in the navigation and in the header', async () => {
  const nils: typeof BOB = { sub: 'nils', name: 'Nils Nord', email: 'nils@example.com' }
  const [alice, other] = [await signedIn(ALICE), await signedIn(nils)]
  const { id } = await createDirect(alice, other)
  const { page } = await pages.openAs(ALICE, `/rooms/${id}?panel=people`)
  await begun(page, 'Nils Nord')
  const link = directs(page).getByRole('link', { name: 'Nils Nord Away', exact: true })
  await link.waitFor()
  const status = { text: 'At lunch', emoji: '🍜' }
  await other.browser.json('/api/status', { method: 'PUT', body: status })
  await directs(page).getByRole('link', { name: 'Nils Nord Away At lunch' }).waitFor()
  for (const place of ['.room-header', '.person'])
    await page.locator(place).getByText('🍜 At lunch').waitFor()
  const marks = page
    .locator('.room-header, .own-room[aria-current], .person:has-text("Nils Nord")')
    .locator('.presence-avatar')
  const { page: there } = await pages.openAs(nils, `/rooms/${id}`)
  await begun(there, 'Alice Andersson')
  await pages.service().rooms.hub.tick()
  await marks.and(page.locator('[data-present]')).nth(2).waitFor()
  await screenshot(page, 'directs-present')
  // Away hides the place in the room too.
  await other.browser.json('/api/status', { method: 'PUT', body: { ...status, away: true } })
  await marks.and(page.locator(':not([data-present])')).nth(2).waitFor()
  // The provider has another name for him.
  await pages.signIn({ ...nils, name: 'Nils Nygren' })
  await directs(page).getByRole('link', { name: 'Nils Nygren Away At lunch' }).waitFor()
  await page.getByRole('heading', { name: 'Nils Nygren', level: 1 }).waitFor()
  await page.locator('.person').getByText('Nils Nygren').waitFor()
  expect(await page.locator('.own-room, .room-header, .person', { hasText: 'Nils Nord' }).count()).toBe(0)
  await screenshot(page, 'directs-status')
}, 60_000)

test('R37.2b: a conversation whose other accounts were deleted is named so, in every language', async () => {
  const [alice, gone] = [await signedIn(ALICE), await member(pages.service(), 'Gunnar Gone')]
  const { id } = await createDirect(alice, gone)
  await createMessage(alice, id, 'Farewell')
  await succeed(eraseAccount(gone))
  for (const [locale, name] of [
    ['en', 'Deleted user'],
    ['sv', 'Raderad användare'],
    ['id', 'Pengguna dihapus'],
  ] as const) {
    const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { locale })
    await page.getByRole('heading', { name, level: 1 }).waitFor()
    await page.locator('.own-room[aria-current]', { hasText: name }).waitFor()
    await field(page).or(page.getByRole('textbox').last()).waitFor()
    if (locale === 'en') await screenshot(page, 'directs-erased')
    await page.context().close()
  }
}, 60_000)

test('R37.4a: the page says that a person cannot be written to, without the reason', async () => {
  const [alice, kim] = [await signedIn(ALICE), await member(pages.service(), 'Kim Kvist')]
  await kim.browser.send(`/api/blocks/${alice.user.id}`, { method: 'PUT' })
  const { page } = await pages.openAs(ALICE, '/')
  await directs(page).getByRole('button', { name: 'New message' }).click()
  const dialog = page.getByRole('dialog', { name: 'New message' })
  await dialog.getByRole('combobox', { name: 'To' }).and(page.locator(':focus')).waitFor()
  await page.keyboard.type('kim')
  await page.getByRole('option', { name: 'Kim Kvist' }).click()
  await dialog.getByRole('button', { name: 'Start conversation' }).click()
  await dialog.getByRole('alert').getByText('You can’t write to one of these people.').waitFor()
}, 60_000)

test('R37.6: a starred room and a starred conversation stand above the others', async () => {
  const alice = await signedIn(ALICE)
  const [{ id }, { id: quietId }] = [
    await createDirect(alice, await member(pages.service(), 'Ida Isaksson')),
    await createDirect(alice, await member(pages.service(), 'Jan Jonsson')),
  ]
  const room = await createRoom(alice, { name: 'Launch' })
  for (const starredId of [id, room.id])
    await alice.browser.json(`/api/rooms/${starredId}/preferences`, {
      method: 'PUT',
      body: { starred: true },
    })
  const { page } = await pages.openAs(ALICE, '/')
  const starred = page.getByRole('region', { name: 'Starred' })
  await starred.getByRole('link', { name: 'Launch' }).waitFor()
  const addresses = await starred
    .getByRole('link')
    .evaluateAll((links) => links.map((link) => link.getAttribute('href')))
  expect(addresses).toEqual([`/rooms/${room.id}`, `/rooms/${id}`])
  await directs(page).locator(`a[href="/rooms/${quietId}"]`).waitFor()
  expect(await directs(page).getByRole('link', { name: 'Ida Isaksson' }).count()).toBe(0)
}, 60_000)

test('R37.2e, R37.6a: adding a person says that a new conversation begins, and leaves the old one as it is', async () => {
  const [alice, bob] = [await signedIn(ALICE), await signedIn(BOB)]
  await member(pages.service(), 'Finn Fors')
  const { id } = await createDirect(alice, await member(pages.service(), 'Greta Gran'), bob)
  await createMessage(alice, id, 'Only for us')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  await begun(page, 'Bob Berg and Greta Gran')
  await page.getByRole('button', { name: 'Add people' }).click()
  const dialog = page.getByRole('dialog', { name: 'Add people' })
  await dialog.getByText('A new conversation with Bob Berg and Greta Gran begins.').waitFor()
  await dialog.getByRole('combobox').and(page.locator(':focus')).waitFor()
  await page.keyboard.type('finn')
  await page.getByRole('option', { name: 'Finn Fors' }).waitFor()
  // Only he is left.
  await page.getByRole('option').nth(1).waitFor({ state: 'detached' })
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Start conversation' }).click()
  await begun(page, 'Bob Berg, Finn Fors, and Greta Gran')
  expect(await texts(page)).toEqual([])
}, 60_000)

test('R23.7, R37.6a: direct conversations are accessible and fit the narrowest windows', async () => {
  const alice = await signedIn(ALICE)
  const others = [await member(pages.service(), 'Henrik Holm'), await member(pages.service(), 'W'.repeat(60))]
  const { id } = await createDirect(alice, ...others)
  for (const other of others) await createMessage(other, id, 'Are you coming to lunch?')
  await createMessage(alice, id, 'In five minutes')
  await createRoom(alice, { name: 'Design' })
  await expectLooks(async (locale, look) => {
    const { page } = await pages.openAs(ALICE, `/rooms/${id}?panel=people`, { locale })
    await page.getByText('In five minutes').first().waitFor()
    await look(page, 'directs-people')
    await page.context().close()
  })
}, 120_000)
