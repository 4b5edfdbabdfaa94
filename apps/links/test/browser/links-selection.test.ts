import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { expectAccessible, keepToasts, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import type { Tables } from '../../src/db/tables.ts'
import { insertKey } from '../../src/keys/store.ts'
import { type LinkJson, clickLink, createLink, recordClicks, searchLinks } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

async function clickDaysAgo({ id, slugs }: LinkJson, ...days: number[]): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  const slug = slugs.at(-1)?.slug ?? ''
  const clicks = days.map((age) => ({ slug, linkId: id, clickedAt: now - age * 86_400, visitorFp: '1' }))
  await recordClicks(admin.databaseUrl, clicks)
}

function selectLink(page: Page, label: string): Promise<void> {
  return page.getByRole('checkbox', { name: `Select ${label}` }).check()
}

test('disable and enable apply at once to the selection, and undo reverts only real changes', async () => {
  await createLink(admin, { url: 'https://example.com/s1', label: 'switch one' })
  const { id } = await createLink(admin, { url: 'https://example.com/s2', label: 'switch two' })
  await admin.call('POST', `/links/${id}/disable`, {})
  const { page } = await admin.open('/links?search=switch')
  await keepToasts(page)
  await selectLink(page, 'switch one')
  await selectLink(page, 'switch two')
  await screenshot(page, 'links-selected')
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText('1 link disabled').waitFor()
  const states = async () =>
    (await searchLinks(admin, 'switch')).map(({ disabled_at }) => disabled_at !== null)
  expect(await states()).toEqual([true, true])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('tr', { hasText: 'switch one' }).getByText('Disabled').waitFor({ state: 'detached' })
  expect(await states()).toEqual([true, false])
}, 60_000)

test('if some links cannot be disabled, the toast names and undoes only those that were', async () => {
  const made = await Promise.all(
    ['a', 'b'].map((end) =>
      createLink(admin, { url: `https://example.com/part-${end}`, label: `part ${end}` }),
    ),
  )
  const { page } = await admin.open('/links?search=part')
  await keepToasts(page)
  const refuse = (id: number | undefined) =>
    page.route(`**/links/${id}/disable`, (route) => route.fulfill({ status: 500, json: { error: 'Broken' } }))
  await refuse(made[0]?.id)
  const disableBoth = async () => {
    await selectLink(page, 'part a')
    await selectLink(page, 'part b')
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
  }
  await disableBoth()
  const broken = page.getByRole('alert').filter({ hasText: 'Something went wrong.' })
  // Closes it at once, because it closes after a while.
  await broken.getByRole('button', { name: 'Close' }).click()
  await broken.waitFor({ state: 'detached' })
  await page.getByText('1 link disabled').waitFor()
  const left = (await searchLinks(admin, 'part')).filter(({ disabled_at }) => disabled_at === null)
  expect(left.map(({ label }) => label)).toEqual(['part a'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('tr', { hasText: 'part b' }).getByText('Disabled').waitFor({ state: 'detached' })
  await refuse(made[1]?.id)
  await disableBoth()
  await broken.waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
}, 60_000)

test('L18.4: a deletion undone within the toast deletes nothing, and any other is executed', async () => {
  await createLink(admin, { url: 'https://example.com/kept', label: 'kept' })
  const { page } = await admin.open('/links?search=kept')
  await keepToasts(page)
  await selectLink(page, 'kept')
  await page.getByRole('button', { name: 'Delete' }).click()
  const row = page.getByRole('checkbox', { name: 'Select kept' })
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  expect(await searchLinks(admin, 'kept')).toHaveLength(1)
  await selectLink(page, 'kept')
  await page.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  // Hidden on other pages as well, and executed when the page is left.
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
  expect(await searchLinks(admin, 'kept')).toHaveLength(1)
  await page.goto('about:blank')
  for (let tries = 0; tries < 750 && (await searchLinks(admin, 'kept')).length > 0; tries++)
    await Bun.sleep(20)
  expect(await searchLinks(admin, 'kept')).toEqual([])
}, 60_000)

test('L18.4: if clicks prevent a deletion, a dialog offers to disable or to type the slug', async () => {
  await createLink(admin, { url: 'https://example.com/c1', label: 'clicked one', slug: 'clicked-1' })
  await createLink(admin, { url: 'https://example.com/c2', label: 'clicked by a bot', slug: 'clicked-2' })
  await clickLink(admin, 'clicked-1')
  await clickLink(admin, 'clicked-2', { 'User-Agent': 'curl/8.0' })
  const { page } = await admin.open('/links?search=clicked')
  await keepToasts(page)
  await selectLink(page, 'clicked one')
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 click', { exact: true }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'links-blocked')
  expect(await dialog.getByRole('button', { name: 'Delete with clicks' }).isDisabled()).toBeTrue()
  await dialog.getByLabel('Type clicked-1').fill('CLICKED-1')
  await page.keyboard.press('Enter')
  await page.getByText('Deleting 1 link').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('Deleting 1 link').waitFor({ state: 'detached' })
  // The filters of the person hide the click of the bot, and the link appears to have none.
  await selectLink(page, 'clicked by a bot')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('Deleting 1 link').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'View options' }).click()
  await dialog.getByText('Clicks hidden by your settings').waitFor()
  await dialog.getByRole('button', { name: 'Disable instead' }).click()
  await page.locator('tr', { hasText: 'clicked by a bot' }).getByText('Disabled').waitFor()
  expect(await searchLinks(admin, 'clicked')).toHaveLength(2)
}, 60_000)

