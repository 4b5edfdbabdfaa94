// Authentication of callers of the MCP endpoint (L19.2). The first credential of a request decides;
// an invalid one is never skipped.
import { type Failure, transportFailure } from '@latchkey/http/failure'
import type { JWTPayload } from 'jose'
import type { Access, Admission } from '../access/access.ts'
import { identityFromClaims, isIdentity, isPresent } from '../access/identity.ts'
import { KeysUnavailable } from '../access/key-set.ts'
import { recordKeyUse } from '../http/public-api.ts'
import type { Services } from '../http/services.ts'
import { type Assistant, keyAssistant } from '../changes/source.ts'
import { permits } from '../keys/schema.ts'
import { findKey } from '../keys/store.ts'
import { isMcpConfigured } from '../settings/settings.ts'
import { type Issuer, createIssuer, explainBadToken } from './issuer.ts'

export const scopes = ['links:read', 'links:create'] as const
export type Scope = (typeof scopes)[number]

/** The corresponding scopes of API keys. */
export const keyScopes = { 'links:read': 'read', 'links:create': 'create' } as const

export interface McpCaller {
  identity: string
  scopes: readonly Scope[]
  /** The program that calls for this person (L29.1). */
  assistant: Assistant
  /** Whether the scopes come from an API key. */
  isKey?: true
}

export interface Credentials {
  isConfigured: boolean
  issuer: Issuer | undefined
  /** Throws the refusal of the request. `metadataUrl` is where clients find out how to sign in. */
  identify(request: Request, peer: string, metadataUrl: string): Promise<McpCaller>
  /**
   * Returns the reason to refuse a request without credentials outright, without a pointer to the
   * sign-in.
   */
  findStrangerRefusal(request: Request, peer: string): Promise<Failure | undefined>
}

interface CredentialDependencies {
  services: Services
  access: Access
  issuer: Issuer | undefined
}

export function createCredentials(services: Services): Credentials {
  const { settings, access, log } = services
  const { mcpOauthIssuer, mcpOauthAudience, mcpApiKeys } = settings
  const dependencies = { now: services.machineNow, log }
  const issuer =
    mcpOauthIssuer !== null && mcpOauthAudience !== null
      ? createIssuer({ issuer: mcpOauthIssuer, audience: mcpOauthAudience }, dependencies)
      : undefined
  const isLocal = settings.access === 'loopback'
  const canLogIn = issuer !== undefined || mcpApiKeys
  return {
    isConfigured: isMcpConfigured(settings),
    issuer,
    async identify(request, peer, metadataUrl) {
      const unauthorized = createChallenger(issuer ? metadataUrl : undefined)
      return (
        (await identifyByAuthorization({ services, access, issuer }, request, unauthorized)) ??
        (await identifyByAssertion({ services, access, issuer }, request, unauthorized)) ??
        (await identifyLocally(request, peer, unauthorized))
      )
    },
    async findStrangerRefusal(request, peer) {
      if (!isLocal || canLogIn) return undefined
      const admission = await access.admit(request, peer)
      return admission.ok ? undefined : toFailure(admission)
    },
  }

  /**
   * Admits requests from this machine. Other callers get a pointer to the sign-in, if there is one.
   */
  async function identifyLocally(
    request: Request,
    peer: string,
    unauthorized: Challenger,
  ): Promise<McpCaller> {
    const admission = isLocal ? await access.admit(request, peer) : undefined
    if (!admission || (!admission.ok && canLogIn)) throw unauthorized()
    return toCaller(admission, unauthorized)
  }
}

/** Creates a 401 that contains the address of the sign-in and the problem with the credential. */
type Challenger = (problem?: { error: string; description: string }) => Failure

