// Behaviour that only a real browser shows: many tabs at once, and foreign pages.
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import type { Transaction } from 'kysely'
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core'
import type { Tables } from '../../src/db/tables.ts'
import { type Running, startRooms } from '../../src/main.ts'
import { readSettings } from '../../src/settings/settings.ts'
import { freePort } from '@latchkey/http/free-port'
import { type HostileProvider, hostileProvider } from '../provider/hostile.ts'
import { CHROMIUM, FLAGS } from '../real/browser.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-tabs-'))
const databaseUrl = `sqlite:${join(folder, 'rooms.db')}`
let idp: HostileProvider
let service: Running | undefined
let chrome: Browser
let origin: string

/**
 * Pages of other sites: the sign-in page of the provider, skipped if it knows the user, and a page
 * with a link to us.
 */
const pages: { asks: boolean; server: Bun.Server<undefined> | undefined } = { asks: false, server: undefined }

function servePages(): Bun.Server<undefined> {
  return Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch(request): Response {
      const { pathname } = new URL(request.url)
      if (pathname === '/authorize') {
        const back = idp.authorize(request.url, idp.person)
        return pages.asks
          ? html(`<a href="${back.replaceAll('&', '&amp;')}">Continue</a>`)
          : Response.redirect(back)
      }
      const address = `${origin}/api/auth/login?returnTo=/rooms/7`
      return html(
        pathname === '/script'
          ? `<script>location.assign('${address}')</script>`
          : `<a href="${address}">Join</a>`,
      )
    },
  })
}

function html(body: string): Response {
  return new Response(`<!doctype html><title>Elsewhere</title>${body}`, {
    headers: { 'Content-Type': 'text/html' },
  })
}

beforeAll(async () => {
  if (!CHROMIUM) return
  idp = await hostileProvider()
  const server = servePages()
  pages.server = server
  idp.metadata((usual) => ({ ...usual, authorization_endpoint: `http://127.0.0.1:${server.port}/authorize` }))
  // Another site than the 127.0.0.1 of the provider, which gives its requests the cookies and fetch
  // metadata of a foreign site.
  origin = `http://localhost:${await freePort()}`
  service = await startRooms(
    readSettings({
      AUTH_PROVIDER: 'oidc',
      OIDC_ISSUER: idp.issuer,
      AUTH_CLIENT_ID: 'rooms-client',
      ALLOWED_HOSTS: origin,
      ROOMS_PORT: new URL(origin).port,
      ROOMS_DATABASE_URL: databaseUrl,
      // All these browsers run on this machine.
      ROOMS_LIMITS: 'login_start_per_minute=1000,callback_per_minute=1000',
    }),
  )
  chrome = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS })
}, 60_000)

afterEach(() => {
  pages.asks = false
})

afterAll(async () => {
  await chrome?.close()
  await service?.stop()
  await pages.server?.stop(true)
  await idp?.stop()
  rmSync(folder, { recursive: true, force: true })
}, 20_000)

async function inDatabase<Result>(work: (tx: Transaction<Tables>) => Promise<Result>): Promise<Result> {
  const database = openDatabase<Tables>(databaseUrl)
  const result = await database.write(work)
  await database.close()
  return result
}

/** Expires all login states. */
async function expire(): Promise<void> {
  await inDatabase((tx) => tx.updateTable('login_states').set({ expires_at: 0 }).execute())
}

async function countAttempts(): Promise<number> {
  return (await inDatabase((tx) => tx.selectFrom('login_states').select('state_hash').execute())).length
}

/** The address of a page, in short. */
function at(page: Page): string {
  const url = new URL(page.url())
  return url.origin === origin ? url.pathname + url.search : url.href
}

async function begin(context: BrowserContext, path: string): Promise<Page> {
  const page = await context.newPage()
  await page.goto(`${origin}/api/auth/login?returnTo=${encodeURIComponent(path)}`)
  return page
}

