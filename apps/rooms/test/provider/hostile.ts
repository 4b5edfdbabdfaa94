// A provider on loopback that behaves as it should, until a test bends it.
import {
  type KeyObject,
  constants,
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign as signBytes,
} from 'node:crypto'
import { parseClaimPath } from '../../src/login/claim-path.ts'
import type { ClaimPath } from '../../src/login/claim-path.ts'
import type { OAuth2Config, OidcConfig, TeamsConfig } from '../../src/login/provider-config.ts'

export type Json = Record<string, unknown>
export type Endpoint = 'metadata' | 'jwks' | 'token' | 'userinfo'
export type Change = (usual: Json) => Json
/** Answers in place of the provider; `usual` makes the answer that it would have given. */
export type Answer = (
  usual: () => Promise<Response>,
  request: ReceivedRequest,
) => Response | Promise<Response>

/** A request as it arrived, its body read. */
export interface ReceivedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
  readonly form: URLSearchParams
}

/** Who signs in: `sub` and whatever claims the provider knows. `sid` is drawn when it is not given. */
export interface Person extends Json {
  sub?: unknown
  name?: unknown
  sid?: unknown
}

export interface SigningKey {
  readonly kid: string
  readonly alg: string
  readonly privateKey: KeyObject
  /** As published: kty, the numbers, `kid`, `alg`, `use`. */
  readonly publicJwk: Json
}

export const CLIENT_ID = 'rooms-client'
/** Has every character that form encoding and Basic disagree about (C13). */
export const CLIENT_SECRET = 'p%/+: é'
export const REDIRECT_URI = 'https://rooms.example.com/api/auth/callback'
export const ALICE: Person = { sub: 'alice', name: 'Alice Andersson', email: 'alice@example.com' }
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export type HostileProvider = Awaited<ReturnType<typeof hostileProvider>>

/**
 * A new provider on its own port. Everything that a test changes stays changed until `idp.reset()`.
 *
 * @example
 * const idp = await hostileProvider({ now: () => clock.nowMs })
 * const provider = createProvider(idp.config({ pkce: 'auto' }), …)
 * const url = await provider.authorizationUrl({ … })
 * idp.idToken((claims) => ({ ...claims, iss: 'https://other.example' }))  // bend claims; `undefined` leaves one out
 * idp.idToken((claims) => claims, (header) => ({ ...header, alg: 'none' })) // or the header
 * idp.userinfo((claims) => ({ ...claims, sub: 'bob' }))                   // bend what user-info says
 * idp.token((answer) => ({ ...answer, token_type: 'mac' }))               // bend the token answer
 * idp.metadata((document) => ({ ...document, userinfo_endpoint: undefined }))
 * idp.answer('token', () => new Response('nope', { status: 500 }))        // or replace a whole answer, delays included
 * const callback = idp.authorize(url, { sub: 'alice', name: 'Alice' })    // where the browser would be sent back to
 * idp.calls.token                                                         // how often an endpoint was called
 * await idp.stop()
 *
 * `GET <authorization endpoint>` does the same as `authorize` for a real browser, with `idp.person` as who signs in.
 * The token endpoint is strict: code used once, same redirect_uri, PKCE checked, client secret checked where one is set
 * with `idp.secret` (null: public client). What it refused is in `idp.refusals`.
 */
