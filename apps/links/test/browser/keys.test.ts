import { expect, test } from 'bun:test'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import { createKey, post } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()
const HOSTILE = '<img src=x onerror=alert(1)> \u202egnirts'

const useKey = (rawKey: string) =>
  fetch(new URL('/_/api/links', admin.at('/')), { headers: { Authorization: `Bearer ${rawKey}` } })

test('L18: a key is created with the keyboard alone, shown once, works, and is refused from the first request after its revocation', async () => {
  const { page, errors } = await admin.open('/keys')
  await page.getByText('No API keys yet').waitFor()
  await screenshot(page, 'keys-none')
  await page.getByRole('button', { name: 'Create key' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).waitFor()
  expect(await dialog.getByRole('radio', { name: 'Create and read' }).isChecked()).toBe(true)
  await expectAccessible(page)
  await screenshot(page, 'keys-dialog')

  await page.keyboard.press('Enter')
  await dialog.getByText('Enter a title.').waitFor()
  await page.keyboard.type(HOSTILE)
  await page.keyboard.press('Enter')
  await dialog.getByText('You won’t see this key again').waitFor()
  const keyField = dialog.getByRole('textbox', { name: 'Your new key' })
  const rawKey = await keyField.inputValue()
  expect(rawKey).toMatch(/^sk_[0-9a-f]{48}$/)
  await expectAccessible(page)
  await screenshot(page, 'keys-made')

  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  const copy = dialog.getByRole('button', { name: 'Copy key' })
  await copy.and(page.locator(':focus')).waitFor()
  // The text lasts for a second only, and the page itself has to observe it.
  const copied = page.waitForFunction(() =>
    [...document.querySelectorAll('[role=dialog] button')].some(
      ({ textContent, ariaLabel }) => textContent === 'Copied' || ariaLabel === 'Copied',
    ),
  )
  await page.keyboard.press('Enter')
  await copied
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(rawKey)
  await page.keyboard.press('Escape')
  expect(await keyField.inputValue()).toBe(rawKey)
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect(await page.content()).not.toContain(rawKey)

  await page.locator('td', { hasText: HOSTILE }).waitFor()
  expect(await page.locator('td img').count()).toBe(0)
  expect((await useKey(rawKey)).status).toBe(200)
  await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  await dialog.getByText('Revoke this key?').waitFor()
  await expectAccessible(page)
  await screenshot(page, 'keys-revoke')
  await dialog.getByRole('button', { name: 'Cancel' }).click()
  await dialog.waitFor({ state: 'detached' })
  expect((await useKey(rawKey)).status).toBe(200)
  await page.getByRole('button', { name: `Revoke ${HOSTILE}` }).click()
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No API keys yet').waitFor()
  expect((await useKey(rawKey)).status).toBe(401)
  expect(errors.filter((text) => !text.includes('400'))).toEqual([])
}, 60_000)

test('a key that the browser does not copy is reported and can still be read', async () => {
  const { page } = await admin.open('/keys', { own: true })
  await page.addInitScript(`Reflect.deleteProperty(Navigator.prototype, 'clipboard')`)
  await page.reload()
  await page.getByRole('button', { name: 'Create key' }).click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('textbox', { name: 'Title' }).fill('By hand')
  await page.keyboard.press('Enter')
  await dialog.getByRole('button', { name: 'Copy key' }).click()
  await page.getByRole('alert').getByText('Couldn’t copy. Your browser didn’t allow it.').waitFor()
  await screenshot(page, 'keys-not-copied')
  const rawKey = await dialog.getByRole('textbox', { name: 'Your new key' }).inputValue()
  expect((await useKey(rawKey)).status).toBe(200)
  await dialog.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await page.getByRole('button', { name: 'Revoke By hand' }).click()
  await dialog.getByRole('button', { name: 'Revoke key' }).click()
  await page.getByText('No API keys yet').waitFor()
}, 60_000)

test('a title that is too long is refused beside its field and keeps the input', async () => {
  const { page } = await admin.open('/keys')
  await page.getByRole('button', { name: 'Create key' }).click()
  const title = page.getByRole('dialog').getByRole('textbox', { name: 'Title' })
  await title.fill('x'.repeat(121))
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('Titles can have at most 120 characters.').waitFor()
  expect(await title.inputValue()).toBe('x'.repeat(121))
  expect(await title.getAttribute('aria-invalid')).toBe('true')
}, 60_000)

test('keys of every length fit the page, wide and on a phone, and are accessible, in light and in dark', async () => {
  await useKey(await createKey(admin, 'Deployment script'))
  await createKey(admin, 'Browser extension on the laptop')
  await createKey(admin, `${HOSTILE} ${'w'.repeat(80)}`)
  const { page, errors } = await admin.open('/keys')
  await page.locator('td', { hasText: 'Deployment script' }).waitFor()
  await expectAccessibleViews(page, 'keys', [1280, 800, 390])
  expect(errors).toEqual([])
}, 60_000)

test('L29.5k, L29.4: the viewer sets what a program may change, which holds from its next request', async () => {
  const readKey = await createKey(admin, 'Reader')
  const { raw_key: rawKey } = await post<{ raw_key: string }>(admin, '/keys', {
    title: 'Assistant',
    scope: 'create,read',
  })
  const { page, errors } = await admin.open('/keys')
  const section = page.getByRole('region', { name: 'Permissions' })
  await section.getByText('Makes changes directly').first().waitFor()
  expect(await section.getByText('Reader').count()).toBe(0)
  expect((await useKey(readKey)).status).toBe(200)
  await section.getByRole('button', { name: 'Change permissions for Assistant' }).press('Enter')
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'Changes only with plans' }).check()
  await dialog.getByRole('radio', { name: 'You confirm every change' }).check()
  await dialog.getByRole('textbox', { name: 'Changes per hour' }).fill('20')
  await dialog.getByRole('textbox', { name: 'Allowed destinations' }).fill('https://example.com')
  await expectAccessible(page)
  await screenshot(page, 'policy-dialog')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.getByRole('alert').waitFor()
  await dialog.getByRole('textbox', { name: 'Allowed destinations' }).fill('example.com\n*.example.org')
  await dialog.getByRole('button', { name: 'Save' }).click()
  await dialog.waitFor({ state: 'detached' })
  await section
    .getByText(
      'Changes only with plans · You confirm every change · 20 changes an hour · example.com, *.example.org',
    )
    .waitFor()
  await expectAccessible(page)
  await screenshot(page, 'policies')
  const stored = await page.evaluate(async () => (await fetch('/_/admin/api/policies')).json())
  expect(stored).toContainEqual(
    expect.objectContaining({ name: 'Assistant', writes: 'plan', writes_per_hour: 20 }),
  )
  expect((await useKey(rawKey)).status).toBe(200)
  expect(errors.filter((text) => !text.includes('400'))).toEqual([])
}, 60_000)
