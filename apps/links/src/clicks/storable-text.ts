import { isAddress } from './address.ts'

// Text that both databases can store: PostgreSQL refuses NUL, and neither stores lone surrogates.
// Limits count code points (L23); blank text counts as absent.
export function storableText(text: string, limit: number): string | null {
  const storable = firstCharacters(text.replaceAll('\u0000', '').toWellFormed(), limit)
  return storable.trim() === '' ? null : storable
}

/**
 * Storable text of a visitor's request. An IP address as a whole counts as absent, whatever it
 * stands for (L37.3).
 */
export function textFromVisitor(text: string, limit: number): string | null {
  const storable = storableText(text, limit)
  return storable !== null && isAddress(storable) ? null : storable
}

function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  // A code point has at most two units, so text beyond that need not be read.
  return Array.from(text.slice(0, limit * 2))
    .slice(0, limit)
    .join('')
}
