/** State of a host that is called. */
export interface Host {
  active: number
  readonly waiting: (() => void)[]
  /** Consecutive failures. */
  failures: number
  failedAtMs: number
}

const MAX_CONCURRENT_CALLS = 8

export function newHost(): Host {
  return { active: 0, waiting: [], failures: 0, failedAtMs: -Infinity }
}

/** Waits for one of the places of the host. A caller whose signal aborts leaves the queue. */
export async function acquirePlace(host: Host, signal: AbortSignal): Promise<void> {
  if (host.active < MAX_CONCURRENT_CALLS) {
    host.active += 1
    return
  }
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  const giveUp = () => {
    const place = host.waiting.indexOf(resolve)
    if (place !== -1) host.waiting.splice(place, 1)
    reject(signal.reason)
  }
  host.waiting.push(resolve)
  signal.addEventListener('abort', giveUp, { once: true })
  await promise
  signal.removeEventListener('abort', giveUp)
}

/** Passes the place to the caller that has waited longest. */
export function releasePlace(host: Host): void {
  const next = host.waiting.shift()
  if (next === undefined) host.active -= 1
  else next()
}
