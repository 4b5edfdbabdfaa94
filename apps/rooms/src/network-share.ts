import { widerPrefixes } from '@latchkey/http/client-prefix'

/** The networks around a client, the widest first. */
export function networksOf(prefix: string): readonly string[] {
  return widerPrefixes(prefix).toReversed()
}

/**
 * Whether a client may take one more of what all share, when `left` are left: the widest network around it (/32 of IPv6,
 * /16 of IPv4) as long as it has taken less than that, each narrower one (/48 and /24, then /56) half as much as the one
 * around it. So each network that takes all it can leaves half of what there was to everybody else.
 */
export function hasShare(
  networks: readonly string[],
  left: number,
  takenIn: (network: string) => number,
): boolean {
  return left > 0 && networks.every((network, depth) => takenIn(network) * 2 ** depth < left)
}
