import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlitePath } from '@latchkey/database/url'
import { type View, testBrowser } from '@latchkey/web/testing/browser'
import type { Page } from 'playwright-core'
import { type Running, startLinks } from '../../src/main.ts'
import { readSettings } from '../../src/settings/settings.ts'

/**
 * Starts a real service on a free port and a real browser for the tests of the file that calls
 * this. Settings have their names. `headers` go with every request, as from a proxy.
 */
export function openAdminPages(
  environment: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const databaseUrl = `sqlite:${join(folder, 'links.db')}`
  const browser = testBrowser(headers, { blank: '/robots.txt' })
  let service: Running | undefined
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
    service = await startLinks(settings)
    // The first request bundles the pages.
    expect((await fetch(`${service.url}/_/admin/dashboard`, { headers })).status).toBe(200)
  }, 60_000)
  afterAll(async () => {
    await service?.stop()
    rmSync(folder, { recursive: true, force: true })
  }, 20_000)
  const at = (path: string) => `${service?.url}/_/admin${path}`
  return {
    at,
    databaseUrl,
    /** Opens the database of the service, which may write to it at the same time. */
    database() {
      const database = new Database(sqlitePath(databaseUrl))
      database.run('pragma busy_timeout = 5000')
      return database
    },
    open: (path: string, view?: View) => browser.open(at(path), view),
    /**
     * Goes to a page of another kind as a link in the client does, at a fifth of the cost of loading
     * its document.
     */
    async visit(page: Page, path: string): Promise<void> {
      await page.evaluate((address) => {
        document.querySelector('h1')?.setAttribute('data-left', '')
        history.pushState(null, '', address)
      }, at(path))
      await page.locator('h1:not([data-left])').waitFor()
    },
    /** Sends a request to the visitors' side. */
    fetch: (path: string, init?: RequestInit) => fetch(new URL(path, at('/')), init),
    call: (method: string, path: string, body: unknown) =>
      fetch(at(`/api${path}`), {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}

/** Waits until the main part of a page has loaded its content. */
export async function waitForContent(page: Page): Promise<void> {
  await page.locator('main .mantine-Skeleton-root').first().waitFor({ state: 'detached' })
}

/**
 * Undoes the pending action of the toast or closes the toast, which executes it. Returns once the
 * toast is hidden.
 */
export async function answerToast(page: Page, name: 'Undo' | 'Close'): Promise<void> {
  const toast = page.locator('.mantine-Notification-root')
  await toast.getByRole('button', { name }).click()
  await toast.waitFor({ state: 'detached' })
}
