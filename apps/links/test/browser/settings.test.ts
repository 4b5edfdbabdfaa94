import { describe, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import type { Locator, Page } from 'playwright-core'
import { read } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages({ LINKS_ACCESS_LOGOUT_URL: 'https://access.example/logout' })

const readSettings = () => read<Record<string, unknown>>(admin, '/settings')

async function choose(page: Page, label: string, option: string): Promise<void> {
  await page.getByRole('combobox', { name: label }).click()
  await page.getByRole('option', { name: option, exact: true }).click()
}

/** Waits until the server has stored the value: the page shows a change before it is saved. */
async function untilStored(name: string, value: unknown): Promise<void> {
  for (const end = Date.now() + 15_000; Date.now() < end;) if ((await readSettings())[name] === value) return
  expect((await readSettings())[name]).toBe(value)
}

/**
 * Waits until the page shows the value: a choice appears a frame later, and a refusal reverts it
 * with its answer.
 */
async function untilChecked(box: Locator, checked: boolean): Promise<void> {
  await box.and(box.page().locator(checked ? ':checked' : ':not(:checked)')).waitFor({ state: 'attached' })
}

test('L18: every setting saves at once, confirms it, and holds when the page is opened again', async () => {
  const { page, errors } = await admin.open('/settings')
  const saved = page.getByText('Saved', { exact: true })
  await choose(page, 'Default range', '90 days')
  await saved.waitFor()
  await page.getByRole('switch', { name: 'Hide bot clicks' }).click()
  await page.getByRole('switch', { name: 'Hide internal clicks' }).click()
  await page.getByRole('textbox', { name: 'Length of automatic slugs' }).fill('6')
  await page.getByText('1,073,741,824 possible slugs').waitFor()
  await page.getByRole('textbox', { name: 'Root redirect' }).fill('https://example.com/home')
  expect((await readSettings())['root_redirect_url']).toBeNull()
  await page.keyboard.press('Enter')
  await untilStored('root_redirect_url', 'https://example.com/home')
  await untilStored('slug_default_length', 6)
  expect(await readSettings()).toEqual({
    slug_default_length: 6,
    theme: null,
    lang: null,
    time_zone: null,
    default_range: '90d',
    filter_bots: false,
    filter_self_referrers: false,
    list_views: [],
    root_redirect_url: 'https://example.com/home',
    not_found_url: null,
  })
  await page.reload()
  await page.getByText('1,073,741,824 possible slugs').waitFor()
  expect(await page.getByRole('textbox', { name: 'Root redirect' }).inputValue()).toBe(
    'https://example.com/home',
  )
  await page.getByRole('textbox', { name: 'Root redirect' }).fill('')
  await page.getByRole('textbox', { name: 'Length of automatic slugs' }).fill('128')
  await page.getByText('≈ 4.6 × 10¹⁹² possible slugs').waitFor()
  await untilStored('root_redirect_url', null)
  expect(errors).toEqual([])
}, 60_000)

test('theme and language apply at once, and before the first paint of the next visit', async () => {
  const { page, errors } = await admin.open('/settings')
  const scheme = () => page.evaluate(() => document.documentElement.dataset['mantineColorScheme'])
  expect(await scheme()).toBe('light')
  await page.getByText('Dark', { exact: true }).click()
  await page.locator('html[data-mantine-color-scheme=dark]').waitFor()
  await page.getByRole('combobox', { name: 'Language' }).selectOption('Svenska')
  await page.getByRole('heading', { name: 'Inställningar' }).waitFor()
  await untilStored('lang', 'sv')
  await page.reload()
  await page.getByRole('heading', { name: 'Inställningar' }).waitFor()
  expect([await scheme(), await page.evaluate(() => document.documentElement.lang)]).toEqual(['dark', 'sv'])
  await page.getByRole('combobox', { name: 'Språk' }).selectOption('Samma som webbläsaren')
  await page.getByRole('heading', { name: 'Settings' }).waitFor()
  await page.getByText('Auto', { exact: true }).click()
  await page.locator('html[data-mantine-color-scheme=light]').waitFor()
  await untilStored('theme', null)
  expect(errors).toEqual([])
}, 60_000)

test('a value that cannot be saved is reported beside its field and stays typed', async () => {
  const { page } = await admin.open('/settings')
  const root = page.getByRole('textbox', { name: 'Root redirect' })
  await root.fill('javascript:alert(1)')
  await root.blur()
  await page.getByText('Enter a valid http or https URL.').waitFor()
  expect([await root.inputValue(), await root.getAttribute('aria-invalid')]).toEqual([
    'javascript:alert(1)',
    'true',
  ])
  const before = (await readSettings())['slug_default_length']
  const length = page.getByRole('textbox', { name: 'Length of automatic slugs' })
  await length.fill('2')
  await page.getByText('Enter a whole number from 3 to 128.').waitFor()
  await length.fill('129')
  await page.getByText('Enter a whole number from 3 to 128.').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'settings-errors')
  expect(await readSettings()).toMatchObject({ slug_default_length: before, root_redirect_url: null })

  await page.context().setOffline(true)
  const bots = page.getByRole('switch', { name: 'Hide bot clicks' })
  const wasOn = await bots.isChecked()
  await bots.click()
  await page.getByText('Can’t reach the service. Check your connection.').waitFor()
  await untilChecked(bots, wasOn)
}, 60_000)

