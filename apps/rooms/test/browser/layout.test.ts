import { beforeAll, expect, test } from 'bun:test'
import type { Page } from 'playwright-core'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { type TestUser, createMessage, createRoom, makeMember, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { field, lines } from './room-page.ts'

const pages = roomPages()

let host: TestUser
let aliceId: string
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
  ;({ id: aliceId } = await pages.signIn(ALICE))
}, 60_000)

/** A room of which Alice is a member. */
async function alicesRoom(name: string, settings: Record<string, unknown> = {}): Promise<string> {
  const { id } = await createRoom(host, { name, ...settings })
  await makeMember(pages.service(), id, { user: { id: aliceId } })
  return id
}

const sidebar = (page: Page) => page.getByRole('region', { name: 'Rooms' })

test('R35.1: the user’s rooms are in the navigation of every page, and Ctrl+K jumps to any room', async () => {
  const garden = await alicesRoom('Garden')
  await alicesRoom('Vault', { visibility: 'private' })
  await createRoom(host, { name: 'Somewhere else' })
  const { page, errors } = await pages.openAs(ALICE, '/account')
  await sidebar(page).getByRole('link', { name: 'Private Vault' }).waitFor()
  expect(await sidebar(page).getByRole('link', { name: 'Somewhere else' }).count()).toBe(0)
  // At the breakpoint, where a phone's menu ends.
  await page.setViewportSize({ width: 768, height: 900 })
  await sidebar(page).getByRole('link', { name: 'Garden' }).waitFor()
  expect(await page.getByRole('button', { name: 'Open the menu' }).count()).toBe(0)
  await page.setViewportSize({ width: 1280, height: 900 })
  await sidebar(page).getByRole('link', { name: 'Garden' }).click()
  await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor()
  await sidebar(page).locator('[aria-current=page]').getByText('Garden').waitFor()
  await field(page).and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Control+K')
  const search = page.getByRole('combobox', { name: 'Jump to a room' })
  await search.and(page.locator(':focus')).waitFor()
  await page.getByRole('group', { name: 'Rooms' }).getByRole('option', { name: 'Vault' }).waitFor()
  await expectAccessible(page)
  await page.keyboard.type('else some')
  await page.getByRole('group', { name: 'Other rooms' }).getByRole('option').waitFor()
  await screenshot(page, 'jump')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Somewhere else', level: 1 }).waitFor()
  await page.keyboard.press('Control+K')
  await search.and(page.locator(':focus')).waitFor()
  await page.keyboard.type('gard')
  await page.getByRole('option', { name: 'Garden' }).waitFor()
  await page.keyboard.press('Enter')
  await page.waitForURL(pages.at(`/rooms/${garden}`))
  expect(errors).toEqual([])
}, 60_000)

test('R35.1 R30.1: a room with unread messages is bold and counts mentions, until it is read', async () => {
  const id = await alicesRoom('Workshop')
  const { page, errors } = await pages.openAs(ALICE, '/account')
  const room = (name: string) => sidebar(page).getByRole('link', { name, exact: true })
  await room('Workshop').waitFor()
  await createMessage(host, id, 'To everyone')
  await room('Workshop 1 unread message').waitFor()
  await createMessage(host, id, `<@${aliceId}> and you`)
  const unread = room('Workshop 2 unread messages, 1 mention')
  await unread.waitFor()
  expect(await unread.evaluate((link) => getComputedStyle(link).fontWeight)).toBe('600')
  await expectAccessible(page)
  await screenshot(page, 'sidebar-unread')
  const mark = page.waitForResponse((response) => response.url().endsWith('/read'))
  await unread.click()
  await lines(page).getByText('and you').waitFor()
  await mark
  await sidebar(page).locator('[aria-current=page]').getByText('Workshop').waitFor()
  await page.getByRole('link', { name: 'Browse rooms' }).first().click()
  await room('Workshop').waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('R35.1e: the button of a phone’s menu counts what the user is notified of in other rooms', async () => {
  const id = await alicesRoom('Harbour')
  const { page, errors } = await pages.openAs(ALICE, '/', { width: 390 })
  const menu = page.locator('.frame-menu')
  await menu.getByRole('button', { name: 'Open the menu' }).waitFor()
  expect(await menu.textContent()).toBe('')
  await createMessage(host, id, 'To everyone')
  await page.getByText('To everyone').waitFor()
  expect(await menu.textContent()).toBe('')
  await createMessage(host, id, `<@${aliceId}> and you`)
  await menu.getByText('1 unread message').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'menu-mark')
  await menu.getByRole('button').click()
  await sidebar(page).getByRole('link', { name: 'Harbour' }).click()
  await lines(page).getByText('and you').waitFor()
  await page.locator('.room-back').getByRole('link').click()
  await menu.getByRole('button', { name: 'Open the menu' }).waitFor()
  await menu.getByText('1 unread message').waitFor({ state: 'detached' })
  expect(errors).toEqual([])
}, 60_000)

test('R35.1a: a line of text has at most 75 characters, however wide the window', async () => {
  const id = await alicesRoom('Library')
  await createMessage(host, id, 'The quick brown fox jumps over the lazy dog and back again. '.repeat(20))
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 1920 })
  const text = lines(page).locator('.message-text p')
  await text.waitFor()
  const counts = await text.evaluate((paragraph) => {
    const counted = new Map<number, number>()
    const node = paragraph.firstChild
    const range = document.createRange()
    for (let at = 0; node && at < (node.textContent ?? '').length; at++) {
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const { top } = range.getBoundingClientRect()
      counted.set(top, (counted.get(top) ?? 0) + 1)
    }
    return [...counted.values()]
  })
  expect(Math.max(...counts)).toBeLessThanOrEqual(76)
  expect(Math.max(...counts)).toBeGreaterThan(60)
}, 60_000)

