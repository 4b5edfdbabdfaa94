import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { testBrowser } from '@latchkey/web/testing/browser'
import { Workspace, type Service } from '../running.ts'
import { testExecutable } from './executable.ts'
import { HAS_NAMESPACES, Image } from './image.ts'

const executable = testExecutable()

describe.skipIf(!HAS_NAMESPACES)('the executable, on a machine with only the libraries of C and C++', () => {
  const browser = process.env['LATCHKEY_TEST_CHROMIUM'] ? testBrowser() : undefined
  const data = mkdtempSync(join(tmpdir(), 'latchkey-data-'))
  const stores = {
    LINKS_DATABASE_URL: 'sqlite:/data/links.db',
    LINKS_JOURNAL: 'sqlite:/data/links-journal.db',
    ROOMS_DATABASE_URL: 'sqlite:/data/rooms.db',
    ROOMS_FILES: '/data/rooms-demo-files',
    PROXY_HEADER: 'X-Forwarded-For',
    TRUSTED_PROXIES: '127.0.0.1',
    MCP_API_KEYS: 'on',
  }
  let image: Image
  let workspace: Workspace
  let service: Service

  beforeAll(async () => {
    image = await Image.withExecutable(executable.path)
    workspace = new Workspace(stores, image.command({ data }, '/latchkey'))
    service = await workspace.start(['start'], /--title "First key"/)
  }, 120_000)
  afterAll(async () => {
    await service.kill()
    image.remove()
    workspace.remove()
    rmSync(data, { recursive: true, force: true })
  })

  test('creates a key, shortens, redirects, counts by country, and prints its commands with its own path', async () => {
    expect(service.out).toContain('\n  /latchkey keys create --identity admin@localhost')
    const key = await makeKey()
    const response = await call('POST', '/_/api/links', key, {
      url: 'https://example.com/target',
      slug: 'hello',
    })
    expect(response.status).toBe(201)
    const followed = await fetch(`${service.origin}/hello`, {
      redirect: 'manual',
      // By default, analytics hide bots.
      headers: {
        'X-Forwarded-For': '8.8.8.8',
        'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64; rv:142.0) Gecko/20100101 Firefox/142.0',
      },
    })
    expect([followed.status, followed.headers.get('location')]).toEqual([302, 'https://example.com/target'])
    const analytics = await call('GET', '/_/api/links/1/analytics?range=24h', key)
    expect(await analytics.json()).toMatchObject({ total_clicks: 1, countries: [{ name: 'US', count: 1 }] })
    const filtered = await fetch(`${service.origin}/_/admin/api/analytics?range=24h&country=US`)
    expect(await filtered.json()).toMatchObject({ filtered: true, totals: { clicks: 1 } })
  })

  test('serves the API of each service and its reference page', async () => {
    for (const [origin, base] of [
      [service.originOf('links'), '/_/api'],
      [service.originOf('rooms'), '/api'],
    ] as const) {
      expect(await (await fetch(`${origin}${base}/openapi.json`)).json()).toMatchObject({ openapi: '3.1.0' })
      const script = await fetch(`${origin}${base}/docs/scalar.js`)
      expect([script.status, (await script.text()).length > 1_000_000]).toEqual([200, true])
    }
  })

  test('lists its MCP tools', async () => {
    const answer = await fetch(`${service.origin}/_/mcp`, {
      method: 'POST',
      headers: {
        Authorization: `Bearer ${await makeKey()}`,
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' }),
    })
    expect([answer.status, await answer.text()]).toEqual([200, expect.stringContaining('"create_link"')])
  })

  test.skipIf(!browser)('shows the new link on the admin pages in a browser', async () => {
    const { page, errors } = (await browser?.open(`${service.origin}/_/admin/links`)) ?? fail()
    await page.getByText('example.com/target').first().waitFor()
    expect(errors).toEqual([])
    await page.context().close()
  })

  test.skipIf(!browser)(
    'signs a user in to Rooms at the demo identity provider in a browser, and converts an image',
    async () => {
      const lobby = service.originOf('rooms').replace('127.0.0.1', 'localhost')
      const { page } = (await browser?.open(`${lobby}/login`)) ?? fail()
      await page.getByText('Sign in with Demo ID').click()
      await page.getByRole('button', { name: 'Continue as Alice' }).click()
      await page.waitForURL(`${lobby}/`)
      await page.getByText('Alice').first().waitFor()
      const file = await page.evaluate(async (pixel) => {
        const [, csrf = ''] = /csrf=([^;]+)/.exec(document.cookie) ?? []
        const post = async (path: string, body: string | FormData, type?: Record<string, string>) =>
          (await fetch(path, { method: 'POST', body, headers: { 'x-csrf-token': csrf, ...type } })).json()
        const room = { name: 'Pictures', visibility: 'public' }
        const made = await post('/api/rooms', JSON.stringify(room), { 'content-type': 'application/json' })
        const form = new FormData()
        form.append('file', new Blob([Uint8Array.fromBase64(pixel)]), 'pixel.gif')
        return post(`/api/rooms/${made.room.id}/files`, form)
      }, 'R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7')
      expect(file).toMatchObject({ file: { type: 'image/gif', width: 1, height: 1 } })
      await page.context().close()
    },
  )

  test('serves compressed pages without bundling at runtime', async () => {
    const html = await (await fetch(`${service.origin}/_/admin/dashboard`)).text()
    const script = /src="([^"]*\/main-[^"]*)"/.exec(html)?.[1] ?? ''
    const fetchEncoded = (encoding: string) =>
      fetch(`${service.origin}${script}`, { headers: { 'Accept-Encoding': encoding } })
    expect((await fetchEncoded('br')).headers.get('content-encoding')).toBe('br')
    expect((await fetchEncoded('gzip')).headers.get('content-encoding')).toBe('gzip')
    expect((await fetchEncoded('identity')).headers.get('content-encoding')).toBeNull()
    expect(service.out).not.toContain('could not be bundled')
  })

  test('has the other commands: health, export, backup and doctor', async () => {
    const ports = {
      LINKS_PORT: new URL(service.originOf('links')).port,
      ROOMS_PORT: new URL(service.originOf('rooms')).port,
    }
    expect(await workspace.run(['health'], { env: ports })).toEqual({
      code: 0,
      out: 'links: ok\nrooms: ok\n',
      err: '',
    })
    expect(await workspace.run(['links', 'export', '--format', 'csv'])).toMatchObject({ code: 0, err: '' })
    expect(await workspace.run(['backup', '/data/all.tar'])).toMatchObject({ code: 0, err: '' })
    expect(await workspace.run(['backup', '--service', 'rooms', '/data/rooms-copy.db'])).toMatchObject({
      code: 0,
    })
    expect((await workspace.run(['doctor'])).out).toMatch(/^ok .*links .*database/m)
  })

  test('writes only to its data folder, and stops in order', async () => {
    expect(
      readdirSync(data).filter(
        (name) => !/^((links|rooms|links-journal|rooms-copy)\.db|all\.tar$|rooms-demo-files$)/.test(name),
      ),
    ).toEqual([])
    expect(await service.stop()).toBe(0)
    expect(service.out).toContain('"message":"stopped","service":"links"')
    expect(service.out).toContain('"message":"stopped","service":"rooms"')
  })

  async function makeKey(): Promise<string> {
    const { code, out } = await workspace.run(
      'keys create --identity admin@localhost --scope create,read --title x'.split(' '),
    )
    expect(code).toBe(0)
    return out.trim()
  }

  function call(method: string, path: string, key: string, body?: unknown): Promise<Response> {
    return fetch(service.origin + path, {
      method,
      headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    })
  }
})

function fail(): never {
  throw new Error('There is no browser')
}

describe('the executable', () => {
  test('ignores configuration files in the current folder', async () => {
    const workspace = new Workspace({}, [executable.path])
    await workspace.write('.env', 'LINKS_PORT=wrong\n')
    await workspace.write('bunfig.toml', 'preload = ["./preload.ts"]\n')
    await workspace.write('preload.ts', 'process.exit(42)\n')
    await workspace.write('package.json', '{ broken')
    await workspace.write('tsconfig.json', '{ broken')
    expect(await workspace.run(['doctor'])).toMatchObject({ code: 0, err: '' })
    workspace.remove()
  })
})
