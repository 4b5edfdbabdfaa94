import { generateKeyPairSync } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Provider } from 'oidc-provider'
import type { LogoutProvider } from './provider.ts'

export interface Registration {
  client_id: string
  client_secret: string
  redirect_uris: string[]
  post_logout_redirect_uris: string[]
  backchannel_logout_uri: string
  backchannel_logout_session_required: boolean
}

export interface Options {
  alg: 'RS256' | 'ES256'
  client: Registration
  /** Claims of Alice in addition to name and email address. Changes apply to the next login. */
  claims?: Record<string, unknown>
}

/**
 * oidc-provider with its defaults, with its own pages for login, consent and logout, PKCE required,
 * and both kinds of logout.
 */
export async function startOidcProvider({ alg, client, claims = {} }: Options): Promise<LogoutProvider> {
  const profile = { name: 'Alice Andersson', email: 'alice@example.com' }
  const delivered: Promise<unknown>[] = []
  const server = createServer()
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const provider = new Provider(origin, {
    clients: [
      {
        ...client,
        grant_types: ['authorization_code'],
        response_types: ['code'],
        token_endpoint_auth_method: 'client_secret_basic',
        id_token_signed_response_alg: alg,
      },
    ],
    jwks: { keys: [signingKey(alg)] },
    cookies: { keys: ['a key of the tests'] },
    claims: {
      openid: ['sub'],
      profile: ['name', 'groups'],
      email: ['email', 'email_verified'],
      'teams:read': ['teams'],
    },
    scopes: ['openid', 'profile', 'email', 'teams:read'],
    enabledJWA: { idTokenSigningAlgValues: [alg] },
    pkce: { required: () => true },
    findAccount: (_, id) => ({ accountId: id, claims: () => ({ ...claims, ...profile, sub: id }) }),
    ttl: {
      AccessToken: 600,
      AuthorizationCode: 60,
      IdToken: 600,
      Interaction: 600,
      Session: 3600,
      Grant: 3600,
    },
    // Its own check refuses addresses of this machine, and Rooms has one here.
    fetch: (url: string, options: RequestInit) => {
      const answer = fetch(url, options)
      delivered.push(answer)
      return answer
    },
    features: {
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: { enabled: true },
    },
  })
  server.on('request', provider.callback())
  const logIn: LogoutProvider['signIn'] = (person, page) =>
    person.press(page, 'Sign-in', { login: 'alice', password: 'any' })
  return {
    origin,
    signIn: async (person, page) => person.press(await logIn(person, page), 'Continue'),
    async refuse(person, page) {
      const consent = await logIn(person, page)
      const [, cancel = ''] = /href="([^"]+\/abort)"/.exec(consent.html) ?? []
      return person.visit(new URL(cancel, consent.url))
    },
    rename: async (name, email) => void Object.assign(profile, { name, email }),
    agreeToSignOut: (person, page) => person.press(page, 'Yes'),
    async signOutThere(person) {
      await person.press(await person.visit(`${origin}/session/end`), 'Yes')
      await Promise.all(delivered)
    },
    async stop() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function signingKey(alg: Options['alg']) {
  const { privateKey } =
    alg === 'ES256'
      ? generateKeyPairSync('ec', { namedCurve: 'P-256' })
      : generateKeyPairSync('rsa', { modulusLength: 2048 })
  return { ...privateKey.export({ format: 'jwk' }), kid: `${alg} of the tests`, alg, use: 'sig' }
}
