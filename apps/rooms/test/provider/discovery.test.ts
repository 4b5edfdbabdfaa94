import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import type { Provider } from '../../src/login/provider.ts'
import { freePort } from '@latchkey/http/free-port'
import { hostileProvider } from './hostile.ts'
import { type ProviderBench, openProviderBench, begin, failureOf, login } from './provider.ts'

let at: ProviderBench
beforeEach(async () => {
  at = await openProviderBench()
})
afterEach(() => at.stop())

const accepted = 'nothing failed'
const start = (provider: Provider) => failureOf(begin(at, provider))

/** A provider for any issuer path on one port, whose metadata name `issuer`. */
function serveIssuer(issuer: (origin: string) => string) {
  const paths: string[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request): Response {
      const { pathname, origin } = new URL(request.url)
      paths.push(pathname)
      const endpoint = (path: string) => `${origin}/${path}`
      return Response.json({
        issuer: issuer(origin),
        authorization_endpoint: endpoint('authorize'),
        token_endpoint: endpoint('token'),
        jwks_uri: endpoint('jwks'),
      })
    },
  })
  return { origin: `http://127.0.0.1:${server.port}`, paths, stop: () => server.stop(true) }
}

describe('the issuer', () => {
  test('C6: the metadata URL is the issuer without one trailing slash, plus the well-known path (oidcc-client-test-discovery-openid-config)', async () => {
    for (const [path, requestPath] of [
      ['', '/.well-known/openid-configuration'],
      ['/', '/.well-known/openid-configuration'],
      ['/tenant/app', '/tenant/app/.well-known/openid-configuration'],
      ['/tenant/app/', '/tenant/app/.well-known/openid-configuration'],
      ['/tenant/app//', '/tenant/app//.well-known/openid-configuration'],
    ] as const) {
      const server = serveIssuer((origin) => origin + path)
      expect(await start(at.provider(at.idp.config({ issuer: server.origin + path })))).toBe(accepted)
      expect(server.paths).toEqual([requestPath])
      await server.stop()
    }
  })

  test('C5 C7 R28.7: issuers that differ by a slash, by case or otherwise are different, and the error shows both (oidcc-client-test-discovery-issuer-mismatch, fapi2:discovery-issuer-mismatch)', async () => {
    for (const [configured, received] of [
      ['/app', '/app/'],
      ['/app/', '/app'],
      ['/app', '/App'],
      ['/app', '/app?x'],
      ['/app', ' /app'],
    ] as const) {
      const server = serveIssuer((origin) => origin + received)
      const provider = at.provider(at.idp.config({ issuer: server.origin + configured }))
      expect(await start(provider)).toBe('provider_misconfigured: issuer mismatch')
      const { discovery, endpoints } = await provider.status()
      expect(discovery).toEqual({
        ok: false,
        checkedAtMs: at.clock.ms,
        code: 'provider_misconfigured',
        error: `issuer mismatch, configured "${server.origin}${configured}", received "${server.origin}${received}"`,
      })
      // The endpoints of another issuer are not exposed.
      expect(endpoints).toEqual({})
      expect(at.logLines.at(-1)).toContain('issuer mismatch')
      await server.stop()
    }
    for (const issuer of [undefined, null, 1, [at.idp.issuer], {}, 'x'.repeat(10_000)]) {
      at.idp.metadata((document) => ({ ...document, issuer }))
      expect(await start(at.provider())).toBe('provider_misconfigured: issuer mismatch')
    }
    expect(at.logLines.every((line) => line.length < 2000)).toBe(true)
  })
})

