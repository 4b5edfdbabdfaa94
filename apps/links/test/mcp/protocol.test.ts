import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { Client } from '@modelcontextprotocol/client'
import { newSqliteUrls } from '../test-database.ts'
import { sharedTestLinks } from '../testing.ts'
import { CURRENT, clients, currentMessage, listenOnPort, parseToolResult, post } from './assistants.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

const newSqliteUrl = newSqliteUrls()

const initialize = (protocolVersion: string) => ({
  jsonrpc: '2.0',
  id: 1,
  method: 'initialize',
  params: { protocolVersion, capabilities: {}, clientInfo: { name: 'old', version: '1' } },
})
type Json = Record<string, unknown>

const legacy = (method: string, params: Record<string, unknown> = {}) => ({
  jsonrpc: '2.0',
  id: 2,
  method,
  params,
})
const call = (name: string, args: Record<string, unknown> = {}) => ({ name, arguments: args })

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  const { url } = listenOnPort(links)

  const revisions = [
    ['handshake', legacy],
    ['current revision', currentMessage],
  ] as const
  for (const [revision, message] of revisions) {
    const send = async (method: string, params: Record<string, unknown>) => {
      const response = await post(links, message(method, params), {
        Accept: 'application/json',
        ...(message === legacy && { 'MCP-Protocol-Version': '2025-11-25' }),
        ...(message === currentMessage && { 'Mcp-Method': method }),
        ...(message === currentMessage &&
          typeof params['name'] === 'string' && { 'Mcp-Name': params['name'] }),
      })
      return (await response.json()) as { result?: unknown; error?: { code: number; message: string } }
    }

    test(`L19.4b ${revision}: null arguments count as absent`, async () => {
      const nothing = await send('tools/call', { name: 'get_total_clicks', arguments: null })
      expect(parseToolResult(nothing.result).value).toMatchObject({ total_clicks: 0 })
      // For a tool with required arguments, these are missing.
      const refused = await send('tools/call', { name: 'get_link', arguments: null })
      expect(parseToolResult(refused.result).text).toStartWith('link_id: is required')
    })

    test(`L19.4d ${revision}: params of a wrong shape are answered in one sentence, never with the output of a validator`, async () => {
      const cases: [string, Record<string, unknown>, string][] = [
        ['tools/call', { name: 'get_link', arguments: [] }, 'arguments must be an object'],
        ['tools/call', { name: 'get_link', arguments: 'x' }, 'arguments must be an object'],
        ['tools/call', { name: 5 }, 'name must be a string'],
        ['tools/call', {}, 'name must be a string'],
        ['tools/list', { cursor: 5 }, 'cursor must be a string'],
        ...(message === legacy
          ? ([['initialize', {}, 'protocolVersion must be a string']] as [string, Json, string][])
          : []),
      ]
      for (const [method, params, sentence] of cases)
        expect([method, params, (await send(method, params)).error]).toEqual([
          method,
          params,
          { code: -32602, message: `Invalid params: ${sentence}` },
        ])
    })
  }

  for (const [name, connect] of Object.entries(clients))
    test(`L19.1a: the ${name} lists and calls tools over a real port`, async () => {
      const client = await connect(url())
      try {
        expect(client.getServerVersion()?.name).toBe('latchkey-links')
        if (client instanceof Client)
          expect(client.getNegotiatedProtocolVersion()).toBe(
            name.endsWith('revision') ? CURRENT : '2025-11-25',
          )
        expect((await client.listTools()).tools).toHaveLength(50)
        const made = parseToolResult(
          await client.callTool({ name: 'create_link', arguments: { url: `https://example.com/${name}` } }),
        )
        expect(made.value).toMatchObject({ created_by: 'admin@localhost', created_via: 'mcp' })
        const read = { name: 'get_link', arguments: { link_id: made.value.id } }
        expect(parseToolResult(await client.callTool(read)).structured).toMatchObject({ id: made.value.id })
        // OpenAI's strict mode and CrewAI send arguments like these.
        const texts = { name: 'get_link', arguments: { link_id: String(made.value.id), range: null } }
        expect(parseToolResult(await client.callTool(texts)).structured).toMatchObject({ id: made.value.id })
        // This result is no object at its root, which older revisions do not support.
        const plain = { name: 'list_bundles_for_link', arguments: { link_id: made.value.id } }
        expect(parseToolResult(await client.callTool(plain)).value).toEqual([])
        const refused = parseToolResult(
          await client.callTool({ name: 'get_link', arguments: { link_id: 0 } }),
        )
        expect(refused.isError).toBe(true)
      } finally {
        await client.close()
      }
    })
})

