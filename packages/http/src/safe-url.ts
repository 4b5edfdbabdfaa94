import { isLoopback } from './client-address.ts'

/**
 * True when a host name of a URL can only be this machine.
 *
 * @example isLoopbackHost('[::1]') // true
 */
export function isLoopbackHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare.endsWith('.localhost') || isLoopback(bare)
}

/**
 * True when no party on the way can change the answer of the URL: it is https, or http to this
 * machine. False for anything else, including `file:` and invalid URLs.
 *
 * @example isSafeUrl('http://login.example.com') // false
 */
export function isSafeUrl(text: string): boolean {
  const url = URL.parse(text)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
}
