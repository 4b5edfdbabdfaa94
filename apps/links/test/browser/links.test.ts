import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { expectAccessible, keepToasts, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { classifyClick } from '../../src/clicks/click.ts'
import { openRecorder } from '../../src/clicks/recorder.ts'
import type { Tables } from '../../src/db/tables.ts'
import { insertKey } from '../../src/keys/store.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const PERSON =
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0 Safari/537.36'

interface CreatedLink {
  id: number
  slugs: { slug: string }[]
}

async function make(body: object): Promise<CreatedLink> {
  const response = await admin.call('POST', '/links', body)
  expect(response.status).toBe(201)
  return (await response.json()) as CreatedLink
}

async function follow(slug: string, agent = PERSON): Promise<void> {
  const url = new URL(`/${slug}`, admin.at(''))
  const { status } = await fetch(url, { redirect: 'manual', headers: { 'User-Agent': agent } })
  expect(status).toBe(302)
}

async function found(search: string): Promise<{ disabled_at: number | null; label: string }[]> {
  const response = await fetch(admin.at(`/api/links?search=${search}`))
  return (await response.json()) as { disabled_at: number | null; label: string }[]
}

async function clickedDaysAgo({ id, slugs }: CreatedLink, ...days: number[]): Promise<void> {
  const click = {
    slug: slugs.at(-1)?.slug ?? '',
    linkId: id,
    host: '127.0.0.1',
    query: null,
    referrer: null,
    userAgent: PERSON,
    country: null,
    visitorFp: '1',
  }
  const now = Math.floor(Date.now() / 1000)
  const recorder = openRecorder(admin.databaseUrl)
  await recorder.record(days.map((age) => classifyClick({ ...click, clickedAt: now - age * 86_400 })))
  await recorder.close()
}

const choose = (page: Page, label: string) => page.getByRole('checkbox', { name: `Select ${label}` }).check()

test('L18 L24.17 a link is made, and what is hostile in it stays text', async () => {
  const { page, errors } = await admin.open('/links')
  await page.getByText('No links yet').waitFor()
  await page.getByLabel('URL to shorten').fill('https://example.com/?<b>x')
  await page.getByLabel('Label', { exact: true }).fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.locator('td').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await page.locator('td img').count()).toBe(0)
  expect(await page.getByLabel('URL to shorten').inputValue()).toBe('')
  await make({ url: `https://example.com/${'x'.repeat(1500)}`, label: 'y'.repeat(500) })
  await make({ url: 'https://example.com/rtl', label: '\u202Eמימין לשמאל \u202Dend' })
  await page.getByText('end').waitFor()
  await make({ url: 'https://example.com/spring', label: 'تقرير الربيع: كل ما تحتاج معرفته عن الحملة' })
  const arabic = page.locator('td').getByText('تقرير الربيع')
  await arabic.waitFor()
  // Shortened at its end, which is on the left.
  expect(await arabic.evaluate((label) => getComputedStyle(label).direction)).toBe('rtl')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(1280)
  await expectAccessible(page)
  await screenshot(page, 'links-hostile')
  expect(errors).toEqual([])
}, 60_000)

test('an address is copied, and its hint is accessible while it is hovered', async () => {
  const { page } = await admin.open('/links')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const short = (await (await fetch(admin.at('/api/links'))).json()) as CreatedLink[]
  const url = new URL(`/${short[0]?.slugs[0]?.slug}`, admin.at('')).href
  const copy = page.getByRole('button', { name: `Copy ${url}` })
  await copy.hover()
  await page.getByRole('tooltip').getByText(`Copy ${url}`).waitFor()
  await expectAccessible(page)
  // It is there for a second only, so the page itself looks.
  const copied = page.waitForFunction(() =>
    ['[role=tooltip]', '[aria-live=polite]'].every((part) =>
      [...document.querySelectorAll(part)].some(({ textContent }) => textContent === 'Copied'),
    ),
  )
  await copy.click()
  await copied
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
  await expectAccessible(page)
}, 60_000)

