/**
 * The URL that somebody meant who typed this, or undefined for words to search for: anything with a scheme (the server
 * says which it takes), and a host that is followed by a path or begins with `www.`. A name with a dot alone is more
 * likely part of what is searched for.
 */
export function parseUrlInput(text: string): string | undefined {
  const trimmed = text.trim()
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(trimmed)) return trimmed
  if (/^www\.\S+\.\S+$/i.test(trimmed)) return `https://${trimmed}`
  return /^[\p{L}\p{N}-]+(\.[\p{L}\p{N}-]+)+(:\d+)?\/\S*$/u.test(trimmed) ? `https://${trimmed}` : undefined
}
