import { type Socket, connect } from 'node:net'
import type { Random } from '@latchkey/http/testing-random'

/** Connections of a client that stay open at most, until its round is over. */
const MAX_OPEN = 40
const PAUSE_MS = 30

export type Act = (socket: Socket, random: Random) => void | Promise<void>

/** Clients that break the rules of HTTP and WebSocket on connections of their own. */
export class HostileClients {
  readonly counts: Record<string, number> = {}
  readonly #acts: Record<string, Act>
  readonly #portOf: (random: Random) => number
  readonly #open = new Set<Socket>()
  #isOver = false
  #running: Promise<void> = Promise.resolve()

  constructor(portOf: (random: Random) => number, acts: Record<string, Act>) {
    this.#portOf = portOf
    this.#acts = acts
    for (const name of Object.keys(acts)) this.counts[name] = 0
  }

  begin(random: Random): void {
    this.#isOver = false
    this.#running = this.#run(random)
  }

  async end(): Promise<void> {
    this.#isOver = true
    await this.#running
    for (const socket of this.#open) socket.destroy()
    this.#open.clear()
  }

  async #run(random: Random): Promise<void> {
    while (!this.#isOver) {
      const name = random.pick(Object.keys(this.#acts))
      const socket = connect({ host: '127.0.0.1', port: this.#portOf(random) })
      socket.on('error', () => undefined).on('close', () => this.#open.delete(socket))
      this.#open.add(socket)
      await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
      await this.#acts[name]?.(socket, random)
      this.counts[name] = (this.counts[name] ?? 0) + 1
      const [oldest] = this.#open
      if (this.#open.size > MAX_OPEN) oldest?.destroy()
      await Bun.sleep(random.next() * PAUSE_MS)
    }
  }
}

/** Acts that every HTTP server must bear. `path` is one that it answers. */
export function httpActs(path: string, host: string): Record<string, Act> {
  const head = `GET ${path} HTTP/1.1\r\nHost: ${host}\r\n`
  return {
    'half-open connections': () => undefined,
    'heads cut off': (socket, random) => void socket.end(head.slice(0, 1 + random.index(head.length))),
    async 'trickling heads'(socket, random) {
      for (const byte of head.slice(0, 1 + random.index(30))) {
        socket.write(byte)
        await Bun.sleep(5)
      }
    },
    'endless heads': (socket) => void socket.write(head + 'X-Long: '.padEnd(200_000, 'x')),
    'slow readers': (socket) => {
      socket.pause()
      socket.write(`${head}\r\n`.repeat(200))
    },
    garbage: (socket, random) =>
      void socket.write(
        Buffer.from(Array.from({ length: 1 + random.index(2_000) }, () => random.index(256))),
      ),
    'resets after a request': (socket) => void socket.write(`${head}\r\n`, () => socket.resetAndDestroy()),
  }
}
