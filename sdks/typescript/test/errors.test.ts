import { describe, expect, spyOn, test } from 'bun:test'
import { FakeService, type FakeAnswer, failureOf } from '../../testing/fake-service.ts'
import { LinksApiError, LinksClient, LinksNetworkError, LinksTimeoutError } from '../src/index.ts'

const clientOf = (service: FakeService) => new LinksClient({ baseUrl: service.url, apiKey: 'sk_test' })

async function failureTo(answer: FakeAnswer): Promise<LinksApiError> {
  const error = await failureOf(
    clientOf(new FakeService(answer)).links.create({ url: 'x' }, { maxRetries: 0 }),
  )
  expect(error).toBeInstanceOf(LinksApiError)
  return error as LinksApiError
}

describe('an error of the server', () => {
  test.each([
    [400, 'invalid_request', 'Unknown field "x"'],
    [401, 'unauthorized', 'Unauthorized'],
    [403, 'forbidden', 'Only the link owner can update this link'],
    [404, 'not_found', 'Link not found'],
    [409, 'conflict', 'Slug already exists'],
    [413, 'too_large', 'Request body too large'],
    [429, 'too_many_requests', 'Too many requests'],
    [500, 'internal', 'Internal Server Error'],
    [503, 'unavailable', 'Try again later'],
    [418, 'http_418', 'Short and stout'],
  ])('%i has the status, the code %s and the sentence of the server', async (status, code, message) => {
    const headers = { 'x-request-id': 'abc', 'retry-after': '7' }
    const error = await failureTo({ status, headers, body: { error: message } })
    expect(error).toMatchObject({
      status,
      code,
      message,
      requestId: 'abc',
      retryAfter: 7,
      name: 'LinksApiError',
    })
  })

  test('L25.6f: has the error code from the header of the answer', async () => {
    const headers = { 'x-error-code': 'slug_taken' }
    const error = await failureTo({ status: 409, headers, body: { error: 'Taken' } })
    expect(error.code).toBe('slug_taken')
  })

  test.each(['<html>Bad gateway</html>', '', 'null', '[]', '{"error":5}'])(
    'keeps its status when a proxy answers %p',
    async (body) => {
      const error = await failureTo({ status: 502, body })
      expect(error).toMatchObject({ status: 502, code: 'http_502', message: 'HTTP 502' })
      expect([error.requestId, error.retryAfter]).toEqual([undefined, undefined])
    },
  )

  test('is also thrown for a success status with a body that is not JSON', async () => {
    const error = await failureTo({ status: 200, body: '<html>Sign in</html>' })
    expect(error).toMatchObject({ status: 200, code: 'unexpected_answer' })
    expect(error.message).toContain('baseUrl')
  })

  test.each([{ error: 'no list' }, null, 5, 'text'])(
    'is also a good status with %p where there should be a list',
    async (body) => {
      const service = new FakeService({ body: JSON.stringify(body) }, { body: JSON.stringify(body) })
      const { links } = clientOf(service)
      for (const call of [links.list(), links.listAll().next()]) {
        const error = await failureOf(call)
        expect(error).toBeInstanceOf(LinksApiError)
        expect(error).toMatchObject({ status: 200, code: 'unexpected_answer' })
      }
    },
  )
})

describe('an odd answer', () => {
  test.each(['null', '5', '"text"', ''])('is no link: %j', async (body) => {
    const error = await failureOf(clientOf(new FakeService({ body })).links.get(1))
    expect(error).toBeInstanceOf(LinksApiError)
    expect(error).toMatchObject({ status: 200, code: 'unexpected_answer' })
  })

  test.each<Record<string, string>>([
    { link: '<http://[bad>; rel="next"' },
    { 'x-total-count': '5, 5' },
    { 'x-total-count': 'many' },
  ])('is a list with %j', async (odd) => {
    const headers = { ...odd, 'x-request-id': 'abc' }
    const error = await failureOf(clientOf(new FakeService({ headers, body: [] })).links.list())
    expect(error).toBeInstanceOf(LinksApiError)
    expect(error).toMatchObject({ status: 200, code: 'unexpected_answer', requestId: 'abc' })
  })

  test.each(['{}', '[]', 'null', '{"items":{},"total":0}'])(
    'is no list that is walked by counting: %j',
    async (body) => {
      const walk = clientOf(new FakeService({ body })).links.breakdownAll(1, { dimension: 'os' })
      const error = await failureOf(walk.next())
      expect(error).toBeInstanceOf(LinksApiError)
      expect(error).toMatchObject({ status: 200, code: 'unexpected_answer' })
    },
  )
})

