import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { findAuditEvents } from '../audit-log.ts'
import { openRooms } from '../rooms.ts'
import { dump, target } from './steps.ts'
import { BOB, adminsByClaim, grantsOf, isAdmin, userIdOf } from './grant-steps.ts'

eachDialect((dialect, newUrl) => {
  describe('the first administrator', () => {
    test('C85: is the first account with an external identity; neither earlier guests nor later accounts change that', async () => {
      const t = await openRooms({ url: await newUrl() })
      const guest = t.browser()
      await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
      const alice = await t.signedInBrowser()
      const bob = await t.signedInBrowser(BOB)
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'], bob: [] })
      expect([await isAdmin(guest), await isAdmin(alice), await isAdmin(bob)]).toEqual([false, true, false])
      expect(await findAuditEvents(t.rooms, 'grant.add')).toMatchObject([
        { target_type: 'user', target_id: await userIdOf(t, 'alice'), metadata: { source: 'bootstrap' } },
      ])
      expect(t.logLines.filter((line) => line.includes('is now an administrator'))).toHaveLength(1)
      await t.close()
    })

    test('C85 R27.3: is a single account if ten people sign in for the first time at once, on two nodes', async () => {
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

    test('R8.1: a person who signs in for the first time in ten tabs at once gets one account', async () => {
      const t = await openRooms({ url: await newUrl() })
      const logins = Array.from({ length: 10 }, () => t.browser().signIn())
      expect((await Promise.all(logins)).map(target)).toEqual(Array.from({ length: 10 }, () => '/'))
      expect((await dump(t.rooms)).users).toHaveLength(1)
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'] })
      await t.close()
    })

    if (dialect === 'postgres') return

    test('C85: is not chosen again after the tables were emptied', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser()
      await t.rooms.database.write(async (tx) => {
        await tx.deleteFrom('users').execute()
      })
      const bob = await t.signedInBrowser(BOB)
      expect(await isAdmin(bob)).toBe(false)
      expect(await grantsOf(t)).toEqual({ bob: [] })
      await t.close()
    })

    test('R28.6 C85: is not chosen with ADMIN_BOOTSTRAP=off, and the log of the start names the command to use', async () => {
      const t = await openRooms({ url: await newUrl(), settings: { adminBootstrap: 'off' } })
      expect(t.logLines.join('')).toContain('latchkey rooms admin grant --user')
      await t.signedInBrowser()
      expect(await grantsOf(t)).toEqual({ alice: [] })
      // The first account stays the first, whatever the setting says later.
      const node = await t.node({ adminBootstrap: 'first-login' })
      await node.signedInBrowser(BOB)
      expect(await grantsOf(t)).toEqual({ alice: [], bob: [] })
      await node.close()
      await t.close()
    })

    test('R9.3: is nothing that the log of the start asks for where a claim makes administrators', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: adminsByClaim('admins'),
        settings: { adminBootstrap: 'off' },
      })
      expect(t.logLines.join('')).toContain('administrators: none until a person signs in')
      expect(t.logLines.join('')).not.toContain('admin grant')
      await t.close()
    })

    test('C85: is the account of the next login if the first login fails', async () => {
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
})
