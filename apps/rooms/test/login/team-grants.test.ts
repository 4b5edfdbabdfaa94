import { describe, expect, test } from 'bun:test'
import type { KyselyPlugin, PluginTransformQueryArgs, PluginTransformResultArgs } from 'kysely'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/operations.ts'
import { updateLoginGrants } from '../../src/grants/login-grants.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, type Person } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { BOB, grantsOf, isAdmin, originOf, team, userIdOf } from './grant-steps.ts'

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

eachDialect((dialect, newUrl) => {
  describe('owners of teams', () => {
    test('R9.5: thousands of teams need few statements, unchanged ones none, and each change is audited', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      await t.signedInBrowser(ALICE)
      const person = { userId: await userIdOf(t, 'alice'), isNew: false, isAdmin: false }
      const teams = (name: string, count: number) => Array.from({ length: count }, (_, i) => `${name}${i}`)
      const statementsFor = async (ownedTeams: string[]) => {
        const plugin = new CountedStatements()
        await t.rooms.database.write((tx) =>
          updateLoginGrants(tx.withPlugin(plugin), { ...person, ownedTeams }, 'off', originOf(t)),
        )
        return plugin.count
      }
      const audits = async (action: string) =>
        (await findAuditEvents(t.rooms, action)).map(({ metadata }) => String(metadata['scopeId']))
      expect(await statementsFor(teams('old', 1200))).toBeLessThan(10)
      // One statement reads the current grants.
      expect(await statementsFor(teams('old', 1200))).toBe(1)
      expect(await statementsFor([...teams('new', 1200), 'old7', 'new7'])).toBeLessThan(20)
      const held = (await grantsOf(t))['alice'] ?? []
      const expected = ['bootstrap', ...[...teams('new', 1200), 'old7'].map((name) => `team:${name}`)]
      expect(held.toSorted()).toEqual(expected.toSorted())
      expect(await audits('grant.add')).toEqual(['', ...teams('old', 1200), ...teams('new', 1200)])
      const gone = teams('old', 1200).filter((name) => name !== 'old7')
      expect((await audits('grant.remove')).toSorted()).toEqual(gone.toSorted())
      await t.close()
    })

    if (dialect === 'postgres') return

    test('C89: get one grant per team that they own, with string and integer ids, and lose it when the ownership ends', async () => {
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
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap', 'team:7', 'team:harbour'] })
      await t.signedInBrowser({ ...ALICE, teams: [team('harbour', 'member'), team('7', 'owner')] })
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap', 'team:7'] })
      await t.signedInBrowser(ALICE)
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'] })
      expect(
        (await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata['scopeId']),
      ).toEqual(['harbour', '7'])
      await t.close()
    })

    test('C89: get only the grant of TEAMIDP_TEAM_ID if it is set', async () => {
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
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap', 'team:harbour'], bob: [] })
      await t.close()
    })

    test('C89: get no grant from a claim that is not a list, which is logged', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      for (const teams of [{ id: 'harbour', role: 'owner' }, 'harbour', 7, true]) {
        const before = t.logLines.length
        await t.signedInBrowser({ ...ALICE, teams })
        expect(t.logLines.slice(before).join('')).toContain('"level":"warn"')
      }
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'] })
      await t.close()
    })

    test('C89: get no grant from a list of strings, and one line in the log explains why', async () => {
      const t = await openRooms({ url: await newUrl(), provider: (idp) => idp.teamidpConfig() })
      await t.signedInBrowser({ ...ALICE, teams: ['harbour', 'lighthouse'] })
      const lines = t.logLines.filter((line) => line.includes('a list of plain values'))
      expect(lines).toHaveLength(1)
      expect(lines[0]).not.toContain('harbour')
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'] })
      const before = t.logLines.length
      for (const teams of [[], [team('harbour', 'member')], ['harbour', team('lighthouse', 'owner')]])
        await t.signedInBrowser({ ...ALICE, teams })
      expect(t.logLines.slice(before).join('')).not.toContain('"level":"warn"')
      await t.close()
    })

    test('C89: get no grants in the modes oidc and oauth2', async () => {
      for (const configure of [
        (idp: TestRooms['idp']) => idp.config(),
        (idp: TestRooms['idp']) => idp.oauth2Config(),
      ]) {
        const t = await openRooms({ url: await newUrl(), provider: configure })
        await t.signedInBrowser({ ...ALICE, teams: [team('harbour', 'owner')] })
        expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'] })
        await t.close()
      }
    })
  })
})

describe('the rights of team owners', () => {
  test('C90 R9.6: owners of every team have no more rights in the API than other members', async () => {
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
        // A new session for each, because some operations end it.
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
    expect((await grantsOf(t))['owner']).toHaveLength(21)
    expect(await isAdmin(await t.signedInBrowser(owner))).toBe(false)
    await t.close()
  }, 60_000)
})
