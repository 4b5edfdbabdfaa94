import { afterAll, beforeAll, expect, setDefaultTimeout, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Client as OldClient } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport as OldTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { type JWK, type JWTPayload, SignJWT, UnsecuredJWT, exportJWK, generateKeyPair } from 'jose'
import { TestLinks, startTestLinks } from '../testing.ts'
import { currentMessage, parseToolResult, post } from './assistants.ts'
import { type AuthorizationServer, startAuthorizationServer } from './authorization-server.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

const CALLBACK = 'http://127.0.0.1:1/callback'
const folder = mkdtempSync(join(tmpdir(), 'latchkey-oauth-'))
const links = new TestLinks()
let issuer: AuthorizationServer
let server: ReturnType<typeof Bun.serve>
let endpoint: URL

beforeAll(async () => {
  issuer = await startAuthorizationServer()
  server = Bun.serve({ port: 0, hostname: '127.0.0.1', fetch: (...args) => links.fetchHandler(...args) })
  endpoint = new URL('/_/mcp', server.url)
  await links.start(`sqlite:${join(folder, 'links.db')}`, {
    // A token is always required, from this machine too.
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '10.0.0.1',
    MCP_OAUTH_ISSUER: issuer.issuer,
    MCP_OAUTH_AUDIENCE: endpoint.href,
  })
  links.advance(Math.floor(Date.now() / 1000) - links.now)
})

afterAll(async () => {
  await server.stop(true)
  await issuer.stop()
  await links.close()
  rmSync(folder, { recursive: true, force: true })
})

/** State that a client keeps between steps. The person behind it is `account`. */
function memory(account: string) {
  const state: Record<string, unknown> = {}
  const seen = { authorizations: [] as URL[], code: '' }
  return {
    seen,
    state,
    provider: {
      redirectUrl: CALLBACK,
      clientMetadata: {
        client_name: 'Test',
        redirect_uris: [CALLBACK],
        grant_types: ['authorization_code', 'refresh_token'],
        response_types: ['code'],
        token_endpoint_auth_method: 'none',
        application_type: 'native',
      },
      clientInformation: () => state['client'] as never,
      saveClientInformation: (value: unknown) => void (state['client'] = value),
      tokens: () => state['tokens'] as never,
      saveTokens: (value: unknown) => void (state['tokens'] = value),
      saveCodeVerifier: (value: string) => void (state['verifier'] = value),
      codeVerifier: () => String(state['verifier']),
      async redirectToAuthorization(url: URL) {
        seen.authorizations.push(url)
        const back = await issuer.browse(url, account)
        expect(back.href).toStartWith(CALLBACK)
        seen.code = back.searchParams.get('code') ?? back.search
        seen.authorizations.at(-1)?.searchParams.set('back', back.search)
      },
    },
  }
}

interface ClientRun {
  client: {
    callTool(call: { name: string; arguments: Record<string, unknown> }): Promise<unknown>
    close(): Promise<void>
  }
  connect(): Promise<void>
  finish(back: string): Promise<void>
}

const runs: Record<string, (provider: ReturnType<typeof memory>['provider']) => () => ClientRun> = {
  'current client': (provider) => () => {
    const client = new Client({ name: 't', version: '1' }, { versionNegotiation: { mode: 'auto' } })
    const transport = new StreamableHTTPClientTransport(endpoint, { authProvider: provider as never })
    return {
      client,
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(new URLSearchParams(back)),
    }
  },
  'previous major': (provider) => () => {
    const client = new OldClient({ name: 't', version: '1' })
    const transport = new OldTransport(endpoint, { authProvider: provider })
    return {
      client,
      connect: () => client.connect(transport),
      finish: (back) => transport.finishAuth(new URLSearchParams(back).get('code') ?? ''),
    }
  },
}

