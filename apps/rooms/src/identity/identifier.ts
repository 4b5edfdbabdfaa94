import { createHash } from 'node:crypto'

/**
 * Maximum length of a subject in OpenID Connect Core 1.0, section 2. Other identifiers of the
 * provider have the same limit, since all of them are in indexes.
 */
const MAX_LENGTH = 255

/**
 * Text that databases store unchanged: some refuse NUL, and lone surrogates all become the same
 * character.
 */
export function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\u0000')
}

/** Whether the value can be a subject or another identifier. */
export function isIdentifier(value: unknown): value is string {
  return isName(value) && value.length <= MAX_LENGTH
}

/**
 * The stored text of a subject or team id. Undefined for values that do not identify anything.
 * Integers outside the safe range are refused: different ones would be equal after parsing.
 */
export function identifierOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value)
  return isIdentifier(value) ? value : undefined
}

/**
 * The stored form of the name of a provider's session or token, whose length is unlimited: long
 * names are hashed. Undefined for invalid names.
 */
export function keyOf(name: unknown): string | undefined {
  if (!isName(name)) return undefined
  return name.length <= MAX_LENGTH ? name : `sha256:${createHash('sha256').update(name).digest('hex')}`
}
