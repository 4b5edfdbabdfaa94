import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import {
  type JWK,
  type JWTPayload,
  SignJWT,
  UnsecuredJWT,
  exportJWK,
  exportSPKI,
  generateKeyPair,
} from 'jose'
import { readSettings } from '../settings/settings.ts'
import { type Admission, createAccess } from './access.ts'

const ISSUER = 'https://team.example'
const AUDIENCE = '4714c1358e65fe4b'
const NOW = 1_790_000_000

interface Signer {
  readonly jwk: JWK
  readonly publicPem: string
  sign(claims: JWTPayload, header?: Record<string, unknown>): Promise<string>
}

async function createSigner(alg: string, kid: string): Promise<Signer> {
  const { publicKey, privateKey } = await generateKeyPair(alg, { extractable: true })
  return {
    jwk: { ...(await exportJWK(publicKey)), kid, use: 'sig' },
    publicPem: await exportSPKI(publicKey),
    sign: (payload, header) =>
      new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey),
  }
}

// Response of the issuer's address, and the number of requests to it.
const issuer = { keys: [] as JWK[], answer: null as (() => Response) | null, requestCount: 0 }
let server: ReturnType<typeof Bun.serve>
let rsa: Signer
let ec: Signer
let other: Signer
const clock = { seconds: NOW }

beforeAll(async () => {
  ;[rsa, ec, other] = await Promise.all([
    createSigner('RS256', 'rsa-1'),
    createSigner('ES256', 'ec-1'),
    createSigner('RS256', 'rsa-2'),
  ])
  server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    fetch({ url }) {
      if (new URL(url).pathname === '/elsewhere') return Response.json({ keys: issuer.keys })
      issuer.requestCount += 1
      return issuer.answer?.() ?? Response.json({ keys: issuer.keys })
    },
  })
})

afterAll(() => server.stop(true))

beforeEach(() => {
  issuer.keys = [rsa.jwk, ec.jwk]
  issuer.answer = null
  issuer.requestCount = 0
  clock.seconds = NOW
})

function createJwtAccess(env: Record<string, string> = {}) {
  const settings = readSettings({
    LINKS_ACCESS: 'jwt',
    LINKS_ACCESS_JWKS_URL: `http://127.0.0.1:${server.port}/certs`,
    LINKS_ACCESS_ISSUER: ISSUER,
    LINKS_ACCESS_AUDIENCE: AUDIENCE,
    LINKS_ACCESS_COOKIE: 'CF_Authorization',
    ...env,
  })
  return createAccess(settings, { now: () => clock.seconds * 1000 })
}

function claims(changes: Record<string, unknown> = {}): JWTPayload {
  return { iss: ISSUER, aud: AUDIENCE, exp: NOW + 600, iat: NOW, email: 'ann@example.com', ...changes }
}

function request(headers: HeadersInit): Request {
  return new Request('https://go.example.com/_/admin/api/links', { headers })
}

async function admit(assertion: string, access = createJwtAccess()): Promise<Admission> {
  return await access.admit(request({ 'Cf-Access-Jwt-Assertion': assertion }), '203.0.113.7')
}

async function messageOfRefused(assertion: string): Promise<string> {
  const admission = await admit(assertion)
  if (admission.ok) throw new Error('It was admitted')
  expect(admission.status).toBe(401)
  for (const part of assertion.split('.')) if (part.length > 8) expect(admission.message).not.toContain(part)
  return admission.message
}

