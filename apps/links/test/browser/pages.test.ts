import { expect, test } from 'bun:test'
import { expectAccessibleViews, screenshot } from '@latchkey/web/testing/browser'
import { expectLightLoad, expectNothingMoves } from '@latchkey/web/testing/first-load'
import { type LinkJson, clickLink, createBundle, createLink, read, recordClicks } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()
/** What pages without content show. */
const EMPTY: Readonly<Record<string, string>> = {
  '/dashboard': 'Get started',
  '/links': 'No links yet',
  '/bundles': 'No bundles yet',
  '/keys': 'No API keys yet',
  '/webhooks': 'No webhooks yet',
  '/plans': '',
  '/history': 'No changes yet',
  '/nowhere': '',
}
const PAGES = [
  '/dashboard',
  '/links',
  '/bundles',
  '/keys',
  '/webhooks',
  '/plans',
  '/history',
  '/import-export',
  '/settings',
  '/nowhere',
] as const

test('L18.2: every page without content says so, and is accessible, in light and in dark', async () => {
  const { page, errors } = await admin.open('/settings')
  for (const [path, text] of Object.entries(EMPTY)) {
    await admin.visit(page, path)
    await page.waitForFunction(
      () => !document.querySelector('main .mantine-Loader-root, main .mantine-Skeleton-root'),
    )
    await page.locator('main').getByText(text).first().waitFor()
    await expectAccessibleViews(page, path.slice(1), [390])
    expect([path, errors]).toEqual([path, []])
  }
}, 120_000)

test('a page whose script cannot be loaded states so, and works on the next try', async () => {
  const { page } = await admin.open('/links')
  await page.locator('main input').first().waitFor()
  await page.route('**/*.js', (route) => route.abort())
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'Couldn’t load this' }).waitFor()
  await screenshot(page, 'script-missing')
  await page.unrouteAll()
  await page.getByRole('button', { name: 'Try again' }).click()
  await page.getByRole('button', { name: 'Create key' }).first().waitFor()
  expect(page.url()).toBe(admin.at('/keys'))
}, 60_000)

test('L18.10: a new instance leads to its first click, and then no longer', async () => {
  const { page, errors } = await admin.open('/dashboard')
  const steps = page.getByRole('region', { name: /^(Get started|You’re all set)$/ })
  await steps.getByText('0 of 3 done').waitFor()
  await page.getByRole('textbox', { name: 'Paste a URL, or type to search' }).fill('https://example.com/')
  await page.keyboard.press('Enter')
  await steps.getByText('1 of 3 done').waitFor()
  const [link] = await read<LinkJson[]>(admin, '/links')
  const slug = link?.slugs[0]?.slug ?? ''
  expect(await steps.getByRole('link', { name: `/${slug}` }).getAttribute('href')).toBe(
    new URL(`/${slug}`, admin.at('/')).href,
  )
  await clickLink(admin, slug)
  await steps.getByText('3 of 3 done').waitFor()
  await expectAccessibleViews(page, 'first-run', [390])
  await page.goto(admin.at('/dashboard'))
  await page.getByText('Clicks over time').waitFor()
  expect(await steps.count()).toBe(0)
  expect(errors).toEqual([])
}, 60_000)

test('L18.13: every page is loaded with few requests and scripts, all of them named in its HTML, and nothing moves', async () => {
  const { page } = await admin.open('/keys')
  const link = await createLink(admin, { url: 'https://example.com/light' })
  const clicks = Array.from({ length: 20 }, (_, index) => ({
    slug: link.slugs[0]?.slug ?? '',
    linkId: link.id,
    clickedAt: Math.floor(Date.now() / 1000) - 60 - index,
    country: ['SE', 'ID', 'GB', 'DE'][index % 4] ?? null,
    visitorFp: String(index),
  }))
  await recordClicks(admin.databaseUrl, clicks)
  const bundle = await createBundle(admin, { name: 'Light' }, [link.id])
  for (const path of [...PAGES, `/links/${link.id}`, `/bundles/${bundle}`])
    await expectLightLoad(page, admin.at(path), {
      maxScriptBytes: (path === '/dashboard' ? 180 : 140) * 1024,
      async untilComplete() {
        await page.locator('h1').waitFor()
        await page.waitForFunction(
          () => !document.querySelector('main .mantine-Loader-root, main .mantine-Skeleton-root'),
        )
      },
    })
}, 60_000)

test('L18.13: nothing moves on the page of a link with rules', async () => {
  const { page } = await admin.open('/keys')
  const link = await createLink(admin, { url: 'https://example.com/ruled' })
  const rules = [{ when: { os: ['ios'] }, to: 'https://apps.example.com/' }]
  await admin.call('PUT', `/links/${link.id}/behaviour`, { rules, starts_at: 1_700_000_000 })
  for (const width of [390, 1440]) {
    await page.setViewportSize({ width, height: 900 })
    await page.goto(admin.at(`/links/${link.id}`))
    await page.getByText('iPhone or iPad').waitFor()
    await page.waitForFunction(() => !document.querySelector('main .mantine-Skeleton-root'))
    await expectNothingMoves(page)
  }
})

test('L18.13: from the second visit on, no page asks for its statistics', async () => {
  const { page } = await admin.open('/keys')
  const link = await createLink(admin, { url: 'https://example.com/second-visit' })
  const bundle = await createBundle(admin, { name: 'Second visit' }, [link.id])
  const requests: string[] = []
  page.on('request', (request) => {
    if (request.url().includes('/analytics')) requests.push(request.url())
  })
  for (const path of ['/dashboard', `/links/${link.id}`, `/bundles/${bundle}`]) {
    await page.goto(admin.at(path))
    await page.getByText('30d', { exact: true }).waitFor()
    await page.waitForFunction(() => !document.querySelector('main .mantine-Skeleton-root'))
    expect(requests).toEqual([])
  }
}, 60_000)

test('without a connection pages wait for it, and go on by themselves when it is back', async () => {
  const link = await createLink(admin, { url: 'https://example.com/offline' })
  const { page } = await admin.open('/links')
  await page.getByRole('link', { name: 'API keys' }).click()
  await page.getByRole('heading', { name: 'API keys', level: 1 }).waitFor()
  await page.getByRole('link', { name: 'Links', exact: true }).click()
  await page.getByTitle(link.url).waitFor()
  await page.context().setOffline(true)
  // One page whose data is missing, and one whose script is.
  await page.getByRole('textbox', { name: 'Search label, slug, URL or owner' }).fill('elsewhere')
  for (const name of ['Links', 'Webhooks']) {
    if (name === 'Webhooks') await page.getByRole('link', { name }).click()
    await page.getByText('Waiting for connection').waitFor()
    await screenshot(page, `offline-${name}`)
    expect(await page.getByText('Couldn’t load this').count()).toBe(0)
    expect(await page.locator('main').getByRole('alert').count()).toBe(0)
    const broken = await page
      .locator('img')
      .evaluateAll((images) => images.filter((image) => !(image as HTMLImageElement).naturalWidth).length)
    expect(broken).toBe(0)
    if (name === 'Links') {
      await page.context().setOffline(false)
      await page.getByText('Waiting for connection').waitFor({ state: 'detached' })
      await page.getByRole('heading', { name: 'No links match' }).waitFor()
      await page.context().setOffline(true)
    }
  }
  await page.context().setOffline(false)
  await page.getByRole('button', { name: 'Create webhook' }).first().waitFor()
  expect(page.url()).toBe(admin.at('/webhooks'))
}, 60_000)
