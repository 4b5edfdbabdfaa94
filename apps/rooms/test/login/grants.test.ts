import { describe, expect, test } from 'bun:test'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs, Transaction } from 'kysely'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { updateLoginGrants } from '../../src/grants/login-grants.ts'
import { grantPlatformAdmin, lockGrantChanges, revokePlatformAdmin } from '../../src/grants/operations.ts'
import type { Tables } from '../../src/db/tables.ts'
import { revokeSessionsOf } from '../../src/sessions/store.ts'
import { findUserByReference } from '../../src/users/store.ts'
import { ALICE, type Person, claimPath } from '../provider/hostile.ts'
import { type Browser, type TestRooms, openRooms } from '../rooms.ts'
import { findAuditEvents, dump, target } from './steps.ts'

type Tx = Transaction<Tables>

class CountedStatements implements KyselyPlugin {
  count = 0

  transformQuery({ node }: PluginTransformQueryArgs) {
    this.count += 1
    return node
  }

  async transformResult({ result }: PluginTransformResultArgs) {
    return result
  }
}

const BOB: Person = { sub: 'bob', name: 'Bob Berg' }

/** Everybody's grants: subject to sources, and teams as `team:<id>`. */
async function grants(t: TestRooms): Promise<Record<string, string[]>> {
  const { identities, role_grants } = await dump(t.rooms)
  const held = identities.map(({ user_id, subject }) => {
    const own = role_grants.filter((grant) => grant['user_id'] === user_id)
    const names = own.map(({ scope_type, scope_id, source }) =>
      scope_type === 'team' ? `team:${String(scope_id)}` : String(source),
    )
    return [String(subject), names.toSorted((a, b) => a.localeCompare(b))] as const
  })
  return Object.fromEntries(held)
}

async function idOf(t: TestRooms, subject: string): Promise<string> {
  const user = await findUserByReference(t.rooms.database.read, `${t.idp.issuer}|${subject}`)
  if (!user) throw new Error(`${subject} has no account`)
  return user.id
}

const origin = (t: TestRooms) => ({ clientIp: null, requestId: null, nowMs: t.clock.ms })

async function give(t: TestRooms, subject: string): Promise<boolean> {
  const userId = await idOf(t, subject)
  return t.rooms.database.write((tx) =>
    grantPlatformAdmin(tx, { userId, source: 'manual', grantedBy: null, origin: origin(t) }),
  )
}

async function take(t: TestRooms, subject: string) {
  const userId = await idOf(t, subject)
  const { database } = t.rooms
  return database.write((tx) =>
    revokePlatformAdmin(tx, { dialect: database.dialect, userId, revokedBy: null, origin: origin(t) }),
  )
}

async function refusal(act: Promise<unknown>): Promise<unknown> {
  return act.then(
    () => undefined,
    (error: unknown) => (error as { code?: unknown }).code,
  )
}

async function isAdmin(browser: Browser): Promise<boolean> {
  const { user } = await browser.json<{ user: { platformAdmin: boolean } }>('/api/session')
  return user.platformAdmin
}

const byClaim = (value: string) => (idp: TestRooms['idp']) =>
  idp.config({ adminClaim: { path: claimPath('groups'), value } })

const team = (id: unknown, role: unknown) => ({ id, role })

