/** A dot path into claims (R7.6), split and checked once at startup. */
export interface ClaimPath {
  /** The path as configured, which is tried as a single key first. */
  readonly whole: string
  readonly parts: readonly string[]
}

const MAX_DEPTH = 10
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/**
 * Undefined if a part is empty, if the path is too deep, or if it names a member that all objects
 * inherit.
 */
export function parseClaimPath(text: string): ClaimPath | undefined {
  const parts = text
    .replaceAll('\\.', '\u0000')
    .split('.')
    .map((part) => part.replaceAll('\u0000', '.'))
  const isUsable =
    parts.length <= MAX_DEPTH &&
    !FORBIDDEN.has(text) &&
    !text.includes('\u0000') &&
    parts.every((part) => part !== '' && !FORBIDDEN.has(part))
  return isUsable ? { whole: text, parts } : undefined
}

/** The claims of a user from several sources, the most trusted source first. */
export type Claims = readonly Readonly<Record<string, unknown>>[]

/**
 * Reads the path in the first source that has any part of it. Other sources neither replace the
 * value nor add to it (C77).
 */
export function readFirstClaim(sources: Claims, path: ClaimPath): unknown {
  const [first = ''] = path.parts
  const source = sources.find((claims) => Object.hasOwn(claims, path.whole) || Object.hasOwn(claims, first))
  return source && readClaim(source, path)
}

/** Reads the path from own members only. Undefined if there is no value. */
export function readClaim(claims: Readonly<Record<string, unknown>>, path: ClaimPath): unknown {
  if (Object.hasOwn(claims, path.whole)) return claims[path.whole]
  let value: unknown = claims
  for (const part of path.parts) value = memberOf(value, part)
  return value
}

function memberOf(value: unknown, part: string): unknown {
  if (typeof value !== 'object' || value === null) return undefined
  if (Array.isArray(value) && !/^(?:0|[1-9]\d{0,8})$/.test(part)) return undefined
  return Object.hasOwn(value, part) ? (value as Record<string, unknown>)[part] : undefined
}
