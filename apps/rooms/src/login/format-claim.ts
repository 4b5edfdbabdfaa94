const CLAIM_LENGTH = 200

/** A value in a few words: the content of its members is left out, however deep it is. */
export function formatClaim(value: unknown): string | null {
  if (value === undefined) return null
  const text = Array.isArray(value)
    ? `[${value.map(formatMember).join(', ')}]`
    : typeof value === 'object' && value !== null
      ? `{${Object.entries(value)
          .map(([name, member]) => `${JSON.stringify(name)}: ${formatMember(member)}`)
          .join(', ')}}`
      : JSON.stringify(value)
  const characters = Array.from(text)
  return characters.length > CLAIM_LENGTH ? `${characters.slice(0, CLAIM_LENGTH).join('')}…` : text
}

function formatMember(value: unknown): string {
  if (Array.isArray(value)) return '[…]'
  return typeof value === 'object' && value !== null ? '{…}' : JSON.stringify(value)
}
