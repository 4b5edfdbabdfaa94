import type { Server } from 'bun'

/** How much of a stop is for requests that are under way, in milliseconds. */
const FINISH_WITHIN_MS = 5_000

/** What every service gives to `Bun.serve`. */
export const limits = {
  /** Large bodies are refused by the routes themselves, with an answer in the right shape. */
  maxRequestBodySize: 1024 ** 4,
  /** How long a connection may be silent, in seconds: longer than the slowest statement that anybody waits for. */
  idleTimeout: 30,
} as const

/**
 * Stops accepting and lets requests finish, for five seconds: a client that never ends its request must not keep what others
 * did from being stored. Never fails.
 *
 * @example await stopServing(server) // then close what the requests used
 */
export async function stopServing(server: Pick<Server<unknown>, 'stop'>): Promise<void> {
  await Promise.race([server.stop(), Bun.sleep(FINISH_WITHIN_MS)])
  await Promise.race([server.stop(true), Bun.sleep(100)])
}
