import { describe, expect, test } from 'bun:test'
import type { Transaction } from 'kysely'
import { eachDialect } from '@latchkey/database/testing'
import { lockGrantChanges, revokePlatformAdmin } from '../../src/grants/operations.ts'
import type { Tables } from '../../src/db/tables.ts'
import { revokeSessionsOf } from '../../src/sessions/store.ts'
import { findUserByReference } from '../../src/users/store.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, claimPath } from '../provider/hostile.ts'
import { type TestRooms, openRooms } from '../rooms.ts'
import { dump } from './steps.ts'
import {
  BOB,
  errorCodeOf,
  grantAdmin,
  grantsOf,
  isAdmin,
  originOf,
  revokeAdmin,
  userIdOf,
} from './grant-steps.ts'

type Tx = Transaction<Tables>

eachDialect((dialect, newUrl) => {
  describe('granting and revoking the administrator’s right', () => {
    test('C88: if two administrators revoke each other at once, on two nodes, one of them remains', async () => {
      for (let round = 0; round < 3; round++) {
        const t = await openRooms({ url: await newUrl() })
        await t.signedInBrowser()
        await t.signedInBrowser(BOB)
        await grantAdmin(t, 'bob')
        const other = await t.node()
        const outcomes = await Promise.allSettled([revokeAdmin(t, 'alice'), revokeAdmin(other, 'bob')])
        expect(outcomes.map(({ status }) => status).toSorted((a, b) => a.localeCompare(b))).toEqual([
          'fulfilled',
          'rejected',
        ])
        expect((await dump(t.rooms)).role_grants).toHaveLength(1)
        await other.close()
        await t.close()
      }
    })

    test('C91 R9.7: an administrator who loses the right or the session while granting it grants it to no one, including themselves', async () => {
      const losses = {
        right: (t: TestRooms, tx: Tx, userId: string) =>
          revokePlatformAdmin(tx, {
            dialect: t.rooms.database.dialect,
            userId,
            revokedBy: null,
            origin: originOf(t),
          }),
        session: (t: TestRooms, tx: Tx, userId: string) =>
          revokeSessionsOf(tx, userId, { reason: 'idp_logout', nowMs: t.clock.ms }),
      }
      for (const [lost, lose] of Object.entries(losses)) {
        const t = await openRooms({ url: await newUrl() })
        const alice = await t.signedInBrowser()
        await t.signedInBrowser(BOB)
        await t.signedInBrowser({ sub: 'carol', name: 'Carol' })
        await grantAdmin(t, 'bob')
        const bob = await t.signedInBrowser(BOB)
        const [aliceId, bobId, carolId] = [
          await userIdOf(t, 'alice'),
          await userIdOf(t, 'bob'),
          await userIdOf(t, 'carol'),
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
        // The loss must take the lock first.
        await isLosing
        const responses = Promise.all(
          [bobId, carolId].map((userId) =>
            bob.send(`/api/admin/users/${userId}/platform-admin`, { method: 'PUT', body: { granted: true } }),
          ),
        )
        // By then those requests have been admitted and wait for the transaction.
        for (let i = 0; i < 20; i++) await alice.json('/api/session')
        decide()
        await losing
        expect([lost, ...(await responses).map(({ status }) => status)]).toEqual([lost, 401, 401])
        expect((await bob.send('/api/session')).status).toBe(401)
        expect(await grantsOf(t)).toEqual({
          alice: ['bootstrap'],
          bob: lost === 'right' ? [] : ['manual'],
          carol: [],
        })
        expect((await alice.send(`/api/admin/users/${aliceId}/sessions`)).status).toBe(200)
        await t.close()
      }
    })

    if (dialect === 'postgres') return

    test('R28.6 C88: the first administrator can be revoked only while another enabled one exists', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser()
      await t.signedInBrowser(BOB)
      expect(await errorCodeOf(revokeAdmin(t, 'alice'))).toBe('last_admin')
      await grantAdmin(t, 'bob')
      await t.rooms.database.write(async (tx) => {
        await tx.updateTable('users').set({ disabled: 1 }).where('nickname', '=', 'Bob Berg').execute()
      })
      expect(await errorCodeOf(revokeAdmin(t, 'alice'))).toBe('last_admin')
      expect(await grantsOf(t)).toEqual({ alice: ['bootstrap'], bob: ['manual'] })
      await t.rooms.database.write(async (tx) => {
        await tx.updateTable('users').set({ disabled: 0 }).execute()
      })
      expect(await revokeAdmin(t, 'alice')).toEqual({ changed: true, remaining: [] })
      expect(await grantsOf(t)).toEqual({ alice: [], bob: ['manual'] })
      expect(await errorCodeOf(revokeAdmin(t, 'bob'))).toBe('last_admin')
      await t.close()
    })

    test('C88: a grant by claim remains after a revocation, and is reported', async () => {
      const t = await openRooms({
        url: await newUrl(),
        provider: (idp) => idp.config({ adminClaim: { path: claimPath('groups'), value: 'admins' } }),
      })
      await t.signedInBrowser({ ...ALICE, groups: ['admins'] })
      expect(await revokeAdmin(t, 'alice')).toEqual({ changed: true, remaining: ['claim'] })
      expect(await revokeAdmin(t, 'alice')).toEqual({ changed: false, remaining: ['claim'] })
      await t.close()
    })

    test('C91 R9.7: a manual grant or revocation ends the sessions of its target and is audited; repeating it changes nothing', async () => {
      const t = await openRooms({ url: await newUrl() })
      const alice = await t.signedInBrowser()
      const bob = await t.signedInBrowser(BOB)
      expect(await grantAdmin(t, 'bob')).toBe(true)
      expect((await bob.send('/api/session')).status).toBe(401)
      await bob.signIn(BOB)
      expect(await grantAdmin(t, 'bob')).toBe(false)
      expect(await isAdmin(bob)).toBe(true)
      expect(await revokeAdmin(t, 'bob')).toEqual({ changed: true, remaining: [] })
      expect((await bob.send('/api/session')).status).toBe(401)
      expect(await revokeAdmin(t, 'bob')).toEqual({ changed: false, remaining: [] })
      expect((await alice.send('/api/session')).status).toBe(200)
      expect((await findAuditEvents(t.rooms, 'grant.add')).map(({ metadata }) => metadata['source'])).toEqual(
        ['bootstrap', 'manual'],
      )
      expect(
        (await findAuditEvents(t.rooms, 'grant.remove')).map(({ metadata }) => metadata['source']),
      ).toEqual(['manual'])
      await t.close()
    })

    test('R24.3: an account is named by id or by issuer and subject, which may contain the separator; guests and other texts match nothing', async () => {
      const t = await openRooms({ url: await newUrl() })
      await t.signedInBrowser({ sub: 'auth0|7', name: 'Alice' })
      const guest = t.browser()
      await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
      const { read } = t.rooms.database
      const account = await findUserByReference(read, `${t.idp.issuer}|auth0|7`)
      expect(account?.nickname).toBe('Alice')
      expect((await findUserByReference(read, account?.id ?? ''))?.id).toBe(account?.id ?? '')
      const { user } = await guest.json<{ user: { id: string } }>('/api/session')
      for (const reference of [user.id, 'auth0|7', `${t.idp.issuer}|auth0`, 'Alice', ''])
        expect(await findUserByReference(read, reference)).toBeUndefined()
      await t.close()
    })
  })
})