describe('the metadata document', () => {
  test('R4.1 C8: it is refused without authorization endpoint, token endpoint or key set URL', async () => {
    for (const member of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'])
      for (const value of [undefined, null, 1, ['https://idp.example/']]) {
        at.idp.metadata((document) => ({ ...document, [member]: value }))
        const provider = at.provider()
        expect(await start(provider)).toBe('provider_misconfigured: metadata incomplete or malformed')
        expect((await provider.status()).discovery.error).toContain(member)
      }
  })

  test('C9: URLs with http, another scheme, credentials or a fragment are refused, for each endpoint', async () => {
    for (const member of [
      'authorization_endpoint',
      'token_endpoint',
      'jwks_uri',
      'userinfo_endpoint',
      'end_session_endpoint',
    ])
      for (const address of [
        'http://idp.example/',
        'javascript:alert(1)',
        'data:text/html,x',
        'file:///etc/passwd',
        'ftp://idp.example/',
        '//idp.example/',
        '/relative',
        '',
        'https://user:secret@idp.example/',
        'https://user@idp.example/',
        'https://@idp.example/',
        'https://idp.example/#fragment',
        'https://idp.example/#',
        'https://idp.example/\r\nSet-Cookie: a=b',
        ' https://idp.example/',
        'https:\\\\idp.example\\',
        'https:idp.example',
      ]) {
        at.idp.metadata((document) => ({ ...document, [member]: address }))
        expect([member, address, await start(at.provider())]).toEqual([
          member,
          address,
          'provider_misconfigured: metadata address not permitted',
        ])
      }
  })

  test('C9: AUTH_ALLOW_HTTP permits http and nothing else', async () => {
    const provider = () => at.provider(at.idp.config({ allowHttp: true }))
    at.idp.metadata((document) => ({ ...document, token_endpoint: 'http://idp.example/token' }))
    expect(await start(provider())).toBe(accepted)
    at.idp.metadata((document) => ({ ...document, token_endpoint: 'http://a:b@idp.example/token' }))
    expect(await start(provider())).toBe('provider_misconfigured: metadata address not permitted')
  })

  test('members of an unusable type are refused, and null counts as missing', async () => {
    const optional = [
      'code_challenge_methods_supported',
      'token_endpoint_auth_methods_supported',
      'id_token_signing_alg_values_supported',
      'authorization_response_iss_parameter_supported',
    ]
    for (const member of optional) {
      at.idp.metadata((document) => ({ ...document, [member]: 'S256' }))
      expect(await start(at.provider())).toBe('provider_misconfigured: metadata incomplete or malformed')
      at.idp.metadata((document) => ({ ...document, [member]: null }))
      expect(await start(at.provider())).toBe(accepted)
    }
  })

  test('C43: a redirect, another status, HTML or a list is not accepted', async () => {
    for (const answer of [
      () => Response.redirect(`${at.idp.issuer}/elsewhere`, 302),
      () => Response.json({ issuer: at.idp.issuer }, { status: 201 }),
      () => new Response('not found', { status: 404 }),
      () => new Response('<html>'),
      () => Response.json([]),
    ]) {
      at.idp.answer('metadata', answer)
      expect(await start(at.provider())).toStartWith('provider_unavailable: ')
    }
  })
})

describe('the time of the requests', () => {
  test('R4.3 C10 R28.10: nothing is requested before the first login, and a provider that was down is found within 15 s without a restart', async () => {
    const port = await freePort()
    const config = at.idp.config({ issuer: `http://127.0.0.1:${port}` })
    const provider = at.provider(config)
    for (let seconds = 0; seconds < 60; seconds += 1) {
      expect(await start(provider)).toStartWith('provider_unavailable: ')
      at.clock.ms += 1000
    }
    const again = Bun.serve({
      hostname: '127.0.0.1',
      port,
      fetch: () =>
        Response.json({
          issuer: config.issuer,
          authorization_endpoint: `${config.issuer}/authorize`,
          token_endpoint: `${config.issuer}/token`,
          jwks_uri: `${config.issuer}/jwks`,
        }),
    })
    let waited = 0
    while ((await start(provider)) !== accepted && waited < 60) {
      at.clock.ms += 1000
      waited += 1
    }
    expect(waited).toBeLessThanOrEqual(15)
    await again.stop(true)
  })

  test('R4.3 C11: one request serves a hundred concurrent logins and an hour of later ones', async () => {
    const provider = at.provider()
    expect(at.idp.calls.metadata).toBe(0)
    await Promise.all(Array.from({ length: 100 }, () => start(provider)))
    at.clock.ms += 3_600_000 - 1
    await start(provider)
    expect(at.idp.calls.metadata).toBe(1)
    at.clock.ms += 1
    await start(provider)
    expect(at.idp.calls.metadata).toBe(2)
    at.clock.ms -= 7_200_000
    await start(provider)
    expect(at.idp.calls.metadata).toBe(3)
  })

  test('C11: one request fails for a hundred concurrent logins, and the failure is cached for no more than 10 s', async () => {
    const provider = at.provider()
    at.idp.answer('metadata', () => new Response('no', { status: 500 }))
    const failures = await Promise.all(Array.from({ length: 100 }, () => start(provider)))
    expect(new Set(failures)).toEqual(new Set(['provider_unavailable: no metadata']))
    expect(await start(provider)).toBe('provider_unavailable: no metadata')
    expect(at.idp.calls.metadata).toBe(1)
    at.idp.reset()
    at.clock.ms += 10_000
    expect(await start(provider)).toBe(accepted)
  })

  test('R28.10: a provider that hangs costs a login no more than the timeout of one request', async () => {
    const impatient = await openProviderBench({ outbound: { callMs: 60 } })
    impatient.idp.answer('metadata', () => new Promise<Response>(() => {}))
    expect(await failureOf(begin(impatient, impatient.provider()))).toBe(
      'provider_unavailable: discovery does not answer',
    )
    await impatient.stop()
  })
})

describe('the status of the provider', () => {
  test('R16.5: it names endpoints and methods, and no secret', async () => {
    at.idp.secret = 'a secret that nobody sees'
    const { issuer } = at.idp
    const status = await at.provider().status()
    expect(status).toEqual({
      mode: 'oidc',
      issuer,
      label: 'Test provider',
      conditions: [],
      openProvider: null,
      discovery: { ok: true, checkedAtMs: at.clock.ms, code: null, error: null },
      endpoints: {
        authorization: `${issuer}/authorize`,
        token: `${issuer}/token`,
        jwks: `${issuer}/jwks`,
        userinfo: `${issuer}/userinfo`,
        endSession: `${issuer}/end-session`,
      },
      pkce: 'S256',
      tokenAuthMethod: 'client_secret_basic',
      idTokenAlg: 'RS256',
    })
    expect(JSON.stringify([status, at.logLines])).not.toContain('secret that nobody')
  })

  test('R16.5: it is returned soon if the provider is unreachable, and says so', async () => {
    const impatient = await openProviderBench({ timeouts: { pageMs: 30 } })
    impatient.idp.answer('metadata', () => new Promise<Response>(() => {}))
    const status = await impatient.provider(impatient.idp.config({ pkce: 'auto' })).status()
    expect(status).toMatchObject({
      discovery: { ok: false, checkedAtMs: null },
      endpoints: {},
      pkce: 'none',
      idTokenAlg: null,
    })
    await impatient.stop()
  })

  test('R16.5: in oauth2 mode it has the configured endpoints', async () => {
    const { issuer } = at.idp
    expect(await at.provider(at.idp.oauth2Config()).status()).toEqual({
      mode: 'oauth2',
      issuer: `oauth2:${issuer}`,
      label: 'Test provider',
      conditions: [],
      openProvider: null,
      discovery: { ok: true, checkedAtMs: null, code: null, error: null },
      endpoints: {
        authorization: `${issuer}/authorize`,
        token: `${issuer}/token`,
        userinfo: `${issuer}/userinfo`,
      },
      pkce: 'S256',
      tokenAuthMethod: 'none',
      idTokenAlg: null,
    })
  })

  test('C33: the fingerprint distinguishes modes, issuers and clients, and nothing else', async () => {
    const { idp } = at
    const other = await hostileProvider()
    const fingerprints = [
      at.provider(),
      at.provider(idp.teamidpConfig()),
      at.provider(idp.oauth2Config()),
      at.provider(idp.config({ issuer: `${idp.issuer}/` })),
      at.provider(idp.config({ clientId: 'other' })),
      at.provider(other.config()),
    ].map(({ fingerprint }) => fingerprint)
    expect(new Set(fingerprints).size).toBe(fingerprints.length)
    expect(
      at.provider(idp.config({ label: 'Other', scopes: ['openid'], clientSecret: 'x' })).fingerprint,
    ).toBe(fingerprints[0]!)
    await other.stop()
  })

  test('C82 R28.7: equal subjects of two providers have different keys, in every mode', async () => {
    const other = await openProviderBench()
    const identities = [
      await login(at, at.provider()),
      await login(other, other.provider()),
      await login(at, at.provider(at.idp.oauth2Config())),
      await login(other, other.provider(other.idp.oauth2Config())),
    ]
    expect(new Set(identities.map(({ subject }) => subject))).toEqual(new Set(['alice']))
    expect(new Set(identities.map(({ issuer }) => issuer)).size).toBe(4)
    await other.stop()
  })
})

describe('metrics', () => {
  test('R24.2: each request is observed with endpoint and outcome', async () => {
    await login(at, at.provider())
    expect(at.measurements).toEqual(['discovery ok', 'token ok', 'key set', 'jwks ok', 'userinfo ok'])
    at.measurements.length = 0
    at.idp.answer('token', () => Response.json({}, { status: 400 }))
    await failureOf(login(at, at.provider(at.idp.oauth2Config())))
    expect(at.measurements).toEqual(['token refused'])
  })
})
