import { SignJWT } from 'jose'
import type { Admitted } from './admission.ts'
import { ALGORITHM, type SigningKey } from './keys.ts'

/** The header in which an assertion passes from Rooms through the proxy to the service. */
export const ASSERTION_HEADER = 'X-Latchkey-Assertion'

export const ASSERTION_SECONDS = 60
/** Bytes of the groups in an assertion. A proxy accepts only a few thousand bytes of headers. */
const MAX_GROUPS_BYTES = 1_000

/**
 * Signs what Rooms asserts of a browser that it admits at `audience` (R50.2). Groups that are not
 * known, or that are too long together, are left out.
 */
export async function signAssertion(
  { kid, privateKey }: SigningKey,
  { accessId, session, email, groups }: Admitted,
  { issuer, audience, nowMs }: { issuer: string; audience: string; nowMs: number },
): Promise<string> {
  const issuedAt = Math.floor(nowMs / 1000)
  const fits = groups !== null && Buffer.byteLength(groups) <= MAX_GROUPS_BYTES
  return new SignJWT({
    sid: accessId,
    ...(email !== null && { email, email_verified: true }),
    ...(fits && { groups: JSON.parse(groups) as string[] }),
  })
    .setProtectedHeader({ alg: ALGORITHM, typ: 'JWT', kid })
    .setIssuer(issuer)
    .setAudience(audience)
    .setSubject(session.user_id)
    .setIssuedAt(issuedAt)
    .setExpirationTime(issuedAt + ASSERTION_SECONDS)
    .sign(privateKey)
}
