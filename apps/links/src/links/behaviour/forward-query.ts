/** A longer query is not forwarded, in bytes. */
const MAX_FORWARDED = 4_096

/**
 * Adds the visitor's query to a destination. Names that it already has are left out, and every
 * byte of the destination stays as it is: `redirect_uri`, signatures and repeated names.
 */
export function forwardQuery(location: string, query: string | null, mode: 'utm' | 'all'): string {
  if (query === null || query.length <= 1) return location
  const hash = location.indexOf('#')
  const end = hash < 0 ? location.length : hash
  const mark = location.indexOf('?')
  const hasQuery = mark >= 0 && mark < end
  const existing = new Set(hasQuery ? pairsOf(location.slice(mark, end)).map(nameOf) : [])
  const added = pairsOf(query).filter((pair) => {
    const name = nameOf(pair)
    return (mode === 'all' || name.startsWith('utm_')) && !existing.has(name)
  })
  const text = added.join('&')
  if (text === '' || text.length > MAX_FORWARDED) return location
  const base = location.slice(0, end)
  const separator = !hasQuery ? '?' : /[?&]$/.test(base) ? '' : '&'
  return base + separator + text + location.slice(end)
}

/** The pairs of a query, still encoded, without those that would break a header or a fragment. */
function pairsOf(query: string): string[] {
  return query
    .slice(1)
    .split('&')
    .filter((pair) => /^[!"$-~]+$/.test(pair))
}

function nameOf(pair: string): string {
  // Only the very first question mark of a query is not a part of a name.
  const [name = ''] = new URLSearchParams(`&${pair}`).keys()
  return name
}
