import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net'

/** A TCP relay in front of a server. A test can cut it, close it and hold back its answers. */
export class Relay {
  /** Number of connection attempts, successful or not. */
  connections = 0
  readonly #server: Server
  readonly #pairs: { client: Socket; server: Socket }[] = []
  #open = true
  #isSilent = false
  #silencing: { after: string; done: () => void } | undefined

  private constructor(target: { host: string; port: number }) {
    this.#server = createServer((client) => {
      this.connections++
      if (!this.#open) {
        client.destroy()
        return
      }
      if (this.#isSilent) return
      const server = connect(target)
      this.#pairs.push({ client, server })
      client.on('data', (message: Buffer) => this.#watch(message, client, server))
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.pipe(to)
        from.on('error', () => this.#hangUp(to))
        from.on('close', () => this.#hangUp(to))
      }
    })
  }

  #hangUp(peer: Socket): void {
    if (!this.#isSilent) peer.destroy()
  }

  /** Starts a relay in front of the server that `url` names. */
  static async before(url: string): Promise<Relay> {
    const { hostname, port } = new URL(url)
    const relay = new Relay({ host: hostname, port: Number(port) })
    await new Promise<void>((resolve) => relay.#server.listen(0, '127.0.0.1', resolve))
    return relay
  }

  /** The URL of the same database through this relay. */
  through(url: string): string {
    const relayed = new URL(url)
    relayed.port = String((this.#server.address() as AddressInfo).port)
    relayed.hostname = '127.0.0.1'
    return relayed.href
  }

  /** Ends every connection and refuses new ones, as when the server has failed. */
  cut(): void {
    this.#open = false
    this.#isSilent = false
    for (const { client, server } of this.#pairs.splice(0)) {
      client.destroy()
      server.destroy()
    }
  }

  restore(): void {
    this.#open = true
  }

  /** Holds back the server's answers on all current connections except the first `spared`. */
  holdAnswers(spared: number): void {
    for (const { server } of this.#pairs.slice(spared)) server.pause()
  }

  /**
   * Resolves when the server has answered the next message with this text. From then on no data
   * passes on any connection, and the server does not learn that a client has failed, as when
   * its machine or the network between them fails.
   */
  silenceAfter(text: string): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#silencing = { after: text, done: resolve }
    return promise
  }

  #watch(message: Buffer, client: Socket, server: Socket): void {
    if (!this.#silencing || !message.includes(this.#silencing.after)) return
    const { done } = this.#silencing
    this.#silencing = undefined
    server.unpipe(client)
    server.once('data', () => {
      this.#isSilent = true
      this.swallow(this.#pairs.length)
      done()
    })
    server.resume()
  }

  /** From now on no data passes on the first `count` connections, and neither side notices. */
  swallow(count: number): void {
    for (const { client, server } of this.#pairs.slice(0, count))
      for (const [from, to] of [
        [client, server],
        [server, client],
      ] as const) {
        from.unpipe(to)
        from.resume()
      }
  }

  /**
   * Delivers the next message with this text to the server, then closes the connection before the
   * answer returns.
   */
  loseAnswerTo(text: string): void {
    let isLost = false
    for (const { client, server } of this.#pairs)
      client.on('data', (message: Buffer) => {
        if (isLost || !message.includes(text)) return
        isLost = true
        server.unpipe(client)
        server.once('data', () => client.destroy())
        server.resume()
      })
  }

  releaseAnswers(): void {
    for (const { server } of this.#pairs) server.resume()
  }

  close(): void {
    this.cut()
    this.#server.close()
  }
}
