import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'bun:test'
import { jwtVerify } from 'jose'
import { LINKS, ROOMS, SERVICE_KEY, type AccessLayer, startAccessLayer } from '../../test/access-layer.ts'
import { until } from '../../test/test-database.ts'
import { readSettings } from '../settings/settings.ts'
import { FollowedSessions, type FollowOptions } from './followed-sessions.ts'
import { createRevocationReader } from './revocations.ts'
import { SESSION_ENDED } from './sessions.ts'

const NOW = Math.floor(Date.now() / 1000)

let layer: AccessLayer
const running: FollowedSessions[] = []
const lines: string[] = []

beforeAll(async () => {
  layer = await startAccessLayer()
})
afterAll(() => layer.stop())
beforeEach(() => {
  layer.answerWith(undefined)
  layer.restore()
  layer.requests.length = 0
  lines.length = 0
})
afterEach(() => {
  for (const sessions of running.splice(0)) sessions.close()
})

function follow(options: Partial<FollowOptions> = {}): FollowedSessions {
  const read = createRevocationReader(readSettings(layer.settings))
  if (!read) throw new Error('The settings name no list of ended sessions')
  const write = (message: string, fields: object = {}) => void lines.push(`${message} ${Bun.inspect(fields)}`)
  const sessions = new FollowedSessions({
    read,
    now: Date.now,
    log: { info: write, warn: write },
    ...options,
  })
  running.push(sessions)
  return sessions
}

async function admitted(sessions: FollowedSessions, sid: string): Promise<AbortSignal> {
  const admission = await sessions.admit(sid, NOW)
  if (typeof admission === 'string') throw new Error(`${sid} was not admitted: ${admission}`)
  return admission
}

const failed = (sessions: FollowedSessions) =>
  until('the access layer counts as away', () => !sessions.isFollowing)

test('L16.7: requests are signed for the access layer for a minute, and never contain the key', async () => {
  const sessions = follow()
  await admitted(sessions, 'ann-1')
  await until('the next request waits', () => layer.requests.length === 2)
  for (const { url, authorization } of layer.requests) {
    const token = authorization.replace(/^Bearer /, '')
    const { payload, protectedHeader } = await jwtVerify(token, new TextEncoder().encode(SERVICE_KEY), {
      issuer: LINKS,
      audience: ROOMS,
    })
    expect([protectedHeader, (payload.exp ?? 0) - (payload.iat ?? 0)]).toEqual([
      { alg: 'HS256', typ: 'JWT' },
      60,
    ])
    expect(`${url.href}${authorization}`).not.toContain(SERVICE_KEY)
  }
  expect(layer.requests.map(({ url }) => url.search)).toEqual(['', '?since=0'])
})

test('L16.7: a session is admitted until the access layer ends it, and never again', async () => {
  const sessions = follow()
  const [ann, ben] = [await admitted(sessions, 'ann-1'), await admitted(sessions, 'ben-1')]
  layer.end('ann-1', NOW)
  await until('the signal aborts', () => ann.aborted)
  expect([ann.reason, ben.aborted]).toEqual([SESSION_ENDED, false])
  expect([await sessions.admit('ann-1', NOW + 30), await sessions.admit('ben-1', NOW)]).toEqual([
    'ended',
    ben,
  ])
})

test('L16.7: a node that starts admits no session that had ended before', async () => {
  layer.end('ann-1', NOW)
  const sessions = follow()
  expect(await sessions.admit('ann-1', NOW)).toBe('ended')
  expect(await sessions.admit('ann-2', NOW)).toBeInstanceOf(AbortSignal)
})

test('L16.9: while the access layer is away, only sessions that were admitted before are, and not for long', async () => {
  const sessions = follow({ times: { admittedMs: 3_000 } })
  const ann = await admitted(sessions, 'ann-1')
  await layer.stop()
  try {
    await failed(sessions)
    expect(await sessions.admit('ann-1', NOW)).toBe(ann)
    expect(await sessions.admit('ben-1', NOW)).toBe('unavailable')
    await until('the signal aborts', () => ann.aborted)
    expect([ann.reason === SESSION_ENDED, await sessions.admit('ann-1', NOW)]).toEqual([false, 'unavailable'])
  } finally {
    layer.restart()
  }
  await until('the access layer answers', () => sessions.isFollowing)
  expect(await sessions.admit('ann-1', NOW)).toBeInstanceOf(AbortSignal)
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain(SERVICE_KEY)
  // What ended meanwhile is on the first page, whatever the last cursor was.
  expect(layer.requests.at(-2)?.url.search).toBe('')
})

