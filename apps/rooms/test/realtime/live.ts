import type { Rooms } from '../../src/app.ts'
import type { SocketData } from '../../src/realtime/gateway.ts'
import { type Browser, ORIGIN, type TestRooms } from '../rooms.ts'

/** A frame as received. */
export type Frame = Record<string, unknown> & { type: string }

const FRAME_TIMEOUT_MS = 10_000

/** Serves on a real port, with sockets of signed-in users. */
export function listen(rooms: Rooms) {
  const server = Bun.serve<SocketData>({
    port: 0,
    hostname: '127.0.0.1',
    fetch: rooms.serve,
    websocket: rooms.websocket,
  })
  return {
    port: server.port ?? 0,
    /** A socket as the page of this browser opens it. */
    connect: (browser: Browser, options: ConnectOptions = {}) =>
      new LiveSocket(server.port ?? 0, { cookie: cookiesOf(browser), ...options }),
    stop: () => server.stop(true),
  }
}

export type Live = ReturnType<typeof listen>

export interface ConnectOptions {
  cookie?: string
  origin?: string | null
  protocols?: string[]
  headers?: Record<string, string>
  /** Called for each frame. The frame is then not stored. */
  onFrame?: (frame: Frame) => void
}

export function cookiesOf({ cookies }: Pick<Browser, 'cookies'>): string {
  return [...cookies].map((pair) => pair.join('=')).join('; ')
}

/** Bun's sockets have this method. The types in force here are those of the browser. */
type Terminable = WebSocket & { terminate(): void }

/** The client side of a socket. It stores every frame. */
export class LiveSocket {
  readonly frames: Frame[] = []
  readonly opened: Promise<boolean>
  readonly closed: Promise<{ code: number; reason: string }>
  readonly #socket: WebSocket
  #count = 0
  #changed = Promise.withResolvers<void>()

  constructor(
    port: number,
    { cookie, origin = ORIGIN, protocols = ['latchkey.v1'], headers, onFrame }: ConnectOptions,
  ) {
    const own: Record<string, string> = { host: new URL(ORIGIN).host, ...headers }
    if (cookie) own['cookie'] = cookie
    if (origin !== null) own['origin'] = origin
    // Bun's own second argument. The types in force here are those of the browser.
    const options = { headers: own, protocols } as unknown as string[]
    this.#socket = new WebSocket(`ws://127.0.0.1:${port}/api/ws`, options)
    this.#socket.addEventListener('message', ({ data }) => {
      const frame = JSON.parse(String(data)) as Frame
      if (onFrame) return onFrame(frame)
      this.frames.push(frame)
      this.#notify()
    })
    this.opened = new Promise((resolve) => {
      this.#socket.addEventListener('open', () => resolve(true))
      this.#socket.addEventListener('close', () => resolve(false))
    })
    this.closed = new Promise((resolve) =>
      this.#socket.addEventListener('close', ({ code, reason }) => {
        resolve({ code, reason })
        this.#notify()
      }),
    )
  }

  get isClosed(): boolean {
    return this.#socket.readyState === WebSocket.CLOSED
  }

  get protocol(): string {
    return this.#socket.protocol
  }

  #notify(): void {
    this.#changed.resolve()
    this.#changed = Promise.withResolvers()
  }

  send(frame: unknown): void {
    this.#socket.send(typeof frame === 'string' ? frame : JSON.stringify(frame))
  }

  /** The first frame, earlier or later, that matches. */
  async frame(isIt: (frame: Frame) => boolean): Promise<Frame> {
    const late = Bun.sleep(FRAME_TIMEOUT_MS).then(() => 'late' as const)
    for (;;) {
      const match = this.frames.find(isIt)
      if (match) return match
      if ((await Promise.race([this.#changed.promise, late])) === 'late')
        throw new Error(`The frame did not come. There were: ${JSON.stringify(this.frames)}`)
    }
  }

  of(type: string): Promise<Frame> {
    return this.frame((frame) => frame.type === type)
  }

  /** Sends a request and waits for its response. */
  async ask(frame: Record<string, unknown>): Promise<Frame> {
    const id = `ask-${++this.#count}`
    await this.opened
    this.send({ ...frame, id })
    return this.frame((answer) => answer['id'] === id)
  }

  subscribe(roomId: string): Promise<Frame> {
    return this.ask({ type: 'subscribe', roomId })
  }

  /** Waits until all earlier frames have been received. */
  async settle(): Promise<void> {
    await this.ask({ type: 'ping' })
  }

  close(code?: number): void {
    this.#socket.close(code)
  }

  /** Breaks the connection without a close frame. The other side notices at once. */
  terminate(): void {
    ;(this.#socket as Terminable).terminate()
  }
}

/** Advances the clock and runs a tick of the node. */
export async function advance({ rooms, clock }: TestRooms, ms: number): Promise<void> {
  clock.ms += ms
  await rooms.hub.tick()
}
