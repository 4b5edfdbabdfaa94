import { readFirstClaim, type ClaimPath, type Claims } from './claim-path.ts'
import { isElsewhere } from './claim-match.ts'
import type { ClaimShape } from './claim-shapes.ts'
import { isName } from './identifier.ts'

/**
 * Distinct names of the person's groups, in a list of texts and numbers or in one of these. A text is
 * one group, whatever separators are in it (R38.3b). Undefined if the claim does not say: it stays at
 * another address, or has a shape from which no group can be read.
 */
export function readGroups(claims: Claims, path: ClaimPath): readonly string[] | undefined {
  const claim = readFirstClaim(claims, path) ?? null
  if (claim === null) return isElsewhere(claims, path) ? undefined : []
  const shape = findGrouplessShape(claims, path)
  return shape === undefined || shape === 'several_in_text' ? namesIn(claim) : undefined
}

/** Why groups cannot be read from a claim of this shape, or not those that its sender means. */
export function findGrouplessShape(claims: Claims, path: ClaimPath): ClaimShape | undefined {
  const claim = readFirstClaim(claims, path) ?? null
  if (claim === null) return isElsewhere(claims, path) ? 'elsewhere' : undefined
  // A distinguished name of a directory has commas.
  if (typeof claim === 'string')
    return /[,;]/.test(claim) && !claim.includes('=') ? 'several_in_text' : undefined
  if (Array.isArray(claim)) return claim.length > 0 && claim.every(isObject) ? 'object_list' : undefined
  return isObject(claim) ? 'object' : undefined
}

function namesIn(claim: unknown): readonly string[] {
  const values: unknown[] = Array.isArray(claim) ? claim : [claim]
  return [...new Set(values.map(groupOf).filter((name) => name !== undefined))]
}

/** Numbers as in JSON. Integers outside the safe range are no group: different ones are equal after parsing. */
function groupOf(value: unknown): string | undefined {
  if (isName(value)) return value
  const isNumber = Number.isFinite(value) && (!Number.isInteger(value) || Number.isSafeInteger(value))
  return isNumber ? JSON.stringify(value) : undefined
}

function isObject(value: unknown): boolean {
  return typeof value === 'object' && value !== null
}
