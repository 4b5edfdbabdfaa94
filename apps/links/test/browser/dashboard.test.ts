import { beforeAll, expect, test } from 'bun:test'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type LinkJson, clickLink, createBundle, createLink, recordClicks } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const MINUTE = 60
const DAY = 24 * 60 * MINUTE
const HOSTILE = '<img src=x onerror=alert(1)>'
const LINKS = [
  'Spring sale',
  'Documentation',
  HOSTILE,
  'عرض الربيع ‮ evil',
  'W'.repeat(500),
  'Newsletter, November',
]
const COUNTRIES = ['SE', 'SE', 'SE', 'DE', 'DE', 'ID', 'US', 'BA', 'NO', null]
const REFERRERS = [
  null,
  null,
  'https://news.example.org/a',
  'https://www.example.com/',
  'https://an-unusually-long-name-of-a-host.that-goes-on-and-on.example.net/',
]

const links: LinkJson[] = []

/** Number of clicks this many days ago: a growing wave, equal in every run. */
const onDay = (age: number) => Math.max(1, Math.round(16 + 9 * Math.sin(age / 3) - age / 20))

beforeAll(async () => {
  for (const [index, label] of LINKS.entries()) {
    links.push(await createLink(admin, { url: `https://example.com/${index}`, label }))
  }
  const now = Math.floor(Date.now() / 1000)
  const clicks = Array.from({ length: 400 }, (_, age) =>
    Array.from({ length: onDay(age) }, (__, index) => {
      const link = links[(index * index + age) % links.length]
      return {
        slug: link?.slugs[0]?.slug ?? '',
        linkId: link?.id ?? 0,
        clickedAt: now - age * DAY - 10 * MINUTE - ((index * 3571) % (DAY - 20 * MINUTE)),
        referrer: REFERRERS[(index + age) % REFERRERS.length] ?? null,
        country: COUNTRIES[(index * 7 + age) % COUNTRIES.length] ?? null,
      }
    }),
  )
  await recordClicks(admin.databaseUrl, clicks.flat())
}, 90_000)

/** Waits for the bars. Without clicks they have no height. */
const waitForBars = (page: Page) => page.locator('.bars-bar').first().waitFor({ state: 'attached' })

/** The headline number with this name. */
const figure = async (page: Page, name: string): Promise<number> => {
  const metric = page.locator('.metric').filter({ has: page.getByText(name, { exact: true }) })
  const text = await metric.locator('.figure').first().innerText()
  return Number(text.replace(/\D/g, ''))
}

const clicksOf = (days: number) =>
  Array.from({ length: days }, (_, age) => onDay(age)).reduce((sum, count) => sum + count, 0)

test('the dashboard is accessible as table, wide and on a phone, in light and in dark', async () => {
  const { page, errors } = await admin.open('/dashboard')
  await waitForBars(page)
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('columnheader', { name: 'Time' }).waitFor()
  await expectAccessibleViews(page, 'dashboard-table')
  expect(errors).toEqual([])
}, 120_000)

test('L18 L24.8: the cards, the table and the range in the address describe the same window', async () => {
  const { page, errors } = await admin.open('/dashboard')
  await waitForBars(page)
  // The default range of the person, which is not set.
  expect(await page.getByRole('radio', { name: '30d' }).isChecked()).toBe(true)
  expect(await figure(page, 'Clicks')).toBe(clicksOf(30))
  expect(page.url()).not.toContain('range')
  const began = Date.now()
  await page.getByText('7d', { exact: true }).click()
  await page.waitForURL(/\?range=7d$/)
  await page.waitForFunction(
    (count) => document.querySelector('main')?.innerText.includes(`\n${count}\n`),
    clicksOf(7),
  )
  await page.getByRole('button', { name: 'Show as table' }).click()
  const rows = await page
    .getByRole('region', { name: 'Clicks over time' })
    .locator('tbody tr')
    .allInnerTexts()
  expect(rows).toHaveLength(8)
  const counts = rows.map((row) => Number(row.split('\t')[1]))
  expect(counts.reduce((sum, count) => sum + count, 0)).toBe(clicksOf(7))
  const day = new Intl.DateTimeFormat('en', { dateStyle: 'medium' })
  // Midnight may have passed in between.
  expect([began, Date.now()].some((at) => rows.at(-1)?.includes(day.format(at)))).toBeTrue()
  expect(rows.at(-1)).toContain('so far today')
  expect(rows.at(-2)).not.toContain('so far')
  await page.reload()
  await waitForBars(page)
  expect(await page.getByRole('radio', { name: '7d' }).isChecked()).toBe(true)
  expect(await figure(page, 'Clicks')).toBe(clicksOf(7))
  expect(errors).toEqual([])
}, 60_000)

