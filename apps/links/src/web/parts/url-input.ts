/**
 * Parses typed text as a URL. Undefined for search terms. A URL has a scheme, which the server
 * validates, or a host that begins with `www.` or is followed by a path. A host alone is more
 * likely a search term.
 */
export function parseUrlInput(text: string): string | undefined {
  const trimmed = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed
  if (/^www\.\S+\.\S+$/i.test(trimmed)) return `https://${trimmed}`
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?\/\S*$/u.test(trimmed) ? `https://${trimmed}` : undefined
}
