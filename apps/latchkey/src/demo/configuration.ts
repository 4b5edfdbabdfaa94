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

/** A plain OpenID provider for one client: the Authorization Code flow with PKCE, and logout in both directions. */
export function configure(client: DemoClient, policy: typeof interactionPolicy): Configuration {
  return {
    clients: [clientMetadata(client)],
    // New at each start, so that what an earlier run signed says nothing to this one.
    jwks: { keys: [signingKey()] },
    cookies: {
      // Cookies know no ports, so these reach the other services of this machine as well. They are not signed: each carries a
      // random id that cannot be guessed, and that of an earlier run names nothing.
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
  // A type says that there always is one; the provider itself takes none for an unknown person.
  if (!user) throw new Error(`The demo has no user ${id}`)
  return { accountId: id, claims: () => ({ sub: id, name: user.name, email: user.email, teams: user.teams }) }
}

function signedIn({ oidc }: Context) {
  return findUser(oidc?.session?.accountId)
}

/** The client belongs to the house: nobody is asked whether it may know who they are. */
async function grantAll({ oidc }: Context) {
  const { accountId } = oidc?.session ?? {}
  if (!oidc?.client || accountId === undefined) return undefined
  const { clientId } = oidc.client
  const known = oidc.session?.grantIdFor(clientId)
  const kept = known === undefined ? undefined : await oidc.provider.Grant.find(known)
  if (kept) return kept
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

/** The provider fetches nothing but this: it brings logout tokens to its client. */
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
