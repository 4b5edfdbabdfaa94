import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { get } from 'node:http'
import { newSqliteUrls } from '../test-database.ts'
import { type TestLinks, sharedTestLinks } from '../testing.ts'

const newUrl = newSqliteUrls()
const GO = 'go.example.com'
const L = 'l.example.org'
const ALIAS = 'alias.example.net'
const UNKNOWN = 'unknown.example.com'
const MCP = `mcp.${GO}`

interface Answer {
  status: number
  location: string | undefined
  text: string
}

/** Sends a request with these headers from a socket of `address`. */
function ask(
  { port, address }: { port: number; address: string },
  path: string,
  headers: Record<string, string>,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    get({ host: '127.0.0.1', port, path, localAddress: address, headers, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('end', () =>
        resolve({ status: response.statusCode ?? 0, location: response.headers.location, text }),
      )
    }).on('error', reject)
  })
}

/** One path of each kind of route. */
const PATHS = {
  default: '/only-default',
  further: '/only-further',
  both: '/both',
  root: '/',
  robots: '/robots.txt',
  icon: '/favicon.svg',
  manifest: '/manifest.webmanifest',
  app: '/.well-known/assetlinks.json',
  metadata: '/.well-known/oauth-protected-resource/_/mcp',
  health: '/_/health',
  admin: '/_/admin/dashboard',
  adminApi: '/_/admin/api/links',
  api: '/_/api/links',
  reference: '/_/api/openapi.json',
  mcp: '/_/mcp',
  privacy: '/_/privacy',
  check: `/_/domain-check?domain=${L}`,
  font: '/_/fonts/none.woff2',
} as const
type Kind = keyof typeof PATHS

/** What each kind answers, by the host: the statuses, or where a redirect leads. */
const ON_DEFAULT: Record<Kind, number | string> = {
  default: 'https://example.com/default',
  further: 404,
  both: 'https://example.com/both/default',
  root: 200,
  robots: 200,
  icon: 200,
  manifest: 200,
  app: 404,
  metadata: 404,
  health: 200,
  admin: 403,
  adminApi: 403,
  api: 401,
  reference: 200,
  mcp: 403,
  privacy: 200,
  check: 200,
  font: 404,
}
/** The answers of a host without the service's own pages and APIs. */
const NO_PAGES = {
  manifest: 404,
  metadata: 404,
  health: 404,
  admin: 404,
  adminApi: 404,
  api: 404,
  reference: 404,
  mcp: 404,
  privacy: 404,
  check: 404,
  font: 404,
}
const ON_FURTHER: typeof ON_DEFAULT = {
  ...ON_DEFAULT,
  ...NO_PAGES,
  default: 404,
  further: 'https://example.com/further',
  both: 'https://example.com/both/further',
  root: 'https://example.com/welcome',
  app: 200,
}
const ON_ALIAS: typeof ON_DEFAULT = {
  ...ON_FURTHER,
  both: 'https://example.com/both/alias',
  root: 200,
  app: 404,
}
const NOTHING = Object.fromEntries(Object.keys(PATHS).map((kind) => [kind, 404])) as typeof ON_DEFAULT

function serve(settings: Record<string, string>) {
  const links = sharedTestLinks(newUrl, {
    LINKS_BASE_URL: `https://${GO}`,
    LINKS_DOMAINS: `${L},${ALIAS}`,
    TRUSTED_PROXIES: '127.0.0.2',
    PROXY_HEADER: 'X-Forwarded-For',
    ...settings,
  })
  let server: ReturnType<typeof Bun.serve>
  beforeAll(async () => {
    server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: links.fetchHandler })
    await fill(links)
  })
  afterAll(() => server.stop(true))
  const askFrom = (address: string) => (path: string, headers: Record<string, string>) =>
    ask({ port: server.port ?? 0, address }, path, headers)
  /** The answers of all kinds of routes, in the form of the tables above. */
  const matrix = async (headers: Record<string, string>, address = '127.0.0.1') => {
    const answers = await Promise.all(
      Object.entries(PATHS).map(async ([kind, path]) => {
        const { status, location } = await askFrom(address)(path, { 'User-Agent': 'x', ...headers })
        return [kind, location ?? status] as const
      }),
    )
    return Object.fromEntries(answers)
  }
  return { links, matrix, direct: askFrom('127.0.0.1'), proxied: askFrom('127.0.0.2') }
}

async function fill(links: TestLinks): Promise<void> {
  const create = async (path: string, slug: string, url: string) => {
    const body = { slug, url: `https://example.com/${url}` }
    expect((await links.callAdmin('POST', path, { body })).status).toBe(201)
  }
  await create('/links', 'only-default', 'default')
  await create('/links', 'both', 'both/default')
  await create(`/domains/${L}/links`, 'only-further', 'further')
  await create(`/domains/${L}/links`, 'both', 'both/further')
  await create(`/domains/${ALIAS}/links`, 'both', 'both/alias')
  const set = async (host: string, body: object) =>
    expect((await links.callAdmin('PUT', `/domains/${host}`, { body })).status).toBe(200)
  await set(L, { root_url: 'https://example.com/welcome', well_known: { 'assetlinks.json': [] } })
  await set(ALIAS, { alias_of: L })
}

