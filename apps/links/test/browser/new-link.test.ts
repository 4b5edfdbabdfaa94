import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import { createLink } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

test('L18 L24.17: a link is created, and hostile text in it stays text', async () => {
  const { page, errors } = await admin.open('/links')
  await page.getByText('No links yet').waitFor()
  await page.getByLabel('URL to shorten').fill('https://example.com/?<b>x')
  await page.getByLabel('Label', { exact: true }).fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.locator('td').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await page.locator('td img').count()).toBe(0)
  expect(await page.getByLabel('URL to shorten').inputValue()).toBe('')
  await createLink(admin, { url: `https://example.com/${'x'.repeat(1500)}`, label: 'y'.repeat(500) })
  await createLink(admin, { url: 'https://example.com/rtl', label: '\u202Eמימין לשמאל \u202Dend' })
  await page.getByText('end').waitFor()
  await createLink(admin, {
    url: 'https://example.com/spring',
    label: 'تقرير الربيع: كل ما تحتاج معرفته عن الحملة',
  })
  const arabic = page.locator('td').getByText('تقرير الربيع')
  await arabic.waitFor()
  // Cut at its end, which is on the left.
  expect(await arabic.evaluate((label) => getComputedStyle(label).direction)).toBe('rtl')
  const width = await page.evaluate(() => document.documentElement.scrollWidth)
  expect(width).toBe(1280)
  await expectAccessible(page)
  await screenshot(page, 'links-hostile')
  expect(errors).toEqual([])
}, 60_000)

test('a link can be created without site data in the browser', async () => {
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
  // The input outlasts its page, as elsewhere.
  expect(await url.inputValue()).toBe('https://example.com/storeless')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.locator('td').getByText('No storage').waitFor()
  expect(await url.inputValue()).toBe('')
  expect(errors).toEqual([])
}, 60_000)

test('a refused input stays typed, and its reason appears at its field', async () => {
  await createLink(admin, { url: 'https://example.com/taken', slug: 'taken' })
  const { page } = await admin.open('/links')
  const url = page.getByLabel('URL to shorten')
  await url.fill('ftp://example.com')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.getByText('Enter a valid http or https URL.').waitFor()
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
  // One digit too many, which browsers accept.
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

test('the input for a new link outlasts leaving the page, and is cleared once the link is created', async () => {
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
