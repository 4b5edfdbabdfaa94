import { createLog } from '@latchkey/http/log'
import { limits, stopServing } from '@latchkey/http/serve'
import { type Rooms, createRooms } from './app.ts'
import type { SocketData } from './realtime/gateway.ts'
import { builtPages } from './http/pages.ts'
import type { Settings } from './settings/settings.ts'

export interface Running {
  url: string
  stop(): Promise<void>
}

/** Starts the service as the settings say: migrated and listening when it returns. */
export async function startRooms(settings: Settings, { demo = false } = {}): Promise<Running> {
  const log = createLog()
  const rooms = await createRooms({ settings, log, demo })
  const server = await listen(settings, rooms, log).catch(async (error: unknown) => {
    await rooms.close()
    throw error
  })
  rooms.jobs.start()
  rooms.hub.start()
  log.info('listening', { service: 'rooms', url: server.url.href })
  // So that the first visitor does not wait; without it, the next one finds out what is wrong.
  builtPages().catch((error: unknown) => log.error('the pages could not be bundled', { error }))
  return {
    url: server.url.origin,
    async stop() {
      rooms.drain()
      // All at once: nobody comes in any more, sockets never end by themselves, and each may wait for the database.
      await Promise.all([stopServing(server), rooms.hub.stop(), rooms.jobs.stop()])
      await rooms.close()
      log.info('stopped', { service: 'rooms' })
    },
  }
}

async function listen(settings: Settings, rooms: Rooms, log: ReturnType<typeof createLog>) {
  return Bun.serve<SocketData>({
    hostname: settings.host,
    port: settings.port,
    ...limits,
    fetch: rooms.serve,
    websocket: rooms.websocket,
    error(error) {
      log.error('a request failed outside its handler', { error })
      return Response.json({ error: 'Something went wrong on our side', code: 'internal' }, { status: 500 })
    },
  })
}
