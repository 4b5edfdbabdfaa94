// The user that claims describe (R7.6, R7.7, R8.3, R9.3, C66, C79-C81, C84, C86).
import { type ClaimPath, type Claims, readFirstClaim } from './claim-path.ts'
import { cleanName, truncateToGraphemes } from './display-name.ts'
import { isIdentifier } from './identifier.ts'
import type { ProviderConfig } from './provider-config.ts'
import { LoginFailure, type ProviderIdentity } from './provider.ts'

const MAX_EMAIL_LENGTH = 320

/** Reads only the claims that are used. The others are dropped. */
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
 * The stored text of a subject or team id. Undefined for values that do not identify anything.
 * Integers outside the safe range are refused: different ones would be equal after parsing.
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
  // Does not split a surrogate pair.
  return (
    cleanName(value)
      .slice(0, MAX_EMAIL_LENGTH)
      .replace(/[\uD800-\uDBFF]$/, '') || null
  )
}

/**
 * Whether the claim equals the value or is a list that contains it (R9.3). Missing values, null,
 * objects and nested lists never match.
 */
function matches(claims: Claims, { path, value }: { path: ClaimPath; value: string }): boolean {
  const claim = readFirstClaim(claims, path)
  const candidates: unknown[] = Array.isArray(claim) ? claim : [claim]
  return candidates.some((candidate) => textOf(candidate) === value)
}

/** Numbers and booleans as in JSON. A missing claim does not match the text "undefined". */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isFinite(value) ? JSON.stringify(value) : undefined
}
