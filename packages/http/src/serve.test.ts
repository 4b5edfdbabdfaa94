import { type Socket, connect } from 'node:net'
import { afterEach, expect, test } from 'bun:test'
import { type Listener, listen } from './serve.ts'

const GET = 'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n'

/** A client that keeps its connection, as the pool of a proxy does. */
class KeptConnection {
  readonly closed: Promise<void>
  readonly #socket: Socket
  #text = ''

  constructor(port: string) {
    this.#socket = connect(Number(port), '127.0.0.1')
    this.#socket.setEncoding('utf8')
    this.#socket.on('data', (text: string) => {
      this.#text += text
    })
    this.#socket.on('error', () => undefined)
    this.closed = new Promise((resolve) => void this.#socket.once('close', () => resolve()))
  }

  get connected(): Promise<unknown> {
    return new Promise((resolve) => this.#socket.once('connect', resolve))
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

function start(respond: () => Promise<string> = async () => 'answer'): Listener<undefined> {
  return listen(
    { host: '127.0.0.1', port: 0 },
    {
      fetch: async () => new Response(await respond()),
      error: () => new Response(null, { status: 500 }),
    },
  )
}

const open: KeptConnection[] = []
afterEach(() => open.splice(0).forEach((connection) => connection.destroy()))

function connectTo({ url }: Listener<undefined>): KeptConnection {
  const connection = new KeptConnection(url.port)
  open.push(connection)
  return connection
}

async function stop(listener: Listener<undefined>): Promise<number> {
  await listener.stopAccepting()
  return listener.finish()
}

test('a kept connection is answered after the stop has begun, and ends with that answer', async () => {
  const listener = start()
  const [busy, idle] = [connectTo(listener), connectTo(listener)]
  for (const connection of [busy, idle])
    expect((await connection.ask()).toLowerCase()).not.toContain('connection: close')
  const stopped = stop(listener)
  for (const connection of [busy, connectTo(listener)]) {
    expect((await connection.ask()).toLowerCase()).toContain('connection: close')
    await connection.closed
  }
  expect(await stopped).toBeGreaterThan(0)
  await idle.closed
  await connectTo(listener).closed
})

test('a connection on which nothing is sent delays a stop by little more than the announcement', async () => {
  const listener = start()
  await connectTo(listener).connected
  // More than half of the time is left, where the stop would otherwise wait until its end.
  expect(await stop(listener)).toBeGreaterThan(4_000)
})

test('without a connection, a stop takes no time', async () => {
  const listener = start()
  // Less than the second of an announcement has passed.
  expect(await stop(listener)).toBeGreaterThan(8_900 - 900)
  await connectTo(listener).closed
})

test('a request that runs is answered before the server is closed', async () => {
  const release = Promise.withResolvers<string>()
  const started = Promise.withResolvers<void>()
  const listener = start(() => {
    started.resolve()
    return release.promise
  })
  const answer = connectTo(listener).ask()
  await started.promise
  await listener.stopAccepting()
  const finished = listener.finish()
  release.resolve('answer')
  expect(await answer).toEndWith('answer')
  expect(await finished).toBeGreaterThan(0)
})
