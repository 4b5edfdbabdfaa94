// Who is calling the MCP endpoint (L19.2). The first credential presented decides; a bad one is never passed over.
import { type Failure, transportFailure } from '@latchkey/http/failure'
import type { JWTPayload } from 'jose'
import { type Access, type Admission, createAccess } from '../access/access.ts'
import { personOf } from '../access/identity.ts'
import { KeysUnavailable } from '../access/key-set.ts'
import { noteUse } from '../http/public-api.ts'
import type { Services } from '../http/services.ts'
import { permits } from '../keys/schema.ts'
import { findKey } from '../keys/store.ts'
import { type Issuer, createIssuer, explainBadToken } from './issuer.ts'

export const scopes = ['links:read', 'links:create'] as const
export type Scope = (typeof scopes)[number]

/** What each is called in an API key. */
export const keyScopes = { 'links:read': 'read', 'links:create': 'create' } as const

export interface McpCaller {
  identity: string
  scopes: readonly Scope[]
  /** Whether an API key says so. */
  isKey?: true
}

export interface Credentials {
  /** False when nobody could ever be admitted: then there is no endpoint. */
  isConfigured: boolean
  issuer: Issuer | undefined
  /** Throws what the request is refused with. `metadataUrl` tells clients where to learn how to log in. */
  identify(request: Request, peer: string, metadataUrl: string): Promise<McpCaller>
  /** Why a request without credentials gets nothing but a refusal, not even to hear where to log in. */
  refuseStranger(request: Request, peer: string): Promise<Failure | undefined>
}

interface Wiring {
  services: Services
  access: Access
  issuer: Issuer | undefined
}

export function createCredentials(services: Services): Credentials {
  const { settings, log } = services
  const { mcpOauthIssuer, mcpOauthAudience, mcpAccessAudience, mcpApiKeys } = settings
  const surroundings = { now: () => services.now() * 1000, log }
  const access = createAccess(settings, surroundings)
  const issuer =
    mcpOauthIssuer !== null && mcpOauthAudience !== null
      ? createIssuer({ issuer: mcpOauthIssuer, audience: mcpOauthAudience }, surroundings)
      : undefined
  const isLocal = settings.access === 'loopback'
  const canLogIn = issuer !== undefined || mcpApiKeys
  return {
    isConfigured: canLogIn || isLocal || mcpAccessAudience !== null,
    issuer,
    async identify(request, peer, metadataUrl) {
      const unauthorized = challenger(issuer ? metadataUrl : undefined)
      return (
        (await byAuthorization({ services, access, issuer }, request, unauthorized)) ??
        (await byAssertion({ services, access, issuer }, request, unauthorized)) ??
        (await byNothing(request, peer, unauthorized))
      )
    },
    async refuseStranger(request, peer) {
      if (!isLocal || canLogIn) return undefined
      const admission = await access.admit(request, peer)
      return admission.ok ? undefined : refusal(admission)
    },
  }

  /** This machine itself; others hear how to log in, if they can. */
  async function byNothing(request: Request, peer: string, unauthorized: Challenger): Promise<McpCaller> {
    const admission = isLocal ? await access.admit(request, peer) : undefined
    if (!admission || (!admission.ok && canLogIn)) throw unauthorized()
    return admitted(admission, unauthorized)
  }
}

/** A 401 that tells clients where to log in, and what is wrong with the credential they have sent. */
type Challenger = (problem?: { error: string; description: string }) => Failure

function challenger(metadataUrl: string | undefined): Challenger {
  return (problem) => {
    const parts = problem ? [`error="${problem.error}"`, `error_description="${problem.description}"`] : []
    if (metadataUrl) parts.push(`resource_metadata="${metadataUrl}"`, `scope="${scopes[0]}"`)
    const challenge = parts.length > 0 ? `Bearer ${parts.join(', ')}` : 'Bearer'
    return transportFailure('unauthorized', {
      ...(problem ? { text: problem.description } : {}),
      headers: { 'WWW-Authenticate': challenge },
    })
  }
}

async function byAuthorization(
  { services, issuer }: Wiring,
  request: Request,
  unauthorized: Challenger,
): Promise<McpCaller | undefined> {
  const { accessHeader, mcpAccessAudience, mcpApiKeys } = services.settings
  const authorization = request.headers.get('authorization')
  if (authorization === null) return undefined
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  const isKey = token !== undefined && /^sk_/i.test(token)
  // Some access layers put their assertion where access tokens are; an authorization server has that place before them.
  const isAssertion = mcpAccessAudience !== null && accessHeader?.toLowerCase() === 'authorization'
  if (isAssertion && !issuer && !isKey) return undefined
  const bad = (description: string) => unauthorized({ error: 'invalid_token', description })
  if (token === undefined) throw bad('Authorization must be a Bearer token')
  if (!isKey) return byToken(issuer, token, bad)
  const key = mcpApiKeys ? await findKey(services.database.read, token) : undefined
  if (!key) throw bad(mcpApiKeys ? 'The API key is not valid' : 'API keys are not accepted here')
  noteUse(services, key)
  const permitted = scopes.filter((scope) => permits(key.scope, keyScopes[scope]))
  return { identity: key.identity, scopes: permitted, isKey: true }
}

async function byToken(
  issuer: Issuer | undefined,
  token: string,
  bad: (description: string) => Failure,
): Promise<McpCaller> {
  if (!issuer) throw bad('Access tokens are not accepted here')
  const claims = await issuer.verify(token).catch((error: unknown) => {
    throw error instanceof KeysUnavailable ? keysUnavailable(error) : bad(explainBadToken(error))
  })
  const person = personOf(claims)
  if (!person.ok) throw bad(`The access token ${person.problem}`)
  return { identity: person.identity, scopes: scopesOf(claims) }
}

async function byAssertion(
  { services, access }: Wiring,
  request: Request,
  unauthorized: Challenger,
): Promise<McpCaller | undefined> {
  const audience = services.settings.mcpAccessAudience
  const admission = audience === null ? null : await access.admitAssertion(request, audience)
  return admission === null ? undefined : admitted(admission, unauthorized)
}

function admitted(admission: Admission, unauthorized: Challenger): McpCaller {
  if (admission.ok) return { identity: admission.identity, scopes }
  if (admission.status !== 401) throw refusal(admission)
  throw unauthorized({ error: 'invalid_token', description: admission.message })
}

/** Anything but a 401, which says how to log in. */
function refusal({ status, message, retryAfterSeconds }: Extract<Admission, { ok: false }>): Failure {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return transportFailure(status === 503 ? 'storage_unavailable' : 'forbidden', { text: message, headers })
}

function keysUnavailable({ retryAfterSeconds }: KeysUnavailable): Failure {
  return transportFailure('storage_unavailable', {
    text: 'The keys of the authorization server cannot be fetched at the moment: check MCP_OAUTH_ISSUER',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}

/** `scope` is one string by the standards; some servers write `scp`, a string or a list. */
function scopesOf(claims: JWTPayload): Scope[] {
  const granted = [claims['scope'], claims['scp']].flat().join(' ').split(' ')
  return scopes.filter((scope) => granted.includes(scope))
}
