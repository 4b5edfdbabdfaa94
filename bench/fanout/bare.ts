// The lower bound for this runtime: publish and subscribe of Bun.serve itself, without storage or
// authentication.
const server = Bun.serve({
  hostname: '127.0.0.1',
  port: Number(process.env['PORT']),
  async fetch(request, self) {
    if (request.method === 'POST') {
      server.publish('room', await request.text())
      return new Response('{}')
    }
    return self.upgrade(request) ? undefined : new Response('{}')
  },
  websocket: { open: (socket) => void socket.subscribe('room'), message() {} },
})
