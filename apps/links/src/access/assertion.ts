import { type JWTPayload, errors, jwtVerify } from 'jose'
import type { KeySet } from './key-set.ts'

export interface ExpectedClaims {
  readonly issuer: string
  readonly audience: string
}

const LEEWAY_SECONDS = 60

/**
 * Returns the claims of a signed assertion. Throws `KeysUnavailable` if there are no keys, whatever
 * the assertion contains, and jose's errors for an invalid assertion.
 */
export async function verifyAssertion(
  assertion: string,
  keys: KeySet,
  { issuer, audience }: ExpectedClaims,
  nowMs: number,
): Promise<JWTPayload> {
  await keys.load()
  const { payload } = await jwtVerify(assertion, keys.find, {
    // The key decides which of the two applies: an RSA key verifies no ES256, and a key with `alg`
    // verifies nothing else.
    algorithms: ['RS256', 'ES256'],
    issuer,
    audience,
    requiredClaims: ['exp'],
    clockTolerance: LEEWAY_SECONDS,
    currentDate: new Date(nowMs),
  })
  return payload
}

const CLAIM_ERRORS: Readonly<Record<string, string>> = {
  iss: 'The access assertion comes from another issuer: compare its iss with LINKS_ACCESS_ISSUER',
  aud: 'The access assertion is for another audience: compare its aud with LINKS_ACCESS_AUDIENCE (for MCP, MCP_ACCESS_AUDIENCE)',
  nbf: 'The access assertion is not valid yet: check the clocks of this server and of the access layer',
  exp: 'The access assertion does not say when it expires: it needs an exp claim',
}

/** Describes the problem of an assertion in one sentence, without any content of the assertion. */
export function explainBadAssertion(error: unknown): string {
  if (error instanceof errors.JWTExpired)
    return 'The access assertion has expired: sign in again at the access layer'
  if (error instanceof errors.JWTClaimValidationFailed && Object.hasOwn(CLAIM_ERRORS, error.claim))
    return CLAIM_ERRORS[error.claim] ?? ''
  if (error instanceof errors.JWKSNoMatchingKey || error instanceof errors.JWKSMultipleMatchingKeys)
    return 'The access assertion is signed with none of the keys at LINKS_ACCESS_JWKS_URL, or does not say with which'
  return 'The access assertion cannot be verified: it must be a JWT signed with RS256 or ES256 by a key at LINKS_ACCESS_JWKS_URL'
}
