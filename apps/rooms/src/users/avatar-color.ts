// White letters on each of these colours have a contrast of at least 4.5 to 1 (WCAG 2.2, 1.4.3).
const COLORS = [
  '#b3261e',
  '#ad1457',
  '#8e24aa',
  '#5e35b1',
  '#3949ab',
  '#1565c0',
  '#00697f',
  '#00695c',
  '#2e7d32',
  '#5d6b00',
  '#a14a00',
  '#6d4c41',
] as const

/** The background colour of a user's initials. It never changes for an id. */
export function avatarColorOf(userId: string): string {
  return COLORS[Bun.hash.xxHash32(userId) % COLORS.length] ?? COLORS[0]
}
