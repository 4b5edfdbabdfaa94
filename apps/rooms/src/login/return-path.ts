const MAX_LENGTH = 2048

/**
 * Where a login leads in the end (R5.2): a path of our own, with query and fragment. Anything else, or anything that some
 * browser, proxy or router could read as another place, is the start page.
 */
export function parseReturnPath(given: string | null, canonicalOrigin: string): string {
  // URL() drops line ends and tabs in silence and takes backslashes for slashes.
  if (given === null || given.length > MAX_LENGTH || /[\p{Cc}\\]/u.test(given)) return '/'
  // `https:evil` would be a relative path, and `//host` another host.
  if (!/^(?:\/(?!\/)|https?:\/\/)/i.test(given)) return '/'
  const url = URL.parse(given, canonicalOrigin)
  if (url === null || url.origin !== canonicalOrigin || url.username !== '' || url.password !== '') return '/'
  const path = url.pathname + url.search + url.hash
  return path.length <= MAX_LENGTH && isOwnPath(url.pathname) ? path : '/'
}

/** Also when somebody decodes the path before reading it. */
function isOwnPath(pathname: string): boolean {
  try {
    return [pathname, decodeURIComponent(pathname)].every((path) => /^\/(?![/\\])[^\p{Cc}]*$/u.test(path))
  } catch {
    return false
  }
}
