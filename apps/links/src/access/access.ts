// Authentication of callers of the admin side (L16). Links has no sign-in of its own: either the
// caller is on this machine, or the access layer authenticates it.
import { type Trusted, parseTrusted } from '@latchkey/http/client-address'
import type { JWTPayload } from 'jose'
import { failures } from '../api/failures.ts'
import { LOOPBACK_IDENTITY, type Settings } from '../settings/settings.ts'
import { explainBadAssertion, verifyAssertion } from './assertion.ts'
import { type FollowedSessions, FOLLOW_RETRY_AFTER_SECONDS } from './followed-sessions.ts'
import { isIdentity, identityFromClaims } from './identity.ts'
import { KeysUnavailable, type AccessDependencies, createKeySet } from './key-set.ts'
import { findRemoteRefusal } from './local-requests.ts'

export type AccessMethod = 'loopback' | 'header' | 'cookie' | 'assertion'

type RefusalCode = 'unauthorized' | 'api_keys_refused' | 'forbidden' | 'access_unavailable'

export interface Refusal {
  readonly ok: false
  readonly code: RefusalCode
  readonly status: 401 | 403 | 503
  readonly message: string
  readonly retryAfterSeconds?: number
}

export interface AdmittedCaller {
  readonly ok: true
  readonly identity: string
  readonly via: AccessMethod
  /**
   * Unix seconds at which the assertion expires; undefined without one, and where the access layer
   * says when its session ends.
   */
  readonly until?: number | undefined
  /** Aborts when the session of the assertion ends (L16.7). */
  readonly sessionSignal?: AbortSignal | undefined
}

export type Admission = AdmittedCaller | Refusal

export interface Access {
  admit(request: Request, peer: string): Promise<Admission>
  /**
   * Checks the assertion in the header alone for another audience, that of the MCP endpoint
   * (L19.2). Null without an assertion and in every mode except `jwt`.
   */
  admitAssertion(request: Request, audience: string): Promise<Admission | null>
}

const API_KEY = /^bearer\s+sk_/i

interface Dependencies extends AccessDependencies {
  /** The sessions of an access layer that lists the ended ones. */
  readonly sessions?: FollowedSessions | undefined
}

export function createAccess(settings: Settings, dependencies: Dependencies = {}): Access {
  const mode = createMode(settings, dependencies)
  return {
    async admit(request, peer) {
      if (API_KEY.test(request.headers.get('authorization') ?? ''))
        return refuse('api_keys_refused', failures.api_keys_refused.text)
      return await mode.admit(request, peer)
    },
    admitAssertion: (request, audience) => mode.admitAssertion(request, audience),
  }
}

function createMode(settings: Settings, dependencies: Dependencies): Access {
  switch (settings.access) {
    case 'loopback':
      return { admit: admitLoopback(settings.proxyHeader), admitAssertion: admitNoAssertion }
    case 'header':
      return {
        admit: admitIdentityHeader(
          requireSetting(settings.accessHeader),
          parseTrusted(settings.trustedProxies),
        ),
        admitAssertion: admitNoAssertion,
      }
    case 'jwt':
      return createAssertionAccess(settings, dependencies)
    default:
      throw new TypeError('Unknown access mode')
  }
}

async function admitNoAssertion(): Promise<null> {
  return null
}

function admitLoopback(proxyHeader: string | null): Access['admit'] {
  return async (request, peer) => {
    const reason = findRemoteRefusal(request, peer, proxyHeader)
    if (reason !== null) return refuse('forbidden', reason)
    return { ok: true, identity: LOOPBACK_IDENTITY, via: 'loopback' }
  }
}

function admitIdentityHeader(name: string, trusted: Trusted): Access['admit'] {
  return async (request, peer) => {
    if (!trusted.has(peer))
      return refuse(
        'unauthorized',
        'Only a proxy in TRUSTED_PROXIES may say who is calling, and this request came from none',
      )
    const value = request.headers.get(name)?.trim()
    if (!value)
      return refuse('unauthorized', `The proxy did not say who is calling: it must set the header ${name}`)
    // A proxy that appends its header to the client's own produces a list. The client's part must
    // not count.
    const identity = value.includes(',') ? null : decodeUtf8(value)
    if (!isIdentity(identity))
      return refuse(
        'unauthorized',
        `The header ${name} must hold one identity: the proxy must replace what visitors send`,
      )
    return { ok: true, identity, via: 'header' }
  }
}

