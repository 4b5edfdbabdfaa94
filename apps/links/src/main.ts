import { ANSWER_HEADERS } from '@latchkey/http/answer-headers'
import { type Log, createLog } from '@latchkey/http/log'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { listen } from '@latchkey/http/serve'
import { type Links, createLinks } from './app.ts'
import { explainExposure, findExposure } from './access/exposure.ts'
import { builtPages } from './http/pages.ts'
import type { Settings } from './settings/settings.ts'

export interface Running {
  url: string
  /**
   * Stops accepting requests, finishes the running ones, then commits and counts pending clicks.
   */
  stop(): Promise<void>
}

/**
 * Starts the service with the given settings. When it returns, the database is migrated and the
 * service listens.
 */
export async function startLinks(settings: Settings): Promise<Running> {
  const log = createLog()
  const links = await createLinks({ settings, log })
  const listener = await open(links, settings, log)
  log.info('listening', { service: 'links', url: listener.url.href })
  // Bundled early to spare the first visitor the wait. If it fails, the next visit reports the
  // error.
  builtPages().catch((error: unknown) => log.error('pages: cannot be bundled', { error }))
  void warnOfExposure(settings, log)
  return {
    url: listener.url.origin,
    async stop() {
      links.drain()
      await listener.stopAccepting()
      await links.close(await listener.finish())
      log.info('stopped', { service: 'links' })
    },
  }
}

/**
 * A proxy that adds no headers makes every visitor look like this machine, which `loopback` admits.
 * The settings cannot show that, so the public address is requested once.
 */
async function warnOfExposure({ access, baseUrl }: Settings, log: Log): Promise<void> {
  if (access !== 'loopback' || baseUrl === null || isLoopbackHost(new URL(baseUrl).hostname)) return
  const exposure = await findExposure(baseUrl)
  if (typeof exposure === 'object')
    log.error(`admin side: reachable without authentication: ${explainExposure(baseUrl, exposure)}`)
}

async function open(links: Links, settings: Settings, log: Log) {
  try {
    return listen(settings, optionsOf(links, log))
  } catch (error) {
    await links.close()
    throw error
  }
}

function optionsOf(links: Links, log: Log) {
  return {
    fetch: links.fetch,
    error(error: Error) {
      log.error('request: failed outside its handler', { error })
      const headers = Object.fromEntries(ANSWER_HEADERS)
      return Response.json({ error: 'Internal Server Error' }, { status: 500, headers })
    },
  }
}