describe('a valid assertion', () => {
  test('L16: admits its email, signed with RS256 or ES256', async () => {
    for (const signer of [rsa, ec]) {
      const admission = await admit(await signer.sign(claims()))
      expect(admission).toEqual({
        ok: true,
        identity: 'ann@example.com',
        via: 'assertion',
        until: NOW + 600,
      })
    }
  })

  test('is accepted in the cookie, and the header takes precedence', async () => {
    const access = createJwtAccess()
    const assertion = await rsa.sign(claims())
    const cookie = `a=b; CF_Authorization=${assertion}; xCF_Authorization=c`
    expect(await access.admit(request({ cookie }), '::1')).toEqual({
      ok: true,
      identity: 'ann@example.com',
      via: 'cookie',
      until: NOW + 600,
    })
    const both = request({ cookie, 'Cf-Access-Jwt-Assertion': 'bad' })
    expect(await access.admit(both, '::1')).toMatchObject({ ok: false, status: 401 })
  })

  test('L16: is not read from a cookie that no setting names', async () => {
    const access = createJwtAccess({ LINKS_ACCESS_COOKIE: '' })
    const cookie = `CF_Authorization=${await rsa.sign(claims())}; null=${await rsa.sign(claims())}`
    const admission = await access.admit(request({ cookie }), '::1')
    expect(admission).toMatchObject({ ok: false, status: 401 })
    expect(admission).toMatchObject({ message: expect.not.stringContaining('cookie') })
  })

  test('is accepted in a header and a cookie with other names', async () => {
    const access = createJwtAccess({ LINKS_ACCESS_HEADER: 'Authorization', LINKS_ACCESS_COOKIE: 'proof' })
    const assertion = await rsa.sign(claims())
    expect(await access.admit(request({ authorization: `Bearer ${assertion}` }), '::1')).toMatchObject({
      ok: true,
    })
    expect(await access.admit(request({ cookie: `proof=${assertion}` }), '::1')).toMatchObject({ ok: true })
    expect(await access.admit(request({ 'Cf-Access-Jwt-Assertion': assertion }), '::1')).toMatchObject({
      ok: false,
    })
    expect(await access.admit(request({ cookie: `CF_Authorization=${assertion}` }), '::1')).toMatchObject({
      ok: false,
    })
  })

  test('admits its subject if it has no email', async () => {
    for (const email of [undefined, null, ''])
      expect(await admit(await rsa.sign(claims({ email, sub: 'user-7' })))).toMatchObject({
        identity: 'user-7',
      })
  })

  test('may list several audiences', async () => {
    expect(await admit(await rsa.sign(claims({ aud: ['x', AUDIENCE] })))).toMatchObject({ ok: true })
  })

  test('is valid for up to a minute before and after its times', async () => {
    const assertion = await rsa.sign(claims({ nbf: NOW, exp: NOW + 600 }))
    for (const [seconds, ok] of [
      [NOW - 61, false],
      [NOW - 60, true],
      [NOW + 659, true],
      [NOW + 660, false],
    ] as const) {
      clock.seconds = seconds
      expect((await admit(assertion)).ok).toBe(ok)
    }
  })
})

describe('the key URL of an access layer', () => {
  test('may use plain http on this machine only', () => {
    const read = (LINKS_ACCESS_JWKS_URL: string) => () => createJwtAccess({ LINKS_ACCESS_JWKS_URL })
    for (const host of ['127.0.0.1:9', '[::1]:9', 'localhost'])
      expect(read(`http://${host}/certs`)).not.toThrow()
    expect(read('https://team.example/certs')).not.toThrow()
    for (const url of [
      'http://team.example/certs',
      'http://10.0.0.1/certs',
      'http://localhost.example/certs',
    ])
      expect(read(url)).toThrow('LINKS_ACCESS_JWKS_URL')
  })
})

