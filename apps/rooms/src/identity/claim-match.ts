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
 * Why the values could never match a claim of this shape, and the remedy. Undefined for a claim that
 * only has other values.
 */
export function findUnmatchableShape(claims: Claims, { path, values }: ExpectedClaim): string | undefined {
  const claim = readFirstClaim(claims, path)
  if (typeof claim === 'string') {
    const listed = values.includes(claim) ? [] : claim.split(/[,;\s]+/)
    return values.some((value) => listed.includes(value))
      ? 'one text that lists several values: let the provider send a list'
      : undefined
  }
  if (Array.isArray(claim))
    return claim.length > 0 && claim.every((item) => textOf(item) === undefined)
      ? 'a list of objects: let the provider send a list of texts'
      : undefined
  if (typeof claim === 'object' && claim !== null)
    return values.some((value) => Object.hasOwn(claim, value))
      ? 'an object with the value as a key: let the provider send a list of these keys, or add to the path the key and what leads to a text below it'
      : 'an object: let the provider send a text or a list of texts, or set the path to one in it'
  return claim === undefined && isElsewhere(claims, path)
    ? 'left out because it has too many values (_claim_names): let the provider send fewer, or application roles'
    : undefined
}

/** OpenID Connect Core 1.0, section 5.6.2: claims that are only named, and stay at another address. */
function isElsewhere(claims: Claims, { parts: [first = ''] }: ClaimPath): boolean {
  return claims.some(
    ({ _claim_names: names }) => typeof names === 'object' && names !== null && Object.hasOwn(names, first),
  )
}

/**
 * Numbers and booleans as in JSON. A missing claim does not match the text "undefined". Integers
 * outside the safe range match nothing: different ones are equal after parsing.
 */
function textOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (typeof value !== 'boolean' && !Number.isFinite(value)) return undefined
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? undefined : JSON.stringify(value)
}
