import { freePort } from '@latchkey/http/free-port'
import { ALICE } from '../../apps/rooms/test/provider/hostile.ts'
import { openRooms } from '../../apps/rooms/test/rooms.ts'
import { builtPages } from '../../apps/rooms/src/http/pages.ts'
import type { SocketData } from '../../apps/rooms/src/realtime/gateway.ts'

const AT_ONCE = 20

/** A service with rooms that hold messages of one person. */
export async function startRooms() {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const test = await openRooms({
    settings: { allowedHosts: [origin] },
    limits: { http_per_minute: 1_000_000, http_anonymous_per_minute: 1_000_000, messages_per_10s: 100_000 },
  })
  // Browsers expire cookies by their own clock.
  test.clock.ms = Date.now()
  const { fetch, serve, websocket } = test.rooms
  const server = Bun.serve<SocketData>({ hostname: '127.0.0.1', port, fetch: serve ?? fetch, websocket })
  await builtPages()
  const alice = test.browser({ origin })
  await alice.signIn(ALICE)
  return {
    cookies: [...alice.cookies].map(([name, value]) => ({ name, value, url: origin })),
    /** Creates a room with so many messages, and returns its address. */
    async addRoom(count: number, textOf: (index: number) => string): Promise<string> {
      const { room } = await alice.json<{ room: { id: string } }>(
        '/api/rooms',
        { body: { name: 'Office' } },
        201,
      )
      for (let index = 0; index < count; index += AT_ONCE)
        await Promise.all(
          Array.from({ length: Math.min(AT_ONCE, count - index) }, (_, each) =>
            alice.json(`/api/rooms/${room.id}/messages`, { body: { content: textOf(index + each) } }, 201),
          ),
        )
      return `${origin}/rooms/${room.id}`
    },
    async stop() {
      await server.stop(true)
      await test.close()
    },
  }
}
