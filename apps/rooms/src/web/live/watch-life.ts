import type { Connection } from './connection.ts'

const EVERY_MS = 5_000
/** A timer that is later than this has slept with the machine or with the tab. */
const LATE_MS = 5_000

/**
 * Checks the connection at every sign of life of user, network and machine, after which a dead one
 * must not look alive. The returned function stops that.
 */
export function watchLife(live: Pick<Connection, 'check' | 'reconnectNow' | 'markOffline'>): () => void {
  const listening = new AbortController()
  const { signal } = listening
  const check = () => live.check()
  addEventListener('online', () => live.reconnectNow(), { signal })
  addEventListener('offline', () => live.markOffline(), { signal })
  addEventListener('focus', check, { signal })
  addEventListener('pageshow', check, { signal })
  document.addEventListener('visibilitychange', () => document.hidden || check(), { signal })
  let lastMs = Date.now()
  const timer = setInterval(() => {
    const nowMs = Date.now()
    if (nowMs - lastMs > EVERY_MS + LATE_MS) check()
    lastMs = nowMs
  }, EVERY_MS)
  return () => {
    listening.abort()
    clearInterval(timer)
  }
}
