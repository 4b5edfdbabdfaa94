import { Database } from 'bun:sqlite'
import { afterAll, beforeAll, expect } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { sqlitePath } from '@latchkey/database/url'
import { type View, testBrowser } from '@latchkey/web/testing/browser'
import { type Running, startLinks } from '../../src/main.ts'
import { readSettings } from '../../src/settings/settings.ts'

/**
 * A real service on a free port and a real browser for the tests of the file that calls this; settings by their names.
 * `headers` go with every request, as from a proxy.
 */
export function openAdminPages(
  environment: Record<string, string> = {},
  headers: Record<string, string> = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
  const databaseUrl = `sqlite:${join(folder, 'links.db')}`
  const browser = testBrowser(headers)
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
    /** The same file beside the service, which may be writing to it. */
    database() {
      const database = new Database(sqlitePath(databaseUrl))
      database.run('pragma busy_timeout = 5000')
      return database
    },
    open: (path: string, view?: View) => browser.open(at(path), view),
    call: (method: string, path: string, body: unknown) =>
      fetch(at(`/api${path}`), {
        method,
        headers: { 'Content-Type': 'application/json', ...headers },
        body: JSON.stringify(body),
      }),
  }
}
