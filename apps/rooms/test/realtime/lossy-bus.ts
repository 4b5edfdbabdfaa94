import { createLog } from '@latchkey/http/log'
import { type ClusterEvent, toRemoteEvent } from '../../src/api/cluster-events.ts'
import { type Bus, type ClusterEventListener, createLocalBus } from '../../src/realtime/bus.ts'

/** The faults of a bus. */
export interface Loss {
  /** Drops everything between nodes. */
  isPaused: boolean
  /** The fractions of the remaining messages that are lost, repeated or delayed. */
  lost: number
  twice: number
  late: number
}

export const DROPS_EVERYTHING: Loss = { isPaused: true, lost: 0, twice: 0, late: 0 }
const LATE_MS = 400

/**
 * Connects nodes in this process by the worst bus that R19.1 allows. Each node receives its own
 * events, as with any bus.
 */
export function lossyBus(loss: Loss, random: () => number = Math.random) {
  const nodes = new Map<Bus, Bus>()
  const deliver = (from: Bus, event: ClusterEvent) => {
    for (const [bus, local] of nodes) if (bus !== from) local.publish(toRemoteEvent(event))
  }
  const carry = (from: Bus, event: ClusterEvent) => {
    if (loss.isPaused || random() < loss.lost) return
    const times = random() < loss.twice ? 2 : 1
    for (let time = 0; time < times; time++)
      if (random() < loss.late) setTimeout(() => deliver(from, event), random() * LATE_MS)
      else deliver(from, event)
  }
  return {
    loss,
    /** Connects another node. */
    join(): Bus {
      const local = createLocalBus(createLog())
      const bus: Bus = {
        publish(event) {
          local.publish(event)
          carry(bus, event)
        },
        publishRemote: (event) => carry(bus, event),
        listen: (listener: ClusterEventListener) => local.listen(listener),
        state: () => (loss.isPaused ? 'down' : 'ok'),
        async close() {
          nodes.delete(bus)
        },
      }
      nodes.set(bus, local)
      return bus
    },
  }
}