test('a deletion depends on all clicks of a link, not on those of the range', async () => {
  const since = await createLink(admin, {
    url: 'https://example.com/since',
    label: 'ranged since',
    slug: 'since',
  })
  const before = await createLink(admin, {
    url: 'https://example.com/before',
    label: 'ranged before',
    slug: 'before',
  })
  await createLink(admin, { url: 'https://example.com/never', label: 'ranged never' })
  await clickDaysAgo(since, 1, 100, 100)
  await clickDaysAgo(before, 100, 100)
  const { page } = await admin.open('/links?search=ranged&range=30d')
  await keepToasts(page)
  const row = (label: string) => page.locator('tr', { hasText: label })
  await row('ranged since').getByRole('cell', { name: '1', exact: true }).waitFor()
  await row('ranged before').getByRole('cell', { name: '0', exact: true }).waitFor()
  await page.route(`**/api/links/${since.id}`, (route) => route.abort())
  for (const label of ['ranged since', 'ranged before', 'ranged never']) await selectLink(page, label)
  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  await remove.click()
  // An unknown number of clicks is not guessed: nothing is deleted, and the selection stays.
  const toasts = page.getByRole('alert')
  await toasts.waitFor()
  expect([await row('ranged never').count(), await page.getByText('3 selected').count()]).toEqual([1, 1])
  await toasts.getByRole('button', { name: 'Close' }).click()
  await page.unroute(`**/api/links/${since.id}`)
  await remove.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('3 clicks', { exact: true }).waitFor()
  await dialog.getByText('2 clicks', { exact: true }).waitFor()
  expect(await dialog.getByText('Clicks hidden by your settings').count()).toBe(0)
  await screenshot(page, 'links-blocked-range')
  await page.getByText('Deleting 1 link').waitFor()
  await row('ranged never').waitFor({ state: 'detached' })
  expect([await row('ranged since').count(), await row('ranged before').count()]).toEqual([1, 1])
}, 60_000)

test('clicks during the time to undo are reported as clicks, not as hidden ones', async () => {
  const late = await createLink(admin, { url: 'https://example.com/late', label: 'tardy', slug: 'tardy' })
  const { page } = await admin.open('/links?search=tardy&range=30d')
  await keepToasts(page)
  await selectLink(page, 'tardy')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('Deleting 1 link').waitFor()
  await clickDaysAgo(late, 50)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'View options' }).click()
  await page.getByRole('dialog').getByText('1 click', { exact: true }).waitFor()
}, 60_000)