test('L16.9: a request for a new session waits for an access layer that is back at once', async () => {
  const sessions = follow()
  await admitted(sessions, 'ann-1')
  await layer.stop()
  await failed(sessions)
  const waiting = sessions.admit('ben-1', NOW)
  layer.restart()
  expect(await waiting).toBeInstanceOf(AbortSignal)
})

test('L16.9a: after a reset, no session counts as admitted, nor an assertion from before', async () => {
  layer.end('cid-1', NOW)
  const sessions = follow()
  const ann = await admitted(sessions, 'ann-1')
  layer.restore()
  await until('the signal aborts', () => ann.aborted)
  expect(ann.reason).not.toBe(SESSION_ENDED)
  expect(await sessions.admit('ann-1', NOW - 60)).toBe('ended')
  expect(await sessions.admit('ann-1', NOW + 60)).toBeInstanceOf(AbortSignal)
})

test('L16.9a: after an outage in which the list was replaced too, and after no other', async () => {
  layer.end('cid-1', NOW)
  const sessions = follow()
  const ann = await admitted(sessions, 'ann-1')
  const away = async (meanwhile: () => void) => {
    await layer.stop()
    await failed(sessions)
    meanwhile()
    layer.requests.length = 0
    layer.restart()
    await until('the list is compared', () => layer.requests.length >= 2)
  }
  await away(() => undefined)
  expect(layer.requests.map(({ url }) => url.search).slice(0, 2)).toEqual(['', '?since=1'])
  expect([await sessions.admit('ann-1', NOW), ann.aborted]).toEqual([ann, false])
  await away(() => layer.restore())
  await until('the signal aborts', () => ann.aborted)
  expect(ann.reason).not.toBe(SESSION_ENDED)
  expect(await sessions.admit('ann-1', NOW - 60)).toBe('ended')
})

const endless = (piece: string, everyMs: number) => () =>
  new Response(
    new ReadableStream({
      async pull(controller) {
        await Bun.sleep(everyMs)
        controller.enqueue(new TextEncoder().encode(piece))
      },
    }),
  )
const page = (changes: object) => () => Response.json({ cursor: '1', reset: false, ended: [], ...changes })

const unusable: Record<string, () => Response | Promise<Response>> = {
  'never answers': () => new Promise<Response>(() => undefined),
  'sends one byte at a time': endless(' ', 20),
  'never stops sending': endless(' '.repeat(60_000), 0),
  redirects: () => new Response(null, { status: 302, headers: { location: `${layer.url}/elsewhere` } }),
  'refuses the key': () => new Response(null, { status: 401 }),
  'answers 204': () => new Response(null, { status: 204 }),
  'answers a page': () => new Response('<html>'),
  'answers no cursor': page({ cursor: undefined }),
  'answers an endless cursor': page({ cursor: 'x'.repeat(201) }),
  'does not say whether it starts again': page({ reset: undefined }),
  'names a session by a number': page({ ended: [{ sid: 7, at: '2026-11-28T18:00:00.000Z' }] }),
  'names no time': page({ ended: [{ sid: 'ann-1' }] }),
  'always has another full page': page({
    ended: Array.from({ length: 1_000 }, (_, index) => ({
      sid: `s${index}`,
      at: '2026-11-28T18:00:00.000Z',
    })),
  }),
}

for (const [what, answer] of Object.entries(unusable))
  test(`L16.9b: no session is admitted while the access layer ${what}`, async () => {
    layer.answerWith(answer)
    const sessions = follow({ times: { answerMs: 300, waitMs: 600 } })
    expect(await sessions.admit('ann-1', NOW)).toBe('unavailable')
    expect(layer.requests.length).toBeLessThan(40)
    layer.answerWith(undefined)
    await until('the access layer answers', () => sessions.isFollowing)
  })

test('a stopped node ends its request', async () => {
  const sessions = follow()
  await admitted(sessions, 'ann-1')
  await until('the next request waits', () => layer.requests.length === 2)
  const left = Promise.withResolvers<void>()
  layer.answerWith(({ signal }) => {
    signal.addEventListener('abort', () => left.resolve())
    return new Promise<Response>(() => undefined)
  })
  await until('a third request waits', () => layer.requests.length === 3)
  sessions.drain()
  await left.promise
  await Bun.sleep(0)
  expect([layer.requests.length, lines]).toEqual([3, []])
})
