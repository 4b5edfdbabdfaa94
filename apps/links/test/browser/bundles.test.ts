import { beforeAll, expect, test } from 'bun:test'
import {
  expectAccessible,
  expectAccessibleViews,
  keepToasts,
  screenshot,
} from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type LinkJson, createBundle, createLink, read, recordClicks } from '../actions.ts'
import { answerToast, openAdminPages, waitForContent } from './browser.ts'

const admin = openAdminPages()

const HOUR = 3600
const HOSTILE = '<img src=x onerror=alert(1)>'
const COUNTRIES = ['SE', 'SE', 'SE', 'DE', 'DE', 'ID', 'US', 'BA', 'NO', 'FI', 'DK', 'IS', 'FR', 'PL', null]

const links: Record<string, LinkJson> = {}
const bundles: Record<string, number> = {}

// oxlint-disable-next-line typescript/no-explicit-any -- answers are checked field by field
const get = (path: string): Promise<any> => read(admin, path)

async function createNamedBundle(name: string, rest: object, labels: readonly string[]) {
  const linkIds = labels.map((label) => links[label]?.id)
  bundles[name] = await createBundle(admin, { name, ...rest }, linkIds)
}

const LINKS = ['Spring sale', 'Newsletter', HOSTILE, 'عرض الربيع ‮ evil', 'W'.repeat(500), 'Never clicked']

beforeAll(async () => {
  for (const [index, label] of LINKS.entries())
    links[label] = await createLink(admin, {
      url: `https://example.com/a/long/way/to/${index}`,
      label,
    })
  for (let more = 0; more < 30; more++)
    links[`More ${more}`] = await createLink(admin, {
      url: `https://example.com/more/${more}`,
      label: `More ${more}`,
    })
  await createNamedBundle(
    'Spring campaign',
    { icon: '🌷', accent: 'green', description: 'Everything for spring.' },
    LINKS,
  )
  await createNamedBundle('Product launch', { icon: 'PL', accent: 'blue' }, ['Newsletter', 'Spring sale'])
  await createNamedBundle('Empty', { accent: 'purple' }, [])
  await createNamedBundle(HOSTILE, { icon: '<b>x', accent: 'red', description: 'W'.repeat(1900) }, [HOSTILE])
  await createNamedBundle('V'.repeat(120), { icon: '👩‍👩‍👧‍👦' }, ['Newsletter'])
  await createNamedBundle('Of Ann', { icon: 'Ann', accent: 'orange' }, ['Newsletter'])
  await createNamedBundle('Two pages', {}, Object.keys(links).slice(0, 26))
  await createNamedBundle('Last year', { icon: '📦' }, ['Spring sale'])
  await admin.call('POST', `/bundles/${bundles['Last year']}/archive`, undefined)
  const database = admin.database()
  database.run('UPDATE bundle SET created_by = ? WHERE id = ?', ['ann@example.com', bundles['Of Ann'] ?? 0])
  database.close()
  await createClicks()
}, 90_000)

/** Stores clicks over 100 days on all but the last of LINKS, most of them on the first. */
async function createClicks() {
  const now = Math.floor(Date.now() / 1000)
  const clicks = LINKS.slice(0, -1).flatMap((label, place) =>
    Array.from({ length: 900 / (place + 1) }, (_, index) => ({
      slug: links[label]?.slugs[0]?.slug ?? '',
      linkId: links[label]?.id ?? 0,
      clickedAt: now - 90 - Math.floor(((index * index * 37) % 2400) * HOUR * (index % 3 === 0 ? 1 : 0.25)),
      query: index % 5 === 0 ? 'utm_source=mail&utm_campaign=spring' : null,
      referrer: index % 3 === 0 ? 'https://news.example.org/a' : null,
      country: COUNTRIES[(index * 7 + place) % COUNTRIES.length] ?? null,
      visitorFp: String(index % 200).padStart(16, '0'),
    })),
  )
  await recordClicks(admin.databaseUrl, clicks)
}

