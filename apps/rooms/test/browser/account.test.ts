import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectWithinWidth, screenshot } from '@latchkey/web/testing/browser'
import { ALICE, type Person } from '../provider/hostile.ts'
import { BOB, expectLooks, isRefusal, roomPages } from './browser.ts'

const pages = roomPages({
  limits: { guest_rename_per_minute: 5 },
  settings: { linksUrl: 'https://go.example.com' },
})
const CAROL: Person = { sub: 'carol', name: 'Carol Claesson', email: 'carol@example.com' }
/** The first user to sign in is the administrator, and cannot leave as the only one. */
const ADMIN: Person = ALICE

beforeAll(async () => {
  await pages.signIn(ADMIN)
}, 60_000)

test('sessions are listed and ended, one and then all others, and those browsers show the sign-in page with a return path', async () => {
  for (const _ of [1, 2]) await pages.signIn(BOB)
  const third = await pages.openAs(BOB, '/?q=x')
  const { page } = await pages.openAs(BOB, '/account')
  const list = page.getByRole('region', { name: 'Sessions' })
  await list.getByText('This browser').waitFor()
  expect(await list.getByRole('listitem').count()).toBe(4)
  expect(await list.getByText('Chrome on Linux').count()).toBe(2)
  await list
    .getByRole('button', { name: /^Sign out .+, last active/ })
    .first()
    .press('Enter')
  await page.getByText('Session ended').waitFor()
  await list.getByRole('listitem').nth(3).waitFor({ state: 'detached' })
  await list.getByRole('list').and(page.locator(':focus')).waitFor()
  expect(await pages.liveSessions('Bob Berg')).toHaveLength(3)
  await list.getByRole('button', { name: 'Sign out all other sessions' }).click()
  await page.getByText('2 sessions ended').waitFor()
  await list.getByRole('listitem').nth(1).waitFor({ state: 'detached' })
  expect(await pages.liveSessions('Bob Berg')).toHaveLength(1)
  // Their sockets are closed, so the pages notice without a request.
  await third.page.waitForURL(/\/login\?/)
  const query = new URL(third.page.url()).searchParams
  expect(query.get('returnTo')).toBe('/?q=x')
  expect(['signed_out', 'revoked']).toContain(query.get('ended') ?? '')
  await third.page.getByRole('status').getByText('You were signed out').waitFor()
  // The console of such a browser reports no refusal, even with the cookie of an ended session.
  pages.service().clock.ms += 60_001
  await third.page.goto(pages.at('/account'))
  await third.page.waitForURL(pages.at('/login?returnTo=%2Faccount'))
  await third.page.getByRole('link', { name: 'Sign in with Test provider' }).waitFor()
  expect(third.errors).toEqual([])
}, 60_000)

test('a nickname typed before the session ended is restored after signing in, only for the same user', async () => {
  const { page } = await pages.open('/login?returnTo=/account')
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Gunilla')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  const name = page.getByRole('textbox', { name: 'Nickname' })
  await page.getByRole('button', { name: 'Save nickname' }).waitFor()
  await name.fill('Gunilla the Second')
  const cookies = await page.context().cookies()
  await page.context().clearCookies()
  await page.getByRole('button', { name: 'Save nickname' }).click()
  await page.waitForURL(/\/login\?.*returnTo=%2Faccount/)
  // Another user in the same tab does not see it.
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  await page.getByRole('button', { name: 'Save nickname' }).waitFor()
  expect(await name.inputValue()).toBe('')
  await page.context().clearCookies()
  await page.context().addCookies(cookies)
  await page.goto(pages.at('/account'))
  await page.getByRole('button', { name: 'Save nickname' }).waitFor()
  expect(await name.inputValue()).toBe('Gunilla the Second')
  await page.getByRole('button', { name: 'Save nickname' }).press('Enter')
  await page.getByText('Nickname saved').waitFor()
  await page.getByRole('button', { name: 'Account of Gunilla the Second' }).waitFor()
  expect(await name.inputValue()).toBe('')
  // Guests have nothing at a provider to export or erase here.
  expect(await page.getByRole('button', { name: 'Delete account' }).count()).toBe(0)
}, 60_000)

