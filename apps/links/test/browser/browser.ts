import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import axe from 'axe-core'
import { type Browser, type Page, chromium } from 'playwright-core'
import { type Running, startLinks } from '../../src/main.ts'
import { readSettings } from '../../src/settings.ts'

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
]

interface View {
  width?: number
  height?: number
  /** Pixels of the screen to one of the page, as at 200 % zoom. */
  zoom?: number
  scheme?: 'light' | 'dark'
}

/**
 * A real service on a free port and a real browser for the tests of the file that calls this; settings by their names.
 * `headers` go with every request, as from a proxy.
 */
export function adminPages(environment: Record<string, string> = {}, headers: Record<string, string> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const databaseUrl = `sqlite:${join(folder, 'links.db')}`
  const up: { service?: Running; browser?: Browser } = {}
  beforeAll(async () => {
    const settings = readSettings({
      LINKS_DATABASE_URL: databaseUrl,
      LINKS_JOURNAL: `sqlite:${join(folder, 'journal.db')}`,
      LINKS_HOST: '127.0.0.1',
      LINKS_PORT: '0',
      LINKS_ACCESS: 'loopback',
      LINKS_TITLE_FETCH: 'off',
      ...environment,
    })
    up.service = await startLinks(settings)
    // The first request bundles the pages.
    expect((await fetch(`${up.service.url}/_/admin/dashboard`, { headers })).status).toBe(200)
    up.browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: FLAGS })
  }, 60_000)
  afterAll(async () => {
    await up.browser?.close()
    await up.service?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 20_000)
  const at = (path: string) => `${up.service?.url}/_/admin${path}`
  return {
    at,
    databaseUrl,
    /** A page of a browser profile of its own; what it says to its console as an error is in `errors`. */
    async open(path: string, { width = 1280, height = 900, zoom = 1, scheme = 'light' }: View = {}) {
      if (!up.browser) throw new Error('The browser is used before it was started')
      const context = await up.browser.newContext({
        viewport: { width, height },
        deviceScaleFactor: zoom,
        extraHTTPHeaders: headers,
        colorScheme: scheme,
        reducedMotion: 'reduce',
      })
      const page = await context.newPage()
      const errors: string[] = []
      page.on('pageerror', (error) => errors.push(String(error)))
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()))
      await page.goto(at(path))
      await page.locator('h1').waitFor()
      return { page, errors }
    },
    call: (method: string, path: string, body: unknown) =>
      fetch(at(`/api${path}`), {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}

/** What axe finds: nothing. It runs in the page itself: by way of its Playwright package it takes four times as long. */
export async function expectAccessible(page: Page): Promise<void> {
  await page.evaluate(axe.source)
  const violations = await page.evaluate(async () => {
    const found = await (globalThis as unknown as { axe: typeof axe }).axe.run({
      resultTypes: ['violations'],
    })
    return found.violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)])
  })
  expect(violations).toEqual([])
}

/** Nothing of the page is cut off at its sides, and neither it nor a part of it scrolls sideways. */
export async function expectWithinWidth(page: Page): Promise<void> {
  const beyond = await page.evaluate(() => {
    // What is shortened on purpose, as a long URL, may go on out of sight.
    const isShortened = (element: Element | null): boolean =>
      element !== null &&
      (getComputedStyle(element).textOverflow === 'ellipsis' || isShortened(element.parentElement))
    const isCut = (element: Element) => {
      const { left, right, width } = element.getBoundingClientRect()
      return width > 0 && (left < -0.5 || right > innerWidth + 0.5) && !isShortened(element.parentElement)
    }
    const scrolls = (element: Element) =>
      /auto|scroll/.test(getComputedStyle(element).overflowX) && element.scrollWidth > element.clientWidth
    const parts = [...document.querySelectorAll('main, main *, [role=dialog], [role=dialog] *')]
    return {
      page: document.documentElement.scrollWidth - document.documentElement.clientWidth,
      parts: parts.filter((part) => isCut(part) || scrolls(part)).map((part) => part.outerHTML.slice(0, 200)),
    }
  })
  expect(beyond).toEqual({ page: 0, parts: [] })
}

/** A picture of the page for a person to look at, where LATCHKEY_TEST_SHOTS names a folder. */
export async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env['LATCHKEY_TEST_SHOTS']
  if (folder) await page.screenshot({ path: join(folder, `${name}.png`), fullPage: true })
}