const card = (page: Page, name: string) => page.locator('.bundle-card').filter({ hasText: name })
const detail = (name: string) => `/bundles/${bundles[name]}`

test('the page of a bundle is accessible with clicks, with hostile texts and without links, in light and in dark', async () => {
  const { page, errors } = await admin.open('/bundles?state=all')
  await card(page, 'Spring campaign').waitFor()
  await screenshot(page, 'bundles')
  for (const name of ['Spring campaign', HOSTILE, 'Empty']) {
    await page.goto(admin.at(detail(name)))
    await page.getByRole('heading', { name, level: 1, exact: true }).waitFor()
    await waitForContent(page)
    if (name !== 'Empty') await page.locator('.bars-bar').first().waitFor({ state: 'attached' })
    await expectAccessibleViews(page, `bundle-${name.replace(/\W/g, '')}`, [390])
  }
  expect(errors).toEqual([])
}, 120_000)

test('a bundle is created with the keyboard, and a refusal appears beside its field and keeps the input', async () => {
  const { page, errors } = await admin.open('/bundles')
  await page.getByRole('button', { name: 'New bundle' }).focus()
  await page.keyboard.press('Enter')
  const name = page.getByRole('textbox', { name: 'Name' })
  await name.and(page.locator(':focus')).waitFor()
  await name.fill('N'.repeat(121))
  await page.getByRole('textbox', { name: 'Description' }).fill('Kept')
  await page.getByRole('textbox', { name: 'Icon' }).fill('🚀')
  await page.getByRole('radio', { name: 'Purple' }).check()
  await page.keyboard.press('Enter')
  await page.getByText('Names can have at most 120 characters.').waitFor()
  expect(await name.getAttribute('aria-invalid')).toBe('true')
  expect(await page.getByRole('textbox', { name: 'Description' }).inputValue()).toBe('Kept')
  await screenshot(page, 'bundle-dialog')
  await expectAccessible(page)
  await name.fill('Rockets')
  await page.keyboard.press('Enter')
  await page.getByRole('heading', { name: 'Rockets', level: 1 }).waitFor()
  await page.getByText('No links in this bundle yet').waitFor()
  const rockets = await get(`/bundles/${new URL(page.url()).pathname.split('/').at(-1)}`)
  expect(rockets).toMatchObject({ name: 'Rockets', description: 'Kept', icon: '🚀', accent: 'purple' })
  // The browser logs the refusal itself.
  expect(errors.filter((text) => !text.includes('400'))).toEqual([])
}, 60_000)

test('a bundle is edited on its page, and an emptied description is cleared', async () => {
  await createNamedBundle('Typo', { description: 'Gone soon', accent: 'red' }, [])
  const { page } = await admin.open(detail('Typo'))
  await page.getByRole('button', { name: 'Actions for Typo' }).click()
  await page.getByRole('menuitem', { name: 'Edit' }).click()
  await page.getByRole('textbox', { name: 'Name' }).fill('Right')
  await page.getByRole('textbox', { name: 'Description' }).fill('')
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByRole('heading', { name: 'Right', level: 1 }).waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page
    .locator(':focus')
    .and(page.getByRole('button', { name: 'Actions for Right' }))
    .waitFor()
  expect(await get(`/bundles/${bundles['Typo']}`)).toMatchObject({
    name: 'Right',
    description: null,
    accent: 'red',
  })
}, 60_000)

