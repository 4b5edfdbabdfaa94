// The validation of logout tokens (R13.2 to R13.5), through the whole service.
import { describe, expect, test } from 'bun:test'
import { createHmac, createPublicKey } from 'node:crypto'
import { listAuditEvents } from '../audit-log.ts'
import { ALICE, type Json, LOGOUT_EVENT, base64url, newSigningKey } from '../provider/hostile.ts'
import { roomsPerTest } from '../per-test.ts'
import { type TestRooms } from '../rooms.ts'
import { deliver } from './deliver.ts'

const { rooms } = roomsPerTest()

const OF_ALICE = (claims: Json): Json => ({ ...claims, sub: 'alice' })

/** The response to each token, and whether Alice is still signed in after all of them. */
async function answersTo(service: TestRooms, tokens: Record<string, string>) {
  const browser = await service.signedInBrowser(ALICE)
  const answers: Record<string, number> = {}
  for (const [name, token] of Object.entries(tokens)) answers[name] = (await deliver(service, token)).status
  return { answers, isSignedIn: (await browser.send('/api/session')).status === 200 }
}

function everyOne(tokens: Record<string, unknown>, status: number): Record<string, number> {
  return Object.fromEntries(Object.keys(tokens).map((name) => [name, status]))
}

async function expectRefused(service: TestRooms, tokens: Record<string, string>): Promise<void> {
  expect(await answersTo(service, tokens)).toEqual({ answers: everyOne(tokens, 400), isSignedIn: true })
  const { read } = service.rooms.database
  expect(await read.selectFrom('logout_tokens').selectAll().execute()).toEqual([])
  expect(await read.selectFrom('logout_markers').selectAll().execute()).toEqual([])
}

