import { once } from 'node:events'
import { type Socket, createServer } from 'node:net'

/**
 * A TCP server on loopback that sends arbitrary bytes after the first bytes of a request have
 * arrived.
 */
export async function rawServer(answer: (socket: Socket, request: string) => void) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // Half of these tests abort connections.
    socket.on('error', () => {}).on('close', () => sockets.delete(socket))
    socket.once('data', (bytes) => answer(socket, bytes.toString()))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const address = server.address()
  const port = typeof address === 'object' ? (address?.port ?? 0) : 0
  return {
    port,
    url: `http://127.0.0.1:${port}/`,
    connections: () => sockets.size,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
