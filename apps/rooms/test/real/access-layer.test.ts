// Rooms as the access layer of another service, behind the proxies of the documentation, in a browser:
// two host names, which share no cookies.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freePort } from '@latchkey/http/free-port'
import { SignJWT, createRemoteJWKSet, jwtVerify } from 'jose'
import { type Browser, type Page, chromium } from 'playwright-core'
import { OPENSSL } from '../certificate.ts'
import { CHROMIUM, FLAGS } from './browser.ts'
import { CADDY, startCaddy } from './caddy.ts'
import { documentedBlock, documentedJson, documentedSettings } from './documented.ts'
import { NGINX, startNginx } from './nginx.ts'
import { type Registration, startOidcProvider } from './oidc-provider.ts'
import { startService } from './service.ts'

const PAGE = '../admin-access/rooms.md'
const PATH = '/_/admin/links?q=a%20b&page=2'
const CLAIMS = { email_verified: true }

interface Installation {
  rooms: string
  /** Where Rooms listens. */
  direct: string
  /** The other service, behind each of the proxies. */
  go: Record<Proxy, string>
  serviceKey: string
  stop(): Promise<void>
}

type Proxy = 'Caddy' | 'nginx'
const PROXIES: readonly Proxy[] = ['Caddy', 'nginx']

/** Shows what reaches it, instead of Links. */
function startEcho(port: number) {
  return Bun.serve({
    hostname: '127.0.0.1',
    port,
    fetch: ({ url, headers }) =>
      Response.json({
        path: new URL(url).pathname + new URL(url).search,
        assertion: headers.get('x-latchkey-assertion'),
      }),
  })
}

async function start(): Promise<Installation> {
  const [roomsPort, echoPort, caddyPort, nginxPort] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ]
  const rooms = `https://rooms.localhost:${caddyPort}`
  const go = { Caddy: `https://go.localhost:${caddyPort}`, nginx: `https://go.localhost:${nginxPort}` }
  const addresses = { 'https://rooms.example.com': rooms, 'https://login.example.com': '' }
  const registration = documentedJson('README.md', 'client_id', addresses) as Registration
  const direct = `http://127.0.0.1:${roomsPort}`
  // The provider does not know the certificate.
  const client = { ...registration, backchannel_logout_uri: `${direct}/api/auth/backchannel-logout` }
  const provider = await startOidcProvider({ alg: 'ES256', client, claims: CLAIMS })
  const settings: Record<string, string> = {
    ...documentedSettings('oidc.md', { ...addresses, 'https://login.example.com': provider.origin }),
    ...documentedSettings(PAGE, addresses, '# Rooms'),
    AUTH_ID_TOKEN_ALG: 'ES256',
    ROOMS_ACCESS_FOR: Object.values(go).join(','),
    ROOMS_PORT: String(roomsPort),
  }
  const service = await startService(settings)
  const echo = startEcho(echoPort)
  const withPorts = (text: string) =>
    text
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${roomsPort}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${echoPort}`)
  const sites = withPorts(documentedBlock(PAGE, 'text', { begins: 'rooms.example.com {' }))
  const caddy = await startCaddy(
    (tls) =>
      sites
        .replace('rooms.example.com {', `https://rooms.localhost:${caddyPort} {\n\t${tls}`)
        .replace('go.example.com {', `https://go.localhost:${caddyPort} {\n\t${tls}`),
    rooms,
  )
  const nginx = await startNginx(({ certificate, key }) =>
    withPorts(documentedBlock(PAGE, 'nginx'))
      .replace('listen 443 ssl', `listen 127.0.0.1:${nginxPort} ssl`)
      .replace('go.example.com;', 'go.localhost;')
      .replace('/etc/ssl/go.example.com.pem', certificate)
      .replace('/etc/ssl/private/go.example.com.key', key),
  )
  return {
    rooms,
    direct,
    go,
    serviceKey: settings['ROOMS_ACCESS_SERVICE_KEY'] ?? '',
    async stop() {
      await nginx.stop()
      await caddy.stop()
      await echo.stop(true)
      await service.stop()
      await provider.stop()
    },
  }
}

