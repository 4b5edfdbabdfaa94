import { generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Configuration, Context, interactionPolicy } from 'oidc-provider'
import { errorPage, show, signOutPage, signedOutPage } from './pages.ts'
import { post } from './post.ts'
import { findUser } from './users.ts'

export interface DemoClient {
  id: string
  secret: string
  redirectUris: string[]
  postLogoutRedirectUris: string[]
  backchannelLogoutUri: string
}

const CLAIMS = { openid: ['sub'], profile: ['name'], email: ['email'], 'teams:read': ['teams'] }
const SCOPES = Object.keys(CLAIMS)

const MINUTE = 60
const DAY = 24 * 60 * MINUTE

/**
 * An OpenID provider for one client: the Authorization Code flow with PKCE, and logout in both
 * directions.
 */
export function configure(client: DemoClient, policy: typeof interactionPolicy): Configuration {
  return {
    clients: [clientMetadata(client)],
    // New at each start: signatures of an earlier run are not valid.
    jwks: { keys: [signingKey()] },
    cookies: {
      // Cookies ignore ports, so other services of this machine receive these as well. They
      // need no signature: each is an unguessable random id, and ids of an earlier run are
      // unknown.
      names: {
        session: 'latchkey_demo_session',
        interaction: 'latchkey_demo_interaction',
        resume: 'latchkey_demo_resume',
      },
    },
    claims: CLAIMS,
    scopes: SCOPES,
    responseTypes: ['code'],
    clientAuthMethods: ['client_secret_basic'],
    enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
    pkce: { required: () => true },
    findAccount: (_, id) => account(id),
    loadExistingGrant: grantAll,
    interactions: { policy: prompts(policy) },
    ttl: {
      AccessToken: 10 * MINUTE,
      AuthorizationCode: MINUTE,
      IdToken: 10 * MINUTE,
      Interaction: 60 * MINUTE,
      Session: DAY,
      Grant: DAY,
    },
    clientBasedCORS: () => false,
    renderError: (context: Context, { error, error_description }: Refusal) =>
      show(
        context,
        errorPage(
          'The request was refused',
          `${error_description ?? 'The request is not valid'} (${error}).`,
        ),
      ),
    fetch: (url: string, options: { headers: Headers; body: URLSearchParams }) =>
      deliver(url, options, client.backchannelLogoutUri),
    features: {
      devInteractions: { enabled: false },
      backchannelLogout: { enabled: true },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: (context: Context, form: string) => show(context, signOutPage(form, signedIn(context))),
        postLogoutSuccessSource: (context: Context) => show(context, signedOutPage()),
      },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
    },
  }
}

interface Refusal {
  error: string
  error_description?: string
}

function clientMetadata(client: DemoClient) {
  return {
    client_id: client.id,
    client_secret: client.secret,
    redirect_uris: client.redirectUris,
    post_logout_redirect_uris: client.postLogoutRedirectUris,
    backchannel_logout_uri: client.backchannelLogoutUri,
    backchannel_logout_session_required: true,
    grant_types: ['authorization_code'],
    response_types: ['code'],
    response_modes: ['query'],
    token_endpoint_auth_method: 'client_secret_basic',
  }
}

function signingKey() {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const kid = randomBytes(8).toString('base64url')
  return { ...privateKey.export({ format: 'jwk' }), kid, alg: 'RS256', use: 'sig' }
}

function account(id: string) {
  const user = findUser(id)
  // The type requires an account; the provider itself accepts `undefined` for an unknown user.
  if (!user) throw new Error(`The demo has no user ${id}`)
  return { accountId: id, claims: () => ({ sub: id, name: user.name, email: user.email, teams: user.teams }) }
}

function signedIn({ oidc }: Context) {
  return findUser(oidc?.session?.accountId)
}

/** Grants all scopes without a consent page: the client is part of the demo. */
async function grantAll({ oidc }: Context) {
  const { accountId } = oidc?.session ?? {}
  if (!oidc?.client || accountId === undefined) return undefined
  const { clientId } = oidc.client
  const grantId = oidc.session?.grantIdFor(clientId)
  const existing = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId)
  if (existing) return existing
  const grant = new oidc.provider.Grant({ clientId, accountId })
  grant.addOIDCScope(SCOPES.join(' '))
  await grant.save()
  return grant
}

function prompts({ base, Prompt }: typeof interactionPolicy) {
  const policy = base()
  policy.remove('consent')
  policy.add(new Prompt({ name: 'select_account', requestable: true }), 0)
  return policy
}

/** Delivers logout tokens to the client: the only requests that the provider makes. */
async function deliver(
  url: string,
  { headers, body }: { headers: Headers; body: URLSearchParams },
  backchannelLogoutUri: string,
): Promise<Response> {
  if (url !== new URL(backchannelLogoutUri).href)
    throw new Error('The demo identity provider calls its own client only')
  const { status } = await post(url, { headers: Object.fromEntries(headers), body: String(body) })
  return new Response(null, { status })
}
