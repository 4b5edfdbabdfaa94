export interface UrlParts {
  /** The scheme with its two slashes. */
  scheme: string
  /** The part before the `@`, which browsers send to the host as a name and a password. */
  userInfo: string
  /** The host that browsers ask, with its port; IDNA names as A-labels. */
  host: string
  rest: string
  /** False if the URL is written in another way, and these parts are those of its normal form. */
  isAsWritten: boolean
}

/** The parts of a URL as browsers understand it; undefined for anything else. */
export function partsOfUrl(text: string): UrlParts | undefined {
  const url = URL.parse(text)
  if (!url || url.host === '') return undefined
  const { protocol, username, password, host, href } = url
  const scheme = `${protocol}//`
  const userInfo = password === '' ? username : `${username}:${password}`
  const start = `${scheme}${userInfo && `${userInfo}@`}${host}`
  const isAsWritten = text.startsWith(start)
  const spelling = isAsWritten ? text : href
  return { scheme, userInfo, host, rest: spelling.slice(start.length), isAsWritten }
}
