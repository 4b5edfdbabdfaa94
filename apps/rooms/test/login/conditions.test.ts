import { describe, expect, test } from 'bun:test'
import { sql } from 'kysely'
import { eachDialect } from '@latchkey/database/testing'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, type HostileProvider, type Person, conditions } from '../provider/hostile.ts'
import { advance } from '../realtime/live.ts'
import { closeNodes, twoNodes } from '../realtime/nodes.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { BOB, grantsOf, isAdmin, userIdOf } from './grant-steps.ts'
import { target } from './steps.ts'

const REFUSED = '/login?error=access_not_granted'

const requires =
  (text: string, mode: 'config' | 'teamidpConfig' | 'oauth2Config' = 'config') =>
  (idp: HostileProvider): ProviderConfig => ({ ...idp[mode](), conditions: conditions(text) })

/**
 * Every row of every table, as JSON. Left out are used login states and the audit of refused logins,
 * the only traces that these may leave.
 */
async function findAllRows({ rooms: { database } }: Pick<TestRooms, 'rooms'>): Promise<string[]> {
  const names = (await database.read.introspection.getTables())
    .filter(({ isView }) => !isView)
    .map(({ name }) => name)
    .filter((name) => !['login_states', 'audit_events'].includes(name))
  expect(names).toContain('users')
  const unused = sql<Record<string, unknown>>`select * from login_states where consumed_at is null`
  const audited = sql<
    Record<string, unknown>
  >`select * from audit_events where not (action = 'auth.login_failed' and actor_user_id is null and target_id is null)`
  const queries = names.map((name) => sql<Record<string, unknown>>`select * from ${sql.table(name)}`)
  const results = await Promise.all(
    [...queries, unused, audited].map((query) => query.execute(database.read)),
  )
  return results.map(({ rows }, n) =>
    JSON.stringify([names[n], rows.map((row) => JSON.stringify(row)).toSorted()]),
  )
}

const verified = { email: 'ann@example.com', email_verified: true }
const own = (text: string) => JSON.parse(text) as Record<string, unknown>

/** Claims that do not meet `groups=staff|board, email_domain=example.com`. */
const HOSTILE: Record<string, Record<string, unknown>> = {
  'no claims': {},
  null: { ...verified, groups: null },
  'a number': { ...verified, groups: 1 },
  'a boolean': { ...verified, groups: true },
  'an empty list': { ...verified, groups: [] },
  'an object with the value as a key': { ...verified, groups: { staff: true } },
  'an object like a list': { ...verified, groups: { 0: 'staff', length: 1 } },
  'a list in a list': { ...verified, groups: [['staff']] },
  'objects in a list': { ...verified, groups: [{ name: 'staff' }, null, 7] },
  'another case': { ...verified, groups: ['Staff', 'STAFF'] },
  'parts of the value': { ...verified, groups: ['staffs', 'xstaff', 'sta', ''] },
  'several values in a text': { ...verified, groups: 'staff,board' },
  'the text of the setting': { ...verified, groups: 'staff|board' },
  'blanks around': { ...verified, groups: [' staff', 'staff\n', 'staff\u0000'] },
  'look-alikes': { ...verified, groups: ['\u0455taff', 'ｓtaff', 'st\u200baff'] },
  'a huge list': { ...verified, groups: Array.from({ length: 4_000 }, (_, n) => `g${n}`) },
  'inherited names': own('{"__proto__":{"groups":["staff"],"email_verified":true},"constructor":"staff"}'),
  'a name with dots': { ...verified, 'groups.0': 'staff' },
  'named claims': { ...verified, _claim_names: { groups: 'src1' }, _claim_sources: { src1: {} } },
  'no address': { groups: 'staff', email_verified: true },
  'an unverified address': { groups: 'staff', email: verified.email },
  'verified as a text': { ...verified, groups: 'staff', email_verified: 'true' },
  'verified as a number': { ...verified, groups: 'staff', email_verified: 1 },
  'an address with two @': { ...verified, groups: 'staff', email: 'ann@other.example@example.com' },
  'a quoted address': { ...verified, groups: 'staff', email: '"ann@other.example"@example.com' },
  'a trailing dot': { ...verified, groups: 'staff', email: 'ann@example.com.' },
  'a part of the domain': { ...verified, groups: 'staff', email: 'ann@sub.example.com' },
  'a list of addresses': { ...verified, groups: 'staff', email: [verified.email] },
}

