import { expect, test } from 'bun:test'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import { findAuditEvents } from '../audit-log.ts'
import { ALICE, type HostileProvider, hostileProvider } from '../provider/hostile.ts'
import { openRooms } from '../rooms.ts'
import { counts, dump, target } from './steps.ts'

const MODES: [string, (idp: HostileProvider) => ProviderConfig][] = [
  ['oidc', (idp) => idp.config()],
  ['teamidp', (idp) => idp.teamidpConfig()],
  ['oauth2', (idp) => idp.oauth2Config()],
]

test.each(MODES)(
  'C82 R28.7: equal subjects of two providers are two accounts, and the change of provider is logged (%s)',
  async (mode, configure) => {
    const t = await openRooms({ provider: configure })
    const elsewhere = await hostileProvider({ now: () => t.clock.ms })
    const first = await t.signedInBrowser()
    expect(await findAuditEvents(t.rooms, 'provider.changed')).toEqual([])
    const node = await t.node({ provider: configure(elsewhere) })
    const browser = node.browser()
    expect(target(await browser.send(elsewhere.authorize(await browser.startLogin(), ALICE)))).toBe('/')
    const { identities, users } = await dump(t.rooms)
    const prefix = mode === 'oauth2' ? 'oauth2:' : ''
    expect(identities.map(({ issuer, subject }) => [issuer, subject])).toEqual(
      expect.arrayContaining([
        [`${prefix}${t.idp.issuer}`, 'alice'],
        [`${prefix}${elsewhere.issuer}`, 'alice'],
      ]),
    )
    expect(users).toHaveLength(2)
    const [one, two] = [await me(first), await me(browser)]
    expect(one.id).not.toBe(two.id)
    // A user of another provider is not the first user.
    expect(two.platformAdmin).toBe(false)
    const [change, ...more] = await findAuditEvents(t.rooms, 'provider.changed')
    expect(more).toEqual([])
    expect(change?.metadata).toMatchObject({
      from: { issuer: `${prefix}${t.idp.issuer}` },
      to: { issuer: `${prefix}${elsewhere.issuer}` },
    })
    expect(t.logLines.filter((line) => line.includes('provider: changed'))).toHaveLength(1)
    await node.close()
    await elsewhere.stop()
    await t.close()
  },
)

test('C82: the first start, a start with the same provider, and a start before any sign-in log nothing', async () => {
  const t = await openRooms()
  const other = await t.node({ provider: t.idp.config({ issuer: `${t.idp.issuer}/` }) })
  const back = await t.node()
  await back.signedInBrowser()
  const again = await t.node()
  expect(await findAuditEvents(t.rooms, 'provider.changed')).toEqual([])
  for (const node of [other, back, again, t]) await node.close()
})

test('C83 R8.2: another subject with the same email address, verified or not, is another account', async () => {
  const t = await openRooms()
  const people = [
    ALICE,
    { ...ALICE, sub: 'alice-2', email_verified: true },
    { ...ALICE, sub: 'ALICE', email_verified: false },
    { ...ALICE, sub: 'alice ', preferred_username: 'alice' },
  ]
  const ids = []
  for (const person of people) ids.push((await me(await t.signedInBrowser(person))).id)
  expect(new Set(ids).size).toBe(people.length)
  expect((await counts(t.rooms)).users).toBe(people.length)
  await t.close()
})

test('R8.3: each sign-in updates name and email, a missing email is removed, and the account stays the same', async () => {
  const t = await openRooms()
  const before = await me(await t.signedInBrowser())
  const after = await me(await t.signedInBrowser({ sub: 'alice', name: 'Alice Berg' }))
  expect(after).toMatchObject({ id: before.id, nickname: 'Alice Berg', email: null })
  expect(after.avatarColor).toBe(before.avatarColor)
  const { users, identities } = await dump(t.rooms)
  expect([users.length, identities.length]).toEqual([1, 1])
  await t.close()
})

test('R8.3: only the claims that are needed are stored', async () => {
  const t = await openRooms({ provider: (idp) => idp.oauth2Config() })
  await t.signedInBrowser({
    ...ALICE,
    phone_number: '+46-70-555',
    groups: ['secret-society'],
    picture: 'https://x.example/p',
  })
  const stored = JSON.stringify(await dump(t.rooms))
  for (const claim of ['+46-70-555', 'secret-society', 'x.example']) expect(stored).not.toContain(claim)
  await t.close()
})

