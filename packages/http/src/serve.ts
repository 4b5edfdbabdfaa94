import { readFile } from 'node:fs/promises'
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

/**
 * How long answers announce the end of their connections, in milliseconds, before the rest of them
 * is closed. A proxy that sends a request at the moment of the close would answer 502.
 */
const ANNOUNCE_MS = 1_000
const ANNOUNCE_CHECK_MS = 50
const IDLE_CHECK_MS = 20
/** Turns of the event loop without a request, after which none is likely to be on its way. */
const QUIET_TURNS = 3
const QUIET_TIMEOUT_MS = 200

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

/** What `Bun.serve` does with requests. Undefined if the connection became a socket. */
interface ServeOptions<Data> {
  fetch: (request: Request, server: Server<Data>) => Response | undefined | Promise<Response | undefined>
  error: (error: Error) => Response
  websocket?: Bun.WebSocketHandler<Data>
}

/**
 * Ends kept connections, then stops accepting new ones, and lets running requests finish, all within
 * 8.1 seconds. A client that never ends its request must not keep the changes of others from being
 * stored. `options` are those of `Bun.serve`. Never throws. Resolves with the milliseconds left to
 * close the resources of the requests.
 *
 * @example await links.close(await stopServing(server, options))
 */
export async function stopServing<Data>(server: Server<Data>, options: ServeOptions<Data>): Promise<number> {
  const startedMs = performance.now()
  await announceClose(server, options)
  const finishMs = startedMs + FINISH_TIMEOUT_MS - performance.now()
  await Promise.race([server.stop(), untilIdle(server), Bun.sleep(finishMs)])
  await Promise.race([server.stop(true), Bun.sleep(100)])
  return startedMs + STOP_TIMEOUT_MS - performance.now()
}

/** Bun also waits for connections on which nothing was ever sent, such as those of browsers. */
async function untilIdle<Data>(server: Server<Data>): Promise<void> {
  while (server.pendingRequests + server.pendingWebSockets > 0) await Bun.sleep(IDLE_CHECK_MS)
}

/** Closes each connection after its next answer, until none is open or the time is over. */
async function announceClose<Data>(server: Server<Data>, { fetch, ...options }: ServeOptions<Data>) {
  const { port } = server
  if (port === undefined || !(await hasConnections(port))) return
  server.reload({
    ...options,
    async fetch(request: Request) {
      const response = await fetch(request, server)
      response?.headers.set('Connection', 'close')
      return response
    },
  } as Bun.Serve.Options<Data>)
  const endMs = performance.now() + ANNOUNCE_MS
  while (performance.now() < endMs && (await hasConnections(port))) await Bun.sleep(ANNOUNCE_CHECK_MS)
  await waitUntilQuiet(server)
}

/** A stop resets the connections that it has accepted and not yet read. */
async function waitUntilQuiet<Data>(server: Server<Data>): Promise<void> {
  const endMs = performance.now() + QUIET_TIMEOUT_MS
  for (let turns = 0; turns < QUIET_TURNS && performance.now() < endMs; turns++) {
    await new Promise((resolve) => setImmediate(resolve))
    if (server.pendingRequests > 0) turns = -1
  }
}

const PROC_TABLES = ['tcp', 'tcp6'].map((name) => `/proc/self/net/${name}`)

/**
 * Whether clients have connections to the port, even ones that are not accepted yet; true on systems
 * that do not say.
 */
async function hasConnections(port: number): Promise<boolean> {
  // Columns: number, local address, remote address, state (established, or before that).
  const connected = new RegExp(`^ *\\d+: \\w+:${port.toString(16).padStart(4, '0')} \\w+:\\w+ 0[13] `, 'im')
  try {
    const tables = await Promise.all(PROC_TABLES.map((table) => readFile(table, 'latin1')))
    return tables.some((table) => connected.test(table))
  } catch {
    return true
  }
}
