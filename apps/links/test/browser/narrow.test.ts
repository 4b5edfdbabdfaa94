import { beforeAll, expect, test } from 'bun:test'
import {
  expectAccessibleViews,
  expectFingerSized,
  expectWithinWidth,
  screenshot,
} from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { DESKTOP, createBundle, createKey, createLink, post, recordClicks } from '../actions.ts'
import { openAdminPages } from './browser.ts'

const admin = openAdminPages()

const CLICKS = 1_200
const ROWS = [
  'url,slug,label',
  'https://example.com/good,good-one,Good',
  'javascript:alert(1),bad-one,',
  `https://example.com/${'x'.repeat(600)},${'s'.repeat(120)},${'l'.repeat(300)}`,
].join('\n')

const paths: Record<string, string> = {
  dashboard: '/dashboard',
  links: '/links?range=30d',
  bundles: '/bundles',
  keys: '/keys',
  webhooks: '/webhooks',
  plans: '/plans',
  history: '/history',
  transfer: '/import-export',
  settings: '/settings',
}

/** Everything has its largest length, with and without blanks to break at. */
beforeAll(async () => {
  const link = await createLink(admin, {
    url: `https://example.com/${'w'.repeat(500)}`,
    label: 'W'.repeat(300),
    slug: 'x'.repeat(128),
  })
  await post(admin, `/links/${link.id}/slugs`, { slug: `y${'-y'.repeat(60)}` })
  await createLink(admin, { url: 'https://example.com/fresh', label: 'Fresh' })
  const fields = { name: 'V'.repeat(120), description: 'D'.repeat(900), icon: '🌷' }
  const bundleId = await createBundle(admin, fields, [link.id])
  await createKey(admin, 'K'.repeat(120))
  await post(admin, '/webhooks', { url: `https://example.com/${'w'.repeat(500)}`, bundle: bundleId })
  const now = Math.floor(Date.now() / 1000)
  const clicks = Array.from({ length: CLICKS }, (_, index) => ({
    slug: link.slugs[0]?.slug ?? '',
    linkId: link.id,
    clickedAt: now - 60 - index * 1_500,
    query: `utm_source=${'u'.repeat(80)}&utm_medium=mail&utm_campaign=spring`,
    referrer: `https://${'h'.repeat(60)}.example.net/${'r'.repeat(200)}`,
    userAgent: DESKTOP,
    country: 'BA',
    visitorFp: String(index),
  }))
  await recordClicks(admin.databaseUrl, clicks)
  paths['link'] = `/links/${link.id}`
  paths['bundle'] = `/bundles/${bundleId}`
  const ops = [{ operation: 'updateLink', params: { id: link.id }, body: { label: 'Planned' } }]
  const plan = await post<{ id: number }>(admin, '/plans', { title: 'P'.repeat(120), ops })
  paths['plan'] = `/plans/${plan.id}`
}, 60_000)

type View = NonNullable<Parameters<typeof admin.open>[1]>

async function openWhole(name: string, view: View) {
  const opened = await admin.open(pathOf(name), view)
  await untilWhole(opened.page)
  return opened
}

async function visitWhole(page: Page, name: string): Promise<void> {
  await admin.visit(page, pathOf(name))
  await untilWhole(page)
}

function pathOf(name: string): string {
  const path = paths[name]
  if (path === undefined) throw new Error(`${name} has no path`)
  return path
}

async function untilWhole(page: Page): Promise<void> {
  await page.locator('h1').waitFor()
  await page.waitForFunction(
    () => !document.querySelector('main .mantine-Loader-root, main .mantine-Skeleton-root'),
  )
}

/** Text that is cut on purpose, in links and under a complete title, does not count. */
async function expectWordsWhole(page: Page): Promise<void> {
  const cut = await page
    .locator(
      '.mantine-Button-label, .mantine-Paper-root > .mantine-Text-root, .bundle-card .mantine-Text-root',
    )
    .evaluateAll((parts) =>
      parts
        .filter((part) => !part.closest('a, [title]') && part.scrollWidth > part.clientWidth)
        .map((part) => part.textContent),
    )
  expect(cut).toEqual([])
}

const PAGES = [
  'dashboard',
  'links',
  'link',
  'bundles',
  'bundle',
  'keys',
  'webhooks',
  'plans',
  'plan',
  'history',
  'transfer',
  'settings',
]
const VIEWS = [
  ['a phone of 390 px', { width: 390, height: 900 }],
  ['a phone of 320 px', { width: 320, height: 900 }],
  ['a window of 1280 px at 200 %', { width: 640, height: 450 }],
] as const

