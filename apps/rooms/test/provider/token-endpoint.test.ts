import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { OAuth2Config, OidcConfig } from '../../src/identity/provider-config.ts'
import { CLIENT_ID, CLIENT_SECRET, type Json, REDIRECT_URI } from './hostile.ts'
import {
  type ProviderBench,
  VERIFIER,
  openProviderBench,
  failureOf,
  failureOfSilent,
  login,
} from './provider.ts'
import { rawServer } from './raw-server.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => {
  at.idp.reset()
  at.idp.secret = null
})
afterAll(() => at.stop())

const accepted = 'nothing failed'

/** The token request of a successful login. */
async function tokenRequest(config: OidcConfig | OAuth2Config) {
  await login(at, at.provider(config))
  const request = at.idp.requests.findLast(({ endpoint }) => endpoint === 'token')!
  const { code: _code, ...form } = Object.fromEntries(request.form)
  return {
    form,
    authorization: request.headers.get('authorization'),
    type: request.headers.get('content-type'),
  }
}

describe('the request', () => {
  const common = { grant_type: 'authorization_code', redirect_uri: REDIRECT_URI, code_verifier: VERIFIER }

  test('R6.5: names the client in the body if there is no secret', async () => {
    for (const config of [at.idp.config(), at.idp.oauth2Config()])
      expect(await tokenRequest(config)).toEqual({
        form: { ...common, client_id: CLIENT_ID },
        authorization: null,
        type: 'application/x-www-form-urlencoded',
      })
  })

  test('C13 R28.14: auto uses Basic if it or nothing is advertised, and the secret arrives intact (oidcc-client-test-client-secret-basic)', async () => {
    at.idp.secret = CLIENT_SECRET
    for (const methods of [
      undefined,
      null,
      [],
      ['client_secret_basic'],
      ['client_secret_post', 'client_secret_basic'],
    ]) {
      at.idp.metadata((document) => ({ ...document, token_endpoint_auth_methods_supported: methods }))
      const { form, authorization } = await tokenRequest(at.idp.config())
      expect(form).toEqual(common)
      expect(Buffer.from(authorization!.slice('Basic '.length), 'base64').toString()).toBe(
        'rooms-client:p%25%2F%2B%3A+%C3%A9',
      )
    }
  })

  test('C13 R28.14: auto uses post if Basic is not advertised, and in oauth2 mode', async () => {
    at.idp.secret = CLIENT_SECRET
    const inBody = {
      form: { ...common, client_id: CLIENT_ID, client_secret: CLIENT_SECRET },
      authorization: null,
    }
    for (const methods of [
      ['client_secret_post'],
      ['private_key_jwt', 'client_secret_post'],
      ['private_key_jwt'],
    ]) {
      at.idp.metadata((document) => ({ ...document, token_endpoint_auth_methods_supported: methods }))
      expect(await tokenRequest(at.idp.config())).toMatchObject(inBody)
    }
    expect(await tokenRequest(at.idp.oauth2Config())).toMatchObject(inBody)
  })

  test('C13: a configured method is used whatever is advertised, and never both', async () => {
    at.idp.secret = CLIENT_SECRET
    at.idp.metadata((document) => ({
      ...document,
      token_endpoint_auth_methods_supported: ['client_secret_basic'],
    }))
    const posted = await tokenRequest(at.idp.config({ tokenAuthMethod: 'client_secret_post' }))
    expect(posted).toMatchObject({ form: { client_secret: CLIENT_SECRET }, authorization: null })
    for (const config of [
      at.idp.config({ tokenAuthMethod: 'client_secret_basic' }),
      at.idp.oauth2Config({ tokenAuthMethod: 'client_secret_basic' }),
    ]) {
      const { form, authorization } = await tokenRequest(config)
      expect(form).toEqual(common)
      expect(authorization).toStartWith('Basic ')
    }
  })

  test('R6.5: has no verifier if no challenge was sent', async () => {
    at.idp.secret = CLIENT_SECRET
    for (const config of [at.idp.config({ pkce: 'disabled' }), at.idp.oauth2Config({ pkce: 'disabled' })])
      expect((await tokenRequest(config)).form).not.toHaveProperty('code_verifier')
  })

  test('C42: is never repeated, not even after 500, a reset or no response', async () => {
    const other = await openProviderBench()
    for (const status of [500, 503]) {
      const before = other.idp.calls.token
      other.idp.answer('token', () => new Response('no', { status }))
      expect(await failureOf(login(other, other.provider()))).toBe(
        'provider_unavailable: token endpoint failed',
      )
      expect(other.idp.calls.token - before).toBe(1)
    }
    await other.stop()
    expect(await failureOfSilent('token')).toEqual({
      requestCount: 1,
      failure: 'provider_unavailable: token does not answer',
    })
    let requests = 0
    const server = await rawServer((socket) => {
      requests += 1
      socket.resetAndDestroy()
    })
    expect(await failureOf(login(at, at.provider(at.idp.oauth2Config({ tokenEndpoint: server.url }))))).toBe(
      'provider_unavailable: token does not answer',
    )
    expect(requests).toBe(1)
    server.stop()
  })
})

