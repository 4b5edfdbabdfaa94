import { afterEach, beforeAll, beforeEach, expect, spyOn, test } from 'bun:test'
import { z } from 'zod'
import { CallError, type CallsOf, createCalls, signIn } from './call.ts'

const Room = z.object({ id: z.string(), name: z.string() })
const declared = [
  {
    id: 'getRoom',
    params: z.object({ id: z.string() }),
    query: z.object({ limit: z.number() }),
    result: Room,
  },
  { id: 'createRoom', body: z.object({ name: z.string() }), result: Room },
  { id: 'leaveRoom', params: z.object({ id: z.string() }), result: z.undefined() },
] as const

const { call, request, addressOf } = createCalls<CallsOf<(typeof declared)[number]>>({
  base: '/api',
  headers: (method) => (method === 'GET' ? {} : { 'x-csrf-token': 'token' }),
})

const ownFetch = globalThis.fetch
let sent: { url: string; init: RequestInit }[] = []
let answer = () => Promise.resolve(Response.json({ id: 'r1', name: 'One' }))

beforeAll(() => {
  Object.assign(globalThis, {
    OPERATIONS: {
      getRoom: ['GET', '/rooms/{id}'],
      createRoom: ['POST', '/rooms'],
      leaveRoom: ['DELETE', '/rooms/{id}/visit'],
    },
  })
})
beforeEach(() => {
  sent = []
  globalThis.fetch = Object.assign(
    async (url: unknown, init: RequestInit = {}) => {
      sent.push({ url: String(url), init })
      return answer()
    },
    { preconnect() {} },
  )
})
afterEach(() => {
  globalThis.fetch = ownFetch
  answer = () => Promise.resolve(Response.json({ id: 'r1', name: 'One' }))
})

const refusalOf = async (called: Promise<unknown>): Promise<CallError> => {
  const error = await called.then(
    () => new Error('It was not refused'),
    (refused: unknown) => refused,
  )
  if (!(error instanceof CallError)) throw error
  return error
}

test('a call has the address and method of its operation, and extra headers if it is a change', async () => {
  expect(await call('getRoom', { params: { id: 'a/b' }, query: { limit: 5 } })).toEqual({
    id: 'r1',
    name: 'One',
  })
  await call('createRoom', { body: { name: 'One' } })
  expect(sent.map(({ url, init: { method, headers, body } }) => [method, url, headers, body])).toEqual([
    ['GET', '/api/rooms/a%2Fb?limit=5', { Accept: 'application/json' }, undefined],
    [
      'POST',
      '/api/rooms',
      { Accept: 'application/json', 'Content-Type': 'application/json', 'x-csrf-token': 'token' },
      '{"name":"One"}',
    ],
  ])
  expect(addressOf('getRoom', { params: { id: 'r1' }, query: {} })).toBe('/api/rooms/r1')
})

test('an answer without a body is undefined', async () => {
  answer = () => Promise.resolve(new Response(null, { status: 204 }))
  expect(await call('leaveRoom', { params: { id: 'r1' } })).toBeUndefined()
})

test('a refusal has its status, text, code and fields; an unanswered call is an error as well', async () => {
  const body = {
    error: 'The name is too long',
    code: 'invalid_request',
    fields: [{ path: 'name', code: 'too_long' }],
    roomIds: ['r1'],
  }
  answer = () => Promise.resolve(Response.json(body, { status: 400 }))
  const {
    status,
    message,
    code,
    fields,
    answer: details,
  } = await refusalOf(call('createRoom', { body: { name: 'x' } }))
  expect({ status, error: message, code, fields: [...fields], roomIds: details['roomIds'] }).toEqual({
    status: 400,
    ...body,
  })
  answer = () => Promise.resolve(new Response('<h1>Bad gateway</h1>', { status: 502 }))
  const bare = await refusalOf(call('createRoom', { body: { name: 'x' } }))
  expect([bare.status, bare.message, bare.code, bare.fields]).toEqual([502, '', undefined, []])
  answer = () => Promise.reject(new TypeError('Failed to fetch'))
  const offline = await refusalOf(call('createRoom', { body: { name: 'x' } }))
  expect([offline.status, offline.message]).toEqual([0, 'offline'])
})

test('an interrupted answer counts as no answer', async () => {
  const body = new ReadableStream({ pull: (part) => part.error(new TypeError('network error')) })
  answer = () => Promise.resolve(new Response(body))
  const torn = await refusalOf(call('getRoom', { params: { id: 'r1' } }))
  expect([torn.status, torn.message]).toEqual([0, 'offline'])
})

test('the timeout covers the answer and its reading, except for long calls', async () => {
  const limits: number[] = []
  const limit = new AbortController()
  using _ = spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    limits.push(ms)
    return limit.signal
  })
  const body = new ReadableStream({
    start: (part) => limit.signal.addEventListener('abort', () => part.error(limit.signal.reason)),
  })
  answer = () => Promise.resolve(new Response(body))
  const refusal = refusalOf(
    call('getRoom', { params: { id: 'r1' } }, { signal: new AbortController().signal }),
  )
  limit.abort(new DOMException('Late', 'TimeoutError'))
  const late = await refusal
  expect([late.status, late.message]).toEqual([0, 'offline'])
  expect(sent.at(-1)?.init.signal?.aborted).toBe(true)
  answer = () => Promise.resolve(Response.json({ id: 'r1', name: 'One' }))
  await call('getRoom', { params: { id: 'r1' } }, { answerWithinMs: 5 })
  await request('getRoom', { params: { id: 'r1' } }, { answerWithinMs: null })
  expect(limits).toEqual([60_000, 5])
  expect(sent.at(-1)?.init.signal?.aborted).toBe(false)
})

test('an aborted call does not count as a failure of the service', async () => {
  const controller = new AbortController()
  answer = () => Promise.reject(new DOMException('Aborted', 'AbortError'))
  controller.abort()
  const error = await call('getRoom', { params: { id: 'r1' } }, { signal: controller.signal }).catch(
    (thrown: unknown) => thrown,
  )
  expect(error).not.toBeInstanceOf(CallError)
})

test('a session counts as ended from when the server says so until it admits a request', async () => {
  const states: boolean[] = []
  const stop = signIn.subscribe(() => states.push(signIn.isOver()))
  signIn.end()
  signIn.end()
  answer = () => Promise.resolve(Response.json({ error: 'No' }, { status: 403 }))
  await refusalOf(call('getRoom', { params: { id: 'r1' } }))
  expect(states).toEqual([true])
  answer = () => Promise.resolve(Response.json({ id: 'r1' }))
  await call('getRoom', { params: { id: 'r1' } })
  stop()
  expect(states).toEqual([true, false])
})

test('a session counts as ended from a 401 until the next other answer', async () => {
  const states: boolean[] = []
  const stop = signIn.subscribe(() => states.push(signIn.isOver()))
  answer = () => Promise.resolve(Response.json({ error: 'Sign in' }, { status: 401 }))
  await refusalOf(call('getRoom', { params: { id: 'r1' } }))
  await refusalOf(call('getRoom', { params: { id: 'r1' } }))
  answer = () => Promise.resolve(Response.json({ error: 'No' }, { status: 403 }))
  await refusalOf(call('getRoom', { params: { id: 'r1' } }))
  stop()
  expect(states).toEqual([true, false])
})