describe('an invalid assertion', () => {
  test('is refused with a sentence that explains the problem', async () => {
    const cases = {
      'has expired': claims({ exp: NOW - 60 }),
      'is not valid yet': claims({ nbf: NOW + 61 }),
      'for another audience': claims({ aud: 'another' }),
      'from another issuer': claims({ iss: `${ISSUER}/` }),
      'needs an exp claim': claims({ exp: undefined }),
      'names nobody': claims({ email: undefined }),
    }
    for (const [part, wrong] of Object.entries(cases))
      expect(await messageOfRefused(await rsa.sign(wrong))).toContain(part)
  })

  test('L16: is refused if its email is not verified, whatever its other claims are', async () => {
    for (const email_verified of [false, 'false', 0, 'no'])
      for (const named of [{}, { email: undefined, sub: 'user-7' }])
        expect(await messageOfRefused(await rsa.sign(claims({ email_verified, ...named })))).toContain(
          'is not verified',
        )
    for (const email_verified of [true, 'true', null])
      expect(await admit(await rsa.sign(claims({ email_verified })))).toMatchObject({
        identity: 'ann@example.com',
      })
  })

  test('L16: a subject never passes for the email of another person, nor an email for a subject', async () => {
    for (const sub of ['ann@example.com', 'admin@localhost', 'a@b'])
      expect(await messageOfRefused(await rsa.sign(claims({ email: undefined, sub })))).toContain(
        'form of an address',
      )
    for (const email of ['user-7', '@', 'ann@', '@example.com'])
      expect(await messageOfRefused(await rsa.sign(claims({ email, sub: 'user-8' })))).toContain(
        'names nobody',
      )
  })

  test('is refused without issuer or audience', async () => {
    for (const wrong of [{ iss: undefined }, { aud: undefined }, { aud: [] }, { aud: '' }])
      await messageOfRefused(await rsa.sign(claims(wrong)))
  })

  test('is refused if its identity is not plain text', async () => {
    for (const email of ['a\nb', ' ann@example.com', 'a'.repeat(321), 7, {}, ['ann@example.com']])
      expect(await messageOfRefused(await rsa.sign(claims({ email, sub: 'user-7' })))).toContain(
        'names nobody',
      )
    for (const sub of ['', ' ', 'a\u0000'])
      await messageOfRefused(await rsa.sign(claims({ email: undefined, sub })))
  })

  test('is refused if it is not signed', async () => {
    await messageOfRefused(new UnsecuredJWT(claims()).encode())
  })

  test('is refused if it is signed with HS256 and a public key as the secret', async () => {
    for (const secret of [rsa.publicPem, JSON.stringify(rsa.jwk), rsa.jwk.n ?? '']) {
      const forged = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'rsa-1' })
      await messageOfRefused(await forged.sign(new TextEncoder().encode(secret)))
    }
  })

  test('is refused if it is signed with a secret that the issuer published by mistake', async () => {
    const k = Buffer.alloc(32, 1)
    issuer.keys = [{ kty: 'oct', k: k.toString('base64url'), kid: 'oct', alg: 'HS256' }]
    const forged = new SignJWT(claims()).setProtectedHeader({ alg: 'HS256', kid: 'oct' })
    await messageOfRefused(await forged.sign(k))
  })

  test('is refused if its key is not published, under any key id', async () => {
    expect(await messageOfRefused(await other.sign(claims()))).toContain('LINKS_ACCESS_JWKS_URL')
    await messageOfRefused(await other.sign(claims(), { kid: 'rsa-1' }))
    await messageOfRefused(await other.sign(claims(), { kid: 'rsa-1', jwk: other.jwk }))
  })

  test('L16.5: is refused if its algorithm is not that of its key', async () => {
    issuer.keys = [{ ...rsa.jwk, alg: 'PS256' }]
    await messageOfRefused(await rsa.sign(claims()))
    const [rs512, ps256] = await Promise.all([createSigner('RS512', 'a'), createSigner('PS256', 'b')])
    issuer.keys = [rs512.jwk, ps256.jwk]
    for (const signer of [rs512, ps256]) await messageOfRefused(await signer.sign(claims()))
  })

  test('is refused if its text is damaged', async () => {
    const good = await rsa.sign(claims())
    const [head, body, signature] = good.split('.')
    const evil = Buffer.from(JSON.stringify(claims({ email: 'evil@example.com' }))).toString('base64url')
    for (const bad of [
      'x',
      '..',
      'a.b.c',
      `${head}.${body}.`,
      `${head}.${evil}.${signature}`,
      `${good}, ${good}`,
      `${good}.x`,
    ])
      await messageOfRefused(bad)
  })

  test('is refused even if a valid one is sent beside it', async () => {
    const access = createJwtAccess()
    const headers = { 'Cf-Access-Jwt-Assertion': 'x', cookie: `CF_Authorization=${await rsa.sign(claims())}` }
    expect(await access.admit(request(headers), '127.0.0.1')).toMatchObject({ ok: false, status: 401 })
  })
})