describe('the response', () => {
  const outcome = (answer: (usual: Json) => Response) => {
    at.idp.answer('token', async (usual) => answer((await (await usual()).json()) as Json))
    return failureOf(login(at, at.provider()))
  }

  test('C43: counts only with status 200 and a JSON object', async () => {
    for (const status of [201, 202, 302, 400, 401, 403, 429])
      expect(await outcome((usual) => Response.json(usual, { status }))).toBe(
        'provider_error: token endpoint refused the code',
      )
    for (const status of [500, 502, 503])
      expect(await outcome((usual) => Response.json(usual, { status }))).toBe(
        'provider_unavailable: token endpoint failed',
      )
    at.clock.ms += 60_000
    for (const body of ['<html>', '[]', 'access_token=a&token_type=bearer', ''])
      expect(await outcome(() => new Response(body))).toBe(
        'provider_error: token answer is not a JSON object',
      )
    expect(await outcome((usual) => Response.json(usual))).toBe(accepted)
  })

  test('R6.6 C45: token_type is bearer in any case, and others are refused (fapi2:token-type-case-insensitivity)', async () => {
    for (const token_type of ['bearer', 'BEARER', 'bEaReR'])
      expect(await outcome((usual) => Response.json({ ...usual, token_type }))).toBe(accepted)
    for (const token_type of ['mac', 'DPoP', '', undefined, null, ['bearer'], 'bearer '])
      expect(await outcome((usual) => Response.json({ ...usual, token_type }))).toBe(
        'provider_error: token type not supported',
      )
  })

  test('R6.6: AUTH_TOKEN_TYPE replaces bearer, and none also accepts a response without a type', async () => {
    const outcomeWith = async (tokenType: string | null, token_type: unknown) => {
      at.idp.token((answer) => ({ ...answer, token_type }))
      return failureOf(login(at, at.provider(at.idp.oauth2Config({ tokenType }))))
    }
    for (const type of ['user', 'USER']) expect(await outcomeWith('user', type)).toBe(accepted)
    for (const type of [undefined, null, 'Bearer']) expect(await outcomeWith(null, type)).toBe(accepted)
    for (const [tokenType, type] of [
      ['user', 'bearer'],
      ['user', undefined],
      ['user', ['user']],
      [null, 'user'],
      [null, ''],
      [null, 0],
    ] as const)
      expect(await outcomeWith(tokenType, type)).toBe('provider_error: token type not supported')
  })

  test('R6.6: an error with status 200 is a refusal, and its code is in the log', async () => {
    for (const [body, detail] of [
      [
        { error: 'bad_verification_code', error_description: 'x' },
        { status: 200, error: 'bad_verification_code' },
      ],
      [
        { ok: false, error: 'invalid_code' },
        { status: 200, error: 'invalid_code' },
      ],
      [{ error: '<script>' }, { status: 200 }],
      [{ error: 'x'.repeat(65) }, { status: 200 }],
    ] as const) {
      at.idp.answer('token', () => Response.json(body))
      const failure = await login(at, at.provider(at.idp.oauth2Config())).catch((error: unknown) => error)
      expect(failure).toMatchObject({
        code: 'provider_error',
        reason: 'token endpoint refused the code',
        detail,
      })
    }
  })

  test('C45: expires_in may be missing or anything (fapi2:token-endpoint-response-without-expires_in)', async () => {
    for (const expires_in of [undefined, null, '300', -1, {}])
      expect(await outcome((usual) => Response.json({ ...usual, expires_in }))).toBe(accepted)
  })

  test('R6.6 C46: a missing or empty access token, or one that would break out of its header, is refused', async () => {
    for (const access_token of [undefined, null, '', 1, 'a b', 'a\r\nX-Other: b', 'é', 'a\u0000'])
      expect(await outcome((usual) => Response.json({ ...usual, access_token }))).toBe(
        'provider_error: access token missing or malformed',
      )
  })

  test('C46: a missing or empty ID token is refused in the OIDC modes', async () => {
    for (const config of [at.idp.config(), at.idp.teamidpConfig()])
      for (const id_token of [undefined, null, '', 1, {}]) {
        at.idp.token((answer) => ({ ...answer, id_token }))
        expect(await failureOf(login(at, at.provider(config)))).toBe('provider_error: id token missing')
      }
    expect(at.idp.calls.userinfo).toBe(at.measurements.filter((line) => line.startsWith('userinfo')).length)
  })

  test('R4.2 C47: an ID token is ignored in oauth2 mode', async () => {
    at.idp.token((answer) => ({ ...answer, id_token: at.idp.sign({ sub: 'mallory', name: 'Mallory' }) }))
    expect(await login(at, at.provider(at.idp.oauth2Config()))).toEqual({
      issuer: `oauth2:${at.idp.issuer}`,
      subject: 'alice',
      sub: null,
      name: 'Alice Andersson',
      email: null,
      isAdmin: false,
      ownedTeams: [],
      groups: null,
      access: null,
      idToken: null,
      sid: null,
      issuedAtSeconds: null,
    })
  })

  test("C38 refusals carry the provider's error only where it is one of RFC 6749, and never a code or a token", async () => {
    const detailOf = async (error: unknown) => {
      at.idp.answer('token', () => Response.json({ error, error_description: '<script>' }, { status: 400 }))
      return login(at, at.provider()).catch((failure: { detail: unknown }) => failure.detail)
    }
    expect(await detailOf('invalid_client')).toEqual({ status: 400, error: 'invalid_client' })
    for (const error of ['<script>', 'invalid_grant\n', undefined, { a: 1 }])
      expect(await detailOf(error)).toEqual({ status: 400 })
  })
})
