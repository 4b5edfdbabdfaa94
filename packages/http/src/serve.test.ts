import { type Socket, connect } from 'node:net'
import { expect, test } from 'bun:test'
import { limits, stopServing } from './serve.ts'

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A client that keeps its connection, as the pool of a proxy does. */
class KeptConnection {
  readonly closed: Promise<void>
  readonly #socket: Socket
  #text = ''

  constructor(port: number) {
    this.#socket = connect(port, '127.0.0.1')
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text: string) => {
      this.#text += text
    })
    this.#socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => void this.#socket.once('close', () => resolve()))
  }

  destroy(): void {
    this.#socket.destroy()
  }

  async ask(): Promise<string> {
    this.#text = ''
    this.#socket.write(GET)
    while (!this.#text.endsWith('answer')) await new Promise((resolve) => this.#socket.once('data', resolve))
    return this.#text
  }
}

function startServer() {
  const options = {
    fetch: async () => new Response('answer'),
    error: () => new Response(null, { status: 500 }),
  }
  const server = Bun.serve({ port: 0, hostname: '127.0.0.1', ...limits, ...options })
  let announcements = 0
  const observed = {
    port: server.port,
    get pendingRequests() {
      return server.pendingRequests
    },
    get pendingWebSockets() {
      return server.pendingWebSockets
    },
    stop: (isForced?: boolean) => server.stop(isForced),
    reload(next: Parameters<typeof server.reload>[0]) {
      announcements++
      return server.reload(next)
    },
  }
  return {
    port: server.port ?? 0,
    stop: () => stopServing(observed as typeof server, options),
    announcements: () => announcements,
  }
}

test('a kept connection is answered after the stop has begun, and ends with that answer', async () => {
  const server = startServer()
  const [busy, idle] = [new KeptConnection(server.port), new KeptConnection(server.port)]
  for (const connection of [busy, idle])
    expect((await connection.ask()).toLowerCase()).not.toContain('connection: close')
  const stopped = server.stop()
  while (server.announcements() === 0) await Bun.sleep(1)
  const late = new KeptConnection(server.port)
  for (const connection of [busy, late]) {
    expect((await connection.ask()).toLowerCase()).toContain('connection: close')
    await connection.closed
  }
  expect(await stopped).toBeGreaterThan(0)
  await idle.closed
  await new KeptConnection(server.port).closed
})

test('a connection on which nothing is sent delays a stop by little more than the announcement', async () => {
  const server = startServer()
  const silent = new KeptConnection(server.port)
  // More than half of the time is left, where the stop would otherwise wait until its end.
  expect(await server.stop()).toBeGreaterThan(4_000)
  silent.destroy()
})

test('a stop announces nothing when no connection is kept', async () => {
  const server = startServer()
  expect(await server.stop()).toBeGreaterThan(0)
  expect(server.announcements()).toBe(0)
  await new KeptConnection(server.port).closed
})
