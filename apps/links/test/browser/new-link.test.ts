import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type LinkJson, createBundle, createLink, read } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const openDialog = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Create link' }).click()
const submit = (page: Page) => page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()

test('L18 L24.17: a link is created, and hostile text in it stays text', async () => {
  const { page, errors } = await admin.open('/links')
  await page.getByText('No links yet').waitFor()
  await openDialog(page)
  await page.getByLabel('Destination').fill('https://example.com/?<b>x')
  await page.getByLabel('Label', { exact: true }).fill('<img src=x onerror=alert(1)>')
  await submit(page)
  await page.locator('td').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await page.locator('td img:not(.favicon)').count()).toBe(0)
  expect(await page.getByRole('dialog').count()).toBe(0)
  await createLink(admin, { url: `https://example.com/${'x'.repeat(1500)}`, label: 'y'.repeat(500) })
  await createLink(admin, { url: 'https://example.com/rtl', label: '\u202Eמימין לשמאל \u202Dend' })
  await page.getByText('end').waitFor()
  await createLink(admin, {
    url: 'https://example.com/spring',
    label: 'تقرير الربيع: كل ما تحتاج معرفته عن الحملة',
  })
  const arabic = page.locator('td').getByText('تقرير الربيع')
  await arabic.waitFor()
  // The label is cut at its end, which is on the left.
  expect(await arabic.evaluate((label) => getComputedStyle(label).direction)).toBe('rtl')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(1280)
  await screenshot(page, 'links-hostile')
  expect(errors).toEqual([])
}, 60_000)

test('L18.6: C on any page opens the dialog, and the new short URL is copied', async () => {
  const { page } = await admin.open('/keys')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.keyboard.press('c')
  await page.locator('#link-url:focus').waitFor()
  await page.keyboard.type('https://example.com/by-key')
  const slug = page.getByRole('textbox', { name: 'Slug', exact: true })
  await slug.fill('By-Key')
  await page.getByRole('img', { name: /QR code of .*by-key/ }).waitFor()
  await expectAccessible(page)
  await screenshot(page, 'create-dialog')
  await slug.press('Enter')
  await page.getByText('Short link created, copied').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  const url = new URL('/by-key', admin.at('')).href
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(url)
}, 60_000)

test('L18.6: a URL pasted outside a field opens the dialog with it, and other text does not', async () => {
  const { page } = await admin.open('/links')
  const paste = (text: string) =>
    page.evaluate((data) => {
      const clipboardData = new DataTransfer()
      clipboardData.setData('text/plain', data)
      document.body.dispatchEvent(new ClipboardEvent('paste', { clipboardData, bubbles: true }))
    }, text)
  await paste('some words')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await paste('https://example.com/pasted')
  await page.getByRole('dialog').waitFor()
  expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/pasted')
}, 60_000)

test('L18.7: letters in a field, with Ctrl, or switched off are not shortcuts', async () => {
  const { page } = await admin.open('/links')
  const search = page.getByRole('textbox', { name: /^Search label/ })
  await page.keyboard.press('/')
  await page.locator('#link-search:focus').waitFor()
  await page.keyboard.type('c?gb')
  expect(await search.inputValue()).toBe('c?gb')
  expect(await page.getByRole('dialog').count()).toBe(0)
  await search.blur()
  await page.keyboard.press('Shift+?')
  const sheet = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
  await sheet.waitFor()
  await expectAccessible(page)
  await sheet.getByRole('switch').uncheck()
  await page.keyboard.press('Escape')
  await sheet.waitFor({ state: 'detached' })
  await page.keyboard.press('c')
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(page.url()).toContain('/links')
}, 60_000)

test('G and a letter open a page', async () => {
  const { page } = await admin.open('/links')
  await page.keyboard.press('g')
  await page.keyboard.press('b')
  await page.getByRole('heading', { level: 1, name: 'Bundles' }).waitFor()
  expect(new URL(page.url()).pathname).toEndWith('/bundles')
}, 60_000)

test('UTM values are written into the destination, and offered for the next link', async () => {
  const { page } = await admin.open('/links')
  await openDialog(page)
  const url = page.getByLabel('Destination')
  await url.fill('https://example.com/utm?a=1#b')
  await page.getByRole('button', { name: 'UTM parameters' }).click()
  await page.getByLabel('Source').fill('news letter')
  expect(await url.inputValue()).toBe('https://example.com/utm?a=1&utm_source=news%20letter#b')
  await submit(page)
  await page.getByText('Short link created').waitFor()
  await openDialog(page)
  await page.getByRole('button', { name: 'UTM parameters' }).click()
  const offered = page.getByRole('group', { name: 'UTM parameters' }).locator('option')
  expect(await offered.evaluateAll((all) => all.map((each) => (each as HTMLOptionElement).value))).toEqual([
    'news letter',
  ])
}, 60_000)

