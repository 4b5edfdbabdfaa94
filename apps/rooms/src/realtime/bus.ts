import type { Log } from '@latchkey/http/log'
import type { News } from '../news.ts'

export type Listener = (news: News) => void

/** Carries news between nodes, this one included. It may lose, repeat or reorder: nothing depends on it (R19.1). */
export interface Bus {
  /** Never throws. */
  publish: (news: News) => void
  /** The same, to other nodes only. */
  spread: (news: News) => void
  listen: (listener: Listener) => void
  state: () => 'in-process' | 'ok' | 'down'
  close: () => Promise<void>
}

/** For a single node. */
export function createLocalBus(log: Log): Bus {
  const listeners: Listener[] = []
  return {
    publish(news) {
      for (const listener of listeners)
        try {
          listener(news)
        } catch (error) {
          // What it was about, the database says; and it is committed, whoever tells of it.
          log.warn('news could not be taken', { error })
        }
    },
    spread() {},
    listen: (listener) => void listeners.push(listener),
    state: () => 'in-process',
    close: async () => {},
  }
}
