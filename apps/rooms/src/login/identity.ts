// The user that claims describe (R7.6, R7.7, R8.3, R9.3, R38.1, C66, C79-C81, C84, C86).
import type { Log } from '@latchkey/http/log'
import { matchesClaim } from '../identity/claim-match.ts'
import { type ClaimPath, type Claims, readClaim, readFirstClaim } from '../identity/claim-path.ts'
import { EMAIL_VERIFIED, examineConditions, findVerifiedEmail, pathsOf } from '../identity/conditions.ts'
import { cleanName, truncateToGraphemes } from '../identity/display-name.ts'
import { readGroups } from '../identity/groups.ts'
import { identifierOf } from '../identity/identifier.ts'
import { type OidcConfig, type ProviderConfig, issuerOf } from '../identity/provider-config.ts'
import { ownedTeams } from '../identity/teams.ts'
import { findUnmatchableClaims } from '../identity/unmatchable-claims.ts'
import { type AccessClaims, AccessNotGranted, LoginFailure, type ProviderIdentity } from './provider.ts'

const MAX_EMAIL_LENGTH = 320

/**
 * Reads only the claims that are used. The others are dropped. The subject comes first and the
 * conditions second: a person who may not sign in is refused without a look at anything else.
 * `isPartial` says that the provider refused further claims.
 */
export function describePerson(
  claims: Claims,
  config: ProviderConfig,
  { isPartial = false }: { isPartial?: boolean } = {},
): Omit<ProviderIdentity, 'sub' | 'sid' | 'idToken' | 'issuedAtSeconds'> {
  const issuer = issuerOf(config)
  const subject = subjectOf(readFirstClaim(claims, config.subjectPath))
  const unmet = examineConditions(claims, config.conditions).find(({ isMet }) => !isMet)
  if (unmet) throw new AccessNotGranted({ issuer, subject }, unmet.condition.text)
  const { adminClaim } = config
  return {
    issuer,
    subject,
    name: nameOf(claims, config.namePaths),
    email: config.emailPath === null ? null : emailOf(readFirstClaim(claims, config.emailPath)),
    isAdmin: adminClaim !== null && matchesClaim(claims, { ...adminClaim, values: [adminClaim.value] }),
    ownedTeams: config.mode === 'oauth2' || config.teams === null ? [] : ownedTeams(claims, config.teams),
    groups: groupsOf(claims, config.groupsPath, isPartial),
    access: accessOf(claims, config),
  }
}

function accessOf(claims: Claims, { accessConditions }: ProviderConfig): AccessClaims | null {
  if (accessConditions === null) return null
  const { address } = findVerifiedEmail(claims) ?? {}
  return {
    // A part of an address would be that of another person.
    email: address !== undefined && address.length <= MAX_EMAIL_LENGTH ? address : null,
    isMet: examineConditions(claims, accessConditions).every(({ isMet }) => isMet),
  }
}

/** Groups that were not sent count as none only if the provider sent everything (R38.3c). */
function groupsOf(claims: Claims, path: ClaimPath | null, isPartial: boolean): readonly string[] | null {
  if (path === null || (isPartial && (readFirstClaim(claims, path) ?? null) === null)) return null
  return readGroups(claims, path) ?? null
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

/** The cleaned name in a claim; empty without one. */
export function nameIn(value: unknown): string {
  return typeof value === 'string' ? truncateToGraphemes(cleanName(value)) : ''
}

/**
 * Whether user-info could add nothing: the ID token has each claim that this instance reads, and the
 * preferred one of the names (R7.5).
 */
export function isComplete(idToken: Claims[number], config: OidcConfig): boolean {
  const { scopes, subjectPath, namePaths, emailPath, adminClaim, teams, groupsPath } = config
  const { conditions, accessConditions } = config
  const isEmailAsked = emailPath?.whole !== 'email' || scopes.includes('email')
  const paths = [
    subjectPath,
    isEmailAsked ? emailPath : null,
    adminClaim?.path,
    teams?.claimPath,
    groupsPath,
    ...[...conditions, ...(accessConditions ?? [])].flatMap(pathsOf),
    isEmailAsked && accessConditions !== null ? EMAIL_VERIFIED : null,
  ]
  const [preferred] = namePaths
  return (
    paths.every((path) => !path || (readClaim(idToken, path) ?? null) !== null) &&
    preferred !== undefined &&
    nameIn(readClaim(idToken, preferred)) !== ''
  )
}

export function emailOf(value: unknown): string | null {
  if (typeof value !== 'string') return null
  // Does not split a surrogate pair.
  return (
    cleanName(value)
      .slice(0, MAX_EMAIL_LENGTH)
      .replace(/[\uD800-\uDBFF]$/, '') || null
  )
}

/**
 * One warning per login if a claim has a shape in which a setting can never match, and of which the
 * provider's administrator would hear nothing.
 */
export function warnOfUnmatchableClaims(
  claims: Claims,
  config: ProviderConfig,
  log: Pick<Log, 'warn'>,
): void {
  const unmatchable = findUnmatchableClaims(claims, config)
  if (unmatchable.length > 0) log.warn('claims: some can never match', { claims: unmatchable })
}
