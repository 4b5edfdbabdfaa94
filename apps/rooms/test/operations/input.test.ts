import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { z } from 'zod'
import { failures } from '../../src/api/failures.ts'
import { createDocument } from '../../src/http/reference.ts'
import { apiOperations } from '../../src/operations.ts'
import {
  ACTORS,
  type ActorName,
  type TestActors,
  type Operation,
  addressOf,
  mayCall,
  openActors,
} from './actors.ts'

const NOWHERE = '01234567-89ab-4cde-8f01-23456789abcd'

const WRONG: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e308,
  '',
  '   ',
  'x',
  'x'.repeat(3000),
  '\u0000',
  'a\ud800b',
  '\u202e\u200b',
  [],
  ['x'],
  {},
  { toString: 1 },
  [[[[]]]],
  JSON.parse(`${'['.repeat(5_000)}${']'.repeat(5_000)}`),
  JSON.parse('{"__proto__":{"id":1}}'),
  { constructor: { prototype: {} } },
]

const BAD_IDS = [
  'x',
  '0',
  '-1',
  '1.5',
  ' ',
  'null',
  'undefined',
  '[object Object]',
  '__proto__',
  NOWHERE.toUpperCase(),
  `${NOWHERE}0`,
  NOWHERE.slice(1),
  `{${NOWHERE}}`,
  '%00',
  '\u0000',
  '..',
  "' or 1=1 --",
  'é',
  'x'.repeat(2000),
]

const doc = createDocument('0') as {
  paths: Record<string, Record<string, { responses: Record<string, unknown> }>>
}

/** Checks that a response has the shape of its status, and that the API document lists it. */
async function check(operation: Operation, response: Response, what: unknown): Promise<number> {
  const { status } = response
  const text = await response.text()
  expect([what, status < 500 || text]).toEqual([what, true])
  if (response.headers.get('content-type')?.startsWith('text/csv')) return status
  const body = JSON.parse(text) as { code: string; error: string }
  const method = operation.methods[0].toLowerCase()
  expect([what, status, doc.paths[operation.path]?.[method]?.responses[status] !== undefined]).toEqual([
    what,
    status,
    true,
  ])
  if (status < 400) {
    const parsed = (operation.result as z.ZodObject).safeParse(body)
    expect([what, parsed.error?.issues]).toEqual([what, undefined])
  } else {
    expect([what, failures[body.code as keyof typeof failures]?.status as number]).toEqual([what, status])
    expect(body.error).toBeString()
    expect(Object.keys(body).filter((key) => !['error', 'code', 'fields', 'roomIds'].includes(key))).toEqual(
      [],
    )
  }
  return status
}

const withParams = apiOperations.filter(({ params }) => params)
const withBody = apiOperations.filter(({ body }) => body)

function bodyFields({ body }: Operation): string[] {
  return Object.keys((body as z.ZodObject | undefined)?.shape ?? {})
}

function paramsOf({ params }: Operation, value: string): Record<string, string> {
  return Object.fromEntries(
    Object.keys((params as z.ZodObject | undefined)?.shape ?? {}).map((name) => [name, value]),
  )
}

let cast: TestActors
beforeAll(async () => {
  cast = await openActors()
})
afterAll(() => cast.close())

async function call(operation: Operation, as: ActorName, sent: { address?: string; body?: unknown }) {
  const { address = addressOf(operation, paramsOf(operation, NOWHERE)), body = {} } = sent
  const browser = await cast.browserFor(as)
  const takesBody = operation.body !== undefined
  const response = await browser.send(address, {
    method: operation.methods[0],
    ...(takesBody && { body }),
    ...(operation.formField !== undefined && { body: new FormData() }),
  })
  return check(operation, response, [operation.id, as, address, body])
}
/** The actor who gets furthest. A session prevents becoming a guest. */
const actorFor = ({ id }: Operation): ActorName =>
  id === 'createGuestSession' ? 'visitor' : id === 'renameGuest' ? 'guest' : 'admin'

