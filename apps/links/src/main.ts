import { type Log, createLog } from '@latchkey/http/log'
import { type Links, createLinks } from './app.ts'
import { builtPages } from './http/pages.ts'
import type { Settings } from './settings.ts'

/** How much of a stop is for requests that are under way, in milliseconds. */
const FINISH_WITHIN_MS = 5_000
/** Large bodies are refused by the routes themselves, with an answer in the right shape. */
const LARGEST_BODY_BYTES = 1024 ** 4
/** How long a connection may be silent, in seconds: longer than the slowest statement that anybody waits for. */
const IDLE_SECONDS = 30

export interface Running {
  url: string
  /** Stops accepting, finishes requests, commits and counts what is waiting. */
  stop(): Promise<void>
}

/** Starts the service as the settings say: migrated and listening when it returns. */
export async function startLinks(settings: Settings): Promise<Running> {
  const log = createLog()
  const links = await createLinks({ settings, log })
  const server = await listen(settings, links, log).catch(async (error: unknown) => {
    await links.close()
    throw error
  })
  log.info('listening', { service: 'links', url: server.url.href })
  // So that the first visitor does not wait; without it, the next one finds out what is wrong.
  builtPages().catch((error: unknown) => log.error('the admin pages could not be bundled', { error }))
  return {
    url: server.url.origin,
    async stop() {
      links.drain()
      // A client that never ends its request must not keep what others did from being stored.
      await Promise.race([server.stop(), Bun.sleep(FINISH_WITHIN_MS)])
      await Promise.race([server.stop(true), Bun.sleep(100)])
      await links.close()
      log.info('stopped', { service: 'links' })
    },
  }
}

async function listen(settings: Settings, links: Links, log: Log) {
  return Bun.serve({
    hostname: settings.host,
    port: settings.port,
    maxRequestBodySize: LARGEST_BODY_BYTES,
    idleTimeout: IDLE_SECONDS,
    fetch: links.fetch,
    error(error) {
      log.error('a request failed outside its handler', { error })
      return Response.json({ error: 'Internal Server Error' }, { status: 500 })
    },
  })
}
