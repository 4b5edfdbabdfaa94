/**
 * Limits of one entry of a file. A parser needs memory for each level and value, many times that of
 * the text.
 */
export const MAX_ENTRY_LENGTH = 2 * 1024 ** 2
export const MAX_LEVELS = 32
/** A link with the maximum of 5,000 slugs has 40,000 values. */
const MAX_VALUES = 50_000

export const TOO_LONG = 'is longer than 2 MiB'
export const TOO_DEEP = `is nested more than ${MAX_LEVELS} levels deep`

/**
 * Returns the limit that a JSON text exceeds, or undefined. Counts brackets and commas outside
 * strings, without a parser, and does not check that the text is valid JSON.
 *
 * @example findExcess('['.repeat(33)) // 'is nested more than 32 levels deep'
 */
export function findExcess(text: string): string | undefined {
  if (text.length > MAX_ENTRY_LENGTH) return TOO_LONG
  let levels = 0
  let values = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at]
    if (char === '"') at = endOfString(text, at)
    else if (char === ',') values++
    else if (char === ']' || char === '}') levels--
    else if (char === '[' || char === '{') {
      levels++
      values++
    }
    if (levels > MAX_LEVELS) return TOO_DEEP
    if (values > MAX_VALUES) return `has more than ${MAX_VALUES} values`
  }
  return undefined
}

function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++)
    if (text[at] === '\\') at++
    else if (text[at] === '"') return at
  return text.length
}
