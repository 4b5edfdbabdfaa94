import { afterAll, beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { SignJWT, UnsecuredJWT, generateKeyPair } from 'jose'
import { type AccessLayer, LINKS, claimsAt, startAccessLayer } from '../access-layer.ts'
import { CURRENT, currentMessage } from '../mcp/assistants.ts'
import { until } from '../test-database.ts'
import { TestLinks } from '../testing.ts'

const NAME = 'X-Latchkey-Assertion'
const KEYS = '/_/admin/api/keys'

/** A request with an assertion, or with something else in its place. */
interface Try {
  headers?: HeadersInit
  query?: string
  peer?: string
}

/** What the consumers of the access layer answer. */
const ADMITTED = { api: 200, page: 200, root: '302 /_/admin/dashboard', ownerPage: true, mcp: 200 }
const REFUSED = { api: 401, page: 401, root: '200 null', ownerPage: false, mcp: 401 }

async function answersOf(links: TestLinks, { headers, query = '', peer = '203.0.113.5' }: Try) {
  const ask = (path: string, init: RequestInit = {}) =>
    links.fetch(
      `${path}${query}`,
      { ...init, headers: new Headers([...new Headers(headers), ...new Headers(init.headers)]) },
      peer,
    )
  const [api, page, root, miss, mcp] = [
    await ask(KEYS),
    await ask('/_/admin/dashboard'),
    await ask('/'),
    await ask('/nothing-here'),
    await ask('/_/mcp', {
      method: 'POST',
      headers: {
        'Content-Type': 'application/json',
        Accept: 'application/json, text/event-stream',
        'MCP-Protocol-Version': CURRENT,
        'Mcp-Method': 'tools/list',
      },
      body: JSON.stringify(currentMessage('tools/list')),
    }),
  ]
  return {
    api: api.status,
    page: page.status,
    root: `${root.status} ${root.headers.get('location')}`,
    ownerPage: (await miss.text()).includes('?create=nothing-here'),
    mcp: mcp.status,
  }
}

async function openStream(links: TestLinks, assertion: string) {
  // Bypasses `fetch`, which would read the answer to its end.
  const response = await links.fetchHandler(
    new Request('http://localhost:8080/_/admin/api/events', { headers: { [NAME]: assertion } }),
    { requestIP: () => ({ address: '127.0.0.1', family: 'IPv4', port: 1 }), timeout: () => undefined },
  )
  expect(response.status).toBe(200)
  const stream = { text: '', hasEnded: false, cancel: () => reader.cancel() }
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  void (async () => {
    for (let read = await reader.read(); !read.done; read = await reader.read())
      stream.text += new TextDecoder().decode(read.value)
    stream.hasEnded = true
  })()
  await until('the stream is open', () => stream.text !== '')
  return stream
}

onSqlite((newUrl) => {
  let layer: AccessLayer
  const links = new TestLinks()
  beforeAll(async () => {
    layer = await startAccessLayer()
    await links.start(await newUrl(), { ...layer.settings, MCP_ACCESS_AUDIENCE: LINKS })
  })
  afterAll(async () => {
    await links.close()
    await layer.stop()
  })
  const sign = (changes: Record<string, unknown> = {}, header?: Record<string, unknown>) =>
    layer.sign(claimsAt(links.now, changes), header)
  const withAssertion = (assertion: string): Try => ({ headers: { [NAME]: assertion } })

  test('L16.6: each consumer of the access layer admits a valid assertion, from any peer', async () => {
    for (const peer of ['203.0.113.5', '127.0.0.1'])
      expect(await answersOf(links, { ...withAssertion(await sign()), peer })).toEqual(ADMITTED)
    expect(await answersOf(links, withAssertion(await sign({ iat: links.now - 64 })))).toEqual(ADMITTED)
    expect(await answersOf(links, withAssertion(await sign({ exp: links.now - 4 })))).toEqual(ADMITTED)
    expect(await answersOf(links, withAssertion(await sign({ iat: links.now + 5 })))).toEqual(ADMITTED)
    expect(await answersOf(links, withAssertion(await sign({ nbf: links.now + 5 })))).toEqual(ADMITTED)
  })

  test('L16.6: no consumer admits another assertion, or one in another place', async () => {
    const good = await sign()
    const [strange, rsa] = [await generateKeyPair('ES256'), await generateKeyPair('RS256')]
    const secret = new TextEncoder().encode(layer.publicPem)
    const claims = claimsAt(links.now)
    layer.end('ended-1', links.now)
    const tries: Record<string, Try> = {
      'for another audience': withAssertion(await sign({ aud: 'https://rooms.example' })),
      'for several audiences': withAssertion(await sign({ aud: [LINKS, 'https://rooms.example'] })),
      'for this audience with a slash': withAssertion(await sign({ aud: `${LINKS}/` })),
      'without an audience': withAssertion(await sign({ aud: undefined })),
      'of another issuer': withAssertion(await sign({ iss: 'https://evil.example' })),
      expired: withAssertion(await sign({ exp: links.now - 5 })),
      'issued too long ago, whatever it expires': withAssertion(
        await sign({ iat: links.now - 66, exp: links.now + 3600 }),
      ),
      'from the future': withAssertion(await sign({ iat: links.now + 6, exp: links.now + 66 })),
      'not valid yet': withAssertion(await sign({ nbf: links.now + 6 })),
      'without a time of issue': withAssertion(await sign({ iat: undefined })),
      'without an expiry': withAssertion(await sign({ exp: undefined })),
      'without a session': withAssertion(await sign({ sid: undefined })),
      'of an empty session': withAssertion(await sign({ sid: '' })),
      'of a session that is no text': withAssertion(await sign({ sid: 7 })),
      'of a session of any length': withAssertion(await sign({ sid: 's'.repeat(201) })),
      'of an ended session': withAssertion(await sign({ sid: 'ended-1', iat: links.now + 1 })),
      'without a key id': withAssertion(await sign({}, { kid: undefined })),
      'with an unknown key id': withAssertion(await sign({}, { kid: 'k2' })),
      'signed with another key': withAssertion(await layer.sign(claims, {}, strange.privateKey)),
      'signed with RS256': withAssertion(await layer.sign(claims, { alg: 'RS256' }, rsa.privateKey)),
      'signed with HS256 and the public key': withAssertion(
        await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: 'k1' }).sign(secret),
      ),
      'not signed': withAssertion(new UnsecuredJWT(claims).encode()),
      'with an email that is not verified': withAssertion(await sign({ email_verified: false })),
      'of a program with the service key': withAssertion(
        await new SignJWT(claims)
          .setProtectedHeader({ alg: 'HS256', kid: 'k1' })
          .sign(new TextEncoder().encode(layer.settings.LINKS_ACCESS_SERVICE_KEY)),
      ),
      twice: {
        headers: [
          [NAME, good],
          [NAME, good],
        ],
      },
      'after another': {
        headers: [
          [NAME, 'x.y.z'],
          [NAME, good],
        ],
      },
      'in the header of another layer': { headers: { 'Cf-Access-Jwt-Assertion': good } },
      'in a cookie': { headers: { Cookie: `${NAME}=${good}; CF_Authorization=${good}` } },
      'in a query': { query: `?${NAME}=${good}&assertion=${good}&access_token=${good}` },
    }
    await until(
      'the end is known',
      async () => (await answersOf(links, tries['of an ended session'] ?? {})).api === 401,
    )
    for (const [what, request] of Object.entries(tries))
      expect([what, await answersOf(links, request)]).toEqual([what, REFUSED])
  })

  test('L16.6: a refusal says which setting to compare, and nothing of the assertion', async () => {
    const cases: Record<string, string> = {
      LINKS_ACCESS_AUDIENCE: await sign({ aud: [LINKS, 'x'] }),
      LINKS_ACCESS_ISSUER: await sign({ iss: 'x' }),
      LINKS_ACCESS_JWKS_URL: await sign({}, { kid: undefined }),
      LINKS_ACCESS_REVOCATIONS_URL: await sign({ sid: undefined }),
      'clocks that agree': await sign({ iat: links.now + 6 }),
    }
    for (const [text, assertion] of Object.entries(cases)) {
      const response = await links.fetch('/_/admin/dashboard', { headers: { [NAME]: assertion } })
      const page = await response.text()
      expect([text, response.status, page.includes(text)]).toEqual([text, 401, true])
      for (const part of assertion.split('.')) expect(page).not.toContain(part)
    }
  })

  test('L16.8: the stream of an ended session says so and closes within two seconds, and no other stream does', async () => {
    const ann = await openStream(links, await sign({ sid: 'ann-2' }))
    const ben = await openStream(links, await sign({ sid: 'ben-2' }))
    // A message that was sent just now delays the next one, but no end.
    await links.createLink(await links.key('ann@example.com'))
    await until('the change arrives', () => ann.text.includes('event: changes'))
    await links.createLink(await links.key('ann@example.com'))
    const endedMs = performance.now()
    layer.end('ann-2', links.now)
    await until('the stream closes', () => ann.hasEnded)
    expect(performance.now() - endedMs).toBeLessThan(2_000)
    expect(ann.text).toEndWith('event: signed-out\ndata: {}\n\n')
    expect([ben.hasEnded, ben.text.includes('signed-out')]).toEqual([false, false])
    await ben.cancel()
  })

  test('L16.8: a stream outlives the assertion that opened it, while its session lasts', async () => {
    const stream = await openStream(links, await sign({ sid: 'ann-3', exp: links.now + 1 }))
    const other = await openStream(links, await sign({ sid: 'ann-4', exp: links.now + 1 }))
    layer.end('ann-4', links.now)
    await until('the other stream closes', () => other.hasEnded)
    expect(stream.hasEnded).toBe(false)
    await stream.cancel()
  })

  test('L16.9: while the access layer is away, new sessions get 503, and everything else goes on', async () => {
    const key = await links.key('ann@example.com')
    await links.createLink(key, { slug: 'away' })
    const stream = await openStream(links, await sign({ sid: 'ann-5' }))
    const ready = async () => (await links.fetch('/_/ready')).json()
    const failing = async () =>
      /^latchkey_links_access_failing (\d)$/m.exec(await (await links.fetch('/_/metrics')).text())?.[1]
    expect([await ready(), await failing()]).toEqual([{ status: 'ready' }, '0'])
    await layer.stop()
    try {
      await until('the node says so', async () => (await failing()) === '1')
      expect(await ready()).toEqual({ status: 'ready', access: 'ended sessions cannot be followed' })
      const fresh = { headers: { [NAME]: await sign({ sid: 'ben-5' }) } }
      const refused = await links.fetch(KEYS, fresh)
      expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
      expect(((await refused.json()) as { error: string }).error).toContain('LINKS_ACCESS_REVOCATIONS_URL')
      expect((await links.fetch('/away', fresh)).status).toBe(302)
      expect((await links.call('GET', '/links', { key })).status).toBe(200)
      expect((await links.fetch(KEYS, { headers: { [NAME]: await sign({ sid: 'ann-5' }) } })).status).toBe(
        200,
      )
      expect(stream.hasEnded).toBe(false)
    } finally {
      layer.restart()
    }
    await until('the access layer is back', async () => (await failing()) === '0')
    expect((await links.fetch(KEYS, { headers: { [NAME]: await sign({ sid: 'ben-5' }) } })).status).toBe(200)
    await stream.cancel()
  })
})