test('a request without an assertion is refused, also from this machine, and the issuer is not contacted', async () => {
  const access = createJwtAccess()
  for (const headers of [
    {},
    { cookie: 'CF_Authorization=' },
    { 'Cf-Access-Jwt-Assertion': ' ' },
    { 'Cf-Access-Authenticated-User-Email': 'a@b' },
  ]) {
    const admission = await access.admit(request(headers), '127.0.0.1')
    expect(admission).toMatchObject({ ok: false, status: 401 })
    expect(admission).toMatchObject({ message: expect.stringContaining('Cf-Access-Jwt-Assertion') })
  }
  expect(issuer.requestCount).toBe(0)
})

describe('an assertion for the MCP endpoint', () => {
  test('is checked against the audience of the endpoint', async () => {
    const access = createJwtAccess()
    const forMcp = { 'Cf-Access-Jwt-Assertion': await rsa.sign(claims({ aud: 'mcp' })) }
    expect(await access.admitAssertion(request(forMcp), 'mcp')).toMatchObject({ ok: true, via: 'assertion' })
    expect(await access.admitAssertion(request(forMcp), AUDIENCE)).toMatchObject({ ok: false, status: 401 })
    expect(await access.admit(request(forMcp), '::1')).toMatchObject({ ok: false, status: 401 })
  })

  test('is not read from the cookie', async () => {
    const cookie = `CF_Authorization=${await rsa.sign(claims({ aud: 'mcp' }))}`
    expect(await createJwtAccess().admitAssertion(request({ cookie }), 'mcp')).toBeNull()
  })
})

