import { freePort } from '@latchkey/http/free-port'
import { ALICE } from '../../apps/rooms/test/provider/hostile.ts'
import { openRooms } from '../../apps/rooms/test/rooms.ts'
import { builtPages } from '../../apps/rooms/src/http/pages.ts'
import type { SocketData } from '../../apps/rooms/src/realtime/gateway.ts'

const ROOMS = 10
const MESSAGES = 60

/** A service with ten rooms, one of which has 60 messages, and an administrator. */
export async function startFilledRooms() {
  const port = await freePort()
  const origin = `http://localhost:${port}`
  const test = await openRooms({
    settings: { allowedHosts: [origin] },
    limits: {
      http_per_minute: 100_000,
      http_anonymous_per_minute: 100_000,
      messages_per_10s: 1000,
      rooms_per_hour: 1000,
    },
  })
  // Browsers expire cookies by their own clock.
  test.clock.ms = Date.now()
  const { fetch, serve, websocket } = test.rooms
  const server = Bun.serve<SocketData>({ hostname: '127.0.0.1', port, fetch: serve ?? fetch, websocket })
  await builtPages()
  const alice = test.browser({ origin })
  await alice.signIn(ALICE)
  const ids: string[] = []
  for (let index = 0; index < ROOMS; index++) {
    const { room } = await alice.json<{ room: { id: string } }>(
      '/api/rooms',
      { body: { name: `Room ${index}` } },
      201,
    )
    ids.push(room.id)
  }
  for (let index = 0; index < MESSAGES; index++)
    await alice.json(`/api/rooms/${ids[0]}/messages`, { body: { content: `Message ${index}` } }, 201)
  const cookies = [...alice.cookies].map(([name, value]) => ({ name, value }))
  return {
    pages: [
      { name: '/login', address: `${origin}/login`, cookies: [] },
      ...['/', `/rooms/${ids[0]}`, '/account', '/admin'].map((path) => ({
        name: path.replace(/(?<=rooms\/).*/, '{id}'),
        address: origin + path,
        cookies,
      })),
    ],
    async stop() {
      await server.stop(true)
      await test.close()
    },
  }
}