for (const [name, prepare] of Object.entries(runs))
  test(`the ${name} goes from 401 to a tool call, requests more scopes, and refreshes its token`, async () => {
    const account = name.replace(' ', '-')
    const { provider, seen, state } = memory(account)
    const newRun = prepare(provider)
    const back = () => seen.authorizations.at(-1)?.searchParams.get('back') ?? ''
    issuer.lifetime = 300

    const stranger = newRun()
    expect(await stranger.connect().then(String, String)).toMatch(/unauthorized/i)
    expect(seen.authorizations).toHaveLength(1)
    const requestedScopes = seen.authorizations[0]?.searchParams
    expect(requestedScopes?.get('resource')).toBe(endpoint.href)
    expect(requestedScopes?.get('scope')).toContain('links:read')
    expect(requestedScopes?.get('code_challenge_method')).toBe('S256')
    await stranger.finish(back())
    expect(Object.keys(state['tokens'] as object)).toEqual(
      expect.arrayContaining(['access_token', 'refresh_token']),
    )

    const authorizedRun = newRun()
    await authorizedRun.connect()
    const listed = parseToolResult(await authorizedRun.client.callTool({ name: 'list_links', arguments: {} }))
    expect(listed.value).toMatchObject({ range_used: '30d' })

    // The token only permits reading. The 403 names the scope, and the client requests it.
    const create = { name: 'create_link', arguments: { url: `https://example.com/${account}` } }
    // The previous major would refresh its token with the same scope.
    if (name === 'previous major') delete (state['tokens'] as { refresh_token?: string }).refresh_token
    const refused = await authorizedRun.client.callTool(create).then(String, String)
    expect(refused).toMatch(/unauthorized/i)
    expect(seen.authorizations.at(-1)?.searchParams.get('scope')).toStartWith('links:read links:create')
    await authorizedRun.finish(back())
    const made = parseToolResult(await authorizedRun.client.callTool(create))
    expect(made.value).toMatchObject({ created_by: `${account}@example.com`, created_via: 'mcp' })

    const { access_token: before } = state['tokens'] as { access_token: string }
    const logins = seen.authorizations.length
    issuer.lifetime = 3600
    // Counted from this moment: the clock of the authorization server dated the token, and runs on.
    links.advance(Math.floor(Date.now() / 1000) - links.now + 300 + 61)
    const later = parseToolResult(await authorizedRun.client.callTool({ name: 'list_links', arguments: {} }))
    expect(later.value.results).toContainEqual(expect.objectContaining({ id: made.value.id }))
    expect((state['tokens'] as { access_token: string }).access_token).not.toBe(before)
    expect(seen.authorizations).toHaveLength(logins)
    links.advance(-361)
    await authorizedRun.client.close()
    await stranger.client.close()
  }, 30_000)

test('L19.3: the documents name the endpoint and the issuer, for pages of any site', async () => {
  for (const path of [
    '/.well-known/oauth-protected-resource',
    '/.well-known/oauth-protected-resource/_/mcp',
  ]) {
    const response = await fetch(new URL(path, endpoint))
    expect(response.headers.get('access-control-allow-origin')).toBe('*')
    expect(await response.json()).toEqual({
      resource: endpoint.href,
      authorization_servers: [issuer.issuer],
      scopes_supported: ['links:read', 'links:create'],
      bearer_methods_supported: ['header'],
      resource_name: 'Latchkey Links',
    })
    expect((await fetch(new URL(path, endpoint), { method: 'OPTIONS' })).status).toBe(204)
    expect((await fetch(new URL(path, endpoint), { method: 'POST' })).status).toBe(405)
  }
  const relayed = await fetch(new URL('/.well-known/oauth-authorization-server', endpoint))
  expect(relayed.headers.get('access-control-allow-origin')).toBe('*')
  const own = await (await fetch(`${issuer.issuer}/.well-known/oauth-authorization-server`)).text()
  const openid = await fetch(`${issuer.issuer}/.well-known/openid-configuration`)
  expect([own, await openid.text()]).toContain(JSON.stringify(await relayed.json()))
})

test('L19.1: on its own host, the endpoint is at the root, and its documents name that host', async () => {
  const host = { Host: 'mcp.example.com' }
  for (const [path, resource, document] of [
    ['/', 'http://mcp.example.com/', '/.well-known/oauth-protected-resource'],
    ['/mcp', 'http://mcp.example.com/mcp', '/.well-known/oauth-protected-resource/mcp'],
  ] as const) {
    const refused = await fetch(new URL(path, endpoint), { method: 'POST', headers: host, body: '{}' })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toBe(
      `Bearer resource_metadata="http://mcp.example.com${document}", scope="links:read"`,
    )
    const metadata = await (await fetch(new URL(document, endpoint), { headers: host })).json()
    expect(metadata).toMatchObject({ resource, authorization_servers: [issuer.issuer] })
  }
})

