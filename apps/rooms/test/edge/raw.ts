import { connect } from 'node:net'
import type { TestRooms } from '../rooms.ts'

export interface RawResponse {
  status: number
  headers: Headers
  body: string
}

/**
 * Sends these bytes over a new socket and reads until the server closes. The status is -1 if the
 * server closes without a response.
 */
export function sendRaw(port: number, text: string): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    let received = ''
    const socket = connect(port, '127.0.0.1', () => socket.write(Buffer.from(text, 'latin1')))
    socket.setTimeout(20_000, () => reject(new Error(`No end of the answer: ${received.slice(0, 200)}`)))
    socket.on('data', (bytes) => {
      received += bytes.toString('latin1')
    })
    // A server that refuses the request may reset the connection while bytes are still being sent.
    socket.on('error', () => undefined)
    socket.on('close', () => {
      socket.destroy()
      const [head = '', ...body] = received.split('\r\n\r\n')
      const lines = head.split('\r\n')
      const headers = new Headers(
        lines.slice(1).map((line): [string, string] => {
          const colon = line.indexOf(':')
          return [line.slice(0, colon), line.slice(colon + 1).trim()]
        }),
      )
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(lines[0] ?? '')?.[1] ?? -1)
      resolve({ status, headers, body: body.join('\r\n\r\n') })
    })
  })
}

/** Serves on a local port. Call `stop` before the service is closed. */
export function listen(test: TestRooms): { port: number; stop: () => Promise<void> } {
  const server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: test.rooms.fetch })
  return { port: server.port ?? 0, stop: () => server.stop(true) }
}