export async function hostileProvider({ now = Date.now }: { now?: () => number } = {}) {
  const calls: Record<Endpoint, number> = { metadata: 0, jwks: 0, token: 0, userinfo: 0 }
  const requests: ReceivedRequest[] = []
  const refusals: string[] = []
  const grants = new Map<string, { person: Person; asked: URLSearchParams }>()
  const accessTokens = new Map<string, Person>()
  let behaviour = usualBehaviour()
  let keys = [usualKey()]

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    idleTimeout: 60,
    async fetch(request): Promise<Response> {
      const url = new URL(request.url)
      if (url.pathname === '/authorize') return Response.redirect(idp.authorize(url.href, idp.person), 302)
      const endpoint = ENDPOINTS[url.pathname]
      if (endpoint === undefined) return new Response('no such page', { status: 404 })
      calls[endpoint] += 1
      const body = await request.text()
      const { method, headers } = request
      const seen = { endpoint, method, url, headers, body, form: new URLSearchParams(body) }
      requests.push(seen)
      const usual = async () => usualAnswer(seen)
      return (behaviour.answers[endpoint] ?? ((make: typeof usual) => make()))(usual, seen)
    },
  })
  const issuer = `http://127.0.0.1:${server.port}`
  const nowSeconds = () => Math.floor(now() / 1000)

  function usualAnswer(seen: ReceivedRequest): Response {
    if (seen.endpoint === 'metadata') return Response.json(behaviour.metadata(usualMetadata(issuer)))
    if (seen.endpoint === 'jwks')
      return Response.json(behaviour.jwks({ keys: keys.map(({ publicJwk }) => publicJwk) }))
    return seen.endpoint === 'token' ? tokenAnswer(seen) : userinfoAnswer(seen)
  }

  function tokenAnswer(seen: ReceivedRequest): Response {
    const code = seen.form.get('code') ?? ''
    const grant = grants.get(code)
    const fault = grant === undefined ? 'unknown or used code' : faultOf(seen, grant.asked)
    grants.delete(code)
    if (grant === undefined || fault !== undefined) {
      refusals.push(fault ?? '')
      return Response.json({ error: 'invalid_grant', error_description: fault }, { status: 400 })
    }
    const accessToken = randomText()
    accessTokens.set(accessToken, grant.person)
    const answer: Json = { access_token: accessToken, token_type: 'Bearer', expires_in: 300 }
    if (grant.asked.get('scope')?.split(' ').includes('openid'))
      answer.id_token = idp.signIdToken(grant.person, grant.asked.get('nonce'))
    return Response.json(behaviour.token(answer))
  }

  function faultOf({ form, headers }: ReceivedRequest, asked: URLSearchParams): string | undefined {
    if (form.get('grant_type') !== 'authorization_code') return 'grant_type'
    if (form.get('redirect_uri') !== asked.get('redirect_uri')) return 'redirect_uri'
    const challenge = asked.get('code_challenge')
    const verifier = form.get('code_verifier')
    if (challenge !== null && (verifier === null || sha256(verifier) !== challenge)) return 'code_verifier'
    if (challenge === null && verifier !== null) return 'code_verifier without challenge'
    return clientFault(form, headers.get('authorization'))
  }

  function clientFault(form: URLSearchParams, authorization: string | null): string | undefined {
    const inBody = form.has('client_secret')
    if (authorization !== null && inBody) return 'two client authentication methods'
    if (authorization === null) {
      if (form.get('client_id') !== CLIENT_ID) return 'client_id'
      return form.get('client_secret') === idp.secret ? undefined : 'client_secret'
    }
    // RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
    const pair = Buffer.from(authorization.replace(/^Basic /, ''), 'base64').toString('utf8')
    const decoded = [...new URLSearchParams(pair.replace(':', '=')).entries()][0]
    return decoded?.[0] === CLIENT_ID && decoded[1] === idp.secret ? undefined : 'client_secret'
  }

  function userinfoAnswer({ headers }: ReceivedRequest): Response {
    const person = accessTokens.get((headers.get('authorization') ?? '').replace(/^Bearer /, ''))
    if (person === undefined) return Response.json({ error: 'invalid_token' }, { status: 401 })
    return Response.json(behaviour.userinfo({ ...person, sid: undefined }))
  }

  const idp = {
    issuer,
    calls,
    /** Every request to metadata, jwks, token and user-info, in the order of arrival. */
    requests,
    refusals,
    /** What the token endpoint takes as the client's secret; null for a public client. */
    secret: null as string | null,
    /** Who signs in when a real browser comes to the authorization endpoint. */
    person: ALICE,
    /** What the usual answers are signed with and what is published; the first one signs. Assign to rotate. */
    get keys() {
      return keys
    },
    set keys(next: SigningKey[]) {
      keys = next
    },

    metadata: (change: Change) => void (behaviour.metadata = change),
    jwks: (change: Change) => void (behaviour.jwks = change),
    token: (change: Change) => void (behaviour.token = change),
    userinfo: (change: Change) => void (behaviour.userinfo = change),
    idToken(claims: Change, header: Change = same) {
      behaviour.idTokenClaims = claims
      behaviour.idTokenHeader = header
    },
    answer: (endpoint: Endpoint, answer: Answer) => void (behaviour.answers[endpoint] = answer),
    reset: () => void (behaviour = usualBehaviour()),

    /**
     * What the authorization endpoint does once the person has agreed: the callback address that the browser is sent to,
     * with `code`, `state` and, when the metadata announces it, `iss`.
     */
    authorize(url: string, person: Person = ALICE): string {
      const asked = new URL(url).searchParams
      const code = randomText()
      grants.set(code, { person: { sid: randomText(), ...person }, asked })
      const callback = new URL(asked.get('redirect_uri') ?? '')
      callback.searchParams.set('code', code)
      callback.searchParams.set('state', asked.get('state') ?? '')
      const announced = behaviour.metadata(
        usualMetadata(issuer),
      ).authorization_response_iss_parameter_supported
      if (announced === true) callback.searchParams.set('iss', issuer)
      return callback.href
    },

    /** The ID token of a person, bent as `idToken` said, signed with the first key. */
    signIdToken(person: Person, nonce: string | null): string {
      const claims = behaviour.idTokenClaims({
        iss: issuer,
        aud: CLIENT_ID,
        iat: nowSeconds(),
        exp: nowSeconds() + 300,
        nonce: nonce ?? undefined,
        ...person,
      })
      return idp.sign(claims, behaviour.idTokenHeader)
    },

    /** A back-channel logout token; `sub` and `sid` only as the change puts them there. */
    logoutToken(claims: Change = same, header: Change = same): string {
      const usual = {
        iss: issuer,
        aud: CLIENT_ID,
        iat: nowSeconds(),
        exp: nowSeconds() + 120,
        jti: randomText(),
        events: { [LOGOUT_EVENT]: {} },
      }
      return idp.sign(claims(usual), (h: Json) => header({ ...h, typ: 'logout+jwt' }))
    },

    /**
     * Any compact JWS: a payload object or its exact text, any header or its exact text, signed with the key whatever the
     * header says.
     */
    sign(payload: Json | string, header: Change | string = same, key: SigningKey = first(keys)): string {
      const headerText =
        typeof header === 'string' ? header : JSON.stringify(header({ alg: key.alg, kid: key.kid }))
      const payloadText = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const input = `${base64url(headerText)}.${base64url(payloadText)}`
      return `${input}.${signatureOf(input, key)}`
    },

    /** Settings that fit this provider. */
    config: (overrides: Partial<OidcConfig> = {}): OidcConfig => ({
      mode: 'oidc',
      ...COMMON,
      issuer,
      clientSecret: idp.secret,
      emailPath: claimPath('email'),
      idTokenAlg: 'auto',
      trustedHosts: [],
      backchannelLogout: true,
      logoutTokenMaxAgeSeconds: null,
      teams: null,
      ...overrides,
    }),
    /** The same with team roles: `teams: [{ id, role }]`, every team, owner and co-owner count. */
    teamidpConfig: (overrides: Partial<OidcConfig> = {}): OidcConfig =>
      idp.config({ mode: 'teamidp', teams: TEAMS, ...overrides }),
    oauth2Config: (overrides: Partial<OAuth2Config> = {}): OAuth2Config => ({
      mode: 'oauth2',
      ...COMMON,
      scopes: ['profile'],
      clientSecret: idp.secret,
      emailPath: null,
      authorizationEndpoint: `${issuer}/authorize`,
      tokenEndpoint: `${issuer}/token`,
      userinfoEndpoint: `${issuer}/userinfo`,
      ...overrides,
    }),
    /** Closes the port; open connections too. */
    stop: () => server.stop(true),
  }
  return idp
}