test('links are found and added, also to a bundle of another owner, who alone removes and changes', async () => {
  const { page } = await admin.open(detail('Of Ann'))
  await page.getByRole('button', { name: 'Add links' }).click()
  await page.getByRole('textbox', { name: 'Search label, slug, URL or owner' }).fill('more 17')
  await page.getByRole('button', { name: 'Add More 17' }).click()
  await page.getByRole('button', { name: 'Added: More 17' }).waitFor()
  await screenshot(page, 'bundle-picker')
  await expectAccessible(page)
  await page.getByRole('textbox', { name: 'Search label, slug, URL or owner' }).fill('no such link')
  await page.getByText('No links match').waitFor()
  await page.getByRole('button', { name: 'Done', exact: true }).click()
  await page.getByRole('link', { name: 'More 17' }).waitFor()
  expect(await page.getByRole('button', { name: /^(Remove|Actions)/ }).count()).toBe(0)
  expect(await get(`/bundles/${bundles['Of Ann']}`)).toMatchObject({ link_count: 2 })
  await admin.visit(page, '/bundles')
  await card(page, 'Of Ann').waitFor()
  expect(await card(page, 'Of Ann').getByRole('button').count()).toBe(0)
}, 60_000)

test('a removed link comes back with Undo, and leaves the bundle when the toast is closed', async () => {
  await createNamedBundle('Fewer', {}, ['Spring sale', 'Newsletter'])
  const { page } = await admin.open(detail('Fewer'))
  await keepToasts(page)
  const remove = page.getByRole('button', { name: 'Remove Newsletter from bundle' })
  await remove.focus()
  await page.keyboard.press('Enter')
  await remove.waitFor({ state: 'detached' })
  await page.locator('#members:focus').waitFor()
  await answerToast(page, 'Undo')
  await remove.waitFor()
  expect(await get(`/bundles/${bundles['Fewer']}`)).toMatchObject({ link_count: 2 })
  await remove.click()
  await answerToast(page, 'Close')
  await page.getByRole('region', { name: 'Links' }).getByText('1', { exact: true }).first().waitFor()
  expect(await get(`/bundles/${bundles['Fewer']}`)).toMatchObject({ link_count: 1 })
  expect(await get('/links?search=Newsletter')).toHaveLength(1)
}, 60_000)

test('a toast does not cover the last link of a bundle', async () => {
  await createNamedBundle(
    'Long',
    {},
    Array.from({ length: 8 }, (_, index) => `More ${index}`),
  )
  const { page } = await admin.open(detail('Long'), { height: 500 })
  await keepToasts(page)
  const remove = (link: number) => page.getByRole('button', { name: `Remove More ${link} from bundle` })
  await remove(0).click()
  await remove(0).waitFor({ state: 'detached' })
  const last = remove(7)
  await last.focus()
  await screenshot(page, 'bundle-toast')
  const { bottom, toast } = await last.evaluate((button) => ({
    bottom: button.getBoundingClientRect().bottom,
    toast: document.querySelector('.mantine-Notification-root')?.getBoundingClientRect().top ?? 0,
  }))
  expect(bottom).toBeLessThan(toast)
  await answerToast(page, 'Undo')
}, 60_000)

test('archiving waits for its toast and can be undone; unarchiving applies at once and can be undone', async () => {
  await createNamedBundle('Old news', {}, ['Newsletter'])
  const archivedAt = async () => (await get(`/bundles/${bundles['Old news']}`)).archived_at as number | null
  const { page } = await admin.open('/bundles')
  await keepToasts(page)
  const choose = async (item: string) => {
    await page.getByRole('button', { name: 'Actions for Old news' }).click()
    await page.getByRole('menuitem', { name: item, exact: true }).click()
  }
  await choose('Archive')
  await card(page, 'Old news').waitFor({ state: 'detached' })
  await page.locator('h1:focus').waitFor()
  expect(await archivedAt()).toBeNull()
  await answerToast(page, 'Undo')
  await card(page, 'Old news').waitFor()
  await choose('Archive')
  await answerToast(page, 'Close')
  await page.waitForFunction(
    (address) => fetch(address).then(async (answer) => (await answer.json()).archived_at !== null),
    admin.at(`/api/bundles/${bundles['Old news']}`),
  )
  const looked = Promise.withResolvers<undefined>()
  await page.route('**/api/bundles?archived=only*', async (route) => {
    await looked.promise
    await route.continue()
  })
  await page.locator('label').getByText('Archived', { exact: true }).click()
  await page.locator('main .mantine-Skeleton-root').waitFor()
  expect(await page.getByText('No archived bundles').count()).toBe(0)
  looked.resolve(undefined)
  await card(page, 'Old news').waitFor()
  await choose('Unarchive')
  await card(page, 'Old news').waitFor({ state: 'detached' })
  expect(await archivedAt()).toBeNull()
  await answerToast(page, 'Undo')
  await card(page, 'Old news').waitFor()
  expect(await archivedAt()).not.toBeNull()
}, 60_000)

