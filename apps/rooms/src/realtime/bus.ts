import type { Log } from '@latchkey/http/log'
import type { ClusterEvent } from '../cluster-events.ts'

export type ClusterEventListener = (event: ClusterEvent) => void

/** Carries news between nodes, this one included. It may lose, repeat or reorder: nothing depends on it (R19.1). */
export interface Bus {
  /** Never throws. */
  publish: (event: ClusterEvent) => void
  /** The same, to other nodes only. */
  publishRemote: (event: ClusterEvent) => void
  listen: (listener: ClusterEventListener) => void
  state: () => 'in-process' | 'ok' | 'down'
  close: () => Promise<void>
}

/** For a single node. */
export function createLocalBus(log: Log): Bus {
  const listeners: ClusterEventListener[] = []
  return {
    publish(event) {
      for (const listener of listeners)
        try {
          listener(event)
        } catch (error) {
          // What it was about, the database says; and it is committed, whoever tells of it.
          log.warn('news could not be taken', { error })
        }
    },
    publishRemote() {},
    listen: (listener) => void listeners.push(listener),
    state: () => 'in-process',
    close: async () => {},
  }
}
