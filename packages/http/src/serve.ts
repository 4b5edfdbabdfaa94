import type { Server } from 'bun'

/**
 * Maximum duration of a stop, in milliseconds: a little less than the 9.7 s after which the process
 * ends with work unfinished.
 */
const STOP_TIMEOUT_MS = 8_900
/**
 * The part of it for running requests, in milliseconds: more than the 8 s that they wait for a
 * statement at most.
 */
const FINISH_TIMEOUT_MS = 8_100

/** Options of `Bun.serve` for every service. */
export const limits = {
  /** The routes themselves refuse large bodies, with an answer in the right shape. */
  maxRequestBodySize: 1024 ** 4,
  /**
   * How long a connection may be silent, in seconds: longer than the slowest statement that a
   * request waits for.
   */
  idleTimeout: 30,
} as const

/**
 * Stops accepting connections before it returns, and lets running requests finish within 8.1
 * seconds. A client that never ends its request must not keep the changes of others from being
 * stored. Never throws. Resolves with the milliseconds left to close the resources of the requests.
 *
 * @example await links.close(await stopServing(server))
 */
export async function stopServing(server: Pick<Server<unknown>, 'stop'>): Promise<number> {
  const endMs = performance.now() + STOP_TIMEOUT_MS
  await Promise.race([server.stop(), Bun.sleep(FINISH_TIMEOUT_MS)])
  await Promise.race([server.stop(true), Bun.sleep(100)])
  return endMs - performance.now()
}
