import { type AddressInfo, type Socket, connect, createServer } from 'node:net'

/** A proxy in front of a service on this machine, as a network that can be cut. */
export interface NetworkProxy {
  /** Port of the origin that pages use in the place of the service's own. */
  port: number
  /** Holds back all data, without a word to either end. */
  cut: () => void
  /** What was on its way arrives now, as after the loss of a network. */
  restore: () => void
  close: () => void
}

/**
 * Opens a proxy to the service on port `target`, which gets its own origin. `change` changes what
 * the service answers.
 */
export async function networkProxy(
  target: number,
  change: (text: string) => string = (text) => text,
): Promise<NetworkProxy> {
  const sockets = new Set<Socket>()
  let isCut = false
  let port = 0
  const server = createServer((page) => {
    const service = connect(target, '127.0.0.1')
    forward(page, service, (text) => text.replaceAll(`localhost:${port}`, `localhost:${target}`))
    forward(service, page, change)
    for (const socket of [page, service]) {
      sockets.add(socket)
      socket.once('close', () => sockets.delete(socket))
      if (isCut) socket.pause()
    }
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  ;({ port } = server.address() as AddressInfo)
  return {
    port,
    cut() {
      isCut = true
      for (const socket of sockets) socket.pause()
    },
    restore() {
      isCut = false
      for (const socket of sockets) socket.resume()
    },
    close() {
      server.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

function forward(from: Socket, to: Socket, change: (text: string) => string): void {
  from.on('data', (bytes) => to.write(Buffer.from(change(bytes.toString('latin1')), 'latin1')))
  from.on('error', () => to.destroy())
  from.once('close', () => to.destroy())
}