describe('the key set', () => {
  test('is fetched once for many requests', async () => {
    const access = createJwtAccess()
    const assertion = await rsa.sign(claims())
    await Promise.all(Array.from({ length: 20 }, () => admit(assertion, access)))
    clock.seconds += 599
    await admit(assertion, access)
    expect(issuer.requestCount).toBe(1)
  })

  test('is fetched again for an unknown key, which allows rotation', async () => {
    const access = createJwtAccess()
    await admit(await rsa.sign(claims()), access)
    issuer.keys = [other.jwk]
    clock.seconds += 5
    expect(await admit(await other.sign(claims()), access)).toMatchObject({ ok: true })
    expect(await admit(await rsa.sign(claims()), access)).toMatchObject({ ok: false, status: 401 })
    expect(issuer.requestCount).toBe(2)
  })

  test('is not fetched again and again for made-up key ids', async () => {
    const access = createJwtAccess()
    for (let i = 0; i < 50; i++) {
      const forged = await other.sign(claims(), { kid: `made-up-${i}` })
      expect(await admit(forged, access)).toMatchObject({ ok: false, status: 401 })
    }
    expect(issuer.requestCount).toBe(1)
  })

  test('is fetched again after ten minutes, which ends the use of a withdrawn key', async () => {
    const access = createJwtAccess()
    const assertion = await rsa.sign(claims({ exp: NOW + 3600 }))
    expect(await admit(assertion, access)).toMatchObject({ ok: true })
    issuer.keys = [ec.jwk]
    clock.seconds += 600
    expect(await admit(assertion, access)).toMatchObject({ ok: false, status: 401 })
  })

  const failures: Record<string, () => Response> = {
    'answers 500': () => new Response('no', { status: 500 }),
    'answers 404 with keys': () => Response.json({ keys: issuer.keys }, { status: 404 }),
    'answers 203 with keys': () => Response.json({ keys: issuer.keys }, { status: 203 }),
    'redirects to keys': () => new Response(null, { status: 302, headers: { location: '/elsewhere' } }),
    'answers a page': () => new Response('<html>'),
    'answers JSON that is no key set': () => Response.json({ keys: 'none' }),
  }

  for (const [failure, answer] of Object.entries(failures)) {
    test(`L16.1 answers 503 with Retry-After if it has no keys and their address ${failure}`, async () => {
      issuer.answer = answer
      for (const assertion of [await rsa.sign(claims()), 'garbage']) {
        expect(await admit(assertion)).toMatchObject({ ok: false, status: 503, retryAfterSeconds: 5 })
      }
    })

    test(`keeps using its keys while their address ${failure}`, async () => {
      const access = createJwtAccess()
      const assertion = await rsa.sign(claims({ exp: NOW + 90_000 }))
      await admit(assertion, access)
      issuer.answer = answer
      clock.seconds += 3600
      expect(await admit(assertion, access)).toMatchObject({ ok: true, identity: 'ann@example.com' })
      expect(await admit(await other.sign(claims({ exp: NOW + 90_000 })), access)).toMatchObject({
        status: 401,
      })
      expect(issuer.requestCount).toBe(2)
    })
  }

  test('L16.1: is used for at most a day while the issuer is unreachable', async () => {
    const access = createJwtAccess()
    const assertion = await rsa.sign(claims({ exp: NOW + 200_000 }))
    await admit(assertion, access)
    issuer.answer = () => new Response('no', { status: 500 })
    clock.seconds += 86_399
    expect(await admit(assertion, access)).toMatchObject({ ok: true })
    clock.seconds += 1
    expect(await admit(assertion, access)).toMatchObject({ ok: false, status: 503 })
  })

  const behindIssuer = readSettings({
    LINKS_ACCESS: 'jwt',
    LINKS_ACCESS_JWKS_URL: 'https://team.example/certs',
    LINKS_ACCESS_ISSUER: ISSUER,
    LINKS_ACCESS_AUDIENCE: AUDIENCE,
  })

  test('answers 503 while its address is unreachable, and admits people as soon as it is reachable', async () => {
    const warnings: unknown[] = []
    let isDown = true
    const access = createAccess(behindIssuer, {
      now: () => clock.seconds * 1000,
      log: { warn: (...line) => void warnings.push(line) },
      async fetchKeys(url) {
        expect(url).toBe('https://team.example/certs')
        if (isDown) throw new Error('ECONNREFUSED')
        return Response.json({ keys: issuer.keys })
      },
    })
    const assertion = await rsa.sign(claims())
    expect(await admit(assertion, access)).toMatchObject({ ok: false, status: 503, retryAfterSeconds: 5 })
    expect(await admit(assertion, access)).toMatchObject({ ok: false, status: 503 })
    expect(warnings).toHaveLength(1)
    expect(JSON.stringify(warnings)).not.toContain(assertion)
    isDown = false
    clock.seconds += 5
    expect(await admit(assertion, access)).toMatchObject({ ok: true })
  })

  test('waits for a silent issuer once, and then only if the cached keys do not admit the caller', async () => {
    let answer: Promise<Response> | undefined
    let requestCount = 0
    const access = createAccess(behindIssuer, {
      now: () => clock.seconds * 1000,
      fetchKeys: async () => (requestCount++, answer ?? Response.json({ keys: issuer.keys })),
    })
    const rsaAssertion = await rsa.sign(claims({ exp: NOW + 3600 }))
    const unknown = await other.sign(claims({ exp: NOW + 3600 }))
    expect(await admit(rsaAssertion, access)).toMatchObject({ ok: true })
    const outage = Promise.withResolvers<Response>()
    answer = outage.promise
    clock.seconds += 600
    const first = admit(rsaAssertion, access)
    clock.seconds += 5
    outage.reject(new Error('timeout'))
    expect([await first, await admit(rsaAssertion, access), requestCount]).toMatchObject([
      { ok: true },
      { ok: true },
      2,
    ])
    const recovery = Promise.withResolvers<Response>()
    answer = recovery.promise
    clock.seconds += 5
    expect([await admit(rsaAssertion, access), requestCount]).toMatchObject([{ ok: true }, 3])
    const waiting = admit(unknown, access)
    recovery.resolve(Response.json({ keys: [other.jwk] }))
    expect(await waiting).toMatchObject({ ok: true })
    expect(await admit(rsaAssertion, access)).toMatchObject({ ok: false, status: 401 })
  })

  test('neither outlives its time nor misses a refresh if the clock is set back', async () => {
    const access = createJwtAccess()
    await admit(await rsa.sign(claims()), access)
    issuer.keys = [other.jwk]
    clock.seconds -= 100_000
    expect(await admit(await other.sign(claims()), access)).toMatchObject({ ok: true })
  })
})
