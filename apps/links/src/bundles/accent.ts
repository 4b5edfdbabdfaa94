// No imports: the web client uses this file, too.
export const accents = ['orange', 'red', 'green', 'blue', 'purple'] as const
export type Accent = (typeof accents)[number]

/**
 * Derives the accent of a bundle from its name, regardless of capitals. The same name always has
 * the same one.
 */
export function accentOfName(name: string): Accent {
  let hash = 0
  // The multiplier is that of Java's string hash. It distributes short words evenly.
  for (const symbol of name.trim().toLowerCase()) hash = (hash * 31 + (symbol.codePointAt(0) ?? 0)) >>> 0
  return accents[hash % accents.length] ?? 'orange'
}
