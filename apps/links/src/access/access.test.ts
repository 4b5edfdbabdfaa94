import { describe, expect, test } from 'bun:test'
import { isLocalRequest } from '@latchkey/http/local-request'
import { readSettings } from '../settings/settings.ts'
import { type AccessMethod, createAccess, isCrossSite } from './access.ts'
import { isIdentity } from './identity.ts'

const ADMIN = 'http://localhost:8080/_/admin/dashboard'

function request(headers: Record<string, string> = {}): Request {
  return new Request(ADMIN, { headers: { host: 'localhost:8080', ...headers } })
}

const headerEnv = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '10.0.0.0/8',
}

const jwtEnv = {
  LINKS_ACCESS: 'jwt',
  LINKS_ACCESS_JWKS_URL: 'http://127.0.0.1:1/certs',
  LINKS_ACCESS_ISSUER: 'https://team.example',
  LINKS_ACCESS_AUDIENCE: 'aud',
}

test('L16: an API key is refused in every mode, with any other credential beside it', async () => {
  for (const env of [{}, headerEnv, jwtEnv]) {
    const access = createAccess(readSettings(env))
    for (const authorization of ['Bearer sk_0123', 'bearer sk_', 'BEARER   sk_x']) {
      const withKey = request({ authorization, 'X-Forwarded-Email': 'ann@example.com' })
      for (const peer of ['127.0.0.1', '10.0.0.1', '203.0.113.7']) {
        expect(await access.admit(withKey, peer)).toEqual({
          ok: false,
          code: 'api_keys_refused',
          status: 401,
          message: 'API keys are not accepted here',
        })
      }
    }
  }
})

describe('loopback', () => {
  const access = createAccess(readSettings({ PROXY_HEADER: 'X-Client', TRUSTED_PROXIES: '127.0.0.1' }))

  test('L16: admits this machine as admin@localhost', async () => {
    for (const peer of ['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1']) {
      for (const host of ['localhost', 'LOCALHOST:8080', '127.0.0.1', '127.0.0.1:1', '[::1]', '[::1]:8080']) {
        expect(await access.admit(request({ host }), peer)).toEqual({
          ok: true,
          identity: 'admin@localhost',
          via: 'loopback',
        })
      }
    }
  })

  test('refuses every other peer', async () => {
    for (const peer of [
      '192.168.1.2',
      '10.0.0.1',
      '::',
      '0.0.0.0',
      '203.0.113.7',
      'fe80::1',
      'localhost',
      '',
    ]) {
      const admission = await access.admit(request(), peer)
      expect(admission).toMatchObject({ ok: false, status: 403 })
      expect(admission).toMatchObject({ message: expect.stringContaining('LINKS_ACCESS') })
    }
  })

  test('refuses other host names, against DNS rebinding', async () => {
    const hosts = [
      'go.example.com',
      'localhost.evil.example',
      'evil.example:8080',
      '127.0.0.2',
      '0.0.0.0',
      '[::]',
      '::1',
    ]
    for (const host of [
      ...hosts,
      '',
      'localhost:',
      'localhost:8080:1',
      'localhost, evil.example',
      'localhost.',
      'x@localhost',
    ])
      expect(await access.admit(request({ host }), '127.0.0.1')).toMatchObject({ ok: false, status: 403 })
  })

  test('refuses a request without a valid host', async () => {
    const withoutHost = new Request('http://evil.example/_/admin')
    expect(await access.admit(withoutHost, '127.0.0.1')).toMatchObject({ ok: false, status: 403 })
  })

  test('L16.4: refuses any forwarding header, even an empty one', async () => {
    const names = [
      'Forwarded',
      'X-Forwarded-For',
      'X-Forwarded-Host',
      'X-Forwarded-Proto',
      'X-Forwarded-Whatever',
    ]
    const others =
      'X-Real-IP Via CF-Connecting-IP CF-Ray X-Client Fastly-Client-IP X-Original-Host X-Original-Forwarded-For X-Cluster-Client-IP CDN-Loop X-Amzn-Trace-Id X-Amz-Cf-Id True-Client-IP X-Envoy-External-Address X-Envoy-Original-Path X-Appengine-User-IP Client-IP X-Forwarded X-Azure-ClientIP X-ARR-SSL X-Varnish Akamai-Origin-Hop CloudFront-Viewer-Address Tailscale-User-Login DO-Connecting-IP'
    for (const name of [...names, ...others.split(' ')]) {
      for (const value of ['127.0.0.1', '']) {
        expect(await access.admit(request({ [name]: value }), '::1')).toMatchObject({
          ok: false,
          status: 403,
        })
        expect(isLocalRequest(request({ [name]: value }), '::1', 'X-Client')).toBe(false)
      }
    }
  })

  test('ignores all other headers, including identity headers', async () => {
    const forged = request({
      'Cf-Access-Jwt-Assertion': 'x',
      'X-Client-Id': 'x',
      cookie: 'CF_Authorization=x',
    })
    expect(await access.admit(forged, '127.0.0.1')).toMatchObject({ ok: true, identity: 'admin@localhost' })
    expect(await access.admit(forged, '203.0.113.7')).toMatchObject({ ok: false })
    expect(await access.admitAssertion(forged, 'aud')).toBeNull()
  })

  test('a request is local if it comes from this machine without a proxy, under any host name', () => {
    expect(isLocalRequest(request({ host: 'links:8080' }), '127.0.0.1', null)).toBe(true)
    expect(isLocalRequest(request(), '10.0.0.1', null)).toBe(false)
  })
})