describe('a person whose claims do not meet the conditions', () => {
  for (const mode of ['config', 'teamidpConfig', 'oauth2Config'] as const)
    test(`C133 R38.1c: is refused whatever their claims (${mode}), leaves no row in any table, and does not use up the first administrator`, async () => {
      const t = await openRooms({
        provider: requires('groups=staff|board, email_domain=example.com', mode),
        limits: { login_start_per_minute: 1_000 },
      })
      const before = await findAllRows(t)
      for (const [name, claims] of Object.entries(HOSTILE)) {
        const browser = t.browser()
        const answer = await browser.signIn({ sub: 'mallory', name: 'Mallory', ...claims })
        expect([name, target(answer), browser.token]).toEqual([name, REFUSED, undefined])
        expect([name, await findAllRows(t)]).toEqual([name, before])
      }
      const refusals = await findAuditEvents(t.rooms, 'auth.login_failed')
      expect(
        refusals
          .map(({ metadata: { code, reason } }) => `${String(code)} ${String(reason)}`)
          .toSorted((a, b) => a.localeCompare(b)),
      ).toEqual([
        'access_not_granted condition not met: email_domain=example.com',
        'access_not_granted condition not met: groups=staff|board',
      ])
      expect(JSON.stringify(refusals)).not.toContain('mallory')
      const ann = await t.signedInBrowser({ sub: 'ann', name: 'Ann', ...verified, groups: ['x', 'board'] })
      expect(await isAdmin(ann)).toBe(true)
      expect(await ann.json('/api/admin/provider')).toMatchObject({
        openProvider: null,
        conditions: ['groups=staff|board', 'email_domain=example.com'],
      })
      await t.close()
    })

  test('R38.1c: is refused before a missing name is', async () => {
    const t = await openRooms({ provider: requires('groups=staff') })
    expect(target(await t.browser().signIn({ sub: 'ann', name: '' }))).toBe(REFUSED)
    expect(target(await t.browser().signIn({ sub: 'ann', name: '', groups: 'staff' }))).toBe(
      '/login?error=identity_incomplete',
    )
    await t.close()
  })

  test('R38.1c: is counted in one row a minute however often they come', async () => {
    const t = await openRooms({ provider: requires('groups=staff'), limits: { login_start_per_minute: 100 } })
    for (let n = 0; n < 20; n++) await t.browser().signIn({ sub: `p${n}`, name: 'Person' })
    expect((await findAuditEvents(t.rooms, 'auth.login_failed')).map(({ metadata }) => metadata)).toEqual([
      { code: 'access_not_granted', reason: 'condition not met: groups=staff', count: 20 },
    ])
    await t.close()
  })
})

describe('a claim of userinfo', () => {
  const MODES = ['config', 'teamidpConfig', 'oauth2Config'] as const

  test('C133: meets a condition in every mode, and never in place of one in the ID token', async () => {
    for (const mode of MODES) {
      const t = await openRooms({ provider: requires('groups=staff, email_domain=example.com', mode) })
      t.idp.idToken(({ groups: _groups, email_verified: _verified, ...claims }) => claims)
      const ann = { ...ALICE, ...verified, groups: ['staff'] }
      expect([mode, target(await t.browser().signIn(ann))]).toEqual([mode, '/'])
      t.idp.idToken((claims) => ({ ...claims, groups: [] }))
      expect([mode, target(await t.browser().signIn(ann))]).toEqual([
        mode,
        mode === 'oauth2Config' ? '/' : REFUSED,
      ])
      await t.close()
    }
  })

  test('R7.5 C78: is fetched only where the ID token lacks a claim of a condition, and its absence refuses', async () => {
    const t = await openRooms({ provider: (idp) => ({ ...requires('groups=staff')(idp), emailPath: null }) })
    const ann = { ...ALICE, groups: 'staff' }
    expect(target(await t.browser().signIn(ann))).toBe('/')
    expect(t.idp.calls.userinfo).toBe(0)
    t.idp.idToken(({ groups: _groups, ...claims }) => claims)
    expect(target(await t.browser().signIn(ann))).toBe('/')
    expect(t.idp.calls.userinfo).toBe(1)
    for (const status of [401, 403, 404]) {
      t.idp.answer('userinfo', () => new Response('no', { status }))
      expect([status, target(await t.browser().signIn(ann))]).toEqual([status, REFUSED])
    }
    t.idp.reset()
    const bob = await t.signedInBrowser({ ...BOB, groups: 'staff' })
    t.idp.idToken(({ groups: _groups, ...claims }) => claims)
    t.idp.answer('userinfo', () => new Response('no', { status: 500 }))
    expect(target(await t.browser().signIn({ ...BOB, groups: 'staff' }))).toBe(
      '/login?error=provider_unavailable',
    )
    expect((await bob.send('/api/session')).status).toBe(200)
    await t.close()
  })
})

