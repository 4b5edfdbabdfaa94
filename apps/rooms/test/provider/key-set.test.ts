import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Provider } from '../../src/login/provider.ts'
import { type Json, type SigningKey, base64url, newSigningKey } from './hostile.ts'
import { type ProviderBench, openProviderBench, failureOf, failureOfSilent, login } from './provider.ts'

// Generating an RSA key takes long: all tests share these.
const KEYS = ['one', 'two', 'three'].map((kid) => newSigningKey('RS256', { kid }))
const [ONE, TWO, THREE] = KEYS as [SigningKey, SigningKey, SigningKey]
const MINUTE = 60_000
const accepted = 'nothing failed'

let at: ProviderBench
let provider: Provider
beforeEach(async () => {
  at = await openProviderBench()
  at.idp.keys = [ONE]
  provider = at.provider()
})
afterEach(() => at.stop())

/** The outcome of a login. With a key id, the header of its ID token names that key. */
async function outcome(kid?: string): Promise<string> {
  at.idp.idToken(
    (claims) => claims,
    (header) => ({ ...header, ...(kid !== undefined && { kid }) }),
  )
  return failureOf(login(at, provider))
}

function publish(...keys: (SigningKey | Json)[]) {
  at.idp.jwks(() => ({ keys: keys.map((key) => ('publicJwk' in key ? key.publicJwk : key)) }))
}

describe('fetching', () => {
  test('C67: only a 200 with a JSON key set of at most 512 KiB and 100 keys is accepted; redirects are not followed', async () => {
    const many = Array.from({ length: 101 }, (_, number) => ({ ...ONE.publicJwk, kid: `k${number}` }))
    const keys = [ONE.publicJwk]
    const bad: Record<string, () => Response> = {
      '404': () => Response.json({ keys }, { status: 404 }),
      '201': () => Response.json({ keys }, { status: 201 }),
      '500': () => Response.json({ keys }, { status: 500 }),
      redirect: () => Response.redirect(`${at.idp.issuer}/jwks?again`, 302),
      html: () => new Response('<html>', { headers: { 'content-type': 'text/html' } }),
      list: () => Response.json(keys),
      'keys no list': () => Response.json({ keys: { a: ONE.publicJwk } }),
      'too many': () => Response.json({ keys: many }),
      'too large': () => Response.json({ keys, filler: 'x'.repeat(512 * 1024) }),
    }
    for (const [name, answer] of Object.entries(bad)) {
      provider = at.provider()
      const before = at.idp.calls.jwks
      at.idp.answer('jwks', answer)
      expect([name, await outcome()]).toEqual([name, 'provider_unavailable: no keys of the provider'])
      expect(at.idp.calls.jwks - before).toBe(1)
    }
    provider = at.provider()
    at.idp.answer('jwks', () =>
      Response.json({ keys: [...many.slice(0, 99), ONE.publicJwk], filler: 'x'.repeat(400_000) }),
    )
    expect(await outcome()).toBe(accepted)
  })

  test('C67: a key set that does not arrive is given up at the timeout', async () => {
    expect(await failureOfSilent('jwks')).toEqual({
      requestCount: 1,
      failure: 'provider_unavailable: no keys of the provider',
    })
  })

  test('C68: a hundred concurrent logins cause one fetch, and there is none within the next 10 minutes', async () => {
    const outcomes = await Promise.all(Array.from({ length: 100 }, () => outcome()))
    expect(new Set(outcomes)).toEqual(new Set([accepted]))
    at.clock.ms += 10 * MINUTE - 1
    expect(await outcome()).toBe(accepted)
    expect(at.idp.calls.jwks).toBe(1)
    at.clock.ms += 1
    expect(await outcome()).toBe(accepted)
    expect(at.idp.calls.jwks).toBe(2)
    expect(at.measurements.filter((line) => line === 'key set')).toHaveLength(2)
  }, 30_000)

  test('C12: the URL is read from the metadata at every refresh (oidcc-client-test-discovery-jwks-uri-keys)', async () => {
    expect(await outcome()).toBe(accepted)
    at.idp.metadata((document) => ({ ...document, jwks_uri: `${at.idp.issuer}/jwks?moved` }))
    at.clock.ms += 60 * MINUTE
    expect(await outcome()).toBe(accepted)
    const queries = at.idp.requests.filter(({ endpoint }) => endpoint === 'jwks').map(({ url }) => url.search)
    expect(queries).toEqual(['', '?moved'])
  })

  test('C71: a wrong issuer, audience, algorithm, type, event or size causes no fetch', async () => {
    for (const bend of [
      { iss: 'https://other.example' },
      { aud: 'other' },
      { events: {} },
      { filler: 'x'.repeat(70_000) },
    ]) {
      at.idp.idToken((claims) => ({ ...claims, ...bend }))
      expect(await failureOf(login(at, provider))).toStartWith('token_invalid')
    }
    for (const bend of [{ alg: 'none' }, { alg: 'ES256' }, { typ: 'at+jwt' }, { crit: [] }]) {
      at.idp.idToken(
        (claims) => claims,
        (header) => ({ ...header, ...bend }),
      )
      expect(await failureOf(login(at, provider))).toStartWith('token_invalid')
    }
    for (const bend of [{ iss: 'x' }, { aud: 'x' }, { events: {} }, { nonce: 'x' }]) {
      const token = at.idp.logoutToken((claims) => ({ ...claims, sub: 'alice', ...bend }))
      expect(await failureOf(provider.verifyLogoutToken(token))).toStartWith('token_invalid')
    }
    expect(at.idp.calls.jwks).toBe(0)
  })
})

