import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { OidcConfig } from '../../src/identity/provider-config.ts'
import { ALICE, type HostileProvider, claimPath, conditions } from './hostile.ts'
import { type ProviderBench, openProviderBench, failureOf, failureOfSilent, login } from './provider.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const accepted = 'nothing failed'

test('C75: the access token is sent in the Bearer header, never in the URL (oidcc-client-test-userinfo-bearer-header)', async () => {
  for (const config of [at.idp.config(), at.idp.oauth2Config()]) {
    at.idp.token((answer) => ({ ...answer }))
    await login(at, at.provider(config))
    const request = at.idp.requests.findLast(({ endpoint }) => endpoint === 'userinfo')!
    expect(request.method).toBe('GET')
    expect(request.headers.get('authorization')).toMatch(/^Bearer [!-~]+$/)
    expect(request.url.search).toBe('')
    expect(request.body).toBe('')
  }
})

test("C76 its sub must be the ID token's: missing or different is refused (oidcc-client-test-userinfo-invalid-sub)", async () => {
  for (const sub of ['bob', 'Alice', 'alice ', '', undefined, null, ['alice'], 1]) {
    at.idp.userinfo((claims) => ({ ...claims, sub }))
    expect(await failureOf(login(at, at.provider()))).toBe('token_invalid: userinfo subject differs')
  }
})

test('C77: user-info never replaces a claim of the ID token, not even null', async () => {
  const config = at.idp.teamidpConfig({ adminClaim: { path: claimPath('groups'), value: 'admins' } })
  at.idp.idToken((claims) => ({ ...claims, groups: ['users'], teams: [], email: null }))
  at.idp.userinfo((claims) => ({
    ...claims,
    name: 'Mallory',
    groups: ['admins'],
    teams: [{ id: 'red', role: 'owner' }],
    email: 'mallory@example.com',
  }))
  expect(await login(at, at.provider(config))).toMatchObject({
    name: 'Alice Andersson',
    isAdmin: false,
    ownedTeams: [],
    email: null,
  })
  at.idp.idToken((claims) => ({ ...claims, name: undefined }))
  expect(await login(at, at.provider(config))).toMatchObject({
    name: 'Mallory',
    isAdmin: true,
    ownedTeams: ['red'],
  })
})

test('C77: user-info adds nothing to a claim of the ID token, not even by a name with dots that equals the path', async () => {
  const config = at.idp.teamidpConfig({
    adminClaim: { path: claimPath('realm.roles'), value: 'admin' },
    subjectPath: claimPath('person.id'),
    namePaths: [claimPath('person.name')],
    emailPath: claimPath('person.email'),
    teams: { ...at.idp.teamidpConfig().teams!, claimPath: claimPath('org.teams') },
  })
  const dotted = {
    'realm.roles': ['admin'],
    'person.id': 'mallory',
    'person.name': 'Mallory',
    'person.email': 'mallory@example.com',
    'org.teams': [{ id: 'red', role: 'owner' }],
  }
  at.idp.idToken((claims) => ({ ...claims, realm: {}, person: { id: 7, name: 'Alice' }, org: null }))
  at.idp.userinfo((claims) => ({ ...claims, ...dotted, realm: { roles: ['admin'] } }))
  const alice = { subject: '7', name: 'Alice', email: null, isAdmin: false, ownedTeams: [] }
  expect(await login(at, at.provider(config))).toMatchObject(alice)
  at.idp.idToken((claims) => ({ ...claims, ...dotted }))
  at.idp.userinfo((claims) => ({ ...claims, person: { id: 7, name: 'Alice' }, realm: {}, org: {} }))
  expect(await login(at, at.provider(config))).toMatchObject({ subject: 'mallory', isAdmin: true })
  at.idp.idToken((claims) => claims)
  at.idp.userinfo((claims) => ({ ...claims, ...dotted }))
  expect(await login(at, at.provider(config))).toMatchObject({ subject: 'mallory', ownedTeams: ['red'] })
})