const NO_CLIPBOARD = `Reflect.deleteProperty(Navigator.prototype, 'clipboard')`

test('where the browser lets nothing be copied, as on a page over plain HTTP, that is said', async () => {
  await make({ url: 'https://example.com/uncopied', slug: 'uncopied' })
  const { page } = await admin.open('/links')
  await page.addInitScript(NO_CLIPBOARD)
  await page.reload()
  await page.getByRole('button', { name: `Copy ${new URL('/uncopied', admin.at('')).href}` }).click()
  await page.getByRole('alert').getByText('The browser did not let it be copied').waitFor()
  await expectAccessible(page)
  expect(await page.getByText('Copied', { exact: true }).count()).toBe(0)
}, 60_000)

test('a link is found by what is percent-encoded in its URL, and what is searched for stays as it was typed', async () => {
  const target = 'https://x.example/%C3%85/a%20b?y=%26'
  await make({ url: target, label: 'Encoded' })
  await make({ url: 'https://x.example/Å/a b?y=&', label: 'Decoded' })
  const { page } = await admin.open('/links')
  const field = page.getByRole('textbox', { name: /^Search label/ })
  await page.locator('td').getByText('Decoded').waitFor()
  await field.fill(target)
  await page.locator('td').getByText('Decoded').waitFor({ state: 'detached' })
  await page.locator('td').getByText('Encoded').waitFor()
  expect(await field.inputValue()).toBe(target)
  await page.reload()
  await page.locator('td').getByText('Encoded').waitFor()
  expect(await field.inputValue()).toBe(target)
}, 60_000)

test('where the browser keeps no data of sites a link can be made all the same', async () => {
  const { page, errors } = await admin.open('/links')
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  await page.reload()
  const url = page.getByLabel('URL to shorten')
  await url.fill('https://example.com/storeless')
  await page.getByLabel('Label', { exact: true }).fill('No storage')
  await page.getByRole('link', { name: 'Dashboard' }).click()
  await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor()
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  // It outlasts its page, as elsewhere.
  expect(await url.inputValue()).toBe('https://example.com/storeless')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.locator('td').getByText('No storage').waitFor()
  expect(await url.inputValue()).toBe('')
  expect(errors).toEqual([])
}, 60_000)

test('what is refused stays typed, and the reason stands at its field', async () => {
  await make({ url: 'https://example.com/taken', slug: 'taken' })
  const { page } = await admin.open('/links')
  const url = page.getByLabel('URL to shorten')
  await url.fill('ftp://example.com')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByText('This is not a valid http or https URL.').waitFor()
  expect(await url.getAttribute('aria-invalid')).toBe('true')
  await url.fill('https://example.com/other')
  await page.getByLabel('Custom slug').fill('Taken')
  await page.keyboard.press('Enter')
  await page.getByText('This slug is already taken.').waitFor()
  expect(await page.getByLabel('Custom slug').getAttribute('aria-invalid')).toBe('true')
  expect(await url.inputValue()).toBe('https://example.com/other')
  await page.getByLabel('Custom slug').fill('')
  await url.fill('https://example.com/taken')
  await page.keyboard.press('Enter')
  await page.getByText('You or somebody else has this link already').waitFor()
  expect(await url.inputValue()).toBe('')
  await url.fill('https://example.com/next')
  await page.getByRole('button', { name: 'Make another' }).click()
  await page.getByText('Short link made').waitFor()
  expect(await url.inputValue()).toBe('https://example.com/next')
  const sent: unknown[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postDataJSON()))
  await url.fill('https://example.com/until')
  const expires = page.getByLabel('Expires', { exact: true })
  // One digit too many, which browsers let one type.
  await expires.fill('20266-01-01T10:00')
  await page.keyboard.press('Enter')
  await page.locator('#new-expires:invalid:focus').waitFor()
  await expires.fill('2066-01-01T10:00')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'example.com/until' }).waitFor()
  expect(sent).toEqual([
    { url: 'https://example.com/until', expires_at: new Date(2066, 0, 1, 10).getTime() / 1000 },
  ])
}, 60_000)