describe('rotation', () => {
  test('C69: a new key is found by one refresh (oidcc-client-test-signing-key-rotation)', async () => {
    expect(await outcome()).toBe(accepted)
    at.idp.keys = [TWO, ONE]
    expect(await outcome()).toBe(accepted)
    expect(at.idp.calls.jwks).toBe(2)
  })

  test('C69: keys that change between code and token are found (oidcc-client-test-signing-key-rotation-just-before-signing)', async () => {
    expect(await outcome()).toBe(accepted)
    at.idp.answer('token', (usual) => {
      at.idp.keys = [TWO]
      return usual()
    })
    expect(await outcome()).toBe(accepted)
  })

  test('R7.4 C69: an unknown kid causes one refresh, then a refusal', async () => {
    expect(await outcome()).toBe(accepted)
    expect(await outcome('unknown')).toBe('token_invalid: unknown signing key')
    expect(at.idp.calls.jwks).toBe(2)
    expect(at.idp.calls.userinfo).toBe(1)
  })

  test('R7.4a C70 R28.10: a thousand invented key ids cause at most one fetch in 30 s, whatever the response', async () => {
    const refused = 'token_invalid: unknown signing key'
    const unavailable = 'provider_unavailable: unknown signing key, and no newer keys'
    const answers: Record<string, [() => Response, string]> = {
      usual: [() => Response.json({ keys: [ONE.publicJwk] }), refused],
      failing: [() => new Response('no', { status: 500 }), unavailable],
      absent: [() => new Response('no', { status: 503 }), unavailable],
      empty: [() => Response.json({ keys: [] }), refused],
      unusable: [() => Response.json({ keys: [{ kty: 'oct', k: 'AAAA' }] }), refused],
    }
    for (const [name, [answer, expected]] of Object.entries(answers)) {
      provider = at.provider()
      at.idp.reset()
      expect(await outcome()).toBe(accepted)
      at.idp.answer('jwks', answer)
      const before = at.idp.calls.jwks
      // No check reaches the signature, so one token serves all.
      const usual = at.idp.logoutToken((claims) => ({ ...claims, sub: 'alice' }))
      const tokens = Array.from({ length: 1000 }, (_, number) => {
        const header = JSON.stringify({ alg: 'RS256', kid: `made-up-${number}` })
        return base64url(header) + usual.slice(usual.indexOf('.'))
      })
      const check = (token: string) => failureOf(provider.verifyLogoutToken(token))
      const outcomes = [
        ...(await Promise.all(tokens.slice(0, 500).map(check))),
        ...(await Promise.all(tokens.slice(500).map(check))),
      ]
      expect([name, new Set(outcomes)]).toEqual([name, new Set([expected])])
      expect([name, at.idp.calls.jwks - before]).toEqual([name, 1])
      at.clock.ms += 29_999
      await check(tokens[0]!)
      expect([name, at.idp.calls.jwks - before]).toEqual([name, 1])
      at.clock.ms += 1
      await check(tokens[0]!)
      expect([name, at.idp.calls.jwks - before]).toEqual([name, 2])
    }
  }, 60_000)

  test('C70: invented key ids after a quiet time, when the keys are due anyway, also cause one fetch', async () => {
    expect(await outcome()).toBe(accepted)
    at.clock.ms += 10 * MINUTE
    for (const kid of ['made-up-1', 'made-up-2'])
      expect(await outcome(kid)).toBe('token_invalid: unknown signing key')
    expect(at.idp.calls.jwks).toBe(2)
  })

  test('C69: a rotation right after a scheduled fetch is found', async () => {
    expect(await outcome()).toBe(accepted)
    at.clock.ms += 10 * MINUTE
    expect(await outcome()).toBe(accepted)
    at.idp.keys = [TWO]
    expect(await outcome()).toBe(accepted)
    expect(at.idp.calls.jwks).toBe(3)
  })

  test('C70: a first load that fails or is empty is not repeated for 30 s, and succeeds after that', async () => {
    for (const answer of [() => new Response('no', { status: 404 }), () => Response.json({ keys: [] })]) {
      provider = at.provider()
      const before = at.idp.calls.jwks
      at.idp.answer('jwks', answer)
      await outcome()
      at.idp.reset()
      expect(await outcome()).not.toBe(accepted)
      expect(at.idp.calls.jwks - before).toBe(1)
      at.clock.ms += 30_000
      expect(await outcome()).toBe(accepted)
    }
  })

  test('C72: while the URL fails, the last keys are valid for an hour and no longer, and a new key is not accepted', async () => {
    expect(await outcome()).toBe(accepted)
    at.idp.answer('jwks', () => new Response('no', { status: 404 }))
    at.clock.ms += 59 * MINUTE
    expect(await outcome()).toBe(accepted)
    at.idp.keys = [TWO]
    expect(await outcome()).toBe('provider_unavailable: unknown signing key, and no newer keys')
    at.idp.keys = [ONE]
    at.clock.ms += MINUTE
    expect(await outcome()).toBe('provider_unavailable: no keys of the provider')
  })

  test('C72: a removed key stops working within 10 minutes', async () => {
    expect(await outcome()).toBe(accepted)
    publish(TWO)
    at.clock.ms += 10 * MINUTE
    expect(await outcome()).toBe('token_invalid: unknown signing key')
  })

  test('setting the clock back extends the lifetime of no key', async () => {
    expect(await outcome()).toBe(accepted)
    publish(TWO)
    at.clock.ms -= 24 * 60 * MINUTE
    expect(await outcome()).toBe('token_invalid: unknown signing key')
  })
})

