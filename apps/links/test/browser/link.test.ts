import { beforeAll, expect, test } from 'bun:test'
import {
  expectAccessible,
  expectAccessibleViews,
  keepToasts,
  screenshot,
} from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { classifyClick } from '../../src/clicks/click.ts'
import { openRecorder } from '../../src/clicks/recorder.ts'
import { failures } from '../../src/failures.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const DAY = 86_400
const PHONE = 'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1'
const DESKTOP = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36'
const BOT = 'Googlebot/2.1'
const HOSTILE = '<img src=x onerror=alert(1)>'
const COUNTRIES = 'SE DE ID US BA NO FR GB NL DK FI ES IT PL JP BR CA AU IN'.split(' ')
const REFERRERS = [
  null,
  'https://news.example.org/a',
  'https://www.example.com/',
  `https://an-unusually-long-host-name.example.net/${'x'.repeat(300)}`,
  `https://example.org/?${encodeURIComponent(HOSTILE)}`,
]

interface CreatedLink {
  id: number
  url: string
  label: string | null
  slugs: { slug: string; is_primary: number; disabled_at: number | null }[]
  disabled_at: number | null
  expires_at: number | null
}

const ids: Record<string, number> = {}

const post = async (path: string, body: unknown) => (await admin.call('POST', path, body)).json()
const read = async (id: number | undefined): Promise<CreatedLink> =>
  (await fetch(admin.at(`/api/links/${id}`))).json() as Promise<CreatedLink>

async function make(name: string, body: object): Promise<number> {
  const { id } = (await post('/links', { url: `https://example.com/${name}`, ...body })) as CreatedLink
  ids[name] = id
  return id
}

interface Visit {
  slug: string
  linkId: number
  age: number
  userAgent?: string
  index?: number
}

const now = Math.floor(Date.now() / 1000)

function click({ slug, linkId, age, index = 0, userAgent }: Visit) {
  return classifyClick({
    slug,
    linkId,
    clickedAt: now - age,
    host: '127.0.0.1',
    query: index % 5 === 0 ? 'utm_medium=qr' : index % 7 === 0 ? `utm_source=letter-${index % 13}` : null,
    referrer: REFERRERS[index % REFERRERS.length] ?? null,
    userAgent: userAgent ?? (index % 3 === 0 ? DESKTOP : PHONE),
    country: COUNTRIES[(index * 7) % (1 + (index % COUNTRIES.length))] ?? null,
    visitorFp: String(index % 40),
  })
}

beforeAll(async () => {
  const sale = await make('sale', { slug: 'spring-sale', label: 'Spring sale, all shops' })
  for (const slug of ['flyer', 'poster', 'bots-only', 'never-clicked'])
    await post(`/links/${sale}/slugs`, { slug })
  await post(`/links/${sale}/slugs/poster/disable`, {})
  const bundle = (await post('/bundles', { name: 'Spring campaign' })) as CreatedLink
  await post('/bundles', { name: 'Other things' })
  await post(`/bundles/${bundle.id}/links`, { link_id: sale })
  await make('fresh', { label: 'Fresh' })
  await make('off', { label: 'Switched off', slug: 'off' })
  await post(`/links/${ids['off']}/disable`, {})
  await make('over', { label: 'Over', expires_at: now - 3 * DAY })
  const hostile = {
    url: `https://example.com/${'w'.repeat(500)}?${HOSTILE}`,
    label: `${HOSTILE} ‮ عرض ${'W'.repeat(400)}`,
  }
  await make('foreign', { ...hostile, slug: 'x'.repeat(128) })
  const recorder = openRecorder(admin.databaseUrl)
  const visits = Array.from({ length: 600 }, (_, index) =>
    click({
      slug: index % 4 === 0 ? 'flyer' : 'spring-sale',
      linkId: sale,
      age: 60 + ((index * index * 977) % (50 * DAY)),
      index,
    }),
  )
  const bots = [1, 2, 3].map((age) => click({ slug: 'bots-only', linkId: sale, age, userAgent: BOT }))
  await recorder.record([...visits, ...bots])
  await recorder.close()
  const database = admin.database()
  database.run(`UPDATE link SET created_by = 'somebody@example.com' WHERE id = ${ids['foreign']}`)
  database.close()
}, 60_000)

