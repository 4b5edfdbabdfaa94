// What services learn of ended access (R50.6).
import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { SignJWT } from 'jose'
import { endAllSessions } from '../../src/backup/end-sessions.ts'
import { admin, eraseAccount } from '../actions.ts'
import { ALICE } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { ORIGIN, type TestRooms } from '../rooms.ts'
import { deliver } from '../sessions/deliver.ts'
import { ADMIN, GO, SERVICE_KEY, Visitor, WIKI, accessLayer, verify } from './visitor.ts'

const { rooms, nodeOf } = roomsPerTest()

interface Answer {
  cursor: string
  reset: boolean
  ended: { sid: string; at: string }[]
}

type Claims = Record<string, unknown>

async function tokenOf({ clock }: TestRooms, claims: Claims = {}, key = SERVICE_KEY, header: Claims = {}) {
  const iat = Math.floor(clock.ms / 1000)
  return new SignJWT({ iss: GO, aud: ORIGIN, iat, exp: iat + 60, ...claims })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT', ...header })
    .sign(new TextEncoder().encode(key))
}

/** Asks as the service at this origin does. */
async function ask(service: TestRooms, cursor?: string, iss = GO): Promise<Answer> {
  const headers = { authorization: `Bearer ${await tokenOf(service, { iss })}` }
  const query = cursor === undefined ? '' : `?${new URLSearchParams({ since: cursor })}`
  return service.browser().json<Answer>(`/api/access/revocations${query}`, { headers })
}

async function sidOf(visitor: Visitor, address = ADMIN): Promise<string> {
  const { sid } = await verify(visitor, await visitor.ask(address), new URL(address).origin)
  return String(sid)
}

async function entered(service: TestRooms, claims: Claims = {}): Promise<Visitor> {
  const visitor = new Visitor(service)
  expect(await visitor.enter({ ...ALICE, ...claims })).toBe(ADMIN)
  return visitor
}

/** Every way in which admission ends. */
const ENDS: Record<string, (visitor: Visitor, bystander: Visitor) => Promise<unknown>> = {
  'a sign-out': ({ rooms: browser }) => browser.json('/api/auth/logout', { body: {} }),
  'a sign-out in another browser': async ({ service }) =>
    (await service.signedInBrowser(STAFF)).json('/api/sessions/revoke-others', { method: 'POST' }),
  'a sign-out at the service': (visitor) => visitor.follow(`${GO}/api/access/sign-out`),
  'a logout by the provider': ({ service }) =>
    deliver(
      service,
      service.idp.logoutToken((claims) => ({ ...claims, sub: ALICE.sub })),
    ),
  'an administrator who ends the sessions': (visitor) =>
    administrate(visitor, 'revoke-sessions', { method: 'POST' }),
  'an administrator who disables the account': (visitor) =>
    administrate(visitor, 'status', { method: 'PATCH', body: { disabled: true } }),
  'an erased account': ({ rooms: browser }) => eraseAccount({ browser }),
  'the idle timeout': async ({ service }, bystander) => {
    service.clock.ms += IDLE_MS / 2
    await bystander.ask()
    service.clock.ms += IDLE_MS / 2
  },
  'a sign-in without the group': ({ service }) => service.signedInBrowser({ ...ALICE, groups: [] }),
}

const IDLE_MS = 240_000
const STAFF = { ...ALICE, groups: ['staff'] }
const OPTIONS = accessLayer('groups=staff')
const SETTINGS = { ...OPTIONS.settings, sessionIdleSeconds: IDLE_MS / 1000 }

async function administrate(
  { service, rooms: browser }: Visitor,
  action: string,
  sent: { method: string; body?: unknown },
): Promise<void> {
  const { user } = await browser.json<{ user: { id: string } }>('/api/session')
  const root = await admin(service)
  await root.browser.json(`/api/admin/users/${user.id}/${action}`, sent)
}

