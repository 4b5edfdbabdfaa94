import { describe, expect, test } from 'bun:test'
import { expectAccessible, screenshot } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { createBundle, createLink, post, read } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const L = 'l.example.org'
const GO = 'go.example.com'

const openDialog = (page: Page) =>
  page.getByRole('banner').getByRole('button', { name: 'Create link' }).click()

describe('with one domain', () => {
  const admin = openAdminPages({ LINKS_BASE_URL: `https://${GO}` })

  test('L31.4d: no page shows a domain', async () => {
    await createLink(admin, { url: 'https://example.com/one', slug: 'one' })
    const { page } = await admin.open('/links')
    await page.getByRole('button', { name: `Copy https://${GO}/one` }).waitFor()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('group', { name: 'Owner' }).waitFor()
    expect(await page.getByRole('group', { name: 'Domain' }).count()).toBe(0)
    await page.keyboard.press('Escape')
    await openDialog(page)
    await page.getByLabel('Destination').waitFor()
    expect(await page.getByRole('combobox', { name: 'Domain' }).count()).toBe(0)
    await page.goto(admin.at('/settings'))
    await page.getByRole('heading', { name: 'Developers and AI assistants' }).waitFor()
    expect(await page.getByRole('heading', { name: 'Short domains' }).count()).toBe(0)
  }, 60_000)
})

