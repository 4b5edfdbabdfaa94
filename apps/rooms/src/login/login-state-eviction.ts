import { widerPrefixes } from '@latchkey/http/client-prefix'

/** The number of login states of a client prefix. */
export interface PrefixCount {
  prefix: string
  count: number
}

interface Network {
  count: number
  parts: Map<string, Network>
}

/**
 * Selects `drop` login states to evict, and returns their number per prefix. Each is taken from the
 * widest network with the most states, within it from the next narrower network with the most, down
 * to the client prefix. Of equals, the first in the list.
 */
export function planEvictions(counts: readonly PrefixCount[], drop: number): ReadonlyMap<string, number> {
  const all: Network = { count: 0, parts: new Map() }
  for (const count of counts) add(all, count)
  const dropped = new Map<string, number>()
  for (let n = 0; n < drop && all.count > 0; n++) {
    const prefix = evictOne(all, '')
    dropped.set(prefix, (dropped.get(prefix) ?? 0) + 1)
  }
  return dropped
}

function add(all: Network, { prefix, count }: PrefixCount): void {
  let network = all
  network.count += count
  for (const name of [...widerPrefixes(prefix).toReversed(), prefix]) {
    const part = network.parts.get(name) ?? { count: 0, parts: new Map() }
    part.count += count
    network.parts.set(name, part)
    network = part
  }
}

function evictOne(network: Network, name: string): string {
  network.count--
  let [largest, count] = [name, 0]
  for (const [each, part] of network.parts) if (part.count > count) [largest, count] = [each, part.count]
  const part = network.parts.get(largest)
  return part ? evictOne(part, largest) : name
}
