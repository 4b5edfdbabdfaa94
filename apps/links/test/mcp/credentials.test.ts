import { afterAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { SignJWT, exportJWK, generateKeyPair } from 'jose'
import { newSqliteUrls } from '../test-database.ts'
import { type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'
import { currentMessage, parseToolResult, post } from './assistants.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

const newUrl = newSqliteUrls()

function create(links: TestLinks, headers: Record<string, string>, peer?: string): Promise<Response> {
  const name = 'create_link'
  const message = currentMessage('tools/call', { name, arguments: { url: 'https://example.com/who' } })
  const own = { 'Mcp-Method': 'tools/call', 'Mcp-Name': name, ...headers }
  if (peer === undefined) return post(links, message, own)
  const accept = { 'Content-Type': 'application/json', 'MCP-Protocol-Version': '2026-07-28' }
  const init = {
    method: 'POST',
    headers: { ...accept, Host: 'localhost', ...own },
    body: JSON.stringify(message),
  }
  return links.fetch('/_/mcp', init, peer)
}

async function ownerOf(response: Response): Promise<unknown> {
  expect(response.status).toBe(200)
  return parseToolResult(((await response.json()) as { result: unknown }).result).value.created_by
}

async function expectRefusal(links: TestLinks, response: Response, status: number, before: unknown) {
  expect(response.status).toBe(status)
  expect(await links.databaseState()).toEqual(before as never)
  return (await response.json()) as { error: { message: string } }
}

describe('without an access layer', () => {
  const links = sharedTestLinks(newUrl)

  test('L19.2: this machine is admitted', async () => {
    expect(await ownerOf(await create(links, {}))).toBe('admin@localhost')
  })

  test('any other machine gets the same refusal, whatever it sends', async () => {
    const before = await links.databaseState()
    const attempts: [headers: Record<string, string>, peer?: string][] = [
      [{}, '203.0.113.7'],
      [{ Host: 'localhost', 'X-Forwarded-For': '127.0.0.1' }],
      [{ Forwarded: 'for=127.0.0.1' }],
      [{ 'X-Real-IP': '127.0.0.1' }],
      [{ Host: 'evil.example' }],
      [{ Host: 'mcp.evil.example' }],
      [{ Host: 'localhost.evil.example:8080' }],
    ]
    for (const [headers, peer] of attempts) {
      const { error } = await expectRefusal(links, await create(links, headers, peer), 403, before)
      expect(error.message).toContain('LINKS_ACCESS')
      for (const method of ['GET', 'DELETE', 'OPTIONS']) {
        const seen = { ...headers, Host: headers['Host'] ?? 'localhost', Accept: 'text/html' }
        const response = await links.fetch('/_/mcp', { method, headers: seen }, peer)
        expect([method, headers, response.status]).toEqual([method, headers, 403])
      }
    }
  })

  test('L19.2: a bad credential from this machine is refused, not ignored', async () => {
    const before = await links.databaseState()
    for (const Authorization of [
      `Bearer sk_${'0'.repeat(48)}`,
      'Bearer x.y.z',
      'Basic YTpi',
      'Bearer ',
      'x',
    ]) {
      const response = await create(links, { Authorization })
      expect(response.headers.get('www-authenticate')).toStartWith('Bearer')
      await expectRefusal(links, response, 401, before)
    }
    const key = { Authorization: `Bearer ${await links.key('ann@example.com')}` }
    expect((await create(links, key)).status).toBe(401)
  })

  test('a page of another site can change nothing', async () => {
    const before = await links.databaseState()
    await expectRefusal(links, await create(links, { Origin: 'https://evil.example' }), 403, before)
  })
})

describe('with API keys', () => {
  const links = sharedTestLinks(newUrl, { MCP_API_KEYS: 'on' })

  test('L19.2: a key acts as its creator, within its scope', async () => {
    const bearer = async (scope: 'create' | 'read' | 'create,read') => ({
      Authorization: `Bearer ${await links.key('ann@example.com', scope)}`,
    })
    expect(await ownerOf(await create(links, await bearer('create')))).toBe('ann@example.com')
    const before = await links.databaseState()
    const response = await create(links, await bearer('read'))
    // A sign-in gives a key no further scope, and its refusal names none.
    expect(response.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="links:read links:create"',
    )
    expect(response.status).toBe(403)
    expect(await response.json()).toMatchObject({
      error: {
        message: 'This needs the scope links:create: use an API key made with the scope create',
      },
    })
    const list = currentMessage('tools/call', { name: 'list_links', arguments: {} })
    const own = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'list_links' }
    expect((await post(links, list, { ...own, ...(await bearer('create')) })).status).toBe(403)
    expect((await post(links, list, { ...own, ...(await bearer('read')) })).status).toBe(200)
    const { api_key: _, ...rest } = await links.databaseState()
    expect(rest).toEqual((({ api_key: _keys, ...others }) => others)(before))
  })

  test('a revoked or invented key is 401, from this machine too; without a key, other machines are asked for one', async () => {
    const before = await links.databaseState()
    const madeUp = { Authorization: `Bearer sk_${'a'.repeat(48)}` }
    expect((await expectRefusal(links, await create(links, madeUp), 401, before)).error.message).toBe(
      'The API key is not valid',
    )
    const stranger = await create(links, {}, '203.0.113.7')
    expect(stranger.headers.get('www-authenticate')).toBe('Bearer')
    await expectRefusal(links, stranger, 401, before)
  })
})

describe('with an access layer', () => {
  test('L19.2: without its own audience, the endpoint is 404', async () => {
    const links = await startTestLinks(await newUrl(), {
      LINKS_ACCESS: 'header',
      LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
      TRUSTED_PROXIES: '127.0.0.1',
    })
    const before = await links.databaseState()
    for (const headers of [{}, { 'X-Forwarded-Email': 'ann@example.com' }])
      expect(await expectRefusal(links, await create(links, headers), 404, before)).toMatchObject({
        jsonrpc: '2.0',
        error: { code: -32000, message: 'MCP is not configured' },
      })
  })

  test('L19.2: an assertion in the header is accepted for its audience only; a cookie is not', async () => {
    const { publicKey, privateKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
    const server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: () => Response.json({ keys: [jwk] }) })
    afterAll(() => server.stop(true))
    const links = await startTestLinks(await newUrl(), {
      LINKS_ACCESS: 'jwt',
      LINKS_ACCESS_JWKS_URL: `${server.url}certs`,
      LINKS_ACCESS_ISSUER: 'https://team.example',
      LINKS_ACCESS_AUDIENCE: 'admin-side',
      MCP_ACCESS_AUDIENCE: 'mcp-side',
    })
    const assertion = (aud: string) =>
      new SignJWT({ iss: 'https://team.example', aud, email: 'ann@example.com', exp: links.now + 600 })
        .setProtectedHeader({ alg: 'ES256', kid: 'k1' })
        .sign(privateKey)
    const good = await assertion('mcp-side')
    expect(await ownerOf(await create(links, { 'Cf-Access-Jwt-Assertion': good }))).toBe('ann@example.com')
    const before = await links.databaseState()
    for (const headers of [
      {},
      { 'Cf-Access-Jwt-Assertion': await assertion('admin-side') },
      { 'Cf-Access-Jwt-Assertion': `${good}x` },
      { Cookie: `CF_Authorization=${good}` },
      // The first credential decides, even beside a valid one.
      { 'Cf-Access-Jwt-Assertion': good, Authorization: 'Bearer x.y.z' },
    ])
      await expectRefusal(links, await create(links, headers), 401, before)
    // The assertion for MCP opens no admin page.
    const admin = await links.fetch('/_/admin/api/links', { headers: { 'Cf-Access-Jwt-Assertion': good } })
    expect(admin.status).toBe(401)
  })
})
