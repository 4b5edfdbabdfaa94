import { createHash } from 'node:crypto'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import {
  ALICE,
  type Change,
  CLIENT_ID,
  CLIENT_SECRET,
  type Json,
  LOGOUT_EVENT,
  base64url,
  newSigningKey,
} from './hostile.ts'
import { type ProviderBench, NONCE, openProviderBench, begin, failureOf, login, redeem } from './provider.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const same: Change = (usual) => usual
const nowSeconds = () => at.clock.ms / 1000

/** The outcome of a login with an altered ID token. Refused tokens must never lead to user-info. */
async function outcome(claims: Change, header: Change = same): Promise<string> {
  at.idp.token(same)
  at.idp.idToken(claims, header)
  return outcomeOfLogin()
}

async function outcomeOfLogin(): Promise<string> {
  const before = at.idp.calls.userinfo
  const failure = await failureOf(login(at, at.provider()))
  expect(at.idp.calls.userinfo - before).toBe(failure === 'nothing failed' ? 1 : 0)
  return failure
}

/** The outcome of a login with an ID token written by hand. It gets the nonce of the login. */
async function outcomeOf(idToken: (claims: Json) => string): Promise<string> {
  at.idp.token((answer) => ({ ...answer, id_token: idToken(usualClaims()) }))
  return outcomeOfLogin()
}

function usualClaims(): Json {
  const { issuer } = at.idp
  const { sub, name } = ALICE
  return { iss: issuer, aud: CLIENT_ID, iat: nowSeconds(), exp: nowSeconds() + 300, nonce: NONCE, sub, name }
}

const with_ = (members: Json) => (claims: Json) => ({ ...claims, ...members })
const accepted = 'nothing failed'

describe('the form of the token', () => {
  test('C49: five parts, two parts, padding, another alphabet, line ends and empty parts are refused', async () => {
    const bends: Record<string, (token: string) => string> = {
      'five parts': (token) => `${token}.a.b`,
      'two parts': (token) => token.split('.').slice(0, 2).join('.'),
      padding: (token) => `${token}==`,
      'a line end': (token) => `${token}\n`,
      'a blank inside': (token) => token.replace('.', ' .'),
      'the alphabet of plain base64': (token) => `${token.slice(0, -4)}+/+/`,
      'no signature': (token) => token.slice(0, token.lastIndexOf('.') + 1),
      'no header': (token) => token.slice(token.indexOf('.')),
      // The last character has bits that belong to no byte. Setting them encodes the same signature
      // differently.
      'bits beyond the last byte': (token) =>
        token.slice(0, -1) + String.fromCodePoint(token.codePointAt(token.length - 1)! + 1),
    }
    for (const [name, bend] of Object.entries(bends))
      expect([name, await outcomeOf((claims) => bend(at.idp.sign(claims)))]).toEqual([
        name,
        `token_invalid: id token ${name === 'five parts' ? 'encrypted' : 'malformed'}`,
      ])
    expect(await outcomeOf((claims) => at.idp.sign(claims))).toBe(accepted)
  })

  test('C49: a payload or header that is a list, a string, null, not JSON or not UTF-8 is refused', async () => {
    for (const payload of ['[]', '"text"', 'null', '{', '', '{"iss":"\u00ff"', '\ufeff{}'])
      expect(await outcomeOf(() => at.idp.sign(payload))).toBe('token_invalid: id token malformed')
    for (const header of ['[]', '"RS256"', 'null', 'no'])
      expect(await outcomeOf((claims) => at.idp.sign(claims, header))).toBe(
        'token_invalid: id token malformed',
      )
    const badUtf8 = base64url(Uint8Array.of(0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d))
    expect(await outcomeOf((claims) => `${at.idp.sign(claims).split('.')[0]}.${badUtf8}.AAAA`)).toBe(
      'token_invalid: id token malformed',
    )
  })

  test('R7.2 C49: a duplicate member is refused, at any depth and however it is encoded', async () => {
    const twice = (claims: Json, extra: string) => `${JSON.stringify(claims).slice(0, -1)},${extra}}`
    for (const extra of [
      '"iss":"https://other.example"',
      '"\\u0069ss":"https://other.example"',
      '"a":{"b":1,"b":2}',
      '"a":[{"b":1,"c":":","b":2}]',
      '"__proto__":1,"__proto__":2',
    ])
      expect(await outcomeOf((claims) => at.idp.sign(twice(claims, extra)))).toBe(
        'token_invalid: id token malformed',
      )
    const { alg, kid } = at.idp.keys[0]!
    expect(
      await outcomeOf((claims) => at.idp.sign(claims, `{"alg":"none","alg":"${alg}","kid":"${kid}"}`)),
    ).toBe('token_invalid: id token malformed')
    const innocent = '"a":{"b":"\\":\\\\"},"c":[{"b":":"},{"b":"{\\"b\\":1}"}],"__proto__":1'
    expect(await outcomeOf((claims) => at.idp.sign(twice(claims, innocent)))).toBe(accepted)
  })

  test('R7.4b, C49: a token of more than 64 KiB is refused before any key is fetched', async () => {
    expect(await outcome(with_({ filler: 'x'.repeat(60_000) }))).toBe('token_invalid: id token too long')
    expect(await outcome(with_({ filler: 'x'.repeat(40_000) }))).toBe(accepted)
  })

  test('C49: an encrypted token is refused', async () => {
    const header = base64url(JSON.stringify({ alg: 'RSA-OAEP', enc: 'A256GCM' }))
    expect(await outcomeOf(() => `${header}.AAAA.AAAA.AAAA.AAAA`)).toBe('token_invalid: id token encrypted')
  })

  test('C66: __proto__ and constructor among the claims have no effect', async () => {
    const hostile =
      '"__proto__":{"name":"Eve","sub":"eve","isAdmin":true},"constructor":{"prototype":{"polluted":1}}'
    at.idp.token((answer) => ({
      ...answer,
      id_token: at.idp.sign(`${JSON.stringify(usualClaims()).slice(0, -1)},${hostile}}`),
    }))
    const identity = await login(at, at.provider())
    expect(identity).toMatchObject({ subject: 'alice', name: 'Alice Andersson', isAdmin: false })
    expect('polluted' in {}).toBe(false)
  })
})

