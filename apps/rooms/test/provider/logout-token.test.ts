import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import type { Provider } from '../../src/login/provider.ts'
import { ALICE, type Change, CLIENT_ID, type Json, LOGOUT_EVENT, newSigningKey } from './hostile.ts'
import { type ProviderBench, NONCE, openProviderBench, failureOf } from './provider.ts'

let at: ProviderBench
let provider: Provider
beforeAll(async () => {
  at = await openProviderBench()
  provider = at.provider(at.idp.teamidpConfig())
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const same: Change = (usual) => usual
const with_ = (members: Json) => (usual: Json) => ({ sub: 'alice', ...usual, ...members })
const check = (token: string) => failureOf(provider.verifyLogoutToken(token))
const outcome = (members: Json, header: Change = same) => check(at.idp.logoutToken(with_(members), header))
const accepted = 'nothing failed'
const nowSeconds = () => at.clock.ms / 1000

test('C108: a valid token names the sessions that it ends, and unknown claims are ignored (oidcc-client-test-rp-backchannel-rpinitlogout)', async () => {
  const token = at.idp.logoutToken(with_({ jti: 'token-1', sid: 'session-1', trace_id: 'x', nbf: 'y' }))
  expect(await provider.verifyLogoutToken(token)).toEqual({
    issuer: at.idp.issuer,
    jti: 'token-1',
    sub: 'alice',
    sid: 'session-1',
    issuedAtSeconds: nowSeconds(),
    expiresAtSeconds: nowSeconds() + 120,
  })
})

test('C109: alg none is refused (oidcc-client-test-rp-backchannel-rpinitlogout-alg-none)', async () => {
  for (const alg of ['none', 'None', undefined, null, ['RS256']])
    expect(await outcome({}, (header) => ({ ...header, alg }))).toBe(
      'token_invalid: logout token algorithm not expected',
    )
  const unsigned = at.idp
    .logoutToken(with_({}), (header) => ({ ...header, alg: 'none' }))
    .replace(/[^.]*$/, '')
  expect(await check(unsigned)).toBe('token_invalid: logout token malformed')
})

test('C109: another algorithm and another key are refused (oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg)', async () => {
  const claims = {
    iss: at.idp.issuer,
    aud: CLIENT_ID,
    iat: nowSeconds(),
    exp: nowSeconds() + 60,
    jti: 'x',
    sub: 'alice',
    events: { [LOGOUT_EVENT]: {} },
  }
  expect(await check(at.idp.sign(claims))).toBe(accepted)
  const ec = newSigningKey('ES256')
  expect(await check(at.idp.sign(claims, same, ec))).toBe(
    'token_invalid: logout token algorithm not expected',
  )
  const stranger = newSigningKey('RS256', { kid: at.idp.keys[0]!.kid })
  expect(await check(at.idp.sign(claims, same, stranger))).toBe('token_invalid: logout token signature wrong')
})

test('C109: a token that is malformed, has duplicate or critical members, or is longer than 16 KiB is refused', async () => {
  for (const token of ['', 'a.b', 'a.b.c', 'no token', `${at.idp.logoutToken(with_({}))}.x`])
    expect(await check(token)).toBe('token_invalid: logout token malformed')
  const text = JSON.stringify({ iss: at.idp.issuer }).replace('{', '{"iss":"x",')
  expect(await check(at.idp.sign(text))).toBe('token_invalid: logout token malformed')
  expect(await outcome({}, (header) => ({ ...header, crit: ['x'] }))).toBe(
    'token_invalid: logout token has critical extensions',
  )
  expect(await outcome({ filler: 'x'.repeat(16_384) })).toBe('token_invalid: logout token too long')
})

test('C110: a wrong iss is refused (oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss)', async () => {
  for (const iss of ['https://other.example', `${at.idp.issuer}/`, undefined, null, [at.idp.issuer]])
    expect(await outcome({ iss })).toBe('token_invalid: logout token issuer wrong')
})

test('C110: a wrong aud and any second audience are refused (oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud)', async () => {
  for (const aud of ['other', undefined, null, [], ['other'], `${CLIENT_ID}x`, [[CLIENT_ID]]])
    expect(await outcome({ aud })).toBe('token_invalid: logout token audience wrong')
  for (const aud of [
    ['other', CLIENT_ID],
    [CLIENT_ID, null],
  ])
    expect(await outcome({ aud })).toBe(
      'token_invalid: logout token has an audience that AUTH_AUDIENCES does not list',
    )
  expect(await outcome({ aud: [CLIENT_ID] })).toBe(accepted)
})

test('R13.4: AUTH_AUDIENCES permits a further audience, and azp must only not be wrong', async () => {
  const permissive = at.provider(at.idp.config({ audiences: ['2712'] }))
  const outcomeOf = (claims: Json) =>
    failureOf(permissive.verifyLogoutToken(at.idp.logoutToken(with_(claims))))
  for (const azp of [undefined, CLIENT_ID])
    expect(await outcomeOf({ aud: [CLIENT_ID, '2712'], ...(azp && { azp }) })).toBe(accepted)
  expect(await outcomeOf({ aud: [CLIENT_ID, '2712'], azp: '2712' })).toBe(
    'token_invalid: logout token authorized party wrong',
  )
  expect(await outcomeOf({ aud: ['2712'] })).toBe('token_invalid: logout token audience wrong')
})

test('C111: events that are missing, of another kind or malformed are refused (oidcc-client-test-rp-backchannel-rpinitlogout-no-event, oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event)', async () => {
  for (const events of [
    undefined,
    null,
    LOGOUT_EVENT,
    [LOGOUT_EVENT],
    {},
    { 'http://schemas.openid.net/event/other': {} },
    { [LOGOUT_EVENT]: null },
    { [LOGOUT_EVENT]: [] },
    { [LOGOUT_EVENT]: 'x' },
    { [LOGOUT_EVENT]: true },
  ])
    expect(await outcome({ events })).toBe('token_invalid: logout token event missing or malformed')
  const events = { [LOGOUT_EVENT]: { more: 1 }, 'http://other.example/event': {} }
  expect(await outcome({ events })).toBe(accepted)
})

test('C112: a nonce of any value is refused (oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce)', async () => {
  for (const nonce of ['x', '', null, 0])
    expect(await outcome({ nonce })).toBe('token_invalid: logout token has a nonce')
})

test('C112: typ is absent, JWT or logout+jwt, and an ID token sent here is refused', async () => {
  for (const typ of [undefined, 'JWT', 'logout+jwt'])
    expect(await outcome({}, (header) => ({ ...header, typ }))).toBe(accepted)
  for (const typ of ['at+jwt', 'logout+JWT', '', null, 1])
    expect(await outcome({}, (header) => ({ ...header, typ }))).toBe(
      'token_invalid: logout token type not expected',
    )
  expect(await check(at.idp.signIdToken(ALICE, NONCE))).toBe(
    'token_invalid: logout token event missing or malformed',
  )
})

test('C114 C115: jti, and sub or sid, are non-empty strings', async () => {
  expect(await outcome({ jti: undefined })).toBe('token_invalid: logout token id missing')
  for (const jti of ['', null, 1, ['x'], 'a\u0000'])
    expect(await outcome({ jti })).toBe('token_invalid: logout token jti malformed')
  expect(await outcome({ sub: undefined })).toBe('token_invalid: logout token without sub and sid')
  for (const sub of ['', null, 1]) {
    expect(await outcome({ sub, sid: 'session-1' })).toBe('token_invalid: logout token sub malformed')
    expect(await outcome({ sid: sub })).toBe('token_invalid: logout token sid malformed')
  }
  const token = at.idp.logoutToken((claims) => ({ ...claims, sid: 'session-1' }))
  expect(await provider.verifyLogoutToken(token)).toMatchObject({ sub: null, sid: 'session-1' })
})

test('C113: iat is required and at most 30 s ahead; exp, if present, decides, at most 10 minutes after iat', async () => {
  const now = nowSeconds()
  for (const iat of [undefined, null, String(now)])
    expect(await outcome({ iat })).toBe('token_invalid: logout token issue time missing or malformed')
  expect(await outcome({ iat: now + 31, exp: now + 100 })).toBe(
    'token_invalid: logout token issued in the future',
  )
  for (const exp of [undefined, null, String(now + 60)])
    expect(await outcome({ exp })).toBe('token_invalid: logout token expiry missing or malformed')
  for (const [iat, exp] of [
    [now - 60, now],
    [now - 60, now - 1],
    [now - 600, now + 3600],
    [now - 86_400, now + 86_400],
    [now, -1],
  ])
    expect(await outcome({ iat, exp })).toBe('token_invalid: logout token expired')
  for (const [iat, exp, end] of [
    [now + 30, now + 60, now + 60],
    [now - 60, now + 1, now + 1],
    [now - 599, now + 3600, now + 1],
    [now - 0.5, now + 3600, now + 600],
  ]) {
    const token = at.idp.logoutToken(with_({ iat, exp }))
    expect(await provider.verifyLogoutToken(token)).toMatchObject({ expiresAtSeconds: end })
  }
})

test('C113: without exp a token is accepted only with LOGOUT_TOKEN_MAX_AGE, up to that age', async () => {
  const lenient = at.provider(at.idp.teamidpConfig({ logoutTokenMaxAgeSeconds: 120 }))
  const outcomeAt = async (age: number, exp?: unknown) =>
    failureOf(lenient.verifyLogoutToken(at.idp.logoutToken(with_({ iat: nowSeconds() - age, exp }))))
  expect(await outcomeAt(119)).toBe(accepted)
  expect(await outcomeAt(120)).toBe('token_invalid: logout token expired')
  expect(await outcomeAt(130, nowSeconds() + 5)).toBe(accepted)
  expect(await outcomeAt(0, null)).toBe('token_invalid: logout token expiry missing or malformed')
})

test('C108: a provider that does not respond when its token arrives costs less than the 2 s of the response', async () => {
  const impatient = await openProviderBench({ timeouts: { logoutTokenMs: 40 } })
  impatient.idp.answer('metadata', () => new Promise<Response>(() => {}))
  const token = impatient.idp.logoutToken(with_({}))
  expect(await failureOf(impatient.provider().verifyLogoutToken(token))).toBe(
    'provider_unavailable: no answer from the provider in time',
  )
  await impatient.stop()
})

test('C107: there are no logout tokens in oauth2 mode', async () => {
  const oauth2 = at.provider(at.idp.oauth2Config())
  expect(await failureOf(oauth2.verifyLogoutToken(at.idp.logoutToken(with_({}))))).toBe(
    'token_invalid: no logout tokens in this mode',
  )
})
