/** The system assigns ports from 32768 on to sockets that do not ask for one. */
const [FIRST, AFTER_LAST] = [20_000, 32_000]

/**
 * Returns a port on which no process listens and which the system assigns to no other meanwhile.
 * For callers that need the port before a server starts or restarts.
 */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = FIRST + Math.floor(Math.random() * (AFTER_LAST - FIRST))
    try {
      await Bun.serve({ port, hostname: '127.0.0.1', fetch: () => new Response() }).stop(true)
      return port
    } catch (error) {
      if ((error as { code?: unknown }).code !== 'EADDRINUSE') throw error
    }
  }
}
