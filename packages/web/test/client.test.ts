import { afterAll, beforeAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { clientFiles } from '@latchkey/web/serve'
import {
  expectAccessible,
  expectAccessibleViews,
  expectFingerSized,
  expectWithinWidth,
  screenshot,
  testBrowser,
} from '@latchkey/web/testing/browser'

// The strictest policy under which clients work.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'"

const caches = mkdtempSync(join(tmpdir(), 'latchkey-client-'))
const sources = join(import.meta.dirname, 'client')
const files = clientFiles({
  name: 'things',
  build: join(sources, 'build.ts'),
  sources,
  assets: '/assets/',
  caches,
})
const browser = testBrowser({ 'Accept-Language': 'en' }, { blank: '/favicon.svg' })

let refuse: Record<string, unknown> = {}
let status = 409
let lang: string | null = null
const requests: { path: string; token: string | null; body: unknown }[] = []

async function answer(request: Request): Promise<Response> {
  const { pathname } = new URL(request.url)
  if (pathname === '/favicon.svg')
    return new Response('<svg xmlns="http://www.w3.org/2000/svg"/>', {
      headers: { 'Content-Type': 'image/svg+xml' },
    })
  if (pathname.startsWith('/api/')) {
    requests.push({ path: pathname, token: request.headers.get('x-csrf-token'), body: await request.json() })
    return Response.json(refuse, { status })
  }
  if (pathname.startsWith('/assets/'))
    return (await files.asset(request, pathname)) ?? new Response(null, { status: 404 })
  return new Response(
    await files.page({ lang, acceptLanguage: request.headers.get('accept-language'), scheme: null }),
    {
      headers: { 'Content-Type': 'text/html; charset=utf-8', 'Content-Security-Policy': POLICY },
    },
  )
}

const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: answer })
const open = (path: string, view?: Parameters<typeof browser.open>[1]) =>
  browser.open(new URL(path, server.url).href, view)

beforeAll(() => files.built(), 60_000)
afterAll(async () => {
  await server.stop(true)
  rmSync(caches, { recursive: true, force: true })
})

test('a client of a few lines is accessible under a strict policy, wide and narrow, in light and in dark', async () => {
  const { page, errors } = await open('/')
  for (const path of ['/', '/login', '/things/a-1', '/list', '/nowhere', '/broken']) {
    await page.goto(new URL(path, server.url).href)
    await page.locator('h1').waitFor()
    await expectAccessibleViews(page, `client${path.replaceAll('/', '-')}`, [1280, 320])
    // React logs the error that a page throws; there are no other errors.
    expect([path, errors.filter((text) => !text.includes('Broken on purpose'))]).toEqual([path, []])
  }
}, 120_000)

