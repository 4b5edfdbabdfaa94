import { isLoopback } from './client-address.ts'

/**
 * Whether a host name of a URL can only be this machine.
 *
 * @example isLoopbackHost('[::1]') // true
 */
export function isLoopbackHost(hostname: string): boolean {
  const bare = hostname.replace(/^\[|\]$/g, '')
  return bare === 'localhost' || bare.endsWith('.localhost') || isLoopback(bare)
}

/**
 * Whether nobody on the way can change what the URL answers: it is https, or http to this machine. False for anything
 * else, `file:` included, and for what is no URL.
 *
 * @example isSafeUrl('http://login.example.com') // false
 */
export function isSafeUrl(given: string): boolean {
  const url = URL.parse(given)
  return url?.protocol === 'https:' || (url?.protocol === 'http:' && isLoopbackHost(url.hostname))
}
