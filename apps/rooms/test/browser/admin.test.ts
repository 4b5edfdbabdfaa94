import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectWithinWidth, pressMenuItem, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { recordSubjectSource } from '../../src/platform/provider-change.ts'
import { listAuditActions } from '../audit-log.ts'
import { ALICE, type Person } from '../provider/hostile.ts'
import { BOB, roomPages } from './browser.ts'

const pages = roomPages()
/** The first user to sign in is the administrator. */
const ADMIN: Person = ALICE
const CAROL: Person = { sub: 'carol', name: 'Carol Claesson', email: 'carol@example.com' }
const DAVID: Person = { sub: 'david', name: 'David Dahl', email: 'david@example.com' }

beforeAll(async () => {
  await pages.signIn(ADMIN)
})

async function guest(nickname: string): Promise<void> {
  const browser = pages.service().browser({ origin: pages.at('') })
  await browser.json('/api/session', { body: { nickname } }, 201)
}

const rights = async (nickname: string) =>
  pages
    .service()
    .rooms.database.read.selectFrom('role_grants')
    .innerJoin('users', 'users.id', 'role_grants.user_id')
    .where('users.nickname', '=', nickname)
    .select(['role', 'source'])
    .execute()

const lineOf = (page: Page, name: string) =>
  page
    .getByRole('listitem')
    .filter({ has: page.getByRole('button', { name: `Actions for ${name}`, exact: true }) })

/** Chooses an action for a user with the keyboard, and returns the dialog. */
async function choose(page: Page, name: string, act: string) {
  await page.getByRole('button', { name: `Actions for ${name}`, exact: true }).press('Enter')
  await pressMenuItem(page, act)
  await page.getByRole('dialog').locator('[data-autofocus]:focus').waitFor()
  return page.getByRole('dialog')
}

