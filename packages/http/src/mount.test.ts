import { expect, test } from 'bun:test'
import { z } from 'zod'
import { Failure } from './failure.ts'
import { type Exchange, failureResponse, mount } from './mount.ts'
import { type AnyOperation, operationsOf } from './operation.ts'

const operation = operationsOf<{ caller: string }>()

function simple(id: string, methods: ['GET' | 'POST' | 'DELETE'], path: string, names: string[] = []) {
  return operation({
    id,
    methods,
    path,
    scope: '',
    tag: '',
    summary: '',
    params: z.object(Object.fromEntries(names.map((name) => [name, z.string().max(10)]))),
    result: z.unknown(),
    handler: async ({ caller }, { params }) => ({ id, caller, ...params }),
  })
}

const OPERATIONS: AnyOperation<{ caller: string }>[] = [
  simple('one', ['GET'], '/things/{id}', ['id']),
  simple('newest', ['GET'], '/things/newest'),
  simple('drop', ['DELETE'], '/things/{thing}', ['thing']),
  simple('part', ['GET'], '/things/{thing}/parts/{part}', ['thing', 'part']),
  simple('add', ['POST'], '/things'),
]

function surface() {
  const seen: Exchange[] = []
  const rendered: unknown[] = []
  const app = mount<{ caller: string }, string>({
    basePath: '/api',
    operations: OPERATIONS,
    literals: new Set(),
    async authenticate(request) {
      const caller = request.headers.get('x-caller')
      if (caller === null) throw new Failure('unauthorized', { status: 401, text: 'Unauthorized' })
      return { caller, headers: { 'X-Known': caller }, cookies: ['a=1', 'b=2'] }
    },
    authorise() {},
    contextOf: (caller) => ({ caller }),
    render(error, _requestId, caller) {
      rendered.push(caller)
      if (error instanceof Failure) return failureResponse(error)
      throw error
    },
    observe: (exchange) => void seen.push(exchange),
  })
  const ask = async (method: string, path: string, caller: string | null = 'ann') => {
    const headers: Record<string, string> = caller === null ? {} : { 'x-caller': caller }
    return app.fetch(new Request(`http://localhost${path}`, { method, headers }), { peer: '192.0.2.1' })
  }
  return { ask, seen, rendered }
}

test('a path with a fixed last segment comes before one with a parameter, whichever was declared first', async () => {
  const { ask } = surface()
  expect(await (await ask('GET', '/api/things/newest')).json()).toEqual({ id: 'newest', caller: 'ann' })
  expect(await (await ask('GET', '/api/things/7')).json()).toEqual({ id: '7', caller: 'ann' })
})

test('parameters keep their names, even if another operation names the same position differently', async () => {
  const { ask } = surface()
  const dropped = await ask('DELETE', '/api/things/a%20b')
  expect(await dropped.json()).toEqual({ id: 'drop', caller: 'ann', thing: 'a b' })
  const part = await ask('GET', '/api/things/7/parts/8')
  expect(await part.json()).toEqual({ id: 'part', caller: 'ann', thing: '7', part: '8' })
  expect((await ask('GET', '/api/things/7/parts/much-too-long')).status).toBe(404)
})

test('a method that a path does not accept is refused with the methods of every operation on it; an unknown path is not found', async () => {
  const { ask, seen } = surface()
  for (const [method, path, status, allow, route] of [
    ['POST', '/api/things/newest', 405, 'GET, DELETE, HEAD', '/things/newest'],
    ['POST', '/api/things/7', 405, 'GET, DELETE, HEAD', '/things/{id}'],
    ['GET', '/api/things', 405, 'POST', '/things'],
    ['GET', '/api/thing', 404, null, 'unmatched'],
    ['GET', '/api/things/7/parts', 404, null, 'unmatched'],
    ['GET', '/other/things/newest', 404, null, 'unmatched'],
  ] as const) {
    const answer = await ask(method, path)
    expect([path, answer.status, answer.headers.get('allow')]).toEqual([path, status, allow])
    expect(seen.at(-1)).toMatchObject({ route, method, status })
  }
})

test('every answer has its request id, the headers of the caller, and `Cache-Control: no-store`', async () => {
  const { ask, seen, rendered } = surface()
  for (const path of ['/api/things/newest', '/api/nothing']) {
    const { headers } = await ask('GET', path)
    expect([headers.get('x-known'), headers.get('cache-control')]).toEqual(['ann', 'private, no-store'])
    expect(headers.getSetCookie()).toEqual(['a=1', 'b=2'])
    expect(headers.get('x-request-id')).toBe(seen.at(-1)?.requestId ?? '')
  }
  expect(rendered).toEqual(['ann'])
})

test('a refused caller learns nothing about the path, and is undefined when the failure is rendered', async () => {
  const { ask, rendered } = surface()
  for (const path of ['/api/things/newest', '/api/nothing']) {
    const answer = await ask('GET', path, null)
    expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
  }
  expect(rendered).toEqual([undefined, undefined])
})

test('HEAD is a GET without the body', async () => {
  const { ask, seen } = surface()
  const answer = await ask('HEAD', '/api/things/newest')
  expect([answer.status, await answer.text(), seen.at(-1)?.method]).toEqual([200, '', 'HEAD'])
})

test('HEAD sends the Content-Length of GET over the wire, for refusals too', async () => {
  const { ask } = surface()
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch: ({ method, url }) => ask(method, new URL(url).pathname),
  })
  try {
    for (const path of ['/api/things/7', '/api/nothing']) {
      const [got, head] = [
        await fetch(new URL(path, server.url)),
        await fetch(new URL(path, server.url), { method: 'HEAD' }),
      ]
      expect([path, head.headers.get('content-length'), await head.text()]).toEqual([
        path,
        String((await got.bytes()).length),
        '',
      ])
    }
  } finally {
    await server.stop(true)
  }
})
