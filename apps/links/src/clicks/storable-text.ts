// What both databases can store: PostgreSQL refuses NUL, and neither keeps half a surrogate pair.
// Limits count code points (L23); blank text counts as absent.
export function storableText(text: string, limit: number): string | null {
  const storable = firstCharacters(text.replaceAll('\u0000', '').toWellFormed(), limit)
  return storable.trim() === '' ? null : storable
}

function firstCharacters(text: string, limit: number): string {
  if (text.length <= limit) return text
  // A code point takes at most two units, so that what lies beyond need not be walked.
  return Array.from(text.slice(0, limit * 2))
    .slice(0, limit)
    .join('')
}