describe('with two domains', () => {
  const admin = openAdminPages({ LINKS_BASE_URL: `https://${GO}`, LINKS_DOMAINS: L })
  const createOn = (fields: object) => post<{ id: number }>(admin, `/domains/${L}/links`, fields)

  test('L31.4: a link is created on the chosen domain, with its own check, preview and short URL', async () => {
    await createLink(admin, { url: 'https://example.com/default', slug: 'chosen' })
    const { page, errors } = await admin.open('/links')
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
    await openDialog(page)
    await page.getByLabel('Destination').fill('https://example.com/further')
    await page.getByRole('textbox', { name: 'Slug', exact: true }).fill('chosen')
    await page.getByText('This slug is already taken.').waitFor()
    await page.getByRole('combobox', { name: 'Domain' }).selectOption(L)
    await page.getByText('Available').waitFor()
    await page.getByRole('img', { name: `QR code of ${L}/chosen` }).waitFor()
    await expectAccessible(page)
    await screenshot(page, 'domains-create')
    await page.getByRole('dialog').getByRole('button', { name: 'Create link' }).click()
    await page.getByText('Short link created, copied').waitFor()
    expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(`https://${L}/chosen`)
    expect(errors).toEqual([])
  }, 60_000)

  test('L31.4: the list shows the domain of a link, and filters by it', async () => {
    await createOn({ url: 'https://example.com/listed', slug: 'listed' })
    await createLink(admin, { url: 'https://example.com/own', slug: 'own' })
    const { page } = await admin.open('/links')
    await page.getByRole('button', { name: `Copy https://${L}/listed` }).waitFor()
    await page.getByRole('button', { name: 'Filter' }).click()
    await page.getByRole('menuitemcheckbox', { name: L }).click()
    await page.getByRole('button', { name: `Copy https://${GO}/own` }).waitFor({ state: 'detached' })
    await page.getByRole('button', { name: `Copy https://${L}/listed` }).waitFor()
    expect(new URL(page.url()).searchParams.get('domain')).toBe(L)
    await screenshot(page, 'domains-list')
    await page.getByRole('button', { name: `Remove filter Domain: ${L}` }).click()
    await page.getByRole('button', { name: `Copy https://${GO}/own` }).waitFor()
  }, 60_000)

  test('L31.4: the page of a link and bundles show its own domain, and statistics of equal slugs stay apart', async () => {
    const own = await createLink(admin, { url: 'https://example.com/own', slug: 'equal' })
    const { id } = await createOn({ url: 'https://example.com/equal', slug: 'equal' })
    const bundle = await createBundle(admin, { name: 'Both' }, [own.id, id])
    for (const host of [L, L, GO])
      await admin.fetch('/equal', {
        redirect: 'manual',
        headers: { Host: host, 'User-Agent': 'Mozilla/5.0 Firefox/140.0' },
      })
    const { page } = await admin.open(`/links/${id}`)
    await page.getByRole('link', { name: `${L}/equal`, exact: true }).waitFor()
    const row = page.locator('.slug-table tr', { hasText: `${L}/equal` })
    await row.getByText('2', { exact: true }).waitFor()
    await screenshot(page, 'domains-link')
    await admin.visit(page, `/bundles/${bundle}`)
    const members = page.locator('.bundle-member')
    await members
      .filter({ hasText: `${L}/equal` })
      .getByText('2', { exact: true })
      .waitFor()
    await members.filter({ hasText: 'example.com/own' }).getByText('1', { exact: true }).waitFor()
    await screenshot(page, 'domains-bundle')
    const { url } = await post<{ url: string }>(admin, `/links/${id}/share`, {})
    const shared = await (await admin.fetch(new URL(url).pathname)).text()
    expect(shared).toContain(`${L}/equal`)
  }, 60_000)

  test('L31.4: an import goes to the chosen domain', async () => {
    const { page, errors } = await admin.open('/import-export')
    await page.getByText('Pasted text').click()
    await page
      .getByRole('textbox', { name: 'Links, in the format' })
      .fill('url,slug\nhttps://example.com/,brought')
    await page.getByRole('combobox', { name: 'Domain' }).selectOption(L)
    await screenshot(page, 'domains-import')
    await page.getByRole('button', { name: 'Preview' }).click()
    await page.getByRole('button', { name: 'Import 1 link' }).click()
    await page.getByRole('heading', { name: 'Import finished' }).waitFor()
    const destinationOn = async (host: string) =>
      (await admin.fetch('/brought', { redirect: 'manual', headers: { Host: host } })).headers.get('location')
    expect(await destinationOn(L)).toBe('https://example.com/')
    expect(await destinationOn(GO)).toBeNull()
    expect(errors).toEqual([])
  }, 60_000)

  test('L31.1: an administrator sets a domain, and a wrong value stays at its field', async () => {
    const { page, errors } = await admin.open('/settings')
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Short domains' }) })
    await section.getByRole('combobox', { name: 'Domain' }).selectOption(L)
    const root = section.getByRole('textbox', { name: 'Root page' })
    await root.fill('nowhere')
    await section.getByRole('button', { name: 'Save' }).click()
    await section.getByText('valid').first().waitFor()
    await root.fill('https://example.com/welcome')
    await section.getByRole('combobox', { name: 'Redirect status' }).selectOption('307')
    await section.getByRole('combobox', { name: 'Robots' }).selectOption('Search engines too')
    const file = section.getByRole('textbox', { name: 'assetlinks.json' })
    await file.fill('[')
    await section.getByText('Enter a JSON object or list.').waitFor()
    await file.fill('[{"relation":[]}]')
    await expectAccessible(page)
    await screenshot(page, 'domains-settings')
    await section.getByRole('button', { name: 'Save' }).click()
    await page.getByText('Saved', { exact: true }).first().waitFor()
    expect(await read(admin, `/domains/${L}`)).toMatchObject({
      root_url: 'https://example.com/welcome',
      status: 307,
      robots: 'allow',
      well_known: { 'assetlinks.json': [{ relation: [] }] },
    })
    expect(errors.filter((error) => !error.includes('400'))).toEqual([])
  }, 60_000)

  test('L31.4: domains are shown on a phone, in the dark and in Swedish', async () => {
    const view = { width: 390, scheme: 'dark', locale: 'sv-SE' } as const
    const { page } = await admin.open('/settings', view)
    const section = page.locator('section', { has: page.getByRole('heading', { name: 'Kortdomäner' }) })
    await section.getByRole('combobox', { name: 'Domän' }).waitFor()
    await page.getByRole('textbox', { name: 'Okända kortnamn' }).waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await expectAccessible(page)
    await screenshot(page, 'domains-settings-phone')
    await admin.visit(page, '/links')
    await page.getByText(`${L}/`).first().waitFor()
    expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390)
    await screenshot(page, 'domains-list-phone')
  }, 60_000)
})