test('L18.2: every page with content is accessible, in light and in dark, and neither scrolls sideways nor cuts the words of a button or a card', async () => {
  const { page, errors } = await admin.open('/settings')
  for (const name of PAGES) {
    await visitWhole(page, name)
    for (const [words, { width, height }] of VIEWS) {
      await page.setViewportSize({ width, height })
      await screenshot(page, `narrow-${name}-${width}`)
      await expectWithinWidth(page)
      await expectWordsWhole(page)
      expect([name, words, errors]).toEqual([name, words, []])
    }
    await expectAccessibleViews(page, name)
  }
}, 120_000)

test('dialogs, selections and previews fit phones and a window at 200 %, and their ends can be reached', async () => {
  const { page } = await openWhole('links', {})
  const expectFit = async (name: string) => {
    for (const [, { width, height }] of VIEWS) {
      await page.setViewportSize({ width, height })
      await screenshot(page, `narrow-${name}-${width}`)
      await expectWithinWidth(page)
    }
  }
  await page.getByRole('checkbox', { name: 'Select WWW' }).check()
  await expectFit('selected')
  await page.getByRole('button', { name: 'Delete' }).click()
  await page.getByRole('dialog').getByLabel('Type xxx').waitFor()
  await expectFit('delete')
  await page.goto(admin.at(pathOf('bundle')))
  await page.getByRole('button', { name: 'Add links' }).click()
  await page.getByRole('dialog').getByRole('button', { name: 'Added: WWW' }).waitFor()
  await expectFit('picker')
  await page.goto(admin.at('/keys'))
  await page.getByRole('button', { name: 'Create key' }).click()
  await page.getByRole('dialog').getByRole('textbox', { name: 'Title' }).fill('Made here')
  await expectFit('dialog')
  await page.getByRole('dialog').getByRole('button', { name: 'Create key' }).click()
  await page.getByText('You won’t see this key again').waitFor()
  await expectFit('key')
  await page.getByRole('button', { name: 'Done, I’ve saved it' }).click()
  await page.goto(admin.at('/import-export'))
  await preview(page, 'Preview')
  await expectFit('preview')
}, 60_000)

/** Lets the page of imports preview ROWS, by the button with this name. */
async function preview(page: Page, name: string | RegExp): Promise<void> {
  await page
    .locator('input[type=file]')
    .setInputFiles({ name: 'links.csv', mimeType: 'text/csv', buffer: Buffer.from(ROWS) })
  await page.getByRole('button', { name }).click()
  await page.locator('tbody tr').first().waitFor()
}

test('on every page, controls, links and rows have the size of a finger, and controls do not overlap', async () => {
  const { page } = await admin.open('/settings', { width: 390, height: 4000, touch: true })
  for (const name of PAGES) {
    await visitWhole(page, name)
    await screenshot(page, `touch-${name}`)
    await expectWithinWidth(page)
    await expectFingerSized(page)
    if (name === 'dashboard') await expectRowsFingerSized(page)
  }
}, 120_000)

/** Every link and row of the dashboard has at least the height that WCAG asks for. */
async function expectRowsFingerSized(page: Page): Promise<void> {
  const targets = await page
    .locator('section :is(a, .row-button)')
    .evaluateAll((all) =>
      all.map((target) => ({ text: target.textContent, height: target.getBoundingClientRect().height })),
    )
  expect(targets.length).toBeGreaterThan(3)
  expect(targets.filter(({ height }) => height < 24)).toEqual([])
}

for (const lang of ['sv', 'id'])
  test(`at 320 px, every page fits and the words of a button or a card are not cut in ${lang}`, async () => {
    await admin.call('PUT', '/settings', { lang })
    const { page } = await admin.open('/settings', { width: 320 })
    await page.locator(`html[lang=${lang}]`).waitFor({ state: 'attached' })
    for (const name of PAGES) {
      await visitWhole(page, name)
      await expectWithinWidth(page)
      await expectWordsWhole(page)
      await screenshot(page, `narrow-${lang}-${name}`)
    }
    await admin.visit(page, '/import-export')
    await preview(page, /^(Förhandsgranska|Pratinjau)$/)
    await expectWithinWidth(page)
    await admin.call('PUT', '/settings', { lang: null })
  }, 60_000)

test('on a phone, the list of links contains all information of its columns', async () => {
  const { page } = await openWhole('links', { width: 1280 })
  // The words of a row and the names of its controls. Their order differs.
  const readRows = () =>
    page.locator('tbody tr').evaluateAll((rows) =>
      (rows as HTMLElement[]).map((row) => {
        const named = [...row.querySelectorAll('[aria-label]')].map((part) => part.ariaLabel ?? '')
        return [...row.innerText.split(/\s+/), ...named]
      }),
    )
  const wide = await readRows()
  await page.setViewportSize({ width: 320, height: 900 })
  await page.waitForFunction(() => document.querySelectorAll('thead th').length === 4)
  const rows = (await readRows()).map((words) => new Set(words))
  expect(rows).toHaveLength(2)
  expect(rows).toEqual(wide.map((words) => new Set(words)))
}, 60_000)
