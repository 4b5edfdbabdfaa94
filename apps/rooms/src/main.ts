import { ANSWER_HEADERS } from '@latchkey/http/answer-headers'
import { type Log, createLog } from '@latchkey/http/log'
import { listen } from '@latchkey/http/serve'
import { type Rooms, createRooms } from './app.ts'
import type { SocketData } from './realtime/gateway.ts'
import { sweepSpool } from './files/spool.ts'
import { openStorage } from './files/storage/open.ts'
import { builtPages } from './http/pages.ts'
import { WEBHOOK_PATH } from './livekit-webhook.ts'
import type { Settings } from './settings/settings.ts'

export interface Running {
  url: string
  stop(): Promise<void>
}

/**
 * Starts the service with these settings. When it returns, the database is migrated and the port is
 * open.
 */
export async function startRooms(settings: Settings, { demo = false } = {}): Promise<Running> {
  const log = createLog()
  const rooms = await createRooms({ settings, log, demo })
  const listener = await open(rooms, settings, log)
  rooms.jobs.start()
  rooms.fileJobs.start()
  const endSweep = sweepSpool(openStorage(settings.files).spoolFolder)
  rooms.hub.start()
  rooms.localServer?.start(onLoopback(new URL(WEBHOOK_PATH, listener.url)))
  log.info('listening', { service: 'rooms', url: listener.url.href })
  // Bundled now to spare the first visitor the wait. If it fails, the next request reports the
  // error.
  builtPages().catch((error: unknown) => log.error('pages: cannot be bundled', { error }))
  return {
    url: listener.url.origin,
    async stop() {
      rooms.drain()
      endSweep()
      const jobsStopped = Promise.all([rooms.jobs.stop(), rooms.fileJobs.stop()])
      // Clients whose sockets end now come back to the next process, or to another node.
      await listener.stopAccepting()
      // Concurrently: sockets never end on their own, and each part may wait for the database.
      await Promise.all([listener.finish(), rooms.hub.stop(), jobsStopped])
      await rooms.close()
      log.info('stopped', { service: 'rooms' })
    },
  }
}

/** The URL by which a program on this machine reaches the service. */
function onLoopback(url: URL): string {
  if (url.hostname === '0.0.0.0' || url.hostname === '[::]') url.hostname = '127.0.0.1'
  return url.href
}

async function open(rooms: Rooms, settings: Settings, log: Log) {
  try {
    return listen<SocketData>(settings, optionsOf(rooms, log))
  } catch (error) {
    await rooms.close()
    throw error
  }
}

function optionsOf(rooms: Rooms, log: Log) {
  return {
    fetch: rooms.serve,
    websocket: rooms.websocket,
    error(error: Error) {
      log.error('request: failed outside its handler', { error })
      const headers = Object.fromEntries(ANSWER_HEADERS)
      return Response.json(
        { error: 'Something went wrong on our side', code: 'internal' },
        { status: 500, headers },
      )
    },
  }
}