test('behind a proxy, the addresses are those that the client sees', async () => {
  const service = await startTestLinks(`sqlite:${join(folder, 'proxied.db')}`, {
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '10.0.0.1',
    MCP_OAUTH_ISSUER: issuer.issuer,
    MCP_OAUTH_AUDIENCE: 'https://mcp.example.com',
  })
  const document = async (peer: string) => {
    const request = new Request('http://mcp.example.com/.well-known/oauth-protected-resource', {
      headers: { Host: 'mcp.example.com', 'X-Forwarded-Proto': 'https' },
    })
    const response = await service.fetchHandler(request, {
      requestIP: () => ({ address: peer, family: 'IPv4', port: 1 }),
      timeout: () => undefined,
    })
    return ((await response.json()) as { resource: string }).resource
  }
  // The audience exactly as configured, because clients request a token for it.
  expect(await document('10.0.0.1')).toBe('https://mcp.example.com')
  expect(await document('203.0.113.7')).toBe('http://mcp.example.com/')
})

/** An issuer with valid and invalid tokens of these tests. */
async function handmade() {
  const pair = await generateKeyPair('ES256')
  const strange = await generateKeyPair('ES256')
  const jwk: JWK = { ...(await exportJWK(pair.publicKey)), kid: 'k1', alg: 'ES256', use: 'sig' }
  const state = { up: true, requestCount: 0, issuer: '' }
  const http = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      state.requestCount++
      if (!state.up) return new Response(null, { status: 503 })
      const { pathname, origin } = new URL(url)
      if (pathname === '/keys') return Response.json({ keys: [jwk] })
      if (pathname !== '/.well-known/openid-configuration') return new Response(null, { status: 404 })
      return Response.json({ issuer: state.issuer || origin, jwks_uri: `${origin}/keys` })
    },
  })
  afterAll(() => http.stop(true))
  const audience = 'https://go.example.com/_/mcp'
  const service = await startTestLinks(`sqlite:${join(folder, `${crypto.randomUUID()}.db`)}`, {
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '10.0.0.1',
    LINKS_BASE_URL: 'https://go.example.com',
    MCP_OAUTH_ISSUER: http.url.origin,
    MCP_OAUTH_AUDIENCE: audience,
  })
  const claims = (changes: JWTPayload = {}): JWTPayload => ({
    iss: http.url.origin,
    aud: audience,
    sub: 'u1',
    email: 'ann@example.com',
    scope: 'links:read links:create',
    exp: service.now + 600,
    ...changes,
  })
  const sign = (payload: JWTPayload, key: CryptoKey = pair.privateKey, kid = 'k1') =>
    new SignJWT(payload).setProtectedHeader({ alg: 'ES256', kid, typ: 'at+jwt' }).sign(key)
  const call = (token: string, name: string, args: Record<string, unknown> = {}) =>
    post(service, currentMessage('tools/call', { name, arguments: args }), {
      Authorization: `Bearer ${token}`,
      'Mcp-Method': 'tools/call',
      'Mcp-Name': name,
    })
  return { service, state, claims, sign, strange: strange.privateKey, call, audience }
}

