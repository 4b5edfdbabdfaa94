import { expect, test } from 'bun:test'
import { signedInGuest, signedInUser } from '../actions.ts'
import { openRooms } from '../rooms.ts'
import { deliver } from '../sessions/deliver.ts'

test('C131 (R21.2): the audit log records sign-ins, failures, sign-outs, logout tokens, revocations, guests, grants and provider changes with actor, address and request id, and without tokens', async () => {
  const rooms = await openRooms({
    provider: (idp) =>
      idp.teamidpConfig({ adminClaim: { path: { whole: 'role', parts: ['role'] }, value: 'boss' } }),
  })
  const ada = await signedInUser(rooms, { sub: 'ada', name: 'Ada', sid: 'ada-1' })
  const bob = await signedInUser(rooms, {
    sub: 'bob',
    name: 'Bob',
    role: 'boss',
    teams: [{ id: 7, role: 'owner' }],
  })
  // Bob signs in again, without the claim and the team.
  await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
  const visitor = await signedInGuest(rooms)
  const failing = rooms.browser({ ip: '192.0.2.50' })
  await failing.send('/api/auth/callback?code=secret-code&state=secret-state')
  const put = (granted: boolean) =>
    ada.browser.send(`/api/admin/users/${bob.id}/platform-admin`, { method: 'PUT', body: { granted } })
  await put(true)
  await put(false)
  await bob.browser.signIn({ sub: 'bob', name: 'Bob' })
  const { session } = await bob.browser.json<{ session: { id: string } }>('/api/session')
  await ada.browser.send(`/api/admin/sessions/${session.id}`, { method: 'DELETE' })
  await visitor.browser.send('/api/auth/logout', { body: {} })
  const token = rooms.idp.logoutToken((claims) => ({ ...claims, sid: 'ada-1' }))
  const from = { ip: '192.0.2.60' }
  const responses = [await deliver(rooms, token, from), await deliver(rooms, token, from)]
  expect(responses.map(({ status }) => status)).toEqual([200, 400])
  await (await rooms.node({ provider: rooms.idp.config({ issuer: `${rooms.idp.issuer}/` }) })).close()

  const rows = await rooms.rooms.database.read.selectFrom('audit_events').selectAll().execute()
  const countEvents = (action: string, actor: string | null, target: string | null) =>
    rows.filter(
      (row) =>
        row.action === action &&
        row.actor_user_id === actor &&
        (target === null || row.target_id === target) &&
        (action === 'provider.changed' || (row.client_ip !== null && row.request_id !== null)),
    ).length
  expect({
    logins: countEvents('auth.login', ada.id, null) + countEvents('auth.login', bob.id, null),
    failed: countEvents('auth.login_failed', null, null),
    logout: countEvents('auth.logout', visitor.id, visitor.sessionId),
    accepted: countEvents('auth.backchannel_logout', null, null),
    rejected: countEvents('auth.backchannel_rejected', null, null),
    revoked: countEvents('session.revoke', ada.id, session.id),
    guests: countEvents('guest.create', visitor.id, visitor.id),
    bootstrap: countEvents('grant.add', null, ada.id),
    claimAndTeam: countEvents('grant.add', null, bob.id),
    claimAndTeamGone: countEvents('grant.remove', null, bob.id),
    grantAdded: countEvents('grant.add', ada.id, bob.id),
    grantRemoved: countEvents('grant.remove', ada.id, bob.id),
    provider: countEvents('provider.changed', null, null),
  }).toEqual({
    logins: 4,
    failed: 1,
    logout: 1,
    accepted: 1,
    rejected: 1,
    revoked: 1,
    guests: 1,
    bootstrap: 1,
    claimAndTeam: 2,
    claimAndTeamGone: 2,
    grantAdded: 1,
    grantRemoved: 1,
    provider: 1,
  })
  const failed = rows.find(({ action }) => action === 'auth.login_failed')
  expect(failed?.client_ip).toBe('192.0.2.50')
  expect(JSON.parse(failed?.metadata ?? '{}')).toMatchObject({ reason: expect.any(String) })
  const text = JSON.stringify(rows)
  for (const secret of [token, 'secret-code', 'secret-state', 'eyJ', ada.browser.token ?? 'x'])
    expect(text).not.toContain(secret)
  await rooms.close()
})
