// A provider on loopback that behaves correctly until a test alters its responses.
import {
  type KeyObject,
  constants,
  createHash,
  generateKeyPairSync,
  randomBytes,
  sign as signBytes,
} from 'node:crypto'
import { parseClaimPath } from '../../src/identity/claim-path.ts'
import type { ClaimPath } from '../../src/identity/claim-path.ts'
import { type Condition, parseConditions } from '../../src/identity/conditions.ts'
import type { OAuth2Config, OidcConfig, TeamsConfig } from '../../src/identity/provider-config.ts'

export type Json = Record<string, unknown>
export type Endpoint = 'metadata' | 'jwks' | 'token' | 'userinfo'
export type Change = (usual: Json) => Json
/** Responds in place of the provider. `usual` creates its normal response. */
export type Answer = (
  usual: () => Promise<Response>,
  request: ReceivedRequest,
) => Response | Promise<Response>

/** A request as received, with its body read. */
export interface ReceivedRequest {
  readonly endpoint: Endpoint
  readonly method: string
  readonly url: URL
  readonly headers: Headers
  readonly body: string
  readonly form: URLSearchParams
}

/** The person who signs in: `sub` and any claims. A missing `sid` is generated. */
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
/** Contains every character that form encoding and Basic encode differently (C13). */
export const CLIENT_SECRET = 'p%/+: é'
export const REDIRECT_URI = 'https://rooms.example.com/api/auth/callback'
export const ALICE: Person = { sub: 'alice', name: 'Alice Andersson', email: 'alice@example.com' }
export const LOGOUT_EVENT = 'http://schemas.openid.net/event/backchannel-logout'

export type HostileProvider = Awaited<ReturnType<typeof hostileProvider>>

/**
 * A new provider on its own port. Altered behaviour stays in force until `idp.reset()`.
 *
 * @example
 * const idp = await hostileProvider({ now: () => clock.nowMs })
 * const provider = createProvider(idp.config({ pkce: 'auto' }), …)
 * const url = await provider.authorizationUrl({ … })
 * // alters claims; `undefined` removes one
 * idp.idToken((claims) => ({ ...claims, iss: 'https://other.example' }))
 * // alters the header
 * idp.idToken((claims) => claims, (header) => ({ ...header, alg: 'none' }))
 * // alters the user-info response
 * idp.userinfo((claims) => ({ ...claims, sub: 'bob' }))
 * // alters the token response
 * idp.token((answer) => ({ ...answer, token_type: 'mac' }))
 * idp.metadata((document) => ({ ...document, userinfo_endpoint: undefined }))
 * // replaces a whole response, delays included
 * idp.answer('token', () => new Response('nope', { status: 500 }))
 * // the URL to which the browser would be redirected
 * const callback = idp.authorize(url, { sub: 'alice', name: 'Alice' })
 * // the number of requests of an endpoint
 * idp.calls.token
 * await idp.stop()
 *
 * `GET <authorization endpoint>` does the same as `authorize` for a real browser, with `idp.person`
 * as the person who signs in. The token endpoint is strict: it accepts a code once, requires the same
 * redirect_uri, and checks PKCE and the client secret, if one is set with `idp.secret` (null: public
 * client). Its refusals are in `idp.refusals`.
 */
