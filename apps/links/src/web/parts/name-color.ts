const COLORS = 6

/** A colour that is always the same for a name. It distinguishes, and carries no meaning. */
export function nameColor(name: string): string {
  let hash = 0
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_521
  return `var(--chart-${(hash % COLORS) + 1})`
}

/** Initials of a name or an address: at most two, of its first and last word. */
export function initialsOf(name: string): string {
  const words = (name.split('@')[0] ?? '').match(/[\p{L}\p{N}]+/gu) ?? []
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words
  const initials = ends.map((word = '') => String.fromCodePoint(word.codePointAt(0) ?? 0).toUpperCase())
  return initials.join('') || '?'
}
