import { afterEach, expect, test } from 'bun:test'
import { type Server, createServer } from 'node:net'
import { testServers } from '../destinations/testing.ts'
import { Poster } from './post.ts'

const { serve } = testServers()
const sockets: Server[] = []
afterEach(() => {
  for (const server of sockets.splice(0)) server.close()
})
const never = new AbortController().signal
const local = new Poster({ allowed: ['127.0.0.0/8'], timeoutMs: 500, resolve: async () => ['127.0.0.1'] })

const post = (poster: Poster, url: string) =>
  poster.post(
    { url, headers: { 'content-type': 'application/json', 'webhook-id': 'evt_1' }, body: '{"ä":1}' },
    never,
  )

/** A server that answers each connection with these bytes, and then keeps it open, ends it or repeats them. */
async function serveBytes(bytes: string, then?: 'end' | 'repeat'): Promise<number> {
  const server = createServer((socket) => {
    socket.on('error', () => {})
    if (then === 'end') socket.end(bytes)
    else socket.write(bytes)
    const repeat = () => {
      while (!socket.destroyed && socket.write(bytes));
    }
    if (then === 'repeat') socket.on('drain', repeat).once('data', repeat)
  })
  sockets.push(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as { port: number }).port
}

test('L30.4e: the receiver gets the body and headers, and the start of its answer is returned', async () => {
  const bodies: string[] = []
  const { port, requests } = serve(async (request) => {
    bodies.push(`${request.method} ${await request.text()}`)
    return new Response(`\0${'ö'.repeat(5000)}`, { status: 202 })
  })
  const result = await post(local, `http://receiver.test:${port}/hook/?a=1`)
  expect(bodies).toEqual(['POST {"ä":1}'])
  expect(requests[0]?.url).toBe(`http://receiver.test:${port}/hook/?a=1`)
  expect(requests[0]?.headers).toMatchObject({ 'content-type': 'application/json', 'webhook-id': 'evt_1' })
  expect(result).toEqual({
    status: 202,
    error: null,
    // A byte of NUL, and half of the last letter.
    answer: `\u{fffd}${'ö'.repeat(2047)}`,
    retryAfterSeconds: 0,
  })
})

test('L30.4d: a redirect is an answer, and is not followed', async () => {
  const target = serve(() => new Response('secret'))
  const { port } = serve(() => Response.redirect(`http://127.0.0.1:${target.port}/`, 307))
  expect(await post(local, `http://receiver.test:${port}/`)).toMatchObject({ status: 307, error: null })
  expect(target.requests).toEqual([])
})

test('L30.4: private addresses are reached only if the settings allow them, by name or number', async () => {
  const { port, requests } = serve(() => new Response('inside'))
  const unreachable = { status: null, error: 'unreachable', answer: null, retryAfterSeconds: 0 } as const
  const strict = new Poster({ allowed: ['10.0.0.0/8'], resolve: async () => ['127.0.0.1'] })
  for (const host of ['private.test', '127.0.0.1', '[::1]', '0x7f.1', '2130706433', '[::ffff:127.0.0.1]'])
    expect([host, await post(strict, `http://${host}:${port}/`)]).toEqual([host, unreachable])
  const mixed = new Poster({ allowed: [], resolve: async () => ['203.0.113.9', '127.0.0.1'] })
  expect(await post(mixed, `http://mixed.test:${port}/`)).toEqual(unreachable)
  expect(requests).toEqual([])
  expect(await post(local, `http://127.0.0.1:${port}/`)).toMatchObject({ status: 200, answer: 'inside' })
})

test('L30.4b: a name is resolved once, and the connection goes to the address that was checked', async () => {
  const { port } = serve(() => new Response('pinned'), '127.0.0.1')
  let lookups = 0
  const rebinding = new Poster({
    allowed: ['127.0.0.1'],
    resolve: async () => [['127.0.0.1'], ['127.0.0.2']][lookups++] ?? [],
  })
  expect(await post(rebinding, `http://rebind.test:${port}/`)).toMatchObject({ answer: 'pinned' })
  expect(lookups).toBe(1)
})

test('a receiver that does not answer in time is a timeout, and one that has stopped is unreachable', async () => {
  const hanging = await serveBytes('')
  expect(await post(local, `http://receiver.test:${hanging}/`)).toMatchObject({
    status: null,
    error: 'timeout',
  })
  const { port, stop } = serve(() => new Response())
  await stop()
  expect(await post(local, `http://receiver.test:${port}/`)).toMatchObject({ error: 'unreachable' })
  const unresolved = new Poster({ allowed: [], resolve: () => Promise.reject(new Error('no such host')) })
  expect(await post(unresolved, 'http://nowhere.test/')).toMatchObject({ error: 'unreachable' })
  const slowDns = new Poster({ allowed: [], timeoutMs: 50, resolve: () => new Promise(() => {}) })
  expect(await post(slowDns, 'http://slow.test/')).toMatchObject({ error: 'timeout' })
})

test('L30.4e: an answer that has no end in time is a timeout, also after its status', async () => {
  for (const head of ['content-length: 99', 'transfer-encoding: chunked', 'x: y']) {
    const port = await serveBytes(`HTTP/1.1 200 OK\r\n${head}\r\n\r\n6\r\nthanks`)
    const answer = { status: null, error: 'timeout', answer: null }
    expect(await post(local, `http://receiver.test:${port}/`)).toMatchObject(answer)
  }
})

test('the status counts even if the connection breaks off in the body', async () => {
  const port = await serveBytes('HTTP/1.1 200 OK\r\ncontent-length: 99\r\n\r\nthanks', 'end')
  expect(await post(local, `http://receiver.test:${port}/`)).toMatchObject({ status: 200, answer: 'thanks' })
})

test('L30.4f: a receiver that sends headers or informational answers without end is soon unreachable', async () => {
  const heads = [
    'HTTP/1.1 103 Early Hints\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\n',
    '\r\n',
    'HTTP/1.1 200 OK\r\nx:',
  ]
  for (const head of heads) {
    const port = await serveBytes(head.repeat(100), 'repeat')
    const patient = new Poster({ allowed: ['127.0.0.0/8'], timeoutMs: 30_000 })
    const outcome = await post(patient, `http://127.0.0.1:${port}/`)
    expect([head, outcome]).toMatchObject([head, { status: null, error: 'unreachable' }])
  }
})

test('Retry-After is read as seconds or as a date', async () => {
  const ask = async (value: string) => {
    const { port } = serve(() => new Response('', { status: 429, headers: { 'Retry-After': value } }))
    return (await post(local, `http://receiver.test:${port}/`)).retryAfterSeconds
  }
  expect([await ask('120'), await ask('soon'), await ask('-5')]).toEqual([120, 0, 0])
  const inAnHour = await ask(new Date(Date.now() + 3_600_000).toUTCString())
  expect(inAnHour).toBeGreaterThan(3_500)
  expect(inAnHour).toBeLessThanOrEqual(3_600)
})

test('L30.4j: an attempt ends as soon as the service stops', async () => {
  const hanging = await serveBytes('')
  const stop = new AbortController()
  const attempt = local.post({ url: `http://receiver.test:${hanging}/`, headers: {}, body: '' }, stop.signal)
  stop.abort(new Error('stopped'))
  expect(await attempt.catch(String)).toBe('Error: stopped')
})