eachDialect((_dialect, newUrl) => {
  describe('the first administrator', () => {
    test('C85 is the first external identity; nobody later, and no guest before, changes that', async () => {
      const t = await openRooms({ url: await newUrl() })
      const guest = t.browser()
      await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
      const alice = await t.signedInBrowser()
      const bob = await t.signedInBrowser(BOB)
      expect(await grants(t)).toEqual({ alice: ['bootstrap'], bob: [] })
      expect([await isAdmin(guest), await isAdmin(alice), await isAdmin(bob)]).toEqual([false, true, false])
      expect(await findAuditEvents(t.rooms, 'grant.add')).toMatchObject([
        { target_type: 'user', target_id: await idOf(t, 'alice'), metadata: { source: 'bootstrap' } },
      ])
      expect(t.logLines.filter((line) => line.includes('is now an administrator'))).toHaveLength(1)
      await t.close()
    })

    test('C85 R27.3 is one when ten people sign in for the first time at once, on two nodes', async () => {
      const t = await openRooms({ url: await newUrl() })
      const other = await t.node()
      const logins = Array.from({ length: 10 }, async (_, n) => {
        const node = n % 2 === 0 ? t : other
        const browser = node.browser({ ip: `192.0.2.${n + 1}` })
        return browser.send(
          t.idp.authorize(await browser.startLogin(), { sub: `p${n}`, name: `Person ${n}` }),
        )
      })
      expect((await Promise.all(logins)).map(target)).toEqual(Array.from({ length: 10 }, () => '/'))
      const { users, role_grants } = await dump(t.rooms)
      expect(users).toHaveLength(10)
      expect(role_grants).toHaveLength(1)
      await other.close()
      await t.close()
    })

    test('R8.1 one person who signs in for the first time in ten tabs at once is one account', async () => {
      const t = await openRooms({ url: await newUrl() })
      const logins = Array.from({ length: 10 }, () => t.browser().signIn())
      expect((await Promise.all(logins)).map(target)).toEqual(Array.from({ length: 10 }, () => '/'))
      expect((await dump(t.rooms)).users).toHaveLength(1)
      expect(await grants(t)).toEqual({ alice: ['bootstrap'] })
      await t.close()
    })

    test('C85 is nobody after the tables were emptied', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser()
      await t.rooms.database.write(async (tx) => {
        await tx.deleteFrom('users').execute()
      })
      const bob = await t.signedInBrowser(BOB)
      expect(await isAdmin(bob)).toBe(false)
      expect(await grants(t)).toEqual({ bob: [] })
      await t.close()
    })

    test('R28.6 C85 is nobody with ADMIN_BOOTSTRAP=off, and the log of the start says what to do', async () => {
      const t = await openRooms({ url: await newUrl(), settings: { adminBootstrap: 'off' } })
      expect(t.logLines.join('')).toContain('latchkey rooms admin grant --user')
      await t.signedInBrowser()
      expect(await grants(t)).toEqual({ alice: [] })
      // The first was the first, whatever the setting says later.
      const node = await t.node({ adminBootstrap: 'first-login' })
      await node.signedInBrowser(BOB)
      expect(await grants(t)).toEqual({ alice: [], bob: [] })
      await node.close()
      await t.close()
    })

    test('C85 is nobody when the first login fails, and then the next one', async () => {
      const t = await openRooms({ url: await newUrl() })
      t.idp.idToken((claims) => ({ ...claims, name: undefined }))
      t.idp.userinfo((claims) => ({ ...claims, name: undefined }))
      expect(target(await t.browser().signIn())).toBe('/login?error=identity_incomplete')
      expect(await dump(t.rooms)).toMatchObject({ users: [], role_grants: [], sessions: [] })
      t.idp.reset()
      expect(await isAdmin(await t.signedInBrowser(BOB))).toBe(true)
      await t.close()
    })
  })

  describe('administrators by claim', () => {
    test('C87 R28.16 lose that grant at the next login without the claim, and keep what people gave', async () => {
      const t = await openRooms({ url: await newUrl(), provider: byClaim('admins') })
      await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
      await t.signedInBrowser({ ...BOB, groups: ['admins'] })
      await give(t, 'bob')
      const carol = { sub: 'carol', name: 'Carol' }
      await t.signedInBrowser({ ...carol, groups: ['admins'] })
      expect(await grants(t)).toEqual({
        alice: ['bootstrap', 'claim'],
        bob: ['claim', 'manual'],
        carol: ['claim'],
      })
      for (const person of [ALICE, BOB, carol]) await t.signedInBrowser(person)
      expect(await grants(t)).toEqual({ alice: ['bootstrap'], bob: ['manual'], carol: [] })
      const removed = await findAuditEvents(t.rooms, 'grant.remove')
      expect(removed.map(({ metadata }) => metadata['source'])).toEqual(['claim', 'claim', 'claim'])
      expect(removed.map(({ target_id }) => target_id)).toContain(await idOf(t, 'carol'))
      expect(t.logLines.join('')).not.toContain('"level":"error"')
      await t.close()
    })

    test('C87 lose the right in the sessions that they have elsewhere, at once', async () => {
      const t = await openRooms({ url: await newUrl(), provider: byClaim('admins') })
      await t.signedInBrowser()
      const bob = await t.signedInBrowser({ ...BOB, groups: ['admins'] })
      expect(await isAdmin(bob)).toBe(true)
      await t.signedInBrowser(BOB)
      expect(await isAdmin(bob)).toBe(false)
      expect(t.publishedEvents).toEqual([{ kind: 'person', userId: await idOf(t, 'bob') }])
      await t.close()
    })

    test('R9.3 the setting taken away takes the grant away at the next login', async () => {
      const t = await openRooms({ url: await newUrl(), provider: byClaim('admins') })
      await t.signedInBrowser()
      await t.signedInBrowser({ ...BOB, groups: ['admins'] })
      const node = await t.node({ provider: t.idp.config() })
      await node.signedInBrowser({ ...BOB, groups: ['admins'] })
      expect(await grants(t)).toEqual({ alice: ['bootstrap'], bob: [] })
      await node.close()
      await t.close()
    })

    test('R9.4 a claim that leaves nobody stands, is alerted and audited, and the command line is the way back', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: byClaim('admins'),
        settings: { adminBootstrap: 'off' },
      })
      await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
      await t.signedInBrowser(ALICE)
      expect(await grants(t)).toEqual({ alice: [] })
      const alerts = t.logLines.filter((line) => line.includes('"level":"error"'))
      expect(alerts).toHaveLength(1)
      expect(alerts[0]).toContain('no administrator left')
      expect((await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata)).toEqual([
        { role: 'platform_admin', scopeType: 'platform', scopeId: '', source: 'claim', leavesNoAdmin: true },
      ])
      expect(await give(t, 'alice')).toBe(true)
      expect(await isAdmin(await t.signedInBrowser(ALICE))).toBe(true)
      await t.close()
    })

    test('R9.4 a claim that leaves only administrators of an earlier provider is alerted as one that leaves nobody', async () => {
      const t = await openRooms({ url: await newUrl(), provider: byClaim('admins') })
      await t.signedInBrowser()
      await t.rooms.database.write(async (tx) => {
        await tx.updateTable('identities').set({ issuer: 'https://earlier.example.com' }).execute()
      })
      await t.signedInBrowser({ ...BOB, groups: ['admins'] })
      await t.signedInBrowser(BOB)
      expect(t.logLines.join('')).toContain('no administrator left')
      expect((await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata)).toMatchObject([
        { source: 'claim', leavesNoAdmin: true },
      ])
      await t.close()
    })
  })

  describe('giving and taking the right', () => {
    test('R28.6 C88 the first administrator can be withdrawn when another enabled one exists, and only then', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser()
      await t.signedInBrowser(BOB)
      expect(await refusal(take(t, 'alice'))).toBe('last_admin')
      await give(t, 'bob')
      await t.rooms.database.write(async (tx) => {
        await tx.updateTable('users').set({ disabled: 1 }).where('nickname', '=', 'Bob Berg').execute()
      })
      expect(await refusal(take(t, 'alice'))).toBe('last_admin')
      expect(await grants(t)).toEqual({ alice: ['bootstrap'], bob: ['manual'] })
      await t.rooms.database.write(async (tx) => {
        await tx.updateTable('users').set({ disabled: 0 }).execute()
      })
      expect(await take(t, 'alice')).toEqual({ changed: true, remaining: [] })
      expect(await grants(t)).toEqual({ alice: [], bob: ['manual'] })
      expect(await refusal(take(t, 'bob'))).toBe('last_admin')
      await t.close()
    })

    test('C88 two administrators who withdraw each other at once, on two nodes, leave one', async () => {
      for (let round = 0; round < 3; round++) {
        const t = await openRooms({ url: await newUrl() })
        await t.signedInBrowser()
        await t.signedInBrowser(BOB)
        await give(t, 'bob')
        const other = await t.node()
        const outcomes = await Promise.allSettled([take(t, 'alice'), take(other, 'bob')])
        expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual([
          'fulfilled',
          'rejected',
        ])
        expect((await dump(t.rooms)).role_grants).toHaveLength(1)
        await other.close()
        await t.close()
      }
    })

    test('C88 what a claim gives remains after a withdrawal, and is told', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: (idp) => idp.config({ adminClaim: { path: claimPath('groups'), value: 'admins' } }),
      })
      await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
      expect(await take(t, 'alice')).toEqual({ changed: true, remaining: ['claim'] })
      expect(await take(t, 'alice')).toEqual({ changed: false, remaining: ['claim'] })
      await t.close()
    })

    test('C91 R9.7 giving and taking by hand ends the sessions of the person, and is audited; doing it twice changes nothing', async () => {
      const t = await openRooms({ url: await newUrl() })
      const alice = await t.signedInBrowser()
      const bob = await t.signedInBrowser(BOB)
      expect(await give(t, 'bob')).toBe(true)
      expect((await bob.send('/api/session')).status).toBe(401)
      await bob.signIn(BOB)
      expect(await give(t, 'bob')).toBe(false)
      expect(await isAdmin(bob)).toBe(true)
      expect(await take(t, 'bob')).toEqual({ changed: true, remaining: [] })
      expect((await bob.send('/api/session')).status).toBe(401)
      expect(await take(t, 'bob')).toEqual({ changed: false, remaining: [] })
      expect((await alice.send('/api/session')).status).toBe(200)
      expect((await findAuditEvents(t.rooms, 'grant.add')).map(({ metadata }) => metadata['source'])).toEqual(
        ['bootstrap', 'manual'],
      )
      expect(
        (await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata['source']),
      ).toEqual(['manual'])
      await t.close()
    })

    test('C91 R9.7 who loses the right, or the session, while giving the right gets neither back, nor anybody else', async () => {
      const losses = {
        right: (t: TestRooms, tx: Tx, userId: string) =>
          revokePlatformAdmin(tx, {
            dialect: t.rooms.database.dialect,
            userId,
            revokedBy: null,
            origin: origin(t),
          }),
        session: (t: TestRooms, tx: Tx, userId: string) =>
          revokeSessionsOf(tx, userId, { reason: 'idp_logout', nowMs: t.clock.ms }),
      }
      for (const [lost, lose] of Object.entries(losses)) {
        const t = await openRooms({ url: await newUrl() })
        const alice = await t.signedInBrowser()
        await t.signedInBrowser(BOB)
        await t.signedInBrowser({ sub: 'carol', name: 'Carol' })
        await give(t, 'bob')
        const bob = await t.signedInBrowser(BOB)
        const [aliceId, bobId, carolId] = [
          await idOf(t, 'alice'),
          await idOf(t, 'bob'),
          await idOf(t, 'carol'),
        ]
        const { database } = t.rooms
        const { promise: isLosing, resolve: begin } = Promise.withResolvers<void>()
        const { promise: decided, resolve: decide } = Promise.withResolvers<void>()
        const losing = database.write(async (tx) => {
          await lockGrantChanges(database.dialect, tx)
          await lose(t, tx, bobId)
          begin()
          await decided
        })
        // Nobody may be quicker at the lock than the loss.
        await isLosing
        const given = Promise.all(
          [bobId, carolId].map((userId) =>
            bob.send(`/api/admin/users/${userId}/platform-admin`, { method: 'PUT', body: { granted: true } }),
          ),
        )
        // Those requests have been let in by then: they wait for the transaction.
        for (let i = 0; i < 20; i++) await alice.json('/api/session')
        decide()
        await losing
        expect([lost, ...(await given).map(({ status }) => status)]).toEqual([lost, 401, 401])
        expect((await bob.send('/api/session')).status).toBe(401)
        expect(await grants(t)).toEqual({
          alice: ['bootstrap'],
          bob: lost === 'right' ? [] : ['manual'],
          carol: [],
        })
        expect((await alice.send(`/api/admin/users/${aliceId}/sessions`)).status).toBe(200)
        await t.close()
      }
    })

    test('R24.3 a person is named by id or by issuer and subject, bars in it included; guests and others are nobody', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser({ sub: 'auth0|7', name: 'Alice' })
      const guest = t.browser()
      await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
      const { read } = t.rooms.database
      const found = await findUserByReference(read, `${t.idp.issuer}|auth0|7`)
      expect(found?.nickname).toBe('Alice')
      expect((await findUserByReference(read, found?.id ?? ''))?.id).toBe(found?.id ?? '')
      const { user } = await guest.json<{ user: { id: string } }>('/api/session')
      for (const nobody of [user.id, 'auth0|7', `${t.idp.issuer}|auth0`, 'Alice', ''])
        expect(await findUserByReference(read, nobody)).toBeUndefined()
      await t.close()
    })
  })

  describe('owners of teams', () => {
    test('C89 get one grant for each team that they own, with string and integer ids, and lose it when it is gone', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      await t.signedInBrowser({
        ...ALICE,
        teams: [
          team('harbour', 'owner'),
          team(7, 'co-owner'),
          team('crew', 'member'),
          team('harbour', 'co-owner'),
        ],
      })
      expect(await grants(t)).toEqual({ alice: ['bootstrap', 'team:7', 'team:harbour'] })
      await t.signedInBrowser({ ...ALICE, teams: [team('harbour', 'member'), team('7', 'owner')] })
      expect(await grants(t)).toEqual({ alice: ['bootstrap', 'team:7'] })
      await t.signedInBrowser(ALICE)
      expect(await grants(t)).toEqual({ alice: ['bootstrap'] })
      expect(
        (await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata['scopeId']),
      ).toEqual(['harbour', '7'])
      await t.close()
    })

    test('R9.5 thousands of teams are written in few statements, those that stay in none, and each is audited', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      await t.signedInBrowser(ALICE)
      const person = { userId: await idOf(t, 'alice'), isNew: false, isAdmin: false }
      const teams = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`)
      const statementsFor = async (ownedTeams: string[]) => {
        const plugin = new CountedStatements()
        await t.rooms.database.write((tx) =>
          updateLoginGrants(tx.withPlugin(plugin), { ...person, ownedTeams }, 'off', origin(t)),
        )
        return plugin.count
      }
      const audits = async (action: string) =>
        (await findAuditEvents(t.rooms, action)).map(({ metadata }) => String(metadata['scopeId']))
      expect(await statementsFor(teams('old', 1200))).toBeLessThan(10)
      // One asks what there is.
      expect(await statementsFor(teams('old', 1200))).toBe(1)
      expect(await statementsFor([...teams('new', 1200), 'old7', 'new7'])).toBeLessThan(20)
      const held = (await grants(t))['alice'] ?? []
      const expected = ['bootstrap', ...[...teams('new', 1200), 'old7'].map((name) => `team:${name}`)]
      expect(held.toSorted()).toEqual(expected.toSorted())
      expect(await audits('grant.add')).toEqual(['', ...teams('old', 1200), ...teams('new', 1200)])
      const gone = teams('old', 1200).filter((name) => name !== 'old7')
      expect((await audits('grant.remove')).toSorted()).toEqual(gone.toSorted())
      await t.close()
    })

    test('C89 get only that of TEAMIDP_TEAM_ID when it is set', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: (idp) => {
          const config = idp.teamidpConfig()
          return { ...config, teams: config.teams && { ...config.teams, teamId: 'harbour' } }
        },
      })
      await t.signedInBrowser({ ...ALICE, teams: [team('harbour', 'owner'), team('crew', 'owner')] })
      await t.signedInBrowser({
        ...BOB,
        teams: [team('Harbour', 'owner'), team('harbour2', 'owner'), team('harbour', 'Owner')],
      })
      expect(await grants(t)).toEqual({ alice: ['bootstrap', 'team:harbour'], bob: [] })
      await t.close()
    })

    test('C89 get none from a claim that is no list, which is logged', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      for (const teams of [{ id: 'harbour', role: 'owner' }, 'harbour', 7, true]) {
        const before = t.logLines.length
        await t.signedInBrowser({ ...ALICE, teams })
        expect(t.logLines.slice(before).join('')).toContain('"level":"warn"')
      }
      expect(await grants(t)).toEqual({ alice: ['bootstrap'] })
      await t.close()
    })

    test('C89 get none from a list of plain texts, and one line in the log says why', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      await t.signedInBrowser({ ...ALICE, teams: ['harbour', 'lighthouse'] })
      const lines = t.logLines.filter((line) => line.includes('lists plain values instead of objects'))
      expect(lines).toHaveLength(1)
      expect(lines[0]).not.toContain('harbour')
      expect(await grants(t)).toEqual({ alice: ['bootstrap'] })
      const before = t.logLines.length
      for (const teams of [[], [team('harbour', 'member')], ['harbour', team('lighthouse', 'owner')]])
        await t.signedInBrowser({ ...ALICE, teams })
      expect(t.logLines.slice(before).join('')).not.toContain('"level":"warn"')
      await t.close()
    })

    test('C89 get none in oidc and oauth2', async () => {
      for (const configure of [
        (idp: TestRooms['idp']) => idp.config(),
        (idp: TestRooms['idp']) => idp.oauth2Config(),
      ]) {
        const t = await openRooms({ url: await newUrl(), provider: configure })
        await t.signedInBrowser({ ...ALICE, teams: [team('harbour', 'owner')] })
        expect(await grants(t)).toEqual({ alice: ['bootstrap'] })
        await t.close()
      }
    })
  })
})

describe('what claims are worth', () => {
  test('C86 administrators are those whose claim has the value as a member or equals it, and nobody else', async () => {
    const t = await openRooms({
      provider: byClaim('admins'),
      limits: { login_start_per_minute: 100 },
    })
    await t.signedInBrowser({ sub: 'first', name: 'First' })
    const table: [unknown, boolean][] = [
      [['staff', 'admins'], true],
      ['admins', true],
      ['staff admins', false],
      ['admin', false],
      ['admins2', false],
      ['Admins', false],
      [['Admins', 'xadmins'], false],
      [[['admins']], false],
      [[{ name: 'admins' }], false],
      [{ admins: true }, false],
      [{ 0: 'admins', length: 1 }, false],
      [true, false],
      [null, false],
      [undefined, false],
      [[], false],
    ]
    const expected: Record<string, string[]> = { first: ['bootstrap'] }
    for (const [n, [groups, matches]] of table.entries()) {
      await t.signedInBrowser({ sub: `p${n}`, name: 'Person', groups })
      expected[`p${n}`] = matches ? ['claim'] : []
    }
    expect(await grants(t)).toEqual(expected)
    await t.close()
  })

  test('C86 R28.15 administrators are not those without the claim when the value reads like nothing', async () => {
    for (const value of ['undefined', 'null', '[object Object]']) {
      const t = await openRooms({ provider: byClaim(value) })
      await t.signedInBrowser({ sub: 'first', name: 'First' })
      const claims: unknown[] = [undefined, null, {}, [], [null], [{}], { toString: 'x' }]
      for (const [n, groups] of claims.entries())
        await t.signedInBrowser({ sub: `p${n}`, name: 'Person', groups }, { ip: `192.0.2.${n + 10}` })
      const held = Object.values(await grants(t)).flat()
      expect([value, held]).toEqual([value, ['bootstrap']])
      await t.close()
    }
  })

  test('C90 R9.6 owners of every team may do nothing in the API that others may not', async () => {
    const t = await openRooms({
      provider: (idp) => idp.teamidpConfig(),
      limits: { login_start_per_minute: 1000, callback_per_minute: 1000, search_per_minute: 1000 },
    })
    await t.signedInBrowser()
    const everyTeam = Array.from({ length: 20 }, (_, n) => team(`team-${n}`, 'owner'))
    const owner = { sub: 'owner', name: 'Olga Owner', teams: [...everyTeam, team('platform', 'owner')] }
    const outcomes = async (person: Person) => {
      const seen: Record<string, unknown> = {}
      for (const { id, methods, path } of apiOperations) {
        // Of its own, since some operations end it.
        const browser = await t.signedInBrowser(person)
        const address = `/api${path.replaceAll(/\{\w+\}/g, crypto.randomUUID())}`
        const method = methods[0]
        const answer = await browser.send(address, { method, ...(method !== 'GET' && { body: {} }) })
        const { code } = (await answer.json().catch(() => ({}))) as { code?: string }
        seen[id] = [answer.status, code]
        if (path.startsWith('/admin')) expect([id, answer.status, code]).toEqual([id, 403, 'forbidden'])
      }
      return seen
    }
    const plain = await outcomes(BOB)
    expect(await outcomes(owner)).toEqual(plain)
    expect(Object.keys(plain).length).toBeGreaterThan(5)
    expect((await grants(t))['owner']).toHaveLength(21)
    expect(await isAdmin(await t.signedInBrowser(owner))).toBe(false)
    await t.close()
  }, 60_000)
})