test('the navigation lists pages with an icon, marks the current one, and is absent if no page has an icon', async () => {
  const { page } = await open('/')
  const navigation = page.getByRole('navigation', { name: 'Pages' })
  expect(await navigation.getByRole('link').allInnerTexts()).toEqual(['All things'])
  expect(await navigation.getByRole('link').getAttribute('aria-current')).toBe('page')
  await page.getByRole('link', { name: 'a-1' }).click()
  await page.locator('h1:focus', { hasText: 'a-1' }).waitFor()
  expect(await page.title()).toBe('a-1 · Things')
  expect(await navigation.locator('[aria-current]').count()).toBe(0)
  await page.goto(new URL('/login?out', server.url).href)
  await page.getByRole('heading', { name: 'Sign in' }).waitFor()
  expect(await page.getByRole('navigation').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Open the menu' }).count()).toBe(0)
}, 60_000)

test('on a phone the focus enters the navigation only while it is open', async () => {
  const { page } = await open('/things/a-1', { width: 390 })
  /** Names of the elements that take the focus one after the other. All must be visible. */
  const tabThrough = async (times: number) => {
    const names: string[] = []
    for (; times > 0; times--) {
      await page.keyboard.press('Tab')
      const { name, isSeen } = await page.evaluate(() => {
        const focused = document.activeElement as HTMLElement
        const { left, right, top, bottom } = focused.getBoundingClientRect()
        return {
          name: focused.ariaLabel ?? focused.innerText,
          isSeen: left >= 0 && right <= innerWidth && top >= 0 && bottom <= innerHeight,
        }
      })
      expect([name, isSeen]).toEqual([name, true])
      names.push(name)
    }
    return names
  }
  expect(await tabThrough(4)).toEqual(['Skip to the content', 'Open the menu', '', 'Cancel'])
  const burger = page.getByRole('button', { name: 'Open the menu' })
  expect(await burger.getAttribute('aria-expanded')).toBe('false')
  await burger.focus()
  await page.keyboard.press('Enter')
  await page.getByRole('button', { name: 'Close the menu', expanded: true }).waitFor()
  expect(await tabThrough(1)).toEqual(['All things'])
  await expectAccessible(page)
  await screenshot(page, 'client-menu-390')
  // The content below the menu cannot take the focus.
  await page.keyboard.press('Tab')
  expect(await page.locator('main :focus').count()).toBe(0)
}, 60_000)

for (const motion of [true, false])
  test(`menus and hints ${motion ? 'move' : 'appear at once with reduced motion'}`, async () => {
    const { page } = await open('/things/a-1', { width: 390, motion })
    const moved = await page.evaluateHandle(() => {
      const properties: string[] = []
      for (const type of ['transitionrun', 'animationstart'])
        addEventListener(type, ({ target }) => properties.push((target as Element).className), true)
      return properties
    })
    await page.getByRole('button', { name: 'Copy a-1' }).hover()
    await page.getByRole('tooltip').waitFor()
    await page.getByRole('button', { name: 'Open the menu' }).click()
    await page.getByRole('link', { name: 'All things' }).click()
    await page.locator('h1:focus', { hasText: 'All things' }).waitFor()
    expect((await moved.jsonValue()).length > 0).toBe(motion)
    await page.context().close()
  }, 60_000)

test('a number in a text selects the plural, and is formatted for the language', async () => {
  const { page } = await open('/things/a-1')
  await page.getByText('1 part of a-1, 12,345 parts of a-1').waitFor()
  lang = 'sv'
  await page.reload()
  lang = null
  await page.getByText('12\u00a0345 delar av a-1').waitFor()
}, 60_000)

test('a refusal is shown in the language of the person by its code, and with the text of the server if the code is unknown', async () => {
  lang = 'sv'
  const { page } = await open('/things/a-1')
  lang = null
  Object.assign(refuse, { error: 'The name is taken', code: 'name_taken' })
  await page.getByRole('textbox', { name: 'Name' }).fill('b')
  await page.getByRole('button', { name: 'Avbryt' }).click()
  await page.getByText('En annan sak heter så.').waitFor()
  expect(requests).toEqual([{ path: '/api/things/a-1', token: 'token', body: { name: 'b' } }])
  refuse = { error: 'Only in these words' }
  await page.getByRole('button', { name: 'Avbryt' }).click()
  await page.getByText('Only in these words').waitFor()
  status = 401
  await page.getByRole('button', { name: 'Avbryt' }).click()
  await page.getByRole('alert', { name: 'Du är utloggad' }).waitFor()
  expect(await page.getByRole('textbox', { name: 'Name' }).inputValue()).toBe('b')
}, 60_000)

test('a button that waits for its action keeps the focus, and does not start the action twice', async () => {
  const { page } = await open('/things/a-2')
  const calls = () => requests.filter(({ path }) => path === '/api/things/a-2').length
  let held = Promise.withResolvers<void>()
  await page.route('**/api/**', async (route) => {
    await held.promise
    await route.continue()
  })
  const button = page.getByRole('button', { name: 'Cancel' })
  const waiting = page.locator('button[data-loading]')
  await button.press('Enter')
  await waiting.and(page.locator(':focus')).waitFor()
  expect(await button.isDisabled()).toBe(true)
  await page.keyboard.press('Enter')
  held.resolve()
  await waiting.waitFor({ state: 'detached' })
  await button.and(page.locator(':focus')).waitFor()
  expect(await button.isDisabled()).toBe(false)
  expect(calls()).toBe(1)

  // Without the focus, it is disabled like any other button.
  held = Promise.withResolvers()
  await page.keyboard.press('Enter')
  await waiting.waitFor()
  await page.keyboard.press('Tab')
  await page.locator('button[data-loading]:disabled').waitFor()
  held.resolve()
  await waiting.waitFor({ state: 'detached' })
  expect(await page.locator('button:disabled').count()).toBe(0)
  expect(calls()).toBe(2)
}, 60_000)

test('a page that throws and an unknown address offer a next step', async () => {
  const { page } = await open('/broken')
  await page.getByRole('heading', { name: 'Couldn’t load this' }).waitFor()
  await page.getByRole('button', { name: 'Try again' }).waitFor()
  await page.goto(new URL('/nowhere', server.url).href)
  await page.getByRole('link', { name: 'To all things' }).click()
  await page.locator('h1:focus', { hasText: 'All things' }).waitFor()
}, 60_000)

test('Back goes through a list page by page, and leaves it in one step, however much was typed', async () => {
  const { page } = await open('/')
  await page.goto(new URL('/list', server.url).href)
  const search = page.getByRole('textbox', { name: 'Search' })
  await search.pressSequentially('abc')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText('Page 3').waitFor()
  await page.goBack()
  await page.getByText('Page 2').waitFor()
  await page.goBack()
  await page.getByText('Page 1').waitFor()
  expect(await search.inputValue()).toBe('abc')
  await page.goForward()
  await page.getByText('Page 2').waitFor()
  expect(new URL(page.url()).search).toBe('?q=abc&page=2')
  await page.goBack()
  await page.goBack()
  await page.getByRole('heading', { name: 'All things' }).waitFor()
}, 60_000)

test('an opened menu has the focus on its first item', async () => {
  const { page } = await open('/list')
  await page.getByRole('button', { name: 'More' }).press('Enter')
  await page.locator(':focus', { hasText: 'Rename' }).waitFor()
  await page.keyboard.press('ArrowDown')
  expect(await page.locator(':focus').innerText()).toBe('Delete')
}, 60_000)

test('a click outside a dialog closes it, unless text was typed into it', async () => {
  const { page } = await open('/list')
  const dialog = page.getByRole('dialog')
  const begin = async () => {
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('menuitem', { name: 'Rename' }).click()
    await dialog.getByRole('textbox').and(page.locator(':focus')).waitFor()
  }
  await begin()
  await page.mouse.click(5, 400)
  await dialog.waitFor({ state: 'detached' })
  await begin()
  await page.keyboard.type('b')
  await page.mouse.click(5, 400)
  expect(await dialog.getByRole('textbox').inputValue()).toBe('b')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
}, 60_000)

for (const scheme of ['light', 'dark'] as const)
  test(`elements that axe does not check have the contrast of AA as well: placeholders and delete items, ${scheme}`, async () => {
    const { page } = await open('/list', { scheme })
    await page.getByRole('button', { name: 'More' }).press('Enter')
    await expectAccessible(page)
    await page.getByRole('menuitem', { name: 'Delete' }).hover()
    await expectAccessible(page)
    await screenshot(page, `client-menu-${scheme}`)
    const contrast = await page.getByRole('textbox', { name: 'Search' }).evaluate((field) => {
      const light = (color: string) =>
        (color.match(/\d+/g) ?? [])
          .map((part) => Number(part) / 255)
          .map((part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4))
          .reduce((sum, part, place) => sum + part * ([0.2126, 0.7152, 0.0722][place] ?? 0), 0.05)
      const { color } = getComputedStyle(field, '::placeholder')
      const [one, other] = [light(color), light(getComputedStyle(field).backgroundColor)]
      return Math.max(one, other) / Math.min(one, other)
    })
    expect(contrast).toBeGreaterThan(4.5)
    await page.context().close()
  }, 60_000)

test('on a touch screen every control is large enough, and none covers another', async () => {
  const { page } = await open('/list', { width: 390, touch: true })
  await expectFingerSized(page)
  await expectWithinWidth(page)
  await screenshot(page, 'client-touch')
  await page.getByRole('combobox', { name: 'Size' }).tap()
  const size = page.getByRole('option', { name: 'Large' })
  await size.waitFor()
  expect((await size.boundingBox())?.height).toBeGreaterThanOrEqual(43.5)
  await size.tap()
  await page.getByRole('button', { name: 'More' }).tap()
  await page.getByRole('menuitem', { name: 'Rename' }).waitFor()
  expect(
    await page
      .getByRole('menuitem')
      .evaluateAll((items) => items.map((item) => item.getBoundingClientRect().height)),
  ).toEqual([44, 44])
  await page.getByRole('menuitem', { name: 'Rename' }).tap()
  await page.getByRole('dialog').getByRole('textbox').and(page.locator(':focus')).waitFor()
  await expectAccessible(page)
}, 60_000)