test('what is typed for a new link is there when one comes back, and is gone once the link is made', async () => {
  const { page } = await admin.open('/links')
  const url = page.getByRole('textbox', { name: 'URL to shorten' })
  await url.fill('https://example.com/half')
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Half filled')
  await page.getByRole('link', { name: 'Bundles' }).click()
  await page.getByRole('heading', { name: 'Bundles', level: 1 }).waitFor()
  await page.goBack()
  await url.waitFor()
  expect(await url.inputValue()).toBe('https://example.com/half')
  expect(await page.getByRole('textbox', { name: 'Label', exact: true }).inputValue()).toBe('Half filled')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByRole('link', { name: 'Half filled' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Half filled' }).waitFor()
  expect(await url.inputValue()).toBe('')
}, 60_000)

test('disable and enable act at once on what is selected, and undo takes back only what changed', async () => {
  await make({ url: 'https://example.com/s1', label: 'switch one' })
  const { id } = await make({ url: 'https://example.com/s2', label: 'switch two' })
  await admin.call('POST', `/links/${id}/disable`, {})
  const { page } = await admin.open('/links?search=switch')
  await keepToasts(page)
  await choose(page, 'switch one')
  await choose(page, 'switch two')
  await expectAccessible(page)
  await screenshot(page, 'links-selected')
  await page.getByRole('button', { name: 'Disable', exact: true }).click()
  await page.getByText('1 link disabled').waitFor()
  const states = async () => (await found('switch')).map(({ disabled_at }) => disabled_at !== null)
  expect(await states()).toEqual([true, true])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('tr', { hasText: 'switch one' }).getByText('Active').waitFor()
  expect(await states()).toEqual([true, false])
}, 60_000)

test('of links that cannot all be disabled, the toast says and takes back what was', async () => {
  const made = await Promise.all(
    ['a', 'b'].map((end) => make({ url: `https://example.com/part-${end}`, label: `part ${end}` })),
  )
  const { page } = await admin.open('/links?search=part')
  await keepToasts(page)
  const refuse = (id: number | undefined) =>
    page.route(`**/links/${id}/disable`, (route) => route.fulfill({ status: 500, json: { error: 'Broken' } }))
  await refuse(made[0]?.id)
  const disableBoth = async () => {
    await choose(page, 'part a')
    await choose(page, 'part b')
    await page.getByRole('button', { name: 'Disable', exact: true }).click()
  }
  await disableBoth()
  const broken = page.getByRole('alert').filter({ hasText: 'Something went wrong in the service.' })
  // At once: it closes by itself, too.
  await broken.getByRole('button', { name: 'Close' }).click()
  await broken.waitFor({ state: 'detached' })
  await page.getByText('1 link disabled').waitFor()
  const left = (await found('part')).filter(({ disabled_at }) => disabled_at === null)
  expect(left.map(({ label }) => label)).toEqual(['part a'])
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.locator('tr', { hasText: 'part b' }).getByText('Active').waitFor()
  await refuse(made[1]?.id)
  await disableBoth()
  await broken.waitFor()
  expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
}, 60_000)

test('L18.4 a deletion taken back within the toast deletes nothing, and one that is not is carried out', async () => {
  await make({ url: 'https://example.com/kept', label: 'kept' })
  const { page } = await admin.open('/links?search=kept')
  await keepToasts(page)
  await choose(page, 'kept')
  await page.getByRole('button', { name: 'Delete' }).click()
  const row = page.getByRole('checkbox', { name: 'Select kept' })
  await row.waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await row.waitFor()
  expect(await found('kept')).toHaveLength(1)
  await choose(page, 'kept')
  await page.getByRole('button', { name: 'Delete' }).click()
  await row.waitFor({ state: 'detached' })
  // Out of sight on other pages too, and done when the page is left.
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
  expect(await found('kept')).toHaveLength(1)
  await page.goto('about:blank')
  for (let tries = 0; tries < 750 && (await found('kept')).length > 0; tries++) await Bun.sleep(20)
  expect(await found('kept')).toEqual([])
}, 60_000)

test('L18.4 where clicks forbid a delete, it offers to disable, or to type the slug', async () => {
  await make({ url: 'https://example.com/c1', label: 'clicked one', slug: 'clicked-1' })
  await make({ url: 'https://example.com/c2', label: 'clicked by a bot', slug: 'clicked-2' })
  await follow('clicked-1')
  await follow('clicked-2', 'curl/8.0')
  const { page } = await admin.open('/links?search=clicked')
  await keepToasts(page)
  await choose(page, 'clicked one')
  await page.getByRole('button', { name: 'Delete' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('1 click', { exact: true }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'links-blocked')
  expect(await dialog.getByRole('button', { name: 'Delete with clicks' }).isDisabled()).toBeTrue()
  await dialog.getByLabel('Type clicked-1').fill('CLICKED-1')
  await page.keyboard.press('Enter')
  await page.getByText('1 link is being deleted').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('1 link is being deleted').waitFor({ state: 'detached' })
  // The filters of the person hide the bot's click, so that it looks as if there were none.
  await choose(page, 'clicked by a bot')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByText('1 link is being deleted').waitFor()
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'What can I do?' }).click()
  await dialog.getByText('Your filters hide its clicks').waitFor()
  await dialog.getByRole('button', { name: 'Disable instead' }).click()
  await page.locator('tr', { hasText: 'clicked by a bot' }).getByText('Disabled').waitFor()
  expect(await found('clicked')).toHaveLength(2)
}, 60_000)

test('a deletion is judged, and asked about, by all clicks there have been, not by those of the range', async () => {
  const since = await make({ url: 'https://example.com/since', label: 'ranged since', slug: 'since' })
  const before = await make({ url: 'https://example.com/before', label: 'ranged before', slug: 'before' })
  await make({ url: 'https://example.com/never', label: 'ranged never' })
  await clickedDaysAgo(since, 1, 100, 100)
  await clickedDaysAgo(before, 100, 100)
  const { page } = await admin.open('/links?search=ranged&range=30d')
  await keepToasts(page)
  const row = (label: string) => page.locator('tr', { hasText: label })
  await row('ranged since').getByRole('cell', { name: '1', exact: true }).waitFor()
  await row('ranged before').getByRole('cell', { name: '0', exact: true }).waitFor()
  await page.route(`**/api/links/${since.id}`, (route) => route.abort())
  for (const label of ['ranged since', 'ranged before', 'ranged never']) await choose(page, label)
  const remove = page.getByRole('button', { name: 'Delete', exact: true })
  await remove.click()
  // What cannot be known is not guessed: nothing is deleted, and what was selected stays so.
  const toasts = page.getByRole('alert')
  await toasts.waitFor()
  expect([await row('ranged never').count(), await page.getByText('3 selected').count()]).toEqual([1, 1])
  await toasts.getByRole('button', { name: 'Close' }).click()
  await page.unroute(`**/api/links/${since.id}`)
  await remove.click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText('3 clicks', { exact: true }).waitFor()
  await dialog.getByText('2 clicks', { exact: true }).waitFor()
  expect(await dialog.getByText('Your filters hide its clicks').count()).toBe(0)
  await expectAccessible(page)
  await screenshot(page, 'links-blocked-range')
  await page.setViewportSize({ width: 390, height: 900 })
  await screenshot(page, 'links-blocked-range-390')
  await page.getByText('1 link is being deleted').waitFor()
  await row('ranged never').waitFor({ state: 'detached' })
  expect([await row('ranged since').count(), await row('ranged before').count()]).toEqual([1, 1])
}, 60_000)

test('clicks that come within the time to undo are told as clicks, not as hidden ones', async () => {
  const late = await make({ url: 'https://example.com/late', label: 'tardy', slug: 'tardy' })
  const { page } = await admin.open('/links?search=tardy&range=30d')
  await keepToasts(page)
  await choose(page, 'tardy')
  await page.getByRole('button', { name: 'Delete', exact: true }).click()
  await page.getByText('1 link is being deleted').waitFor()
  await clickedDaysAgo(late, 50)
  await page.getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'What can I do?' }).click()
  await page.getByRole('dialog').getByText('1 click', { exact: true }).waitFor()
}, 60_000)

