// Verification of ID tokens, OpenID Connect Core 1.0, section 3.1.3.7 (R7.1-R7.3, C49-C66). The
// order of the checks matters: those without a request first, then key, signature and the other
// claims.
import { createHash, timingSafeEqual } from 'node:crypto'
import { type ExpectedParties, checkParties } from './audience.ts'
import type { Metadata } from './discovery.ts'
import type { KeySet } from './key-set.ts'
import { LoginFailure } from './provider.ts'
import { isIdentifier } from '../identity/identifier.ts'
import { type JsonObject, checkHeader, checkSignature, parseJws } from './strict-jws.ts'

export interface ExpectedIdToken {
  readonly config: ExpectedParties
  readonly metadata: Pick<Metadata, 'algorithm' | 'jwksUri'>
  readonly keys: KeySet
  /** SHA-256 of the nonce in lower-case hex. */
  readonly nonceHash: string | null
  /** The access token that came with the ID token. */
  readonly accessToken: string
  readonly now: () => number
}

const MAX_CHARACTERS = 64 * 1024
const LEEWAY_SECONDS = 30
const MAX_AGE_SECONDS = 600

/**
 * Returns the claims of a valid token. Throws `LoginFailure`: `token_invalid`, or the failure to
 * load the keys.
 */
export async function verifyIdToken(token: string, expected: ExpectedIdToken): Promise<JsonObject> {
  const { header, claims } = parseJws(token, MAX_CHARACTERS, 'id token')
  const { algorithm, jwksUri } = expected.metadata
  const expectedHeader = { algorithm, types: ['JWT'] }
  checkHeader(header, expectedHeader, 'id token')
  checkParties(claims, expected.config, 'id token')
  // OpenID Connect Back-Channel Logout 1.0, section 2.4: logout tokens have this claim, and are
  // signed with the same key for the same client.
  if (Object.hasOwn(claims, 'events')) refuse('id token is a logout token')

  const kid = header.kid as string | undefined
  const key = await expected.keys.find({ kid, algorithm, jwksUri })
  await checkSignature(token, key, expectedHeader, 'id token')

  checkSubject(claims)
  checkTimes(claims, expected.now() / 1000)
  checkNonce(claims, expected.nonceHash)
  checkAccessTokenHash(claims, expected.accessToken, algorithm)
  return claims
}

function refuse(reason: string): never {
  throw new LoginFailure('token_invalid', reason)
}

/** C57. */
function checkSubject({ sub }: JsonObject): void {
  if (!isIdentifier(sub)) refuse('id token subject missing or malformed')
}

/** Points 9 and 10, and RFC 7519, section 4.1.5 (C60, C61, C62). */
function checkTimes(claims: JsonObject, nowSeconds: number): void {
  const { exp, iat, nbf } = claims
  if (!Number.isFinite(exp)) refuse('id token expiry missing or malformed')
  if ((exp as number) <= nowSeconds - LEEWAY_SECONDS) refuse('id token expired')
  if (!Number.isFinite(iat)) refuse('id token issue time missing or malformed')
  if ((iat as number) > nowSeconds + LEEWAY_SECONDS) refuse('id token issued in the future')
  if ((iat as number) < nowSeconds - MAX_AGE_SECONDS) refuse('id token too old')
  if (!Object.hasOwn(claims, 'nbf')) return
  if (!Number.isFinite(nbf) || (nbf as number) > nowSeconds + LEEWAY_SECONDS) refuse('id token not valid yet')
}

/** Point 11 (C63, C65): the token was issued for this login. */
function checkNonce({ nonce }: JsonObject, nonceHash: string | null): void {
  if (typeof nonce !== 'string' || nonceHash === null) refuse('id token nonce missing')
  const received = Buffer.from(createHash('sha256').update(nonce).digest('hex'))
  const stored = Buffer.from(nonceHash)
  if (received.length !== stored.length || !timingSafeEqual(received, stored)) refuse('id token nonce wrong')
}

/**
 * Section 3.1.3.8 (C64): the left half of the hash of the access token, with the hash function of
 * the signature algorithm.
 */
function checkAccessTokenHash(claims: JsonObject, accessToken: string, algorithm: string): void {
  if (!Object.hasOwn(claims, 'at_hash')) return
  // Ed25519, the only accepted curve of EdDSA, uses SHA-512 (RFC 8032).
  const hash = createHash(algorithm === 'EdDSA' ? 'sha512' : `sha${algorithm.slice(2)}`)
    .update(accessToken)
    .digest()
  const expected = hash.subarray(0, hash.length / 2).toString('base64url')
  if (claims.at_hash !== expected) refuse('id token access token hash wrong')
}
