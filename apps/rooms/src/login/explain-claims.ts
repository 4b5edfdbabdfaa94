// The meaning of claims for this instance, rule by rule, without a login (R38.4).
import { findUnmatchableShape, isElsewhere, matchesClaim, textOf } from '../identity/claim-match.ts'
import { type ClaimPath, readClaim } from '../identity/claim-path.ts'
import { CLAIM_SHAPES, type ClaimShape } from '../identity/claim-shapes.ts'
import { type Condition, examineConditions } from '../identity/conditions.ts'
import { findGrouplessShape, readGroups } from '../identity/groups.ts'
import { identifierOf } from '../identity/identifier.ts'
import type { OidcConfig, ProviderConfig, TeamsConfig } from '../identity/provider-config.ts'
import { findTeamlessShape, ownedTeams } from '../identity/teams.ts'
import { checkParties } from './audience.ts'
import { formatClaim } from './format-claim.ts'
import { emailOf, nameIn } from './identity.ts'
import { LoginFailure } from './provider.ts'
import { type JsonObject, parseJws, parseUniqueMembers } from './strict-jws.ts'

export const CLAIM_RULES = [
  'token',
  'condition',
  'subject',
  'name',
  'email',
  'admin',
  'teams',
  'groups',
  'access',
] as const
export type ClaimRule = (typeof CLAIM_RULES)[number]

/** Why a rule has no result, beside the shapes from which nothing can be read. */
const FAULTS = [
  'unset',
  'missing',
  'unusable',
  'other_value',
  'other_spelling',
  'unverified',
  'other_issuer',
  'other_client',
  'further_audience',
  'other_party',
  'no_owner',
  'no_group',
] as const

export const CLAIM_PROBLEMS = [...FAULTS, ...(Object.keys(CLAIM_SHAPES) as ClaimShape[])] as const
export type ClaimProblem = (typeof CLAIM_PROBLEMS)[number]

export interface ExplainedRule {
  readonly rule: ClaimRule
  /** The setting that decides. */
  readonly setting: string
  /** The path at which the claim is read; null without one. */
  readonly path: string | null
  readonly expected: readonly string[]
  /** The claim in a few words. */
  readonly claim: string | null
  readonly holds: boolean
  readonly problem: ClaimProblem | null
}

export interface ClaimsExplanation {
  readonly maySignIn: boolean
  readonly subject: string | null
  readonly name: string | null
  readonly email: string | null
  readonly isAdmin: boolean
  readonly ownedTeams: readonly string[]
  /** Null if they are not known, and memberships by groups stay. */
  readonly groups: readonly string[] | null
  readonly rules: readonly ExplainedRule[]
}

/** Claims, from a text of their own or a token, whose signature is not checked. */
export interface ClaimsText {
  readonly claims: JsonObject
  readonly isToken: boolean
}

/** The claims in a text, or the fault of the text, which completes "The text …". */
export function readClaimsText(text: string): ClaimsText | { readonly fault: string } {
  const trimmed = text.trim()
  if (trimmed.startsWith('{')) {
    const claims = parseUniqueMembers(Buffer.from(trimmed))
    return claims ? { claims, isToken: false } : { fault: 'is not a JSON object, or has a member twice' }
  }
  try {
    return { claims: parseJws(trimmed, trimmed.length, 'token').claims, isToken: true }
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error
    return {
      fault:
        error.reason === 'token encrypted'
          ? 'is an encrypted token, which Rooms does not read'
          : 'is neither a JSON object nor a signed token',
    }
  }
}

/** What a login with these claims would do. Asks no provider and changes nothing. */
export function explainClaims(claims: JsonObject, config: ProviderConfig): ClaimsExplanation {
  const rules = [
    ...explainToken(claims, config),
    ...explainAdmission(claims, config.conditions),
    explainSubject(claims, config.subjectPath),
    explainName(claims, config.namePaths),
    ...(config.emailPath === null ? [] : [explainEmail(claims, config.emailPath)]),
    explainAdmin(claims, config.adminClaim),
    ...(config.mode !== 'oauth2' && config.teams !== null ? [explainTeams(claims, config.teams)] : []),
    explainGroups(claims, config.groupsPath),
    ...explainConditions(claims, config.accessConditions ?? [], {
      rule: 'access',
      setting: 'ROOMS_ACCESS_REQUIRE',
    }),
  ]
  const holds = (rule: ClaimRule) => rules.filter((each) => each.rule === rule).every((each) => each.holds)
  return {
    maySignIn: REQUIRED_RULES.every(holds),
    subject: identifierOf(readClaim(claims, config.subjectPath)) ?? null,
    name: findName(claims, config.namePaths)?.name ?? null,
    email: config.emailPath === null ? null : emailOf(readClaim(claims, config.emailPath)),
    isAdmin: holds('admin'),
    ownedTeams: config.mode === 'oauth2' || config.teams === null ? [] : ownedTeams([claims], config.teams),
    groups: config.groupsPath === null ? null : (readGroups([claims], config.groupsPath) ?? null),
    rules,
  }
}