test("C78 a redirect, a JWT or a list is refused; 500 and silence too, as the provider's absence", async () => {
  const jwt = at.idp.sign({ ...ALICE })
  const other = await openProviderBench()
  for (const [answer, failure] of [
    [() => Response.json(ALICE, { status: 204 + 2 }), 'provider_error: userinfo endpoint refused'],
    [() => Response.redirect(at.idp.issuer, 302), 'provider_error: userinfo endpoint refused'],
    [
      () => new Response(jwt, { headers: { 'content-type': 'application/jwt' } }),
      'provider_error: userinfo answer is not a JSON object',
    ],
    [() => Response.json([ALICE]), 'provider_error: userinfo answer is not a JSON object'],
    [() => Response.json(ALICE, { status: 500 }), 'provider_unavailable: userinfo endpoint failed'],
  ] as const)
    for (const config of [other.idp.config(), other.idp.oauth2Config()]) {
      other.idp.answer('userinfo', answer)
      expect(await failureOf(login(other, other.provider(config)))).toBe(failure)
    }
  await other.stop()
  for (const config of [(idp: HostileProvider) => idp.config(), (idp: HostileProvider) => idp.oauth2Config()])
    expect(await failureOfSilent('userinfo', config)).toEqual({
      requestCount: 1,
      failure: 'provider_unavailable: userinfo does not answer',
    })
})

test('C78 401, 403 and 404 fail only what is then missing', async () => {
  for (const status of [401, 403, 404]) {
    at.idp.answer('userinfo', () => Response.json(ALICE, { status }))
    const config = at.idp.config({ adminClaim: { path: claimPath('groups'), value: 'admins' } })
    expect(await login(at, at.provider(config))).toMatchObject({
      subject: 'alice',
      name: 'Alice Andersson',
      email: null,
      isAdmin: false,
    })
    expect(at.logLines.at(-1)).toContain('only the claims of the ID token count')
    at.idp.idToken((claims) => ({ ...claims, name: undefined }))
    expect(await failureOf(login(at, at.provider()))).toBe('identity_incomplete: name missing or blank')
    at.idp.idToken((claims) => claims)
    expect(await failureOf(login(at, at.provider(at.idp.oauth2Config())))).toBe(
      'provider_error: userinfo endpoint refused',
    )
  }
})

test('R7.5: user-info is not requested if the ID token has all that is read', async () => {
  const adminClaim = { path: claimPath('groups'), value: 'admins' }
  const complete = { email: 'alice@example.com', groups: ['admins'], teams: [{ id: 'red', role: 'owner' }] }
  const requestsWith = async (claims: Record<string, unknown>, settings: Partial<OidcConfig> = {}) => {
    const before = at.idp.calls.userinfo
    at.idp.idToken((usual) => ({ ...usual, ...complete, ...claims }))
    await login(at, at.provider(at.idp.teamidpConfig({ adminClaim, ...settings })))
    return at.idp.calls.userinfo - before
  }
  expect(await requestsWith({})).toBe(0)
  for (const missing of ['name', 'email', 'groups', 'teams'])
    expect(await requestsWith({ [missing]: undefined })).toBe(1)
  expect(await requestsWith({ email: null })).toBe(1)
  // Not asked for: no scope, and no path of the operator's.
  const scopes = ['openid', 'profile']
  expect(await requestsWith({ email: undefined }, { scopes })).toBe(0)
  expect(await requestsWith({}, { scopes, emailPath: claimPath('mail') })).toBe(1)
  expect(await requestsWith({ hd: 'a' }, { conditions: conditions('hd=a') })).toBe(0)
  at.idp.userinfo((usual) => ({ ...usual, hd: 'a', email_verified: true }))
  for (const text of ['hd=a', 'email_domain=example.com'])
    expect(await requestsWith({}, { conditions: conditions(text) })).toBe(1)
})

test('R7.5: if no user-info is advertised, the ID token alone identifies the user', async () => {
  const before = at.idp.calls.userinfo
  for (const userinfo_endpoint of [undefined, null]) {
    at.idp.metadata((document) => ({ ...document, userinfo_endpoint }))
    expect(await failureOf(login(at, at.provider()))).toBe(accepted)
  }
  expect(at.idp.calls.userinfo).toBe(before)
})