eachDialect((_dialect, newUrl) => {
  const open = async () => {
    const service = await rooms({ ...OPTIONS, settings: SETTINGS, url: await newUrl() })
    // The first person is an administrator, who cannot erase the last account with this right.
    await service.signedInBrowser({ ...STAFF, sub: 'first' })
    return service
  }

  for (const [name, end] of Object.entries(ENDS))
    test(`R50.6a: ${name} is reported to the services, with its sid and no other`, async () => {
      const service = await open()
      const visitor = await entered(service, STAFF)
      const elsewhere = await visitor.follow(`${WIKI}/`)
      const bystander = await entered(service, { ...STAFF, sub: 'bob' })
      const sids = [await sidOf(visitor), await sidOf(visitor, elsewhere)]
      const { cursor } = await ask(service)
      await end(visitor, bystander)
      const answers = [await ask(service, cursor), await ask(service, cursor, WIKI)]
      expect(answers.map(({ reset, ended }) => [reset, ended.map(({ sid }) => sid)])).toEqual(
        sids.map((sid) => [false, [sid]]),
      )
      expect((await visitor.ask()).status).toBeOneOf([401, 403])
      expect((await bystander.ask()).status).toBe(200)
    })

  test('R50.6b: two nodes number ends that come about at once, and neither passes over one', async () => {
    const service = await open()
    const nodes = [service, await nodeOf(service)]
    const visitors: Visitor[] = []
    for (let n = 0; n < 12; n++) visitors.push(await entered(service, { ...STAFF, sub: `person-${n}` }))
    const sids = await Promise.all(visitors.map((visitor) => sidOf(visitor)))
    let { cursor } = await ask(service)
    const ends = visitors.map((visitor, n) =>
      visitor.movedTo(nodes[n % 2] ?? service).rooms.json('/api/auth/logout', { body: {} }),
    )
    const seen: string[] = []
    for (let turn = 0; seen.length < sids.length; turn++) {
      const answer = await ask(nodes[turn % 2] ?? service, cursor)
      expect(answer.reset).toBe(false)
      seen.push(...answer.ended.map(({ sid }) => sid))
      cursor = answer.cursor
    }
    await Promise.all(ends)
    expect(seen).toHaveLength(sids.length)
    expect(new Set(seen)).toEqual(new Set(sids))
  })
})

