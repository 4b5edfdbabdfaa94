// Rooms as the access layer of Links, as documented: a provider, both services, two proxies, two host
// names, and a browser.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { freePort } from '@latchkey/http/free-port'
import { type Browser, type Page, chromium } from 'playwright-core'
import { OPENSSL } from '../../rooms/test/certificate.ts'
import { CHROMIUM, FLAGS } from '../../rooms/test/real/browser.ts'
import { CADDY, startCaddy } from '../../rooms/test/real/caddy.ts'
import { documentedBlock, documentedJson, documentedSettings } from '../../rooms/test/real/documented.ts'
import { NGINX, startNginx } from '../../rooms/test/real/nginx.ts'
import { type Registration, startOidcProvider } from '../../rooms/test/real/oidc-provider.ts'
import { type Service, startService } from '../../rooms/test/real/service.ts'
import { Workspace } from './running.ts'

const PAGE = '../admin-access/rooms.md'
const LIST = '/_/admin/links?q=door'

interface Installation {
  go: string
  rooms: string
  provider: string
  roomsService: Service
  /** Puts nginx in the place of Caddy. */
  changeProxy(): Promise<void>
  stop(): Promise<void>
}

async function start(): Promise<Installation> {
  const [roomsPort, linksPort, front] = [await freePort(), await freePort(), await freePort()]
  const rooms = `https://rooms.latchkey.test:${front}`
  const go = `https://go.latchkey.test:${front}`
  const direct = `http://127.0.0.1:${roomsPort}`
  const addresses = {
    'https://rooms.example.com': rooms,
    'https://go.example.com': go,
    'https://login.example.com': '',
  }
  const registration = documentedJson('README.md', 'client_id', addresses) as Registration
  const provider = await startOidcProvider({
    alg: 'RS256',
    // Neither the provider nor Links knows the names and certificates of the test.
    client: { ...registration, backchannel_logout_uri: `${direct}/api/auth/backchannel-logout` },
    claims: { email_verified: true },
  })
  const roomsService = await startService({
    ...documentedSettings('oidc.md', { ...addresses, 'https://login.example.com': provider.origin }),
    ...documentedSettings(PAGE, addresses, '# Rooms'),
    ADMIN_BOOTSTRAP: 'off',
    AUTH_ADMIN_CLAIM_PATH: 'sub',
    AUTH_ADMIN_CLAIM_VALUE: 'root',
    ROOMS_PORT: String(roomsPort),
  })
  const settings = documentedSettings(PAGE, addresses, '# Links')
  const workspace = new Workspace()
  const links = await workspace.start(['links'], /"listening"/, {
    ...settings,
    LINKS_ACCESS_JWKS_URL: settings['LINKS_ACCESS_JWKS_URL']?.replace(rooms, direct) ?? '',
    LINKS_ACCESS_REVOCATIONS_URL: settings['LINKS_ACCESS_REVOCATIONS_URL']?.replace(rooms, direct) ?? '',
    LINKS_PORT: String(linksPort),
  })
  const withPorts = (text: string) =>
    text
      .replaceAll('127.0.0.1:8081', `127.0.0.1:${roomsPort}`)
      .replaceAll('127.0.0.1:8080', `127.0.0.1:${linksPort}`)
  const sites = withPorts(documentedBlock(PAGE, 'text', { begins: 'rooms.example.com {' }))
  // The name that is asked until Caddy answers must be one that this process knows.
  const ready = `https://caddy.localhost:${front}`
  let proxy = await startCaddy(
    (tls) =>
      `${ready} {\n\t${tls}\n}\n${sites.replaceAll(/^(go|rooms)\.example\.com \{/gm, `https://$1.latchkey.test:${front} {\n\t${tls}`)}`,
    ready,
  )
  return {
    go,
    rooms,
    provider: provider.origin,
    roomsService,
    async changeProxy() {
      await proxy.stop()
      const servers = withPorts(documentedBlock('README.md', 'nginx') + documentedBlock(PAGE, 'nginx'))
      proxy = await startNginx(({ certificate, key }) =>
        servers
          .replaceAll('listen 443 ssl', `listen 127.0.0.1:${front} ssl`)
          .replaceAll('.example.com;', '.latchkey.test;')
          .replaceAll(/\/etc\/ssl\/\w+\.example\.com\.pem/g, certificate)
          .replaceAll(/\/etc\/ssl\/private\/\w+\.example\.com\.key/g, key),
      )
    },
    async stop() {
      await proxy.stop()
      await links.stop()
      workspace.remove()
      await roomsService.stop()
      await provider.stop()
    },
  }
}