test('L18.9: a time zone applies at once and on every later page, and the browser’s applies without one', async () => {
  const { page, errors } = await admin.open('/settings')
  const zone = page.getByRole('combobox', { name: 'Time zone' })
  const own = Intl.DateTimeFormat().resolvedOptions().timeZone
  await zone.locator('option', { hasText: `Same as the browser (${own})` }).waitFor({ state: 'attached' })
  expect(await zone.inputValue()).toBe('')
  await zone.selectOption({ label: 'Apia' })
  await page.getByText(/^Used for all dates and times\. It’s now .+ GMT\+13\.$/).waitFor()
  await untilStored('time_zone', 'Pacific/Apia')
  await page.getByRole('button', { name: 'Create link' }).click()
  await page.getByText('Pacific/Apia (GMT+13)', { exact: true }).waitFor()

  await admin.call('POST', '/links', { url: 'https://example.com/', slug: 'apia', expires_at: 4_000_000_000 })
  const [link] = await read<{ id: number }[]>(admin, '/links')
  await page.goto(admin.at(`/links/${link?.id}`))
  // 07:06:40 UTC.
  await page.getByText('Oct 2, 2096, 8:06 PM GMT+13', { exact: true }).waitFor()
  const analytics = page.waitForRequest((request) => request.url().includes('/api/analytics?'))
  await page.reload()
  expect(new URL((await analytics).url()).searchParams.get('tz')).toBe('Pacific/Apia')
  await page.getByRole('button', { name: 'Edit expiry' }).click()
  const field = page.getByLabel('Expires', { exact: true })
  expect(await field.inputValue()).toBe('2096-10-02T20:06')
  await field.fill('2096-10-03T00:30')
  await page.getByRole('button', { name: 'Save' }).click()
  await field.waitFor({ state: 'detached' })
  expect(await read(admin, `/links/${link?.id}`)).toMatchObject({
    expires_at: Date.parse('2096-10-02T11:30Z') / 1000,
  })

  await admin.visit(page, '/settings')
  await zone.selectOption('')
  await untilStored('time_zone', null)
  expect(await page.getByText('GMT+13').count()).toBe(0)
  expect(errors).toEqual([])
}, 60_000)

test('two refused saves of one setting leave the value of the server', async () => {
  const { page } = await admin.open('/settings')
  const bots = page.getByRole('switch', { name: 'Hide bot clicks' })
  await bots.waitFor({ state: 'attached' })
  const before = (await readSettings())['filter_bots']
  expect(await bots.isChecked()).toBe(before === true)
  const held = Promise.withResolvers<undefined>()
  let saves = 0
  await page.route('**/api/settings', async (route) => {
    if (route.request().method() !== 'PUT') return route.continue()
    saves++
    await held.promise
    return route.fulfill({ status: 503, json: { error: 'Busy' } })
  })
  await bots.click()
  await bots.click()
  const reread = page.waitForResponse((answer) => answer.request().method() === 'GET' && saves === 2)
  held.resolve(undefined)
  await page.getByText('Temporarily unavailable.').waitFor()
  await (await reread).finished()
  await untilChecked(bots, before === true)
  await page.unroute('**/api/settings')
  await bots.click()
  await untilStored('filter_bots', before !== true)
  await untilChecked(bots, before !== true)
}, 60_000)