// Header bytes arrive as Latin-1, while proxies write identities in UTF-8. Null if the bytes are
// not valid UTF-8.
function decodeUtf8(value: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return null
  }
}

function createAssertionAccess(settings: Settings, dependencies: Dependencies): Access {
  const header = requireSetting(settings.accessHeader)
  const issuer = requireSetting(settings.accessIssuer)
  const ownAudience = requireSetting(settings.accessAudience)
  const keys = createKeySet(requireSetting(settings.accessJwksUrl), dependencies)
  const { now = Date.now, sessions } = dependencies

  async function admit(assertion: string, audience: string, via: AccessMethod): Promise<Admission> {
    try {
      const expected = { issuer, audience, namesSession: sessions !== undefined }
      const claims = await verifyAssertion(assertion, keys, expected, now())
      const claimed = identityFromClaims(claims)
      if (!claimed.ok) return refuse('unauthorized', `The access assertion ${claimed.problem}`)
      const caller = { ok: true, identity: claimed.identity, via } as const
      return sessions ? await admitSession(sessions, claims, caller) : { ...caller, until: claims.exp }
    } catch (error) {
      if (error instanceof KeysUnavailable) return keysUnavailable(error)
      return refuse('unauthorized', explainBadAssertion(error))
    }
  }

  return {
    async admit(request) {
      const inHeader = headerAssertion(request, header)
      if (inHeader) return await admit(inHeader, ownAudience, 'assertion')
      const inCookie = cookie(request, settings.accessCookie)
      if (inCookie) return await admit(inCookie, ownAudience, 'cookie')
      const missing =
        settings.accessCookie === null
          ? `it does not have the header ${header}`
          : `it has neither the header ${header} nor the cookie ${settings.accessCookie}`
      return refuse('unauthorized', `The request did not come through the access layer: ${missing}`)
    },
    async admitAssertion(request, audience) {
      const inHeader = headerAssertion(request, header)
      return inHeader ? await admit(inHeader, audience, 'assertion') : null
    },
  }
}

/** Admits the caller if the access layer has not ended the session of the assertion (L16.7). */
async function admitSession(
  sessions: FollowedSessions,
  { sid, iat = 0 }: JWTPayload,
  caller: AdmittedCaller,
): Promise<Admission> {
  const session = await sessions.admit(String(sid), iat)
  if (session === 'ended') return refuse('unauthorized', 'The session has ended: sign in again')
  if (session === 'unavailable')
    return { ...refuse('access_unavailable', NOT_FOLLOWED), retryAfterSeconds: FOLLOW_RETRY_AFTER_SECONDS }
  return { ...caller, sessionSignal: session }
}

const NOT_FOLLOWED =
  'Cannot ask the access layer which sessions have ended: check LINKS_ACCESS_REVOCATIONS_URL and LINKS_ACCESS_SERVICE_KEY'

// Some access layers send `Authorization: Bearer …`.
function headerAssertion(request: Request, name: string): string | undefined {
  return request.headers
    .get(name)
    ?.replace(/^bearer\s+/i, '')
    .trim()
}

function cookie(request: Request, name: string | null): string | undefined {
  if (name === null) return undefined
  const pairs = request.headers.get('cookie')?.split(';') ?? []
  const pair = pairs.map((text) => text.trim()).find((text) => text.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}

function keysUnavailable({ retryAfterSeconds }: KeysUnavailable): Refusal {
  return {
    ...refuse('access_unavailable', failures.access_unavailable.text),
    retryAfterSeconds,
  }
}

function refuse(code: RefusalCode, message: string): Refusal {
  return { ok: false, code, status: failures[code].status, message }
}

function requireSetting(value: string | null): string {
  if (value === null) throw new TypeError('The settings of the access mode are incomplete')
  return value
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/**
 * Whether a page of another site may have sent this state-changing request (L16.2). `ownOrigin`
 * null matches no origin.
 */
export function isCrossSite(request: Request, via: AccessMethod, ownOrigin: string | null): boolean {
  return !SAFE_METHODS.has(request.method) && !isFromOwnPage(request, via, ownOrigin)
}

/** Whether no page of another site can have sent the request, regardless of its method. */
export function isFromOwnPage({ headers }: Request, via: AccessMethod, ownOrigin: string | null): boolean {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null) return site === 'same-origin'
  return origin === null ? via !== 'cookie' : origin === ownOrigin
}
