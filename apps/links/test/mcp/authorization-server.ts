import { type RequestListener, createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair } from 'jose'
import { Provider } from 'oidc-provider'

export interface AuthorizationServer {
  issuer: string
  /** Lifetime in seconds of access tokens issued from now on. */
  lifetime: number
  /**
   * Signs in as this account and consents, as a person does in a browser. Returns the callback URL
   * with the code.
   */
  browse(start: URL, account: string): Promise<URL>
  stop(): Promise<void>
}

/**
 * A real authorization server, set up for Latchkey as usual: dynamic registration, PKCE, JWT access
 * tokens.
 */
export async function startAuthorizationServer(): Promise<AuthorizationServer> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true })
  const jwk = { ...(await exportJWK(privateKey)), kid: 'signing', alg: 'RS256', use: 'sig' }
  const listener: { handle?: RequestListener } = {}
  const http = createServer((request, response) => listener.handle?.(request, response))
  await new Promise<void>((resolve) => http.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(http.address() as AddressInfo).port}`
  const server = { issuer, lifetime: 3600, browse, stop: () => stop(http) }
  const provider = new Provider(issuer, {
    jwks: { keys: [jwk] },
    cookies: { keys: ['test'] },
    scopes: ['openid', 'offline_access', 'links:read', 'links:create'],
    pkce: { required: () => true },
    findAccount: (_, accountId) => ({ accountId, claims: () => ({ sub: accountId }) }),
    extraTokenClaims: (_, { accountId = '' }) => ({ email: `${accountId}@example.com` }),
    issueRefreshToken: () => Promise.resolve(true),
    rotateRefreshToken: true,
    extraClientMetadata: {
      properties: ['scope_is_not_for_clients_to_fix'],
      // Clients register with the scopes of the first challenge and may request more later.
      validator(_context, _name, _value, metadata) {
        delete metadata.scope
      },
    },
    features: {
      registration: { enabled: true },
      devInteractions: { enabled: true },
      resourceIndicators: {
        enabled: true,
        useGrantedResource: () => true,
        getResourceServerInfo: (_, audience) => ({
          scope: 'links:read links:create',
          audience,
          accessTokenTTL: server.lifetime,
          accessTokenFormat: 'jwt',
          jwt: { sign: { alg: 'RS256' } },
        }),
      },
    },
  })
  listener.handle = provider.callback()
  return server
}

function stop(http: ReturnType<typeof createServer>): Promise<void> {
  http.closeAllConnections()
  return new Promise((resolve) => void http.close(() => resolve()))
}

const FORMS = {
  login: (account: string) => ({ prompt: 'login', login: account, password: 'any' }),
  consent: () => ({ prompt: 'consent' }),
}

/** Follows redirects with cookies and submits the forms, until a redirect leaves the server. */
async function browse(start: URL, account: string): Promise<URL> {
  const cookies = new Map<string, string>()
  let form: Record<string, string> | undefined
  let at = start
  for (let step = 0; step < 20; step++) {
    const response = await fetch(at, {
      redirect: 'manual',
      headers: { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') },
      ...(form ? { method: 'POST', body: new URLSearchParams(form) } : {}),
    })
    for (const cookie of response.headers.getSetCookie()) {
      const [name = '', value = ''] = cookie.split(';')[0]?.split('=') ?? []
      cookies.set(name, value)
    }
    const location = response.headers.get('location')
    form = undefined
    if (location) {
      at = new URL(location, at)
      if (at.origin !== start.origin) return at
      continue
    }
    const page = await response.text()
    const prompt = /name="prompt" value="(login|consent)"/.exec(page)?.[1] as keyof typeof FORMS | undefined
    if (!prompt) throw new Error(`No form at ${at.pathname} (${response.status}): ${page.slice(0, 2000)}`)
    form = FORMS[prompt](account)
    at = new URL(/action="([^"]+)"/.exec(page)?.[1] ?? '', at)
  }
  throw new Error('The authorization server leads in a circle')
}
