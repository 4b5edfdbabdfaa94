/** OpenID Connect Core 2, of a subject. The same for what else a provider calls things by, since all of it is in indexes. */
const LONGEST = 255

/**
 * Whether this can be what a provider calls a person, a session or a token: something that a database keeps as it is. NUL is refused by
 * some, and lone surrogates all become the same mark.
 */
export function isIdentifier(value: unknown): value is string {
  return (
    typeof value === 'string' &&
    value !== '' &&
    value.length <= LONGEST &&
    value.isWellFormed() &&
    !value.includes('\u0000')
  )
}