test('a link can be created without site data in the browser', async () => {
  const { page, errors } = await admin.open('/links', { own: true })
  await page.addInitScript(() => {
    for (const name of ['sessionStorage', 'localStorage'])
      Object.defineProperty(globalThis, name, {
        get() {
          throw new DOMException('Access is denied for this document.', 'SecurityError')
        },
      })
  })
  await page.reload()
  await openDialog(page)
  const url = page.getByLabel('Destination')
  await url.fill('https://example.com/storeless')
  await page.getByLabel('Label', { exact: true }).fill('No storage')
  await page.keyboard.press('Escape')
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await openDialog(page)
  // The input outlasts its dialog, as elsewhere.
  expect(await url.inputValue()).toBe('https://example.com/storeless')
  await submit(page)
  await page.locator('td').getByText('No storage').waitFor()
  await openDialog(page)
  expect(await url.inputValue()).toBe('')
  expect(errors).toEqual([])
}, 60_000)

test('a refused input stays typed, and its reason appears at its field', async () => {
  await createLink(admin, { url: 'https://example.com/taken', slug: 'taken' })
  const { page } = await admin.open('/links')
  await openDialog(page)
  const url = page.getByLabel('Destination')
  const slug = page.getByRole('textbox', { name: 'Slug', exact: true })
  await url.fill('ftp://example.com')
  await submit(page)
  await page.getByText('Enter a valid http or https URL.').waitFor()
  expect(await url.getAttribute('aria-invalid')).toBe('true')
  await url.fill('https://example.com/other')
  await slug.fill('Taken')
  await page.keyboard.press('Enter')
  await page.getByText('This slug is already taken.').waitFor()
  expect(await slug.getAttribute('aria-invalid')).toBe('true')
  expect(await url.inputValue()).toBe('https://example.com/other')
  await slug.fill('')
  await url.fill('https://example.com/taken')
  await page.keyboard.press('Enter')
  await page.getByText('You already have a short link for this').waitFor()
  await page.getByRole('button', { name: 'Create another' }).click()
  await page.getByText('Short link created').waitFor()
  await page.getByRole('dialog').waitFor({ state: 'detached' })
}, 60_000)

test('an expiry is sent as typed, and a year of five digits is not', async () => {
  const { page } = await admin.open('/links')
  const sent: unknown[] = []
  page.on('request', (request) => request.method() === 'POST' && sent.push(request.postDataJSON()))
  await openDialog(page)
  await page.getByLabel('Destination').fill('https://example.com/until')
  const expires = page.getByLabel('Expires', { exact: true })
  // Browsers accept a year with one digit too many.
  await expires.fill('20266-01-01T10:00')
  await page.keyboard.press('Enter')
  await page.locator('#link-expires:invalid:focus').waitFor()
  await page.getByRole('button', { name: 'Never' }).click()
  await page.getByRole('button', { name: 'Tomorrow' }).click()
  expect(await expires.inputValue()).toEndWith('T23:59')
  await expires.fill('2066-01-01T10:00')
  await page.keyboard.press('Enter')
  await page.getByRole('link', { name: 'example.com/until' }).waitFor()
  expect(sent).toEqual([
    { url: 'https://example.com/until', expires_at: new Date(2066, 0, 1, 10).getTime() / 1000 },
  ])
}, 60_000)

test('the input for a new link outlasts a reload, and is cleared once the link is created', async () => {
  const { page } = await admin.open('/links')
  await openDialog(page)
  const url = page.getByLabel('Destination')
  await url.fill('https://example.com/half')
  await page.getByRole('textbox', { name: 'Label', exact: true }).fill('Half filled')
  await page.reload()
  await openDialog(page)
  expect(await url.inputValue()).toBe('https://example.com/half')
  expect(await page.getByRole('textbox', { name: 'Label', exact: true }).inputValue()).toBe('Half filled')
  await submit(page)
  await page.getByRole('link', { name: 'Half filled' }).waitFor()
  await page.reload()
  await openDialog(page)
  expect(await url.inputValue()).toBe('')
}, 60_000)

test('L17.3: a slug is checked while it is typed', async () => {
  await createLink(admin, { url: 'https://example.com/first', slug: 'checked' })
  const { page } = await admin.open('/links')
  await openDialog(page)
  const slug = page.getByRole('textbox', { name: 'Slug', exact: true })
  await slug.fill('Checked')
  await page.getByText('This slug is already taken.').waitFor()
  await slug.fill('checked-2')
  await page.getByText('This slug is available').waitFor()
  expect(await slug.getAttribute('aria-invalid')).not.toBe('true')
  await slug.fill('_')
  await page.getByText('This slug is available').waitFor({ state: 'detached' })
  await page.waitForFunction(
    () => document.querySelector('#link-slug')?.getAttribute('aria-invalid') === 'true',
  )
  await slug.fill('')
  await page.waitForFunction(
    () => document.querySelector('#link-slug')?.getAttribute('aria-invalid') !== 'true',
  )
}, 60_000)