const REQUIRED_RULES = ['token', 'condition', 'subject', 'name'] as const

const NO_DETAILS = { path: null, expected: [], claim: null, problem: null }

/** The parties of an ID token. Claims of userinfo name none. */
function explainToken(claims: JsonObject, config: ProviderConfig): ExplainedRule[] {
  const named = ['iss', 'aud', 'azp'].filter((name) => Object.hasOwn(claims, name))
  if (config.mode === 'oauth2' || named.length === 0) return []
  const problem = findWrongParty(claims, config)
  const { setting, path, expected } = PARTIES[problem ?? 'other_client'](config)
  return [
    {
      ...NO_DETAILS,
      rule: 'token',
      setting,
      path,
      expected,
      claim: formatClaim(claims[path]),
      holds: problem === null,
      problem,
    },
  ]
}

type WrongParty = 'other_issuer' | 'other_client' | 'further_audience' | 'other_party'

const PARTIES: Record<
  WrongParty,
  (config: OidcConfig) => { setting: string; path: string; expected: string[] }
> = {
  other_issuer: ({ mode, issuer }) => ({
    setting: mode === 'oidc' ? 'OIDC_ISSUER' : 'TEAMIDP_ISSUER',
    path: 'iss',
    expected: [issuer],
  }),
  other_client: ({ clientId }) => ({ setting: 'AUTH_CLIENT_ID', path: 'aud', expected: [clientId] }),
  further_audience: ({ clientId, audiences }) => ({
    setting: 'AUTH_AUDIENCES',
    path: 'aud',
    expected: [clientId, ...audiences],
  }),
  other_party: ({ clientId }) => ({ setting: 'AUTH_CLIENT_ID', path: 'azp', expected: [clientId] }),
}

/** The first party that a login would refuse. Missing claims count as right: they may be cut off. */
function findWrongParty(claims: JsonObject, config: OidcConfig): WrongParty | null {
  try {
    checkParties({ iss: config.issuer, aud: config.clientId, ...claims }, config, 'id token')
    return null
  } catch (error) {
    if (!(error instanceof LoginFailure)) throw error
    if (error.reason.endsWith('issuer wrong')) return 'other_issuer'
    if (error.reason.endsWith('party wrong')) return 'other_party'
    return error.reason.endsWith('audience wrong') ? 'other_client' : 'further_audience'
  }
}

function explainAdmission(claims: JsonObject, conditions: readonly Condition[]): ExplainedRule[] {
  const rule = { rule: 'condition', setting: 'AUTH_REQUIRE' } as const
  if (conditions.length === 0) return [{ ...NO_DETAILS, ...rule, holds: true, problem: 'unset' }]
  return explainConditions(claims, conditions, rule)
}

function explainConditions(
  claims: JsonObject,
  conditions: readonly Condition[],
  rule: Pick<ExplainedRule, 'rule' | 'setting'>,
): ExplainedRule[] {
  return examineConditions([claims], conditions).map(({ condition, isMet, shape }) => {
    const { path, values } = condition
    const claim = path === null ? claims.email : readClaim(claims, path)
    const mismatch = path === null ? explainDomain(claims) : explainMismatch(claims, path, values)
    return {
      ...NO_DETAILS,
      ...rule,
      path: path?.whole ?? 'email',
      expected: values,
      claim: formatClaim(claim),
      holds: isMet,
      problem: isMet ? null : (shape ?? mismatch),
    }
  })
}

function explainDomain({ email, email_verified: isVerified }: JsonObject): ClaimProblem {
  if (email === undefined) return 'missing'
  return isVerified === true ? 'other_value' : 'unverified'
}

/** Why none of the values is at the path, where the shape of the claim would permit one. */
function explainMismatch(claims: JsonObject, path: ClaimPath, values: readonly string[]): ClaimProblem {
  const claim = readClaim(claims, path)
  if (claim === undefined || claim === null) return 'missing'
  const listed: unknown[] = Array.isArray(claim) ? claim : [claim]
  const spellings = new Set(listed.map((value) => foldSpelling(textOf(value) ?? '')))
  return values.some((value) => spellings.has(foldSpelling(value))) ? 'other_spelling' : 'other_value'
}