describe('R28.22: invalid input is a client error', () => {
  for (const operation of withBody)
    test(`${operation.id} refuses fields of a wrong type, blank text, and a body that is not an object`, async () => {
      const as = actorFor(operation)
      const schema = operation.body as z.ZodObject
      for (const body of [null, [], 'x', 1, true, [{}], { unknown: 1 }, JSON.parse('{"__proto__":1}')])
        expect([body, [400, 404].includes(await call(operation, as, { body }))]).toEqual([body, true])
      for (const field of bodyFields(operation))
        for (const value of WRONG) {
          const isRefused = !schema.shape[field]?.safeParse(value).success
          const status = await call(operation, as, { body: { [field]: value } })
          if (isRefused) expect([field, value, [400, 404].includes(status)]).toEqual([field, value, true])
        }
    })

  for (const operation of withParams)
    test(`${operation.id} answers an impossible id with not found`, async () => {
      for (const id of BAD_IDS) {
        // With two such segments, a URL would lose the segment before them as well.
        const rest = id === '..' && { name: 'x' }
        const address = addressOf(operation, { ...paramsOf(operation, id), ...rest })
        const status = await call(operation, 'admin', { address, body: {} })
        expect([id, [400, 404].includes(status)]).toEqual([id, true])
      }
    })

  for (const operation of apiOperations.filter(({ query }) => query))
    test(`${operation.id} accepts any query without an internal error`, async () => {
      const address = addressOf(operation, paramsOf(operation, NOWHERE))
      const names = Object.keys((operation.query as z.ZodObject).shape)
      const texts = [
        '',
        ' ',
        '-1',
        '1.5',
        '0',
        '1e9',
        '%00',
        'a%00b',
        '%ff',
        '%ed%a0%80',
        'null',
        '[]',
        '9'.repeat(400),
      ]
      for (const name of names)
        for (const text of texts) {
          const status = await call(operation, 'admin', { address: `${address}?${name}=${text}` })
          expect([name, text, [200, 400, 404].includes(status)]).toEqual([name, text, true])
        }
      for (const tail of ['?&&==&', `?${names[0]}=a&${names[0]}=b`, '?__proto__=1', '?constructor=1', '?%'])
        await call(operation, 'admin', { address: address + tail })
    })
})

test('R28.22: bodies that are not JSON, too deep, of another type or too large get 400, 413 or 415', async () => {
  const admin = await cast.browserFor('admin')
  for (const operation of withBody) {
    const address = new URL(addressOf(operation, paramsOf(operation, NOWHERE)), admin.origin)
    const cookie = [...admin.cookies].map((pair) => pair.join('=')).join('; ')
    const sendRaw = (body: string | Uint8Array<ArrayBuffer>, type?: string) =>
      cast.rooms.rooms.fetch(
        new Request(address, {
          method: operation.methods[0],
          body,
          headers: {
            host: address.host,
            ...(operation.id !== 'createGuestSession' && {
              cookie,
              'x-csrf-token': admin.cookies.get('__Host-latchkey_csrf') ?? '',
            }),
            'content-type': type ?? 'application/json',
          },
        }),
        { requestIP: () => ({ address: '192.0.2.100', family: 'IPv4', port: 1 }) },
      )
    for (const body of [
      '',
      '{',
      '{"a":}',
      'undefined',
      '['.repeat(30_000),
      '{"a":'.repeat(8000),
      new Uint8Array([0xff, 0xfe, 0]),
    ])
      expect(await check(operation, await sendRaw(body), [operation.id, body.slice(0, 20)])).toBe(400)
    expect(await check(operation, await sendRaw(`{"a":"${'x'.repeat(70_000)}"}`), operation.id)).toBe(413)
    for (const type of [
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data',
      'application/jsonx',
    ])
      expect(await check(operation, await sendRaw('{}', type), [operation.id, type])).toBe(415)
  }
})

