import { expect, test } from 'bun:test'
import { createMessage, createRoom, makeMember, member, readPerson, setPicture, succeed } from '../actions.ts'
import { createDirect } from '../directs/actions.ts'
import { bytesOf, picture } from '../files/images.ts'
import { BOB, ROOT, expectLooks, roomPages } from './browser.ts'
import { field } from './room-page.ts'

const pages = roomPages()

test('R37.1j: people are found by name, and a press on a name opens the card, whose status changes while it is open', async () => {
  await pages.signIn(ROOT)
  const hanna = await member(pages.service(), 'Hanna Host')
  await succeed(setPicture(hanna, await bytesOf(picture().png())))
  const profile = { title: 'Gardener', timeZone: 'Asia/Jakarta' }
  await succeed(hanna.browser.send('/api/profile', { method: 'PUT', body: profile }))
  const { page } = await pages.openAs(BOB, '/people')
  const shared = await createRoom(hanna, { name: 'Garden' })
  await makeMember(pages.service(), shared.id, { user: { id: await pages.idOf('Bob Berg') } })
  await page.getByRole('searchbox', { name: 'Search people' }).fill('HANNÁ')
  const row = page
    .getByRole('list', { name: 'People' })
    .getByRole('listitem')
    .filter({ hasText: 'Hanna Host' })
  // Only she is left.
  await page.locator('.people-row').nth(1).waitFor({ state: 'detached' })
  await row.getByText('Gardener').waitFor()
  await row.getByRole('button', { name: 'Hanna Host' }).click()
  const card = page.getByRole('dialog', { name: 'Hanna Host' })
  await card.getByText('local time').waitFor()
  await card.getByRole('link', { name: 'Garden' }).waitFor()
  const status = { text: 'At lunch', emoji: '🍜' }
  await succeed(hanna.browser.send('/api/status', { method: 'PUT', body: status }))
  await card.getByText('At lunch').waitFor()
  await row.getByText('At lunch').waitFor()
  await page.keyboard.press('Escape')
  await card.waitFor({ state: 'hidden' })
  await page.locator('button:focus', { hasText: 'Hanna Host' }).waitFor()
  await row.getByRole('button', { name: 'Hanna Host' }).click()
  await card.getByRole('button', { name: 'Message' }).click()
  await page.getByText(/^This is the start of /).waitFor()
  await field(page).waitFor()
}, 60_000)

test('R37.1k: the menu behind the own picture sets a status with an end, and signs out', async () => {
  const { page } = await pages.openAs(BOB, '/')
  const bobId = await pages.idOf('Bob Berg')
  const before = (await pages.liveSessions('Bob Berg')).length
  const hanna = await member(pages.service(), 'Hanna Host')
  const menu = page.getByRole('button', { name: 'Account of Bob Berg' })
  await menu.click()
  await page.getByRole('menuitem', { name: 'Set a status' }).click()
  const dialog = page.getByRole('dialog', { name: 'Your status' })
  await dialog.getByRole('button', { name: /At lunch/ }).click()
  await dialog.getByRole('checkbox', { name: 'Appear away' }).check()
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'hidden' })
  const { status, present } = await readPerson(hanna, bobId)
  expect(status).toMatchObject({ text: 'At lunch', emoji: '🍜', until: expect.any(String) })
  expect(present).toBe(false)
  await menu.click()
  await page.getByRole('menuitem', { name: /At lunch/ }).waitFor()
  await page.getByRole('menuitem', { name: 'Sign out' }).click()
  await page.waitForURL(/end-session/)
  expect(await pages.liveSessions('Bob Berg')).toHaveLength(before - 1)
}, 60_000)

