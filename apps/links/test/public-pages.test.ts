import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Browser, type BrowserContextOptions, type Page, chromium } from 'playwright-core'
import { expectAccessible } from '@latchkey/web/testing/browser'
import { apiOperations } from '../src/http/operations.ts'
import { FROM_BROWSER } from './actions.ts'
import { sharedTestLinks } from './testing.ts'

const executablePath =
  process.env['LATCHKEY_TEST_CHROMIUM_SHELL'] || process.env['LATCHKEY_TEST_CHROMIUM'] || ''
/** Folder for screenshots. Without it, none are taken. */
const shots = process.env['LATCHKEY_TEST_SHOTS']

const quiet = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

const colorSchemes = {
  light: { colorScheme: 'light', viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: 'dark', viewport: { width: 1280, height: 900 } },
  'on a phone': { colorScheme: 'light', viewport: { width: 390, height: 844 } },
} satisfies Record<string, BrowserContextOptions>
/** Both colours and both widths, for pages whose layout and colours do not depend on each other. */
const DARK_AND_NARROW = ['dark', 'on a phone'] as const

describe.skipIf(executablePath === '')('in Chromium', () => {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const links = sharedTestLinks(async () => `sqlite:${join(folder, 'links.db')}`)
  let browser: Browser
  let server: ReturnType<typeof Bun.serve>
  let elsewhere: ReturnType<typeof Bun.serve>
  let ann: string
  beforeAll(async () => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
    elsewhere = Bun.serve({
      port: 0,
      hostname: '127.0.0.1',
      fetch: ({ url, headers }) =>
        new Response(`<title>Target</title><p>${new URL(url).pathname} from ${headers.get('referer')}</p>`, {
          headers: { 'Content-Type': 'text/html' },
        }),
    })
    browser = await chromium.launch({ executablePath, args: quiet })
    ann = await links.key('ann@example.com')
  })
  afterAll(async () => {
    await browser?.close()
    await server.stop(true)
    await elsewhere.stop(true)
    rmSync(folder, { recursive: true, force: true })
  })

  /** Opens a page and returns the requests that it sent, by host, and its console errors. */
  async function open(path: string, colorScheme: BrowserContextOptions, work: (page: Page) => Promise<void>) {
    const context = await browser.newContext(colorScheme)
    const page = await context.newPage()
    page.setDefaultTimeout(20_000)
    const requests: string[] = []
    const complaints: string[] = []
    page.on('request', (request) => requests.push(request.url()))
    page.on('console', (message) => {
      if (message.type() === 'error' || /content security policy/i.test(message.text()))
        complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(String(error)))
    await page.goto(new URL(path, server.url).href)
    await work(page)
    await context.close()
    return { hosts: new Set(requests.map((url) => new URL(url).host)), requests, complaints }
  }

  async function picture(page: Page, name: string): Promise<void> {
    if (shots === undefined) return
    mkdirSync(shots, { recursive: true })
    await page.screenshot({ path: join(shots, `${name.replaceAll(' ', '-')}.png`) })
  }

  for (const [name, look] of Object.entries(colorSchemes))
    test(`L22.2: the API reference shows every operation, requests no other host and breaks no policy, ${name}`, async () => {
      const { hosts, complaints } = await open('/_/api/docs', look, async (page) => {
        await page.getByRole('heading', { name: 'Latchkey Links' }).first().waitFor()
        await picture(page, `reference ${name}`)
        await expectAccessible(page, [
          'button-name',
          'color-contrast',
          'scrollable-region-focusable',
          'target-size',
        ])
        expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(
          look.viewport.width,
        )
        const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor)
        const [red = 0] = (background.match(/\d+/g) ?? []).map(Number)
        expect([background, red < 128]).toEqual([background, look.colorScheme === 'dark'])
        if (name.includes('phone')) await page.getByRole('button', { name: 'Open Menu' }).click()
        for (const [summary, operations] of Map.groupBy(apiOperations, (each) => each.summary)) {
          const entries = page.locator('aside:visible').getByText(summary, { exact: true })
          const methods = operations.flatMap((operation) => operation.methods)
          await entries.nth(methods.length - 1).waitFor()
          expect([summary, await entries.count()]).toEqual([summary, methods.length])
        }
        for (const offer of ['Ask AI', 'Generate MCP', 'Deploy', 'Share'])
          expect([offer, await page.getByText(offer, { exact: true }).count()]).toEqual([offer, 0])
        await picture(page, `contents ${name}`)
        await page.locator('aside:visible').getByText('Shorten a URL').first().click()
        const field = page.getByText('allow_duplicate', { exact: true }).first()
        await field.scrollIntoViewIfNeeded()
        await field.waitFor()
        await picture(page, `operation ${name}`)
      })
      expect([...hosts]).toEqual([server.url.host])
      expect(complaints).toEqual([])
    })

  test('a short URL leads to its destination, and the click counts as one of a person', async () => {
    const target = new URL('/landing', elsewhere.url).href
    const { id } = await links.createLink(ann, { url: target, slug: 'go' })
    const { hosts, complaints } = await open('/GO?utm_source=Poster', colorSchemes.light, async (page) => {
      expect(page.url()).toBe(target)
      expect(await page.title()).toBe('Target')
    })
    expect([...hosts].toSorted()).toEqual([server.url.host, elsewhere.url.host].toSorted())
    expect(complaints).toEqual([])
    expect((await links.call('GET', `/links/${id}`, { key: ann })).body.total_clicks).toBe(1)
    const stored = await links.rows('select browser, os, is_bot, utm_source from click')
    expect(stored).toEqual([{ browser: expect.any(String), os: 'linux', is_bot: 1, utm_source: 'poster' }])
  })

  test('L24.2: after an edit and a disable, the browser follows the new state of the link', async () => {
    const [one, two] = ['/one', '/two'].map((path) => new URL(path, elsewhere.url).href)
    const { id } = await links.createLink(ann, { url: one as string, slug: 'moving' })
    await open('/moving', colorSchemes.light, async (page) => {
      expect(page.url()).toBe(one as string)
      await links.call('PATCH', `/links/${id}`, { key: ann, body: { url: two } })
      await page.goto(new URL('/moving', server.url).href)
      expect(page.url()).toBe(two as string)
      await links.call('POST', `/links/${id}/disable`, { key: ann })
      const gone = await page.goto(new URL('/moving', server.url).href)
      expect(gone?.status()).toBe(404)
    })
  })

  for (const name of DARK_AND_NARROW)
    test(`the page for unknown slugs is readable and fits the screen, ${name}`, async () => {
      const look = colorSchemes[name]
      const stranger = { ...look, extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.9' } }
      const { hosts, requests, complaints } = await open('/no-such-link', stranger, async (page) => {
        await page.getByRole('heading', { name: 'Page not found' }).waitFor()
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(look.viewport.width)
        await page.evaluate(() => document.fonts.ready)
        expect(await page.evaluate(() => [...document.fonts].map(({ status }) => status))).toEqual(['loaded'])
        await expectAccessible(page)
        await picture(page, `not-found ${name}`)
      })
      expect([...hosts]).toEqual([server.url.host])
      expect(requests.map((url) => new URL(url).pathname)).toContainEqual(
        expect.stringMatching(/^\/_\/fonts\//),
      )
      // The browser itself logs the status 404.
      expect(complaints.filter((complaint) => !/status of 404/.test(complaint))).toEqual([])
    })

  for (const name of DARK_AND_NARROW)
    test(`L37.2: the privacy statement is accessible, fits the screen and loads nothing from elsewhere, ${name}`, async () => {
      const look = colorSchemes[name]
      const { hosts, complaints } = await open('/_/privacy', look, async (page) => {
        await page.getByRole('heading', { name: 'Stored with each click' }).waitFor()
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(look.viewport.width)
        await expectAccessible(page)
        expect(await page.context().cookies()).toEqual([])
        await picture(page, `privacy ${name}`)
      })
      expect([...hosts]).toEqual([server.url.host])
      expect(complaints).toEqual([])
    })

  for (const name of DARK_AND_NARROW)
    test(`L41.4: shared statistics are accessible and fit the screen, ${name}`, async () => {
      const look = colorSchemes[name]
      const label = `A label without a space: ${'x'.repeat(80)}`
      const fields = { url: 'https://example.com/', allow_duplicate: true, label }
      const { body } = await links.callAdmin('POST', '/links', { body: fields })
      await links.fetch(`/${body.slugs[0].slug}`, FROM_BROWSER)
      const { url } = (await links.callAdmin('POST', `/links/${body.id}/share`)).body
      const { hosts, complaints } = await open(new URL(url).pathname, look, async (page) => {
        await page.getByRole('img', { name: 'Clicks over time, 30 days' }).waitFor()
        await page.getByText('Show as table').click()
        await page.getByRole('cell', { name: '1', exact: true }).first().waitFor()
        const width = await page.evaluate(() => document.documentElement.scrollWidth)
        expect(width).toBeLessThanOrEqual(look.viewport.width)
        await expectAccessible(page)
        await picture(page, `shared-statistics ${name}`)
        await page.getByRole('link', { name: '7 days' }).click()
        await page.getByRole('img', { name: 'Clicks over time, 7 days' }).waitFor()
      })
      expect([...hosts]).toEqual([server.url.host])
      expect(complaints).toEqual([])
    })
})