describe('signature and algorithm', () => {
  test('C50: a token with a valid signature is accepted (oidcc-client-test-idtoken-sig-rs256)', async () => {
    expect(await outcome(same)).toBe(accepted)
  })

  test('R7.1 C50: a wrong signature is refused, and user-info is not requested (oidcc-client-test-invalid-sig-rs256)', async () => {
    const stranger = newSigningKey('RS256', { kid: at.idp.keys[0]!.kid })
    expect(await outcomeOf((claims) => at.idp.sign(claims, same, stranger))).toBe(
      'token_invalid: id token signature wrong',
    )
    expect(
      await outcomeOf((claims) => {
        const [header, , signature] = at.idp.sign(claims).split('.')
        return `${header}.${base64url(JSON.stringify({ ...claims, sub: 'bob' }))}.${signature}`
      }),
    ).toBe('token_invalid: id token signature wrong')
  })

  test('C50: a wrong ES256 signature is refused (oidcc-client-test-invalid-sig-es256)', async () => {
    const keys = at.idp.keys
    at.idp.keys = [newSigningKey('ES256')]
    at.idp.metadata(with_({ id_token_signing_alg_values_supported: ['ES256'] }))
    const stranger = newSigningKey('ES256', { kid: at.idp.keys[0]!.kid })
    expect(await outcomeOf((claims) => at.idp.sign(claims, same, stranger))).toBe(
      'token_invalid: id token signature wrong',
    )
    expect(await outcomeOf((claims) => at.idp.sign(claims))).toBe(accepted)
    at.idp.keys = keys
  })

  test('R7.2 C51: alg none is refused in any case, with and without a signature (oidcc-client-test-idtoken-sig-none)', async () => {
    for (const alg of ['none', 'None', 'NONE', 'nOnE', 'none ']) {
      expect(await outcome(same, with_({ alg }))).toBe('token_invalid: id token algorithm not expected')
      const removeSignature = (claims: Json) => at.idp.sign(claims, with_({ alg })).replace(/[^.]*$/, '')
      expect(await outcomeOf(removeSignature)).toBe('token_invalid: id token malformed')
    }
  })

  test('C51: HS256 with the client secret or with the public key is refused (oidcc-client-test-invalid-sig-hs256)', async () => {
    const [key] = at.idp.keys
    const pem = key!.privateKey.export({ type: 'pkcs8', format: 'pem' })
    for (const secret of [CLIENT_SECRET, JSON.stringify(key!.publicJwk), pem]) {
      const forge = (claims: Json) => {
        const input = at.idp
          .sign(claims, with_({ alg: 'HS256' }))
          .split('.')
          .slice(0, 2)
          .join('.')
        return `${input}.${new Bun.CryptoHasher('sha256', secret).update(input).digest('base64url')}`
      }
      expect(await outcomeOf(forge)).toBe('token_invalid: id token algorithm not expected')
    }
  })

  test('C51: a missing, null, listed or other alg is refused (fapi2:invalid-null-alg, fapi2:invalid-alternate-alg)', async () => {
    for (const alg of [
      undefined,
      null,
      ['RS256'],
      { alg: 'RS256' },
      256,
      '',
      'rs256',
      'RS256 ',
      'RS512',
      'PS256',
    ])
      expect(await outcome(same, with_({ alg }))).toBe('token_invalid: id token algorithm not expected')
  })

  test('C52: a valid signature with another algorithm than the expected one is refused, in both directions', async () => {
    const keys = at.idp.keys
    const [rsa] = keys
    const ec = newSigningKey('ES256')
    at.idp.keys = [rsa!, ec]
    expect(await outcomeOf((claims) => at.idp.sign(claims, same, ec))).toBe(
      'token_invalid: id token algorithm not expected',
    )
    const provider = at.provider(at.idp.config({ idTokenAlg: 'ES256' }))
    at.idp.token((answer) => ({ ...answer, id_token: at.idp.sign(usualClaims(), same, rsa) }))
    expect(await failureOf(login(at, provider))).toBe('token_invalid: id token algorithm not expected')
    at.idp.token((answer) => ({ ...answer, id_token: at.idp.sign(usualClaims(), same, ec) }))
    expect(await failureOf(login(at, provider))).toBe(accepted)
    at.idp.keys = keys
  })

  test('C52: each of the seven algorithms verifies if it is configured', async () => {
    const keys = at.idp.keys
    for (const alg of ['RS256', 'ES256', 'PS256', 'EdDSA', 'ES384', 'RS384', 'RS512'] as const) {
      at.idp.keys = [newSigningKey(alg)]
      expect(await failureOf(login(at, at.provider(at.idp.config({ idTokenAlg: alg }))))).toBe(accepted)
    }
    at.idp.keys = keys
  })

  test('C52: auto selects RS256 if it or nothing is advertised, otherwise the first supported one, otherwise no login succeeds', async () => {
    for (const [advertised, expected] of [
      [undefined, 'RS256'],
      [null, 'RS256'],
      [[], 'RS256'],
      [['ES256', 'RS256'], 'RS256'],
      [['EdDSA', 'PS256', 'ES256'], 'ES256'],
      [['RS512', 'RS384'], 'RS384'],
      [['HS256', 'EdDSA'], 'EdDSA'],
    ] as const) {
      at.idp.metadata(with_({ id_token_signing_alg_values_supported: advertised }))
      expect((await at.provider().status()).idTokenAlg).toBe(expected)
    }
    at.idp.metadata(with_({ id_token_signing_alg_values_supported: ['HS256', 'none'] }))
    expect(await failureOf(begin(at, at.provider()))).toBe(
      'provider_misconfigured: no asymmetric signature algorithm in common',
    )
  })

  test('C53: a key inside the token is never used, and no URL in it is fetched', async () => {
    const stranger = newSigningKey('RS256', { kid: at.idp.keys[0]!.kid })
    const fetched: string[] = []
    const trap = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch(request) {
        fetched.push(request.url)
        return Response.json({ keys: [stranger.publicJwk] })
      },
    })
    for (const header of [
      { jwk: stranger.publicJwk },
      { jku: `http://127.0.0.1:${trap.port}/jwks` },
      { x5u: `http://127.0.0.1:${trap.port}/x5u` },
      { x5c: [base64url('certificate')] },
    ])
      expect(await outcomeOf((claims) => at.idp.sign(claims, with_(header), stranger))).toBe(
        'token_invalid: id token signature wrong',
      )
    expect(
      await outcome(
        with_({
          picture: `http://127.0.0.1:${trap.port}/`,
          _claim_sources: { a: { endpoint: `http://127.0.0.1:${trap.port}/` } },
        }),
      ),
    ).toBe(accepted)
    expect(fetched).toEqual([])
    await trap.stop(true)
  })

  test('C54: any crit is refused, including b64: false', async () => {
    for (const header of [
      { crit: ['exp'] },
      { crit: [] },
      { crit: null },
      { crit: ['b64'], b64: false },
      { b64: false },
      { b64: true },
    ])
      expect(await outcome(same, with_(header))).toBe('token_invalid: id token has critical extensions')
  })

  test('C55: typ is absent or JWT; C47: an access token (at+jwt) is not accepted as an ID token', async () => {
    for (const typ of [undefined, 'JWT']) expect(await outcome(same, with_({ typ }))).toBe(accepted)
    for (const typ of ['at+jwt', 'logout+jwt', 'jwt', 'JOSE', '', null, 1, ['JWT']])
      expect(await outcome(same, with_({ typ }))).toBe('token_invalid: id token type not expected')
  })

  test('C55: a logout token is refused as an ID token, whatever its type', async () => {
    for (const events of [{ [LOGOUT_EVENT]: {} }, {}, null])
      expect(await outcome(with_({ events }))).toBe('token_invalid: id token is a logout token')
  })
})