test('of somebody else’s links one sees only what one may do: put them into a bundle', async () => {
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
  await choose(page, 'theirs')
  await page.getByText('Only owners can').waitFor()
  for (const name of ['Disable', 'Enable', 'Delete'])
    expect([name, await page.getByRole('button', { name, exact: true }).count()]).toEqual([name, 0])
  await page.getByRole('button', { name: 'Add to bundle' }).click()
  await page.getByRole('combobox', { name: 'Bundle' }).click()
  await page.getByRole('option', { name: 'Spring <i>' }).click()
  await expectAccessible(page)
  await page.getByRole('button', { name: 'Add', exact: true }).click()
  await page.getByText('1 link added to Spring <i>').waitFor()
  const bundles = (await (await fetch(admin.at('/api/bundles'))).json()) as { link_count: number }[]
  expect(bundles.map(({ link_count }) => link_count)).toEqual([1])
}, 60_000)

test('that no link matches a search does not become that there are none, while those without it are awaited', async () => {
  await make({ url: 'https://example.com/here', label: 'here all the time' })
  const { page } = await admin.open('/links?search=nowhere')
  const clear = page.getByRole('button', { name: 'Clear search and filters' })
  await clear.waitFor()
  const looked = Promise.withResolvers<undefined>()
  await page.route('**/api/links?*', async (route) => {
    await looked.promise
    await route.continue()
  })
  await clear.click()
  await page.locator('main .mantine-Skeleton-root').waitFor()
  expect(await page.getByText(/No links/).count()).toBe(0)
  await screenshot(page, 'links-awaited')
  looked.resolve(undefined)
  await page.getByText('here all the time').waitFor()
}, 60_000)

