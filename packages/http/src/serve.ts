import type { Server } from 'bun'

/** How long a stop may take, in milliseconds: a little less than what ends the process with work undone, 9.7 s. */
const STOP_TIMEOUT_MS = 8_900
/** How much of it is for requests that are under way: more than the 8 s that they wait for a statement at most. */
const FINISH_TIMEOUT_MS = 8_100

/** What every service gives to `Bun.serve`. */
export const limits = {
  /** Large bodies are refused by the routes themselves, with an answer in the right shape. */
  maxRequestBodySize: 1024 ** 4,
  /** How long a connection may be silent, in seconds: longer than the slowest statement that anybody waits for. */
  idleTimeout: 30,
} as const

/**
 * Stops accepting, before it returns, and lets requests finish, for 8.1 seconds: a client that never ends its request must
 * not keep what others did from being stored. Never fails. In the end tells how many milliseconds are left to close what
 * the requests used.
 *
 * @example await links.close(await stopServing(server))
 */
export async function stopServing(server: Pick<Server<unknown>, 'stop'>): Promise<number> {
  const endMs = performance.now() + STOP_TIMEOUT_MS
  await Promise.race([server.stop(), Bun.sleep(FINISH_TIMEOUT_MS)])
  await Promise.race([server.stop(true), Bun.sleep(100)])
  return endMs - performance.now()
}