test('L19.2: only an unexpired token of the issuer, for this audience and with a name, is accepted', async () => {
  const { service, claims, sign, strange, call } = await handmade()
  const good = await call(await sign(claims()), 'create_link', { url: 'https://example.com/x' })
  expect(parseToolResult(((await good.json()) as { result: unknown }).result).value.created_by).toBe(
    'ann@example.com',
  )
  const { email: _, ...nameless } = claims()
  const bySub = await call(await sign(nameless), 'create_link', { url: 'https://example.com/y' })
  expect(parseToolResult(((await bySub.json()) as { result: unknown }).result).value.created_by).toBe('u1')

  const before = await service.databaseState()
  const { exp: _exp, ...endless } = claims()
  const bad: Record<string, string> = {
    'another audience': await sign(claims({ aud: 'https://other.example/_/mcp' })),
    'no audience': await sign(claims({ aud: [] })),
    'another issuer': await sign(claims({ iss: 'https://login.evil.example' })),
    expired: await sign(claims({ exp: service.now - 61 })),
    'not yet valid': await sign(claims({ nbf: service.now + 120 })),
    'no expiry': await sign(endless),
    'no name': await sign(claims({ sub: '', email: '' })),
    'an unverified email': await sign(claims({ email_verified: false })),
    'a subject like an address': await sign({ ...nameless, sub: 'ann@example.com' }),
    'key of another issuer': await sign(claims(), strange),
    'unknown key': await sign(claims(), strange, 'k2'),
    'alg none': new UnsecuredJWT(claims()).encode(),
    'shared secret': await new SignJWT(claims())
      .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
      .sign(new TextEncoder().encode('x'.repeat(64))),
    'no token': 'x.y.z',
    'an API key': `sk_${'0'.repeat(48)}`,
  }
  for (const [name, token] of Object.entries(bad)) {
    const response = await call(token, 'create_link', { url: 'https://example.com/bad' })
    expect([name, response.status]).toEqual([name, 401])
    const challenge = response.headers.get('www-authenticate')
    expect(challenge).toMatch(
      /^Bearer error="invalid_token", error_description="[^"]+", resource_metadata="https:\/\/go\.example\.com\/\.well-known\/oauth-protected-resource\/_\/mcp", scope="links:read"$/,
    )
    expect(challenge).not.toContain(token)
  }
  expect(await service.databaseState()).toEqual(before)
  expect(JSON.stringify(service.log)).not.toContain(await sign(claims()))
})

test('L29.1c: the program of a token is its first client claim, and none that looks like another program', async () => {
  const { service, claims, sign, call } = await handmade()
  const long = 'x'.repeat(320)
  const programs: [program: string, named: JWTPayload][] = [
    ['client:a', { client_id: 'a', azp: 'b', cid: 'c', appid: 'd' }],
    ['client:b', { azp: 'b', cid: 'c', appid: 'd' }],
    ['client:c', { cid: 'c', appid: 'd' }],
    ['client:d', { appid: 'd' }],
    ['client:d', { client_id: null, azp: '', appid: 'd' }],
    ['client:key:1', { cid: 'key:1' }],
    ['client:local', { appid: 'local' }],
    ['client:https://app.example/a?b=c', { client_id: 'https://app.example/a?b=c' }],
    [`client:${long}`, { cid: long }],
    ['client', {}],
    // An unusable name is not replaced with that of another claim.
    ...[['a'], { toString: 1 }, 1, true, ' a', 'a\n', 'a\u202e', 'x'.repeat(10_000)].map(
      (client_id): [string, JWTPayload] => ['client', { client_id, azp: 'b' }],
    ),
  ]
  for (const [at, [, named]] of programs.entries()) {
    const token = await sign(claims(named))
    const made = await call(token, 'create_link', { url: `https://example.com/program/${at}` })
    expect([named, made.status]).toEqual([named, 200])
  }
  const rows = await service.rows<{ assistant: string }>(
    `select assistant from history where kind = 'link.created' order by id`,
  )
  expect(rows.map(({ assistant }) => assistant)).toEqual(programs.map(([program]) => program))

  // A policy can bind each program.
  for (const program of new Set(programs.map(([id]) => id))) {
    const path = `/_/admin/api/policies/${encodeURIComponent(program)}`
    const headers = { 'X-Forwarded-Email': 'ann@example.com', 'Content-Type': 'application/json' }
    const body = JSON.stringify({ writes: 'none' })
    const reply = await service.fetch(path, { method: 'PUT', headers, body }, '10.0.0.1')
    expect(await reply.json()).toMatchObject({ assistant: program, writes: 'none' })
  }
  const before = await service.databaseState()
  for (const [, named] of programs) {
    const refused = await call(await sign(claims(named)), 'create_link', { url: 'https://example.com/no' })
    const { result } = (await refused.json()) as { result: unknown }
    expect([named, parseToolResult(result).text]).toEqual([
      named,
      expect.stringContaining('lets it only read'),
    ])
  }
  expect(await service.databaseState()).toEqual(before)
})

