import { freePort } from '@latchkey/http/free-port'
import { ALICE } from '../../apps/rooms/test/provider/hostile.ts'
import { openRooms } from '../../apps/rooms/test/rooms.ts'
import { builtPages } from '../../apps/rooms/src/http/pages.ts'
import type { SocketData } from '../../apps/rooms/src/realtime/gateway.ts'

const AT_ONCE = 20
const TEXTS = [
  'Yes.',
  'Could you look at the **second** page again? I think that the [numbers](https://example.com/numbers) are old.',
  'It works for me:\n\n```ts\nconst total = rows.reduce((sum, { count }) => sum + count, 0)\n```\n',
  '> the numbers are old\n\nThey are from last week, and `total` is wrong.\n\n- first\n- second\n- third',
  'A longer message that takes more than one line on the page, as people write them who explain something: what was decided, why, and what happens next, with enough words to wrap twice.',
]

/** A service with one room with so many messages of two people. */
export async function startFilledRoom(count: number) {
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
  const { room } = await alice.json<{ room: { id: string } }>('/api/rooms', { body: { name: 'Office' } }, 201)
  for (let index = 0; index < count; index += AT_ONCE)
    await Promise.all(
      Array.from({ length: AT_ONCE }, (_, each) => {
        const content = `${index + each}: ${TEXTS[each % TEXTS.length]}`
        return alice.json(`/api/rooms/${room.id}/messages`, { body: { content } }, 201)
      }),
    )
  return {
    address: `${origin}/rooms/${room.id}`,
    cookies: [...alice.cookies].map(([name, value]) => ({ name, value, url: origin })),
    async stop() {
      await server.stop(true)
      await test.close()
    },
  }
}
