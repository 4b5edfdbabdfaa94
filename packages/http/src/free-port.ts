/** The system gives ports from 32768 on to whoever does not ask for one. */
const [FIRST, AFTER_LAST] = [20_000, 32_000]

/**
 * A port of this machine on which nobody listens and which nobody is given meanwhile, for what has to be known before a
 * server starts, or comes back.
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
