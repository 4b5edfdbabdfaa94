import { ANSWER_HEADERS } from '@latchkey/http/answer-headers'
import { type Log, createLog } from '@latchkey/http/log'
import { limits, stopServing } from '@latchkey/http/serve'
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
  const options = optionsOf(rooms, log)
  const server = await listen(settings, options).catch(async (error: unknown) => {
    await rooms.close()
    throw error
  })
  rooms.jobs.start()
  rooms.fileJobs.start()
  const endSweep = sweepSpool(openStorage(settings.files).spoolFolder)
  rooms.hub.start()
  rooms.localServer?.start(`http://${loopbackOf(settings.host)}:${server.port}${WEBHOOK_PATH}`)
  log.info('listening', { service: 'rooms', url: server.url.href })
  // Bundled now to spare the first visitor the wait. If it fails, the next request reports the
  // error.
  builtPages().catch((error: unknown) => log.error('pages: cannot be bundled', { error }))
  return {
    url: server.url.origin,
    async stop() {
      rooms.drain()
      endSweep()
      // Concurrently: new requests are refused, sockets never end on their own, and each part may
      // wait for the database.
      await Promise.all([
        stopServing(server, options),
        rooms.hub.stop(),
        rooms.jobs.stop(),
        rooms.fileJobs.stop(),
      ])
      await rooms.close()
      log.info('stopped', { service: 'rooms' })
    },
  }
}

/** Host name at which a program on this machine reaches the service. */
function loopbackOf(host: string): string {
  if (host === '0.0.0.0' || host === '::') return '127.0.0.1'
  return host.includes(':') ? `[${host}]` : host
}

async function listen({ host, port }: Settings, options: ReturnType<typeof optionsOf>) {
  return Bun.serve<SocketData>({ hostname: host, port, ...limits, ...options })
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