describe('L31.3b: each kind of route', () => {
  const { matrix, direct } = serve({})
  const strict = serve({ LINKS_STRICT_HOST: 'on' })

  test('on the default host', async () => {
    for (const { matrix: read } of [{ matrix }, strict]) {
      expect(await read({ Host: GO })).toEqual(ON_DEFAULT)
      // Ports, case and a final dot do not matter.
      expect(await read({ Host: `${GO.toUpperCase()}.:8443` })).toEqual(ON_DEFAULT)
    }
  })

  test('on a further domain', async () => {
    for (const { matrix: read } of [{ matrix }, strict]) {
      expect(await read({ Host: L })).toEqual(ON_FURTHER)
      expect(await read({ Host: `${L.toUpperCase()}.:8080` })).toEqual(ON_FURTHER)
    }
  })

  test('on a domain that answers for another', async () => {
    for (const { matrix: read } of [{ matrix }, strict]) expect(await read({ Host: ALIAS })).toEqual(ON_ALIAS)
  })

  test('on an unknown host: the default domain, or with strict hosts nothing at all', async () => {
    for (const host of [UNKNOWN, `${L}.evil.example`, `x${L}`, '192.0.2.1', `${GO}.evil.example`]) {
      expect([host, await matrix({ Host: host })]).toEqual([host, ON_DEFAULT])
      expect([host, await strict.matrix({ Host: host })]).toEqual([host, NOTHING])
    }
  })

  test('on the names of this machine, which have the admin side too', async () => {
    const local = {
      ...ON_DEFAULT,
      root: '/_/admin/dashboard',
      admin: 200,
      adminApi: 200,
      mcp: 405,
    }
    for (const host of ['localhost:8080', '127.0.0.1', '[::1]:8080'])
      for (const { matrix: read } of [{ matrix }, strict])
        expect([host, await read({ Host: host })]).toEqual([host, local])
  })

  test('on a host for MCP, where nothing else is served', async () => {
    for (const { matrix: read } of [{ matrix }, strict]) {
      const { root, ...others } = await read({ Host: MCP })
      expect(root).toBe(403)
      expect(Object.entries(others).filter(([, answer]) => answer !== 404)).toEqual([])
    }
  })

  test('a forwarded host counts from a trusted proxy, and from no other peer', async () => {
    for (const service of [{ matrix }, strict]) {
      const forged = { Host: GO, 'X-Forwarded-Host': L }
      expect(await service.matrix(forged)).toEqual(ON_DEFAULT)
      expect(await service.matrix(forged, '127.0.0.2')).toMatchObject({ ...ON_FURTHER })
      // The proxy speaks to an internal name.
      const internal = { Host: '127.0.0.1:8080', 'X-Forwarded-Host': `${L}:443` }
      expect(await service.matrix(internal, '127.0.0.2')).toEqual(ON_FURTHER)
      // The nearest proxy comes last.
      const chain = { Host: GO, 'X-Forwarded-Host': `${GO}, ${L}` }
      expect(await service.matrix(chain, '127.0.0.2')).toEqual(ON_FURTHER)
      const admin = { Host: L, 'X-Forwarded-Host': GO }
      expect((await service.matrix(admin))['health']).toBe(404)
      expect((await service.matrix(admin, '127.0.0.2'))['health']).toBe(200)
    }
    const unknown = { Host: GO, 'X-Forwarded-Host': UNKNOWN }
    expect(await strict.matrix(unknown, '127.0.0.2')).toEqual(NOTHING)
  })

  test('L31.3d: the domain check names hosts of this instance, in any spelling, and no other', async () => {
    const check = async (domain: string) =>
      (await direct(`/_/domain-check?domain=${encodeURIComponent(domain)}`, { Host: 'localhost' })).status
    for (const host of [GO, L, ALIAS, MCP, 'L.EXAMPLE.ORG', `${L}.`])
      expect([host, await check(host)]).toEqual([host, 200])
    for (const host of ['', UNKNOWN, `mcp.${L}`, `www.${L}`, '127.0.0.1', 'localhost', `${L}:443`, `${L}/x`])
      expect([host, await check(host)]).toEqual([host, 404])
    expect((await direct('/_/domain-check', { Host: 'localhost' })).status).toBe(404)
  })

  test('L31.3a: refused hosts are not redirected and count no click', async () => {
    const { links } = strict
    const { body } = await links.callAdmin('GET', '/links?search=only-default')
    await strict.direct('/only-default', { Host: UNKNOWN })
    const again = await links.callAdmin('GET', `/links/${body[0].id}`)
    expect(again.body.total_clicks).toBe(body[0].total_clicks)
  })
})

describe('L13.3a: a click that comes from a page of the instance', () => {
  const { links, direct } = serve({})

  test('is a self-referrer on every domain, from its own host and from the default one', async () => {
    const visit = (referrer: string) =>
      direct('/only-further', { Host: L, Referer: referrer, 'User-Agent': 'Mozilla/5.0' })
    await visit(`https://${L}/x`)
    await visit(`https://${GO}/both`)
    await visit('https://news.example/')
    await links.callAdmin('GET', '/links')
    const rows = await links.rows<{ is_self_referrer: number }>(
      `select is_self_referrer from click where slug = '${L}/only-further' order by id`,
    )
    expect(rows.map((row) => row.is_self_referrer)).toEqual([1, 1, 0])
  })
})