test('a guest can sign in and returns to the same page; a member is not offered to sign in', async () => {
  const { page, errors } = await pages.open('/login?returnTo=/account', { width: 390 })
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Gunnar')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  const signIn = page.getByRole('link', { name: 'Sign in', exact: true })
  await signIn.waitFor()
  expect(await signIn.count()).toBe(1)
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'account-guest-390')
  await signIn.press('Enter')
  await page.getByText('You’re here as the guest Gunnar').waitFor()
  expect(new URL(page.url()).searchParams.get('returnTo')).toBe('/account')
  await page.goBack()
  await page.setViewportSize({ width: 1280, height: 800 })
  await page.getByRole('banner').getByRole('link', { name: 'Sign in', exact: true }).waitFor()
  await screenshot(page, 'account-guest-1280')
  await page.getByRole('link', { name: 'Browse rooms', exact: true }).click()
  await page.getByRole('banner').getByRole('link', { name: 'Sign in', exact: true }).click()
  pages.service().idp.person = BOB
  await page.getByRole('link', { name: 'Sign in with Test provider' }).click()
  await page.getByRole('button', { name: 'Account of Bob Berg' }).waitFor()
  pages.service().idp.person = ALICE
  expect(page.url()).toBe(pages.at('/'))
  await page.goto(pages.at('/account'))
  await page.getByRole('button', { name: 'Delete account' }).waitFor()
  expect(await signIn.count()).toBe(0)
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('signing out goes through the provider, and signing out everywhere ends all sessions', async () => {
  await pages.signIn(BOB)
  const { page } = await pages.openAs(BOB, '/account')
  const { issuer } = pages.service().idp
  const passed: string[] = []
  page.on('framenavigated', (frame) => passed.push(frame.url()))
  const endSessionRequest = page.waitForRequest((request) =>
    request.url().startsWith(`${issuer}/end-session`),
  )
  await page.getByRole('button', { name: 'Sign out everywhere' }).click()
  const { searchParams } = new URL((await endSessionRequest).url())
  expect(searchParams.get('post_logout_redirect_uri')).toBe(pages.at(''))
  expect(await pages.liveSessions('Bob Berg')).toHaveLength(0)
  await page.waitForURL(`${issuer}/end-session**`)
  expect(passed.filter((url) => url.includes('/login'))).toEqual([])
  // The redirect by which the provider returns to us.
  await page.goto(pages.at('/?state=whatever'))
  await page.waitForURL(pages.at('/login'))
  await page.goto(pages.at('/account'))
  await page.waitForURL(pages.at('/login?returnTo=%2Faccount'))
}, 60_000)

test('if the provider has no sign-out, the sign-in page confirms that the user is signed out', async () => {
  const { page } = await pages.open('/login?returnTo=/account')
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Gustav')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  await page.getByRole('button', { name: 'Sign out here' }).click()
  await page.getByRole('status').getByText('You signed out').waitFor()
}, 60_000)

test('R43.5: signing out is behind the picture, on every page', async () => {
  const { page } = await pages.open('/login?returnTo=/')
  await page.getByRole('textbox', { name: 'Nickname' }).fill('Greta')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  await page.getByRole('button', { name: 'Account of Greta' }).press('Enter')
  await page.getByRole('menu').locator(':focus').waitFor()
  await expectAccessible(page)
  await page.getByRole('menuitem', { name: 'Sign out' }).press('Enter')
  await page.getByRole('status').getByText('You signed out').waitFor()
  expect(await pages.liveSessions('Greta')).toEqual([])
}, 60_000)

test('R23.8: the brand leads to Links, whose address visitors do not see', async () => {
  const { page } = await pages.openAs(BOB, '/account', { width: 390 })
  await page.getByRole('button', { name: 'Latchkey Rooms: switch product' }).press('Enter')
  const item = page.getByRole('menuitem', { name: 'Open Latchkey Links' })
  await item.and(page.locator(':focus')).waitFor()
  expect(await item.getAttribute('href')).toBe('https://go.example.com/_/admin')
  await expectAccessible(page)
  await expectWithinWidth(page)
  const headers = { 'X-Forwarded-Host': 'evil.example' }
  const visitor = await (await fetch(pages.at('/login'), { headers })).text()
  expect(visitor).not.toMatch(/go\.example\.com|evil\.example/)
}, 60_000)

test('account data is downloaded as a file', async () => {
  const { page } = await pages.openAs(BOB, '/account')
  const coming = page.waitForEvent('download')
  await page.getByRole('link', { name: 'Download your data' }).click()
  const download = await coming
  expect(download.suggestedFilename()).toBe('latchkey-account.json')
  const exportedData = (await Bun.file(await download.path()).json()) as { user: { email: string } }
  expect(exportedData.user.email).toBe('bob@example.com')
}, 60_000)

test('an account is erased after confirmation, and not while it is the only administrator or owns rooms, with the reason shown', async () => {
  const admin = await pages.openAs(ADMIN, '/account')
  const ask = async ({ page }: typeof admin) => {
    await page.getByRole('button', { name: 'Delete account' }).click()
    const dialog = page.getByRole('dialog', { name: 'Delete your account?' })
    expect(await dialog.getByRole('button', { name: 'Delete my account' }).isDisabled()).toBe(true)
    await dialog.getByRole('checkbox').press('Space')
    await dialog.getByRole('button', { name: 'Delete my account' }).click()
    return dialog
  }
  const refused = await ask(admin)
  await refused.getByText('You’re the only administrator.').waitFor()
  await expectAccessible(admin.page)
  await admin.page.keyboard.press('Escape')
  const opener = admin.page.getByRole('button', { name: 'Delete account' })
  await opener.and(admin.page.locator(':focus')).waitFor()
  const carol = await pages.openAs(CAROL, '/account')
  const room = await carol.page.evaluate(async () => {
    const token = /latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
    const answer = await fetch('/api/rooms', {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-csrf-token': token },
      body: JSON.stringify({ name: 'Carols room' }),
    })
    return ((await answer.json()) as { room: { id: string } }).room.id
  })
  const owning = await ask(carol)
  const link = owning.getByRole('link', { name: 'Carols room' })
  await link.waitFor()
  expect(await link.getAttribute('href')).toBe(`/rooms/${room}`)
  await expectAccessible(carol.page)
  await screenshot(carol.page, 'account-owns-rooms')
  const bob = await pages.openAs(BOB, '/account')
  await ask(bob)
  await bob.page.getByText('Your account and all your data were deleted.').waitFor()
  expect(await pages.liveSessions('Bob Berg')).toEqual([])
}, 60_000)

test('the account page is accessible and fits, in every language', async () => {
  await expectLooks(async (locale, look) => {
    const person = { ...CAROL, sub: 'long', name: 'W'.repeat(60) }
    const { page, errors } = await pages.openAs(person, '/account', { locale })
    await page.getByRole('listitem').first().waitFor()
    await look(page, 'account')
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  })
}, 60_000)