describe('header', () => {
  const access = createAccess(readSettings(headerEnv))
  const admit = (value: string, peer = '10.0.0.1') =>
    access.admit(request({ 'X-Forwarded-Email': value }), peer)

  test('L16: admits the identity that a trusted proxy sends, unchanged', async () => {
    for (const identity of ['ann@example.com', 'Ann@Example.com', 'CORP\\ann', 'Ann Lee'])
      expect(await admit(identity)).toEqual({ ok: true, identity, via: 'header' })
    expect(await admit('ann@example.com', '::ffff:10.0.0.1')).toMatchObject({ ok: true })
  })

  test('decodes the identity as UTF-8', async () => {
    const bytes = Buffer.from('Åsa@exämple.se', 'utf8').toString('latin1')
    expect(await admit(bytes)).toMatchObject({ ok: true, identity: 'Åsa@exämple.se' })
    expect(await admit('\u00e5sa')).toMatchObject({ ok: false, status: 401 })
  })

  test('L24.15: refuses every other peer that sends the header, including this machine', async () => {
    for (const peer of ['203.0.113.7', '127.0.0.1', '::1', '11.0.0.1', '']) {
      const admission = await admit('ann@example.com', peer)
      expect(admission).toMatchObject({ ok: false, status: 401 })
      expect(admission).toMatchObject({ message: expect.stringContaining('TRUSTED_PROXIES') })
    }
  })

  test('refuses a missing or empty identity', async () => {
    expect(await access.admit(request(), '10.0.0.1')).toMatchObject({ ok: false, status: 401 })
    for (const value of ['', ' ', '\t']) expect(await admit(value)).toMatchObject({ ok: false, status: 401 })
  })

  test('refuses a second identity, a control character or an overlong identity', async () => {
    for (const value of ['evil@example.com, ann@example.com', ',ann', 'a\u007f', '\u0080', 'a'.repeat(321)])
      expect(await admit(value)).toMatchObject({ ok: false, status: 401 })
  })

  test('takes no identity from a cookie, an assertion or another header', async () => {
    const forged = request({
      'Cf-Access-Jwt-Assertion': 'x',
      'X-Email': 'ann@example.com',
      cookie: 'X-Forwarded-Email=a',
    })
    expect(await access.admit(forged, '10.0.0.1')).toMatchObject({ ok: false, status: 401 })
  })
})

test('a mode without its settings admits no request', () => {
  const header = readSettings(headerEnv)
  expect(() => createAccess({ ...header, accessHeader: null })).toThrow(TypeError)
  const jwt = readSettings(jwtEnv)
  for (const key of ['accessHeader', 'accessJwksUrl', 'accessIssuer', 'accessAudience'] as const)
    expect(() => createAccess({ ...jwt, [key]: null })).toThrow(TypeError)
  expect(() => createAccess({ ...jwt, access: 'none' as 'jwt' })).toThrow(TypeError)
})

test('an identity is plain text of bounded length', () => {
  for (const good of ['a', 'ann@example.com', 'å', 'a'.repeat(320), '🦀'.repeat(320), 'admin@localhost'])
    expect(isIdentity(good)).toBe(true)
  const texts = [
    '',
    ' ',
    ' a',
    'a ',
    'a\n',
    'a\u0000b',
    'a\u202eb',
    'a\u2028b',
    'a\u200bb',
    '\ud800',
    '\u0085',
    'a'.repeat(321),
  ]
  for (const bad of [...texts, undefined, null, 0, 1, true, {}, ['a']]) expect(isIdentity(bad)).toBe(false)
})

describe('isCrossSite', () => {
  const OWN = 'https://go.example.com'
  const isRefused = (headers: Record<string, string>, via: AccessMethod = 'cookie', method = 'POST') =>
    isCrossSite(new Request(ADMIN, { method, headers }), via, OWN)

  test('L16.2: a Sec-Fetch-Site header decides', () => {
    expect(isRefused({ 'Sec-Fetch-Site': 'same-origin' })).toBe(false)
    for (const site of ['cross-site', 'same-site', 'none', '', 'Same-Origin', 'same-origin, same-origin'])
      for (const via of ['loopback', 'header', 'cookie', 'assertion'] as const)
        expect(isRefused({ 'Sec-Fetch-Site': site, Origin: OWN }, via)).toBe(true)
  })

  test('L16.2: without Sec-Fetch-Site, an Origin header decides', () => {
    expect(isRefused({ Origin: OWN })).toBe(false)
    for (const origin of [
      'null',
      '',
      'https://evil.example',
      'http://go.example.com',
      `${OWN}:8443`,
      `${OWN}.evil.example`,
    ])
      for (const via of ['loopback', 'header', 'cookie', 'assertion'] as const)
        expect(isRefused({ Origin: origin }, via)).toBe(true)
  })

  test('L16.2: without either, only an identity from a cookie is refused', () => {
    expect(isRefused({}, 'cookie')).toBe(true)
    for (const via of ['loopback', 'header', 'assertion'] as const) expect(isRefused({}, via)).toBe(false)
  })

  test('checks every method that changes data, and no method that reads', () => {
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'PURGE'])
      expect(isRefused({ 'Sec-Fetch-Site': 'cross-site' }, 'loopback', method)).toBe(true)
    for (const method of ['GET', 'HEAD'])
      expect(isRefused({ 'Sec-Fetch-Site': 'cross-site' }, 'cookie', method)).toBe(false)
  })

  test('matches no origin if the own origin is unknown', () => {
    for (const origin of ['null', OWN]) {
      const sent = new Request(ADMIN, { method: 'POST', headers: { origin } })
      expect(isCrossSite(sent, 'loopback', null)).toBe(true)
    }
  })
})
