import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { grantPlatformAdmin } from '../../src/grants/operations.ts'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, type HostileProvider, claimPath, conditions } from '../provider/hostile.ts'
import { type Browser, openRooms } from '../rooms.ts'

test('R38.1e: a start with a provider at which everyone may have an account is a warning, until there is a condition', async () => {
  const rooms = await openRooms()
  const warnings = () => rooms.logLines.filter((line) => line.includes('AUTH_REQUIRE'))
  const authorizationEndpoint = 'https://discord.com/oauth2/authorize'
  const provider = rooms.idp.oauth2Config({ authorizationEndpoint })
  await (await rooms.node({ provider: { ...provider, conditions: conditions('verified=true') } })).close()
  expect(warnings()).toEqual([])
  await (await rooms.node({ provider })).close()
  expect(warnings()).toEqual([expect.stringMatching(/"level":"warn".*"provider":"Discord"/)])
  await rooms.close()
})

test('R38.1f: a start with other conditions than the last ends the sessions of members once, and those of no guest', async () => {
  const rooms = await openRooms()
  const provider = (text: string) => ({ ...rooms.idp.config(), conditions: text ? conditions(text) : [] })
  const start = async (text: string) => (await rooms.node({ provider: provider(text) })).close()
  const person = { ...ALICE, groups: ['staff'] }
  const guest = rooms.browser()
  await guest.json('/api/session', { body: { nickname: 'Robin' } }, 201)
  const ended = () => findAuditEvents(rooms.rooms, 'auth.access_ended')
  const isSignedIn = async (browser: Browser) => (await browser.send('/api/session')).status === 200
  for (const [text, ends] of [
    ['', false],
    ['groups=staff', true],
    ['groups=staff', false],
    ['groups=staff, hd=example.com', true],
    ['', false],
  ] as const) {
    const alice = await rooms.signedInBrowser(person)
    const before = (await ended()).length
    await start(text)
    expect([text, await isSignedIn(alice)]).toEqual([text, !ends])
    expect((await ended()).length - before).toBe(ends ? 1 : 0)
    expect(await isSignedIn(guest)).toBe(true)
  }
  expect((await ended()).map(({ metadata, target_id }) => [metadata, target_id])).toEqual([
    [{ sessions: 2 }, null],
    [{ sessions: 2 }, null],
  ])
  await rooms.close()
})

