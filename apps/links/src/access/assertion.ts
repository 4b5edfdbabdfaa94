import { type JWTPayload, type JWTVerifyGetKey, errors, jwtVerify } from 'jose'
import type { KeySet } from './key-set.ts'
import { SessionId } from './revocations.ts'

export interface ExpectedClaims {
  readonly issuer: string
  readonly audience: string
  /** True for an issuer whose ended sessions are followed (L16.7). */
  readonly namesSession?: boolean
}

const LEEWAY_SECONDS = 60
/** Where sessions end at once, an assertion of an ended one must not live on for a minute. */
const SESSION_LEEWAY_SECONDS = 5
const SESSION_ASSERTION_MAX_SECONDS = 60

/**
 * Returns the claims of a signed assertion. Throws `KeysUnavailable` if there are no keys, whatever
 * the assertion contains, and jose's errors for an invalid assertion.
 */
export async function verifyAssertion(
  assertion: string,
  keys: KeySet,
  { issuer, audience, namesSession = false }: ExpectedClaims,
  nowMs: number,
): Promise<JWTPayload> {
  await keys.load()
  const { payload } = await jwtVerify(assertion, namesSession ? findByKeyId(keys) : keys.find, {
    // The key decides which of the two applies: an RSA key verifies no ES256, and a key with `alg`
    // verifies nothing else.
    algorithms: ['RS256', 'ES256'],
    issuer,
    audience,
    currentDate: new Date(nowMs),
    ...(namesSession
      ? {
          requiredClaims: ['exp', 'sid'],
          clockTolerance: SESSION_LEEWAY_SECONDS,
          maxTokenAge: SESSION_ASSERTION_MAX_SECONDS,
        }
      : { requiredClaims: ['exp'], clockTolerance: LEEWAY_SECONDS }),
  })
  if (namesSession) requireSession(payload, audience)
  return payload
}

/** An assertion without a key id is not tried with any key. */
function findByKeyId({ find }: KeySet): JWTVerifyGetKey {
  return async (header, token) => {
    if (header.kid === undefined) throw new errors.JWKSNoMatchingKey()
    return await find(header, token)
  }
}

function requireSession(payload: JWTPayload, audience: string): void {
  const refuse = (claim: string) => new errors.JWTClaimValidationFailed('unexpected', payload, claim)
  // An assertion for several audiences can be used by each of them.
  if (payload.aud !== audience) throw refuse('aud')
  if (!SessionId.safeParse(payload['sid']).success) throw refuse('sid')
}

const CLAIM_ERRORS: Readonly<Record<string, string>> = {
  iss: 'The access assertion comes from another issuer: compare its iss with LINKS_ACCESS_ISSUER',
  aud: 'The access assertion is for another audience: compare its aud with LINKS_ACCESS_AUDIENCE (for MCP, MCP_ACCESS_AUDIENCE)',
  nbf: 'The access assertion is not valid yet: check the clocks of this server and of the access layer',
  iat: 'The access assertion was not issued in the last minute: it needs an iat claim, by clocks that agree',
  exp: 'The access assertion does not say when it expires: it needs an exp claim',
  sid: 'The access assertion names no session: with LINKS_ACCESS_REVOCATIONS_URL it needs a sid claim',
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
