// Who is calling the admin side (L16). Links has no login of its own: the machine or a layer in front vouches.
import { type Trusted, parseTrusted } from '@latchkey/http/client-address'
import { failures } from '../failures.ts'
import type { Settings } from '../settings.ts'
import { explainBadAssertion, verifyAssertion } from './assertion.ts'
import { isIdentity, personOf } from './identity.ts'
import { KeysUnavailable, type Surroundings, createKeySet } from './key-set.ts'
import { refuseRemote } from './local.ts'

export type Via = 'loopback' | 'header' | 'cookie' | 'assertion'

export interface Refusal {
  readonly ok: false
  readonly status: 401 | 403 | 503
  readonly message: string
  readonly retryAfterSeconds?: number
}

export interface Admitted {
  readonly ok: true
  readonly identity: string
  readonly via: Via
  /** Unix seconds at which the assertion ends; undefined where there is none. */
  readonly until?: number | undefined
}

export type Admission = Admitted | Refusal

export interface Access {
  admit(request: Request, peer: string): Promise<Admission>
  /**
   * The assertion in the header alone, for another audience: the MCP endpoint's (L19.2). Null without an assertion, and in
   * every other mode than `jwt`.
   */
  admitAssertion(request: Request, audience: string): Promise<Admission | null>
}

const LOOPBACK_IDENTITY = 'admin@localhost'

const API_KEY = /^bearer\s+sk_/i

export function createAccess(settings: Settings, surroundings: Surroundings = {}): Access {
  const mode = modeOf(settings, surroundings)
  return {
    async admit(request, peer) {
      if (API_KEY.test(request.headers.get('authorization') ?? ''))
        return refuse(401, failures.api_keys_refused.text)
      return await mode.admit(request, peer)
    },
    admitAssertion: (request, audience) => mode.admitAssertion(request, audience),
  }
}

function modeOf(settings: Settings, surroundings: Surroundings): Access {
  switch (settings.access) {
    case 'loopback':
      return { admit: loopback(settings.proxyHeader), admitAssertion: nothing }
    case 'header':
      return {
        admit: identityHeader(required(settings.accessHeader), parseTrusted(settings.trustedProxies)),
        admitAssertion: nothing,
      }
    case 'jwt':
      return assertions(settings, surroundings)
    default:
      throw new TypeError('Unknown access mode')
  }
}

async function nothing(): Promise<null> {
  return null
}

function loopback(proxyHeader: string | null): Access['admit'] {
  return async (request, peer) => {
    const reason = refuseRemote(request, peer, proxyHeader)
    if (reason !== null) return refuse(403, reason)
    return { ok: true, identity: LOOPBACK_IDENTITY, via: 'loopback' }
  }
}

function identityHeader(name: string, trusted: Trusted): Access['admit'] {
  return async (request, peer) => {
    if (!trusted.has(peer))
      return refuse(
        401,
        'Only a proxy in TRUSTED_PROXIES may say who is calling, and this request came from none',
      )
    const value = request.headers.get(name)?.trim()
    if (!value) return refuse(401, `The proxy did not say who is calling: it must set the header ${name}`)
    // A proxy that adds its header beside the visitor's own gives a list; the visitor's part must not count.
    const identity = value.includes(',') ? null : utf8(value)
    if (!isIdentity(identity))
      return refuse(
        401,
        `The header ${name} must hold one identity: the proxy must replace what visitors send`,
      )
    return { ok: true, identity, via: 'header' }
  }
}

// Header bytes arrive as Latin-1; proxies write names in UTF-8. Null for what is neither.
function utf8(value: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(value, 'latin1'))
  } catch {
    return null
  }
}

function assertions(settings: Settings, surroundings: Surroundings): Access {
  const header = required(settings.accessHeader)
  const issuer = required(settings.accessIssuer)
  const ownAudience = required(settings.accessAudience)
  const keys = createKeySet(required(settings.accessJwksUrl), surroundings)
  const now = surroundings.now ?? Date.now

  async function admit(assertion: string, audience: string, via: Via): Promise<Admission> {
    try {
      const claims = await verifyAssertion(assertion, keys, { issuer, audience }, now())
      const person = personOf(claims)
      if (!person.ok) return refuse(401, `The access assertion ${person.problem}`)
      return { ok: true, identity: person.identity, via, until: claims.exp }
    } catch (error) {
      if (error instanceof KeysUnavailable) return keysUnavailable(error)
      return refuse(401, explainBadAssertion(error))
    }
  }

  return {
    async admit(request) {
      const inHeader = headerAssertion(request, header)
      if (inHeader) return await admit(inHeader, ownAudience, 'assertion')
      const inCookie = cookie(request, settings.accessCookie)
      if (inCookie) return await admit(inCookie, ownAudience, 'cookie')
      return refuse(
        401,
        `The request did not come through the access layer: it has neither the header ${header} nor the cookie ${settings.accessCookie}`,
      )
    },
    async admitAssertion(request, audience) {
      const inHeader = headerAssertion(request, header)
      return inHeader ? await admit(inHeader, audience, 'assertion') : null
    },
  }
}

// Some layers send it as `Authorization: Bearer …`.
function headerAssertion(request: Request, name: string): string | undefined {
  return request.headers
    .get(name)
    ?.replace(/^bearer\s+/i, '')
    .trim()
}

function cookie(request: Request, name: string): string | undefined {
  const pairs = request.headers.get('cookie')?.split(';') ?? []
  const pair = pairs.map((each) => each.trim()).find((each) => each.startsWith(`${name}=`))
  return pair?.slice(name.length + 1)
}

function keysUnavailable({ retryAfterSeconds }: KeysUnavailable): Refusal {
  return {
    ...refuse(
      503,
      'The keys of the access layer cannot be fetched at the moment: check LINKS_ACCESS_JWKS_URL',
    ),
    retryAfterSeconds,
  }
}

function refuse(status: Refusal['status'], message: string): Refusal {
  return { ok: false, status, message }
}

function required(value: string | null): string {
  if (value === null) throw new TypeError('The settings of the access mode are incomplete')
  return value
}

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS'])

/** Whether a state-changing request may come from another site's page (L16.2). `ownOrigin` null matches no origin. */
export function isCrossSite(request: Request, via: Via, ownOrigin: string | null): boolean {
  return !SAFE_METHODS.has(request.method) && !isFromOwnPage(request, via, ownOrigin)
}

/** Whether no other site's page can have sent the request, whatever its method. */
export function isFromOwnPage({ headers }: Request, via: Via, ownOrigin: string | null): boolean {
  const site = headers.get('sec-fetch-site')
  const origin = headers.get('origin')
  if (site !== null) return site === 'same-origin'
  return origin === null ? via !== 'cookie' : origin === ownOrigin
}
