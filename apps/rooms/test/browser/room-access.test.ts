import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import {
  type TestUser,
  changeSettings,
  createMessage,
  createRoom,
  deleteRoom,
  member,
  succeed,
} from '../actions.ts'
import { type Person } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { BOB, ROOT, roomPages } from './browser.ts'
import { field, lines, send } from './room-page.ts'

const pages = roomPages()
const CAROL: Person = { sub: 'carol', name: 'Carol Claesson' }

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

const newRoom = async (settings: Record<string, unknown> = {}) => (await createRoom(host, settings)).id
for (const [words, act, title] of [
  [
    'kicked',
    (id: string, userId: string) =>
      host.browser.json(`/api/rooms/${id}/members/${userId}/remove`, { body: { action: 'kick' } }),
    'You were removed from this room',
  ],
  [
    'banned',
    (id: string, userId: string) =>
      host.browser.json(`/api/rooms/${id}/members/${userId}/remove`, { body: { action: 'ban' } }),
    'You are banned from this room',
  ],
  ['left without the room', (id: string) => succeed(deleteRoom(host, id)), 'This room was deleted'],
] as const)
  test(`R28.5: a user who was ${words} is shown the reason and cannot return`, async () => {
    const id = await newRoom()
    const { page } = await pages.openAs(CAROL, `/rooms/${id}`)
    await page.getByRole('button', { name: 'People 1' }).waitFor()
    const { user } = await page.evaluate(
      async () => (await fetch('/api/session')).json() as Promise<{ user: { id: string } }>,
    )
    await act(id, user.id)
    await page.getByRole('alert').getByText(title).waitFor()
    await expectAccessible(page)
    await screenshot(page, `room-${words.replaceAll(' ', '-')}`)
    await page.reload()
    const after =
      words === 'kicked' ? 'You were removed from this room. Try again later.' : /banned|Room not found/
    await page.getByRole('main').getByText(after).first().waitFor()
    expect(await field(page).count()).toBe(0)
  }, 60_000)

test('R29.3h: guests are marked as such, cannot post links in their first five minutes, and are sent to the sign-in page if the room stops admitting them', async () => {
  const id = await newRoom({ name: 'Guests welcome' })
  const guest = await pages.open(`/rooms/${id}`)
  await guest.page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await guest.page.keyboard.press('Enter')
  await guest.page.getByText(/^This is the start of /).waitFor()
  await send(guest.page, 'See https://example.com/ and [b](https://b.example/)')
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  const line = lines(page).filter({ hasText: 'https://example.com/' })
  await line.getByText('Guest', { exact: true }).waitFor()
  await line.getByText('See https://example.com/ and b (https://b.example/)').waitFor()
  expect(await line.getByRole('link').count()).toBe(0)
  // Links are allowed after five minutes. Earlier messages stay as they were.
  pages.service().clock.ms += 5 * 60_000
  await send(guest.page, 'See https://example.com/later')
  await lines(page).getByRole('link', { name: 'https://example.com/later' }).waitFor()
  await page.reload()
  await lines(page).getByRole('link', { name: 'https://example.com/later' }).waitFor()
  expect(await lines(page).getByRole('link').count()).toBe(1)
  await succeed(changeSettings(host, id, { allowGuests: false }))
  await guest.page.getByRole('alert').getByText('You no longer have access to this room').waitFor()
  await guest.page.reload()
  await guest.page.getByText('This room doesn’t allow guests. Sign in to join.').waitFor()
  await guest.page.getByRole('main').getByRole('link', { name: 'Sign in' }).click()
  await guest.page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await guest.page.getByRole('heading', { name: 'Guests welcome', level: 1 }).waitFor()
}, 60_000)

test('a user who leaves in one tab has left in the other, and can enter again there and read what was posted since', async () => {
  const id = await newRoom()
  const { page } = await pages.openAs(BOB, `/rooms/${id}`)
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  await page.evaluate(async (room) => {
    const token = /latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
    await fetch(`/api/rooms/${room}/leave`, { method: 'DELETE', headers: { 'x-csrf-token': token } })
  }, id)
  await page.getByRole('alert').getByText('You left this room').waitFor()
  await createMessage(host, id, 'Meanwhile')
  await page.getByRole('button', { name: 'Join again' }).click()
  await page.getByRole('button', { name: 'People 1' }).waitFor()
  await lines(page).getByText('Meanwhile').waitFor()
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  const leases = () =>
    pages
      .service()
      .rooms.database.read.selectFrom('presence_leases')
      .selectAll()
      .where('room_id', '=', id)
      .execute()
  await until(async () => (await leases()).length === 0)
}, 60_000)