describe('the current revision', () => {
  const links = sharedTestLinks(newSqliteUrl)

  test('has no session and answers discovery and calls with JSON', async () => {
    const response = await post(links, currentMessage('server/discover'), { 'Mcp-Method': 'server/discover' })
    expect(response.status).toBe(200)
    expect(response.headers.get('mcp-session-id')).toBeNull()
    expect(response.headers.get('content-type')).toMatch(/^application\/json/)
    expect(response.headers.get('cache-control')).toBe('private, no-store')
    expect(await response.json()).toMatchObject({
      result: { supportedVersions: expect.arrayContaining([CURRENT]), capabilities: { tools: {} } },
    })
  })

  test('L19.1a: checks its headers against the body', async () => {
    const message = currentMessage('tools/call', call('health'))
    const good = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'health' }
    expect((await post(links, message, good)).status).toBe(200)
    for (const bad of [
      { ...good, 'Mcp-Method': 'tools/list' },
      { ...good, 'Mcp-Name': 'list_links' },
      { 'Mcp-Name': 'health' },
      { ...good, 'MCP-Protocol-Version': '2025-11-25' },
    ]) {
      const response = await post(links, message, bad)
      expect([bad, response.status]).toEqual([bad, 400])
    }
  })

  test('L19.4a: answers an unknown tool with a protocol error, older revisions with a result', async () => {
    const headers = { 'Mcp-Method': 'tools/call', 'Mcp-Name': 'drop_links' }
    const strict = await (await post(links, currentMessage('tools/call', call('drop_links')), headers)).json()
    expect(strict).toMatchObject({ error: { code: -32602, message: expect.stringContaining('drop_links') } })
    const old = { 'MCP-Protocol-Version': '2025-06-18', Accept: 'application/json' }
    const lenient = await (await post(links, legacy('tools/call', call('drop_links')), old)).json()
    expect(lenient).toMatchObject({
      result: { isError: true, content: [{ text: expect.stringContaining('drop_links') }] },
    })
  })

  test('has no subscriptions and answers so', async () => {
    const response = await post(links, currentMessage('subscriptions/listen', { notifications: {} }), {
      'Mcp-Method': 'subscriptions/listen',
    })
    expect([response.status, ((await response.json()) as { error: { code: number } }).error.code]).toEqual([
      404, -32601,
    ])
  })
})

describe('a revision with a handshake', () => {
  const links = sharedTestLinks(newSqliteUrl)
  const other = sharedTestLinks(newSqliteUrl)

  for (const version of ['2025-03-26', '2025-06-18', '2025-11-25'])
    test(`L19.1a: ${version} gets a session that every node accepts, and a stream if it accepts one`, async () => {
      const noVersion = { 'MCP-Protocol-Version': version }
      const first = await post(links, initialize(version), noVersion)
      expect(first.status).toBe(200)
      const session = first.headers.get('mcp-session-id') ?? ''
      expect(session).toMatch(/^[\x21-\x7E]+$/)
      expect(first.headers.get('content-type')).toBe('text/event-stream')
      expect(await first.text()).toContain(`"protocolVersion":"${version}"`)
      const headers = { 'Mcp-Session-Id': session, 'MCP-Protocol-Version': version }
      const noted = { jsonrpc: '2.0', method: 'notifications/initialized' }
      expect((await post(other, noted, headers)).status).toBe(202)
      const streamed = await post(other, legacy('tools/call', call('health')), headers)
      expect(streamed.headers.get('content-type')).toBe('text/event-stream')
      expect(await streamed.text()).toMatch(/^event: message\ndata: \{.*"isError"|"status\\":/s)
      const json = { ...headers, Accept: 'application/json' }
      const answered = await post(other, legacy('tools/call', call('health')), json)
      expect(answered.headers.get('content-type')).toMatch(/^application\/json/)
      expect(await answered.json()).toMatchObject({ id: 2, result: { structuredContent: { status: 'ok' } } })
    })

  test('the oldest revision may send several messages at once', async () => {
    const headers = { 'MCP-Protocol-Version': '2025-03-26', Accept: 'application/json' }
    const batch = [legacy('tools/list'), { ...legacy('tools/call', call('health')), id: 3 }]
    const answers = (await (await post(links, batch, headers)).json()) as { id: number }[]
    expect(answers.map(({ id }) => id).toSorted((a, b) => a - b)).toEqual([2, 3])
  })

  test('several messages at once are answered although one of them cancels another', async () => {
    const headers = { 'MCP-Protocol-Version': '2025-03-26' }
    const cancelled = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } }
    const batch = [legacy('tools/call', call('health')), cancelled]
    const json = { ...headers, Accept: 'application/json' }
    expect(await (await post(links, batch, json)).json()).toMatchObject({ id: 2 })
    expect(await (await post(links, batch, headers)).text()).toContain('"id":2')
    expect((await post(links, cancelled, headers)).status).toBe(202)
  })

  test('an unknown version is answered with a supported one', async () => {
    const response = await post(links, initialize('1999-01-01'), {
      'MCP-Protocol-Version': '2025-06-18',
      Accept: 'application/json',
    })
    expect(await response.json()).toMatchObject({ result: { protocolVersion: '2025-11-25' } })
  })
})