describe('a service that asks', () => {
  test('R50.6: waits until something ends, at another node too', async () => {
    const service = await rooms(accessLayer())
    const node = await nodeOf(service)
    const visitor = await entered(service)
    const sid = await sidOf(visitor)
    const { cursor } = await ask(node)
    let isAnswered = false
    const pending = ask(node, cursor).finally(() => (isAnswered = true))
    // Answered later than the one that waits.
    await ask(node)
    expect(isAnswered).toBe(false)
    const startedMs = performance.now()
    await visitor.rooms.json('/api/auth/logout', { body: {} })
    const { ended, cursor: next } = await pending
    expect(performance.now() - startedMs).toBeLessThan(10_000)
    expect(ended).toEqual([{ sid, at: new Date(service.clock.ms).toISOString() }])
    expect((await ask(service, cursor)).ended).toHaveLength(1)
    expect(next).not.toBe(cursor)
  })

  test('R50.6: is answered when the node stops, and refused from then on', async () => {
    const service = await rooms(accessLayer())
    const { cursor } = await ask(service)
    const pending = ask(service, cursor)
    // It waits by the time at which many later ones are answered.
    for (let later = 0; later < 20; later++) await ask(service)
    service.rooms.drain()
    expect(await pending).toMatchObject({ reset: false, ended: [] })
    const refused = await ask(service, cursor).catch((error: Error) => error.message)
    expect(refused).toContain(': 503 ')
  })

  test('R50.6c: begins again without a cursor, and with one that is old or not of this database', async () => {
    const service = await rooms(accessLayer())
    const visitor = await entered(service)
    const sid = await sidOf(visitor)
    const { cursor } = await ask(service)
    await visitor.rooms.json('/api/auth/logout', { body: {} })
    const [seq = '', seconds = ''] = cursor.split('.')
    for (const since of [
      undefined,
      '',
      'x',
      '1',
      `-1.${seconds}`,
      `${seq}.${seconds}.1`,
      `${Number(seq) + 2}.${seconds}`,
      `${seq}.${Number(seconds) - 301}`,
      `${seq}.${Number(seconds) + 301}`,
      `${seq}.${seconds}\n`,
      '9'.repeat(500),
    ])
      expect([since, await ask(service, since)]).toMatchObject([since, { reset: true, ended: [{ sid }] }])
    expect((await ask(service, cursor)).ended).toHaveLength(1)
  })

  for (const [clock, aheadMs] of Object.entries({ 'the same': 0, 'a fast': 3_600_000, 'a slow': -3_600_000 }))
    test(`R50.6c: begins again after each restore, which knows nothing of access that began after the backup, by a machine with ${clock} clock`, async () => {
      const service = await rooms(accessLayer())
      const restore = () =>
        service.rooms.database.write((tx) => endAllSessions(tx, service.clock.ms + aheadMs))
      await entered(service)
      const { cursor } = await ask(service)
      await restore()
      // More has ended than the cursor had seen.
      const first = await ask(service, cursor)
      expect(first).toMatchObject({ reset: true, ended: [{}] })
      await entered(service).then((visitor) => visitor.rooms.json('/api/auth/logout', { body: {} }))
      const second = await ask(service, first.cursor)
      expect(second).toMatchObject({ reset: false, ended: [{}] })
      await restore()
      expect(await ask(service, second.cursor)).toMatchObject({ reset: true })
    })

  test('R50.6c: learns of ends while Rooms was stopped, and of those before it asked for ten minutes', async () => {
    const service = await rooms(accessLayer())
    const visitor = await entered(service)
    const { cursor } = await ask(service)
    await visitor.rooms.json('/api/auth/logout', { body: {} })
    await service.rooms.jobs.runDue()
    const restarted = await nodeOf(service)
    service.clock.ms += 299_000
    expect((await ask(restarted, cursor)).ended).toHaveLength(1)
    const rowsOf = () => service.rooms.database.read.selectFrom('access_sessions').selectAll().execute()
    await restarted.rooms.jobs.runDue()
    expect(await rowsOf()).toHaveLength(1)
    service.clock.ms += 302_000
    await restarted.rooms.jobs.runDue()
    expect(await rowsOf()).toEqual([])
    expect(await ask(restarted, cursor)).toMatchObject({ reset: true, ended: [] })
  })

  test('R50.6d: needs a token of its own key, for this instance, a minute old at most', async () => {
    const service = await rooms(accessLayer())
    const send = async (authorization: string | undefined, query = '') => {
      const headers = authorization === undefined ? {} : { authorization }
      return (await service.browser().send(`/api/access/revocations${query}`, { headers })).status
    }
    const good = await tokenOf(service)
    const nowSeconds = service.clock.ms / 1000
    const [head = '', body = '', signature = ''] = good.split('.')
    const none = Buffer.from(JSON.stringify({ alg: 'none', typ: 'JWT' })).toString('base64url')
    const tokens: Record<string, string | Promise<string>> = {
      'another key': tokenOf(service, {}, 'another-key-of-the-services-of-this'),
      'another instance': tokenOf(service, { aud: 'https://rooms.evil.example' }),
      'a service at another origin': tokenOf(service, { iss: 'https://evil.example' }),
      'Rooms itself': tokenOf(service, { iss: ORIGIN }),
      'no issuer': tokenOf(service, { iss: undefined }),
      'no expiry': tokenOf(service, { exp: undefined }),
      'no time of issue': tokenOf(service, { iat: undefined }),
      'a long life': tokenOf(service, { exp: nowSeconds + 61 }),
      'an issue in the future': tokenOf(service, { iat: nowSeconds + 61, exp: nowSeconds + 121 }),
      'an end in the past': tokenOf(service, { iat: nowSeconds - 121, exp: nowSeconds - 61 }),
      'another type': tokenOf(service, {}, SERVICE_KEY, { typ: 'at+jwt' }),
      'another algorithm': tokenOf(service, {}, SERVICE_KEY.repeat(2), { alg: 'HS512' }),
      'no signature': `${none}.${body}.`,
      'a cut signature': `${head}.${body}.${signature.slice(0, -2)}`,
      'too many parts': `${good}.${signature}`,
      'the key itself': SERVICE_KEY,
    }
    for (const [name, token] of Object.entries(tokens))
      expect([name, await send(`Bearer ${await token}`)]).toEqual([name, 401])
    for (const authorization of [undefined, '', 'Bearer', `Basic ${good}`, `Bearer ${good}, Bearer ${good}`])
      expect([authorization, await send(authorization)]).toEqual([authorization, 401])
    expect(await send(undefined, `?access_token=${good}`)).toBe(401)
    expect(await send(`bearer ${good}`)).toBe(200)
    expect(service.logLines.join('\n')).not.toContain(signature)
  })

  test('R50.6d: finds nothing without ROOMS_ACCESS_SERVICE_KEY', async () => {
    const { provider, settings } = accessLayer()
    const service = await rooms({
      ...(provider && { provider }),
      settings: { ...settings, accessServiceKey: null },
    })
    const headers = { authorization: `Bearer ${await tokenOf(service, {}, '\0'.repeat(32))}` }
    expect((await service.browser().send('/api/access/revocations', { headers })).status).toBe(404)
  })
})