test('while a filter loads, the rows of before are dimmed and told as busy', async () => {
  await make({ url: 'https://example.com/dimmed', label: 'Shown before' })
  const { page } = await admin.open('/links')
  await page.getByText('Shown before').waitFor()
  const looked = Promise.withResolvers<undefined>()
  await page.route('**/api/links?*', async (route) => {
    await looked.promise
    await route.continue()
  })
  const busy = page.locator('[aria-busy=true]').filter({ hasText: 'Shown before' })
  expect(await busy.count()).toBe(0)
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Expired').click()
  await busy.waitFor()
  expect(Number(await busy.evaluate((part) => getComputedStyle(part).opacity))).toBeLessThan(1)
  looked.resolve(undefined)
  await busy.waitFor({ state: 'detached' })
}, 60_000)

for (const width of [390, 1280])
  test(`the slug of a short URL is whole in the list at ${width} px, however little room there is for its host`, async () => {
    const slug = width === 390 ? 'summer-sale' : 'summer-and-autumn'
    await make({ url: 'https://example.com/whole', label: `Whole ${width}`, slug, allow_duplicate: true })
    const { page } = await admin.open('/links', { width })
    const link = page.getByRole('link', { name: `/${slug}` })
    await link.waitFor()
    await screenshot(page, `links-whole-slug-${width}`)
    const hidden = await link.evaluate((anchor) => {
      const part = anchor.lastElementChild ?? anchor
      const text = document.createRange()
      text.selectNodeContents(part)
      return text.getBoundingClientRect().right - part.getBoundingClientRect().right
    })
    expect(hidden).toBeLessThan(0.1)
  }, 60_000)

