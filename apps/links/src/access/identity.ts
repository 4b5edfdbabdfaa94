import type { JWTPayload } from 'jose'

// An e-mail address has at most 320 characters (64 before the @, 255 after it), and other names are shorter.
const MAX_CHARACTERS = 320

// Control and format characters, lone surrogates, line and paragraph separators: a name with them shows as another one.
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u

/** Whether `value` can name a person: it is stored, compared exactly and shown as it is. */
export function isIdentity(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.trim() === value &&
    !UNPRINTABLE.test(value) &&
    Array.from(value).length <= MAX_CHARACTERS
  )
}

/** Who the claims of a token name, or what keeps them from naming anybody, to be put behind "The token". */
export type ClaimedIdentity =
  | { readonly ok: true; readonly identity: string }
  | { readonly ok: false; readonly problem: string }

// Every e-mail address has it, `admin@localhost` of loopback included.
const ADDRESS_FORM = /[^@]@[^@]/

/**
 * The `email`, or the `sub` where there is none. A provider gives out both: somebody who chooses their subject, or an
 * address that is not theirs, must not be another person by it.
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

/** Some providers write `"true"`, and null where they know nothing. */
function isAffirmed(verified: unknown): boolean {
  return !isPresent(verified) || verified === true || verified === 'true'
}

function isPresent(claim: unknown): boolean {
  return claim !== undefined && claim !== null && claim !== ''
}
