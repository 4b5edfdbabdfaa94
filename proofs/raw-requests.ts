import type { Socket } from 'node:net'
import type { Person } from '../bench/fanout/people.ts'

/** Asks for a WebSocket of this person, as their page does. */
export function openSocket(socket: Socket, { headers: { host, origin, cookie } }: Person): void {
  socket.write(
    `GET /api/ws HTTP/1.1\r\nHost: ${host}\r\nOrigin: ${origin}\r\nCookie: ${cookie}\r\nConnection: Upgrade\r\n` +
      'Upgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n' +
      'Sec-WebSocket-Protocol: latchkey.v1\r\n\r\n',
  )
}

/** The head of a request with a body of JSON. */
export function headOf(path: string, headers: Record<string, string>, body: string): string {
  const all = {
    ...headers,
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`)
  return `POST ${path} HTTP/1.1\r\n${lines.join('')}\r\n`
}