describe('a QR code', () => {
  test.each<FakeAnswer>([
    { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' },
    { body: { id: 1 } },
    { status: 204, body: '' },
  ])('is not what a proxy answers instead: %j', async (answer) => {
    const error = await failureOf(clientOf(new FakeService(answer)).links.qr(1))
    expect(error).toBeInstanceOf(LinksApiError)
    expect(error).toMatchObject({ code: 'unexpected_answer' })
  })

  test.each(['IMAGE/PNG', 'application/pdf'])('is a file of the type %s', async (type) => {
    const service = new FakeService({ headers: { 'content-type': type }, body: 'code' })
    expect(await (await clientOf(service).links.qr(1)).text()).toBe('code')
  })
})

describe('a call without an answer', () => {
  test('fails with a timeout, of the client or of the call', async () => {
    const service = new FakeService('never', 'never')
    // Long enough for the request to arrive on a busy machine.
    const client = new LinksClient({ baseUrl: service.url, apiKey: 'sk_test', timeoutMs: 1_000 })
    const error = await failureOf(client.links.get(1))
    expect(error).toBeInstanceOf(LinksTimeoutError)
    expect(error).toMatchObject({ code: 'timeout', message: 'No answer within 1000 ms' })
    const other = await failureOf(clientOf(service).links.get(1, {}, { timeoutMs: 900 }))
    expect(other).toMatchObject({ code: 'timeout', message: 'No answer within 900 ms' })
    expect(service.requests).toHaveLength(2)
  })

  test('waits without a limit if the timeout exceeds the maximum of a timer', async () => {
    const timers = spyOn(globalThis, 'setTimeout')
    const fetch = async () => Response.json({})
    const client = new LinksClient({ baseUrl: 'http://x', apiKey: 'sk_test', timeoutMs: Infinity, fetch })
    await client.links.get(1)
    await client.links.get(1, {}, { timeoutMs: 2 ** 31 })
    expect(timers).not.toHaveBeenCalled()
    await client.links.get(1, {}, { timeoutMs: 2 ** 31 - 1 })
    expect(timers).toHaveBeenCalledTimes(1)
    timers.mockRestore()
  })

  test('fails with a timeout also when the answer stops half way', async () => {
    const half = () => new ReadableStream({ start: (body) => body.enqueue('[{"id":1},') })
    const stuck = Bun.serve({ port: 0, fetch: () => new Response(half()) })
    try {
      const client = new LinksClient({ baseUrl: stuck.url.origin, apiKey: 'sk_test', timeoutMs: 50 })
      expect(await failureOf(client.bundles.list())).toBeInstanceOf(LinksTimeoutError)
    } finally {
      await stuck.stop(true)
    }
  })

  test('fails with a network error if no server listens', async () => {
    const stoppedServer = Bun.serve({ port: 0, fetch: () => new Response() })
    const baseUrl = stoppedServer.url.origin
    await stoppedServer.stop(true)
    const error = await failureOf(new LinksClient({ baseUrl, apiKey: 'sk_test' }).links.get(1))
    expect(error).toBeInstanceOf(LinksNetworkError)
    expect(error).toMatchObject({ code: 'network' })
    expect((error as Error).cause).toBeDefined()
  })

  test('never follows a redirect with the key', async () => {
    const other = new FakeService({})
    const service = new FakeService({ status: 302, headers: { location: `${other.url}/elsewhere` } })
    expect(await failureOf(clientOf(service).links.get(1))).toBeInstanceOf(LinksNetworkError)
    expect(other.requests).toEqual([])
  })
})

describe('an aborted call', () => {
  test('fails at once with the reason of the signal', async () => {
    const service = new FakeService('never')
    const ending = new AbortController()
    const call = clientOf(service).links.get(1, {}, { signal: ending.signal })
    const reason = new Error('Closed the page')
    ending.abort(reason)
    expect(await failureOf(call)).toBe(reason)
  })

  test('is not sent if it was aborted before', async () => {
    const service = new FakeService({})
    const error = await failureOf(clientOf(service).links.get(1, {}, { signal: AbortSignal.abort() }))
    expect(error).toMatchObject({ name: 'AbortError' })
    expect(service.requests).toEqual([])
  })
})