describe('the endpoint', () => {
  test('C107: a form with one logout token is accepted, whatever other fields it has', async () => {
    const service = await rooms()
    const token = service.idp.logoutToken(OF_ALICE)
    const body = new URLSearchParams({ client_id: 'x', logout_token: token, state: '1' })
    expect((await deliver(service, '', { body })).status).toBe(200)
  })

  test('C107: JSON, no token, two tokens, a malformed form and 17 KiB are refused with 400', async () => {
    const service = await rooms()
    const token = service.idp.logoutToken(OF_ALICE)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const bad: Record<string, [BodyInit | null, Record<string, string>]> = {
      json: [JSON.stringify({ logout_token: token }), { 'content-type': 'application/json' }],
      text: [`logout_token=${token}`, { 'content-type': 'text/plain' }],
      untyped: [Buffer.from(`logout_token=${token}`), {}],
      nothing: [null, form],
      other: ['token=1', form],
      empty: ['logout_token=', form],
      two: [`logout_token=${token}&logout_token=${token}`, form],
      long: [`logout_token=${'a'.repeat(17 * 1024)}`, form],
      huge: [`logout_token=${token}&filler=${'a'.repeat(70_000)}`, form],
      bytes: [Buffer.from([0xff, 0xfe, 0x00]), form],
    }
    for (const [name, [body, headers]] of Object.entries(bad)) {
      const answer = await deliver(service, '', { body, headers })
      expect([name, answer.status]).toEqual([name, 400])
      expect(await answer.json()).toEqual({
        error: 'invalid_request',
        error_description: expect.stringMatching(/^The logout token was refused: [a-z ]+$/),
        code: 'invalid_request',
      })
      expect(answer.headers.get('cache-control')).toBe('no-store')
    }
    expect((await deliver(service, token)).status).toBe(200)
  })

  test('C107: other methods are refused with 405 and the supported one', async () => {
    const service = await rooms()
    for (const method of ['GET', 'HEAD', 'PUT', 'DELETE', 'PATCH', 'OPTIONS']) {
      const answer = await deliver(service, service.idp.logoutToken(OF_ALICE), { method })
      expect([method, answer.status, answer.headers.get('allow')]).toEqual([method, 405, 'POST'])
    }
  })

  test('R13.1 C107: if back-channel logout is off, and in oauth2 mode, the address does not exist', async () => {
    for (const provider of [
      (idp: TestRooms['idp']) => idp.config({ backchannelLogout: false }),
      (idp: TestRooms['idp']) => idp.oauth2Config(),
    ]) {
      const service = await rooms({ provider })
      const browser = await service.signedInBrowser(ALICE)
      for (const method of ['POST', 'GET', 'PUT'])
        expect((await deliver(service, service.idp.logoutToken(OF_ALICE), { method })).status).toBe(404)
      expect((await browser.send('/api/session')).status).toBe(200)
    }
  })

  test('R11.3 C107: cookies, Origin, Sec-Fetch-Site and Host do not matter here', async () => {
    const service = await rooms()
    const browser = await service.signedInBrowser(ALICE)
    const twice = `__Host-latchkey_session=${browser.token}; __Host-latchkey_session=other`
    const odd: Record<string, string>[] = [
      { host: 'evil.example' },
      { host: 'user@rooms.example.com' },
      { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      { cookie: twice },
      { cookie: `__Host-latchkey_session=dead` },
    ]
    for (const headers of odd) {
      const answer = await deliver(service, service.idp.logoutToken(OF_ALICE), { headers })
      expect([headers, answer.status, answer.headers.getSetCookie()]).toEqual([headers, 200, []])
    }
  })

  test('requests per client are limited, with the time to retry', async () => {
    const service = await rooms({ limits: { backchannel_per_minute: 2 } })
    const send = (ip: string) => deliver(service, 'junk', { ip })
    expect((await send('198.51.100.1')).status).toBe(400)
    expect((await send('198.51.100.1')).status).toBe(400)
    const refused = await send('198.51.100.1')
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([429, '30'])
    expect(await refused.json()).toMatchObject({ code: 'rate_limited' })
    expect((await send('198.51.100.2')).status).toBe(400)
  })

  test('a client without the provider’s key cannot cause repeated requests to the provider', async () => {
    const service = await rooms()
    const stranger = newSigningKey('RS256')
    const { idp } = service
    const right = { iss: idp.issuer, aud: 'rooms-client', events: { [LOGOUT_EVENT]: {} }, sub: 'alice' }
    const nowSeconds = service.clock.ms / 1000
    const sendAll = async (claims: Record<string, unknown>) => {
      for (let i = 0; i < 40; i++) {
        const key = { ...stranger, kid: `made-up-${i}` }
        const forged = idp.sign({ ...right, jti: `${i}`, ...claims }, (header) => header, key)
        for (const token of ['junk', 'a.b.c', forged])
          expect((await deliver(service, token)).status).toBe(400)
      }
    }
    // A token that is invalid in itself causes no request.
    await sendAll({ iat: 1, exp: 2 })
    await sendAll({ iat: nowSeconds, exp: nowSeconds + 60, aud: 'others' })
    expect([idp.calls.metadata, idp.calls.jwks]).toEqual([0, 0])
    await sendAll({ iat: nowSeconds, exp: nowSeconds + 60 })
    expect(idp.calls.metadata).toBeLessThanOrEqual(1)
    expect(idp.calls.jwks).toBeLessThanOrEqual(2)
    expect(idp.calls.token).toBe(0)
    expect(idp.calls.userinfo).toBe(0)
  })
})

describe('the token', () => {
  test('R13.3: a token whose key cannot be fetched yet gets 503, is not recorded as refused, and works later', async () => {
    const service = await rooms()
    const { idp } = service
    const alice = await service.signedInBrowser(ALICE)
    const isSignedIn = async () => (await alice.send('/api/session')).status === 200
    idp.keys = [newSigningKey('RS256', { kid: 'rotated' })]
    idp.answer('jwks', () => new Response('no', { status: 503 }))
    const token = idp.logoutToken(OF_ALICE)
    const answer = await deliver(service, token)
    expect([answer.status, answer.headers.get('retry-after')]).toEqual([503, '5'])
    const rejected = (await listAuditEvents(service)).filter(
      ({ action }) => action === 'auth.backchannel_rejected',
    )
    expect([rejected, await isSignedIn()]).toEqual([[], true])
    const login = await service.browser().signIn(ALICE)
    expect(login.headers.get('location')).toContain('/login?error=provider_unavailable')
    idp.reset()
    service.clock.ms += 30_000
    expect((await deliver(service, token)).status).toBe(200)
    expect(await isSignedIn()).toBe(false)
  })

  test('C109 oidcc-client-test-rp-backchannel-rpinitlogout-alg-none, oidcc-client-test-rp-backchannel-rpinitlogout-wrong-alg: unsigned, differently signed and forged tokens are refused', async () => {
    const service = await rooms()
    const { idp } = service
    const [key] = idp.keys
    const good = idp.logoutToken(OF_ALICE)
    const [header = '', payload = '', signature = ''] = good.split('.')
    const none = base64url(JSON.stringify({ alg: 'none', typ: 'logout+jwt' }))
    const withAlg = (alg: unknown) => idp.logoutToken(OF_ALICE, (usual) => ({ ...usual, alg }))
    const hs256 = base64url(JSON.stringify({ alg: 'HS256', kid: key?.kid, typ: 'logout+jwt' }))
    const pem = createPublicKey({ key: key?.publicJwk ?? {}, format: 'jwk' }).export({
      type: 'spki',
      format: 'pem',
    })
    const mac = createHmac('sha256', pem).update(`${hs256}.${payload}`).digest('base64url')
    const es256 = newSigningKey('ES256')
    await expectRefused(service, {
      none: `${none}.${payload}.`,
      noneSigned: `${none}.${payload}.${signature}`,
      hs256: `${hs256}.${payload}.${mac}`,
      es256: idp.sign(OF_ALICE({ iss: idp.issuer }), (usual) => usual, es256),
      wrongKey: idp.sign(JSON.parse(Buffer.from(payload, 'base64url').toString()) as Json, (usual) => usual, {
        ...newSigningKey('RS256'),
        kid: key?.kid ?? '',
      }),
      noSignature: `${header}.${payload}.`,
      cutSignature: good.slice(0, -4),
      otherPayload: `${header}.${base64url('{}')}.${signature}`,
      algNull: withAlg(null),
      algMissing: withAlg(undefined),
      algArray: withAlg(['RS256']),
      crit: idp.logoutToken(OF_ALICE, (usual) => ({ ...usual, crit: ['b64'], b64: false })),
      junk: 'junk',
      fourParts: `${good}.x`,
    })
  })

  test('C110 oidcc-client-test-rp-backchannel-rpinitlogout-wrong-iss, oidcc-client-test-rp-backchannel-rpinitlogout-wrong-aud: tokens from or for others are refused', async () => {
    const service = await rooms()
    const { idp } = service
    const tokenWith = (claims: Json) => idp.logoutToken((usual) => ({ ...OF_ALICE(usual), ...claims }))
    await expectRefused(service, {
      otherIssuer: tokenWith({ iss: 'https://other.example' }),
      slash: tokenWith({ iss: `${idp.issuer}/` }),
      issuerMissing: tokenWith({ iss: undefined }),
      issuerArray: tokenWith({ iss: [idp.issuer] }),
      otherAudience: tokenWith({ aud: 'other-client' }),
      longerAudience: tokenWith({ aud: 'rooms-client2' }),
      noAudience: tokenWith({ aud: undefined }),
      audienceArray: tokenWith({ aud: ['other-client'] }),
      audienceObject: tokenWith({ aud: { 'rooms-client': true } }),
    })
  })

  test('C111 oidcc-client-test-rp-backchannel-rpinitlogout-no-event, oidcc-client-test-rp-backchannel-rpinitlogout-wrong-event: the event is required and must be an object', async () => {
    const service = await rooms()
    const withEvents = (events: unknown) =>
      service.idp.logoutToken((usual) => ({ ...OF_ALICE(usual), events }))
    await expectRefused(service, {
      missing: withEvents(undefined),
      null: withEvents(null),
      text: withEvents(LOGOUT_EVENT),
      array: withEvents([LOGOUT_EVENT]),
      other: withEvents({ 'http://schemas.openid.net/event/frontchannel-logout': {} }),
      nullValue: withEvents({ [LOGOUT_EVENT]: null }),
      textValue: withEvents({ [LOGOUT_EVENT]: 'yes' }),
      arrayValue: withEvents({ [LOGOUT_EVENT]: [] }),
    })
    const more = withEvents({ [LOGOUT_EVENT]: { extra: 1 }, 'https://example.com/other': null })
    expect((await deliver(service, more)).status).toBe(200)
  })

  test('C112 oidcc-client-test-rp-backchannel-rpinitlogout-with-nonce: a nonce of any value is refused, and so is every other kind of token', async () => {
    const service = await rooms()
    const { idp } = service
    const withNonce = (nonce: unknown) => idp.logoutToken((usual) => ({ ...OF_ALICE(usual), nonce }))
    const withType = (typ: unknown) => idp.logoutToken(OF_ALICE, (usual) => ({ ...usual, typ }))
    await expectRefused(service, {
      nonce: withNonce('n'),
      nonceEmpty: withNonce(''),
      nonceNull: withNonce(null),
      nonceFalse: withNonce(false),
      accessToken: withType('at+jwt'),
      typeNull: withType(null),
      typeNumber: withType(1),
      idToken: idp.signIdToken(ALICE, 'n'),
      idTokenWithoutNonce: idp.signIdToken(ALICE, null),
    })
    const fine = { absent: withType(undefined), jwt: withType('JWT'), logout: withType('logout+jwt') }
    for (const [name, token] of Object.entries(fine))
      expect([name, (await deliver(service, token)).status]).toEqual([name, 200])
  })

  describe('C113: its times', () => {
    const seconds = (service: TestRooms) => Math.floor(service.clock.ms / 1000)

    test('are required, are numbers, and are neither past nor ahead', async () => {
      const service = await rooms()
      const now = seconds(service)
      const at = (times: Json) => service.idp.logoutToken((usual) => ({ ...OF_ALICE(usual), ...times }))
      await expectRefused(service, {
        iatMissing: at({ iat: undefined }),
        iatText: at({ iat: String(now) }),
        iatNull: at({ iat: null }),
        iatAhead: at({ iat: now + 31, exp: now + 90 }),
        expMissing: at({ exp: undefined }),
        expNull: at({ exp: null }),
        expText: at({ exp: String(now + 60) }),
        expPast: at({ exp: now - 1 }),
        expNow: at({ exp: now }),
        tooOld: at({ iat: now - 600, exp: now + 600 }),
        weekOld: at({ iat: now - 604_800, exp: now + 604_800 }),
      })
      for (const good of [
        at({ iat: now + 30 }),
        at({ exp: now + 1 }),
        at({ iat: now - 599, exp: now + 3600 }),
        at({ iat: now - 0.5, exp: now + 10.5 }),
      ])
        expect((await deliver(service, good)).status).toBe(200)
    })

    test('without an expiry limit it to LOGOUT_TOKEN_MAX_AGE', async () => {
      const service = await rooms({ provider: (idp) => idp.config({ logoutTokenMaxAgeSeconds: 120 }) })
      const now = seconds(service)
      const at = (times: Json) => service.idp.logoutToken((usual) => ({ ...OF_ALICE(usual), ...times }))
      await expectRefused(service, {
        tooOld: at({ iat: now - 120, exp: undefined }),
        expPast: at({ iat: now - 60, exp: now - 1 }),
        expNull: at({ exp: null }),
      })
      expect((await deliver(service, at({ iat: now - 119, exp: undefined }))).status).toBe(200)
      expect((await deliver(service, at({ iat: now - 300, exp: now + 5 }))).status).toBe(200)
    })
  })

  test('C115: a token without a subject or session, or with one that is not a string, is refused', async () => {
    const service = await rooms()
    const naming = (claims: Json) => service.idp.logoutToken((usual) => ({ ...usual, ...claims }))
    await expectRefused(service, {
      noUser: naming({}),
      subNumber: naming({ sub: 7 }),
      subEmpty: naming({ sub: '' }),
      sidNull: naming({ sub: 'alice', sid: null }),
      sidArray: naming({ sid: ['s'] }),
      jtiMissing: naming({ sub: 'alice', jti: undefined }),
      jtiEmpty: naming({ sub: 'alice', jti: '' }),
      jtiNumber: naming({ sub: 'alice', jti: 1 }),
    })
  })

  test('C131: refused tokens are one row per reason and minute, with a count and nothing of the token', async () => {
    const service = await rooms()
    const bad = service.idp.logoutToken((usual) => ({
      ...usual,
      sub: 'alice',
      aud: 'other',
      jti: 'the-token-id',
    }))
    for (let i = 0; i < 3; i++) await deliver(service, bad)
    await deliver(service, 'junk')
    const rows = await listAuditEvents(service)
    expect(rows).toHaveLength(2)
    expect(rows).toContainEqual({
      action: 'auth.backchannel_rejected',
      actor: null,
      target: null,
      metadata: { code: 'token_invalid', reason: 'logout token audience wrong', count: 3 },
      ip: '198.51.100.7',
    })
    const written = JSON.stringify(rows) + service.logLines.join('')
    for (const secret of [bad, bad.split('.')[1] ?? '', 'the-token-id']) expect(written).not.toContain(secret)
    const metrics = await service.rooms.metrics.registry.metrics()
    expect(metrics).toContain('latchkey_rooms_logout_tokens_total{result="refused"} 4')
  })
})
