import type { ClaimShape } from './claim-shapes.ts'
import { type ClaimPath, type Claims, readFirstClaim } from './claim-path.ts'

/** A claim that must equal one of the values, or be a list with one of them. */
export interface ExpectedClaim {
  readonly path: ClaimPath
  readonly values: readonly string[]
}

/** Missing values, null, objects and nested lists never match (R9.3). */
export function matchesClaim(claims: Claims, { path, values }: ExpectedClaim): boolean {
  const claim = readFirstClaim(claims, path)
  const candidates: unknown[] = Array.isArray(claim) ? claim : [claim]
  const accepted = new Set<unknown>(values)
  return candidates.some((candidate) => accepted.has(textOf(candidate)))
}

/**
 * Why the values could never match a claim of this shape. Undefined for a claim that
 * only has other values.
 */
export function findUnmatchableShape(
  claims: Claims,
  { path, values }: ExpectedClaim,
): ClaimShape | undefined {
  const claim = readFirstClaim(claims, path)
  if (typeof claim === 'string') {
    const listed = values.includes(claim) ? [] : claim.split(/[,;\s]+/)
    return values.some((value) => listed.includes(value)) ? 'several_in_text' : undefined
  }
  if (Array.isArray(claim))
    return claim.length > 0 && claim.every((item) => textOf(item) === undefined) ? 'object_list' : undefined
  if (typeof claim === 'object' && claim !== null)
    return values.some((value) => Object.hasOwn(claim, value)) ? 'keyed_object' : 'object'
  return claim === undefined && isElsewhere(claims, path) ? 'elsewhere' : undefined
}

/** OpenID Connect Core 1.0, section 5.6.2: claims that are only named, and stay at another address. */
export function isElsewhere(claims: Claims, { parts: [first = ''] }: ClaimPath): boolean {
  return claims.some(
    ({ _claim_names: names }) => typeof names === 'object' && names !== null && Object.hasOwn(names, first),
  )
}

/**
 * Numbers and booleans as in JSON. A missing claim does not match the text "undefined". Integers
 * outside the safe range match nothing: different ones are equal after parsing.
 */
export function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'boolean' && !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : JSON.stringify(value)
}
