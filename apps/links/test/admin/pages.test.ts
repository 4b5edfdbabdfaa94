import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { detailPages, pages } from '../../src/web/pages.tsx'
import { startTestLinks } from '../testing.ts'

const folder = mkdtempSync(join(tmpdir(), 'latchkey-pages-'))
afterAll(() => rmSync(folder, { recursive: true }))
const links = await startTestLinks(`sqlite:${join(folder, 'links.db')}`, {
  LINKS_ROOMS_URL: 'https://rooms.example.com',
})

test('L18: every page of the admin side has an address, and any other address is 404 with the page for it', async () => {
  const paths = [...pages.map(({ path }) => path), '/links/12', '/bundles/3', '/plans/7']
  for (const { pattern } of detailPages) expect(paths.some((path) => pattern.test(path))).toBeTrue()
  for (const path of paths) expect([path, (await links.fetch(`/_/admin${path}`)).status]).toEqual([path, 200])
  for (const path of ['/nowhere', '/links/', '/links/x', '/links/1/2', '/keys/1', '/dashboard.html']) {
    const { status, headers } = await links.fetch(`/_/admin${path}`)
    expect([path, status, headers.get('content-type')]).toEqual([path, 404, 'text/html; charset=utf-8'])
  }
}, 30_000)

test('L16.3: browsers keep the assets for ever, which are compressed, but not the pages', async () => {
  const index = await links.fetch('/_/admin/dashboard')
  const html = await index.text()
  const assets = [...html.matchAll(/(?:src|href)="(\/_\/admin\/assets\/[^"]+)"/g)].map(
    ([, path]) => path ?? '',
  )
  // The entry script, the styles, the icon, and the modules that the pages need first.
  expect(assets.length).toBeGreaterThan(3)
  expect(new Set(assets).size).toBe(assets.length)
  for (const path of assets)
    for (const encoding of ['br', 'gzip', null]) {
      const headers = encoding === null ? {} : { 'Accept-Encoding': encoding }
      const asset = await links.fetch(path, { headers })
      // A WOFF2 file is compressed in itself.
      const [encoded, vary] = path.endsWith('.woff2') ? [null, null] : [encoding, 'Accept-Encoding']
      expect([path, asset.status, asset.headers.get('content-encoding')]).toEqual([path, 200, encoded])
      expect(asset.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
      expect(asset.headers.get('vary')).toBe(vary)
    }
  expect(index.headers.get('cache-control')).toBe('private, no-store')
}, 30_000)

test('the asset routes serve no other file', async () => {
  for (const name of [
    'index.html',
    '..%2findex.html',
    '%2e%2e/build.ts',
    'main.js',
    'main.js.br',
    '',
    '.',
    'a/b.js',
  ]) {
    const { status, headers } = await links.fetch(`/_/admin/assets/${name}`)
    expect([name, status, headers.get('cache-control')]).toEqual([name, 404, 'private, no-store'])
  }
})

test('the page contains the identity of the viewer and the origin of short URLs as text', async () => {
  await links.callAdmin('PUT', '/settings', { body: { theme: 'dark', lang: 'sv' } })
  const html = await (await links.fetch('/_/admin/links')).text()
  expect(html).toContain(
    '<html lang="sv" data-scheme="dark" data-mantine-color-scheme="dark" data-identity="admin@localhost" data-origin="http://localhost:8080"',
  )
})

test('L18.12: the page contains the origin of Rooms from the settings, whatever the request says', async () => {
  const headers = { Referer: 'https://evil.example/' }
  const html = await (await links.fetch('/_/admin/links', { headers })).text()
  expect(html).toContain(' data-sibling="https://rooms.example.com" data-sibling-name="Latchkey Rooms"')
  expect(html).not.toContain('evil.example')
})

interface Embedded {
  address: string
  headers: Record<string, string>
  body: unknown
}

/** The answers in the HTML of a page. */
async function embeddedIn(path: string, headers: Record<string, string> = {}): Promise<Embedded[]> {
  const html = await (await links.fetch(`/_/admin${path}`, { headers })).text()
  const [, json = '[]'] = /<script type="application\/json" id="answers">([^<]*)<\/script>/.exec(html) ?? []
  return JSON.parse(json) as Embedded[]
}

test('L18.13: a page comes with the answers of the API to its first calls, and none that anyone else could make it send', async () => {
  const created = await links.callAdmin('POST', '/links', {
    body: { url: 'https://example.com/', label: '</script><script>alert(1)</script>' },
  })
  for (const [path, count] of [
    // The number of open plans is on every page.
    ['/links', 1 + 2],
    [`/links/${created.body.id}`, 1 + 3],
    ['/settings', 1 + 3],
    ['/import-export', 1],
    ['/links/999', 1],
    ['/nowhere', 1],
  ] as const) {
    const embedded = await embeddedIn(path)
    expect([path, embedded.length]).toEqual([path, count])
    for (const { address, headers, body } of embedded) {
      const answer = await links.fetch(address)
      expect([address, body]).toEqual([address, await answer.json()])
      expect(headers['etag']).toBe(answer.headers.get('etag') ?? undefined)
      expect(headers['x-total-count']).toBe(answer.headers.get('x-total-count') ?? undefined)
    }
  }
  // A query can ask for other links.
  expect((await embeddedIn('/links?search=other')).map(({ address }) => address)).toEqual([
    '/_/admin/api/plans?state=open&identity=admin%40localhost&limit=1',
  ])
  const unseen = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors', 'Sec-Fetch-Dest': 'script' }
  expect(await embeddedIn('/links', unseen)).toEqual([])
})

test('L18.13: a page comes with its statistics once its cookie names the time zone, unless the person prefers another', async () => {
  const { body: link } = await links.callAdmin('POST', '/links', {
    body: { url: 'https://example.com/zone' },
  })
  const statisticsIn = async (path: string, zone: string) => {
    const embedded = await embeddedIn(path, { Cookie: `time_zone=${encodeURIComponent(zone)}` })
    return embedded.map(({ address }) => address).filter((address) => address.includes('/analytics?'))
  }
  const dashboard = '/_/admin/api/analytics?tz=Asia%2FJakarta&compare=previous'
  expect(await statisticsIn('/dashboard', 'Asia/Jakarta')).toEqual([dashboard])
  expect(await statisticsIn(`/links/${link.id}`, 'Asia/Jakarta')).toEqual([`${dashboard}&link=${link.id}`])
  expect(await statisticsIn('/dashboard', 'Nowhere/At all')).toEqual([])
  await links.callAdmin('PUT', '/settings', { body: { time_zone: 'Europe/Stockholm' } })
  expect(await statisticsIn('/dashboard', 'Asia/Jakarta')).toEqual([
    dashboard.replace('Asia%2FJakarta', 'Europe%2FStockholm'),
  ])
  await links.callAdmin('PUT', '/settings', { body: { time_zone: null } })
})
