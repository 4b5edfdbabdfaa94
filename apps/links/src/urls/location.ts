/**
 * Serialises a URL per WHATWG for the `Location` header: a bare host gains its slash, and
 * characters beyond ASCII are encoded. Undefined if it does not parse; the link then has no
 * destination.
 */
export function locationOf(url: string): string | undefined {
  return URL.parse(url)?.href
}