test('visitors and users who are not administrators see neither the console nor a link to it', async () => {
  const bob = await pages.openAs(BOB, '/admin')
  await bob.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  expect(await bob.page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
  expect(await bob.page.getByRole('tab').count()).toBe(0)
  await expectAccessible(bob.page)
  const visitor = await pages.open('/admin?part=audit')
  await visitor.page.waitForURL(pages.at(`/login?returnTo=${encodeURIComponent('/admin?part=audit')}`))
  expect(await visitor.page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
}, 60_000)

test('users are found by a part of their name, and a query of one letter is not sent', async () => {
  for (const person of [BOB, CAROL]) await pages.signIn(person)
  const { page, errors } = await pages.openAs(ADMIN, '/')
  await page.getByRole('link', { name: 'Administration' }).click()
  await lineOf(page, 'Bob Berg').waitFor()
  const field = page.getByRole('searchbox', { name: 'Search people' })
  await field.fill('C')
  await field.press('Enter')
  await page.getByText('Enter at least 2 characters.').waitFor()
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  await field.fill('clae')
  await field.press('Enter')
  await lineOf(page, 'Bob Berg').waitFor({ state: 'detached' })
  await lineOf(page, 'Carol Claesson').getByText('carol@example.com').waitFor()
  expect(new URL(page.url()).searchParams.get('q')).toBe('clae')
  expect(await field.evaluate((element) => element === document.activeElement)).toBe(true)
  await field.fill('nobody of this name')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.getByRole('status').getByText('No results').waitFor()
  expect(errors).toEqual([])
}, 60_000)

test('users are listed page by page, each once', async () => {
  for (let number = 0; number < 51; number++) {
    pages.service().clock.ms += 1
    await guest(`Visitor ${number}`)
  }
  const { page } = await pages.openAs(ADMIN, '/admin?q=Visitor')
  await page.getByText('50 shown').waitFor()
  await page.getByRole('button', { name: 'Show more' }).press('Enter')
  await page.getByText('51 shown').waitFor()
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
  const names = await page
    .getByRole('button', { name: /^Actions for Visitor/ })
    .evaluateAll((buttons) => buttons.map((button) => button.getAttribute('aria-label')))
  expect(new Set(names).size).toBe(51)
  await page.getByRole('button', { name: 'End all guest sessions' }).click()
  const dialog = page.getByRole('dialog', { name: 'End all guest sessions?' })
  expect(await pages.liveSessions('Visitor 3')).toHaveLength(1)
  await dialog.getByRole('button', { name: 'End all guest sessions' }).click()
  await page.getByText(/^5\d sessions ended$/).waitFor()
  expect(await pages.liveSessions('Visitor 3')).toEqual([])
  expect(await pages.liveSessions('Alice Andersson')).not.toEqual([])
}, 60_000)

test('a user is disabled after confirmation, is signed out by it, and can be enabled again', async () => {
  await pages.signIn(BOB)
  const { page } = await pages.openAs(ADMIN, '/admin?q=Bob')
  const confirmation = await choose(page, 'Bob Berg', 'Disable')
  await confirmation.getByRole('heading', { name: 'Disable Bob Berg?' }).waitFor()
  await expectAccessible(page)
  await confirmation.getByRole('button', { name: 'Cancel' }).press('Enter')
  await confirmation.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Actions for Bob Berg' }).and(page.locator(':focus')).waitFor()
  expect(await pages.liveSessions('Bob Berg')).not.toEqual([])
  await (await choose(page, 'Bob Berg', 'Disable')).getByRole('button', { name: 'Disable' }).press('Enter')
  await lineOf(page, 'Bob Berg').getByText('Disabled', { exact: true }).waitFor()
  expect(await pages.liveSessions('Bob Berg')).toEqual([])
  // A disabled user cannot become an administrator.
  const refused = await choose(page, 'Bob Berg', 'Make administrator')
  await refused.getByRole('button', { name: 'Make administrator' }).click()
  await refused.getByRole('alert').getByText('Enable it first').waitFor()
  expect(await rights('Bob Berg')).toEqual([])
  await refused.getByRole('button', { name: 'Cancel' }).click()
  await (await choose(page, 'Bob Berg', 'Enable')).getByRole('button', { name: 'Enable' }).click()
  await lineOf(page, 'Bob Berg').getByText('Disabled', { exact: true }).waitFor({ state: 'detached' })
}, 60_000)

test('R9.4: the only administrator cannot leave or disable their own account, and is shown the reason', async () => {
  const { page } = await pages.openAs(ADMIN, '/admin?q=Alice')
  const taking = await choose(page, 'Alice Andersson', 'Remove as administrator')
  await taking.getByRole('button', { name: 'Remove as administrator' }).click()
  await taking.getByRole('alert').getByText('Make someone else an administrator first').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'admin-last-admin')
  await page.keyboard.press('Escape')
  const erasing = await choose(page, 'Alice Andersson', 'Delete')
  await erasing.getByRole('button', { name: 'Delete' }).click()
  await erasing.getByRole('alert').getByText('Make someone else an administrator first').waitFor()
  await page.keyboard.press('Escape')
  const disabling = await choose(page, 'Alice Andersson', 'Disable')
  await disabling.getByRole('button', { name: 'Disable' }).click()
  await disabling.getByRole('alert').getByText('You can’t do this to your own account').waitFor()
  expect(await rights('Alice Andersson')).toEqual([{ role: 'platform_admin', source: 'bootstrap' }])
}, 60_000)

test('R9.7: the administrator’s right is granted and revoked, and a user who revokes their own loses the console', async () => {
  const { page } = await pages.openAs(DAVID, '/account')
  await page.context().close()
  const alice = await pages.openAs(ADMIN, '/admin?q=David')
  const giving = await choose(alice.page, 'David Dahl', 'Make administrator')
  await giving.getByRole('button', { name: 'Make administrator' }).click()
  await lineOf(alice.page, 'David Dahl').getByText('granted by an administrator').waitFor()
  expect(await rights('David Dahl')).toEqual([{ role: 'platform_admin', source: 'manual' }])
  expect(await pages.liveSessions('David Dahl')).toEqual([])
  const david = await pages.openAs(DAVID, '/admin?q=David')
  const passed: string[] = []
  david.page.on('framenavigated', (frame) => passed.push(new URL(frame.url()).pathname))
  const taking = await choose(david.page, 'David Dahl', 'Remove as administrator')
  await taking.getByRole('button', { name: 'Remove as administrator' }).click()
  await david.page.getByRole('heading', { level: 1, name: 'Page not found' }).waitFor()
  expect(await david.page.getByRole('link', { name: 'Administration' }).count()).toBe(0)
  expect(await rights('David Dahl')).toEqual([])
  // The session was replaced, not lost.
  expect(await pages.liveSessions('David Dahl')).toHaveLength(1)
  expect(passed).toEqual([])
}, 60_000)

test('R10.5: the sessions of a user are listed and revoked, one after confirmation and then all', async () => {
  for (const _ of [1, 2, 3]) await pages.signIn(CAROL)
  const before = (await pages.liveSessions('Carol Claesson')).length
  const { page } = await pages.openAs(ADMIN, '/admin?q=Carol')
  const button = page.getByRole('button', { name: 'Sessions of Carol Claesson', exact: true })
  await button.click()
  expect(await button.getAttribute('aria-expanded')).toBe('true')
  const list = page.getByRole('list', { name: 'Sessions of Carol Claesson' })
  await list
    .getByRole('listitem')
    .nth(before - 1)
    .waitFor()
  await expectAccessible(page)
  await list
    .getByRole('button', { name: /^End the session of Carol Claesson/ })
    .first()
    .click()
  const one = page.getByRole('dialog', { name: 'End this session of Carol Claesson?' })
  expect(await pages.liveSessions('Carol Claesson')).toHaveLength(before)
  await one.getByRole('button', { name: 'End', exact: true }).click()
  await list
    .getByRole('listitem')
    .nth(before - 1)
    .waitFor({ state: 'detached' })
  expect(await pages.liveSessions('Carol Claesson')).toHaveLength(before - 1)
  await page.getByRole('button', { name: 'End all sessions of Carol Claesson' }).click()
  const all = page.getByRole('dialog', { name: 'End all sessions of Carol Claesson?' })
  await all.getByRole('button', { name: 'End all sessions' }).click()
  await page.getByText('Not signed in anywhere.').waitFor()
  expect(await pages.liveSessions('Carol Claesson')).toEqual([])
}, 60_000)

test('R14.3: a private room is not shown as open to guests', async () => {
  const { browser } = await pages.signIn({ sub: 'fia', name: 'Fia Falk', email: 'fia@example.com' })
  for (const visibility of ['private', 'unlisted'])
    await browser.json('/api/rooms', { body: { name: `Fias ${visibility} room`, visibility } }, 201)
  const { page } = await pages.openAs(ADMIN, '/admin?part=rooms&q=Fias')
  const line = (name: string) => page.getByRole('listitem').filter({ hasText: name })
  await line('Fias unlisted room').getByText('Unlisted · guests allowed').waitFor()
  await line('Fias private room').getByText('Private · no guests').waitFor()
}, 60_000)

test('an owner of rooms is erased after the rooms are taken over, with a reason, from the error that lists them', async () => {
  const eva = await pages.signIn({ sub: 'eva', name: 'Eva Ek', email: 'eva@example.com' })
  const { room } = await eva.browser.json<{ room: { id: string } }>(
    '/api/rooms',
    { body: { name: 'Evas room' } },
    201,
  )
  const { page } = await pages.openAs(ADMIN, '/admin?q=Eva')
  const refused = await choose(page, 'Eva Ek', 'Delete')
  await refused.getByRole('button', { name: 'Delete' }).click()
  await expectAccessible(page)
  await refused.getByRole('alert').getByRole('link', { name: 'Room 1' }).click()
  await page.getByRole('tab', { name: 'Rooms', selected: true }).waitFor()
  await page.getByRole('button', { name: 'Take over Evas room' }).click()
  const dialog = page.getByRole('dialog', { name: 'Take over Evas room?' })
  const take = dialog.getByRole('button', { name: 'Take over' })
  expect(await take.isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('  x ')
  expect(await take.isDisabled()).toBe(true)
  await dialog.getByRole('textbox', { name: 'Reason' }).fill('Eva has left the house')
  await expectAccessible(page)
  await screenshot(page, 'admin-take-over')
  await take.click()
  await page.getByText('You own this room.').waitFor()
  const entries = await pages
    .service()
    .rooms.database.read.selectFrom('audit_events')
    .selectAll()
    .where('action', '=', 'admin.room.takeover')
    .execute()
  expect(entries.map(({ target_id, metadata }) => [target_id, JSON.parse(metadata)])).toEqual([
    [room.id, { reason: 'Eva has left the house', previousOwnerId: eva.id }],
  ])
  await page.goto(pages.at('/admin?q=Eva'))
  await (await choose(page, 'Eva Ek', 'Delete')).getByRole('button', { name: 'Delete' }).click()
  await page.getByText('No results').waitFor()
  await page.getByRole('group', { name: 'People' }).and(page.locator(':focus')).waitFor()
  expect((await listAuditActions(pages.service())).at(-1)).toEqual([
    'account.delete',
    expect.any(String),
    eva.id,
  ])
}, 60_000)

test('a sign-in that is too old leads through a new one and back, and keeps what was typed', async () => {
  const { page } = await pages.openAs(ADMIN, '/admin?part=settings')
  const field = page.getByRole('textbox', { name: 'Announcement' })
  await field.fill('Closed on Sunday')
  const { clock } = pages.service()
  clock.ms += 43_200_001
  await page.getByRole('button', { name: 'Save' }).click()
  const again = page.getByRole('link', { name: 'Sign in again and return here' })
  await again.waitFor()
  await expectAccessible(page)
  const { issuer } = pages.service().idp
  const authorizeRequest = page.waitForRequest((request) => request.url().startsWith(`${issuer}/authorize`))
  await again.click()
  expect(new URL((await authorizeRequest).url()).searchParams.get('prompt')).toBe('login')
  await page.waitForURL(pages.at('/admin?part=settings'))
  expect(await field.inputValue()).toBe('Closed on Sunday')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved').waitFor()
  await page.getByText('Closed on Sunday').first().waitFor()
}, 60_000)

test('settings are changed, a link without https is refused at its field, and an empty one is deleted', async () => {
  const { page } = await pages.openAs(ADMIN, '/admin?part=settings')
  await page.getByRole('textbox', { name: 'Instance name' }).fill('The House')
  const link = page.getByRole('textbox', { name: 'Support link' })
  await link.fill('http://example.com/help')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Enter a full URL that starts with https://.').waitFor()
  expect(await link.evaluate((element) => element === document.activeElement)).toBe(true)
  await expectAccessible(page)
  const announcement = page.getByRole('textbox', { name: 'Announcement' })
  await announcement.fill('😀'.repeat(510))
  await link.fill('https://example.com/help')
  await page.getByText('10 characters too many').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('alert').getByText('Something you entered wasn’t accepted.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'admin-settings-long')
  expect(await announcement.inputValue()).toBe('😀'.repeat(510))
  await announcement.fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved').waitFor()
  await page.reload()
  await page.getByRole('banner').getByText('The House').waitFor()
  expect(await page.getByRole('link', { name: 'Help and support' }).getAttribute('href')).toBe(
    'https://example.com/help',
  )
  await page.getByRole('textbox', { name: 'Instance name' }).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('Settings saved').waitFor()
  await page.reload()
  await page.getByRole('banner').getByText('Latchkey Rooms').waitFor()
  await page.getByText('Rooms per guest', { exact: true }).waitFor()
  expect(await page.getByText('guest_rooms_per_hour', { exact: true }).isVisible()).toBe(false)
  await page.getByText('Advanced: all limits').click()
  await page.getByText('guest_rooms_per_hour', { exact: true }).waitFor()
}, 60_000)

test('what is typed while settings are being saved is kept and saved next', async () => {
  const { page } = await pages.openAs(ADMIN, '/admin?part=settings')
  const name = page.getByRole('textbox', { name: 'Instance name' })
  const announcement = page.getByRole('textbox', { name: 'Announcement' })
  const sent = Promise.withResolvers<undefined>()
  const typed = Promise.withResolvers<undefined>()
  await page.route('**/api/admin/settings', async (route) => {
    if (route.request().method() === 'GET') return route.continue()
    sent.resolve(undefined)
    await typed.promise
    return route.continue()
  })
  await announcement.fill('Open')
  await name.fill('First')
  await page.getByRole('button', { name: 'Save' }).click()
  await sent.promise
  await name.fill('Second')
  typed.resolve(undefined)
  await page.getByText('Settings saved').waitFor()
  const saved = page.waitForResponse((answer) => answer.request().method() === 'PATCH')
  await page.getByRole('button', { name: 'Save', disabled: false }).click()
  expect((await saved).status()).toBe(200)
  await page.reload()
  expect([await name.inputValue(), await announcement.inputValue()]).toEqual(['Second', 'Open'])
}, 60_000)

test('R23.5: the addresses to register are shown exactly and can be copied, with the state of the provider', async () => {
  const { page } = await pages.openAs(ADMIN, '/admin?part=provider')
  const register = page.getByRole('region', { name: 'Register at the provider' })
  for (const address of ['/api/auth/callback', '', '/api/auth/backchannel-logout']) {
    await register.getByText(pages.at(address), { exact: true }).waitFor()
    await register.getByRole('button', { name: `Copy ${pages.at(address)}`, exact: true }).waitFor()
  }
  const state = page.getByRole('region', { name: 'Status' })
  await state.getByText(pages.service().idp.issuer, { exact: true }).waitFor()
  await state.getByText('Valid').waitFor()
  await state.getByText('None received yet').waitFor()
  expect(await page.getByRole('main').textContent()).not.toContain('cannot be reached')
}, 60_000)

test('R38.4a: pasted claims are explained rule by rule, in three languages, and a text that is none is refused', async () => {
  const claims = {
    sub: 'bob',
    name: 'Bob Berg',
    groups: { ['staff'.repeat(30)]: {} },
    aud: 'another-client',
  }
  for (const [locale, name, press, refused, outcome] of [
    ['en', 'Claims or ID token', 'Test', 'Paste a JSON object', 'May not sign in'],
    ['sv', 'Anspråk eller ID-token', 'Testa', 'Klistra in ett JSON-objekt', 'Får inte logga in'],
    ['id', 'Klaim atau token ID', 'Uji', 'Tempelkan objek JSON', 'Tidak boleh masuk'],
  ] as const) {
    const { page } = await pages.openAs(ADMIN, '/admin?part=provider', { locale, width: 320, scheme: 'dark' })
    const field = page.getByRole('textbox', { name })
    const button = page.getByRole('button', { name: press, exact: true })
    await field.fill('no claims')
    await button.click()
    await page.getByText(refused).waitFor()
    await field.fill(JSON.stringify(claims))
    await button.click()
    await page.getByRole('status').getByText(outcome).waitFor()
    await expectAccessible(page)
    await expectWithinWidth(page)
    await page.getByRole('status').getByText(outcome).scrollIntoViewIfNeeded()
    await screenshot(page, `admin-claims-${locale}-320`)
    await field.fill('{"sub": "bob", "name": "Bob Berg"}')
    await page.getByRole('status').getByText(outcome).waitFor({ state: 'detached' })
    await button.click()
    await page.getByRole('status').getByText('Bob Berg').first().waitFor()
    await page.context().close()
  }
}, 60_000)

test('R15.1: the reason why provider metadata cannot be used is shown in the user’s language, with the details of the log', async () => {
  const { idp, clock } = pages.service()
  const { page } = await pages.openAs(ADMIN, '/admin', { locale: 'sv', width: 390 })
  const alert = page.getByRole('alert', { name: 'Identitetstjänstens metadata kan inte användas' })
  const look = async () => {
    // A cached result is reloaded after an hour.
    clock.ms += 3_600_001
    await page.goto(pages.at('/admin?part=provider'))
  }
  try {
    idp.answer('metadata', () => new Response('', { status: 503 }))
    await look()
    await alert.getByText('Identitetstjänsten svarar inte').waitFor()
    expect(await page.getByRole('region', { name: 'Identitetstjänstens adresser' }).count()).toBe(0)
    await expectAccessible(page)
    await expectWithinWidth(page)
    await screenshot(page, 'admin-provider-unusable')
    const details = alert.getByText('no metadata, status 503', { exact: true })
    expect(await details.getAttribute('lang')).toBe('en')
    idp.answer('metadata', () => Response.json({ issuer: 'https://other.example' }))
    await look()
    await alert.getByText('stämmer inte med den här tjänstens inställningar').waitFor()
    await alert.getByText('https://other.example').waitFor()
  } finally {
    idp.reset()
    clock.ms += 60_000
  }
}, 60_000)

test('R8.5: accounts of an earlier provider are pointed out, and dialogs fit the narrowest window', async () => {
  const { id } = await pages.signIn({ sub: 'gustav', name: 'Gustav Grahn' })
  const { database } = pages.service().rooms
  await database.write((tx) =>
    tx
      .updateTable('identities')
      .set({ issuer: 'https://old.example.com' })
      .where('user_id', '=', id)
      .execute(),
  )
  const { idp, clock } = pages.service()
  const source = { userinfoEndpoint: null, subjectPath: 'uid' }
  await database.write((tx) => recordSubjectSource(tx, idp.issuer, source, clock.ms))
  const { page } = await pages.openAs(ADMIN, '/admin?part=provider', { width: 320, scheme: 'dark' })
  await page.getByRole('alert').getByText('1 account has no provider').waitFor()
  await page
    .getByRole('alert')
    .getByText(/^\d+ accounts? may have /)
    .waitFor()
  await screenshot(page, 'admin-provider-changed-320')
  await expectAccessible(page)
  await expectWithinWidth(page)
  await page.goto(pages.at('/admin?q=Gustav+Grahn'))
  const dialog = await choose(page, 'Gustav Grahn', 'Delete')
  await dialog.getByText('You can’t undo this.').waitFor()
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'admin-erase-320')
  await dialog.getByRole('button', { name: 'Delete' }).press('Enter')
  await page.getByText('No results').waitFor()
}, 60_000)

test('the audit log is filtered by action, person, room and time, and names people and rooms', async () => {
  const frida = await pages.signIn({ sub: 'frida', name: 'Frida Falk' })
  await frida.browser.json('/api/rooms', { body: { name: 'Fridas room' } }, 201)
  const { page } = await pages.openAs(ADMIN, '/admin?q=Frida')
  await page.getByRole('link', { name: 'Activity of Frida Falk' }).click()
  await page.getByRole('tab', { name: 'Audit log', selected: true }).waitFor()
  const list = page.getByRole('tabpanel').getByRole('list')
  const created = list.getByText('Frida Falk created Fridas room')
  await created.waitFor()
  expect(await list.getByRole('listitem').count()).toBe(2)
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Signed in')
  await created.waitFor({ state: 'detached' })
  await list.getByText('Frida Falk signed in').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(1)
  await page.getByLabel('Before', { exact: true }).fill('2001-01-01T00:00')
  await page.getByText('No events match').waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  expect(new URL(page.url()).search).toBe('?part=audit')
  // What the service did by itself. The list has a page of newer events.
  await page.getByRole('combobox', { name: 'Action' }).selectOption('Role granted')
  await list
    .getByText(/^\S.* was granted a role$/)
    .first()
    .waitFor()
  await page.getByRole('button', { name: 'Clear filters' }).click()
  const room = page.getByRole('combobox', { name: 'Room' })
  await room.fill('fridas')
  await page.getByRole('option', { name: 'Fridas room' }).click()
  await list.getByText('signed in').first().waitFor({ state: 'detached' })
  await created.waitFor()
  expect(await list.getByRole('listitem').count()).toBe(1)
  await expectAccessible(page)
  await screenshot(page, 'admin-audit')
  await page.reload()
  await created.waitFor()
  await page.waitForFunction(() =>
    [...document.querySelectorAll('input')].some(({ value }) => value === 'Fridas room'),
  )
  const download = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download CSV' }).click()
  const file = await Bun.file(await (await download).path()).text()
  expect(file).toContain('"room.create","Frida Falk"')
  expect(file.trim().split('\r\n')).toHaveLength(2)
  await created.getByRole('link', { name: 'Frida Falk' }).click()
  await lineOf(page, 'Frida Falk').waitFor()
}, 60_000)