const foldSpelling = (text: string) => text.trim().toLowerCase()

function explainSubject(claims: JsonObject, path: ClaimPath): ExplainedRule {
  return explainValue('subject', 'OAUTH_SUBJECT_PATH', {
    claims,
    path,
    holds: identifierOf(readClaim(claims, path)) !== undefined,
  })
}

function explainEmail(claims: JsonObject, path: ClaimPath): ExplainedRule {
  return explainValue('email', 'OAUTH_EMAIL_PATH', {
    claims,
    path,
    holds: emailOf(readClaim(claims, path)) !== null,
  })
}

function explainName(claims: JsonObject, paths: readonly ClaimPath[]): ExplainedRule {
  const named = findName(claims, paths)
  const path = named?.path ?? paths.find((each) => readClaim(claims, each) !== undefined) ?? paths[0]
  if (path === undefined) throw new TypeError('There is no path to a name')
  return {
    ...explainValue('name', 'AUTH_NAME_PATH', { claims, path, holds: named !== undefined }),
    path: named ? path.whole : paths.map(({ whole }) => whole).join(','),
  }
}

function findName(claims: JsonObject, paths: readonly ClaimPath[]) {
  return paths
    .map((path) => ({ path, name: nameIn(readClaim(claims, path)) }))
    .find(({ name }) => name !== '')
}

/** A claim of which only the kind matters. */
function explainValue(
  rule: ClaimRule,
  setting: string,
  { claims, path, holds }: { claims: JsonObject; path: ClaimPath; holds: boolean },
): ExplainedRule {
  const claim = readClaim(claims, path)
  const problem = claim === undefined || claim === null ? explainAbsence(claims, path) : 'unusable'
  return {
    ...NO_DETAILS,
    rule,
    setting,
    path: path.whole,
    claim: formatClaim(claim),
    holds,
    problem: holds ? null : problem,
  }
}

function explainAbsence(claims: JsonObject, path: ClaimPath): 'elsewhere' | 'missing' {
  return isElsewhere([claims], path) ? 'elsewhere' : 'missing'
}

function explainAdmin(claims: JsonObject, adminClaim: ProviderConfig['adminClaim']): ExplainedRule {
  const rule = { ...NO_DETAILS, rule: 'admin' } as const
  if (adminClaim === null)
    return { ...rule, setting: 'AUTH_ADMIN_CLAIM_PATH', holds: false, problem: 'unset' }
  const { path, value } = adminClaim
  const expected = { path, values: [value] }
  const holds = matchesClaim([claims], expected)
  const shape = findUnmatchableShape([claims], expected)
  return {
    ...rule,
    setting: 'AUTH_ADMIN_CLAIM_VALUE',
    path: path.whole,
    expected: [value],
    claim: formatClaim(readClaim(claims, path)),
    holds,
    problem: holds ? null : (shape ?? explainMismatch(claims, path, [value])),
  }
}

function explainTeams(claims: JsonObject, teams: TeamsConfig): ExplainedRule {
  const claim = readClaim(claims, teams.claimPath)
  const holds = ownedTeams([claims], teams).length > 0
  return {
    ...NO_DETAILS,
    rule: 'teams',
    setting: 'TEAMIDP_OWNER_ROLES',
    path: teams.claimPath.whole,
    expected: teams.ownerRoles,
    claim: formatClaim(claim),
    holds,
    problem: holds ? null : explainNoTeam(claims, claim, teams),
  }
}

function explainNoTeam(claims: JsonObject, claim: unknown, teams: TeamsConfig): ClaimProblem {
  if (claim === undefined || claim === null) return explainAbsence(claims, teams.claimPath)
  return findTeamlessShape([claims], teams) ?? 'no_owner'
}

function explainGroups(claims: JsonObject, path: ClaimPath | null): ExplainedRule {
  const rule = { ...NO_DETAILS, rule: 'groups', setting: 'ROOMS_GROUPS_CLAIM' } as const
  if (path === null) return { ...rule, holds: false, problem: 'unset' }
  const claim = readClaim(claims, path)
  const shape = findGrouplessShape([claims], path)
  const holds = shape === undefined && (readGroups([claims], path)?.length ?? 0) > 0
  const absence = claim === undefined || claim === null ? 'missing' : 'no_group'
  return {
    ...rule,
    path: path.whole,
    claim: formatClaim(claim),
    holds,
    problem: holds ? null : (shape ?? absence),
  }
}
