// The right of an administrator is checked in the transaction of the operation, and reads are
// audited (issue 19, point 13).
import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { lockGrantChanges } from '../../src/grants/operations.ts'
import { type SignedInUser, createRoom, member, refusal, signedInUser } from '../actions.ts'
import { listAuditEvents } from '../audit-log.ts'
import { roomsPerTest } from '../per-test.ts'
import { untilRequestsWait } from '../rooms/locks.ts'

const MINUTE = 60_000
const { rooms } = roomsPerTest()

eachDialect((_dialect, newUrl) => {
  /** Two administrators, Eva without that right, and a room of another user. */
  async function withEva() {
    const service = await rooms({ url: await newUrl() })
    const [ada, bob] = [
      await signedInUser(service, { sub: 'ada', name: 'Ada' }),
      await signedInUser(service, { sub: 'bob', name: 'Bob' }),
    ]
    const body = { granted: true }
    await ada.browser.json(`/api/admin/users/${bob.id}/platform-admin`, { method: 'PUT', body })
    await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
    const eva = await signedInUser(service, { sub: 'eva', name: 'Eva' })
    const room = await createRoom(await member(service, 'Olga'))
    return { service, ada, bob, eva, room }
  }
  type Stage = Awaited<ReturnType<typeof withEva>>

  const acts: readonly [string, string, (stage: Stage) => string, unknown?][] = [
    ['disables somebody', 'PATCH', ({ eva }) => `/users/${eva.id}/status`, { disabled: true }],
    ['erases somebody', 'DELETE', ({ eva }) => `/users/${eva.id}`],
    ['gives the right', 'PUT', ({ eva }) => `/users/${eva.id}/platform-admin`, { granted: true }],
    ['ends a session', 'DELETE', ({ eva }) => `/sessions/${eva.sessionId}`],
    ['ends all sessions of somebody', 'POST', ({ eva }) => `/users/${eva.id}/revoke-sessions`],
    ['ends the sessions of guests', 'POST', () => '/guests/revoke-all'],
    ['changes the settings', 'PATCH', () => '/settings', { announcement: 'Mine' }],
    ['takes a room over', 'POST', ({ room }) => `/rooms/${room.id}/takeover`, { reason: 'Because' }],
  ]

  for (const [what, method, path, body] of acts)
    test(`an administrator who ${what} and loses the right before the commit changes nothing`, async () => {
      const stage = await withEva()
      const { service, bob } = stage
      const { database } = service.rooms
      const lines = async () => (await listAuditEvents(service)).length
      const before = await lines()
      const { answer } = await database.write(async (tx) => {
        await lockGrantChanges(database.dialect, tx)
        const held = tx.updateTable('role_grants').set((eb) => ({ role: eb.ref('role') }))
        await held.where('user_id', '=', bob.id).execute()
        const sent = { method, ...(body !== undefined && { body }) }
        // Inside an object, because returning the promise itself would make the transaction wait
        // for a request that waits for the transaction.
        const begun = { answer: bob.browser.send(`/api/admin${path(stage)}`, sent) }
        await untilRequestsWait(service, tx)
        await tx.deleteFrom('role_grants').where('user_id', '=', bob.id).execute()
        return begun
      })
      expect(await refusal(await answer)).toEqual([403, 'forbidden'])
      expect(await lines()).toBe(before)
      const eva = await database.read.selectFrom('users').selectAll().where('id', '=', stage.eva.id).execute()
      expect(eva).toMatchObject([{ disabled: 0 }])
      expect((await stage.eva.browser.send('/api/session')).status).toBe(200)
    })

  const reads = async (service: Stage['service']) =>
    (await listAuditEvents(service))
      .filter(({ action }) => String(action).endsWith('read'))
      .map(({ action, actor, target, metadata }) => [action, actor, target, metadata])

  test('R21.2b: reading the sessions of another user is audited, once per ten minutes', async () => {
    const { service, ada, bob, eva } = await withEva()
    const look = (who: SignedInUser, at: SignedInUser) =>
      who.browser.json(`/api/admin/users/${at.id}/sessions`)
    const line = (who: SignedInUser, at: SignedInUser) => [
      'admin.user.sessions_read',
      who.id,
      ['user', at.id],
      {},
    ]
    for (let times = 0; times < 3; times++) await look(ada, eva)
    expect(await reads(service)).toEqual([line(ada, eva)])
    await look(bob, eva)
    await look(ada, bob)
    expect(await reads(service)).toEqual([line(ada, eva), line(bob, eva), line(ada, bob)])
    service.clock.ms += 11 * MINUTE
    await look(ada, eva)
    expect(await reads(service)).toHaveLength(4)
    // Reading one's own sessions is not recorded, nor is a refused read.
    await eva.browser.json('/api/sessions')
    expect((await eva.browser.send(`/api/admin/users/${ada.id}/sessions`)).status).toBe(403)
    expect(await reads(service)).toHaveLength(4)
  })

  test('reading the audit log is audited with its filter', async () => {
    const { service, ada, eva } = await withEva()
    const look = (query: string) =>
      ada.browser.json<{ nextCursor: string | null }>(`/api/admin/audit${query}`)
    const { nextCursor } = await look('?limit=1')
    await look(`?limit=1&cursor=${nextCursor}`)
    await look(`?actorUserId=${eva.id}`)
    expect(await reads(service)).toEqual([
      ['admin.audit.read', ada.id, null, {}],
      ['admin.audit.read', ada.id, null, { actorUserId: eva.id }],
    ])
  })
})
