import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import type { ProviderConfig } from '../../src/identity/provider-config.ts'
import type { AuthorizationRequest } from '../../src/login/provider.ts'
import { CLIENT_ID, REDIRECT_URI } from './hostile.ts'
import { type ProviderBench, openProviderBench, begin, failureOf, login, redeem } from './provider.ts'

let at: ProviderBench
beforeAll(async () => {
  at = await openProviderBench()
})
afterEach(() => at.idp.reset())
afterAll(() => at.stop())

const REQUEST: AuthorizationRequest = {
  state: 'the state',
  nonce: 'the nonce',
  codeChallenge: 'the challenge',
  redirectUri: REDIRECT_URI,
  prompt: null,
}

async function authorizationParams(config: ProviderConfig, request: Partial<AuthorizationRequest> = {}) {
  const url = await at.provider(config).authorizationUrl({ ...REQUEST, ...request })
  return Object.fromEntries(new URL(url).searchParams)
}

describe('the authorization request', () => {
  test('C14: asks for a code and nothing else (oidcc-client-test)', async () => {
    expect(await authorizationParams(at.idp.config())).toEqual({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI,
      scope: 'openid profile email',
      state: 'the state',
      nonce: 'the nonce',
      code_challenge: 'the challenge',
      code_challenge_method: 'S256',
    })
  })

  test('C18: sends the scopes as configured and never adds offline_access (oidcc-client-test-scope-userinfo-claims)', async () => {
    for (const scopes of [['openid'], ['openid', 'profile', 'teams:read'], ['openid', 'offline_access']])
      expect((await authorizationParams(at.idp.config({ scopes }))).scope).toBe(scopes.join(' '))
  })

  test('R5.6: has neither nonce nor prompt in oauth2 mode', async () => {
    expect(await authorizationParams(at.idp.oauth2Config(), { prompt: 'login' })).toEqual({
      response_type: 'code',
      client_id: CLIENT_ID,
      redirect_uri: REDIRECT_URI,
      scope: 'profile',
      state: 'the state',
      code_challenge: 'the challenge',
      code_challenge_method: 'S256',
    })
    for (const prompt of ['login', 'select_account'] as const)
      expect((await authorizationParams(at.idp.config(), { prompt })).prompt).toBe(prompt)
  })

  test('R5.6: has no challenge if PKCE is not used', async () => {
    const parameters = await authorizationParams(at.idp.config(), { codeChallenge: null })
    expect(parameters).not.toHaveProperty('code_challenge')
    expect(parameters).not.toHaveProperty('code_challenge_method')
  })

  test('R5.6: keeps the parameters of the endpoint, except where they contradict its own', async () => {
    const authorizationEndpoint =
      'https://idp.example/go?tenant=a%20b&tenant=c&response_type=token&state=fixed&code_challenge_method=plain'
    const config = at.idp.oauth2Config({ authorizationEndpoint })
    const url = new URL(await at.provider(config).authorizationUrl(REQUEST))
    expect(url.origin + url.pathname).toBe('https://idp.example/go')
    expect(url.searchParams.getAll('tenant')).toEqual(['a b', 'c'])
    for (const [name, value] of [
      ['response_type', 'code'],
      ['state', 'the state'],
      ['code_challenge_method', 'S256'],
    ] as const)
      expect(url.searchParams.getAll(name)).toEqual([value])
  })
})

describe('PKCE', () => {
  const advertiseMethods = (methods: unknown) =>
    at.idp.metadata((document) => ({ ...document, code_challenge_methods_supported: methods }))
  const uses = (config: ProviderConfig) => at.provider(config).usesPkce()

  test('C15 R28.14: required: S256 even if it is not advertised, also with a secret, and the login succeeds', async () => {
    for (const methods of [undefined, [], ['plain'], ['S256']])
      for (const clientSecret of [null, 'secret']) {
        advertiseMethods(methods)
        at.idp.secret = clientSecret
        expect(await uses(at.idp.config({ pkce: 'required' }))).toBe(true)
        expect(await failureOf(login(at, at.provider()))).toBe('nothing failed')
        expect(
          at.idp.requests.findLast(({ endpoint }) => endpoint === 'token')?.form.has('code_verifier'),
        ).toBe(true)
      }
    at.idp.secret = null
  })

  test('C16: auto: sent if and only if S256 is advertised', async () => {
    const config = at.idp.config({ pkce: 'auto', clientSecret: 'secret' })
    for (const [methods, expected] of [
      [['S256'], true],
      [['plain', 'S256'], true],
      [['plain'], false],
      [['s256'], false],
      [[], false],
      [undefined, false],
    ] as const) {
      advertiseMethods(methods)
      expect(await uses(config)).toBe(expected)
    }
  })

  test('C16: auto: with neither challenge nor secret no login succeeds', async () => {
    const config = at.idp.config({ pkce: 'auto', clientSecret: null })
    advertiseMethods(['S256'])
    expect(await uses(config)).toBe(true)
    advertiseMethods(undefined)
    expect(await failureOf(begin(at, at.provider(config)))).toBe(
      'provider_misconfigured: neither code challenge nor client secret',
    )
  })

  test('C16: in oauth2 mode, auto sends S256, and disabled sends none in any mode', async () => {
    for (const clientSecret of [null, 'secret'])
      expect(await uses(at.idp.oauth2Config({ pkce: 'auto', clientSecret }))).toBe(true)
    for (const config of [
      at.idp.oauth2Config({ pkce: 'disabled', clientSecret: 'secret' }),
      at.idp.config({ pkce: 'disabled', clientSecret: 'secret' }),
    ])
      expect(await uses(config)).toBe(false)
  })
})

describe('the iss parameter of the response', () => {
  test('C34: a wrong one is refused (fapi2:invalid-authorization-response-iss)', async () => {
    const provider = at.provider()
    for (const iss of ['https://other.example', '', `${at.idp.issuer}/`, at.idp.issuer.toUpperCase()])
      expect(await failureOf(provider.checkIssuerParameter(iss))).toBe(
        'state_invalid: issuer parameter wrong',
      )
    expect(await failureOf(provider.checkIssuerParameter(at.idp.issuer))).toBe('nothing failed')
  })

  test('C34: a missing one is refused if it is advertised (fapi2:remove-authorization-response-iss)', async () => {
    expect(await failureOf(at.provider().checkIssuerParameter(undefined))).toBe(
      'state_invalid: issuer parameter missing',
    )
    for (const announced of [false, undefined, null]) {
      at.idp.metadata((document) => ({
        ...document,
        authorization_response_iss_parameter_supported: announced,
      }))
      const provider = at.provider()
      expect(await failureOf(provider.checkIssuerParameter(undefined))).toBe('nothing failed')
      expect(await failureOf(provider.checkIssuerParameter('https://other.example'))).toBe(
        'state_invalid: issuer parameter wrong',
      )
    }
  })

  test('C34: it is ignored in oauth2 mode', async () => {
    const provider = at.provider(at.idp.oauth2Config())
    for (const iss of [undefined, 'https://other.example'])
      expect(await failureOf(provider.checkIssuerParameter(iss))).toBe('nothing failed')
  })
})

test('C42: a code works once', async () => {
  const provider = at.provider()
  const answer = await begin(at, provider)
  expect((await redeem(provider, answer.get('code')!)).subject).toBe('alice')
  expect(await failureOf(redeem(provider, answer.get('code')!))).toBe(
    'provider_error: token endpoint refused the code',
  )
})