test('R35.1b: on a wide screen the people stay beside the conversation until they are closed, also after a reload', async () => {
  const id = await alicesRoom('Terrace')
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 1440 })
  const people = page.getByRole('complementary', { name: 'People' })
  const button = page.getByRole('button', { name: 'People 1' })
  await people.getByText('Alice Andersson').waitFor()
  const [beside, conversation] = await Promise.all([people.boundingBox(), field(page).boundingBox()])
  expect((conversation?.x ?? 0) + (conversation?.width ?? 0)).toBeLessThan(beside?.x ?? 0)
  await people.getByRole('button', { name: 'Close' }).click()
  await people.waitFor({ state: 'detached' })
  await page.reload()
  await button.waitFor()
  expect(await people.count()).toBe(0)
  await button.click()
  await people.waitFor()
  await page.reload()
  await people.waitFor()
}, 60_000)

test('R35.1b: beside the people in the room, its other members are listed on request', async () => {
  const id = await alicesRoom('Cottage')
  await makeMember(pages.service(), id, await member(pages.service(), 'Greta Gran'))
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`, { width: 1440 })
  const people = page.getByRole('complementary', { name: 'People' })
  await people.getByText('Alice Andersson').waitFor()
  expect(await people.getByText('Greta Gran').count()).toBe(0)
  await people.getByRole('button', { name: 'Members who aren’t here' }).click()
  const absent = people.getByRole('list', { name: 'Members who aren’t here' })
  await absent.getByText('Greta Gran').waitFor()
  expect(await absent.getByText('Alice Andersson').count()).toBe(0)
  await expectAccessible(page)
}, 60_000)

test('R35.1c: on a phone, rooms, a room and its people are views of their own, and Back leads from each to the one before', async () => {
  const id = await alicesRoom('Porch')
  const { page } = await pages.openAs(ALICE, '/', { width: 390, height: 844, touch: true })
  await page.locator('.room-rows').getByRole('link', { name: 'Porch' }).tap()
  await page.getByRole('heading', { name: 'Porch', level: 1 }).waitFor()
  expect(await page.getByRole('banner').count()).toBe(0)
  const write = await page.locator('.composer').boundingBox()
  expect((write?.y ?? 0) + (write?.height ?? 0)).toBe(844)
  await page.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('button', { name: 'People 1' }).tap()
  const people = page.getByRole('complementary', { name: 'People' })
  await people.getByText('Alice Andersson').waitFor()
  expect(await people.boundingBox()).toEqual({ x: 0, y: 0, width: 390, height: 844 })
  expect(await field(page).count()).toBe(0)
  await page.goBack()
  await field(page).waitFor()
  await page.getByRole('link', { name: 'Go to the rooms' }).tap()
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  await page.goBack()
  await page.waitForURL(pages.at(`/rooms/${id}`))
}, 60_000)

test('R35.1: a long name of a room leaves space for the buttons at 320 pixels', async () => {
  const id = await alicesRoom('N'.repeat(64))
  const { page } = await pages.openAs(BOB, `/rooms/${id}`, { width: 320 })
  const button = page.getByRole('button', { name: 'More' })
  await button.waitFor()
  const box = await button.boundingBox()
  expect((box?.x ?? 320) + (box?.width ?? 0)).toBeLessThanOrEqual(320)
}, 60_000)