test('L19.2: a missing scope is 403 and names the required one, in every notation of scopes', async () => {
  const { service, claims, sign, call } = await handmade()
  const before = await service.databaseState()
  const url = { url: 'https://example.com/x' }
  for (const [scope, tool, requiredScope] of [
    ['links:read', 'create_link', 'links:read links:create'],
    ['links:create', 'list_links', 'links:create links:read'],
    ['openid', 'list_links', 'links:read'],
    ['', 'health', 'links:read'],
    ['links:readx xlinks:read LINKS:READ', 'list_links', 'links:read'],
  ] as const) {
    const response = await call(await sign(claims({ scope })), tool, tool === 'create_link' ? url : {})
    expect([scope, response.status, response.headers.get('www-authenticate')]).toEqual([
      scope,
      403,
      `Bearer error="insufficient_scope", scope="${requiredScope}", resource_metadata="https://go.example.com/.well-known/oauth-protected-resource/_/mcp"`,
    ])
  }
  expect(await service.databaseState()).toEqual(before)
  for (const scp of ['links:read openid', ['links:read']]) {
    const { scope: _, ...rest } = claims({ scp })
    expect((await call(await sign(rest), 'list_links')).status).toBe(200)
  }
  // A call hidden in a batch requires its scope as well.
  const hidden = await post(
    service,
    [
      { jsonrpc: '2.0', id: 1, method: 'tools/list' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'create_link', arguments: url } },
    ],
    {
      Authorization: `Bearer ${await sign(claims({ scope: 'links:read' }))}`,
      'MCP-Protocol-Version': '2025-03-26',
    },
  )
  expect(hidden.status).toBe(403)
  expect(await service.databaseState()).toEqual(before)
})

test('an invented host changes neither the documents nor admission', async () => {
  const { service, claims, sign } = await handmade()
  const forged = { Host: 'evil.example', 'X-Forwarded-Host': 'evil.example', Forwarded: 'host=evil.example' }
  const refused = await service.fetch('/_/mcp', { method: 'POST', headers: forged, body: '{}' })
  expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
    401,
    'Bearer resource_metadata="https://go.example.com/.well-known/oauth-protected-resource/_/mcp", scope="links:read"',
  ])
  const document = await service.fetch('/.well-known/oauth-protected-resource', { headers: forged })
  expect(await document.text()).not.toContain('evil.example')
  const identity = { ...forged, 'X-Forwarded-Email': 'ann@example.com', 'Cf-Access-Jwt-Assertion': 'x' }
  expect((await service.fetch('/_/mcp', { method: 'POST', headers: identity, body: '{}' })).status).toBe(401)
  const elsewhere = await sign(claims({ aud: 'https://evil.example/_/mcp' }))
  const token = { ...forged, Authorization: `Bearer ${elsewhere}` }
  expect((await service.fetch('/_/mcp', { method: 'POST', headers: token, body: '{}' })).status).toBe(401)
})

test('an unavailable issuer is 503 at first, and no sign-in fails later', async () => {
  const { service, state, claims, sign, call } = await handmade()
  state.up = false
  const token = await sign(claims({ exp: service.now + 50_000 }))
  const unavailable = await call(token, 'health')
  expect([unavailable.status, unavailable.headers.get('retry-after')]).toEqual([503, '5'])
  expect((await service.fetch('/.well-known/oauth-authorization-server')).status).toBe(404)
  const { requestCount } = state
  expect((await call(token, 'health')).status).toBe(503)
  expect(state.requestCount).toBe(requestCount)
  state.up = true
  service.advance(6)
  expect((await call(token, 'health')).status).toBe(200)
  state.up = false
  service.advance(3600)
  expect((await call(token, 'health')).status).toBe(200)
  expect((await service.fetch('/.well-known/oauth-authorization-server')).status).toBe(200)
})

test('a document that names another issuer is rejected', async () => {
  const { state, claims, sign, call } = await handmade()
  state.issuer = 'https://login.evil.example'
  expect((await call(await sign(claims()), 'health')).status).toBe(503)
})
