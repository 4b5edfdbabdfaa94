import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { DESKTOP, recordClicks, waitFor } from '../actions.ts'
import { failRequests, openLinkPages, waitForLinkPage } from './link-page.ts'

const { admin, linkIds, create, open } = openLinkPages()

const figure = (page: Page, name: string) =>
  page
    .locator('.metric', { has: page.getByText(name, { exact: true }) })
    .locator('.figure')
    .first()
    .innerText()

async function openCountries(page: Page) {
  await page.getByRole('button', { name: 'Details: Countries' }).click()
  return page.getByRole('dialog', { name: 'Countries' })
}

test('statistics belong to the range in the address, and long lists have pages', async () => {
  const { page } = await open('sale', '?range=all')
  expect(await figure(page, 'Clicks')).toBe('600')
  expect(await page.getByRole('region', { name: 'Locations' }).locator('li').count()).toBeLessThan(11)
  const countries = await openCountries(page)
  await countries.locator('li').nth(19).waitFor()
  const first = await countries.locator('.row-name').allInnerTexts()
  await expectAccessible(page)
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^21–/).waitFor()
  // The first page stays, dimmed, until the second arrives.
  await countries.locator('[aria-busy="false"]').waitFor()
  const second = await countries.locator('.row-name').allInnerTexts()
  expect(second.length).toBeGreaterThan(0)
  expect(first.filter((name) => second.includes(name))).toEqual([])
  await page.keyboard.press('Escape')
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('7d').click()
  await page.waitForURL(/range=7d/)
  await waitFor(
    () => figure(page, 'Clicks'),
    (text) => text !== '600',
  )
}, 60_000)

test('L18.5: missing statistics state the reason, the slugs stay, and they can be requested again', async () => {
  const { page } = await admin.open('/links')
  const restore = await failRequests(page, /api\/analytics\?/, 503)
  await page.goto(admin.at(`/links/${linkIds['sale']}?range=all`))
  await page.getByRole('heading', { name: 'Couldn’t load this' }).waitFor()
  await page.getByText('Temporarily unavailable.').waitFor()
  await waitForLinkPage(page)
  const main = page.locator('main')
  expect(await main.locator('.mantine-Skeleton-root').count()).toBe(0)
  // The page makes no statement about clicks, not even that there were none.
  expect(await main.locator('.metric, .rows').count()).toBe(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'link-no-figures-390')
  await restore()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.bars-bar').first().waitFor({ state: 'attached' })
  expect(await page.getByText('Couldn’t load this').count()).toBe(0)
}, 60_000)

test('L18.5: a page of a list that fails states so and keeps the buttons to the other pages', async () => {
  const { page } = await open('sale', '?range=all')
  const restore = await failRequests(page, /dimension=country&offset=20/)
  const countries = await openCountries(page)
  await countries.getByText(/^1–20 of/).waitFor()
  await countries.getByRole('button', { name: 'Next' }).click()
  const failed = countries.getByRole('alert')
  await failed.getByText('Something went wrong.').waitFor()
  expect(await countries.locator('li').count()).toBe(0)
  await countries.getByRole('button', { name: 'Previous' }).click()
  await countries.getByText(/^1–20 of/).waitFor()
  await countries.locator('li').first().waitFor()
  await restore()
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^21–/).waitFor()
  await countries.locator('[aria-busy="false"] li').first().waitFor()
  expect(await failed.count()).toBe(0)
}, 60_000)

test('L18.8: a click on a value filters, in the address as well, and Back undoes it', async () => {
  const { page, errors } = await open('sale', '?range=all')
  const row = page.getByRole('region', { name: 'Locations' }).getByRole('button', { name: /^Sweden/ })
  await row.focus()
  await page.keyboard.press('Enter')
  await page.waitForURL(/\?range=all&country=SE$/)
  const chips = page.getByRole('list', { name: 'Filters' })
  await chips.getByText('Country: Sweden').waitFor()
  expect(await row.getAttribute('aria-pressed')).toBe('true')
  await expectAccessible(page)
  await page.goBack()
  await chips.waitFor({ state: 'detached' })
  await page.goForward()
  await chips.getByRole('button', { name: 'Remove filter Sweden' }).click()
  await page.waitForURL(/\?range=all$/)
  expect(await page.getByRole('list', { name: 'Filters' }).count()).toBe(0)
  expect(errors).toEqual([])
}, 60_000)

test('L14.13 L18.8: clicks of a link with rules are filtered by the destination that they had', async () => {
  const id = await create('routed', { slug: 'routed' })
  const now = Math.floor(Date.now() / 1000)
  const variants = [null, '1', '1', '0.2', '2.1']
  await recordClicks(
    admin.databaseUrl,
    variants.map((variant, n) => ({
      slug: 'routed',
      linkId: id,
      clickedAt: now - n,
      userAgent: DESKTOP,
      variant,
    })),
  )
  const { page, errors } = await open('routed', '?range=all')
  const panel = page.getByRole('region', { name: 'Destinations' })
  await panel.getByRole('button', { name: /^Rule 1.*2/ }).click()
  await page.waitForURL(/\?range=all&variant=1$/)
  await page.getByRole('list', { name: 'Filters' }).getByText('Destination: Rule 1').waitFor()
  await waitFor(
    () => figure(page, 'Clicks'),
    (text) => text === '2',
  )
  await screenshot(page, 'link-variant')
  await page.goBack()
  for (const name of ['Part 2 of the split', 'Rule 2, part 1', 'The link’s own URL'])
    await panel.getByRole('button', { name }).waitFor()
  expect(errors).toEqual([])
  // Numbers of rules mean nothing on pages of several links, and nothing without rules.
  expect(await (await open('sale')).page.getByRole('region', { name: 'Destinations' }).count()).toBe(0)
}, 60_000)

test('L18.8: bars are selected by keyboard, and the window of the selection is in the address', async () => {
  const { page } = await open('sale', '?range=30d')
  await page.locator('.bars svg').focus()
  await page.keyboard.press('Home')
  for (const key of ['ArrowRight', 'Shift+ArrowRight', 'Shift+ArrowRight', 'Enter'])
    await page.keyboard.press(key)
  await page.waitForURL(/\?from=\d+&to=\d+$/)
  const query = new URL(page.url()).searchParams
  expect(Number(query.get('to')) - Number(query.get('from')) + 1).toBe(3 * 86_400)
  expect(await page.getByRole('radio', { checked: true }).count()).toBe(0)
  await page.goBack()
  await page.waitForURL(/\?range=30d$/)
}, 60_000)

test('the comparison is a column of the table and can be switched off', async () => {
  const { page } = await open('sale', '?range=7d')
  await page.locator('.bars-comparison').waitFor({ state: 'attached' })
  await page.getByRole('button', { name: 'Show as table' }).click()
  await page.getByRole('columnheader', { name: 'Comparison' }).waitFor()
  await page.getByRole('combobox', { name: 'Compare with' }).selectOption('none')
  await page.waitForURL(/compare=none/)
  await page.getByRole('columnheader', { name: 'Comparison' }).waitFor({ state: 'detached' })
}, 60_000)
