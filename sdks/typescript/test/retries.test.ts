import { describe, expect, test } from 'bun:test'
import { FakeService, type FakeAnswer, failureOf } from '../../testing/fake-service.ts'
import { LinksClient } from '../src/index.ts'
import { readRetryAfter, waitBeforeRetry } from '../src/retry.ts'
import { type Call, Transport } from '../src/transport.ts'

const BUSY: FakeAnswer = { status: 503, body: { error: 'Busy' } }
const rateLimited = (seconds: string): FakeAnswer => ({
  status: 429,
  headers: { 'retry-after': seconds },
  body: { error: 'Too many requests' },
})
const GET: Call = { method: 'GET', path: '/links/1', options: undefined }

/** A transport whose waits end at once and are recorded. */
function transportTo(service: FakeService, options: { maxRetries?: number } = {}) {
  const waits: number[] = []
  const transport = new Transport(
    { baseUrl: service.url, apiKey: 'sk_test', ...options },
    {
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      random: () => 0.5,
      wait: (ms) => {
        waits.push(ms)
        return Promise.resolve()
      },
    },
  )
  return { transport, waits }
}

describe('a call answered with 429 or 503', () => {
  test.each(['GET', 'PUT', 'DELETE', 'POST'])('is repeated when it is a %s', async (method) => {
    const service = new FakeService({ ...BUSY, headers: { 'retry-after': '5' } }, rateLimited('3'), {
      body: { id: 1 },
    })
    const { transport, waits } = transportTo(service)
    expect(await transport.json<unknown>({ ...GET, method })).toEqual({ id: 1 })
    expect(service.requests).toHaveLength(3)
    expect(waits).toEqual([5250, 3250])
  })

  test.each([
    ['GET', 503],
    ['POST', 503],
    ['POST', 429],
    ['GET', 429],
    ['PUT', 429],
    ['DELETE', 429],
  ])('is repeated without a Retry-After, when it is a %s that gets %i', async (method, status) => {
    const service = new FakeService({ ...BUSY, status }, { body: { id: 1 } })
    const { transport, waits } = transportTo(service)
    expect(await transport.json<unknown>({ ...GET, method })).toEqual({ id: 1 })
    expect(waits).toEqual([375])
  })

  test.each(['PUT', 'DELETE'])(
    'is not repeated when it is a %s that may have been done: 503 without a time',
    async (method) => {
      const service = new FakeService(BUSY, { status: 404, body: { error: 'Link not found' } })
      const { transport, waits } = transportTo(service)
      const error = await failureOf(transport.json({ ...GET, method }))
      expect(error).toMatchObject({ status: 503, message: 'Busy', retryAfter: undefined })
      expect([service.requests.length, waits]).toEqual([1, []])
    },
  )

  test('L28.6: is repeated with the same idempotency key if it is a POST, and another call has another key', async () => {
    const running = { status: 409, headers: { 'retry-after': '1' }, body: { error: 'Still running' } }
    const service = new FakeService(
      BUSY,
      running,
      { body: { id: 1 } },
      { body: { id: 2 } },
      { body: { id: 3 } },
    )
    const { transport, waits } = transportTo(service)
    expect(await transport.json<unknown>({ ...GET, method: 'POST' })).toEqual({ id: 1 })
    expect(await transport.json<unknown>({ ...GET, method: 'POST' })).toEqual({ id: 2 })
    await transport.json({ ...GET, method: 'PUT' })
    expect(waits).toEqual([375, 1250])
    const [first, ...keys] = service.requests.map(({ headers }) => headers.get('idempotency-key'))
    expect(first).toMatch(/^[!-~]{20,64}$/)
    expect(keys).toEqual([first, first, expect.not.stringMatching(first ?? ''), null] as never)
  })

  test('is not retried if it is a POST that conflicts with something else', async () => {
    const service = new FakeService({ status: 409, body: { error: 'Slug already exists' } })
    const { transport, waits } = transportTo(service)
    expect(await failureOf(transport.json({ ...GET, method: 'POST' }))).toMatchObject({ status: 409 })
    expect([service.requests.length, waits]).toEqual([1, []])
  })

  test.each([400, 401, 404, 409, 500, 502])('is not retried if the status is %i instead', async (status) => {
    const service = new FakeService({ status, headers: { 'retry-after': '0' }, body: { error: 'No' } })
    expect(await failureOf(transportTo(service).transport.json(GET))).toMatchObject({ status })
    expect(service.requests).toHaveLength(1)
  })

  test('is retried as often as allowed, then fails with the last answer', async () => {
    const service = new FakeService(BUSY, BUSY, rateLimited('1'))
    const { transport, waits } = transportTo(service)
    expect(await failureOf(transport.json(GET))).toMatchObject({ status: 429, retryAfter: 1 })
    expect([service.requests.length, waits.length]).toEqual([3, 2])
    const never = new FakeService(BUSY)
    expect(await failureOf(transportTo(never, { maxRetries: 0 }).transport.json(GET))).toMatchObject({
      status: 503,
    })
    expect(never.requests).toHaveLength(1)
    const once = new FakeService(BUSY, BUSY)
    const call = { ...GET, options: { maxRetries: 1 } }
    expect(await failureOf(transportTo(once).transport.json(call))).toMatchObject({ status: 503 })
    expect(once.requests).toHaveLength(2)
  })

  test('is not retried if the server asks for a wait of more than a minute', async () => {
    const service = new FakeService(rateLimited('61'))
    expect(await failureOf(transportTo(service).transport.json(GET))).toMatchObject({ retryAfter: 61 })
    expect(service.requests).toHaveLength(1)
  })

  test('can be aborted while it waits for a retry', async () => {
    const ending = new AbortController()
    let requestCount = 0
    const client = new LinksClient({
      baseUrl: 'https://go.example.com',
      apiKey: 'sk_test',
      fetch: () => {
        requestCount += 1
        setTimeout(() => ending.abort(new Error('Enough')), 10)
        return Promise.resolve(Response.json({}, { status: 429, headers: { 'retry-after': '50' } }))
      },
    })
    const call = client.links.get(1, {}, { signal: ending.signal })
    expect(await failureOf(call)).toMatchObject({ message: 'Enough' })
    expect(requestCount).toBe(1)
  })
})

describe('the wait before a retry', () => {
  const wait = (retries: number, retryAfter: number | undefined, chance: number) =>
    waitBeforeRetry({ method: 'GET', status: 503, retryAfter, retries }, () => chance)

  test('doubles with jitter up to a maximum if the server sends no Retry-After', () => {
    expect([0, 1, 2, 3, 4, 5, 50].map((retries) => wait(retries, undefined, 0))).toEqual([
      250, 500, 1000, 2000, 4000, 4000, 4000,
    ])
    expect(wait(50, undefined, 1)).toBe(8000)
  })

  test('is never shorter than Retry-After', () => {
    expect([wait(0, 0, 0), wait(0, 2, 0), wait(5, 2, 1), wait(0, 60, 0)]).toEqual([0, 2000, 2500, 60_000])
  })

  test('is parsed from seconds and from dates', () => {
    const now = Date.parse('2026-01-01T00:00:00Z')
    expect(readRetryAfter('12', now)).toBe(12)
    expect(readRetryAfter('Thu, 01 Jan 2026 00:00:30 GMT', now)).toBe(30)
    expect(readRetryAfter('Wed, 31 Dec 2025 00:00:00 GMT', now)).toBe(0)
    for (const header of [null, '', ' ', 'soon', '-5 apples', '-5', '0.5', '5, 5'])
      expect(readRetryAfter(header, now)).toBeUndefined()
  })
})
