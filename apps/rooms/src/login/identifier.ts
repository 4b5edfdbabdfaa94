import { createHash } from 'node:crypto'

/** OpenID Connect Core 2, of a subject. The same for what else a provider calls things by, since all of it is in indexes. */
const MAX_LENGTH = 255

/** Text that a database keeps as it is: NUL is refused by some, and lone surrogates all become the same mark. */
function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '' && value.isWellFormed() && !value.includes('\u0000')
}

/** Whether this can be what a provider calls a person. */
export function isIdentifier(value: unknown): value is string {
  return isName(value) && value.length <= MAX_LENGTH
}

/**
 * What stands here for the name of a provider's session or token, which has no greatest length: a longer one's hash.
 * Undefined for what is no name.
 */
export function keyOf(name: unknown): string | undefined {
  if (!isName(name)) return undefined
  return name.length <= MAX_LENGTH ? name : `sha256:${createHash('sha256').update(name).digest('hex')}`
}