test('what leaves the list while one chooses a bundle is put into it as well, unless it is deleted', async () => {
  await make({ url: 'https://example.com/stays', label: 'leaf stays' })
  const gone = await make({ url: 'https://example.com/gone', label: 'leaf gone' })
  const { id } = await make({ url: 'https://example.com/leaves', label: 'leaf leaves' })
  await admin.call('POST', '/bundles', { name: 'Leaves' })
  const { page } = await admin.open('/links?search=leaf&status=active')
  await choose(page, 'leaf stays')
  await choose(page, 'leaf leaves')
  await choose(page, 'leaf gone')
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

test('L18.3 a list that becomes empty leaves a dialog about it open, with what is typed in it', async () => {
  const { id } = await make({ url: 'https://example.com/vanishing', label: 'vanishing', slug: 'vanishing-1' })
  await follow('vanishing-1')
  await admin.call('POST', '/bundles', { name: 'Vanished' })
  const { page } = await admin.open('/links?search=vanishing&status=active')
  const dialog = page.getByRole('dialog')
  const emptied = page.locator('h2', { hasText: 'No links match' })
  await choose(page, 'vanishing')
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
  await choose(page, 'vanishing')
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

test('one of 10,000 links is found in no time, and pages are numbered', async () => {
  const rows = Array.from(
    { length: 10_000 },
    (_, n) => `{"url":"https://example.com/many/${n}","label":"Many ${n}"}`,
  )
  const imported = await fetch(admin.at('/api/import?format=ndjson'), {
    method: 'POST',
    body: rows.join('\n'),
  })
  expect(((await imported.json()) as { imported: number }).imported).toBe(10_000)
  const { page } = await admin.open('/links?sort=created&per_page=50')
  await page.getByText(/1–50 of 10,0\d\d/).waitFor()
  await screenshot(page, 'links-many')
  await page.getByRole('button', { name: 'Next page' }).click()
  await page.getByText(/51–100 of 10,0\d\d/).waitFor()
  expect(new URL(page.url()).search).toBe('?page=2&per_page=50')
  await page.goBack()
  await page.getByText(/1–50 of 10,0\d\d/).waitFor()
  await page.goForward()
  await page.getByText(/51–100 of 10,0\d\d/).waitFor()
  const took: number[] = []
  for (const number of [5555, 6666, 7777]) {
    const began = performance.now()
    await page.getByLabel('Search label, slug, URL or owner').fill(`many ${number}`)
    await page.getByRole('link', { name: `Many ${number}` }).waitFor()
    took.push(performance.now() - began)
  }
  await page.getByText('1–1 of 1').waitFor()
  // A quarter of a second is the wait for more letters. The fastest tells what it takes, the others what else went on.
  expect(Math.min(...took)).toBeLessThan(3_000)
  expect(new URL(page.url()).search).toBe('?search=many+7777&per_page=50')
  // Typing is one step with what was typed before.
  await page.goBack()
  await page.getByText(/1–50 of 10,0\d\d/).waitFor()
  expect(await page.getByLabel('Search label, slug, URL or owner').inputValue()).toBe('')
  await page.goForward()
  await page.getByRole('link', { name: 'Many 7777' }).waitFor()
  await page.reload()
  await page.getByRole('link', { name: 'Many 7777' }).waitFor()
  expect(await page.getByLabel('Search label, slug, URL or owner').inputValue()).toBe('many 7777')
  await page.getByRole('radiogroup', { name: 'State' }).getByText('Disabled').click()
  await page.getByRole('button', { name: 'Clear search and filters' }).click()
  expect(await page.getByLabel('Search label, slug, URL or owner').inputValue()).toBe('')
}, 120_000)

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    test(`the list of links is accessible, ${scheme} at ${width} px`, async () => {
      const { page, errors } = await admin.open('/links?range=30d&sort=clicks', { scheme, width })
      await page.locator('td').first().waitFor()
      await page.getByRole('checkbox', { name: 'Select clicked one' }).check()
      const states = page.locator('td .mantine-Badge-label')
      expect(await states.count()).toBeGreaterThan(0)
      const cut = await states.evaluateAll((all) => all.filter((each) => each.scrollWidth > each.clientWidth))
      expect(cut).toEqual([])
      await expectAccessible(page)
      await screenshot(page, `links-full-${scheme}-${width}`)
      expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(width)
      expect(errors).toEqual([])
      await page.context().close()
    }, 60_000)
