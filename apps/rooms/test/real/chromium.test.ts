import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core'
import { freePort } from '@latchkey/http/free-port'
import { CHROMIUM, FLAGS, nextVisit, signOutOnPage } from './browser.ts'
import { documentedBlock, documentedJson, documentedSettings } from './documented.ts'
import { OPENSSL } from '../certificate.ts'
import { NGINX, startNginx } from './nginx.ts'
import { type Registration, startOidcProvider } from './oidc-provider.ts'
import { startService } from './service.ts'

const RETURN_TO = '/account'

interface Installation {
  origin: string
  close(): Promise<void>
}

/** Both sides, with Rooms at this origin. */
async function open(origin: string, port: number, more: Record<string, string> = {}): Promise<Installation> {
  const addresses = { 'https://rooms.example.com': origin, 'https://login.example.com': '' }
  const client = documentedJson('README.md', 'client_id', addresses) as Registration
  const provider = await startOidcProvider({ alg: 'RS256', client })
  const settings = documentedSettings('oidc.md', {
    ...addresses,
    'https://login.example.com': provider.origin,
  })
  const service = await startService({ ...settings, ...more, ROOMS_PORT: String(port) })
  return {
    origin,
    async close() {
      await service.stop()
      await provider.stop()
    },
  }
}

/** On this machine, without a proxy. */
async function openPlain(): Promise<Installation> {
  const port = await freePort()
  return open(`http://localhost:${port}`, port)
}

/** Behind nginx, as documented. */
async function openSecure(): Promise<Installation> {
  const [port, front] = [await freePort(), await freePort()]
  const installation = await open(`https://rooms.localhost:${front}`, port, {
    PROXY_HEADER: 'X-Forwarded-For',
  })
  const nginx = await startNginx(({ certificate, key }) =>
    documentedBlock('README.md', 'nginx')
      .replace('listen 443 ssl', `listen 127.0.0.1:${front} ssl`)
      .replace('rooms.example.com;', 'rooms.localhost;')
      .replace('127.0.0.1:8081', `127.0.0.1:${port}`)
      .replace('/etc/ssl/rooms.example.com.pem', certificate)
      .replace('/etc/ssl/private/rooms.example.com.key', key),
  )
  return {
    ...installation,
    async close() {
      await nginx.stop()
      await installation.close()
    },
  }
}

/** The cookies that the browser stores for Rooms, with their attributes. */
async function storedCookies(context: BrowserContext, origin: string) {
  const cookies = await context.cookies(origin)
  return Object.fromEntries(
    cookies.map(({ name, domain, path, httpOnly, secure, sameSite }) => [
      name,
      { domain, path, httpOnly, secure, sameSite },
    ]),
  )
}

async function signIn(page: Page, origin: string): Promise<void> {
  await page.goto(`${origin}/api/auth/login?returnTo=${encodeURIComponent(RETURN_TO)}`)
  await page.getByPlaceholder('Enter any login').fill('alice')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
  await page.waitForURL(`${origin}/**`)
}

const INSTALLATIONS = [
  { where: 'on http://localhost', start: openPlain, prefix: '', secure: false, missing: false },
  {
    where: 'behind nginx with a certificate',
    start: openSecure,
    prefix: '__Host-',
    secure: true,
    missing: NGINX === undefined || OPENSSL === undefined,
  },
]

for (const { where, start, prefix, secure, missing } of INSTALLATIONS)
  describe.skipIf(!CHROMIUM || missing)(`in Chromium ${where}`, () => {
    const up: { installation?: Installation; browser?: Browser; page?: Page; context?: BrowserContext } = {}
    beforeAll(async () => {
      up.installation = await start()
      up.browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
    }, 60_000)
    afterAll(async () => {
      await up.browser?.close()
      await up.installation?.close()
    }, 20_000)

    test('a login ends at a clean address, with the documented cookies, of which scripts can read only one', async () => {
      const { installation, browser } = up
      if (!installation || !browser) throw new Error('Nothing is open')
      // The address that a client claims is not used.
      const context = await browser.newContext({ extraHTTPHeaders: { 'X-Forwarded-For': '203.0.113.9' } })
      const page = await context.newPage()
      await signIn(page, installation.origin)
      expect(page.url()).toBe(installation.origin + RETURN_TO)
      const hidden = {
        domain: new URL(installation.origin).hostname,
        path: '/',
        httpOnly: true,
        secure,
        sameSite: 'Lax' as const,
      }
      const { [`${prefix}latchkey_login`]: login, ...session } = await storedCookies(
        context,
        installation.origin,
      )
      expect(login).toEqual(hidden)
      expect(session).toEqual({
        [`${prefix}latchkey_session`]: hidden,
        [`${prefix}latchkey_csrf`]: { ...hidden, httpOnly: false },
      })
      const readable = await page.evaluate(() => document.cookie.replaceAll(/=[^;]*/g, ''))
      expect(readable).toBe(`${prefix}latchkey_csrf`)
      const sessions = await page.evaluate(async () => (await fetch('/api/sessions')).text())
      expect(sessions).toContain('"addressPrefix":"127.0.0.1')
      expect(sessions).not.toContain('203.0.113')
      Object.assign(up, { page, context })
    })

    test('signing out removes the cookies from the browser, signs out at the provider too, and invalidates copies of the cookies', async () => {
      const { installation, page, context } = up
      if (!installation || !page || !context) throw new Error('Nobody is signed in')
      const before = await context.cookies(installation.origin)
      const { status, logoutUrl = '' } = await signOutOnPage(page, prefix)
      expect(status).toBe(200)
      expect(Object.keys(await storedCookies(context, installation.origin))).toEqual([
        `${prefix}latchkey_login`,
      ])
      await page.goto(logoutUrl)
      const back = nextVisit(page, installation.origin)
      await page.getByRole('button', { name: 'Yes' }).click()
      expect(new URL(await back).pathname).toBe('/')
      await page.waitForURL(`${installation.origin}/**`)
      const fetchSessionStatus = () => page.evaluate(async () => (await fetch('/api/session')).status)
      expect(await fetchSessionStatus()).toBe(401)
      await context.addCookies(before)
      expect(await fetchSessionStatus()).toBe(401)
    })
  })
