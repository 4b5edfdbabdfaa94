/** What is known of a host that is called. */
export interface Host {
  active: number
  readonly waiting: (() => void)[]
  /** In a row. */
  failures: number
  failedAtMs: number
}

const CALLS_AT_ONCE = 8

export function newHost(): Host {
  return { active: 0, waiting: [], failures: 0, failedAtMs: -Infinity }
}

/** Waits for one of the host's places; who gives up by the signal leaves the queue. */
export async function acquirePlace(host: Host, signal: AbortSignal): Promise<void> {
  if (host.active < CALLS_AT_ONCE) {
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

/** Gives the place to who waits longest. */
export function releasePlace(host: Host): void {
  const next = host.waiting.shift()
  if (next === undefined) host.active -= 1
  else next()
}