test('every range has its buckets, also by keyboard', async () => {
  const { page, errors } = await admin.open('/dashboard?range=24h')
  await page.getByRole('radio', { name: '24h' }).focus()
  for (const range of ['7d', '30d', '90d', '1y', 'all']) {
    await page.keyboard.press('ArrowRight')
    await page.waitForURL((url) => url.searchParams.get('range') === range)
    await page.locator('[aria-busy="false"]').waitFor()
    await waitForBars(page)
    await screenshot(page, `dashboard-${range}`)
  }
  expect(errors).toEqual([])
}, 60_000)

test('the arrow keys announce the bars', async () => {
  const { page } = await admin.open('/dashboard?range=7d')
  await waitForBars(page)
  await page.locator('.bars svg').focus()
  const tip = page.locator('.bars').getByRole('status')
  await tip.getByText('Clicks').waitFor()
  const [first = ''] = (await tip.innerText()).split('\n')
  await page.keyboard.press('ArrowRight')
  await tip.filter({ hasNotText: first }).getByText('Clicks').waitFor()
  await page.keyboard.press('Home')
  await tip.filter({ hasText: first }).waitFor()
  await screenshot(page, 'dashboard-tooltip')
}, 60_000)

test('a link and a bundle without visitor hashes state so, and the time zone of their days', async () => {
  const bundleId = await createBundle(admin, { name: 'Of imported' }, [links[0]?.id])
  const { page } = await admin.open(`/links/${links[0]?.id}`)
  for (const path of [`/links/${links[0]?.id}`, `/bundles/${bundleId}`]) {
    await page.goto(admin.at(path))
    const card = page.locator('.metric').filter({ hasText: /^Visitors/ })
    await card.getByText('Not available for imported, older or anonymous clicks').waitFor()
    expect(await card.locator('.figure').innerText()).toBe('–')
    await waitForBars(page)
    await page.getByTitle(Intl.DateTimeFormat().resolvedOptions().timeZone, { exact: true }).waitFor()
    await screenshot(page, `unknown-visitors${path.replaceAll('/', '-')}`)
  }
  await page.context().close()
  await admin.call('DELETE', `/bundles/${bundleId}`, undefined)
}, 60_000)

test('L24.17: hostile labels are text and break nothing', async () => {
  const { page, errors } = await admin.open('/dashboard?range=1y', { width: 390 })
  await page.getByText(HOSTILE).first().waitFor()
  expect(await page.locator('main section img:not(.favicon)').count()).toBe(0)
  expect(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)).toBeLessThanOrEqual(0)
  expect(errors).toEqual([])
}, 60_000)

test('text typed while a URL is shortened stays', async () => {
  const { page } = await admin.open('/dashboard')
  const sent = Promise.withResolvers<undefined>()
  const typed = Promise.withResolvers<undefined>()
  await page.route('**/api/links', async (route) => {
    sent.resolve(undefined)
    await typed.promise
    return route.continue()
  })
  const input = page.getByRole('textbox', { name: 'Paste a URL, or type to search' })
  await input.fill('https://example.com/slow')
  await page.keyboard.press('Enter')
  await sent.promise
  await input.fill('https://example.com/next')
  typed.resolve(undefined)
  await page.getByText('Your short link is ready').waitFor()
  expect(await input.inputValue()).toBe('https://example.com/next')
}, 60_000)

test('a URL is shortened at once, other words are searched for, and a refusal keeps the input', async () => {
  const { page } = await admin.open('/dashboard')
  const input = page.getByRole('textbox', { name: 'Paste a URL, or type to search' })
  await input.fill('https://example.com/made-here')
  await page.keyboard.press('Enter')
  await page.getByText('Your short link is ready').waitFor()
  const short = await page.getByRole('status').getByRole('link').first().getAttribute('href')
  const followed = await fetch(String(short), { redirect: 'manual' })
  expect(followed.headers.get('Location')).toBe('https://example.com/made-here')
  expect(await input.inputValue()).toBe('')
  await page
    .getByRole('status')
    .getByRole('button', { name: `Copy ${short}` })
    .waitFor()
  await expectAccessible(page)
  await screenshot(page, 'dashboard-made')
  await input.fill('example.com/made-here')
  await page.keyboard.press('Enter')
  await page.getByText('You already have a short link for this').waitFor()
  await input.fill('ftp://example.com/x')
  await page.keyboard.press('Enter')
  await page.getByText('Enter a valid http or https URL.').waitFor()
  expect(await input.inputValue()).toBe('ftp://example.com/x')
  await input.fill('Spring & sale')
  await page.getByRole('button', { name: 'Search', exact: true }).click()
  await page.waitForURL((url) => url.pathname.endsWith('/links'))
  expect(new URL(page.url()).searchParams.get('search')).toBe('Spring & sale')
}, 60_000)