eachDialect((_dialect, newUrl) => {
  describe('a person whose claims no longer meet the conditions', () => {
    test('R38.1d: loses all sessions and sockets on both nodes at the next login, and neither account, rooms nor grants; others lose nothing', async () => {
      const nodes = await twoNodes({ url: await newUrl(), provider: requires('groups=staff') })
      const [{ service: t }, { service: other }] = nodes
      const alice = { ...ALICE, groups: ['staff'] }
      const [one, two] = [await t.signedInBrowser(alice), await t.signedInBrowser(alice)]
      const bob = await t.signedInBrowser({ ...BOB, groups: ['staff'] })
      const { room } = await one.json<{ room: { id: string } }>('/api/rooms', { body: { name: 'Pier' } }, 201)
      const sockets = nodes.flatMap(({ live }) => [one, two].map((browser) => live.connect(browser)))
      const bobs = nodes.map(({ live }) => live.connect(bob))
      for (const socket of [...sockets, ...bobs]) await socket.of('welcome')
      const grants = await grantsOf(t)
      const before = (await findAllRows(t)).filter((rows) => /^\["(users|rooms|room_)/.test(rows))

      expect(target(await two.signIn({ ...ALICE, groups: ['alumni'] }))).toBe(REFUSED)
      // The other node looks at the database every second.
      await advance(other, 1_000)
      for (const socket of sockets) expect(await socket.closed).toMatchObject({ code: 4401 })
      for (const browser of [one, two]) expect((await browser.send('/api/sessions')).status).toBe(401)
      for (const socket of bobs) await socket.settle()
      expect((await bob.send(`/api/rooms/${room.id}`)).status).toBe(200)
      expect(await grantsOf(t)).toEqual(grants)
      expect((await findAllRows(t)).filter((rows) => /^\["(users|rooms|room_)/.test(rows))).toEqual(before)
      expect(await findAuditEvents(t.rooms, 'auth.access_ended')).toMatchObject([
        { actor_user_id: null, target_id: await userIdOf(t, 'alice'), metadata: { sessions: 2 } },
      ])
      // A refusal without sessions to end is in the log of failures alone.
      expect(target(await two.signIn(ALICE))).toBe(REFUSED)
      expect(await findAuditEvents(t.rooms, 'auth.access_ended')).toHaveLength(1)

      expect(await isAdmin(await t.signedInBrowser(alice))).toBe(true)
      await closeNodes(nodes)
    })

    test('R38.1c: of ten first logins at once on two nodes, the only person who meets them is the administrator', async () => {
      const t = await openRooms({ url: await newUrl(), provider: requires('groups=staff') })
      const other = await t.node()
      const logins = Array.from({ length: 10 }, async (_, n) => {
        const browser = (n % 2 === 0 ? t : other).browser({ ip: `192.0.2.${n + 1}` })
        const person: Person = { sub: `p${n}`, name: `Person ${n}`, groups: n === 7 ? 'staff' : 'x' }
        return target(await browser.send(t.idp.authorize(await browser.startLogin(), person)))
      })
      expect(await Promise.all(logins)).toEqual(
        Array.from({ length: 10 }, (_, n) => (n === 7 ? '/' : REFUSED)),
      )
      expect(await grantsOf(t)).toEqual({ p7: ['bootstrap'] })
      await other.close()
      await t.close()
    })
  })
})
