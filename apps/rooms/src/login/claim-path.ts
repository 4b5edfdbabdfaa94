/** A dot path into claims (R7.6), split and checked once, at start. */
export interface ClaimPath {
  /** As configured: it is first tried as one key. */
  readonly whole: string
  readonly parts: readonly string[]
}

const MAX_DEPTH = 10
const FORBIDDEN = new Set(['__proto__', 'constructor', 'prototype'])

/** Undefined for a path that is empty somewhere, too deep, or leads to what every object inherits. */
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

/** What was said of a person, whoever is believed most first. */
export type Claims = readonly Readonly<Record<string, unknown>>[]

/** The value at the path in the first that knows anything of it: the others neither replace it nor add to it (C77). */
export function readFirstClaim(sources: Claims, path: ClaimPath): unknown {
  const [first = ''] = path.parts
  const source = sources.find((claims) => Object.hasOwn(claims, path.whole) || Object.hasOwn(claims, first))
  return source && readClaim(source, path)
}

/** The value at the path, reading own members only; undefined where there is none. */
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