test('L12.6b: the page of an unused slug leads to the dialog for a link with that slug, once', async () => {
  const { page, errors } = await admin.open('/links')
  await page.goto(new URL('/Black-Friday', admin.at('/')).href)
  await expectAccessible(page)
  await screenshot(page, 'owner-page')
  await page.getByRole('link', { name: 'Create this link' }).click()
  const slug = page.getByRole('dialog').getByRole('textbox', { name: 'Slug' })
  await slug.waitFor()
  expect(await slug.inputValue()).toBe('black-friday')
  await page.getByLabel('Destination').fill('https://example.com/black-friday')
  await submit(page)
  await page.getByRole('dialog').waitFor({ state: 'detached' })
  await page.reload()
  await page.locator('td', { hasText: 'black-friday' }).first().waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  const { status, headers } = await admin.fetch('/Black-Friday', { redirect: 'manual' })
  expect([status, headers.get('location')]).toEqual([302, 'https://example.com/black-friday'])
  // The page of the unused slug has the status 404.
  expect(errors.filter((text) => !text.includes('404'))).toEqual([])
}, 60_000)

test('L47.2: what a phone shares opens the dialog with its URL and title, once', async () => {
  const manifest = (await (await admin.fetch('/manifest.webmanifest')).json()) as {
    share_target: { action: string; method: string; params: Record<string, string> }
  }
  const { action, method, params } = manifest.share_target
  expect([action, method]).toEqual(['/_/admin/links', 'GET'])
  const { title = '', text = '', url = '' } = params
  const shared = new URLSearchParams({
    [title]: 'Spring offers',
    [text]: 'Have a look: https://example.com/shared?a=1',
    [url]: '',
  })
  const { page, errors } = await admin.open(`/links?${shared}`, { width: 390 })
  await page.getByRole('dialog').waitFor()
  expect(await page.getByLabel('Destination').inputValue()).toBe('https://example.com/shared?a=1')
  expect(await page.getByLabel('Label', { exact: true }).inputValue()).toBe('Spring offers')
  expect(new URL(page.url()).search).toBe('')
  await submit(page)
  await page.locator('main').getByText('Spring offers').first().waitFor()
  await page.reload()
  await page.locator('main').getByText('Spring offers').first().waitFor()
  expect(await page.getByRole('dialog').count()).toBe(0)
  expect(errors).toEqual([])
}, 60_000)

test('L47.1a: the dialog shows a default bundle that is archived', async () => {
  const bundle = await createBundle(admin, { name: 'Last year' })
  await admin.call('POST', `/bundles/${bundle}/archive`, undefined)
  await admin.call('PUT', '/defaults', { domain: null, bundle, expires_in: null, forward_query: null })
  const { page, errors } = await admin.open('/links')
  await openDialog(page)
  const choice = page.getByRole('dialog').getByLabel('Bundle', { exact: true })
  await choice.getByText(`Bundle ${bundle}`).waitFor({ state: 'attached' })
  expect(await choice.inputValue()).toBe(String(bundle))
  expect(errors).toEqual([])
}, 60_000)

test('L47.1a, L47.4a: the dialog begins with the defaults of the person, and a template fills the UTM parameters that it has', async () => {
  const bundle = await createBundle(admin, { name: 'Newsletter' })
  const defaults = { domain: null, bundle, expires_in: 86_400, forward_query: 'utm' }
  await admin.call('PUT', '/defaults', defaults)
  await admin.call('POST', '/utm-templates', { name: 'Mail', source: 'newsletter', medium: 'email' })
  const { page, errors } = await admin.open('/links')
  await openDialog(page)
  const dialog = page.getByRole('dialog')
  await dialog.getByLabel('Destination').fill('https://example.com/habit?utm_campaign=spring')
  await dialog.getByLabel('Template', { exact: true }).selectOption('Mail')
  await dialog.getByLabel('Slug', { exact: true }).fill('habit')
  await dialog.getByLabel('Expires', { exact: true }).fill('')
  await submit(page)
  await dialog.waitFor({ state: 'detached' })
  const link = await read<LinkJson>(admin, '/slugs/habit')
  expect(link).toMatchObject({
    url: 'https://example.com/habit?utm_campaign=spring&utm_source=newsletter&utm_medium=email',
    expires_at: null,
  })
  expect(await read<object>(admin, `/links/${link.id}/bundles`)).toMatchObject([{ id: bundle }])
  expect(await read<object>(admin, `/links/${link.id}/behaviour`)).toEqual({ forward_query: 'utm' })
  expect(errors).toEqual([])
}, 60_000)