test('a click appears without an interaction, and text being typed stays', async () => {
  const { page } = await admin.open('/dashboard?range=24h')
  await waitForBars(page)
  const before = await figure(page, 'Clicks')
  const input = page.getByRole('textbox', { name: 'Paste a URL, or type to search' })
  await input.fill('half a tho')
  await clickLink(admin, links[1]?.slugs[0]?.slug ?? '')
  await page.waitForFunction(
    (count) => document.querySelector('main')?.innerText.includes(`\n${count}\n`),
    before + 1,
  )
  expect(await input.inputValue()).toBe('half a tho')
  expect(await input.evaluate((field) => field === document.activeElement)).toBe(true)
}, 60_000)

test('unavailable statistics are reported as missing, with the reason and a retry; the rest of the page works', async () => {
  const { page } = await admin.open('/keys')
  let works = false
  await page.route('**/api/analytics?*', (route) =>
    works
      ? route.continue()
      : route.fulfill({
          status: 503,
          contentType: 'application/json',
          body: '{"error":"Storage unavailable"}',
        }),
  )
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('heading', { name: 'Couldn’t load this' }).waitFor()
  await page.getByText('Temporarily unavailable. Try again later.').waitFor()
  expect(await page.locator('main .mantine-Skeleton-root').count()).toBe(0)
  await screenshot(page, 'dashboard-error')
  works = true
  await page.getByRole('button', { name: 'Try again' }).click()
  await waitForBars(page)
  expect(await page.getByRole('heading', { name: 'Couldn’t load this' }).count()).toBe(0)
  // A new link causes the statistics to be read again. This therefore comes after the test of the
  // button.
  works = false
  // The first statistics of the dashboard come with its HTML.
  await page.goto(admin.at('/dashboard?compare=none'))
  await page.getByRole('heading', { name: 'Couldn’t load this' }).waitFor()
  await page
    .getByRole('textbox', { name: 'Paste a URL, or type to search' })
    .fill('https://example.com/made-while-broken')
  await page.keyboard.press('Enter')
  await page.getByText('Your short link is ready').waitFor()
}, 60_000)

test('the dashboard is translated, including countries, and its hint fits on a phone', async () => {
  const { page } = await admin.open('/keys', { width: 390 })
  for (const [lang, country] of [
    ['en', 'Germany'],
    ['sv', 'Tyskland'],
    ['id', 'Jerman'],
  ] as const) {
    await admin.call('PUT', '/settings', { lang })
    await page.goto(admin.at('/dashboard'))
    await page.locator('.row-name').getByText(country).waitFor()
    const room = await page.locator('main input[placeholder]').evaluate((field: HTMLInputElement) => {
      const { font, paddingInlineStart, paddingInlineEnd } = getComputedStyle(field)
      const pen = document.createElement('canvas').getContext('2d')
      if (pen) pen.font = font
      const width =
        field.clientWidth - Number.parseFloat(paddingInlineStart) - Number.parseFloat(paddingInlineEnd)
      return width - (pen?.measureText(field.placeholder).width ?? Number.POSITIVE_INFINITY)
    })
    expect(room).toBeGreaterThanOrEqual(0)
    await screenshot(page, `dashboard-${lang}-390`)
  }
  await admin.call('PUT', '/settings', { lang: null })
}, 60_000)

test('L40: clicks appear as they happen, and the list can be paused to be read', async () => {
  const slug = links[0]?.slugs.at(-1)?.slug ?? ''
  const { page } = await admin.open('/dashboard')
  const panel = page.getByRole('region', { name: 'Live clicks' })
  await panel.getByRole('listitem').first().waitFor()
  const newest = panel.getByRole('listitem').first()
  await clickLink(admin, slug)
  await newest.getByText(`/${slug}`).waitFor()
  await newest.getByText('Chrome').waitFor()
  await panel.getByRole('button', { name: 'Pause' }).click()
  const paused = await panel.getByRole('listitem').allInnerTexts()
  const other = links[1]?.slugs.at(-1)?.slug ?? ''
  await clickLink(admin, other)
  await panel.getByRole('button', { name: 'Resume' }).waitFor()
  expect(await panel.getByRole('listitem').count()).toBe(paused.length)
  await panel.getByRole('button', { name: 'Resume' }).click()
  await newest.getByText(`/${other}`).waitFor()
  await newest.getByRole('link').click()
  await page.waitForURL(admin.at(`/links/${links[1]?.id}`))
}, 60_000)