export async function hostileProvider({ now = Date.now }: { now?: () => number } = {}) {
  const calls: Record<Endpoint, number> = { metadata: 0, jwks: 0, token: 0, userinfo: 0 }
  const requests: ReceivedRequest[] = []
  const refusals: string[] = []
  const grants = new Map<string, { person: Person; requestParams: URLSearchParams }>()
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
    const fault = grant === undefined ? 'unknown or used code' : faultOf(seen, grant.requestParams)
    grants.delete(code)
    if (grant === undefined || fault !== undefined) {
      refusals.push(fault ?? '')
      return Response.json({ error: 'invalid_grant', error_description: fault }, { status: 400 })
    }
    const accessToken = randomText()
    accessTokens.set(accessToken, grant.person)
    const answer: Json = { access_token: accessToken, token_type: 'Bearer', expires_in: 300 }
    if (grant.requestParams.get('scope')?.split(' ').includes('openid'))
      answer.id_token = idp.signIdToken(grant.person, grant.requestParams.get('nonce'))
    return Response.json(behaviour.token(answer))
  }

  function faultOf({ form, headers }: ReceivedRequest, requestParams: URLSearchParams): string | undefined {
    if (form.get('grant_type') !== 'authorization_code') return 'grant_type'
    if (form.get('redirect_uri') !== requestParams.get('redirect_uri')) return 'redirect_uri'
    const challenge = requestParams.get('code_challenge')
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
    /** All requests to metadata, jwks, token and user-info, in the order of arrival. */
    requests,
    refusals,
    /** The client secret that the token endpoint accepts, or null for a public client. */
    secret: null as string | null,
    /** The person who signs in when a real browser opens the authorization endpoint. */
    person: ALICE,
    /** The published keys. The first one signs. Assign to rotate. */
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
     * The authorization endpoint after the person has agreed: returns the callback URL with `code`,
     * `state` and, if the metadata advertise it, `iss`.
     */
    authorize(url: string, person: Person = ALICE): string {
      const requestParams = new URL(url).searchParams
      const code = randomText()
      grants.set(code, { person: { sid: randomText(), ...person }, requestParams })
      const callback = new URL(requestParams.get('redirect_uri') ?? '')
      callback.searchParams.set('code', code)
      callback.searchParams.set('state', requestParams.get('state') ?? '')
      const announced = behaviour.metadata(
        usualMetadata(issuer),
      ).authorization_response_iss_parameter_supported
      if (announced === true) callback.searchParams.set('iss', issuer)
      return callback.href
    },

    /**
     * The ID token of a person, altered by `idToken` and signed with the first key. The email is only
     * in user-info, as at many providers.
     */
    signIdToken(person: Person, nonce: string | null): string {
      const claims = behaviour.idTokenClaims({
        iss: issuer,
        aud: CLIENT_ID,
        iat: nowSeconds(),
        exp: nowSeconds() + 300,
        nonce: nonce ?? undefined,
        ...person,
        email: undefined,
      })
      return idp.sign(claims, behaviour.idTokenHeader)
    },

    /** A back-channel logout token, with `sub` and `sid` only if the change adds them. */
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
     * Any compact JWS: a payload and a header as objects or exact text, signed with the key
     * whatever the header says.
     */
    sign(payload: Json | string, header: Change | string = same, key: SigningKey = first(keys)): string {
      const headerText =
        typeof header === 'string' ? header : JSON.stringify(header({ alg: key.alg, kid: key.kid }))
      const payloadText = typeof payload === 'string' ? payload : JSON.stringify(payload)
      const input = `${base64url(headerText)}.${base64url(payloadText)}`
      return `${input}.${signatureOf(input, key)}`
    },

    /** Settings for this provider. */
    config: (overrides: Partial<OidcConfig> = {}): OidcConfig => ({
      mode: 'oidc',
      ...COMMON,
      issuer,
      clientSecret: idp.secret,
      emailPath: claimPath('email'),
      audiences: [],
      idTokenAlg: 'auto',
      trustedHosts: [],
      backchannelLogout: true,
      logoutTokenMaxAgeSeconds: null,
      logoutRedirectParameter: 'post_logout_redirect_uri',
      teams: null,
      ...overrides,
    }),
    /**
     * Settings for this provider with team roles: `teams: [{ id, role }]`, every team, with the roles
     * owner and co-owner.
     */
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
    /** Closes the port and all connections. */
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
  groupsPath: null,
  label: 'Test provider',
  clientId: CLIENT_ID,
  scopes: ['openid', 'profile', 'email'],
  pkce: 'required',
  tokenAuthMethod: 'auto',
  tokenType: 'bearer',
  conditions: [],
  accessConditions: null,
  adminClaim: null,
  subjectPath: claimPath('sub'),
  namePaths: [claimPath('name')],
  allowHttp: false,
} as const

const TEAMS: TeamsConfig = {
  claimPath: claimPath('teams'),
  idPath: claimPath('id'),
  rolePath: claimPath('role'),
  teamId: null,
  ownerRoles: ['owner', 'co-owner'],
}

/** Parses a claim path that is known to be valid. */
export function claimPath(text: string): ClaimPath {
  const path = parseClaimPath(text)
  if (path === undefined) throw new Error(`${text} is no claim path`)
  return path
}

/** Parses conditions of AUTH_REQUIRE that are known to be valid. */
export function conditions(text: string): readonly Condition[] {
  const parsed = parseConditions(text)
  if ('fault' in parsed) throw new Error(`${text} ${parsed.fault}`)
  return parsed
}

let madeOnce: SigningKey | undefined

/** The default key of all providers of this process, because an RSA key takes long to generate. */
function usualKey(): SigningKey {
  madeOnce ??= newSigningKey('RS256')
  return madeOnce
}

/** A new key pair for `alg`, with a random `kid`, and `bits` for RSA. */
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

/** Base64url of the SHA-256 hash: the S256 challenge of a verifier. */
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
