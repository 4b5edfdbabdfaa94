import { type TestOptions, type TestRooms, openRooms } from '../rooms.ts'
import { type Live, listen } from './live.ts'

export interface Node {
  service: TestRooms
  live: Live
}

/** Two nodes on one database, with the same provider and clock. */
export async function twoNodes(
  options: TestOptions,
  busFor: () => TestOptions['bus'] = () => undefined,
): Promise<[Node, Node]> {
  const open = async (shared?: TestOptions['shared']): Promise<Node> => {
    const bus = busFor()
    const service = await openRooms({ ...options, ...(bus && { bus }), ...(shared && { shared }) })
    return { service, live: listen(service.rooms) }
  }
  const first = await open()
  return [first, await open(first.service)]
}

export async function closeNodes(nodes: readonly Node[]): Promise<void> {
  for (const { service, live } of nodes.toReversed()) {
    await service.rooms.hub.stop()
    await live.stop()
    await service.close()
  }
}

/** Advances the clock and runs a tick of each node, as happens every second. */
export async function advanceAll(nodes: readonly Node[], ms: number): Promise<void> {
  const [first] = nodes
  if (first) first.service.clock.ms += ms
  for (const { service } of nodes) await service.rooms.hub.tick()
}