test('a deleted bundle is off the list until Undo, and erased when the page is left', async () => {
  await createNamedBundle('Short-lived', {}, ['Newsletter'])
  const { page } = await admin.open(detail('Short-lived'))
  await keepToasts(page)
  const remove = async () => {
    await page.getByRole('button', { name: 'Actions for Short-lived' }).click()
    await page.getByRole('menuitem', { name: 'Delete' }).click()
    await page.getByRole('heading', { name: 'Bundles', level: 1 }).waitFor()
    await card(page, 'Of Ann').waitFor()
    expect(await card(page, 'Short-lived').count()).toBe(0)
  }
  await remove()
  await page.goBack()
  await page.getByText('Deleting this bundle').waitFor()
  await answerToast(page, 'Undo')
  await page.getByRole('heading', { name: 'Short-lived', level: 1 }).waitFor()
  await remove()
  await page.goto(admin.at(detail('Short-lived')))
  await page.getByText('This bundle doesn’t exist').waitFor()
  await screenshot(page, 'bundle-gone')
  expect(await get('/links?search=Newsletter')).toHaveLength(1)
}, 60_000)

test('the range is in the address, and the statistics belong to it', async () => {
  const { page } = await admin.open('/bundles')
  await page.locator('label').getByText('1y', { exact: true }).click()
  await page.waitForURL(/range=1y/)
  const { total_clicks } = await get(`/bundles/${bundles['Spring campaign']}?range=1y`)
  await card(page, 'Spring campaign').getByText(total_clicks.toLocaleString('en'), { exact: true }).waitFor()
  await page.getByRole('link', { name: 'Spring campaign' }).click()
  await page.waitForURL(/bundles\/\d+\?range=1y/)
  await page.locator('dd').getByText(total_clicks.toLocaleString('en'), { exact: true }).waitFor()
}, 60_000)

test('the details of a breakdown name every value of the bundle', async () => {
  const { page } = await admin.open(`${detail('Spring campaign')}?range=1y`)
  const { items } = await get(
    `/analytics/breakdown?dimension=country&bundle=${bundles['Spring campaign']}&range=1y&offset=10`,
  )
  expect(items).toHaveLength(1)
  const name = new Intl.DisplayNames('en', { type: 'region' }).of(items[0].name) ?? ''
  const panel = page.getByRole('region', { name: 'Locations' })
  await panel.getByRole('button', { name: 'Details: Countries' }).click()
  expect(await panel.getByText(name, { exact: true }).count()).toBe(0)
  await page.getByRole('dialog', { name: 'Countries' }).getByText(name, { exact: true }).waitFor()
}, 60_000)

