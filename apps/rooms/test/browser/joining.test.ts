import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import {
  type TestUser,
  becomeMember,
  createMessage,
  createRoom,
  member,
  rolesIn,
  succeed,
} from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { BOB, ROOT, isRefusal, roomPages } from './browser.ts'
import { field, lines, send } from './room-page.ts'

const pages = roomPages()

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

test('R36.4, R43.2a: a room is joined from its row, from above the field, or by the first message, and left with a time to undo it', async () => {
  const ids = new Map<string, string>()
  for (const name of ['Garden', 'Harbour', 'Meadow'])
    ids.set(name, (await createRoom(host, { name, defaultRole: 'speaker' })).id)
  const isMember = async (name: string) => {
    const roles = await rolesIn(pages.service(), ids.get(name) ?? '')
    return Object.keys(roles).length > 0
  }
  const { page, errors } = await pages.openAs(ALICE, '/')
  const own = page.getByRole('navigation').getByRole('link', { name: 'Garden' })
  await page.getByRole('button', { name: 'Join Garden' }).press('Enter')
  await page.getByRole('heading', { name: 'Garden', level: 1 }).waitFor()
  expect(await isMember('Garden')).toBe(true)
  await page.getByText('This is the start of Garden').waitFor()
  await page.locator('.person').getByText('Alice Andersson').waitFor()
  expect(await page.locator('.person-role').count()).toBe(0)
  expect(await page.getByText('You’re looking at Garden').count()).toBe(0)
  await page.goto(pages.at(`/rooms/${ids.get('Harbour')}`))
  await page.getByText('You’re looking at Harbour').waitFor()
  await page.getByText('This is the start of Harbour').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'joining-bar')
  await page.getByRole('button', { name: 'Join room' }).click()
  await page.getByText('You’re looking at Harbour').waitFor({ state: 'detached' })
  await field(page).and(page.locator(':focus')).waitFor()
  await page.goto(pages.at(`/rooms/${ids.get('Meadow')}`))
  await page.getByText('This is the start of Meadow').waitFor()
  await send(page, 'Hello')
  await page.getByText('You’re looking at Meadow').waitFor({ state: 'detached' })
  await page.getByText('Alice Andersson joined the room').waitFor()
  expect(await isMember('Meadow')).toBe(true)
  await page.goto(pages.at(`/rooms/${ids.get('Garden')}`))
  await page.getByText('This is the start of Garden').waitFor()
  for (const answer of ['Undo', 'Close']) {
    await page.getByRole('button', { name: 'Leave room' }).click()
    await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
    const toast = page.getByRole('alert').filter({ hasText: 'You left Garden' })
    await toast.waitFor()
    await own.waitFor({ state: 'detached' })
    expect(await isMember('Garden')).toBe(true)
    await toast.getByRole('button', { name: answer }).click()
    if (answer === 'Close') break
    await own.click()
    await page.getByText('This is the start of Garden').waitFor()
  }
  await until(async () => !(await isMember('Garden')))
  await page.getByRole('button', { name: 'Join Garden' }).waitFor()
  expect(await own.count()).toBe(0)
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 90_000)

test('R36.5: a star puts a room first in the navigation, in every tab', async () => {
  const { id } = await createRoom(host, { name: 'Lighthouse' })
  const { page } = await pages.openAs(ALICE, `/rooms/${id}`)
  const other = await pages.openAs(ALICE, '/')
  await page.getByText('This is the start of Lighthouse').waitFor()
  await page.getByRole('button', { name: 'Star', exact: true }).click()
  for (const tab of [page, other.page])
    await tab.getByRole('region', { name: 'Starred' }).getByRole('link', { name: 'Lighthouse' }).waitFor()
  await page.getByRole('button', { name: 'Remove star' }).click()
  for (const tab of [page, other.page])
    await tab.getByRole('region', { name: 'Starred' }).waitFor({ state: 'detached' })
}, 60_000)

test('R36.5b: a message marked as unread stays so while the room is on display, also in another tab', async () => {
  const { id } = await createRoom(host, { name: 'Pier' })
  const bob = await pages.signIn(BOB)
  await succeed(becomeMember(bob, id))
  for (const content of ['One', 'Two', 'Three']) await createMessage(host, id, content)
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  const other = await pages.openAs(BOB, `/rooms/${id}`)
  const unread = async () => {
    const state = await pages
      .service()
      .rooms.database.read.selectFrom('room_user_states')
      .select('last_read_seq')
      .where('room_id', '=', id)
      .execute()
    return state.map(({ last_read_seq }) => last_read_seq)
  }
  for (const tab of [page, other.page]) await lines(tab).getByText('Three').waitFor()
  await until(async () => (await unread())[0] === 4)
  await lines(page).filter({ hasText: 'Two' }).focus()
  await page.keyboard.press('u')
  for (const tab of [page, other.page]) await tab.locator('.new-line').waitFor()
  await until(async () => (await unread())[0] === 2)
  await createMessage(host, id, 'Four')
  for (const tab of [page, other.page]) await lines(tab).getByText('Four').waitFor()
  // Each tab would have marked it by the time of its next message.
  await send(page, 'Five')
  await lines(other.page).getByText('Five').waitFor()
  expect(await unread()).toEqual([2])
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await page
    .getByRole('navigation')
    .getByRole('link', { name: /Pier.*3 unread messages/ })
    .click()
  await lines(page).getByText('Five').waitFor()
  await until(async () => (await unread())[0] !== 2)
}, 60_000)
