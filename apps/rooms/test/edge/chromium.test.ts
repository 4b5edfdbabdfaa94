// The responses in a real browser: it runs only the code that is allowed and keeps only the
// intended state.
import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type Browser, type Page, chromium } from 'playwright-core'
import { CHROMIUM, FLAGS } from '../real/browser.ts'
import { type TestRooms, openRooms } from '../rooms.ts'

describe.skipIf(!CHROMIUM)('in Chromium', () => {
  let service: TestRooms
  let server: ReturnType<typeof Bun.serve>
  let browser: Browser
  let origin: string
  beforeAll(async () => {
    // The service must know its own origin before it is created.
    server = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: (request, listening) => service.rooms.fetch(request, listening),
    })
    origin = `http://localhost:${server.port}`
    service = await openRooms({ settings: { allowedHosts: [origin] } })
    browser = await chromium.launch({ executablePath: CHROMIUM ?? '', args: FLAGS })
  }, 60_000)
  afterAll(async () => {
    await browser.close()
    await server.stop(true)
    await service.close()
  }, 20_000)

  /** A new page, its console errors, and its requests to other origins. */
  async function openPage(): Promise<{ page: Page; complaints: string[]; elsewhere: string[] }> {
    const context = await browser.newContext()
    const page = await context.newPage()
    const complaints: string[] = []
    const elsewhere: string[] = []
    page.on('pageerror', (error) => complaints.push(String(error)))
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
    page.on('request', (request) => !request.url().startsWith(origin) && elsewhere.push(request.url()))
    return { page, complaints, elsewhere }
  }

  test('the API reference works under its policy and sends no request to another origin', async () => {
    const { page, complaints, elsewhere } = await openPage()
    await page.goto(`${origin}/api/docs`)
    await page.getByRole('heading', { name: 'Latchkey Rooms', exact: true }).waitFor()
    await page.getByText('Read the current session and its user').first().waitFor()
    await page.getByText('Sign out here or everywhere').first().waitFor()
    expect(complaints).toEqual([])
    expect(elsewhere.filter((url) => !/^(?:data|blob):/.test(url))).toEqual([])
    await page.context().close()
  }, 60_000)

  test('no page can be framed', async () => {
    const { page } = await openPage()
    const framing = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () =>
        new Response(`<iframe src="${origin}/"></iframe>`, { headers: { 'Content-Type': 'text/html' } }),
    })
    try {
      const refused = page.waitForEvent('console', (message) => message.text().includes('frame-ancestors'))
      await page.goto(`http://localhost:${framing.port}/`)
      await refused
    } finally {
      await page.context().close()
      await framing.stop(true)
    }
  }, 60_000)

  test('C94: after signing out the browser has no session cookie, and the earlier one is revoked', async () => {
    const { page } = await openPage()
    const context = page.context()
    const names = async () =>
      (await context.cookies()).map(({ name }) => name).filter((name) => !name.includes('login'))
    await page.goto(`${origin}/api/auth/login?returnTo=/after`)
    expect(page.url()).toBe(`${origin}/after`)
    expect((await names()).toSorted()).toEqual(['latchkey_csrf', 'latchkey_session'])
    const sessionCookie = (await context.cookies()).find(({ name }) => name === 'latchkey_session')
    expect(sessionCookie).toMatchObject({ httpOnly: true, sameSite: 'Lax', path: '/', domain: 'localhost' })
    const readable = await page.evaluate(() => document.cookie)
    expect(readable).toStartWith('latchkey_csrf=')
    expect(readable).not.toContain('latchkey_session')
    const status = await page.evaluate(async () => {
      const token = /latchkey_csrf=([^;]+)/.exec(document.cookie)?.[1] ?? ''
      const headers = { 'content-type': 'application/json', 'x-csrf-token': token }
      const answer = await fetch('/api/auth/logout', { method: 'POST', headers, body: '{}' })
      return answer.status
    })
    expect(status).toBe(200)
    expect(await names()).toEqual([])
    const again = await service.rooms.fetch(
      new Request(`${origin}/api/session`, {
        headers: { host: new URL(origin).host, cookie: `latchkey_session=${sessionCookie?.value}` },
      }),
      { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }) },
    )
    expect(again.status).toBe(401)
    await context.close()
  }, 60_000)

  test('a page of another origin, also of another port, can neither read nor change anything', async () => {
    const { page } = await openPage()
    await page.goto(`${origin}/api/auth/login`)
    const foreign = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response('<!doctype html>', { headers: { 'Content-Type': 'text/html' } }),
    })
    try {
      await page.goto(`http://localhost:${foreign.port}/`)
      const results = await page.evaluate(async (target) => {
        const attempts: [string, RequestInit][] = [
          ['/api/session', {}],
          ['/api/auth/logout', { method: 'POST', body: '{}' }],
          [
            '/api/auth/logout',
            { method: 'POST', body: '{}', headers: { 'content-type': 'application/json' } },
          ],
          ['/api/sessions/revoke-others', { method: 'POST' }],
        ]
        const list: string[] = []
        for (const [path, init] of attempts)
          list.push(
            await fetch(target + path, { credentials: 'include', ...init }).then(
              ({ status }) => `read ${status}`,
              () => 'refused',
            ),
          )
        return list
      }, origin)
      expect(results).toEqual(['refused', 'refused', 'refused', 'refused'])
      await page.goto(`${origin}/`)
      const still = await page.evaluate(async () => (await fetch('/api/session')).status)
      expect(still).toBe(200)
    } finally {
      await page.context().close()
      await foreign.stop(true)
    }
  }, 60_000)
})
