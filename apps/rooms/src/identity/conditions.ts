// The conditions of AUTH_REQUIRE, which claims must meet for a person to sign in (R38.1).
import { type ExpectedClaim, findUnmatchableShape, matchesClaim } from './claim-match.ts'
import type { ClaimShape } from './claim-shapes.ts'
import { type ClaimPath, type Claims, parseClaimPath, readFirstClaim } from './claim-path.ts'

export type Condition = {
  /** As in the setting. */
  readonly text: string
} & (ExpectedClaim | EmailDomains)

interface EmailDomains {
  readonly path: null
  /** Domains of a verified email address, in lower case. */
  readonly values: readonly string[]
}

export const MAX_CONDITIONS = 16
const EMAIL_DOMAIN = 'email_domain'
// Not case-insensitive, and tested before the text is lower-cased: the Kelvin sign would become a k.
const DOMAIN = /^[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?(?:\.[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?)*$/

/**
 * The conditions of a setting such as `hd=example.com, groups=staff|board`, or the first fault in it,
 * which completes a sentence that begins with the name of the setting.
 */
export function parseConditions(text: string): readonly Condition[] | { readonly fault: string } {
  const texts = splitAt(text, ',').map((condition) => condition.trim())
  if (texts.length > MAX_CONDITIONS) return { fault: `has more than ${MAX_CONDITIONS} conditions` }
  const conditions: Condition[] = []
  for (const [index, condition] of texts.entries()) {
    const parsed = parseCondition(condition)
    if (typeof parsed === 'string') return { fault: `${parsed} in condition ${index + 1}` }
    conditions.push(parsed)
  }
  return conditions
}

/** A condition, or its fault. */
function parseCondition(text: string): Condition | string {
  if (text === '') return 'has nothing'
  if (/\p{Cc}/u.test(text)) return 'has a control character'
  const [claim = '', list, ...more] = splitAt(text, '=').map((side) => side.trim())
  if (list === undefined) return 'has no ='
  if (more.length > 0) return 'has a second = (\\= in a value)'
  if (splitAt(claim, '|').length > 1) return 'has | before = (\\| in a claim)'
  const name = unescape(claim, '.')
  const values = splitAt(list, '|').map((value) => unescape(value.trim(), '\\'))
  if (name === undefined || !values.every((value) => value !== undefined))
    return 'has a backslash that escapes none of , | = (\\\\ in a value is a backslash, \\. in a claim a dot)'
  if (name === '') return 'has no claim before ='
  if (values.includes('')) return 'has an empty value'
  return name === EMAIL_DOMAIN ? emailCondition(text, values) : claimCondition(text, name, values)
}

function emailCondition(text: string, values: readonly string[]): Condition | string {
  return values.every((value) => DOMAIN.test(value))
    ? { text, path: null, values: values.map((value) => value.toLowerCase()) }
    : 'has an email_domain that is none (example.com, or its xn-- form)'
}

function claimCondition(text: string, name: string, values: readonly string[]): Condition | string {
  const path = parseClaimPath(name)
  return path
    ? { text, path, values }
    : 'has a claim that is no dot path of at most 10 parts, without __proto__, constructor or prototype,'
}

/** The parts between separators that no backslash escapes. Escapes stay. */
function splitAt(text: string, separator: string): string[] {
  const parts = ['']
  for (const [piece] of text.matchAll(/\\?./gsu))
    if (piece === separator) parts.push('')
    else parts[parts.length - 1] += piece
  return parts
}

/**
 * The text without backslashes before `,`, `|`, `=` and a backslash. Undefined if one is before any
 * other character but `also`, which a later reader of the text understands.
 */
function unescape(text: string, also: '.' | '\\'): string | undefined {
  const escaped = [...text.matchAll(/\\(.?)/gsu)].map(([, character = '']) => character)
  if (!escaped.every((character) => [',', '|', '=', also].includes(character))) return undefined
  return text.replaceAll(/\\([,|=\\])/g, '$1')
}

export interface ConditionOutcome {
  readonly condition: Condition
  readonly isMet: boolean
  /** Why claims of this shape could never meet it. */
  readonly shape: ClaimShape | undefined
}

/** All of the conditions must be met. */
export function examineConditions(
  claims: Claims,
  conditions: readonly Condition[],
): readonly ConditionOutcome[] {
  return conditions.map((condition) => {
    if (condition.path === null) return { condition, ...examineEmail(claims, condition) }
    return {
      condition,
      isMet: matchesClaim(claims, condition),
      shape: findUnmatchableShape(claims, condition),
    }
  })
}

/** The claims that a condition reads. */
export function pathsOf({ path }: Condition): readonly ClaimPath[] {
  return path === null ? [EMAIL, EMAIL_VERIFIED] : [path]
}

const EMAIL: ClaimPath = { whole: 'email', parts: ['email'] }
export const EMAIL_VERIFIED: ClaimPath = { whole: 'email_verified', parts: ['email_verified'] }

/**
 * An address with one @ and no quotes, comments or blanks, so that all programs agree on its domain.
 */
const ADDRESS = /^[^\s\p{C}@"(),:;<>[\\\]]+@(?<domain>[A-Za-z0-9.-]+)$/u

function examineEmail(claims: Claims, { values }: EmailDomains): Omit<ConditionOutcome, 'condition'> {
  const { domain } = findVerifiedEmail(claims) ?? {}
  const verified = findVerifier(claims)?.['email_verified']
  return {
    isMet: domain !== undefined && values.includes(domain),
    shape: verified === 'true' || verified === 1 ? 'not_boolean' : undefined,
  }
}

/** The address that the provider has verified, with its domain in lower case. */
export function findVerifiedEmail(
  claims: Claims,
): { readonly address: string; readonly domain: string } | undefined {
  const email = readFirstClaim(claims, EMAIL)
  // Each source speaks of its own address only.
  const verifier = findVerifier(claims)
  const isVerified =
    verifier?.['email_verified'] === true &&
    (!Object.hasOwn(verifier, 'email') || verifier['email'] === email)
  if (!isVerified || typeof email !== 'string') return undefined
  const domain = ADDRESS.exec(email)?.groups?.['domain']
  return domain === undefined ? undefined : { address: email, domain: domain.toLowerCase() }
}

function findVerifier(claims: Claims): Claims[number] | undefined {
  return claims.find((source) => Object.hasOwn(source, 'email_verified'))
}