const ENDPOINTS: Readonly<Record<string, Endpoint>> = {
  '/.well-known/openid-configuration': 'metadata',
  '/jwks': 'jwks',
  '/token': 'token',
  '/userinfo': 'userinfo',
}

function usualMetadata(issuer: string): Json {
  return {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    userinfo_endpoint: `${issuer}/userinfo`,
    end_session_endpoint: `${issuer}/end-session`,
    response_types_supported: ['code'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post', 'none'],
    authorization_response_iss_parameter_supported: true,
  }
}

const same: Change = (usual) => usual

function usualBehaviour() {
  return {
    metadata: same,
    jwks: same,
    token: same,
    userinfo: same,
    idTokenClaims: same,
    idTokenHeader: same,
    answers: {} as Partial<Record<Endpoint, Answer>>,
  }
}

const COMMON = {
  label: 'Test provider',
  clientId: CLIENT_ID,
  scopes: ['openid', 'profile', 'email'],
  pkce: 'required',
  tokenAuthMethod: 'auto',
  adminClaim: null,
  subjectPath: claimPath('sub'),
  namePath: claimPath('name'),
  allowHttp: false,
} as const

const TEAMS: TeamsConfig = {
  claimPath: claimPath('teams'),
  idPath: claimPath('id'),
  rolePath: claimPath('role'),
  teamId: null,
  ownerRoles: ['owner', 'co-owner'],
}

/** A claim path that is known to be good. */
export function claimPath(text: string): ClaimPath {
  const path = parseClaimPath(text)
  if (path === undefined) throw new Error(`${text} is no claim path`)
  return path
}

let madeOnce: SigningKey | undefined

/** What every provider of this process signs with until a test says otherwise: an RSA key takes long to make. */
function usualKey(): SigningKey {
  madeOnce ??= newSigningKey('RS256')
  return madeOnce
}

/** A fresh key pair for `alg`, with a random `kid`; `bits` for RSA. */
export function newSigningKey(alg: string, { kid = randomText(), bits = 2048 } = {}): SigningKey {
  const { privateKey, publicKey } = keyPair(alg, bits)
  const publicJwk = { ...publicKey.export({ format: 'jwk' }), kid, alg, use: 'sig' }
  return { kid, alg, privateKey, publicJwk }
}

function keyPair(alg: string, bits: number) {
  if (alg === 'EdDSA') return generateKeyPairSync('ed25519')
  if (alg === 'ES256') return generateKeyPairSync('ec', { namedCurve: 'P-256' })
  if (alg === 'ES384') return generateKeyPairSync('ec', { namedCurve: 'P-384' })
  return generateKeyPairSync('rsa', { modulusLength: bits })
}

function signatureOf(input: string, { alg, privateKey }: SigningKey): string {
  const hash = alg === 'EdDSA' ? null : `sha${alg.slice(2)}`
  const options = {
    key: privateKey,
    ...(alg.startsWith('ES') && { dsaEncoding: 'ieee-p1363' as const }),
    ...(alg.startsWith('PS') && { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: 32 }),
  }
  return signBytes(hash, Buffer.from(input), options).toString('base64url')
}

export function base64url(text: string | Uint8Array): string {
  return Buffer.from(text as string).toString('base64url')
}

/** Base64url of the SHA-256: what S256 makes of a verifier. */
export function sha256(text: string): string {
  return createHash('sha256').update(text).digest('base64url')
}

function randomText(): string {
  return randomBytes(16).toString('base64url')
}

function first(keys: readonly SigningKey[]): SigningKey {
  const [key] = keys
  if (key === undefined) throw new Error('The provider has no key to sign with')
  return key
}
