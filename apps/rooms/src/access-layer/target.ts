/** Characters of an address that is kept during a sign-in: it is part of another one, encoded. */
const MAX_LENGTH = 1_000

/** A page at an origin of the access layer. */
export interface Target {
  readonly origin: string
  readonly href: string
}

/** Undefined unless the text is the address of a page at one of the origins. */
export function parseTarget(text: string | null, origins: readonly string[]): Target | undefined {
  // URL() silently drops line ends and tabs, and converts backslashes to slashes.
  if (text === null || text.length > MAX_LENGTH || /[\p{Cc}\\\s]/u.test(text)) return undefined
  if (!/^https?:\/\//.test(text)) return undefined
  const url = URL.parse(text)
  if (url === null || url.username !== '' || url.password !== '' || !origins.includes(url.origin))
    return undefined
  // The routes of the entry would lead in a circle.
  if (/^\/+api\/+access\//i.test(url.pathname)) return { origin: url.origin, href: `${url.origin}/` }
  return url.href.length <= MAX_LENGTH ? { origin: url.origin, href: url.href } : undefined
}

/** The page that the browser asked the proxy for; the start page if that cannot be used. */
export function targetOf(origin: string, uri: string | null): string {
  const own = (text: string) => parseTarget(origin + text, [origin])?.href
  if (uri === null || !uri.startsWith('/')) return `${origin}/`
  return own(uri) ?? own(uri.replace(/[?#].*$/s, '')) ?? `${origin}/`
}