describe('choosing a key', () => {
  const withoutKid = () =>
    at.idp.idToken(
      (claims) => claims,
      (header) => ({ ...header, kid: undefined }),
    )

  test('C73: without kid, the single fitting key is used (oidcc-client-test-kid-absent-single-jwks)', async () => {
    publish(
      ONE,
      newSigningKey('ES256'),
      { ...TWO.publicJwk, use: 'enc' },
      { ...THREE.publicJwk, alg: 'RS512' },
    )
    withoutKid()
    expect(await failureOf(login(at, provider))).toBe(accepted)
  })

  test('C73: without kid, several fitting keys are refused (oidcc-client-test-kid-absent-multiple-jwks)', async () => {
    publish(ONE, TWO)
    withoutKid()
    expect(await failureOf(login(at, provider))).toBe('token_invalid: key id missing')
  })

  test('C73: a kid that is not a string is refused', async () => {
    for (const kid of [null, 1, ['one'], {}]) {
      at.idp.idToken(
        (claims) => claims,
        (header) => ({ ...header, kid }),
      )
      expect(await failureOf(login(at, provider))).toBe('token_invalid: id token malformed')
    }
  })

  test('C53 C74: keys for another use are skipped one by one, and the valid one among them works', async () => {
    const { publicJwk } = ONE
    const weak = newSigningKey('RS256', { kid: 'weak', bits: 1024 })
    const bad: Record<string, Json> = {
      'no kty': { ...publicJwk, kty: undefined },
      'another kty': { ...publicJwk, kty: 'EC' },
      symmetric: { kty: 'oct', k: publicJwk.n, kid: 'one', alg: 'RS256' },
      'private parts': { ...publicJwk, ...ONE.privateKey.export({ format: 'jwk' }) },
      'for encryption': { ...publicJwk, use: 'enc' },
      'not for verifying': { ...publicJwk, key_ops: ['encrypt'] },
      'operations no list': { ...publicJwk, key_ops: 'verify' },
      'for another algorithm': { ...publicJwk, alg: 'PS256' },
      'numeric kid': { ...publicJwk, kid: 1 },
      'numbers missing': { ...publicJwk, n: undefined },
      'numbers that are none': { ...publicJwk, e: '' },
    }
    for (const [name, jwk] of Object.entries(bad)) {
      provider = at.provider()
      publish(jwk)
      expect([name, await outcome('one')]).toEqual([name, 'token_invalid: unknown signing key'])
      provider = at.provider()
      at.idp.jwks(() => ({ keys: [null, 'text', [], { ...jwk, kid: 'bad' }, publicJwk] }))
      expect([name, await outcome('one')]).toEqual([name, accepted])
    }
    at.idp.reset()
    for (const [key, expected] of [
      [weak, 'token_invalid: unknown signing key'],
      [ONE, accepted],
    ] as const) {
      provider = at.provider()
      at.idp.keys = [key]
      expect(await outcome()).toBe(expected)
    }
    provider = at.provider()
    publish({ ...publicJwk, key_ops: ['verify'], use: undefined, alg: undefined })
    expect(await outcome()).toBe(accepted)
  }, 20_000)

  test('R7.4c, C74: both keys of a duplicate kid are skipped, whatever else they are', async () => {
    publish(ONE, { ...TWO.publicJwk, kid: 'one' })
    expect(await outcome()).toBe('token_invalid: unknown signing key')
    provider = at.provider()
    publish(ONE, { ...newSigningKey('ES256').publicJwk, kid: 'one' }, TWO)
    expect(await outcome()).toBe('token_invalid: unknown signing key')
  })

  test('C74: an unknown curve, a point outside its curve and another curve are skipped', async () => {
    const good = newSigningKey('ES256', { kid: 'good' })
    at.idp.keys = [good]
    const config = at.idp.config({ idTokenAlg: 'ES256' })
    for (const bend of [{ crv: 'P-999' }, { crv: 'P-384' }, { x: good.publicJwk.y }, { crv: 'secp256k1' }]) {
      provider = at.provider(config)
      publish({ ...good.publicJwk, ...bend })
      expect(await outcome()).toBe('token_invalid: unknown signing key')
    }
  })
})