async function open(name: string, query = '', view: Parameters<typeof admin.open>[1] = {}) {
  const opened = await admin.open(`/links/${ids[name]}${query}`, view)
  await untilWhole(opened.page)
  return opened
}

async function untilWhole(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Slugs' }).waitFor()
  await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

const menu = async (page: Page, entry: string) => {
  await page.getByRole('button', { name: 'Actions for this link' }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

const slugMenu = async (page: Page, slug: string, entry: string) => {
  await page.getByRole('button', { name: `Actions for ${slug}`, exact: true }).click()
  await page.getByRole('menuitem', { name: entry }).click()
}

/** Polls until it is so; after 15 s it never will be. */
async function until<Value>(ask: () => Promise<Value>, wanted: (value: Value) => boolean): Promise<Value> {
  for (const end = Date.now() + 15_000; ;) {
    const value = await ask()
    if (wanted(value)) return value
    if (Date.now() > end) throw new Error(`It stays ${JSON.stringify(value)}`)
    await Bun.sleep(25)
  }
}

test('a link’s page is accessible and within its width, wide and on a phone, in light and in dark', async () => {
  const { page, errors } = await open('sale')
  for (const name of ['sale', 'foreign', 'fresh', 'off', 'over']) {
    await page.goto(admin.at(`/links/${ids[name]}`))
    await untilWhole(page)
    await expectAccessibleViews(page, `link-${name}`)
    expect([name, errors]).toEqual([name, []])
    expect(await page.locator('main img').count()).toBe(0)
  }
}, 120_000)

test('L18 its owner edits label, URL and expiry where they stand; what is refused stays typed', async () => {
  const id = await make('edited', { label: 'Before' })
  const { page, errors } = await open('edited')
  await page.getByRole('button', { name: 'Edit the label' }).click()
  const label = page.getByRole('textbox', { name: 'Label' })
  await label.fill(HOSTILE)
  await label.press('Enter')
  await page.getByRole('heading', { level: 1, name: HOSTILE }).waitFor()
  await page.locator('[aria-label="Edit the label"]:focus').waitFor()
  await page.getByRole('button', { name: 'Edit the URL' }).click()
  const url = page.getByRole('textbox', { name: 'Leads to' })
  await url.fill('javascript:alert(1)')
  await url.press('Enter')
  await page.getByText('This is not a valid http or https URL.').waitFor()
  await expectAccessible(page)
  expect([await url.inputValue(), (await read(id)).url]).toEqual([
    'javascript:alert(1)',
    'https://example.com/edited',
  ])
  const long = `https://example.com/?${'long'.repeat(600)}`
  await url.fill(long)
  await url.press('Enter')
  await page.getByText('A URL has at most 2048 characters.').waitFor()
  expect([await url.inputValue(), (await read(id)).url]).toEqual([long, 'https://example.com/edited'])
  await url.fill('javascript:alert(1)')
  // News of clicks comes in while somebody types.
  await fetch(new URL(`/${(await read(id)).slugs[0]?.slug}`, admin.at('/')), {
    redirect: 'manual',
    headers: { 'User-Agent': PHONE },
  })
  await page.getByText('No clicks yet').waitFor({ state: 'detached' })
  expect(await url.inputValue()).toBe('javascript:alert(1)')
  await url.press('Escape')
  await page.getByRole('button', { name: 'Edit the expiry' }).click()
  await page.getByLabel('Expires', { exact: true }).fill('2020-01-02T03:04')
  await page.getByText('That moment has passed').waitFor()
  await page.getByRole('button', { name: 'Save' }).click()
  await page.getByText('This link has expired').waitFor()
  expect((await read(id)).expires_at).toBe(Math.floor(new Date(2020, 0, 2, 3, 4).getTime() / 1000))
  await page.getByRole('alert').getByRole('button', { name: 'Never expire' }).click()
  await until(
    () => read(id),
    ({ expires_at }) => expires_at === null,
  )
  await page.getByText('This link has expired').waitFor({ state: 'detached' })
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('a key that an input method takes neither closes what is edited nor loses what was typed', async () => {
  await make('composed', { label: 'Before' })
  const { page } = await open('composed')
  await page.getByRole('button', { name: 'Edit the label' }).click()
  const label = page.getByRole('textbox', { name: 'Label' })
  await label.fill('にほんご')
  await label.dispatchEvent('keydown', { key: 'Escape', isComposing: true })
  await label.dispatchEvent('keydown', { key: 'Escape', keyCode: 229 })
  expect(await label.inputValue()).toBe('にほんご')
  await label.dispatchEvent('keydown', { key: 'Escape' })
  await label.waitFor({ state: 'detached' })
}, 60_000)

test('a page that was open for long sees a link expire that was given its expiry since', async () => {
  const id = await make('open', { label: 'Open' })
  const { page } = await admin.open('/links')
  await page.clock.install()
  await page.goto(admin.at(`/links/${id}`))
  await untilWhole(page)
  await page.clock.fastForward('01:00:00')
  const soon = Math.floor(Date.now() / 1000) + 3_700
  await admin.call('PATCH', `/links/${id}`, { expires_at: soon })
  await page.getByText('Never', { exact: true }).waitFor({ state: 'detached' })
  expect(await page.getByText('This link has expired').count()).toBe(0)
  await page.clock.fastForward('02:00')
  await page.getByText('This link has expired').waitFor()
}, 60_000)

test('somebody else’s link offers nothing that only its owner may do', async () => {
  const { page } = await open('foreign')
  expect(await page.getByRole('button', { name: /^Edit/ }).count()).toBe(0)
  await page.getByRole('button', { name: 'Actions for this link' }).click()
  await page.getByRole('menuitem', { name: 'Duplicate' }).waitFor()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual([
    'Add a slug',
    'Add to bundle',
    'Duplicate',
  ])
  await page.keyboard.press('Escape')
  await page.getByRole('button', { name: `Actions for ${'x'.repeat(128)}` }).click()
  await page.getByRole('menuitem', { name: 'QR code' }).waitFor()
  expect(await page.getByRole('menuitem').allInnerTexts()).toEqual(['Copy the short URL', 'QR code'])
  await page.evaluate(() => {
    navigator.clipboard.writeText = () => Promise.reject(new Error('Refused'))
  })
  await page.getByRole('menuitem', { name: 'Copy the short URL' }).click()
  await page.getByRole('alert').getByText('The browser did not let it be copied').waitFor()
  await screenshot(page, 'link-not-copied')
}, 60_000)

test('disabling acts at once and can be taken back, of a link and of its primary slug', async () => {
  const id = await make('switched', { slug: 'switched' })
  const { page } = await open('switched')
  await keepToasts(page)
  await menu(page, 'Disable')
  await page.getByText('This link is disabled').waitFor()
  expect((await read(id)).disabled_at).not.toBeNull()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByText('This link is disabled').waitFor({ state: 'detached' })
  expect((await read(id)).disabled_at).toBeNull()
  // Also when it is done only after the page was left.
  const left = Promise.withResolvers<undefined>()
  await page.route('**/disable', async (route) => {
    await left.promise
    await route.continue()
  })
  await menu(page, 'Disable')
  await page.getByRole('link', { name: 'All links' }).click()
  await page.getByRole('heading', { level: 1, name: 'Links' }).waitFor()
  left.resolve(undefined)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.unroute('**/disable')
  await until(
    () => read(id),
    ({ disabled_at }) => disabled_at === null,
  )
  await page.goBack()
  await untilWhole(page)
  await slugMenu(page, 'switched', 'Disable')
  const off = await until(
    () => read(id),
    ({ slugs }) => slugs[1]?.disabled_at !== null,
  )
  expect(off.slugs.map(({ is_primary }) => is_primary)).toEqual([1, 0])
  await page.getByRole('button', { name: 'Undo' }).click()
  await until(
    () => read(id),
    ({ slugs }) => slugs[1]?.is_primary === 1 && slugs[1].disabled_at === null,
  )
}, 60_000)

test('a slug is added, made primary and removed, with the keyboard alone', async () => {
  const id = await make('keyed', {})
  const { page } = await open('keyed')
  const press = (...keys: string[]) =>
    keys.reduce((before, key) => before.then(() => page.keyboard.press(key)), Promise.resolve())
  await page.getByRole('button', { name: 'Actions for this link' }).focus()
  await press('Enter')
  await page.getByRole('menuitem', { name: 'Add a slug' }).waitFor()
  await press('ArrowDown')
  await page.getByRole('menuitem', { name: 'Add a slug' }).focus()
  await press('Enter')
  const field = page.getByRole('textbox', { name: 'New slug' })
  await field.waitFor()
  await page.locator('[role=dialog] input:focus').waitFor()
  await page.keyboard.type('Spring-Sale')
  await press('Enter')
  await page.getByText('This slug is already taken.').waitFor()
  await expectAccessible(page)
  expect(await field.inputValue()).toBe('Spring-Sale')
  await field.fill('keyed-one')
  await press('Enter')
  await field.waitFor({ state: 'detached' })
  await page.locator('[aria-label="Actions for this link"]:focus').waitFor()
  await slugMenu(page, 'keyed-one', 'Remove')
  await page.getByText('keyed-one is being removed').waitFor()
  expect(await page.getByRole('button', { name: 'Actions for keyed-one' }).count()).toBe(0)
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.goBack()
  await untilWhole(page)
  expect(await page.getByRole('button', { name: 'Actions for keyed-one' }).count()).toBe(0)
  // Left early, it is carried out.
  await page.goto(admin.at('/keys'))
  await until(
    () => read(id),
    ({ slugs }) => slugs.length === 1,
  )
}, 60_000)

test('a slug with clicks is kept: it says so, and offers to disable or to type its name', async () => {
  const id = ids['sale']
  const { page } = await open('sale')
  await keepToasts(page)
  await slugMenu(page, 'flyer', 'Remove')
  const dialog = page.getByRole('dialog')
  await dialog.getByText('flyer has clicks').waitFor()
  await dialog.getByText(/150 clicks would be lost/).waitFor()
  await screenshot(page, 'link-blocked')
  await expectAccessible(page)
  const force = dialog.getByRole('button', { name: 'Remove with its clicks' })
  expect(await force.isDisabled()).toBeTrue()
  await dialog.getByRole('textbox').fill('flyers')
  expect(await force.isDisabled()).toBeTrue()
  await dialog.getByRole('textbox').fill('flyer')
  await force.click()
  await page.getByText('flyer is being removed').waitFor()
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('button', { name: 'Actions for flyer' }).waitFor()
  await slugMenu(page, 'flyer', 'Remove')
  await page.getByRole('button', { name: 'Disable instead' }).click()
  const kept = await until(
    () => read(id),
    ({ slugs }) => slugs.some((s) => s.slug === 'flyer' && s.disabled_at !== null),
  )
  expect(kept.slugs).toHaveLength(6)
}, 60_000)

test('L18.4 where filters hide the clicks that block a removal, it says that too', async () => {
  const { page } = await open('sale')
  await keepToasts(page)
  await slugMenu(page, 'bots-only', 'Remove')
  await page.getByText('bots-only is being removed').waitFor()
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await page.getByText('bots-only was not removed: it has clicks.').waitFor()
  await page.getByRole('button', { name: 'Actions for bots-only' }).waitFor()
  await page.getByRole('button', { name: 'What can I do?' }).click()
  await page
    .getByRole('dialog')
    .getByText(/your settings leave out bots/)
    .waitFor()
  await screenshot(page, 'link-blocked-hidden')
  await expectAccessible(page)
}, 60_000)

test('a click that comes within the time to undo a removal is told as a click, not as a hidden one', async () => {
  const id = await make('tardy', {})
  await post(`/links/${id}/slugs`, { slug: 'tardy' })
  const { page } = await open('tardy')
  await keepToasts(page)
  await slugMenu(page, 'tardy', 'Remove')
  await page.getByText('tardy is being removed').waitFor()
  const recorder = openRecorder(admin.databaseUrl)
  await recorder.record([click({ slug: 'tardy', linkId: id, age: 1 })])
  await recorder.close()
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await page.getByRole('button', { name: 'What can I do?' }).click()
  await page.getByRole('dialog').getByText('1 click').waitFor()
}, 60_000)

test('a link is deleted after the time to undo, and the page goes to the list', async () => {
  const id = await make('doomed', {})
  const { page, errors } = await open('doomed')
  await keepToasts(page)
  await menu(page, 'Delete')
  await page.getByRole('heading', { name: 'This link is being deleted' }).waitFor()
  expect((await fetch(admin.at(`/api/links/${id}`))).status).toBe(200)
  await screenshot(page, 'link-leaving')
  // Out of sight in the list, too, until it is taken back there.
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.getByRole('checkbox', { name: 'Select Fresh' }).waitFor()
  expect(await page.getByRole('link', { name: 'example.com/doomed' }).count()).toBe(0)
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('link', { name: 'example.com/doomed' }).click()
  await menu(page, 'Delete')
  await page.getByRole('heading', { name: 'This link is being deleted' }).waitFor()
  await page.locator('.mantine-Notification-root').getByRole('button', { name: 'Close' }).click()
  await page.waitForURL(/\/links$/)
  expect((await fetch(admin.at(`/api/links/${id}`))).status).toBe(404)
  await page.goto(admin.at(`/links/${id}`))
  await page.getByText('This link does not exist').waitFor()
  await expectAccessible(page)
  expect(errors.filter((error) => !error.includes('404'))).toEqual([])
}, 60_000)

test('a duplicate is a link of one’s own to the same URL', async () => {
  const { page } = await open('over')
  await menu(page, 'Duplicate')
  await page.waitForURL((url) => !url.pathname.endsWith(`/${ids['over']}`))
  const copy = await read(Number(page.url().split('/').at(-1)))
  expect(copy).toMatchObject({ url: 'https://example.com/over', label: 'Over', expires_at: null })
}, 60_000)

test('a QR code is drawn as asked for, and its problems are told at their fields', async () => {
  const { page, errors } = await open('sale')
  await page.getByRole('button', { name: 'QR code' }).first().click()
  const dialog = page.getByRole('dialog')
  const image = dialog.getByRole('img', { name: /QR code of 127.0.0.1:\d+\/spring-sale/ })
  await until(
    () => image.evaluate((node: unknown) => (node as { naturalWidth: number }).naturalWidth),
    (width) => width === 400,
  )
  await screenshot(page, 'link-qr')
  await expectAccessible(page)
  await dialog.getByLabel('Size in pixels').fill('20')
  await dialog.getByText(/Too small for a PNG/).waitFor()
  expect(await dialog.getByRole('button', { name: 'Download PNG' }).isDisabled()).toBeTrue()
  await dialog.getByLabel('Size in pixels').fill('512')
  await dialog.getByLabel('Error correction').selectOption('H')
  await dialog.getByLabel('Dark colour').fill('#eeeeee')
  await dialog.getByText(/too alike to be scanned/).waitFor()
  await expectAccessible(page)
  await dialog.getByLabel('Dark colour').fill('#1b3a6b')
  await dialog.getByText(/too alike to be scanned/).waitFor({ state: 'detached' })
  const address = await dialog.getByRole('link', { name: 'Download PNG' }).getAttribute('href')
  const png = await fetch(new URL(address ?? '', admin.at('/')))
  expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(new URL(address ?? '', admin.at('/')).searchParams.toString()).toBe(
    'slug=spring-sale&size=512&level=H&dark=%231b3a6b&light=%23ffffff&format=png',
  )
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('every dialog is accessible at phone width in the dark, and gives the focus back', async () => {
  const { page } = await open('sale', '', { width: 390, scheme: 'dark' })
  const dialog = page.getByRole('dialog')
  const look = async (name: string, opener: string) => {
    await dialog.waitFor()
    await page.evaluate('document.fonts.ready')
    const folder = process.env['LATCHKEY_TEST_SHOTS']
    if (folder) await page.screenshot({ path: `${folder}/link-dialog-${name}.png` })
    await expectAccessible(page)
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'detached' })
    await page.locator(`[aria-label="${opener}"]:focus`).waitFor()
  }
  await menu(page, 'Add a slug')
  await look('slug', 'Actions for this link')
  await menu(page, 'Add to bundle')
  await dialog.getByRole('combobox', { name: 'Bundle' }).waitFor()
  await look('bundle', 'Actions for this link')
  await menu(page, 'Delete')
  await look('delete', 'Actions for this link')
  await slugMenu(page, 'flyer', 'QR code')
  await dialog.getByRole('img', { name: /flyer/ }).waitFor()
  await look('qr', 'Actions for flyer')
  await page.getByRole('button', { name: 'Edit the expiry' }).click()
  await expectAccessible(page)
  await screenshot(page, 'link-expiry-390')
}, 60_000)

test('a link is put into a bundle, and says so', async () => {
  const { page } = await open('sale')
  await menu(page, 'Add to bundle')
  await page.getByRole('combobox', { name: 'Bundle' }).click()
  expect(await page.getByRole('option').allInnerTexts()).toEqual(['Other things'])
  await page.getByRole('option', { name: 'Other things' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Add' }).click()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.locator('dd').getByRole('link', { name: 'Other things' }).waitFor()
}, 60_000)

test('figures are of the range in the address, and long lists have pages', async () => {
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
  // The first page stands there, dimmed, until the second has come.
  await countries.locator('[aria-busy="false"]').waitFor()
  const second = await countries.locator('li').allInnerTexts()
  expect(first).toHaveLength(10)
  expect(second.length).toBeGreaterThan(0)
  expect(first.filter((row) => second.includes(row))).toEqual([])
  await page.getByRole('radiogroup', { name: 'Range' }).getByText('7D').click()
  await page.waitForURL(/range=7d/)
  await until(
    () => figure('Clicks'),
    (text) => !text.includes('600'),
  )
  // From its beginning.
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

/** Refuses what is asked for at such an address, until the function that it returns is called. */
async function refuse(page: Page, what: RegExp, status = 500) {
  await page.route(what, (route) => route.fulfill({ status, json: { error: 'Words of the server' } }))
  return () => page.unroute(what)
}

test('L18.5 figures of which a part cannot be had say why, beside those that can, and are asked for again', async () => {
  const { page } = await admin.open('/links')
  let mend = await refuse(page, /api.*timeline/)
  await page.goto(admin.at(`/links/${ids['sale']}?range=all`))
  await page.getByRole('heading', { name: 'This could not be shown' }).waitFor()
  await page.getByText('Something went wrong in the service.').waitFor()
  await untilWhole(page)
  const main = page.locator('main')
  expect(await main.locator('.mantine-Skeleton-root').count()).toBe(0)
  expect(await main.innerText()).toMatch(/Average a day\s+–/)
  expect(await main.innerText()).toMatch(/Clicks\s+600/)
  await screenshot(page, 'link-no-timeline')
  await expectAccessible(page)
  await mend()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.locator('.bars-bar').first().waitFor({ state: 'attached' })
  expect(await page.getByText('This could not be shown').count()).toBe(0)
  mend = await refuse(page, /api.*analytics/, 503)
  await page.reload()
  await page.getByText('The service cannot do this at the moment.').waitFor()
  await page.getByRole('heading', { name: 'Slugs' }).waitFor()
  expect(await main.locator('.mantine-Skeleton-root').count()).toBe(0)
  // Nothing is said of how it was reached, not even that nobody did.
  expect(await page.getByRole('heading', { name: 'Access' }).count()).toBe(0)
  await page.emulateMedia({ colorScheme: 'dark' })
  await page.setViewportSize({ width: 390, height: 844 })
  await screenshot(page, 'link-no-figures-390')
  await expectAccessible(page)
  await mend()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('heading', { name: 'Access' }).waitFor()
}, 60_000)

test('L18.5 a page of a list that cannot be had says so and keeps the way to the others', async () => {
  const { page } = await admin.open('/links')
  let mend = await refuse(page, /dimension=countries&offset=0/)
  await page.goto(admin.at(`/links/${ids['sale']}?range=all`))
  const countries = page.locator('main .mantine-Paper-root', {
    has: page.getByRole('heading', { name: 'Countries' }),
  })
  const failed = countries.getByRole('alert')
  await failed.getByText('There may be more').waitFor()
  expect(await countries.locator('li').count()).toBe(10)
  await screenshot(page, 'link-list-unknown')
  await mend()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await countries.getByText(/^1–10 of/).waitFor()
  mend = await refuse(page, /dimension=countries&offset=10/)
  await countries.getByRole('button', { name: 'Next' }).click()
  await failed.getByText('Something went wrong in the service.').waitFor()
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
  await mend()
  await countries.getByRole('button', { name: 'Next' }).click()
  await countries.getByText(/^11–/).waitFor()
  await countries.locator('[aria-busy="false"] li').first().waitFor()
  expect(await failed.count()).toBe(0)
}, 60_000)

test('L18.5 a QR code that cannot be drawn says why, and is drawn once it can be', async () => {
  const link = await make('drawn', { slug: 'drawn-1' })
  await post(`/links/${link}/slugs`, { slug: 'drawn-2' })
  const { page } = await open('drawn')
  const mend = await refuse(page, /api.*\/qr\?/)
  await slugMenu(page, 'drawn-2', 'QR code')
  const dialog = page.getByRole('dialog')
  const failed = dialog.getByRole('alert')
  await failed.getByText('Something went wrong in the service.').waitFor()
  expect(await dialog.getByRole('img', { name: /QR code/ }).count()).toBe(0)
  expect(await dialog.getByRole('button', { name: 'Download SVG' }).isDisabled()).toBeTrue()
  await screenshot(page, 'link-qr-failed')
  await expectAccessible(page)
  await mend()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByRole('img', { name: /drawn-2/ }).waitFor()
  await fetch(admin.at(`/api/links/${link}/slugs/drawn-2`), { method: 'DELETE' })
  await dialog.getByLabel('Error correction').selectOption('H')
  await failed.getByText('This slug no longer exists').waitFor()
  expect(await dialog.getByLabel('Slug').inputValue()).toBe('drawn-2')
  await dialog.getByLabel('Slug').selectOption('drawn-1')
  await dialog.getByRole('img', { name: /drawn-1/ }).waitFor()
  await page.route(/level=L.*format=png/, (route) =>
    route.fulfill({ status: 400, json: { error: failures.qr_too_long.text, code: 'qr_too_long' } }),
  )
  await dialog.getByLabel('Error correction').selectOption('L')
  await dialog.getByText('An address this long does not fit at this level.').waitFor()
  expect(await failed.count()).toBe(0)
}, 60_000)

for (const lang of ['sv', 'id'] as const)
  test(`the page reads well in ${lang}`, async () => {
    await admin.call('PUT', '/settings', { lang })
    const { page } = await admin.open(`/links/${ids['sale']}`, { width: 390 })
    await page.getByRole('heading', { name: lang === 'sv' ? 'Kortnamn' : 'Slug' }).waitFor()
    await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
    expect(await page.locator('main').innerText()).not.toMatch(/link\.\w/)
    await screenshot(page, `link-sale-${lang}-390`)
    await page.setViewportSize({ width: 1280, height: 900 })
    await screenshot(page, `link-sale-${lang}-1280`)
    await expectAccessible(page)
    await admin.call('PUT', '/settings', { lang: null })
  }, 60_000)