describe('the claims', () => {
  test('C56: a wrong, missing, listed or differently written iss is refused (oidcc-client-test-invalid-iss, fapi2:invalid-iss, fapi2:invalid-missing-iss)', async () => {
    const { issuer } = at.idp
    for (const iss of [
      'https://other.example',
      undefined,
      null,
      '',
      [issuer],
      `${issuer}/`,
      issuer.toUpperCase(),
      ` ${issuer}`,
    ])
      expect(await outcome(with_({ iss }))).toBe('token_invalid: id token issuer wrong')
  })

  test('C57: a missing, numeric, empty, overlong or unstorable sub is refused (oidcc-client-test-missing-sub)', async () => {
    for (const sub of [undefined, null, 42, true, ['alice'], {}, '', 'x'.repeat(256), 'a\u0000b', 'a\ud800'])
      expect(await outcome(with_({ sub }))).toBe('token_invalid: id token subject missing or malformed')
    const sub = 'x'.repeat(255)
    at.idp.userinfo(with_({ sub }))
    expect(await outcome(with_({ sub }))).toBe(accepted)
  })

  test('R7.3 C58: a wrong or missing audience is refused (oidcc-client-test-invalid-aud, oidcc-client-test-missing-aud, fapi2:invalid-aud, fapi2:invalid-missing-aud)', async () => {
    for (const aud of [
      'other',
      `${CLIENT_ID}x`,
      CLIENT_ID.toUpperCase(),
      '',
      undefined,
      null,
      {},
      [],
      [null],
    ])
      expect(await outcome(with_({ aud }))).toBe('token_invalid: id token audience wrong')
  })

  test('C58: an array audience with only the client id is accepted (fapi2:valid-aud-as-array)', async () => {
    expect(await outcome(with_({ aud: [CLIENT_ID] }))).toBe(accepted)
  })

  test('C58: any second audience is refused, and the log names it and the setting (fapi2:invalid-secondary-aud)', async () => {
    for (const aud of [
      [CLIENT_ID, 'other'],
      ['other', CLIENT_ID],
      [CLIENT_ID, null],
      [CLIENT_ID, [CLIENT_ID]],
    ])
      expect(await outcome(with_({ aud, azp: CLIENT_ID }))).toBe(
        'token_invalid: id token has an audience that AUTH_AUDIENCES does not list',
      )
    at.idp.idToken(with_({ aud: [CLIENT_ID, `2712\n${'x'.repeat(10_000)}`], azp: CLIENT_ID }))
    const failure: unknown = await login(at, at.provider()).catch((error: unknown) => error)
    expect(failure).toMatchObject({ detail: { audience: expect.stringMatching(/^"2712\\nx{1,200}$/) } })
  })

  test('R7.3: AUTH_AUDIENCES permits a further audience, if azp names this client', async () => {
    const config = at.idp.config({ audiences: ['2712', 'api'] })
    const outcomeWith = async (claims: Json) => {
      at.idp.idToken(with_(claims))
      return failureOf(login(at, at.provider(config)))
    }
    for (const aud of [
      [CLIENT_ID, '2712'],
      ['api', '2712', CLIENT_ID],
    ]) {
      expect(await outcomeWith({ aud, azp: CLIENT_ID })).toBe(accepted)
      for (const azp of ['2712', undefined, null, [CLIENT_ID]])
        expect(await outcomeWith({ aud, azp })).toBe('token_invalid: id token authorized party wrong')
    }
    for (const aud of ['2712', ['2712'], ['2712', 'api']])
      expect(await outcomeWith({ aud, azp: CLIENT_ID })).toBe('token_invalid: id token audience wrong')
    expect(await outcomeWith({ aud: [CLIENT_ID, '2712', 'x'], azp: CLIENT_ID })).toBe(
      'token_invalid: id token has an audience that AUTH_AUDIENCES does not list',
    )
    expect(await outcomeWith({ aud: CLIENT_ID })).toBe(accepted)
  })

  test('C59: a wrong azp is refused, also with a single audience', async () => {
    for (const azp of ['other', '', null, [CLIENT_ID]])
      expect(await outcome(with_({ azp }))).toBe('token_invalid: id token authorized party wrong')
    expect(await outcome(with_({ azp: CLIENT_ID }))).toBe(accepted)
  })

  test('C60: exp that is missing, 30 s ago, a string, negative or 1e400 is refused (fapi2:invalid-expired-exp, fapi2:invalid-missing-exp)', async () => {
    const now = nowSeconds()
    for (const exp of [undefined, null, String(now + 300), [now + 300], true])
      expect(await outcome(with_({ exp }))).toBe('token_invalid: id token expiry missing or malformed')
    for (const exp of [now - 30, now - 31, 0, -1, -now])
      expect(await outcome(with_({ exp }))).toBe('token_invalid: id token expired')
    expect(
      await outcomeOf((claims) =>
        at.idp.sign(JSON.stringify({ ...claims, exp: 0 }).replace('"exp":0', '"exp":1e400')),
      ),
    ).toBe('token_invalid: id token expiry missing or malformed')
    expect(await outcome(with_({ exp: now - 29 }))).toBe(accepted)
  })

  test('C61: iat that is missing, more than 30 s ahead or older than 10 minutes is refused (oidcc-client-test-missing-iat, fapi1-advanced-final-client-test-iat-is-week-in-past)', async () => {
    const now = nowSeconds()
    for (const iat of [undefined, null, String(now), [now]])
      expect(await outcome(with_({ iat }))).toBe('token_invalid: id token issue time missing or malformed')
    expect(await outcome(with_({ iat: now + 31 }))).toBe('token_invalid: id token issued in the future')
    for (const iat of [now - 601, now - 7 * 86_400, -1])
      expect(await outcome(with_({ iat }))).toBe('token_invalid: id token too old')
    for (const iat of [now + 30, now - 600, now - 0.5]) expect(await outcome(with_({ iat }))).toBe(accepted)
  })

  test('C62: nbf more than 30 s ahead is refused', async () => {
    const now = nowSeconds()
    for (const nbf of [now + 31, String(now), null])
      expect(await outcome(with_({ nbf }))).toBe('token_invalid: id token not valid yet')
    for (const nbf of [now + 30, now, 0]) expect(await outcome(with_({ nbf }))).toBe(accepted)
  })

  test('R7.3 C63: a missing, wrong or listed nonce is refused (oidcc-client-test-nonce-invalid, fapi2:invalid-nonce, fapi2:invalid-missing-nonce)', async () => {
    for (const nonce of [undefined, null, [NONCE], 1])
      expect(await outcome(with_({ nonce }))).toBe('token_invalid: id token nonce missing')
    for (const nonce of ['', 'other', `${NONCE} `, NONCE.toUpperCase()])
      expect(await outcome(with_({ nonce }))).toBe('token_invalid: id token nonce wrong')
  })

  test('C63 C65: the ID token of one login does not complete another', async () => {
    const provider = at.provider()
    const { idToken } = await login(at, provider)
    at.idp.token((answer) => ({ ...answer, id_token: idToken }))
    const answer = await begin(at, provider, { nonce: 'nonce-of-another-login' })
    expect(await failureOf(redeem(provider, answer.get('code')!, 'nonce-of-another-login'))).toBe(
      'token_invalid: id token nonce wrong',
    )
  })

  test('C64: a wrong at_hash is refused, and a missing one is accepted (oidcc-client-test-invalid-athash)', async () => {
    for (const at_hash of ['wrong', '', null, 1]) {
      expect(await outcome(with_({ at_hash }))).toBe('token_invalid: id token access token hash wrong')
    }
    const keys = at.idp.keys
    for (const [alg, hash] of [
      ['RS256', 'sha256'],
      ['ES384', 'sha384'],
      ['RS512', 'sha512'],
      ['EdDSA', 'sha512'],
    ] as const) {
      at.idp.keys = [newSigningKey(alg)]
      const provider = at.provider(at.idp.config({ idTokenAlg: alg }))
      at.idp.token((answer) => {
        const digest = createHash(hash).update(String(answer.access_token)).digest()
        const at_hash = digest.subarray(0, digest.length / 2).toString('base64url')
        return { ...answer, id_token: at.idp.sign({ ...usualClaims(), at_hash }) }
      })
      expect(await failureOf(login(at, provider))).toBe(accepted)
    }
    at.idp.keys = keys
  })
})
