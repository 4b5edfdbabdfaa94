import type { Log } from '@latchkey/http/log'
import type { ClusterEvent } from '../api/cluster-events.ts'

export type ClusterEventListener = (event: ClusterEvent) => void

/**
 * Carries events between nodes, including this one. It may lose, repeat or reorder them: nothing
 * depends on it (R19.1).
 */
export interface Bus {
  /** Publishes to this node and all others. Never throws. */
  publish: (event: ClusterEvent) => void
  /** Publishes to other nodes only. Never throws. */
  publishRemote: (event: ClusterEvent) => void
  listen: (listener: ClusterEventListener) => void
  state: () => 'in-process' | 'ok' | 'down'
  close: () => Promise<void>
}

/** Bus of a single node. */
export function createLocalBus(log: Log): Bus {
  const listeners: ClusterEventListener[] = []
  return {
    publish(event) {
      for (const listener of listeners)
        try {
          listener(event)
        } catch (error) {
          // The change is committed, whatever a listener does. The database holds it for the next
          // reconciliation.
          log.warn('bus: cannot apply an event', { error })
        }
    },
    publishRemote() {},
    listen: (listener) => void listeners.push(listener),
    state: () => 'in-process',
    close: async () => {},
  }
}
