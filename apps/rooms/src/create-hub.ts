import type { Database } from '@latchkey/database/database'
import type { DatabaseClock } from '@latchkey/database/database-clock'
import type { Tables } from './db/tables.ts'
import { exposeCalls, exposeClock, exposeLiveKit, exposeLiveSessions, exposeSockets } from './metrics.ts'
import { instanceIdOf } from './platform/store.ts'
import { type Bus, createLocalBus } from './realtime/bus.ts'
import { Hub } from './realtime/hub.ts'
import type { Services } from './services.ts'
import { countLiveSessions } from './sessions/store.ts'
import { LiveKit } from './voice/livekit/livekit.ts'
import { LocalServer } from './voice/livekit/local-server.ts'

export async function openBus(
  { settings: { busUrl }, database, log, now }: Pick<Services, 'settings' | 'database' | 'log' | 'now'>,
  nodeId: string,
): Promise<Bus> {
  if (busUrl === null) return createLocalBus(log)
  const instanceId = await database.write((tx) => instanceIdOf(tx, now()))
  // Loaded only if there is a bus: the Redis client would take a third of the time of every start.
  const { createRedisBus } = await import('./realtime/bus-redis.ts')
  return createRedisBus(busUrl, { instanceId, nodeId }, log)
}

/** LiveKit, which may have rooms of several instances, and its child process if it is one. */
export async function openLiveKit(
  { settings: { voice }, log, now }: Pick<Services, 'settings' | 'log'> & Partial<Pick<Services, 'now'>>,
  database: Database<Tables>,
  clock: DatabaseClock,
): Promise<{ localServer: LocalServer | null; livekit: LiveKit | null }> {
  const localServer = voice.localServer && (await LocalServer.create(voice.localServer, log))
  const settings = voice.livekit ?? localServer?.settings
  if (!settings) return { localServer, livekit: null }
  const instanceId = await database.write((tx) => instanceIdOf(tx, clock.now()))
  // A child process has the clock of this machine.
  const livekitNow = now ?? (localServer ? clock.machineNow : clock.now)
  return { localServer, livekit: new LiveKit(settings, instanceId, livekitNow) }
}

interface HubWiring {
  services: Services
  bus: Bus
  nodeId: string
  clock: DatabaseClock
}

/** Creates the hub and exposes its numbers. */
export function createHub({ services, bus, nodeId, clock }: HubWiring): Hub {
  const { settings, metrics, database, log, now, steadyNow, livekit } = services
  const hub = new Hub({
    database,
    log,
    now,
    steadyNow,
    measureClock: () => clock.measure(),
    bus,
    nodeId,
    limits: settings.limits,
    voice: settings.voice,
    livekit,
    countDeliveries: (count) => metrics.countDeliveries(count),
    countRemoval: (reason) => metrics.countLiveKitRemoval(reason),
  })
  exposeLiveSessions(metrics.registry, log, () => countLiveSessions(database.read, now()))
  exposeClock(metrics.registry, () => clock.machineAheadMs)
  exposeSockets(metrics.registry, () => hub.registry.size)
  exposeCalls(metrics.registry, () => hub.calls.size)
  const { media } = hub.calls
  if (media) exposeLiveKit(metrics.registry, () => media.isReachable)
  return hub
}
