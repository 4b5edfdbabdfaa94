import { createLog } from '@latchkey/http/log'
import { SettingsError } from '@latchkey/settings/settings'
import { createLinks } from './app.ts'
import { type Settings, readSettings, settingsWarnings } from './settings.ts'

/** How long a stop may take, in milliseconds, before the process ends with work undone (L20.2). */
const STOP_WITHIN_MS = 9_500
/** Large bodies are refused by the routes themselves, with an answer in the right shape. */
const LARGEST_BODY_BYTES = 1024 ** 4

export interface Running {
  url: string
  /** Stops accepting, finishes requests, commits and counts what is waiting. */
  stop(): Promise<void>
}

/** Starts the service as the settings say: migrated and listening when it returns. */
export async function startLinks(settings: Settings): Promise<Running> {
  const log = createLog()
  const links = await createLinks({ settings, log })
  const server = Bun.serve({
    hostname: settings.host,
    port: settings.port,
    maxRequestBodySize: LARGEST_BODY_BYTES,
    fetch: links.fetch,
    error(error) {
      log.error('a request failed outside its handler', { error })
      return Response.json({ error: 'Internal Server Error' }, { status: 500 })
    },
  })
  log.info('listening', { service: 'links', url: server.url.href })
  return {
    url: server.url.origin,
    async stop() {
      links.drain()
      await server.stop()
      await links.close()
      log.info('stopped', { service: 'links' })
    },
  }
}

/** Runs until SIGTERM or SIGINT, then stops in order and exits 0; a second signal or too long a stop exits 1. */
export function stopOnSignals(stop: () => Promise<void>): void {
  let stopping = false
  const onSignal = async () => {
    if (stopping) process.exit(1)
    stopping = true
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref()
    await stop()
    process.exit(0)
  }
  process.on('SIGTERM', () => void onSignal())
  process.on('SIGINT', () => void onSignal())
}

/** Settings from the environment, or the end of the process with every problem on stderr. */
export function settingsOrExit(): Settings {
  for (const warning of settingsWarnings(process.env)) process.stderr.write(`${warning}\n`)
  try {
    return readSettings(process.env)
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error
    process.stderr.write(`${error.message}\n`)
    return process.exit(1)
  }
}
