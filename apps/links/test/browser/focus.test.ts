import { expect, test } from 'bun:test'
import { pressMenuItem, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { createKey, createLink } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const createLabelled = (label: string) => createLink(admin, { url: `https://example.com/${label}`, label })

/** The focus is on the element and stays there until the network is idle. */
async function expectFocus(page: Page, selector: string) {
  await page.locator(`${selector}:focus`).waitFor()
  await page.waitForLoadState('networkidle')
  expect(await page.evaluate((wanted) => document.activeElement?.matches(wanted), selector)).toBe(true)
}

for (const what of ['Disable', 'Delete'])
  test(`a bulk action is undone with the keyboard alone: ${what}`, async () => {
    await createLabelled(`${what} me`)
    const { page } = await admin.open(`/links?search=${what}`)
    await page.getByRole('checkbox', { name: `Select ${what} me` }).press('Space')
    await page.getByRole('button', { name: what, exact: true }).press('Enter')
    const undo = page.getByRole('button', { name: 'Undo' })
    await undo.and(page.locator(':focus')).waitFor()
    await page.keyboard.press('Enter')
    await undo.waitFor({ state: 'detached' })
    await page.getByRole('checkbox', { name: `Select ${what} me` }).waitFor()
    await page.locator('tbody').getByText('Disabled', { exact: true }).waitFor({ state: 'detached' })
    await expectFocus(page, 'main h1')
  }, 60_000)

test('a toast takes the focus neither from a mouse user nor from another element', async () => {
  await createLabelled('clicked')
  const { page } = await admin.open('/links?search=clicked')
  const undo = page.getByRole('button', { name: 'Undo' })
  await page.getByRole('checkbox', { name: 'Select clicked' }).click()
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await undo.waitFor()
  expect(await undo.and(page.locator(':focus')).count()).toBe(0)
  await page.getByRole('link', { name: 'clicked', exact: true }).click()
  await page.getByRole('button', { name: 'Actions for this link' }).press('Enter')
  await pressMenuItem(page, 'Enable')
  await page.getByText('Link enabled').waitFor()
  await expectFocus(page, '[aria-label="Actions for this link"]')
}, 60_000)

test('revoking a key leaves the focus in the table of keys, and revoking the last one on the heading', async () => {
  for (const title of ['One', 'Two', 'Three']) await createKey(admin, title)
  const { page } = await admin.open('/keys')
  for (const [title, place] of [
    ['Two', 'table'],
    ['One', 'table'],
    ['Three', 'main h1'],
  ] as const) {
    await page.getByRole('button', { name: `Revoke ${title}` }).press('Enter')
    await page.getByRole('dialog').locator(':focus').waitFor()
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke key' }).press('Enter')
    await page.getByRole('button', { name: `Revoke ${title}` }).waitFor({ state: 'detached' })
    await expectFocus(page, place)
  }
}, 60_000)

test('the result of a search is announced, and clearing the search focuses the heading', async () => {
  for (const label of ['told-a', 'told-b']) await createLabelled(label)
  const { page } = await admin.open('/links')
  const announcement = page.locator('main').getByRole('status')
  const search = page.getByRole('textbox', { name: 'Search label, slug, URL or owner' })
  await search.fill('told-a')
  await announcement.getByText('1 link', { exact: true }).waitFor()
  await search.fill('told-')
  await announcement.getByText('2 links', { exact: true }).waitFor()
  await search.fill('told-c')
  await announcement.getByText('No links match', { exact: true }).waitFor()
  await page.getByRole('button', { name: 'Clear search and filters' }).press('Enter')
  await page.locator('tbody tr').first().waitFor()
  await expectFocus(page, 'main h1')
}, 60_000)

test('a list that could not be read is an alert, and a retry keeps the focus', async () => {
  const { page } = await admin.open('/links?sort=clicks')
  await page.route('**/api/links?**', (route) => route.fulfill({ status: 503, json: {} }))
  await page.reload()
  const failed = page.getByRole('alert').filter({ hasText: 'Couldn’t load this' })
  await failed.waitFor()
  await screenshot(page, 'links-failed')
  await page.unroute('**/api/links?**')
  await failed.getByRole('button', { name: 'Try again' }).press('Enter')
  await page.locator('tbody tr').first().waitFor()
  await expectFocus(page, 'main h1')
  expect(await page.getByRole('alert').count()).toBe(0)
}, 60_000)
