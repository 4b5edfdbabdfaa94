import type { JWTPayload } from 'jose'

// An email address has at most 320 characters (64 before the @, 255 after it). Other identities are
// shorter.
export const MAX_IDENTITY_LENGTH = 320

// Control and format characters, lone surrogates, line and paragraph separators: an identity that
// contains them can look like another one.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

// The ranges of `UNPRINTABLE` in the Basic Multilingual Plane: JSON Schema has no portable `\\p`.
const UNPRINTABLE_RANGES =
  '\\x00-\\x1f\\x7f-\\x9f\\xad\\u0600-\\u0605\\u061c\\u06dd\\u070f\\u0890\\u0891\\u08e2\\u180e\\u200b-\\u200f' +
  '\\u2028-\\u202e\\u2060-\\u2064\\u2066-\\u206f\\ufeff\\ufff9-\\ufffb'

/** Describes an identity in JSON Schema. */
export const IDENTITY_PATTERN = `^[^\\s${UNPRINTABLE_RANGES}](?:[^${UNPRINTABLE_RANGES}]*[^\\s${UNPRINTABLE_RANGES}])?$`

/** Whether `value` is a valid identity. Identities are stored, compared and displayed unchanged. */
export function isIdentity(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.trim() === value &&
    !UNPRINTABLE.test(value) &&
    Array.from(value).length <= MAX_IDENTITY_LENGTH
  )
}

/**
 * The identity in the claims of a token, or the problem with them as a phrase that follows "The
 * token".
 */
export type ClaimedIdentity =
  | { readonly ok: true; readonly identity: string }
  | { readonly ok: false; readonly problem: string }

// Matches every email address, including `admin@localhost` of loopback mode.
const ADDRESS_FORM = /[^@]@[^@]/

/**
 * Returns the `email`, or the `sub` if there is no email. A provider issues both. A user who can
 * choose their subject, or claim the address of another person, must not gain that person's
 * identity.
 */
export function identityFromClaims({ email, email_verified: verified, sub }: JWTPayload): ClaimedIdentity {
  if (!isAffirmed(verified)) return refuse('says that its email is not verified')
  if (isPresent(email))
    return isIdentity(email) && ADDRESS_FORM.test(email) ? { ok: true, identity: email } : refuse(NO_IDENTITY)
  if (!isIdentity(sub)) return refuse(NO_IDENTITY)
  if (ADDRESS_FORM.test(sub))
    return refuse('has no email, and a sub in the form of an address, which is not believed')
  return { ok: true, identity: sub }
}

const NO_IDENTITY = 'names nobody: it needs an email address or, without one, a sub that is a plain name'

function refuse(problem: string): ClaimedIdentity {
  return { ok: false, problem }
}

/** Some providers send `"true"`, and null if the state is unknown. */
function isAffirmed(verified: unknown): boolean {
  return !isPresent(verified) || verified === true || verified === 'true'
}

/** Some providers send null or '' for a claim that they lack. */
export function isPresent(claim: unknown): boolean {
  return claim !== undefined && claim !== null && claim !== ''
}
