import { afterEach, expect, test } from 'bun:test'
import {
  expectAccessible,
  expectAccessibleViews,
  expectWithinWidth,
  screenshot,
} from '@latchkey/web/testing/browser'
import { loadTexts } from '@latchkey/web/testing/texts'
import { LOGIN_ERRORS } from '../../src/login/provider.ts'
import { loginTexts } from '../../src/web/texts/login.ts'
import { admin } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { until } from '../until.ts'
import { isRefusal, roomPages } from './browser.ts'

const texts = await loadTexts(loginTexts)
const pages = roomPages()
afterEach(() => pages.service().idp.reset())
const ROOM = '/rooms/6f0c1a52-8f5e-4d0a-9a39-0f5c3f0a7b11'
const button = 'Sign in with Test provider'

test('R28.12: a room link that is opened signed out is reached after signing in, and the provider is asked once', async () => {
  const { page, errors } = await pages.open(`${ROOM}?from=mail#latest`)
  await page.waitForURL(/\/login\?/)
  // A visitor has no session that could be refused.
  await page.getByRole('link', { name: button }).waitFor()
  expect(errors).toEqual([])
  expect(new URL(page.url()).searchParams.get('returnTo')).toBe(`${ROOM}?from=mail#latest`)
  const before = pages.service().idp.calls.token
  await page.getByRole('link', { name: button }).click()
  await page.waitForURL(pages.at(`${ROOM}?from=mail#latest`))
  await page.getByRole('button', { name: `Account of ${String(ALICE.name)}` }).waitFor()
  expect(pages.service().idp.calls.token).toBe(before + 1)
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('R28.12: a return path to another site, or to the sign-in page itself, becomes the start page', async () => {
  const { page } = await pages.open('/login')
  for (const target of [
    'https://evil.example/',
    '//evil.example',
    '/\\evil.example',
    '/login?returnTo=/login',
    'javascript:alert(1)',
  ]) {
    await page.goto(pages.at(`/login?returnTo=${encodeURIComponent(target)}`))
    const href = await page.getByRole('link', { name: button }).getAttribute('href')
    expect([target, href]).toEqual([target, '/api/auth/login?returnTo=%2F'])
  }
}, 60_000)

test('a signed-in user who opens the sign-in page is redirected to the return path', async () => {
  const { page } = await pages.openAs(ALICE, '/account')
  await page.getByRole('heading', { name: 'Account', level: 1 }).waitFor()
  await page.goto(pages.at('/login'))
  await page.getByRole('heading', { name: 'Browse rooms', level: 1 }).waitFor()
  expect(page.url()).toBe(pages.at('/'))
  await page.goto(pages.at('/login?returnTo=/account'))
  await page.waitForURL(pages.at('/account'))
  // A failure in another tab is shown, and no sign-in starts on its own.
  await page.goto(pages.at('/login?error=state_invalid&returnTo=/account'))
  await page.getByRole('alert', { name: texts.en['login.failed'] }).waitFor()
  await page.getByRole('link', { name: 'Continue as Alice Andersson' }).click()
  await page.waitForURL(pages.at('/account'))
}, 60_000)

test('R10.3: a sign-in in one tab replaces the session of another, which stays on its page as the new user', async () => {
  const { page: first } = await pages.open('/login')
  await first.getByRole('textbox', { name: 'Nickname' }).fill('Gun Gast')
  await first.getByRole('button', { name: 'Join as a guest' }).click()
  const alice = `Account of ${String(ALICE.name)}`
  await first.getByRole('button', { name: 'Account of Gun Gast' }).waitFor()
  const signIn = async () => {
    await first.goto(pages.at('/api/auth/login?prompt=login&returnTo=/account'))
    await first.getByRole('button', { name: alice }).waitFor()
  }
  const second = await first.context().newPage()
  const passed: string[] = []
  second.on('framenavigated', (frame) => passed.push(new URL(frame.url()).pathname))
  let welcomes = 0
  second.on('websocket', (socket) =>
    socket.on('framereceived', ({ payload }) => void (welcomes += Number(payload.includes('"welcome"')))),
  )
  const waitForWelcomeAfter = async (act: () => Promise<unknown>) => {
    const before = welcomes
    await act()
    await until(() => welcomes > before)
  }
  await waitForWelcomeAfter(() => second.goto(pages.at('/?q=x')))
  // A request at the moment of the change is refused and goes through the sign-in page.
  await second.waitForLoadState('networkidle')
  // The guest is now another user, who sees nothing of the guest.
  await Promise.all([second.waitForEvent('framenavigated'), signIn()])
  await second.getByRole('button', { name: alice }).waitFor()
  // The user of the page signs in again: it does not change.
  await second.getByRole('button', { name: 'New room' }).click()
  const name = second.getByRole('textbox', { name: 'Name' })
  await name.fill('Half a na')
  await second.waitForLoadState('networkidle')
  const looked = second.waitForResponse((answer) => answer.url().includes('/api/rooms?'))
  await waitForWelcomeAfter(signIn)
  // The last request that the page sends on its own.
  await (await looked).finished()
  expect(await name.inputValue()).toBe('Half a na')
  expect(new Set(passed)).toEqual(new Set(['/']))
  // A session that is not replaced has ended, for the reason that the server gave.
  const root = await admin(pages.service(), 'Rut Root')
  const { user } = await first.evaluate(
    async () => (await fetch('/api/session')).json() as Promise<{ user: { id: string } }>,
  )
  await root.browser.json(`/api/admin/users/${user.id}/revoke-sessions`, { method: 'POST' })
  await second.waitForURL(pages.at('/login?ended=revoked&returnTo=%2F%3Fq%3Dx'))
}, 60_000)

test('a search is kept across the sign-in and across Back', async () => {
  const search = `?${new URLSearchParams({ q: 'R&D %41 å' })}`
  const { page } = await pages.open(`/${search}`)
  await page.waitForURL(/\/login\?/)
  await page.getByRole('link', { name: button }).click()
  await page.waitForURL(pages.at(`/${search}`))
  const field = page.getByRole('searchbox')
  await field.waitFor()
  expect(await field.inputValue()).toBe('R&D %41 å')
  for (const text of ['%', '%4', '%41', '%2525']) {
    await field.fill(text)
    expect([await field.inputValue(), new URL(page.url()).searchParams.get('q')]).toEqual([text, text])
  }
}, 60_000)

test('R23.7: language and colours are chosen before the sign-in and apply to every page of this browser', async () => {
  const { page, errors } = await pages.open('/login', { width: 320 })
  await page.getByRole('button', { name: 'Language and colours' }).focus()
  await page.keyboard.press('Enter')
  const language = page.getByRole('dialog').getByRole('combobox', { name: 'Language' })
  await language.and(page.locator(':focus')).waitFor()
  await page.keyboard.press('Tab')
  for (const colours of ['Auto', 'Light']) {
    const choice = page.getByRole('radio', { name: colours, checked: true })
    await choice.and(page.locator(':focus')).waitFor({ state: 'attached' })
    await page.keyboard.press('ArrowRight')
  }
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await language.selectOption('Bahasa Indonesia')
  await page.getByRole('dialog', { name: 'Bahasa dan warna' }).waitFor()
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'appearance-320')
  await page.keyboard.press('Escape')
  await page.locator('button[aria-label="Bahasa dan warna"]:focus').waitFor()
  // The next page has both from the start, before the client code runs.
  await page.route(/\/assets\/main-.*\.js/, (route) => route.abort())
  await page.goto(pages.at('/login?error=state_invalid'), { waitUntil: 'commit' })
  await page.locator('html[lang=id][data-mantine-color-scheme=dark]').waitFor({ state: 'attached' })
  await page.unroute(/\/assets\/main-.*\.js/)
  await page.goto(pages.at('/nowhere'))
  await page.getByRole('button', { name: 'Bahasa dan warna' }).click()
  await page.getByRole('combobox', { name: 'Bahasa' }).selectOption('Sama dengan peramban')
  await page.getByText('Auto', { exact: true }).click()
  await page.locator('html[lang=en][data-mantine-color-scheme=light]').waitFor()
  expect(await page.evaluate(() => Object.keys(localStorage))).toEqual([])
  expect(errors.filter((text) => !isRefusal(text) && !text.includes('net::ERR_FAILED'))).toEqual([])
}, 60_000)

for (const language of ['en', 'sv', 'id'] as const)
  test(`R6.8: login failures have their messages and a way to continue, without a loop (${language})`, async () => {
    const own = texts[language]
    const { page, errors } = await pages.open('/login', { locale: language })
    const starts: string[] = []
    page.on('request', (request) => request.url().includes('/api/auth/login') && starts.push(request.url()))
    // One component shows all of them, with texts that the compiler compares between languages.
    const ofAccounts = ['account_disabled', 'access_not_granted']
    const codes = language === 'en' ? LOGIN_ERRORS : ofAccounts
    for (const code of [...codes, '<b>no code</b>']) {
      await page.goto(pages.at(`/login?error=${encodeURIComponent(code)}&returnTo=/account`))
      const knownCode = code as (typeof LOGIN_ERRORS)[number]
      const sentence = own[`loginError.${LOGIN_ERRORS.includes(knownCode) ? knownCode : 'unknown'}`]
      await page
        .getByRole('alert', { name: own['login.failed'] })
        .getByText(sentence, { exact: true })
        .waitFor()
      const words = ofAccounts.includes(code) ? own['login.otherAccount'] : /Test provider/
      const way = page.getByRole('main').getByRole('link', { name: words })
      expect(await way.getAttribute('href')).toStartWith('/api/auth/login?returnTo=%2Faccount')
      expect(await page.getByRole('main').innerText()).not.toContain('no code')
    }
    expect(await page.locator('html').getAttribute('lang')).toBe(language)
    expect(starts).toEqual([])
    expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  }, 120_000)

test('a refusal by the provider and a provider that is down have their own messages', async () => {
  const { idp } = pages.service()
  const { page } = await pages.open('/login?returnTo=/account')
  idp.answer('token', () => Response.json({ error: '<script>' }, { status: 400 }))
  await page.getByRole('link', { name: button }).click()
  await page.getByText(texts.en['loginError.provider_error']).waitFor()
  idp.answer('token', () => new Response('', { status: 503 }))
  await page.getByRole('link', { name: button }).click()
  await page.getByText(texts.en['loginError.provider_unavailable']).waitFor()
  idp.reset()
  await page.getByRole('link', { name: button }).click()
  await page.waitForURL(pages.at('/account'))
}, 60_000)

test('a guest enters with the keyboard alone, is shown what is wrong with a name, and reaches the requested link', async () => {
  const { page, errors } = await pages.open('/account')
  await page.waitForURL(/\/login\?returnTo=%2Faccount/)
  const name = page.getByRole('textbox', { name: 'Nickname' })
  await name.focus()
  await page.keyboard.press('Enter')
  await page.getByText('Enter a nickname.').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  await page.keyboard.type('Moderator')
  await page.keyboard.press('Enter')
  await page.getByText('This nickname is reserved. Choose another.').waitFor()
  expect(await name.inputValue()).toBe('Moderator')
  expect(await page.evaluate(() => document.activeElement?.tagName)).toBe('INPUT')
  await page.keyboard.press('Control+A')
  await page.keyboard.type('Gustav')
  await page.keyboard.press('Tab')
  await page.keyboard.press('Enter')
  await page.waitForURL(pages.at('/account'))
  await page.getByText('You’re a guest').waitFor()
  // A guest may become a member: the sign-in page is shown and does not redirect on its own.
  await page.goto(pages.at('/login?returnTo=/account'))
  await page.getByText('You’re here as the guest Gustav').waitFor()
  expect(await page.getByRole('textbox').count()).toBe(0)
  await page.getByRole('link', { name: button }).click()
  await page.getByText('alice@example.com').waitFor()
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('an unknown address is answered with its status and an error page, and no page contains an inline script', async () => {
  for (const [path, status] of [
    ['/', 200],
    ['/login', 200],
    ['/account', 200],
    ['/nowhere', 404],
    ['/rooms/7', 404],
    ['/login/', 404],
    ['/assets/nothing.js', 404],
  ] as const) {
    const answer = await fetch(pages.at(path))
    expect([path, answer.status]).toEqual([path, status])
    expect(answer.headers.get('content-security-policy')).toContain("script-src 'self';")
    expect(await answer.text()).not.toMatch(
      /<script(?![^>]* src=")(?! type="application\/json")|<[^>]+ on\w+=/,
    )
  }
  const { page } = await pages.open('/nowhere')
  await page.getByRole('heading', { name: 'Page not found', level: 1 }).waitFor()
  expect(page.url()).toBe(pages.at('/nowhere'))
}, 60_000)

test('R23.1: the sign-in page is accessible and fits, in all its states, widths and colour schemes', async () => {
  const { page, errors } = await pages.open('/login?error=provider_unavailable')
  await page.getByRole('button', { name: 'Join as a guest' }).click()
  await page.getByText('Enter a nickname.').waitFor()
  await expectAccessibleViews(page, 'login', [1280, 390, 320])
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
}, 60_000)

test('R28.23: every visitor sees the operator’s announcement and name, and can ask for help', async () => {
  const root = await admin(pages.service(), 'Rosa Root')
  const change = (body: Record<string, string | null>) =>
    root.browser.json('/api/admin/settings', { method: 'PATCH', body })
  await change({
    productName: 'House <i>of</i> rooms',
    announcement: 'Closed on Sunday\n<script>alert(1)</script>',
    supportUrl: 'https://help.example.com/',
  })
  const { page, errors } = await pages.open('/login', { width: 320 })
  await page.getByText('Closed on Sunday').waitFor()
  await page.getByRole('banner').getByText('House <i>of</i> rooms').waitFor()
  expect(await page.title()).toBe('Sign in · House <i>of</i> rooms')
  const help = page.getByRole('link', { name: 'Help and support' })
  expect(await help.getAttribute('href')).toBe('https://help.example.com/')
  await expectAccessible(page)
  await expectWithinWidth(page)
  await screenshot(page, 'login-announcement')
  expect(errors.filter((text) => !isRefusal(text))).toEqual([])
  await change({ productName: null, announcement: null, supportUrl: null })
  await page.reload()
  await page.getByRole('banner').getByText('Latchkey Rooms').waitFor()
  await page.getByRole('link', { name: button }).waitFor()
  expect(await page.getByText('Closed on Sunday').count()).toBe(0)
}, 60_000)
