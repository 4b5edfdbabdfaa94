import { beforeAll } from 'bun:test'
import type { Page } from 'playwright-core'
import { DESKTOP, PHONE, type StoredClick, createBundle, createLink, post, recordClicks } from '../actions.ts'
import { openAdminPages, waitForContent } from './browser.ts'

export const HOSTILE = '<img src=x onerror=alert(1)>'

const DAY = 86_400
const BOT = 'Googlebot/2.1'
const COUNTRIES = 'SE DE ID US BA NO FR GB NL DK FI ES IT PL JP BR CA AU IN KR MX NZ AT CH BE IE PT'.split(
  ' ',
)
const REFERRERS = [
  null,
  'https://news.example.org/a',
  'https://www.example.com/',
  `https://an-unusually-long-host-name.example.net/${'x'.repeat(300)}`,
  `https://example.org/?${encodeURIComponent(HOSTILE)}`,
]

/**
 * Opens the pages of links of every state for the tests of the file that calls this. `linkIds` has
 * their ids: `sale` has clicks and bundles, `fresh` has none, `off` is disabled, `over` has expired,
 * and `foreign` belongs to another owner.
 */
export function openLinkPages() {
  const admin = openAdminPages()
  const linkIds: Record<string, number> = {}
  const now = Math.floor(Date.now() / 1000)

  async function create(name: string, fields: object): Promise<number> {
    const { id } = await createLink(admin, { url: `https://example.com/${name}`, ...fields })
    linkIds[name] = id
    return id
  }

  beforeAll(async () => {
    const sale = await create('sale', { slug: 'spring-sale', label: 'Spring sale, all shops' })
    for (const slug of ['flyer', 'poster', 'bots-only', 'never-clicked'])
      await post(admin, `/links/${sale}/slugs`, { slug })
    await post(admin, `/links/${sale}/slugs/poster/disable`, {})
    await createBundle(admin, { name: 'Spring campaign' }, [sale])
    await createBundle(admin, { name: 'Other things' })
    await create('fresh', { label: 'Fresh' })
    await create('off', { label: 'Switched off', slug: 'off' })
    await post(admin, `/links/${linkIds['off']}/disable`, {})
    await create('over', { label: 'Over', expires_at: now - 3 * DAY })
    const hostile = {
      url: `https://example.com/${'w'.repeat(500)}?${HOSTILE}`,
      label: `${HOSTILE} ‮ عرض ${'W'.repeat(400)}`,
    }
    const foreign = await create('foreign', { ...hostile, slug: 'x'.repeat(128) })
    await admin.call('PUT', `/links/${foreign}/behaviour`, {
      rules: [{ when: { os: ['ios'], country: ['SE'] }, to: hostile.url, label: HOSTILE }],
      password: 'correct horse',
    })
    const clicks = Array.from({ length: 600 }, (_, index) => {
      const slug = index % 4 === 0 ? 'flyer' : 'spring-sale'
      const age = 60 + ((index * index * 977) % (50 * DAY))
      return variedClick({ slug, linkId: sale, clickedAt: now - age }, index)
    })
    const bots = [1, 2, 3].map((age) => ({
      ...variedClick({ slug: 'bots-only', linkId: sale, clickedAt: now - age }),
      userAgent: BOT,
    }))
    await recordClicks(admin.databaseUrl, [...clicks, ...bots])
    const database = admin.database()
    database.run(`UPDATE link SET created_by = 'ben@example.com' WHERE id = ${linkIds['foreign']}`)
    database.close()
  }, 60_000)

  async function open(name: string, query = '', view: Parameters<typeof admin.open>[1] = {}) {
    const opened = await admin.open(`/links/${linkIds[name]}${query}`, view)
    await waitForLinkPage(opened.page)
    return opened
  }

  return { admin, linkIds, create, open }
}

/** A click whose properties depend on its index. */
function variedClick(click: StoredClick, index = 0): StoredClick {
  return {
    ...click,
    query: index % 5 === 0 ? 'utm_medium=qr' : index % 7 === 0 ? `utm_source=letter-${index % 13}` : null,
    referrer: REFERRERS[index % REFERRERS.length] ?? null,
    userAgent: index % 3 === 0 ? DESKTOP : PHONE,
    country: COUNTRIES[(index * 7) % (1 + (index % COUNTRIES.length))] ?? null,
    visitorFp: String(index % 40),
  }
}

export async function waitForLinkPage(page: Page): Promise<void> {
  await page.getByRole('heading', { name: 'Slugs' }).waitFor()
  await waitForContent(page)
}

export async function chooseLinkAction(page: Page, action: string): Promise<void> {
  await page.getByRole('button', { name: 'Actions for this link' }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

export async function chooseSlugAction(page: Page, slug: string, action: string): Promise<void> {
  await page.getByRole('button', { name: `Actions for ${slug}`, exact: true }).click()
  await page.getByRole('menuitem', { name: action }).click()
}

/** Fails matching requests until the returned function is called. */
export async function failRequests(page: Page, url: RegExp, status = 500): Promise<() => Promise<void>> {
  await page.route(url, (route) => route.fulfill({ status, json: { error: 'Words of the server' } }))
  return () => page.unroute(url)
}