async function signIn(page: Page, login: string): Promise<void> {
  await page.getByPlaceholder('Enter any login').fill(login)
  await page.getByPlaceholder('and password').fill('any')
  await page.getByRole('button', { name: 'Sign-in' }).click()
  await page.getByRole('button', { name: 'Continue' }).click()
}

interface Call {
  method?: string
  headers?: Record<string, string>
  body?: string
}

/** Calls an API as a script of the page. */
function call(page: Page, path: string, request: Call = {}) {
  return page.evaluate(
    async ([address, init]) => {
      const response = await fetch(address, { redirect: 'manual', ...init })
      return { type: response.type, status: response.status, body: await response.json().catch(() => null) }
    },
    [path, request] as const,
  )
}

const post = (body: object): Call => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})

/** The end of the request with which the page follows changes. */
function endOfStream(page: Page): Promise<unknown> {
  const isStream = (request: { url(): string }) => new URL(request.url()).pathname.endsWith('/events')
  const options = { predicate: isStream, timeout: 0 }
  return Promise.race([
    page.waitForEvent('requestfinished', options),
    page.waitForEvent('requestfailed', options),
  ])
}

describe.skipIf(!CHROMIUM || !OPENSSL || !CADDY || !NGINX)('Links behind Rooms', () => {
  let up: Installation
  let browser: Browser
  /** How long it took until an open page said that its session had ended. */
  const tookMs: number[] = []

  beforeAll(async () => {
    up = await start()
    const names = '--host-resolver-rules=MAP *.latchkey.test 127.0.0.1'
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: [...FLAGS, names] })
  }, 60_000)
  afterAll(async () => {
    await browser?.close()
    await up?.stop()
  }, 30_000)

  /** Opens the list of links as Alice, who signs in on the way, and waits for its live feed. */
  async function openList(slug: string): Promise<Page> {
    const context = await browser.newContext({ locale: 'en-GB' })
    const page = await context.newPage()
    await page.goto(up.go + LIST)
    await page.waitForURL(`${up.provider}/**`)
    await signIn(page, 'alice')
    await page.waitForURL(up.go + LIST)
    await page.getByRole('heading', { name: 'Links', level: 1 }).waitFor()
    const other = await context.newPage()
    await other.goto(`${up.go}/_/admin/keys`)
    await call(
      other,
      '/_/admin/api/links',
      post({ url: 'https://example.com/', label: `door ${slug}`, slug }),
    )
    await page.getByText(`door ${slug}`).first().waitFor()
    await other.close()
    return page
  }

  /** Expects the page to say that the session has ended, and its stream to close, after `end`. */
  async function expectEnd(page: Page, end: () => Promise<unknown>): Promise<void> {
    const notice = page.getByRole('alert', { name: 'You’re signed out' })
    const closed = endOfStream(page)
    const beganMs = performance.now()
    const noticed = notice.waitFor().then(() => tookMs.push(performance.now() - beganMs))
    await Promise.all([end(), noticed, closed])
    expect([401, 403]).toContain((await call(page, '/_/admin/api/links')).status)
    expect(await notice.getByRole('link', { name: 'Sign in' }).getAttribute('href')).toBe(page.url())
  }

  test('R50.3 L16.8: behind Caddy, one sign-in opens both products, and a sign-out at the provider closes the open page', async () => {
    const page = await openList('caddy')
    const rooms = await page.context().newPage()
    await rooms.goto(`${up.go}/_/admin/dashboard`)
    await rooms.getByRole('button', { name: 'Latchkey Links: switch product' }).click()
    await rooms.getByRole('menuitem', { name: 'Open Latchkey Rooms' }).click()
    await rooms.waitForURL(`${up.rooms}/**`)
    expect((await call(rooms, '/api/session')).body).toMatchObject({
      user: { nickname: 'Alice Andersson' },
    })

    await rooms.goto(`${up.provider}/session/end`)
    await expectEnd(page, () => rooms.getByRole('button', { name: 'Yes' }).click())
    // The link of the notice leads to the sign-in, and back to this page.
    await rooms.goto(page.url())
    await rooms.waitForURL(`${up.provider}/**`)
    await signIn(rooms, 'alice')
    await rooms.waitForURL(up.go + LIST)
    await page.context().close()
  }, 60_000)

  test('R50.1a: behind either proxy, no visitor of Rooms names the origin that is asked for', async () => {
    const forged = { 'X-Forwarded-Host': new URL(up.go).host, 'X-Forwarded-Proto': 'https' }
    const rooms = await (await browser.newContext()).newPage()
    const statusOf = async () => (await call(rooms, '/api/access', { headers: forged })).status
    await rooms.goto(up.rooms)
    expect(await statusOf()).toBe(421)
    await up.changeProxy()
    expect(await statusOf()).toBe(421)
  }, 60_000)

  test('R50.6a L16.8: behind nginx, a disabled person loses the open page', async () => {
    const page = await openList('nginx')
    const root = await (await browser.newContext()).newPage()
    await root.goto(`${up.rooms}/api/auth/login?returnTo=/account`)
    await signIn(root, 'root')
    await root.waitForURL(`${up.rooms}/account`)
    const own = (await call(root, '/api/session')).body as { user: { id: string } }
    const { users } = (await call(root, '/api/admin/users?q=alice')).body as { users: { id: string }[] }
    const alice = users.find(({ id }) => id !== own.user.id)
    const token = (await root.context().cookies(up.rooms)).find(({ name }) => name.endsWith('_csrf'))
    await expectEnd(page, async () => {
      const answer = await call(root, `/api/admin/users/${alice?.id}/status`, {
        method: 'PATCH',
        headers: { 'content-type': 'application/json', 'x-csrf-token': token?.value ?? '' },
        body: '{"disabled":true}',
      })
      expect(answer.status).toBe(200)
    })
    await page.reload()
    expect(new URL(page.url()).pathname).not.toStartWith('/_/admin')
    // The quicker of both, because other tests may keep the machine busy.
    expect(Math.min(...tookMs)).toBeLessThan(2_000)
  }, 60_000)

  test('L16.9: while Rooms is away, no page opens, and redirects and the API of Links go on', async () => {
    const root = await (await browser.newContext()).newPage()
    await root.goto(up.go + LIST)
    await signIn(root, 'root')
    await root.waitForURL(up.go + LIST)
    const key = await call(root, '/_/admin/api/keys', post({ title: 'door', scope: 'read' }))
    const authorization = `Bearer ${(key.body as { raw_key: string }).raw_key}`
    await up.roomsService.kill()
    const opened = await (await root.context().newPage()).goto(`${up.go}/_/admin/dashboard`)
    expect(opened?.status()).toBeGreaterThanOrEqual(500)
    expect(await call(root, '/_/ready')).toMatchObject({
      status: 200,
      body: { access: 'ended sessions cannot be followed' },
    })
    expect((await call(root, '/caddy')).type).toBe('opaqueredirect')
    expect((await call(root, '/_/api/links', { headers: { authorization } })).status).toBe(200)
  }, 60_000)
})
