// The usual implementation on Node: the package ws and a loop over all sockets.
import { createServer } from 'node:http'
import { WebSocketServer } from 'ws'

const server = createServer((request, response) => {
  if (request.method !== 'POST') {
    response.end('{}')
    return
  }
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const text = Buffer.concat(parts).toString()
    for (const socket of sockets.clients) socket.send(text)
    response.end('{}')
  })
})
const sockets = new WebSocketServer({ server, perMessageDeflate: false })
server.listen(Number(process.env.PORT), '127.0.0.1')
