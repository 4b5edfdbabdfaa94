import { expect, test } from 'bun:test'
import { adminPages, expectAccessible, shoot } from './browser.ts'

const admin = adminPages()
const PAGES = ['/dashboard', '/links', '/bundles', '/keys', '/import-export', '/settings', '/nowhere']

for (const scheme of ['light', 'dark'] as const)
  for (const width of [1280, 390])
    test(`every page is accessible, ${scheme} at ${width} px`, async () => {
      const look = async (path: string) => {
        const { page, errors } = await admin.open(path, { scheme, width })
        await page
          .locator('main .mantine-Loader-root, main .mantine-Skeleton-root')
          .waitFor({ state: 'detached' })
        await shoot(page, `${path.slice(1)}-${scheme}-${width}`)
        await expectAccessible(page)
        expect([path, errors]).toEqual([path, []])
        await page.context().close()
      }
      await Promise.all(PAGES.map(look))
    }, 60_000)

test('a link is made, and what is hostile in it stays text', async () => {
  const { page, errors } = await admin.open('/links')
  await page.getByText('No links yet').waitFor()
  await page.getByLabel('URL to shorten').fill('https://example.com/?<b>x')
  await page.getByRole('textbox', { name: 'Label' }).first().fill('<img src=x onerror=alert(1)>')
  await page.getByRole('button', { name: 'Shorten' }).click()
  await page.locator('td').getByText('<img src=x onerror=alert(1)>').waitFor()
  expect(await page.locator('td img').count()).toBe(0)
  await shoot(page, 'links-one')
  await expectAccessible(page)
  expect(errors).toEqual([])
}, 60_000)

test('a deletion taken back within the toast deletes nothing', async () => {
  await admin.call('POST', '/links', { url: 'https://example.com/kept', label: 'kept' })
  const { page } = await admin.open('/links?search=kept')
  await page.getByRole('checkbox', { name: 'Select kept' }).check()
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('checkbox', { name: 'Select kept' }).waitFor({ state: 'detached' })
  await page.getByRole('button', { name: 'Undo' }).click()
  await page.getByRole('checkbox', { name: 'Select kept' }).waitFor()
  const kept = (await (await fetch(admin.at('/api/links?search=kept'))).json()) as unknown[]
  expect(kept).toHaveLength(1)
}, 60_000)
