import { widerPrefixes } from '@latchkey/http/client-prefix'

/** Networks that contain a client prefix, widest first. */
export function networksOf(prefix: string): readonly string[] {
  return widerPrefixes(prefix).toReversed()
}

/**
 * Whether a client may take one more place of a shared resource with `left` free places. The widest
 * network around the client (/32 of IPv6, /16 of IPv4) may hold fewer places than are left. Each
 * narrower network (/48 and /24, then /56) may hold half as many as the one around it. A network
 * that takes all it can therefore leaves half of the places to all others.
 */
export function hasShare(
  networks: readonly string[],
  left: number,
  takenIn: (network: string) => number,
): boolean {
  return left > 0 && networks.every((network, depth) => takenIn(network) * 2 ** depth < left)
}
