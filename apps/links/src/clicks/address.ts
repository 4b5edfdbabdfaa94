import { isIP } from 'node:net'

/** Longer than an IPv6 address with zone, brackets and port. */
export const MAX_ADDRESS_LENGTH = 80

/** True for text that is an IP address as a whole, also with brackets, zone, port or blanks around. */
export function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH) return false
  const bare = text
    .trim()
    .replace(/^\[(.*)\](?::\d+)?$/, '$1')
    .replace(/^([\d.]+):\d+$/, '$1')
  return isIP(bare) !== 0
}
