import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { waitFor } from '../actions.ts'
import { failRequests, openLinkPages, waitForLinkPage } from './link-page.ts'

const { admin, linkIds, open } = openLinkPages()

test('statistics belong to the range in the address, and long lists have pages', async () => {
  const { page } = await open('sale', '?range=all')
  const figure = (name: string) =>
    page
      .locator('main .mantine-Paper-root', { has: page.getByText(name, { exact: true }) })
      .first()
      .innerText()
  expect(await figure('Clicks')).toContain('600')
  const countries = page.locator('main .mantine-Paper-root', {
    has: page.getByRole('heading', { name: 'Countries' }),
  })
  await countries.locator('li').nth(9).waitFor()
  const first = await countries.locator('li').allInnerTexts()
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^11–/).waitFor()
  // The first page stays, dimmed, until the second arrives.
  await countries.locator('[aria-busy="false"]').waitFor()
  const second = await countries.locator('li').allInnerTexts()
  expect(first).toHaveLength(10)
  expect(second.length).toBeGreaterThan(0)
  expect(first.filter((row) => second.includes(row))).toEqual([])
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('7D').click()
  await page.waitForURL(/range=7d/)
  await waitFor(
    () => figure('Clicks'),
    (text) => !text.includes('600'),
  )
  // The list restarts at its first page.
  await countries.getByText(/^1–10 of/).waitFor()
  expect(await countries.locator('li').count()).toBe(10)
  const gone = Promise.withResolvers<undefined>()
  await page.route(/breakdown.*offset=10/, async (route) => {
    await gone.promise
    await route.fulfill({ json: { items: [], total: 10 } })
  })
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^11–/).waitFor()
  gone.resolve(undefined)
  await countries.getByText(/^1–10 of/).waitFor()
}, 60_000)

test('L18.5: statistics that partly fail state the reason beside the others, and can be requested again', async () => {
  const { page } = await admin.open('/links')
  let restore = await failRequests(page, /api.*timeline/)
  await page.goto(admin.at(`/links/${linkIds['sale']}?range=all`))
  await page.getByRole('heading', { name: 'This could not be shown' }).waitFor()
  await page.getByText('Something went wrong.').waitFor()
  await waitForLinkPage(page)
  const main = page.locator('main')
  expect(await main.locator('.mantine-Skeleton-root').count()).toBe(0)
  expect(await main.innerText()).toMatch(/Average a day\s+–/)
  expect(await main.innerText()).toMatch(/Clicks\s+600/)
  await screenshot(page, 'link-no-timeline')
  await expectAccessible(page)
  await restore()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.bars-bar').first().waitFor({ state: 'attached' })
  expect(await page.getByText('This could not be shown').count()).toBe(0)
  restore = await failRequests(page, /api.*analytics/, 503)
  await page.reload()
  await page.getByText('Temporarily unavailable.').waitFor()
  await page.getByRole('heading', { name: 'Slugs' }).waitFor()
  expect(await main.locator('.mantine-Skeleton-root').count()).toBe(0)
  // The page makes no statement about how the link was reached, not even that there were no clicks.
  expect(await page.getByRole('heading', { name: 'Access' }).count()).toBe(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'link-no-figures-390')
  await expectAccessible(page)
  await restore()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Access' }).waitFor()
}, 60_000)

test('L18.5: a page of a list that fails states so and keeps the buttons to the other pages', async () => {
  const { page } = await admin.open('/links')
  let restore = await failRequests(page, /dimension=countries&offset=0/)
  await page.goto(admin.at(`/links/${linkIds['sale']}?range=all`))
  const countries = page.locator('main .mantine-Paper-root', {
    has: page.getByRole('heading', { name: 'Countries' }),
  })
  const failed = countries.getByRole('alert')
  await failed.getByText('There may be more').waitFor()
  expect(await countries.locator('li').count()).toBe(10)
  await screenshot(page, 'link-list-unknown')
  await restore()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await countries.getByText(/^1–10 of/).waitFor()
  restore = await failRequests(page, /dimension=countries&offset=10/)
  await countries.getByRole('button', { name: 'Next' }).click()
  await failed.getByText('Something went wrong.').waitFor()
  await countries.getByText(/^11–/).waitFor()
  expect(await countries.getByText('Nothing in this period').count()).toBe(0)
  expect(await countries.locator('li').count()).toBe(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'link-list-failed-390')
  await expectAccessible(page)
  await countries.getByRole('button', { name: 'Previous' }).click()
  await countries.getByText(/^1–10 of/).waitFor()
  expect(await countries.locator('li').count()).toBe(10)
  await restore()
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^11–/).waitFor()
  await countries.locator('[aria-busy="false"] li').first().waitFor()
  expect(await failed.count()).toBe(0)
}, 60_000)