test('R28.22, C123: any request by visitors, guests, members and administrators gets no internal error and no response that is meant for others', async () => {
  const ids = await cast.ids()
  const id = fc.oneof(fc.constantFrom(...ids, NOWHERE, ...BAD_IDS), fc.string({ unit: 'grapheme' }))
  const value = fc.oneof(
    fc.constantFrom(...WRONG, ...ids, NOWHERE, 'Anna', 60, false),
    fc.string({ unit: 'binary' }),
    fc.jsonValue({ maxDepth: 2 }),
  )
  const named = new Map(apiOperations.map((operation) => [operation.id, operation]))
  const attempt = fc.constantFrom(...apiOperations).chain((operation) =>
    fc.record({
      // By name, because a counterexample would otherwise print the whole table.
      name: fc.constant(operation.id),
      as: fc.constantFrom(...ACTORS),
      id,
      query: fc.dictionary(
        fc.constantFrom(...Object.keys((operation.query as z.ZodObject | undefined)?.shape ?? { q: 1 })),
        fc.oneof(
          fc.string({ unit: 'grapheme' }),
          fc.constantFrom('1', '2026-11-21T12:00:00Z', NOWHERE, 'an'),
        ),
      ),
      body: fc.oneof(
        fc.dictionary(fc.constantFrom(...bodyFields(operation), 'other'), value),
        fc.jsonValue({ maxDepth: 2 }),
      ),
    }),
  )
  await fc.assert(
    fc.asyncProperty(attempt, async ({ name, as, query, body, ...rest }) => {
      const operation = named.get(name)
      if (!operation) throw new Error(name)
      const address = `${addressOf(operation, paramsOf(operation, rest.id))}?${new URLSearchParams(query)}`
      // Paths are normalised before they are sent.
      fc.pre(!/\/(?:\.|%2e){1,2}(?:\/|\?|$)/i.test(address) && !/\/(?:\/|\?|$)/.test(address))
      const status = await call(operation, as, { address, body })
      if (!mayCall(as, operation)) expect([401, 403, 404]).toContain(status)
    }),
    { numRuns: 600 },
  )
}, 120_000)

describe('C123 (R14.5, R16.5): an actor without permission is refused before any other check, whatever the input', () => {
  for (const as of ACTORS) {
    const closed = apiOperations.filter((operation) => !mayCall(as, operation))
    test(`as ${as}`, async () => {
      for (const operation of closed)
        for (const id of [NOWHERE, ...(await cast.ids()).slice(0, 2), 'x']) {
          const address = addressOf(operation, paramsOf(operation, id))
          const status = await call(operation, as, { address, body: { unknown: 1 } })
          expect([operation.id, status]).toEqual([operation.id, as === 'visitor' ? 401 : 403])
        }
    })
  }
})

test('R14.6b, C122, C123 (R14.4, R14.5): a guest is marked as such, and reads no email address', async () => {
  const browser = await cast.browserFor('guest')
  for (const operation of apiOperations) {
    for (const id of [NOWHERE, ...(await cast.ids())]) {
      // A write may end this session.
      if (operation.methods[0] !== 'GET') continue
      const response = await browser.send(addressOf(operation, paramsOf(operation, id)))
      const text = await response.text()
      expect([operation.id, text.includes('@example.com')]).toEqual([operation.id, false])
      if (operation.scope === 'member') expect(text).toContain('"guest_not_permitted"')
      if (operation.scope === 'admin') expect(text).toContain('"forbidden"')
    }
  }
})

test('R15.3: unknown paths give 404 and other methods 405, signed in or not', async () => {
  for (const as of ACTORS) {
    const browser = await cast.browserFor(as)
    for (const path of [
      '/api/nothing',
      '/api/admin',
      '/api/admin/nothing',
      '/api/session/x',
      '/api/',
      '/api',
    ])
      expect([as, path, (await browser.send(path)).status]).toEqual([as, path, 404])
    const response = await browser.send('/api/admin/users', { method: 'PUT', body: {} })
    expect([as, response.status, response.headers.get('allow')]).toEqual([as, 405, 'GET, HEAD'])
  }
})