eachDialect((dialect, newUrl) => {
  test('C82 (R8.5): a start with another provider than the last one is logged and audited, and continues', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const logLines = () => rooms.logLines.filter((line) => line.includes('provider: changed'))
    const events = () =>
      rooms.rooms.database.read
        .selectFrom('audit_events')
        .selectAll()
        .where('action', '=', 'provider.changed')
        .execute()
    const other = rooms.idp.oauth2Config()
    // There are no accounts yet, so none are lost.
    await (await rooms.node({ provider: other })).close()
    await (await rooms.node()).close()
    expect([logLines(), await events()]).toEqual([[], []])
    await rooms.signedInBrowser()
    await (await rooms.node()).close()
    expect([logLines(), await events()]).toEqual([[], []])
    const changed = await rooms.node({ provider: other })
    expect(logLines()).toHaveLength(1)
    const [event, ...more] = await events()
    expect(more).toEqual([])
    expect(event).toMatchObject({ actor_user_id: null, client_ip: null })
    expect(JSON.parse(event?.metadata ?? '')).toEqual({
      from: { mode: 'oidc', issuer: rooms.idp.issuer },
      to: { mode: 'oauth2', issuer: `oauth2:${rooms.idp.issuer}` },
      unreachableAccounts: 1,
    })
    await (await rooms.node({ provider: other })).close()
    expect(logLines()).toHaveLength(1)
    await changed.close()
    await rooms.close()
  })

  for (const [what, provider, changed] of [
    [
      'another realm of one host in oauth2',
      (idp) => idp.oauth2Config(),
      (idp) => idp.oauth2Config({ userinfoEndpoint: `${idp.issuer}/userinfo?realm=b` }),
    ],
    [
      'another subject path',
      (idp) => idp.config(),
      (idp) => idp.config({ subjectPath: claimPath('preferred_username') }),
    ],
  ] as [string, ...((idp: HostileProvider) => ProviderConfig)[]][])
    test(`R28.7: ${what} makes no one an administrator by an equal subject, and is shown in log, audit and admin page`, async () => {
      const person = { sub: 'alice', preferred_username: 'alice' }
      const rooms = await openRooms({ url: await newUrl(), provider: provider! })
      const { read } = rooms.rooms.database
      const logLines = () =>
        rooms.logLines.filter((line) => line.includes('may be accessible to other people'))
      const grants = () =>
        read.selectFrom('role_grants').select(['source']).where('role', '=', 'platform_admin').execute()
      const alice = await rooms.signedInBrowser({ ...person, name: 'Alice of realm A' })
      const { user } = await alice.json<{ user: { id: string } }>('/api/session')
      await rooms.rooms.database.write((tx) =>
        grantPlatformAdmin(tx, {
          userId: user.id,
          source: 'claim',
          grantedBy: null,
          origin: { clientIp: null, requestId: null, nowMs: rooms.clock.ms },
        }),
      )
      await (await rooms.node()).close()
      expect([logLines(), await grants()]).toEqual([[], [{ source: 'bootstrap' }, { source: 'claim' }]])

      const other = await rooms.node({ provider: changed!(rooms.idp) })
      expect(logLines()).toHaveLength(1)
      // The grant by claim depends on the next login.
      expect(await grants()).toEqual([{ source: 'claim' }])
      expect((await alice.send('/api/session')).status).toBe(401)
      const mallory = await other.signedInBrowser({ ...person, name: 'Mallory of realm B' })
      const session = await mallory.json<{ user: { id: string; platformAdmin: boolean } }>('/api/session')
      expect(session.user).toMatchObject({ id: user.id, platformAdmin: false })
      const events = await read
        .selectFrom('audit_events')
        .select(['action', 'metadata'])
        .where('action', 'in', ['provider.changed', 'grant.remove'])
        .orderBy('id')
        .execute()
      expect(events.map(({ action }) => action)).toEqual(['provider.changed', 'grant.remove', 'grant.remove'])
      expect(JSON.parse(events[0]!.metadata)).toMatchObject({ inheritableAccounts: 1 })
      // The second start finds no change.
      await (await rooms.node({ provider: changed!(rooms.idp) })).close()
      expect(logLines()).toHaveLength(1)

      // A login that began under the old settings cannot be completed under the new ones.
      const browser = rooms.browser()
      const callback = rooms.idp.authorize(await browser.startLogin(), person)
      const late = other.browser()
      for (const [name, value] of browser.cookies) late.cookies.set(name, value)
      const answer = await late.send(callback)
      expect(answer.headers.get('location')).toContain('error=state_invalid')

      const origin = { clientIp: null, requestId: null, nowMs: rooms.clock.ms }
      await rooms.rooms.database.write((tx) =>
        grantPlatformAdmin(tx, { userId: user.id, source: 'bootstrap', grantedBy: null, origin }),
      )
      expect(await mallory.json('/api/admin/provider')).toMatchObject({
        unreachableAccounts: 0,
        inheritableAccounts: 1,
      })
      await other.close()
      await rooms.close()
    })

  if (dialect === 'postgres') return

  test('R8.5: if another provider leaves no administrator who can sign in, the start logs how to grant the right', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const hint = 'latchkey rooms admin grant'
    await rooms.signedInBrowser()
    await (await rooms.node()).close()
    expect(rooms.logLines.join('')).not.toContain(hint)
    const other = { provider: rooms.idp.oauth2Config() }
    await (await rooms.node(other)).close()
    expect(rooms.logLines.join('')).toContain(hint)
    rooms.logLines.length = 0
    await (await rooms.node()).close()
    expect(rooms.logLines.join('')).not.toContain(hint)
    await rooms.close()
  })

  test('R28.7: an instance without a stored subject source, or without accounts, loses no administrator', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    const withSubjectPath = (path: string) => ({
      provider: rooms.idp.config({ subjectPath: claimPath(path) }),
    })
    await (await rooms.node(withSubjectPath('a'))).close()
    await (await rooms.node()).close()
    const alice = await rooms.signedInBrowser()
    await rooms.rooms.database.write((tx) =>
      tx.deleteFrom('platform_state').where('key', 'like', 'source %').execute(),
    )
    await (await rooms.node(withSubjectPath('a'))).close()
    expect(await alice.json('/api/session')).toMatchObject({ user: { platformAdmin: true } })
    expect(rooms.logLines.join('')).not.toContain('may be accessible to other people')
    await rooms.close()
  })

  test('R28.7: another realm is noticed even if another provider was configured in between', async () => {
    const rooms = await openRooms({ url: await newUrl(), provider: (idp) => idp.oauth2Config() })
    await rooms.signedInBrowser()
    await (await rooms.node({ provider: rooms.idp.config() })).close()
    const realm = rooms.idp.oauth2Config({ userinfoEndpoint: `${rooms.idp.issuer}/userinfo?realm=b` })
    const other = await rooms.node({ provider: realm })
    const mallory = await other.signedInBrowser()
    expect(await mallory.json('/api/session')).toMatchObject({ user: { platformAdmin: false } })
    await other.close()
    await rooms.close()
  })

  test('R8.5: another mode of the same provider is reported without a warning about lost accounts', async () => {
    const rooms = await openRooms({ url: await newUrl() })
    await rooms.signedInBrowser()
    await (await rooms.node({ provider: rooms.idp.teamidpConfig() })).close()
    const lines = rooms.logLines.filter((line) => line.includes('provider: changed'))
    expect(lines).toEqual([expect.stringContaining('"level":"info"')])
    expect(lines.join('')).not.toContain('are unreachable')
    await rooms.close()
  })

  test('R9.2: as long as there is no administrator, the start logs how to grant the right', async () => {
    const rooms = await openRooms({ url: await newUrl(), settings: { adminBootstrap: 'off' } })
    const hint = 'latchkey rooms admin grant'
    expect(rooms.logLines.join('')).toContain(hint)
    rooms.logLines.length = 0
    await (await rooms.node({ adminBootstrap: 'first-login' })).close()
    expect(rooms.logLines.join('')).not.toContain(hint)
    await rooms.close()
  })
})