test('L18: bundles are searched, sorted and shown as a list, and the address has the view', async () => {
  const { page, errors } = await admin.open('/bundles?state=all')
  await card(page, 'Spring campaign').waitFor()
  await page.getByRole('textbox', { name: 'Search bundles' }).fill('campaign SPR')
  await card(page, 'Product launch').waitFor({ state: 'detached' })
  expect(await page.locator('.bundle-card').count()).toBe(1)
  await page.getByRole('textbox', { name: 'Search bundles' }).fill('nothing like it')
  await page.getByText('No matching bundles').waitFor()
  await page.getByRole('button', { name: 'Clear search' }).click()
  await card(page, 'Product launch').waitFor()
  await page.getByText('List', { exact: true }).click()
  const names = () => page.locator('tbody .bundle-link').allTextContents()
  await page.locator('tbody tr').first().waitFor()
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Name')
  await page.waitForURL(/sort=name&view=list/)
  await page.waitForFunction(
    () => document.querySelector('tbody .bundle-link')?.textContent?.startsWith('<') === true,
  )
  const sorted = await names()
  expect(sorted).toEqual(sorted.toSorted(new Intl.Collator('en', { numeric: true }).compare))
  await page.getByRole('combobox', { name: 'Sort by' }).selectOption('Most clicks')
  await page.waitForURL(/sort=clicks/)
  await page.reload()
  await page.locator('tbody tr').first().waitFor()
  const clicks = (await get('/bundles?archived=all&sort=clicks&range=30d')) as { name: string }[]
  expect(await names()).toEqual(clicks.map(({ name }) => name))
  await expectAccessibleViews(page, 'bundles-list', [1280])
  expect(errors).toEqual([])
}, 90_000)

test('the list continues after its first page, to the last bundle', async () => {
  for (let more = 0; more < 45; more++) await createBundle(admin, { name: `Many ${more}` })
  const all = (await get('/bundles?archived=all')) as unknown[]
  const { page } = await admin.open('/bundles?state=all')
  await page.getByText(`48 of ${all.length}`).waitFor()
  expect(await card(page, 'Spring campaign').count()).toBe(0)
  await page.route('**/bundles?*cursor=*', (route) => route.fulfill({ status: 503, json: { error: 'Busy' } }))
  await page.getByRole('button', { name: 'Show more' }).click()
  await page.getByRole('alert').getByText('Temporarily unavailable.').waitFor()
  expect(await page.locator('.bundle-card').count()).toBe(48)
  await page.unroute('**/bundles?*cursor=*')
  await page.getByRole('button', { name: 'Show more' }).click()
  await card(page, 'Spring campaign').waitFor()
  expect(await page.locator('.bundle-card').count()).toBe(all.length)
  expect(await page.getByRole('alert').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0)
}, 60_000)

test('L18.5: the number of bundles is requested again after a failure', async () => {
  const { page } = await admin.open('/links')
  await page.route('**/api/bundles?*', (route) =>
    route.request().url().includes('limit=1') && !route.request().url().includes('limit=48')
      ? route.fulfill({ status: 503, json: { error: 'Words of the server' } })
      : route.fulfill({ json: [], headers: { 'X-Total-Count': '0' } }),
  )
  await page.getByRole('link', { name: 'Bundles' }).click()
  await page.getByText('Temporarily unavailable.').waitFor()
  expect(await page.locator('main .mantine-Skeleton-root').count()).toBe(0)
  expect(await page.getByRole('button', { name: 'New bundle' }).isVisible()).toBeTrue()
  await screenshot(page, 'bundles-unknown')
  await page.unroute('**/api/bundles?*')
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByText('No active bundles').waitFor()
}, 60_000)

test('L24.13: the oldest of more than a thousand bundles can be chosen for one link and for several', async () => {
  await createNamedBundle('Oldest of all', {}, [])
  const database = admin.database()
  database.run(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
    INSERT INTO bundle (name, search_text, accent, created_by, created_at, updated_at)
    SELECT 'Younger ' || i, 'younger ' || i, 'blue', 'ann@example.com', unixepoch() + i, unixepoch() FROM n`)
  database.close()
  const link = links['Never clicked']?.id
  const { page } = await admin.open(`/links/${link}`)
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('searchbox').fill('oldest')
  await dialog.getByRole('button', { name: 'Oldest of all' }).click()
  await page.locator('dd').getByRole('link', { name: 'Oldest of all' }).waitFor()
  await page.goto(admin.at('/links?search=More+7'))
  await page.getByRole('checkbox', { name: 'Select More 7' }).check()
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  await dialog.getByRole('combobox', { name: 'Bundle' }).fill('oldest')
  await page.getByRole('option', { name: 'Oldest of all' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 link added to Oldest of all').waitFor()
}, 60_000)
