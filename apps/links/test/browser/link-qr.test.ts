import { expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
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