describe('the endpoint', () => {
  const links = sharedTestLinks(newSqliteUrl)
  const list = currentMessage('tools/list')
  const headers = { 'Mcp-Method': 'tools/list' }
  const { url } = listenOnPort(links)

  test('L19.1c: refuses pages of other sites', async () => {
    for (const origin of ['https://evil.example', 'null', 'http://localhost:8081', 'https://localhost:8080'])
      expect([origin, (await post(links, list, { ...headers, Origin: origin })).status]).toEqual([
        origin,
        403,
      ])
    expect((await post(links, list, { ...headers, Origin: 'http://localhost:8080' })).status).toBe(200)
  })

  test('L19.1d: explains to a person how to connect, and accepts only POST', async () => {
    const host = { Host: 'localhost:8080' }
    const page = await links.fetch('/_/mcp', { headers: { ...host, Accept: 'text/html' } })
    expect(page.status).toBe(200)
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain(`default-src 'none'`)
    expect(await page.text()).toContain('http://localhost:8080/_/mcp')
    for (const method of ['GET', 'DELETE', 'PUT', 'PATCH', 'OPTIONS', 'HEAD']) {
      const accept = { ...host, Accept: 'text/event-stream' }
      const response = await links.fetch('/_/mcp', { method, headers: accept })
      expect([method, response.status, response.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
  })

  test('L19.1e: answers an invalid message with a protocol error and changes nothing', async () => {
    const before = await links.databaseState()
    for (const [body, status, code] of [
      ['{', 400, -32700],
      ['', 400, -32700],
      ['\uD800'.repeat(3) + '{', 400, -32700],
      ['['.repeat(50_000), 400, -32700],
      [`"${'x'.repeat(64 * 1024)}"`, 413, -32000],
    ] as const) {
      const response = await post(links, body, headers)
      const answer = (await response.json()) as { error: { code: number } }
      expect([body.slice(0, 9), response.status, answer.error.code]).toEqual([body.slice(0, 9), status, code])
    }
    for (const body of ['1', '"x"', 'null', '{}', '[]', '[1]', '{"jsonrpc":"2.0"}']) {
      const response = await post(links, body, headers)
      expect([body, response.status]).toEqual([body, 400])
      expect(await response.json()).toMatchObject({ jsonrpc: '2.0', error: { code: expect.any(Number) } })
    }
    const type = { ...headers, 'Content-Type': 'text/plain' }
    expect((await post(links, list, type)).status).toBe(415)
    expect(await links.databaseState()).toEqual(before)
  })

  test('has a request id for every request, and logs the route but no argument', async () => {
    const response = await post(links, list, headers)
    const requestId = response.headers.get('x-request-id')
    expect(links.log).toContainEqual(
      expect.objectContaining({ message: 'request', route: '/_/mcp', status: 200, requestId }),
    )
  })

  test('a trailing slash and other paths below it are 404', async () => {
    for (const path of ['/_/mcp/', '/_/mcp/x', '/_/MCP'])
      expect([path, (await post(links, list, headers, path)).status]).toEqual([path, 404])
  })

  test('L19.3: issues no tokens: /oauth/* is 404 for every method', async () => {
    for (const method of ['GET', 'POST', 'DELETE'])
      for (const path of ['/oauth/token', '/oauth/authorize?x=1', '/oauth/register'])
        expect([path, (await links.fetch(path, { method })).status]).toEqual([path, 404])
  })

  test('without an authorization server, its documents are 404', async () => {
    for (const path of [
      '/.well-known/oauth-protected-resource',
      '/.well-known/oauth-protected-resource/_/mcp',
      '/.well-known/oauth-authorization-server',
    ])
      expect([path, (await links.fetch(path)).status]).toEqual([path, 404])
  })

  test('a service whose own host begins with mcp serves nothing else there', async () => {
    const made = await links.callAdmin('POST', '/links', {
      headers: { Host: 'localhost' },
      body: { url: 'https://example.com/x', slug: 'hidden' },
    })
    expect(made.status).toBe(201)
    const at = (path: string, host: string) =>
      fetch(url(path), { headers: { Host: host, Accept: 'text/html' }, redirect: 'manual' })
    expect((await at('/hidden', 'localhost')).status).toBe(302)
    for (const path of [
      '/hidden',
      '/_/health',
      '/_/admin/dashboard',
      '/_/api/links',
      '/robots.txt',
      '/_/mcp',
    ])
      expect([path, (await at(path, 'mcp.example.com')).status]).toEqual([path, 404])
  })
})

describe('the rate limit', () => {
  const links = sharedTestLinks(newSqliteUrl, { LINKS_RATE_LIMIT: '3/hour', MCP_API_KEYS: 'on' })

  test('L19.4h: counts per identity, across keys, and each call of a batch', async () => {
    const ann = [await links.key('ann@example.com'), await links.key('ann@example.com')]
    const ben = await links.key('ben@example.com')
    const list = (key: string | undefined) =>
      post(links, currentMessage('tools/list'), {
        'Mcp-Method': 'tools/list',
        Authorization: `Bearer ${key}`,
      })
    for (const key of [ann[0], ann[1], ann[0]]) expect((await list(key)).status).toBe(200)
    const refused = await list(ann[1])
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([
      429,
      expect.stringMatching(/^\d+$/),
    ])
    expect(await refused.json()).toEqual({
      jsonrpc: '2.0',
      error: {
        code: -32000,
        message: `Too many requests: wait ${refused.headers.get('retry-after')} seconds`,
      },
      id: null,
    })
    const old = { 'MCP-Protocol-Version': '2025-03-26', Authorization: `Bearer ${ben}` }
    const batch = async (length: number) => {
      const calls = Array.from({ length }, (_, id) => ({ ...legacy('tools/call', call('health')), id }))
      const { status, headers } = await post(links, calls, old)
      return [status, headers.get('ratelimit-remaining'), headers.has('retry-after')]
    }
    // A refused call uses up nothing, and states the time to wait where waiting helps.
    expect(await batch(4)).toEqual([400, '3', false])
    expect(await batch(2)).toEqual([200, '1', false])
    expect(await batch(2)).toEqual([429, '1', true])
    expect(await batch(1)).toEqual([200, '0', false])
  })

  test('a call without a tool name counts like any other, and causes no fault', async () => {
    const Authorization = `Bearer ${await links.key('dan@example.com')}`
    const old = { 'MCP-Protocol-Version': '2025-03-26', Authorization }
    const odd = [{ toString: 1 }, Array.from({ length: 20 }).reduce<unknown>((name) => [name], []), null]
    const seen = []
    for (const name of odd) {
      const { status, headers } = await post(links, legacy('tools/call', { name, arguments: {} }), old)
      seen.push([status < 500, headers.get('ratelimit-remaining')])
    }
    expect(seen).toEqual([
      [true, '2'],
      [true, '1'],
      [true, '0'],
    ])
    expect((await post(links, legacy('tools/call', { name: {} }), old)).status).toBe(429)
    expect(links.log.filter(({ level }) => level === 'error')).toEqual([])
  })

  test('calls without a valid key count by address, and take nothing from others', async () => {
    const wrong = { 'Mcp-Method': 'tools/list', Authorization: `Bearer sk_${'0'.repeat(48)}` }
    const statuses = []
    for (let n = 0; n < 4; n++) statuses.push((await post(links, currentMessage('tools/list'), wrong)).status)
    expect(statuses).toEqual([401, 401, 401, 429])
    const Authorization = `Bearer ${await links.key('cid@example.com')}`
    expect((await post(links, currentMessage('tools/list'), { ...wrong, Authorization })).status).toBe(200)
  })
})