async function readNickname(page: Page): Promise<unknown> {
  const answer = await page.request.get(`${origin}/api/session`)
  return answer.status() === 200
    ? ((await answer.json()) as { user: { nickname: string } }).user.nickname
    : undefined
}

/** The client's scripts are not involved, and running them in ten tabs is slow. */
const WITHOUT_CLIENT = { javaScriptEnabled: false }

const PATHS = Array.from({ length: 10 }, (_, n) => `/rooms/${n}`)

describe.skipIf(!CHROMIUM)('ten tabs of a real browser', () => {
  test('C25 R28.1: all end signed in if they start a login at the same moment, without any cookie', async () => {
    for (let round = 0; round < 2; round++) {
      const context = await chrome.newContext(WITHOUT_CLIENT)
      const tabs = await Promise.all(PATHS.map((path) => begin(context, path)))
      expect(tabs.map(at)).toEqual(PATHS)
      for (const tab of tabs.slice(0, 2)) expect(await readNickname(tab)).toBe('Alice Andersson')
      await context.close()
    }
  }, 120_000)

  test('C25: all end signed in if they start a login one after another and return in any order', async () => {
    const context = await chrome.newContext(WITHOUT_CLIENT)
    pages.asks = true
    const tabs: Page[] = []
    for (const path of PATHS) tabs.push(await begin(context, path))
    pages.asks = false
    expect(new Set(tabs.map((tab) => new URL(tab.url()).pathname))).toEqual(new Set(['/authorize']))
    for (const tab of tabs.toReversed()) await tab.click('a')
    expect(tabs.map(at)).toEqual(PATHS)
    await context.close()
  }, 60_000)

  test('C25: a tab whose state has expired goes to the start page if the browser is signed in, and otherwise shows the error', async () => {
    const context = await chrome.newContext()
    pages.asks = true
    const late = await begin(context, '/rooms/7')
    pages.asks = false
    const callback = (await late.getAttribute('a', 'href')) ?? ''
    await expire()
    await late.goto(callback)
    expect(at(late)).toBe('/login?error=state_invalid')
    await begin(context, '/')
    await late.goto(callback)
    expect(at(late)).toBe('/')
    expect(await readNickname(late)).toBe('Alice Andersson')
    await context.close()
  }, 60_000)

  test('C37: no address in the history contains the code', async () => {
    const context = await chrome.newContext()
    const page = await begin(context, '/rooms/7')
    const client = await context.newCDPSession(page)
    const { entries } = await client.send('Page.getNavigationHistory')
    expect(entries.map(({ url }) => url).filter((url) => /[?&](code|state)=/.test(url))).toEqual([])
    expect(at(page)).toBe('/rooms/7')
    await context.close()
  }, 60_000)
})

describe.skipIf(!CHROMIUM)('a foreign page in a real browser', () => {
  test('C23: cannot start a login by image, frame or script, but a click on its link can', async () => {
    const context = await chrome.newContext()
    const page = await context.newPage()
    const foreign = `http://127.0.0.1:${pages.server?.port}/`
    await page.goto(foreign)
    const before = await countAttempts()
    await page.evaluate(async (address) => {
      const waitForLoad = (element: HTMLElement) =>
        new Promise((resolve) => {
          element.addEventListener('load', resolve)
          element.addEventListener('error', resolve)
          document.body.append(element)
        })
      const image = document.createElement('img')
      image.src = address
      const frame = document.createElement('iframe')
      frame.src = address
      await Promise.all([waitForLoad(image), waitForLoad(frame)])
    }, `${origin}/api/auth/login`)
    // From the page's own script, because a click by the test runner would count as a user's click.
    await page.goto(`${foreign}script`)
    await page.waitForURL(`${origin}/login?returnTo=%2Frooms%2F7`)
    expect(await countAttempts()).toBe(before)
    expect(await readNickname(page)).toBeUndefined()
    await page.goto(foreign)
    await page.click('a')
    await page.waitForURL(`${origin}/rooms/7`)
    expect(await readNickname(page)).toBe('Alice Andersson')
    await context.close()
  }, 60_000)
})
