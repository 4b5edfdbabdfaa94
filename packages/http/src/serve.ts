import type { Server } from 'bun'
import { findInheritedSocket } from './inherited-socket.ts'
import { ListeningSocket } from './listening-socket.ts'
import { ESTABLISHED, HANDSHAKE, LISTENING, findTcpSockets } from './tcp-table.ts'

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
/**
 * How long a service with an inherited socket goes on beside requests that ran before the stop, in
 * milliseconds. New ones would otherwise wait for their end, and then for the next process. The rest
 * of `FINISH_TIMEOUT_MS` is for those that arrived last.
 */
const EARLY_REQUESTS_MS = 7_000
/**
 * Time without a request, in milliseconds, after which none is likely to be on its way on a connection
 * that is accepted already.
 */
const QUIET_MS = 50
const QUIET_TIMEOUT_MS = 500
const CHECK_MS = 10

/** Options of `Bun.serve` for every service. */
const limits = {
  /** The routes themselves refuse large bodies, with an answer in the right shape. */
  maxRequestBodySize: 1024 ** 4,
  /**
   * How long a connection may be silent, in seconds: longer than the slowest statement that a
   * request waits for.
   */
  idleTimeout: 30,
} as const

/** What `Bun.serve` does with requests. Undefined if the connection became a socket. */
export interface ServeOptions<Data> {
  fetch: (request: Request, server: Server<Data>) => Response | undefined | Promise<Response | undefined>
  error: (error: Error) => Response
  websocket?: Bun.WebSocketHandler<Data>
}

/**
 * Serves on the socket that a supervisor has passed to this process, if it did, and otherwise on
 * a socket of its own with this host and port. Throws `UnusableSocket`, or the error of the system if
 * it cannot listen.
 *
 * @example const listener = listen({ host: '127.0.0.1', port: 8080 }, { fetch, error })
 */
export function listen<Data>(
  { host, port }: { host: string; port: number },
  options: ServeOptions<Data>,
): Listener<Data> {
  const inherited = findInheritedSocket(port)
  const place = inherited === undefined ? { hostname: host, port } : { hostname: '127.0.0.1', port: 0 }
  const server = Bun.serve<Data>({ ...place, ...limits, ...options } as Bun.Serve.Options<Data>)
  const own = ListeningSocket.find(server.port ?? 0)
  if (inherited === undefined) return new Listener(server, options, server.url, own)
  const socket = own?.replace(inherited)
  const address = findTcpSockets(port)?.find(({ state }) => state === LISTENING)?.address
  return new Listener(server, options, new URL(`http://${address}:${port}`), socket)
}

/** A server that stops without resetting a connection. */
export class Listener<Data> {
  /** The address at which the server is reached on this machine. */
  readonly url: URL
  readonly #server: Server<Data>
  readonly #options: ServeOptions<Data>
  /** Undefined on systems where it cannot be paused. */
  readonly #socket: ListeningSocket | undefined
  #stoppedAtMs = 0
  /** Running requests that arrived after the stop. */
  #late = 0
  #lastRequestMs = 0

  constructor(
    server: Server<Data>,
    options: ServeOptions<Data>,
    url: URL,
    socket: ListeningSocket | undefined,
  ) {
    this.#server = server
    this.#options = options
    this.url = url
    this.#socket = socket
  }

  get #isInherited(): boolean {
    return this.#socket?.isInherited === true
  }

  /**
   * Ends each kept connection with its next answer, for a second at most, and then accepts no further
   * one. Connections that clients begin from then on wait in an inherited socket, and are refused
   * once `finish` has closed a socket of this process. Never throws.
   */
  async stopAccepting(): Promise<void> {
    this.#stoppedAtMs = performance.now()
    this.#announceClose()
    while (this.#isGoingOn()) await Bun.sleep(CHECK_MS)
    this.#socket?.pause()
    await this.#untilQuiet()
  }

  /**
   * Lets running requests finish, until 8.1 seconds after the stop. A client that never ends its
   * request must not keep the changes of others from being stored. Call this after `stopAccepting`.
   * Never throws. Resolves with the milliseconds left to close the resources of the requests.
   *
   * @example await links.close(await listener.finish())
   */
  async finish(): Promise<number> {
    const leftMs = () => this.#stoppedAtMs + FINISH_TIMEOUT_MS - performance.now()
    await Promise.race([this.#server.stop(), this.#untilIdle(), Bun.sleep(leftMs())])
    await Promise.race([this.#server.stop(true), Bun.sleep(100)])
    return this.#stoppedAtMs + STOP_TIMEOUT_MS - performance.now()
  }

  #announceClose(): void {
    const { fetch, ...options } = this.#options
    this.#server.reload({
      ...options,
      fetch: async (request: Request) => {
        this.#late++
        this.#lastRequestMs = performance.now()
        try {
          const response = await fetch(request, this.#server)
          response?.headers.set('Connection', 'close')
          return response
        } finally {
          this.#late--
        }
      },
    } as Bun.Serve.Options<Data>)
  }

  #isGoingOn(): boolean {
    const sinceMs = performance.now() - this.#stoppedAtMs
    if (sinceMs < ANNOUNCE_MS && this.#hasConnections()) return true
    const hasEarly = this.#server.pendingRequests > this.#late
    return this.#isInherited && sinceMs < EARLY_REQUESTS_MS && hasEarly
  }

  /** A close resets connections whose requests it has not read. */
  async #untilQuiet(): Promise<void> {
    const pausedMs = performance.now()
    const isQuiet = () => performance.now() - Math.max(this.#lastRequestMs, pausedMs) > QUIET_MS
    while (performance.now() - pausedMs < QUIET_TIMEOUT_MS && this.#hasConnections() && !isQuiet())
      await Bun.sleep(CHECK_MS)
  }

  /** Bun also waits for connections on which nothing was ever sent, such as those of browsers. */
  async #untilIdle(): Promise<void> {
    while (this.#server.pendingRequests + this.#server.pendingWebSockets > 0) await Bun.sleep(CHECK_MS)
  }

  /**
   * Whether clients have connections other than sockets; true on systems that do not say. Those that
   * are not accepted yet count unless they are left to the next process.
   */
  #hasConnections(): boolean {
    const begun = this.#isInherited ? [ESTABLISHED] : [ESTABLISHED, HANDSHAKE]
    const connections = findTcpSockets(this.#server.port)?.filter(
      ({ state, inode }) => begun.includes(state) && (inode > 0 || !this.#isInherited),
    )
    return connections === undefined || connections.length > this.#server.pendingWebSockets
  }
}
