const MAX_LENGTH = 2048

/**
 * The path to which a login leads (R5.2): a path of this origin, with query and fragment. The start
 * page replaces anything else, including paths that some browser, proxy or router could interpret
 * as another place.
 */
export function parseReturnPath(input: string | null, canonicalOrigin: string): string {
  // URL() silently drops line ends and tabs, and converts backslashes to slashes.
  if (input === null || input.length > MAX_LENGTH || /[\p{Cc}\\]/u.test(input)) return '/'
  // `https:evil` would be a relative path, and `//host` another host.
  if (!/^(?:\/(?!\/)|https?:\/\/)/i.test(input)) return '/'
  const url = URL.parse(input, canonicalOrigin)
  if (url === null || url.origin !== canonicalOrigin || url.username !== '' || url.password !== '') return '/'
  const path = url.pathname + url.search + url.hash
  return path.length <= MAX_LENGTH && isOwnPath(url.pathname) ? path : '/'
}

/** Checks the decoded path as well, which other software may use. */
function isOwnPath(pathname: string): boolean {
  try {
    return [pathname, decodeURIComponent(pathname)].every((path) => /^\/(?![/\\])[^\p{Cc}]*$/u.test(path))
  } catch {
    return false
  }
}