test('R8.4: a disabled account gets a clear error page, no session, and is not changed', async () => {
  const t = await openRooms()
  await t.signedInBrowser()
  await t.rooms.database.write(async (tx) => {
    await tx.updateTable('users').set({ disabled: 1 }).execute()
  })
  const before = await dump(t.rooms)
  const browser = t.browser()
  expect(target(await browser.signIn({ ...ALICE, name: 'Somebody Else' }))).toBe(
    '/login?error=account_disabled',
  )
  expect(browser.token).toBeUndefined()
  const after = await dump(t.rooms)
  for (const table of ['users', 'identities', 'sessions', 'role_grants'] as const)
    expect(after[table]).toEqual(before[table])
  expect((await findAuditEvents(t.rooms, 'auth.login_failed')).map(({ metadata }) => metadata)).toEqual([
    { code: 'account_disabled', reason: 'account disabled', count: 1 },
  ])
  await t.close()
})

test('C93: a guest session that was planted in a browser is ended by the sign-in, and the new session has another id', async () => {
  const t = await openRooms()
  const attacker = t.browser()
  await attacker.json('/api/session', { body: { nickname: 'Robin' } }, 201)
  const planted = attacker.token ?? ''
  const victim = t.browser()
  victim.cookies.set('__Host-latchkey_session', planted)
  expect(target(await victim.signIn())).toBe('/')
  expect(victim.token).toMatch(/^[\w-]{43}$/)
  expect(victim.token).not.toBe(planted)
  expect((await attacker.send('/api/session')).status).toBe(401)
  expect(await me(victim)).toMatchObject({ identityType: 'oauth', nickname: 'Alice Andersson' })
  // The guest remains a separate account (R14.7).
  expect((await counts(t.rooms)).users).toBe(2)
  await t.close()
})

test('C93 R10.3: signing in again ends the earlier session of this browser and no other', async () => {
  const t = await openRooms()
  const elsewhere = await t.signedInBrowser()
  const browser = await t.signedInBrowser()
  const old = browser.token ?? ''
  await browser.signIn()
  const revoked = (await dump(t.rooms)).sessions.filter(({ revoked_at }) => revoked_at !== null)
  expect(revoked.map(({ revoke_reason }) => revoke_reason)).toEqual(['revoked'])
  expect(t.publishedEvents).toEqual([{ kind: 'sessions', sessionIds: [String(revoked[0]?.['id'])] }])
  const thief = t.browser()
  thief.cookies.set('__Host-latchkey_session', old)
  expect((await thief.send('/api/session')).status).toBe(401)
  for (const live of [elsewhere, browser]) expect((await live.send('/api/session')).status).toBe(200)
  await t.close()
})

test('R28.1: a late response to the earlier cookie does not affect a user who has signed in again meanwhile', async () => {
  const t = await openRooms()
  const browser = await t.signedInBrowser()
  const old = browser.token ?? ''
  await browser.signIn()
  const late = t.browser()
  late.cookies.set('__Host-latchkey_session', old)
  const answer = await late.send('/api/session')
  expect(answer.status).toBe(401)
  expect(answer.headers.getSetCookie()).toEqual([])
  // A cookie that is still sent later belongs to no session.
  t.clock.ms += 60_001
  expect((await late.send('/api/session')).status).toBe(401)
  expect(late.token).toBeUndefined()
  expect((await browser.send('/api/session')).status).toBe(200)
  await t.close()
})

test('R28.1: a late response to the cookie of an earlier guest does not affect the sign-in of the same browser', async () => {
  const t = await openRooms()
  const browser = t.browser()
  await browser.json('/api/session', { body: { nickname: 'Visitor' } }, 201)
  const late = t.browser()
  late.cookies.set('__Host-latchkey_session', browser.token ?? '')
  await browser.signIn()
  const answer = await late.send('/api/session')
  expect([answer.status, answer.headers.getSetCookie()]).toEqual([401, []])
  await t.close()
})

test('C93: a failed login leaves the browser’s session untouched', async () => {
  const t = await openRooms()
  const browser = await t.signedInBrowser()
  const callback = new URL(t.idp.authorize(await browser.startLogin(), ALICE))
  callback.searchParams.set('error', 'access_denied')
  expect(target(await browser.send(callback.href))).toBe('/login?error=cancelled')
  expect((await browser.send('/api/session')).status).toBe(200)
  await t.close()
})

test('C65: the same ID token creates no second session', async () => {
  const t = await openRooms()
  let captured: unknown
  t.idp.token((answer) => {
    captured ??= answer['id_token']
    return { ...answer, id_token: captured }
  })
  await t.signedInBrowser()
  const browser = t.browser()
  expect(target(await browser.signIn())).toBe('/login?error=token_invalid')
  expect(browser.token).toBeUndefined()
  expect((await counts(t.rooms)).sessions).toBe(1)
  await t.close()
})

interface Me {
  id: string
  nickname: string
  email: string | null
  avatarColor: string
  platformAdmin: boolean
}

async function me(browser: { json<Body>(address: string): Promise<Body> }): Promise<Me> {
  return (await browser.json<{ user: Me }>('/api/session')).user
}
