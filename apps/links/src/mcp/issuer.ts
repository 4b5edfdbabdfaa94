import { type JWTPayload, errors } from 'jose'
import { isSafeUrl } from '@latchkey/http/safe-url'
import { createRefreshingCache, readDocument } from '../access/refreshing-cache.ts'
import { verifyAssertion } from '../access/assertion.ts'
import { type KeySet, KeysUnavailable, type AccessDependencies, createKeySet } from '../access/key-set.ts'

/** Metadata of the authorization server, by RFC 8414 or OpenID Connect. */
export interface IssuerMetadata extends Record<string, unknown> {
  issuer: string
  jwks_uri: string
}

export interface Issuer {
  readonly issuer: string
  /** Returns the metadata of the issuer; undefined if it is unavailable. */
  metadata(): Promise<IssuerMetadata | undefined>
  /**
   * Returns the claims of an access token for this endpoint. Throws `KeysUnavailable`, or jose's
   * errors for an invalid token.
   */
  verify(token: string): Promise<JWTPayload>
}

const FRESH_MS = 10 * 60_000

/**
 * Creates a client of an external authorization server. Its issuer URL is enough; the metadata
 * contains the rest.
 */
export function createIssuer(
  { issuer, audience }: { issuer: string; audience: string },
  dependencies: AccessDependencies = {},
): Issuer {
  const { fetchKeys = fetch, now = Date.now, log } = dependencies
  let keys: { url: string; set: KeySet } | undefined
  const metadataCache = createRefreshingCache(
    () => discover(issuer, fetchKeys),
    now,
    (error) => log?.warn('mcp: cannot fetch the metadata of the authorization server', { issuer, error }),
  )

  async function metadata(): Promise<IssuerMetadata | undefined> {
    const refreshing = metadataCache.get(FRESH_MS) ? undefined : metadataCache.refresh()
    // The last metadata stays in use: an outage of the issuer must neither lock anyone out nor
    // delay requests.
    if (!metadataCache.get(Infinity)) await refreshing
    return metadataCache.get(Infinity)
  }

  async function keySet(): Promise<KeySet> {
    const url = (await metadata())?.jwks_uri
    if (url === undefined) throw new KeysUnavailable()
    if (keys?.url !== url) keys = { url, set: createKeySet(url, dependencies) }
    return keys.set
  }

  return {
    issuer,
    metadata,
    verify: async (token) => verifyAssertion(token, await keySet(), { issuer, audience }, now()),
  }
}

/**
 * Returns both well-known addresses. RFC 8414 puts the issuer's path after the document's name,
 * OpenID Connect before it.
 */
function metadataUrls(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

async function discover(
  issuer: string,
  fetchKeys: NonNullable<AccessDependencies['fetchKeys']>,
): Promise<IssuerMetadata> {
  const problems: unknown[] = []
  for (const address of metadataUrls(issuer)) {
    try {
      return requireMetadata(await readDocument(address, fetchKeys), issuer)
    } catch (error) {
      problems.push(error)
    }
  }
  throw new AggregateError(problems, 'Neither well-known document can be used')
}

function requireMetadata(document: unknown, issuer: string): IssuerMetadata {
  const { issuer: namedIssuer, jwks_uri } = (document ?? {}) as Partial<IssuerMetadata>
  if (namedIssuer !== issuer)
    throw new Error(`The document names another issuer: compare with MCP_OAUTH_ISSUER`)
  if (typeof jwks_uri !== 'string' || !isSafeUrl(jwks_uri))
    throw new Error('The document has no jwks_uri that is https, or http on this machine')
  return document as IssuerMetadata
}

const CLAIM_ERRORS: Readonly<Record<string, string>> = {
  iss: 'The access token comes from another issuer',
  aud: 'The access token is for another audience',
  nbf: 'The access token is not valid yet',
  exp: 'The access token does not say when it expires',
}

/** Describes the problem of an access token in one sentence, without any content of the token. */
export function explainBadToken(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired'
  if (error instanceof errors.JWTClaimValidationFailed && Object.hasOwn(CLAIM_ERRORS, error.claim))
    return CLAIM_ERRORS[error.claim] ?? ''
  return 'The access token cannot be verified'
}