function createChallenger(metadataUrl: string | undefined): Challenger {
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

async function identifyByAuthorization(
  { services, issuer }: CredentialDependencies,
  request: Request,
  unauthorized: Challenger,
): Promise<McpCaller | undefined> {
  const { accessHeader, mcpAccessAudience, mcpApiKeys } = services.settings
  const authorization = request.headers.get('authorization')
  if (authorization === null) return undefined
  const token = /^bearer +(\S+)$/i.exec(authorization)?.[1]
  const isKey = token !== undefined && /^sk_/i.test(token)
  // Some access layers put their assertion where access tokens belong. An authorization server has
  // precedence there.
  const isAssertion = mcpAccessAudience !== null && accessHeader?.toLowerCase() === 'authorization'
  if (isAssertion && !issuer && !isKey) return undefined
  const invalidToken = (description: string) => unauthorized({ error: 'invalid_token', description })
  if (token === undefined) throw invalidToken('Authorization must be a Bearer token')
  if (!isKey) return identifyByToken(issuer, token, invalidToken)
  const key = mcpApiKeys ? await findKey(services.database.read, token) : undefined
  if (!key) throw invalidToken(mcpApiKeys ? 'The API key is not valid' : 'API keys are not accepted here')
  recordKeyUse(services, key)
  const grantedScopes = scopes.filter((scope) => permits(key.scope, keyScopes[scope]))
  return { identity: key.identity, assistant: keyAssistant(key), scopes: grantedScopes, isKey: true }
}

async function identifyByToken(
  issuer: Issuer | undefined,
  token: string,
  invalidToken: (description: string) => Failure,
): Promise<McpCaller> {
  if (!issuer) throw invalidToken('Access tokens are not accepted here')
  const claims = await issuer.verify(token).catch((error: unknown) => {
    throw error instanceof KeysUnavailable ? keysUnavailable(error) : invalidToken(explainBadToken(error))
  })
  const claimed = identityFromClaims(claims)
  if (!claimed.ok) throw invalidToken(`The access token ${claimed.problem}`)
  return { identity: claimed.identity, assistant: clientOf(claims), scopes: scopesOf(claims) }
}

async function identifyByAssertion(
  { services, access }: CredentialDependencies,
  request: Request,
  unauthorized: Challenger,
): Promise<McpCaller | undefined> {
  const audience = services.settings.mcpAccessAudience
  const admission = audience === null ? null : await access.admitAssertion(request, audience)
  return admission === null ? undefined : toCaller(admission, unauthorized)
}

function toCaller(admission: Admission, unauthorized: Challenger): McpCaller {
  if (admission.ok)
    return {
      identity: admission.identity,
      assistant: { id: admission.via === 'loopback' ? 'local' : 'access' },
      scopes,
    }
  if (admission.status !== 401) throw toFailure(admission)
  throw unauthorized({ error: 'invalid_token', description: admission.message })
}

/** Never a 401, which would point to the sign-in. */
function toFailure({ status, message, retryAfterSeconds }: Extract<Admission, { ok: false }>): Failure {
  const headers = retryAfterSeconds === undefined ? {} : { 'Retry-After': String(retryAfterSeconds) }
  return transportFailure(status === 503 ? 'storage_unavailable' : 'forbidden', { text: message, headers })
}

function keysUnavailable({ retryAfterSeconds }: KeysUnavailable): Failure {
  return transportFailure('storage_unavailable', {
    text: 'The keys of the authorization server cannot be fetched at the moment: check MCP_OAUTH_ISSUER',
    headers: { 'Retry-After': String(retryAfterSeconds) },
  })
}

/** Claims that name the client of a token: RFC 9068, OpenID Connect, Okta and version 1 of Entra. */
const CLIENT_CLAIMS = ['client_id', 'azp', 'cid', 'appid'] as const

/**
 * The client to which the token was issued, by the first claim that is present. A name that cannot
 * be used is not replaced with that of another claim, which could be another client.
 */
function clientOf(claims: JWTPayload): Assistant {
  const client = CLIENT_CLAIMS.map((name) => claims[name]).find(isPresent)
  return { id: isIdentity(client) ? `client:${client}` : 'client' }
}

/** The standards make `scope` one string. Some servers send `scp`, as a string or a list. */
function scopesOf(claims: JWTPayload): Scope[] {
  const tokenScopes = [claims['scope'], claims['scp']].flat().join(' ').split(' ')
  return scopes.filter((scope) => tokenScopes.includes(scope))
}
