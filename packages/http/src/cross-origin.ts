/**
 * True when a page of another origin made the browser send this request unseen: as an image, a
 * script, a frame, a `fetch` or a prefetch. Such a request must not count against its sender's
 * address. A navigation of the whole window is not one, since links lead here from everywhere. False
 * without fetch metadata, for clients other than browsers.
 *
 * @example isCrossOriginSubrequest(request) // true with `Sec-Fetch-Site: cross-site` and `Sec-Fetch-Mode: no-cors`
 */
export function isCrossOriginSubrequest({ headers }: Request): boolean {
  const site = headers.get('sec-fetch-site')
  const mode = headers.get('sec-fetch-mode')
  if (mode === null || (site !== 'cross-site' && site !== 'same-site')) return false
  const isNavigation = mode === 'navigate' && headers.get('sec-fetch-dest') === 'document'
  return !isNavigation || headers.has('sec-purpose')
}