test('for links of another owner, the only action is to add them to a bundle', async () => {
  const database = openDatabase<Tables>(admin.databaseUrl)
  const { rawKey } = await database.write((tx) =>
    insertKey(tx, { title: 'theirs', scope: 'create', identity: 'Anna <b>@example.com', now: 1 }),
  )
  await database.close()
  await fetch(new URL('/_/api/links', admin.at('')), {
    method: 'POST',
    headers: { Authorization: `Bearer ${rawKey}`, 'Content-Type': 'application/json' },
    body: JSON.stringify({ url: 'https://example.com/theirs', label: 'theirs' }),
  })
  await admin.call('POST', '/bundles', { name: 'Spring <i>' })
  const { page } = await admin.open('/links?search=theirs')
  await selectLink(page, 'theirs')
  await page.getByText('Only the owner can').waitFor()
  for (const name of ['Disable', 'Enable', 'Delete'])
    expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  const bundle = page.getByRole('combobox', { name: 'Bundle' })
  await bundle.and(page.locator(':focus')).waitFor()
  await bundle.click()
  await page.getByRole('option', { name: 'Spring <i>' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 link added to Spring <i>').waitFor()
  const bundles = (await (await fetch(admin.at('/api/bundles'))).json()) as { link_count: number }[]
  expect(bundles.map(({ link_count }) => link_count)).toEqual([1])
}, 60_000)

test('links that leave the list while a bundle is chosen are added to it as well, unless they are deleted', async () => {
  await createLink(admin, { url: 'https://example.com/stays', label: 'leaf stays' })
  const gone = await createLink(admin, { url: 'https://example.com/gone', label: 'leaf gone' })
  const { id } = await createLink(admin, { url: 'https://example.com/leaves', label: 'leaf leaves' })
  await admin.call('POST', '/bundles', { name: 'Leaves' })
  const { page } = await admin.open('/links?search=leaf&status=active')
  await selectLink(page, 'leaf stays')
  await selectLink(page, 'leaf leaves')
  await selectLink(page, 'leaf gone')
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  await page.getByRole('combobox', { name: 'Bundle' }).click()
  await page.getByRole('option', { name: 'Leaves' }).click()
  await admin.call('POST', `/links/${id}/disable`, {})
  await admin.call('DELETE', `/links/${gone.id}`, {})
  for (const hasText of ['leaf leaves', 'leaf gone'])
    await page.locator('tr', { hasText }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('2 links added to Leaves').waitFor()
}, 60_000)

test('L18.3: a list that becomes empty leaves a dialog open, with its input', async () => {
  const { id } = await createLink(admin, {
    url: 'https://example.com/vanishing',
    label: 'vanishing',
    slug: 'vanishing-1',
  })
  await clickLink(admin, 'vanishing-1')
  await admin.call('POST', '/bundles', { name: 'Vanished' })
  const { page } = await admin.open('/links?search=vanishing&status=active')
  const dialog = page.getByRole('dialog')
  const emptied = page.locator('h2', { hasText: 'No links match' })
  await selectLink(page, 'vanishing')
  await page.getByRole('button', { name: 'Delete' }).click()
  const field = dialog.getByLabel('Type vanishing-1')
  await dialog.getByRole('button', { name: 'Disable instead' }).and(page.locator(':focus')).waitFor()
  await field.fill('vanish')
  await admin.call('POST', `/links/${id}/disable`, {})
  await emptied.waitFor()
  expect(await field.inputValue()).toBe('vanish')
  expect(await field.evaluate((input) => input === document.activeElement)).toBeTrue()
  await screenshot(page, 'links-emptied-dialog')
  await page.keyboard.press('Escape')
  await dialog.waitFor({ state: 'detached' })
  await admin.call('POST', `/links/${id}/enable`, {})
  await selectLink(page, 'vanishing')
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  const bundle = dialog.getByRole('combobox', { name: 'Bundle' })
  await bundle.fill('Vanis')
  await admin.call('POST', `/links/${id}/disable`, {})
  await emptied.waitFor()
  expect(await bundle.inputValue()).toBe('Vanis')
  await page.getByRole('option', { name: 'Vanished' }).click()
  await dialog.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 link added to Vanished').waitFor()
}, 60_000)

test('L18.4: all links that were found are changed, also on other pages, and undo reverts these', async () => {
  for (let at = 0; at < 27; at++)
    await createLink(admin, { url: `https://example.com/many-${at}`, label: `many ${at}` })
  await createLink(admin, { url: 'https://example.com/spared', label: 'spared' })
  const { page } = await admin.open('/links?search=many')
  await keepToasts(page)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all 27 links' }).click()
  const bar = page.getByRole('group', { name: 'All 27 selected' })
  await bar.waitFor()
  await expectAccessible(page)
  await screenshot(page, 'links-all-selected')
  await bar.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText('27 links disabled').waitFor()
  const disabledCount = async () =>
    (await searchLinks(admin, 'many')).filter(({ disabled_at }) => disabled_at !== null).length
  expect(await disabledCount()).toBe(27)
  expect((await searchLinks(admin, 'spared')).map(({ disabled_at }) => disabled_at)).toEqual([null])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('tr', { hasText: 'many 26' }).getByText('Disabled').waitFor({ state: 'detached' })
  expect(await disabledCount()).toBe(0)
}, 60_000)

test('all links that were found are deleted after a question, except those with clicks', async () => {
  const clicked = await createLink(admin, { url: 'https://example.com/heap', label: 'heap clicked' })
  await clickDaysAgo(clicked, 1)
  for (let at = 0; at < 26; at++)
    await createLink(admin, { url: `https://example.com/heap-${at}`, label: `heap ${at}` })
  const { page } = await admin.open('/links?search=heap')
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all 27 links' }).click()
  await page.getByRole('group', { name: 'All 27 selected' }).getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog', { name: 'Delete 27 links?' })
  await dialog.getByText('Links with clicks are kept.').waitFor()
  await expectAccessible(page)
  await dialog.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('26 links deleted').waitFor()
  await page.getByText('1 link wasn’t changed').waitFor()
  expect((await searchLinks(admin, 'heap')).map(({ label }) => label)).toEqual(['heap clicked'])
}, 60_000)

test('L28.8: selected links get an expiry, and lose it again', async () => {
  for (const end of ['a', 'b'])
    await createLink(admin, { url: `https://example.com/term-${end}`, label: `term ${end}` })
  const { page } = await admin.open('/links?search=term')
  await keepToasts(page)
  const dialog = page.getByRole('dialog', { name: 'Set expiry' })
  const openForm = async () => {
    for (const end of ['a', 'b']) await selectLink(page, `term ${end}`)
    await page.getByRole('button', { name: 'Set expiry' }).click()
    await dialog.getByLabel('Expires').and(page.locator(':focus')).waitFor()
  }
  const expiries = async () => (await searchLinks(admin, 'term')).map(({ expires_at }) => expires_at)
  await openForm()
  await dialog.getByLabel('Expires').fill('2020-01-01T12:00')
  await dialog.getByText('The links will stop redirecting immediately.').waitFor()
  await dialog.getByLabel('Expires').fill('2099-01-01T12:00')
  await expectAccessible(page)
  await screenshot(page, 'links-set-expiry')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await page.getByText('2 links changed').waitFor()
  const [first, second] = await expiries()
  expect(first).toBeGreaterThan(4_000_000_000)
  expect(second).toBe(first as number)
  await dialog.waitFor({ state: 'detached' })
  await openForm()
  await dialog.getByRole('button', { name: 'Remove expiry' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await expiries()).toEqual([null, null])
}, 60_000)

test('L28.8: all links that were found are transferred, to an unknown person only once they are confirmed', async () => {
  for (let at = 0; at < 26; at++)
    await createLink(admin, { url: `https://example.com/estate-${at}`, label: `estate ${at}` })
  const { page } = await admin.open('/links?search=estate')
  await keepToasts(page)
  await page.getByRole('checkbox', { name: 'Select all on this page' }).check()
  await page.getByRole('button', { name: 'Select all 26 links' }).click()
  await page.getByRole('group', { name: 'All 26 selected' }).getByRole('button', { name: 'Transfer' }).click()
  const dialog = page.getByRole('dialog', { name: 'Transfer' })
  const owners = async () => new Set((await searchLinks(admin, 'estate')).map(({ created_by }) => created_by))
  await dialog.getByLabel('New owner').fill('heir@example.com')
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  await dialog.getByText('This person has created nothing here.').waitFor()
  expect(await owners()).toEqual(new Set(['admin@localhost']))
  await expectAccessible(page)
  await screenshot(page, 'links-transfer')
  await dialog.getByRole('checkbox', { name: 'The name is correct' }).check()
  await dialog.getByRole('button', { name: 'Transfer' }).click()
  await page.getByText('26 links transferred to heir@example.com').waitFor()
  expect(await owners()).toEqual(new Set(['heir@example.com']))
}, 60_000)