test('R37.4: messages of a blocked person are folded to a line, in all tabs, until shown or unblocked', async () => {
  const hanna = await member(pages.service(), 'Hanna Host')
  const { id } = await createRoom(hanna, { name: 'Cellar' })
  const { id: directId } = await createDirect(hanna, { user: { id: await pages.idOf('Bob Berg') } })
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByText(/^This is the start of /).waitFor()
  await createMessage(hanna, id, 'You again')
  await page.locator('.message-text', { hasText: 'You again' }).waitFor()
  const other = await page.context().newPage()
  await other.goto(pages.at(`/rooms/${id}`))
  await other.locator('.message-text', { hasText: 'You again' }).waitFor()
  const block = async () => {
    await page.locator('li[data-message]').getByRole('button', { name: 'Hanna Host' }).click()
    await page.getByRole('button', { name: 'Block', exact: true }).click()
  }
  const toast = page.getByRole('alert').filter({ hasText: 'You block Hanna Host' })
  await block()
  await other.getByText('Message from someone you block').waitFor()
  await toast.getByRole('button', { name: 'Undo' }).click()
  await other.locator('.message-text', { hasText: 'You again' }).waitFor()
  await page.keyboard.press('Escape')
  await block()
  for (const each of [page, other]) {
    await each.getByText('Message from someone you block').waitFor()
    expect(await each.locator('.message-text', { hasText: 'You again' }).count()).toBe(0)
  }
  await page.keyboard.press('Escape')
  await other.getByRole('button', { name: 'Show', exact: true }).click()
  await other.locator('.message-text', { hasText: 'You again' }).waitFor()
  await page.goto(pages.at(`/rooms/${directId}`))
  await page.getByText('You block Hanna Host').waitFor()
  await page.goto(pages.at('/account'))
  await page.getByRole('button', { name: 'Unblock: Hanna Host' }).click()
  await page.getByRole('button', { name: 'Unblock: Hanna Host' }).waitFor({ state: 'hidden' })
}, 60_000)

test('R37.1k: a picture, a title and a time zone are set on the account page', async () => {
  const { page } = await pages.openAs(BOB, '/account')
  const bobId = await pages.idOf('Bob Berg')
  const content = Buffer.from(await bytesOf(picture().png()))
  const chosen = page.waitForEvent('filechooser')
  await page.getByRole('button', { name: 'Upload picture' }).click()
  await (await chosen).setFiles({ name: 'me.png', mimeType: 'image/png', buffer: content })
  await page.locator('header .avatar img').waitFor()
  await page.getByRole('textbox', { name: 'Title' }).fill('Designer')
  await page.getByRole('combobox', { name: 'Time zone' }).selectOption('Asia/Jakarta')
  // The picture was saved with the same words.
  const saved = page.waitForResponse((response) => response.url().endsWith('/api/profile') && response.ok())
  await page.getByRole('button', { name: 'Save', exact: true }).click()
  await saved
  const hanna = await member(pages.service(), 'Hanna Host')
  expect(await readPerson(hanna, bobId)).toMatchObject({
    avatarUrl: expect.stringContaining('/api/pictures/'),
    title: 'Designer',
    timeZone: 'Asia/Jakarta',
  })
}, 60_000)

test('R23.8: people, cards and statuses are accessible and fit', async () => {
  const hanna = await member(pages.service(), 'Zelda Zucchini')
  await succeed(setPicture(hanna, await bytesOf(picture().png())))
  const profile = {
    title: 'Gardener of all the greenhouses and orchards in the north',
    timeZone: 'Asia/Jakarta',
  }
  await succeed(hanna.browser.send('/api/profile', { method: 'PUT', body: profile }))
  const status = { text: 'Between the tomatoes, back when they are ripe', emoji: '🌴' }
  await succeed(hanna.browser.send('/api/status', { method: 'PUT', body: status }))
  await expectLooks(async (locale, look) => {
    const { page } = await pages.openAs(ROOT, '/people?q=zelda', { locale })
    await page.locator('.people-row').first().waitFor()
    await look(page, 'people')
    await page.locator('.people-row button').first().click()
    await page.getByRole('dialog').getByText('Gardener').first().waitFor()
    await look(page, 'person-card')
    await page.keyboard.press('Escape')
    await page.goto(pages.at('/'))
    await page.locator('header button[aria-haspopup="menu"]').last().click()
    await page.getByRole('menuitem').first().click()
    await page.locator('.emoji-choice').waitFor()
    await look(page, 'status')
  })
}, 120_000)