test('two changes in quick succession both hold', async () => {
  const { page } = await admin.open('/settings')
  await page.getByText('Light', { exact: true }).click()
  await choose(page, 'Default range', '7 days')
  await untilStored('default_range', '7d')
  await untilStored('theme', 'light')
  await untilChecked(page.getByRole('radio', { name: 'Light' }), true)
  await admin.call('PUT', '/settings', { theme: null })
}, 60_000)

test('the settings name the person and the instance, and link to the pages for programs', async () => {
  const { page } = await admin.open('/settings')
  await page.getByText('admin@localhost').waitFor()
  await page.getByText(new URL('/_/mcp', admin.at('')).href).waitFor()
  await page.getByText('Assistants on this machine, no sign-in needed').waitFor()
  const instance = page.locator('section', { has: page.getByRole('textbox', { name: 'Root redirect' }) })
  await instance.getByText('Applies to everyone').waitFor()
  expect(await page.getByText('Applies to everyone').count()).toBe(1)
  const signOut = page.getByRole('link', { name: 'Sign out' })
  expect(await signOut.getAttribute('href')).toBe('/_/admin/logout')
  const logout = await fetch(admin.at('/logout'), { redirect: 'manual' })
  expect([logout.status, logout.headers.get('location')]).toEqual([302, 'https://access.example/logout'])
}, 120_000)

const BY_HEADER = { LINKS_ACCESS: 'header', LINKS_ACCESS_HEADER: 'X-Who', TRUSTED_PROXIES: '127.0.0.1' }
const ANN = { 'X-Who': 'ann@example.com' }

for (const [words, environment, on, toastText] of [
  ['is off', {}, 'Off', 'To connect assistants, set MCP_OAUTH_ISSUER, MCP_ACCESS_AUDIENCE or MCP_API_KEYS.'],
  [
    'admits by OAuth and by API keys',
    {
      MCP_OAUTH_ISSUER: 'https://login.example.com',
      MCP_OAUTH_AUDIENCE: 'https://go.example.com/_/mcp',
      MCP_API_KEYS: 'on',
    },
    'On',
    'OAuth sign-in · API keys',
  ],
] as const)
  describe(`where MCP ${words}`, () => {
    const behindProxy = openAdminPages({ ...BY_HEADER, ...environment }, ANN)

    test('the settings state so, to the person that the proxy names', async () => {
      const { page, errors } = await behindProxy.open('/settings')
      await page.getByText('ann@example.com').waitFor()
      await page.getByText(toastText, { exact: true }).waitFor()
      await page.getByText(on, { exact: true }).waitFor()
      expect(await page.getByText('Assistants on this machine').count()).toBe(0)
      // Without an access layer, the button to sign out is missing.
      expect(await page.getByRole('link', { name: 'Sign out' }).count()).toBe(0)
      expect(errors).toEqual([])
    }, 60_000)
  })

test('L47.1: the page shows an expiry that is no number of days, and again once another is refused', async () => {
  const defaults = { domain: null, bundle: null, expires_in: 5400, forward_query: null }
  await admin.call('PUT', '/defaults', defaults)
  const { page } = await admin.open('/settings')
  const expiry = page.getByLabel('Expires', { exact: true })
  await expiry.getByText('in 90 minutes').waitFor({ state: 'attached' })
  expect(await expiry.inputValue()).toBe('5400')
  await page.route('**/api/defaults', (route) =>
    route.request().method() === 'PUT'
      ? route.fulfill({ status: 404, json: { error: 'Bundle not found', code: 'bundle_not_found' } })
      : route.continue(),
  )
  await expiry.selectOption('After 7 days')
  await page.getByRole('alert').waitFor()
  expect(await expiry.inputValue()).toBe('5400')
  expect(await read<object>(admin, '/defaults')).toEqual(defaults)
}, 60_000)
