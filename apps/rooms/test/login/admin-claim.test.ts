import { describe, expect, test } from 'bun:test'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE } from '../provider/hostile.ts'
import { openRooms } from '../rooms.ts'
import { BOB, adminsByClaim, grantAdmin, grantsOf, isAdmin, userIdOf } from './grant-steps.ts'

describe('administrators by claim', () => {
  test('C87 R28.16: lose that grant at the next sign-in without the claim, and keep manual grants', async () => {
    const t = await openRooms({ provider: adminsByClaim('admins') })
    await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
    await t.signedInBrowser({ ...BOB, groups: ['admins'] })
    await grantAdmin(t, 'bob')
    const carol = { sub: 'carol', name: 'Carol' }
    await t.signedInBrowser({ ...carol, groups: ['admins'] })
    expect(await grantsOf(t)).toEqual({
      alice: ['bootstrap', 'claim'],
      bob: ['claim', 'manual'],
      carol: ['claim'],
    })
    for (const person of [ALICE, BOB, carol]) await t.signedInBrowser(person)
    expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'], bob: ['manual'], carol: [] })
    const removed = await findAuditEvents(t.rooms, 'grant.remove')
    expect(removed.map(({ metadata }) => metadata['source'])).toEqual(['claim', 'claim', 'claim'])
    expect(removed.map(({ target_id }) => target_id)).toContain(await userIdOf(t, 'carol'))
    expect(t.logLines.join('')).not.toContain('"level":"error"')
    await t.close()
  })

  test('C87: lose the right in their other sessions at once', async () => {
    const t = await openRooms({ provider: adminsByClaim('admins') })
    await t.signedInBrowser()
    const bob = await t.signedInBrowser({ ...BOB, groups: ['admins'] })
    expect(await isAdmin(bob)).toBe(true)
    await t.signedInBrowser(BOB)
    expect(await isAdmin(bob)).toBe(false)
    expect(t.publishedEvents).toEqual([{ kind: 'person', userId: await userIdOf(t, 'bob') }])
    await t.close()
  })

  test('R9.3: lose the grant at the next sign-in after the setting is removed', async () => {
    const t = await openRooms({ provider: adminsByClaim('admins') })
    await t.signedInBrowser()
    await t.signedInBrowser({ ...BOB, groups: ['admins'] })
    const node = await t.node({ provider: t.idp.config() })
    await node.signedInBrowser({ ...BOB, groups: ['admins'] })
    expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'], bob: [] })
    await node.close()
    await t.close()
  })

  test('R9.4: a claim that leaves no administrator is applied, logged as an error and audited, and the command line restores access', async () => {
    const t = await openRooms({
      provider: adminsByClaim('admins'),
      settings: { adminBootstrap: 'off' },
    })
    await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
    await t.signedInBrowser(ALICE)
    expect(await grantsOf(t)).toEqual({ alice: [] })
    const alerts = t.logLines.filter((line) => line.includes('"level":"error"'))
    expect(alerts).toHaveLength(1)
    expect(alerts[0]).toContain('no administrator left')
    expect((await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata)).toEqual([
      { role: 'platform_admin', scopeType: 'platform', scopeId: '', source: 'claim', leavesNoAdmin: true },
    ])
    expect(await grantAdmin(t, 'alice')).toBe(true)
    expect(await isAdmin(await t.signedInBrowser(ALICE))).toBe(true)
    await t.close()
  })

  test('R9.4: a claim that leaves only administrators of an earlier provider is logged like one that leaves none', async () => {
    const t = await openRooms({ provider: adminsByClaim('admins') })
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

describe('the value of the admin claim', () => {
  test('C86: only accounts whose claim contains or equals the value are administrators', async () => {
    const t = await openRooms({
      provider: adminsByClaim('admins'),
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
    expect(await grantsOf(t)).toEqual(expected)
    await t.close()
  })

  test('C86 R28.15: an account without the claim is not an administrator, even if the value is the text of an absent value', async () => {
    for (const value of ['undefined', 'null', '[object Object]']) {
      const t = await openRooms({ provider: adminsByClaim(value) })
      await t.signedInBrowser({ sub: 'first', name: 'First' })
      const claims: unknown[] = [undefined, null, {}, [], [null], [{}], { toString: 'x' }]
      for (const [n, groups] of claims.entries())
        await t.signedInBrowser({ sub: `p${n}`, name: 'Person', groups }, { ip: `192.0.2.${n + 10}` })
      const held = Object.values(await grantsOf(t)).flat()
      expect([value, held]).toEqual([value, ['bootstrap']])
      await t.close()
    }
  })
})
