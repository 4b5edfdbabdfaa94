// The user that claims describe (R7.6, R7.7, R8.3, R9.3, C66, C79-C81, C84, C86).
import type { Log } from '@latchkey/http/log'
import { type ClaimPath, type Claims, readClaim, readFirstClaim } from '../identity/claim-path.ts'
import { cleanName, truncateToGraphemes } from '../identity/display-name.ts'
import { isIdentifier } from './identifier.ts'
import type { OidcConfig, ProviderConfig } from '../identity/provider-config.ts'
import { LoginFailure, type ProviderIdentity } from './provider.ts'

const MAX_EMAIL_LENGTH = 320

/** Reads only the claims that are used. The others are dropped. */
export function describePerson(
  claims: Claims,
  config: ProviderConfig,
): Pick<ProviderIdentity, 'subject' | 'name' | 'email' | 'isAdmin'> {
  return {
    subject: subjectOf(readFirstClaim(claims, config.subjectPath)),
    name: nameOf(claims, config.namePaths),
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

/** The first name that is not blank. */
function nameOf(claims: Claims, paths: readonly ClaimPath[]): string {
  for (const path of paths) {
    const name = nameIn(readFirstClaim(claims, path))
    if (name !== '') return name
  }
  throw new LoginFailure('identity_incomplete', 'name missing or blank')
}

function nameIn(value: unknown): string {
  return typeof value === 'string' ? truncateToGraphemes(cleanName(value)) : ''
}

/**
 * Whether user-info could add nothing: the ID token has each claim that this instance reads, and the
 * preferred one of the names (R7.5).
 */
export function isComplete(idToken: Claims[number], config: OidcConfig): boolean {
  const { subjectPath, namePaths, emailPath, adminClaim, teams } = config
  const paths = [subjectPath, emailPath, adminClaim?.path, teams?.claimPath]
  const [preferred] = namePaths
  return (
    paths.every((path) => !path || (readClaim(idToken, path) ?? null) !== null) &&
    preferred !== undefined &&
    nameIn(readClaim(idToken, preferred)) !== ''
  )
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

/**
 * Warns once per login if the admin claim has a shape in which the value can never match (R9.3), and
 * of which the provider's administrator would hear nothing.
 */
export function warnOfAdminClaim(claims: Claims, config: ProviderConfig, log: Pick<Log, 'warn'>): void {
  if (config.adminClaim === null) return
  const { path, value } = config.adminClaim
  const shape = unmatchableShape(claims, path, value)
  if (shape !== undefined)
    log.warn('admin claim: its value can never match', { AUTH_ADMIN_CLAIM_PATH: path.whole, shape })
}

function unmatchableShape(claims: Claims, path: ClaimPath, value: string): string | undefined {
  const claim = readFirstClaim(claims, path)
  if (typeof claim === 'string' && claim !== value && claim.split(/[,;\s]+/).includes(value))
    return 'one text that lists several values, instead of a list'
  if (typeof claim === 'object' && claim !== null && !Array.isArray(claim))
    return Object.hasOwn(claim, value)
      ? `an object with the value as a key: add ".${value}" and the path to a text below it`
      : 'an object, instead of a text or a list'
  if (Array.isArray(claim) && claim.length > 0 && claim.every((item) => textOf(item) === undefined))
    return 'a list of objects, instead of a list of texts'
  // OpenID Connect Core 1.0, section 5.6.2: claims that are only named, and stay at another address.
  const isElsewhere = claims.some(
    ({ _claim_names: names }) =>
      typeof names === 'object' && names !== null && Object.hasOwn(names, path.parts[0] ?? ''),
  )
  return claim === undefined && isElsewhere
    ? 'left out of the token because it has too many values (_claim_names)'
    : undefined
}

/** Numbers and booleans as in JSON. A missing claim does not match the text "undefined". */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isFinite(value) ? JSON.stringify(value) : undefined
}
