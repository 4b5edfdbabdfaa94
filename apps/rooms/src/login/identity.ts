// What claims say of a person (R7.6, R7.7, R8.3, R9.3, C66, C79-C81, C84, C86).
import { type ClaimPath, type Claims, readFirstClaim } from './claim-path.ts'
import { cleanName, truncateToGraphemes } from './display-name.ts'
import { isIdentifier } from './identifier.ts'
import type { ProviderConfig } from './provider-config.ts'
import { LoginFailure, type ProviderIdentity } from './provider.ts'

const MAX_EMAIL_LENGTH = 320

/** Only what is needed; the rest of the claims is dropped. */
export function describePerson(
  claims: Claims,
  config: ProviderConfig,
): Pick<ProviderIdentity, 'subject' | 'name' | 'email' | 'isAdmin'> {
  return {
    subject: subjectOf(readFirstClaim(claims, config.subjectPath)),
    name: nameOf(readFirstClaim(claims, config.namePath)),
    email: config.emailPath === null ? null : emailOf(readFirstClaim(claims, config.emailPath)),
    isAdmin: config.adminClaim !== null && matches(claims, config.adminClaim),
  }
}

/**
 * The text that a subject or an id of a team is stored as; undefined for what does not identify. Above the safe integers
 * two different numbers are read as the same one.
 */
export function identifierOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  return isIdentifier(value) ? value : undefined
}

function subjectOf(value: unknown): string {
  const subject = identifierOf(value)
  if (subject === undefined) throw new LoginFailure('identity_incomplete', 'subject missing or malformed')
  return subject
}

function nameOf(value: unknown): string {
  const name = typeof value === 'string' ? truncateToGraphemes(cleanName(value)) : ''
  if (name === '') throw new LoginFailure('identity_incomplete', 'name missing or blank')
  return name
}

function emailOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // Not in the middle of a character of two units.
  return (
    cleanName(value)
      .slice(0, MAX_EMAIL_LENGTH)
      .replace(/[\uD800-\uDBFF]$/, '') || null
  )
}

/** R9.3: the value itself or a member of a list. Missing values, null, objects and lists in lists match nothing. */
function matches(claims: Claims, { path, value }: { path: ClaimPath; value: string }): boolean {
  const found = readFirstClaim(claims, path)
  const candidates: unknown[] = Array.isArray(found) ? found : [found]
  return candidates.some((candidate) => textOf(candidate) === value)
}

/** Numbers and booleans as JSON writes them; `undefined` is no text, so that a value of "undefined" matches nothing. */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isFinite(value) ? JSON.stringify(value) : undefined
}