interface Echoed {
  path: string
  assertion: string | null
}

const echoed = async (page: Page) => JSON.parse(await page.innerText('body')) as Echoed

async function signIn(page: Page): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill('alice')
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

describe.skipIf(!CHROMIUM || !OPENSSL || !CADDY || !NGINX)('the access layer in Chromium', () => {
  const up: { installation?: Installation; browser?: Browser } = {}
  beforeAll(async () => {
    up.installation = await start()
    up.browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
  }, 60_000)
  afterAll(async () => {
    await up.browser?.close()
    await up.installation?.stop()
  }, 20_000)

  for (const proxy of PROXIES)
    test(`R50: a person enters behind ${proxy}, uses Rooms with the same session, and signs out of both`, async () => {
      const { installation, browser } = up
      if (!installation || !browser) throw new Error('Nothing is open')
      const { rooms, direct, serviceKey } = installation
      const go = installation.go[proxy]
      const forged = { 'X-Latchkey-Assertion': 'forged' }
      const context = await browser.newContext({ extraHTTPHeaders: forged })
      const page = await context.newPage()
      await page.goto(go + PATH)
      await page.waitForURL(/\/interaction\//)
      await signIn(page)
      await page.waitForURL(go + PATH)
      const { path, assertion } = await echoed(page)
      expect(path).toBe(PATH)
      const keys = createRemoteJWKSet(new URL(`${direct}/api/access/jwks`))
      const { payload } = await jwtVerify(assertion ?? '', keys, { issuer: rooms, audience: go })
      expect(payload).toMatchObject({ email: 'alice@example.com', email_verified: true })

      // The cookies of each host stay there, and no script reads those of the service.
      const names = async (origin: string) =>
        (await context.cookies(origin)).map(({ name }) => name).toSorted()
      expect(await names(go)).toEqual(['__Host-latchkey_access', '__Host-latchkey_access_entry'])
      expect(await names(rooms)).toEqual([
        '__Host-latchkey_csrf',
        '__Host-latchkey_login',
        '__Host-latchkey_session',
      ])
      for (const cookie of await context.cookies(go))
        expect(cookie).toMatchObject({ httpOnly: true, secure: true, sameSite: 'Lax', path: '/' })

      // Pages of the service that need no sign-in get no identity, whatever a visitor sends.
      await page.goto(`${go}/short`)
      expect(await echoed(page)).toEqual({ path: '/short', assertion: null })
      await page.goto(`${rooms}/account`)
      const ids = await page.evaluate(async () => {
        const answer = (await (await fetch('/api/session')).json()) as { user: { id: string } }
        return answer.user.id
      })
      expect(ids).toBe(payload.sub ?? '')

      // What Links does with its service key.
      const token = await new SignJWT()
        .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
        .setIssuer(go)
        .setAudience(rooms)
        .setIssuedAt()
        .setExpirationTime('60s')
        .sign(new TextEncoder().encode(serviceKey))
      const ask = async (since?: string) => {
        const query = since === undefined ? '' : `?since=${since}`
        const response = await fetch(`${direct}/api/access/revocations${query}`, {
          headers: { authorization: `Bearer ${token}` },
        })
        return (await response.json()) as { cursor: string; ended: { sid: string }[] }
      }
      const { cursor } = await ask()
      const pending = ask(cursor)
      await page.goto(go + PATH)
      await page.evaluate(() => location.assign('/api/access/sign-out'))
      const { ended } = await pending
      expect(ended.map(({ sid }) => sid)).toEqual([String(payload['sid'])])
      await page.getByRole('button', { name: 'Yes' }).click()
      await page.waitForURL(`${rooms}/**`)
      await page.goto(`${go}/short`)
      const status = await page.evaluate(async () => (await fetch('/_/admin/api/links')).status)
      expect(status).toBe(401)
      await page.goto(go + PATH)
      await page.waitForURL(/\/interaction\//)
      await context.close()
    }, 60_000)
})
