import { expect, test } from 'bun:test'
import { expectAccessible, expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import { failures } from '../../src/api/failures.ts'
import { post, waitFor } from '../actions.ts'
import { chooseSlugAction, failRequests, openLinkPages } from './link-page.ts'

const { admin, create, open } = openLinkPages()

test('a QR code is drawn with the chosen options, and their problems appear at their fields', async () => {
  const { page, errors } = await open('sale')
  await page.getByRole('button', { name: 'QR code' }).first().click()
  const dialog = page.getByRole('dialog')
  const image = dialog.getByRole('img', { name: /QR code of 127.0.0.1:\d+\/spring-sale/ })
  await waitFor(
    () => image.evaluate((node: unknown) => (node as { naturalWidth: number }).naturalWidth),
    (width) => width === 400,
  )
  await screenshot(page, 'link-qr')
  await expectAccessible(page)
  await dialog.getByLabel('Size in pixels').fill('20')
  await dialog.getByText(/Too small for this code/).waitFor()
  expect(await dialog.getByRole('button', { name: 'Download PNG' }).isDisabled()).toBeTrue()
  await dialog.getByLabel('Size in pixels').fill('512')
  await dialog.getByLabel('Error correction').selectOption('H')
  await dialog.getByLabel('Dark colour').fill('#eeeeee')
  await dialog.getByText(/Not enough contrast to scan reliably/).waitFor()
  await dialog.getByLabel('Dark colour').fill('#1b3a6b')
  await dialog.getByText(/Not enough contrast to scan reliably/).waitFor({ state: 'detached' })
  const address = await dialog.getByRole('link', { name: 'Download PNG' }).getAttribute('href')
  const png = await fetch(new URL(address ?? '', admin.at('/')))
  expect([png.status, png.headers.get('content-type')]).toEqual([200, 'image/png'])
  expect(new URL(address ?? '', admin.at('/')).searchParams.toString()).toBe(
    'slug=spring-sale&size=512&level=H&dark=%231b3a6b&light=%23ffffff&format=png',
  )
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('L18.5: a QR code that cannot be drawn states the reason, and is drawn on a later try', async () => {
  const link = await create('drawn', { slug: 'drawn-1' })
  await post(admin, `/links/${link}/slugs`, { slug: 'drawn-2' })
  const { page } = await open('drawn')
  const restore = await failRequests(page, /api.*\/qr\?/)
  await chooseSlugAction(page, 'drawn-2', 'QR code')
  const dialog = page.getByRole('dialog')
  const failed = dialog.getByRole('alert')
  await failed.getByText('Something went wrong.').waitFor()
  expect(await dialog.getByRole('img', { name: /QR code/ }).count()).toBe(0)
  expect(await dialog.getByRole('button', { name: 'Download SVG' }).isDisabled()).toBeTrue()
  await screenshot(page, 'link-qr-failed')
  await expectAccessible(page)
  await restore()
  await failed.getByRole('button', { name: 'Try again' }).click()
  await dialog.getByRole('img', { name: /drawn-2/ }).waitFor()
  await fetch(admin.at(`/api/links/${link}/slugs/drawn-2`), { method: 'DELETE' })
  await dialog.getByLabel('Error correction').selectOption('H')
  await failed.getByText('This slug was removed').waitFor()
  expect(await dialog.getByLabel('Slug').inputValue()).toBe('drawn-2')
  await dialog.getByLabel('Slug').selectOption('drawn-1')
  await dialog.getByRole('img', { name: /drawn-1/ }).waitFor()
  await page.route(/level=L.*format=png/, (route) =>
    route.fulfill({ status: 400, json: { error: failures.qr_too_long.text, code: 'qr_too_long' } }),
  )
  await dialog.getByLabel('Error correction').selectOption('L')
  await dialog.getByText('This URL is too long for this level of error correction.').waitFor()
  expect(await failed.count()).toBe(0)
}, 60_000)

test('L32.4: a code is styled, checked, saved as a preset, and chosen for another link', async () => {
  const { page, errors } = await open('sale')
  await page.getByRole('button', { name: 'QR code' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByText(/^Scans as 127.0.0.1:\d+\/spring-sale$/).waitFor()
  await dialog.getByRole('radio', { name: 'Dots' }).check()
  await dialog
    .getByRole('group', { name: 'Corners' })
    .getByRole('radio', { name: 'Round', exact: true })
    .check()
  await dialog.getByRole('radio', { name: 'With text' }).check()
  await dialog.getByLabel('Text in the frame').fill('扫码')
  await dialog.getByText(/Latin letters/).waitFor()
  await dialog.getByLabel('Text in the frame').fill('Our menu')
  await dialog.getByRole('button', { name: '#1a2f66 on white' }).click()
  await dialog.getByRole('button', { name: 'Save as preset' }).click()
  await dialog.getByLabel('Name of the preset').fill('Brand')
  await page.keyboard.press('Enter')
  const preset = dialog.getByRole('button', { name: 'Brand', exact: true })
  await preset.waitFor()
  expect(await preset.getAttribute('aria-pressed')).toBe('true')
  await dialog.getByText(/^Scans as/).waitFor()
  await expectAccessibleViews(page, 'link-qr-styled')
  await page.setViewportSize({ width: 1280, height: 900 })
  await page.keyboard.press('Escape')

  const { page: other } = await open('fresh')
  await other.getByRole('button', { name: 'QR code' }).first().click()
  await other.getByRole('dialog').getByRole('button', { name: 'Brand', exact: true }).click()
  const download = other.getByRole('dialog').getByRole('link', { name: 'Download PDF' })
  await waitFor(
    async () => new URL((await download.getAttribute('href')) ?? '', admin.at('/')).searchParams.get('frame'),
    (frame) => frame === 'Our menu',
  )
  const pdf = await fetch(new URL((await download.getAttribute('href')) ?? '', admin.at('/')))
  expect([pdf.status, pdf.headers.get('content-type')]).toEqual([200, 'application/pdf'])
  await other.getByRole('button', { name: 'Delete the preset Brand' }).click()
  await other.getByText('Preset Brand deleted').waitFor()
  expect(await other.getByRole('button', { name: 'Brand', exact: true }).count()).toBe(0)
  expect(errors.filter((error) => !error.includes('400'))).toEqual([])
}, 60_000)

test('L32.4d: what a scanner cannot read is said at the field to change, and is no download', async () => {
  const { page } = await open('sale')
  await page.getByRole('button', { name: 'QR code' }).first().click()
  const dialog = page.getByRole('dialog')
  await dialog.getByRole('radio', { name: 'With text' }).check()
  await dialog.getByLabel('Margin').fill('0')
  await dialog.getByText('A scanner needs a wider margin here.').waitFor()
  for (const format of ['SVG', 'PNG', 'PDF'])
    expect(await dialog.getByRole('button', { name: `Download ${format}` }).isDisabled()).toBeTrue()
  await dialog.getByLabel('Margin').fill('4')
  await dialog.getByRole('link', { name: 'Download SVG' }).waitFor()
}, 60_000)

test('L32.4: the image of a code is copied', async () => {
  const { page } = await open('sale')
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
  await page.getByRole('button', { name: 'QR code' }).first().click()
  await page.getByRole('dialog').getByRole('button', { name: 'Copy image' }).click()
  await page.getByRole('dialog').getByText('Copied').waitFor()
  const types = await page.evaluate(async () =>
    (await navigator.clipboard.read()).flatMap(({ types: own }) => own),
  )
  expect(types).toEqual(['image/png'])
}, 60_000)
