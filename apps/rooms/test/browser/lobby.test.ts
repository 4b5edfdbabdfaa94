import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import type { WebSocketRoute } from 'playwright-core'
import { type TestUser, createRoom, member } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { BOB, ROOT, expectLooks, isRefusal, roomPages, withoutAnswers } from './browser.ts'

const pages = roomPages()
const PLACES = 'Places for visitors and guests'
const LONG = { sub: 'long', name: 'W'.repeat(60) }

let host: TestUser
beforeAll(async () => {
  await pages.signIn(ROOT)
  host = await member(pages.service(), 'Hanna Host')
}, 60_000)

test('R43.2: a room is created with the keyboard alone, with every option as chosen', async () => {
  const { page, errors } = await pages.openAs(ALICE, '/')
  await page.getByRole('heading', { name: 'No rooms yet' }).waitFor()
  await page.getByRole('button', { name: 'New room' }).press('Enter')
  const dialog = page.getByRole('dialog', { name: 'New room' })
  const name = dialog.getByRole('textbox', { name: 'Name' })
  await name.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Enter')
  await dialog.getByText('Enter a name.').waitFor()
  expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-invalid'))).toBe('true')
  await page.keyboard.type('Reading circle')
  expect(await dialog.getByRole('radio').count()).toBe(2)
  expect(await dialog.getByRole('switch').count()).toBe(0)
  await dialog.getByRole('button', { name: 'More options' }).press('Enter')
  await dialog.getByRole('radio', { name: 'Unlisted' }).press('Space')
  await dialog.getByRole('switch', { name: 'Allow guests' }).press('Space')
  await dialog.getByRole('textbox', { name: PLACES }).fill('1')
  await page.keyboard.press('Enter')
  await dialog.getByText('Enter a number from 2 to 10,000, or nothing.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'lobby-new-room')
  await dialog.getByRole('textbox', { name: PLACES }).fill('7')
  await dialog.getByRole('combobox', { name: 'Default role' }).click()
  await page.getByRole('option', { name: 'Listener' }).click()
  await dialog.getByRole('combobox', { name: 'Message history' }).click()
  await page.getByRole('option', { name: 'Since they joined' }).click()
  await dialog.getByRole('combobox', { name: 'Keep messages' }).click()
  await page.getByRole('option', { name: 'For some days' }).click()
  await dialog.getByRole('textbox', { name: 'Days' }).fill('45')
  await dialog.getByRole('button', { name: 'Create room' }).press('Enter')
  await page.getByRole('heading', { name: 'Reading circle', level: 1 }).waitFor()
  const row = await pages
    .service()
    .rooms.database.read.selectFrom('rooms')
    .selectAll()
    .where('name', '=', 'Reading circle')
    .executeTakeFirstOrThrow()
  expect(row).toMatchObject({
    visibility: 'unlisted',
    allow_guests: 0,
    max_participants: 7,
    default_role: 'listener',
    history_visibility: 'since_membership',
    retention_days: 45,
  })
  expect(page.url()).toBe(pages.at(`/rooms/${row.id}`))
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('Escape keeps what was chosen for a new room, and the next new room starts empty', async () => {
  const { page } = await pages.openAs(ALICE, '/')
  const dialog = page.getByRole('dialog', { name: 'New room' })
  const name = dialog.getByRole('textbox', { name: 'Name' })
  const opener = page.getByRole('button', { name: 'New room' })
  const begin = () => opener.click()
  await begin()
  await name.fill('Half chosen')
  await dialog.getByRole('radio', { name: 'Private' }).check()
  await dialog.getByRole('button', { name: 'More options' }).click()
  await dialog.getByRole('textbox', { name: PLACES }).fill('7')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await opener.and(page.locator(':focus')).waitFor()
  await begin()
  const readForm = async () => [
    await name.inputValue(),
    await dialog.getByRole('radio', { name: 'Private' }).isChecked(),
    await dialog.getByRole('textbox', { name: PLACES }).inputValue(),
    await dialog.getByRole('combobox', { name: 'Default role' }).inputValue(),
  ]
  expect(await readForm()).toEqual(['Half chosen', true, '7', 'Member'])
  await dialog.getByRole('button', { name: 'Create room' }).click()
  await page.getByRole('heading', { name: 'Half chosen', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await begin()
  await dialog.getByRole('button', { name: 'More options' }).click()
  expect(await readForm()).toEqual(['', false, '', 'Member'])
}, 60_000)

test('R23.2: rooms are found by a part of their name, and appear as they are created', async () => {
  const { page } = await pages.openAs(BOB, '/')
  const rows = page.locator('.room-rows > li')
  await createRoom(host, { name: 'Garden' })
  await createRoom(host, { name: 'Hidden garden', visibility: 'private' })
  const corner = await createRoom(host, { name: 'Corner', maxParticipants: 9, allowGuests: false })
  await rows.getByRole('link', { name: 'Corner' }).waitFor()
  expect(await page.getByText('Hidden garden').count()).toBe(0)
  await rows.filter({ hasText: 'Corner' }).getByText('No messages yet').waitFor()
  await page.getByRole('searchbox').fill('gard')
  await rows.filter({ hasText: 'Corner' }).waitFor({ state: 'detached' })
  await rows.getByRole('link', { name: 'Garden' }).waitFor()
  expect(page.url()).toContain('?q=gard')
  await page.getByRole('searchbox').fill('nowhere')
  await page.getByText('No rooms match').waitFor()
  await page.goto(pages.at('/'))
  await rows.getByRole('link', { name: 'Corner' }).click()
  await page.getByRole('heading', { name: 'Corner', level: 1 }).waitFor()
  expect(page.url()).toBe(pages.at(`/rooms/${corner.id}`))
}, 60_000)

test('many changes of rooms in a row cause only a few reads of the list', async () => {
  const { page } = await pages.openAs(BOB, '/', { own: true })
  const lobbySocket = Promise.withResolvers<WebSocketRoute>()
  await page.routeWebSocket('**/api/ws', (socket) => {
    const server = socket.connectToServer()
    server.onMessage((text) => {
      socket.send(text)
      if (String(text).includes('subscribed_lobby')) lobbySocket.resolve(socket)
    })
  })
  let reads = 0
  await page.route(/\/api\/rooms$/, (route) => {
    reads++
    return route.continue()
  })
  await page.reload()
  const socket = await lobbySocket.promise
  const before = reads
  const startedMs = performance.now()
  for (let times = 0; times < 12; times++) {
    socket.send(JSON.stringify({ type: 'lobby' }))
    await page.evaluate(() => fetch('/api/config').then((answer) => answer.text()))
  }
  await createRoom(host, { name: 'The last of many' })
  await page.getByRole('link', { name: 'The last of many' }).waitFor()
  // One read at once, and then at most one every two seconds.
  expect(reads - before).toBeLessThanOrEqual(2 + (performance.now() - startedMs) / 2_000)
}, 60_000)

test('invitations and transfers appear in the lobby and are accepted, declined and withdrawn there', async () => {
  const { page } = await pages.openAs(BOB, '/')
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  const bob = await pages.idOf('Bob Berg')
  const invite = async (name: string) => {
    const { id } = await createRoom(host, { name, visibility: 'private' })
    await host.browser.json(`/api/rooms/${id}/invitations/users`, { body: { userId: bob } }, 201)
    return id
  }
  await invite('Unwanted')
  const waiting = page.getByRole('region', { name: 'Invitations' })
  await waiting.getByText('Invitation to Unwanted as Member').waitFor()
  await expectAccessible(page)
  await waiting.getByRole('button', { name: 'Decline: Invitation to Unwanted as Member' }).press('Enter')
  await waiting.waitFor({ state: 'detached' })
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).and(page.locator(':focus')).waitFor()
  const id = await invite('Wanted')
  await waiting.getByRole('button', { name: 'Accept: Invitation to Wanted as Member' }).click()
  await page.getByRole('heading', { name: 'Wanted', level: 1 }).waitFor()
  await host.browser.json(`/api/rooms/${id}/ownership-transfer`, { body: { userId: bob } }, 201)
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await waiting.getByText('Hanna Host wants to transfer Wanted to you').waitFor()
  await screenshot(page, 'lobby-pending')
  await waiting.getByRole('button', { name: 'Accept: Hanna Host wants to transfer Wanted to you' }).click()
  await page.getByRole('heading', { name: 'Wanted', level: 1 }).waitFor()
  await page.getByText('Owner', { exact: true }).first().waitFor()
  // What arrived while the user was on another page or offline is shown too, however short the
  // absence.
  await page.getByRole('link', { name: /waiting for you$/ }).waitFor({ state: 'detached' })
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await page.locator('.room-rows').getByRole('link', { name: 'Wanted', exact: true }).click()
  await page.getByRole('heading', { name: 'Wanted', level: 1 }).waitFor()
  await invite('Meanwhile')
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await waiting.getByText('Invitation to Meanwhile as Member').waitFor()
  await pages.whileDown(page, () => invite('Unheard'))
  await waiting.getByText('Invitation to Unheard as Member').waitFor()
}, 60_000)

for (const [what, path] of [
  ['invitations', '**/api/room-invitations/pending*'],
  ['handovers', '**/api/room-ownership-transfers/pending'],
] as const)
  test(`if ${what} cannot be read, the lobby says so and does not claim that there are none`, async () => {
    const { page } = await pages.openAs({ sub: what, name: 'Nobody invited' }, '/account')
    await page.route(path, (route) => route.fulfill({ status: 500, json: { error: 'x', code: 'internal' } }))
    await withoutAnswers(page, pages.at('/'))
    await page.goto(pages.at('/'))
    const waiting = page.getByRole('region', { name: 'Invitations' })
    await waiting.getByRole('alert', { name: 'Couldn’t load this' }).waitFor()
    await expectAccessible(page)
    await screenshot(page, `lobby-no-${what}`)
    await page.unroute(path)
    await waiting.getByRole('button', { name: 'Try again' }).click()
    await waiting.waitFor({ state: 'detached' })
  }, 60_000)

test('R23.4: an invitation link shows the room, survives the sign-in, and is used only by the button', async () => {
  const room = await createRoom(host, { name: 'Link room', visibility: 'private' })
  const { url } = await host.browser.json<{ url: string }>(
    `/api/rooms/${room.id}/invitations/links`,
    { body: { role: 'speaker' } },
    201,
  )
  const { pathname } = new URL(url)
  const uses = async () =>
    (
      await pages
        .service()
        .rooms.database.read.selectFrom('room_invitations')
        .select('use_count')
        .where('room_id', '=', room.id)
        .executeTakeFirstOrThrow()
    ).use_count
  const { page, errors } = await pages.open(pathname)
  await page.getByRole('heading', { name: 'Link room', level: 1 }).waitFor()
  await page.getByText('Hanna Host invited you to').waitFor()
  await page.getByText('Guests can’t join this room.').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await expectAccessible(page)
  await page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await page.waitForURL(pages.at(pathname))
  expect(await uses()).toBe(0)
  await page.getByRole('button', { name: 'Join Link room' }).click()
  await page.getByRole('heading', { name: 'Link room', level: 1, exact: true }).waitFor()
  expect(await uses()).toBe(1)
  await page.goto(pages.at(pathname))
  await page.getByRole('heading', { name: 'This invitation is no longer valid', level: 1 }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'invitation-gone')
  await page.getByRole('main').getByRole('link', { name: 'Go to the rooms' }).click()
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('an invitation leads an existing member to the room and is not used', async () => {
  const room = await createRoom(host, { name: 'Joined before', visibility: 'private' })
  // The people of an invitation are in the order in which they joined.
  pages.service().clock.ms += 1
  const { url } = await host.browser.json<{ url: string }>(
    `/api/rooms/${room.id}/invitations/links`,
    { body: { role: 'listener', maxUses: 2 } },
    201,
  )
  const { pathname } = new URL(url)
  const { page } = await pages.openAs(ALICE, pathname)
  await page.getByRole('button', { name: 'Join Joined before' }).click()
  await page.getByRole('heading', { name: 'Joined before', level: 1, exact: true }).waitFor()
  await page.goto(pages.at(pathname))
  await page.getByText('In the room: Hanna Host and Alice Andersson', { exact: true }).waitFor()
  await page.getByText('You’re already a member of this room.').waitFor()
  expect(await page.getByRole('button', { name: /^Join/ }).count()).toBe(0)
  await page.getByRole('link', { name: 'Open the room' }).click()
  await page.getByRole('heading', { name: 'Joined before', level: 1, exact: true }).waitFor()
}, 60_000)

test('a guest enters by an invitation link and joins', async () => {
  const room = await createRoom(host, { name: 'Open house' })
  const { url } = await host.browser.json<{ url: string }>(
    `/api/rooms/${room.id}/invitations/links`,
    { body: { role: 'listener' } },
    201,
  )
  const { page } = await pages.open(new URL(url).pathname)
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Join Open house' }).click()
  await page.getByRole('heading', { name: 'Open house', level: 1, exact: true }).waitFor()
  await page.getByText('Listener', { exact: true }).first().waitFor()
}, 60_000)

test('lobby and invitation are accessible and fit, in every language', async () => {
  await expectLooks(async (locale, look) => {
    const room = await createRoom(host, { name: `${'N'.repeat(60)} ${locale}`, visibility: 'public' })
    const { url } = await host.browser.json<{ url: string }>(
      `/api/rooms/${room.id}/invitations/links`,
      { body: {} },
      201,
    )
    const { page, errors } = await pages.openAs(LONG, '/', { locale })
    await page.locator('.room-rows > li').first().waitFor()
    await host.browser.json(
      `/api/rooms/${room.id}/invitations/users`,
      { body: { userId: await pages.idOf(LONG.name) } },
      201,
    )
    await page.locator('.rows > li').first().waitFor()
    await look(page, 'lobby')
    await page.locator('main button:has(.tabler-icon-plus)').click()
    await page.getByRole('dialog').getByRole('radio').first().waitFor()
    await look(page, 'new-room')
    await page.getByRole('dialog').locator('.more-options').click()
    await page.getByRole('dialog').getByRole('switch').first().waitFor()
    await look(page, 'new-room-options')
    await page.goto(pages.at(new URL(url).pathname))
    await page.getByRole('main').getByRole('button').waitFor()
    await look(page, 'invitation')
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  })
}, 90_000)

test('further invitations are loaded on request', async () => {
  const { page } = await pages.openAs({ sub: 'wanted', name: 'Wanda Wanted' }, '/')
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  const userId = await pages.idOf('Wanda Wanted')
  for (let number = 1; number <= 51; number++) {
    // The newest come first, those of one moment in any order.
    pages.service().clock.ms += 1
    const { id } = await createRoom(host, { name: `Den ${number}`, visibility: 'private' })
    await host.browser.json(`/api/rooms/${id}/invitations/users`, { body: { userId } }, 201)
  }
  await page.reload()
  const waiting = page.getByRole('region', { name: 'Invitations' })
  await waiting.getByText('Invitation to Den 51 as Member').waitFor()
  expect(await waiting.getByRole('listitem').count()).toBe(50)
  await page.setViewportSize({ width: 390, height: 900 })
  await page.route('**/pending?cursor=*', (route) =>
    route.fulfill({ status: 503, json: { error: 'x', code: 'unavailable' } }),
  )
  await waiting.getByRole('button', { name: 'Show more' }).click()
  await waiting.getByRole('alert').getByText('Temporarily unavailable.').waitFor()
  expect(await waiting.getByRole('listitem').count()).toBe(50)
  await expectAccessible(page)
  await page.unroute('**/pending?cursor=*')
  await waiting.getByRole('button', { name: 'Show more' }).click()
  await waiting.getByText('Invitation to Den 1 as Member').waitFor()
  expect(await waiting.getByRole('alert').count()).toBe(0)
  expect(await waiting.getByRole('listitem').count()).toBe(51)
  expect(await waiting.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  await screenshot(page, 'lobby-pending-many-390')
  await waiting.getByRole('button', { name: 'Decline: Invitation to Den 1 as Member' }).press('Enter')
  await waiting.getByText('Invitation to Den 1 as Member').waitFor({ state: 'detached' })
  // The button disappears, and focus moves into the list.
  await waiting.getByRole('list').and(page.locator(':focus')).waitFor()
  expect(await waiting.getByRole('listitem').count()).toBe(50)
}, 90_000)

test('an invitation or an offer is announced on every page and leads to its answer, but an offer is not announced to its sender', async () => {
  const hall = await createRoom(host, { name: 'Hall' })
  const den = await createRoom(host, { name: 'Den', visibility: 'private' })
  const loft = await createRoom(host, { name: 'Loft', visibility: 'private' })
  const person = { sub: 'told', name: 'Tove Told' }
  const { page, errors } = await pages.openAs(person, `/rooms/${hall.id}`, { width: 320 })
  await page.getByText(/^This is the start of /).waitFor()
  const waiting = page.getByRole('link', { name: /waiting for you$/ })
  const one = waiting.and(page.getByRole('link', { name: /1 invitation or offer is waiting/ }))
  const two = waiting.and(page.getByRole('link', { name: /2 invitations or offers are waiting/ }))
  const list = page.getByRole('region', { name: 'Invitations' })
  expect(await waiting.count()).toBe(0)
  const userId = await pages.idOf(person.name)
  await host.browser.json(`/api/rooms/${den.id}/invitations/users`, { body: { userId } }, 201)
  await one.waitFor()
  await page.getByRole('status').getByText('1 invitation or offer is waiting for you').waitFor()
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'invited-in-a-room-320')
  await host.browser.json(`/api/rooms/${loft.id}/invitations/users`, { body: { userId } }, 201)
  await two.press('Enter')
  await list.getByRole('button', { name: /^Decline: Invitation to Loft/ }).click()
  await one.waitFor()
  await list.getByRole('button', { name: /^Accept: Invitation to Den/ }).click()
  await page.getByRole('heading', { name: 'Den', level: 1 }).waitFor()
  await waiting.waitFor({ state: 'detached' })
  await host.browser.json(`/api/rooms/${den.id}/ownership-transfer`, { body: { userId } }, 201)
  await one.press('Enter')
  await list.getByRole('button', { name: /^Accept: Hanna Host wants to transfer Den to you/ }).click()
  await page.getByRole('heading', { name: 'Den', level: 1 }).waitFor()
  await waiting.waitFor({ state: 'detached' })
  // The lobby shows an offer of one's own as waiting for the other user.
  const { browser } = await pages.signIn(person)
  await browser.json(`/api/rooms/${den.id}/ownership-transfer`, { body: { userId: host.user.id } }, 201)
  await page.goto(pages.at('/'))
  await list.getByText('You offered to transfer Den').waitFor()
  expect(await waiting.count()).toBe(0)
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)
