import { type JWTPayload, errors } from 'jose'
import { isSafeUrl } from '@latchkey/http/safe-url'
import { asked, readDocument } from '../access/asked.ts'
import { verifyAssertion } from '../access/assertion.ts'
import { type KeySet, KeysUnavailable, type Surroundings, createKeySet } from '../access/key-set.ts'

/** The authorization server's own description, RFC 8414 or OpenID Connect. */
export interface IssuerMetadata extends Record<string, unknown> {
  issuer: string
  jwks_uri: string
}

export interface Issuer {
  readonly issuer: string
  /** The issuer's document; undefined when it cannot be had. */
  metadata(): Promise<IssuerMetadata | undefined>
  /** Claims of an access token for us. Throws `KeysUnavailable`, or jose's errors for a bad token. */
  verify(token: string): Promise<JWTPayload>
}

const FRESH_MS = 10 * 60_000

/** An external authorization server, known by its issuer's address alone; everything else it tells itself. */
export function createIssuer(
  { issuer, audience }: { issuer: string; audience: string },
  surroundings: Surroundings = {},
): Issuer {
  const { fetchKeys = fetch, now = Date.now, log } = surroundings
  let keys: { url: string; set: KeySet } | undefined
  const document = asked(
    () => discover(issuer, fetchKeys),
    now,
    (error) => log?.warn('The authorization server of MCP cannot be asked', { issuer, error }),
  )

  async function metadata(): Promise<IssuerMetadata | undefined> {
    const refreshing = document.within(FRESH_MS) ? undefined : document.refresh()
    // What it said last still holds: an outage of the issuer must neither lock anyone out nor make anyone wait.
    if (!document.within(Infinity)) await refreshing
    return document.within(Infinity)
  }

  async function keySet(): Promise<KeySet> {
    const url = (await metadata())?.jwks_uri
    if (url === undefined) throw new KeysUnavailable()
    if (keys?.url !== url) keys = { url, set: createKeySet(url, surroundings) }
    return keys.set
  }

  return {
    issuer,
    metadata,
    verify: async (token) => verifyAssertion(token, await keySet(), { issuer, audience }, now()),
  }
}

/** Both well-known addresses; RFC 8414 puts the issuer's path behind the name, OpenID Connect before it. */
function addressesOf(issuer: string): string[] {
  const { origin, pathname } = new URL(issuer)
  const path = pathname.replace(/\/$/, '')
  return [
    `${origin}/.well-known/oauth-authorization-server${path}`,
    `${origin}${path}/.well-known/openid-configuration`,
  ]
}

async function discover(
  issuer: string,
  ask: NonNullable<Surroundings['fetchKeys']>,
): Promise<IssuerMetadata> {
  const problems: unknown[] = []
  for (const address of addressesOf(issuer)) {
    try {
      return checked(await readDocument(address, ask), issuer)
    } catch (error) {
      problems.push(error)
    }
  }
  throw new AggregateError(problems, 'Neither well-known document can be used')
}

function checked(document: unknown, issuer: string): IssuerMetadata {
  const { issuer: named, jwks_uri } = (document ?? {}) as Partial<IssuerMetadata>
  if (named !== issuer) throw new Error(`The document names another issuer: compare with MCP_OAUTH_ISSUER`)
  if (typeof jwks_uri !== 'string' || !isSafeUrl(jwks_uri))
    throw new Error('The document has no jwks_uri that is https, or http on this machine')
  return document as IssuerMetadata
}

const CLAIM_SENTENCES: Readonly<Record<string, string>> = {
  iss: 'The access token comes from another issuer',
  aud: 'The access token is for another audience',
  nbf: 'The access token is not valid yet',
  exp: 'The access token does not say when it expires',
}

/** What is wrong with an access token, in one sentence that holds nothing of the token itself. */
export function explainBadToken(error: unknown): string {
  if (error instanceof errors.JWTExpired) return 'The access token has expired'
  if (error instanceof errors.JWTClaimValidationFailed && Object.hasOwn(CLAIM_SENTENCES, error.claim))
    return CLAIM_SENTENCES[error.claim] ?? ''
  return 'The access token cannot be verified'
}
