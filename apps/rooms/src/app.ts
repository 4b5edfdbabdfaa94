import type { WebSocketHandler } from 'bun'
import type { Database } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { openExclusively } from '@latchkey/database/instance-lock'
import { parseTrusted } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Policy } from './api/services.ts'
import { DatabaseClock } from '@latchkey/database/database-clock'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/tables.ts'
import { ImageQueue } from './files/images/image-queue.ts'
import { UploadSlots } from './files/upload-slots.ts'
import { openStorage } from './files/storage/open.ts'
import { Delivery, type DeliveryOptions } from './notifications/push/delivery.ts'
import { type PushKeys, pushKeysOf } from './notifications/push/keys.ts'
import type { OutboundOptions } from './notifications/push/outbound.ts'
import { composeNotification } from './notifications/push/notification.ts'
import { Pusher } from './notifications/push/pusher.ts'
import { deleteGone } from './notifications/push/store.ts'
import { Readiness } from './http/health.ts'
import { createHosts } from './http/hosts.ts'
import {
  type Metrics,
  createMetrics,
  exposeCalls,
  exposeClock,
  exposeLiveKit,
  exposeLiveSessions,
  exposeSockets,
} from './metrics.ts'
import { createRates } from './api/rates.ts'
import { type Router, createRouter } from './router.ts'
import type { Services } from './services.ts'
import { createFileJobs } from './jobs/files.ts'
import { identityJobs } from './jobs/identity.ts'
import type { Job } from './jobs/job.ts'
import { roomJobs } from './jobs/rooms.ts'
import { Scheduler } from './jobs/scheduler.ts'
import { searchJobs } from './jobs/search-index.ts'
import { createProvider } from './login/create-provider.ts'
import { instanceIdOf } from './platform/store.ts'
import { type Bus, createLocalBus } from './realtime/bus.ts'
import { type SocketData, createGateway } from './realtime/gateway.ts'
import { Hub } from './realtime/hub.ts'
import { createSignalGate } from './signal-gate.ts'
import { LiveKit } from './voice/livekit/livekit.ts'
import { LocalServer } from './voice/livekit/local-server.ts'
import { openLookup } from './sessions/lookup.ts'
import { SlideQueue } from './sessions/slide-queue.ts'
import { countLiveSessions } from './sessions/store.ts'
import type { Publish } from './api/cluster-events.ts'
import type { Settings } from './settings/settings.ts'
import { reconcileSettings } from './startup.ts'

export interface Rooms {
  /** Serves everything except WebSockets, which `serve` also accepts. */
  fetch: Router['fetch']
  serve: Router['serve']
  database: Database<Tables>
  metrics: Metrics
  pusher: Pusher
  /** Background jobs. They run from `start` until `close`. */
  jobs: Scheduler
  /** The same for those that wait for the storage of files. */
  fileJobs: Scheduler
  hub: Hub
  /** LiveKit as a child process, to be started when the port is open. Null without it. */
  localServer: LocalServer | null
  /** WebSocket handlers for the server of `serve`. */
  websocket: WebSocketHandler<SocketData>
  /** Compares the clock of this machine with that of the database, as each heartbeat does. */
  measureClock(): Promise<void>
  /** Makes the node unready, which removes it from load balancers. It still serves requests. */
  drain(): void
  close(): Promise<void>
}

/** Time limit of a statement of a request, in milliseconds. */
const STATEMENT_LIMIT_MS = 8_000
/** Time limit of a statement of a job, in milliseconds. All other jobs wait meanwhile. */
const JOB_STATEMENT_LIMIT_MS = 60_000

export interface RoomsOptions {
  settings: Settings
  log: Log
  /** Milliseconds since 1970. By default the clock of the database. */
  now?: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow?: () => number
  /** Wall clock of this machine, in milliseconds since 1970. */
  machineNow?: () => number
  /** The identity provider is the demo of `latchkey start`. */
  demo?: boolean
  /** Carries events to other nodes. By default created from the settings. */
  bus?: Bus
  /** How push services are reached. */
  outbound?: OutboundOptions & Pick<DeliveryOptions, 'retryAfterMs'>
  /** Receives the events that are published to all nodes. */
  onEvent?: Publish
}

/**
 * Composes the service: migrates the database and connects features to transports. Opens no port.
 */
export async function createRooms(options: RoomsOptions): Promise<Rooms> {
  const { settings, log } = options
  const database = await openExclusively<Tables>(settings.databaseUrl, log)
  await migrate(database, migrations)
  const limited = database.withStatementTimeout(STATEMENT_LIMIT_MS)
  const clock = new DatabaseClock({ ...options, database: limited })
  await clock.measure()
  const { now = clock.now } = options
  await reconcileSettings(database, settings, log, now())
  const { clientSecret } = settings.provider
  const pushKeys = await database.write((tx) => pushKeysOf(tx, clientSecret, now()))
  const { localServer, livekit } = await openLiveKit(options, database, clock)
  const nodeId = crypto.randomUUID()
  const bus = options.bus ?? (await openBus({ settings, database, log, now }, nodeId))
  if (options.onEvent) bus.listen(options.onEvent)
  // A step of the clock would make limits seem exhausted and would close sockets.
  const { steadyNow = () => performance.now() } = options
  const services = createServices({ ...options, now, steadyNow, database: limited, bus, pushKeys, livekit })
  const { metrics } = services
  const jobDatabase = database.withStatementTimeout(JOB_STATEMENT_LIMIT_MS)
  const schedule = (list: readonly Job[]) =>
    new Scheduler(list, {
      database: jobDatabase,
      log,
      now,
      observe: (...run) => metrics.observeJob(...run),
      publish: bus.publish,
    })
  const jobs = schedule([...identityJobs, ...roomJobs])
  const fileJobs = schedule([...createFileJobs(jobDatabase, services.storage), ...searchJobs])
  const hub = createHub({ services, bus, nodeId, clock })
  const gateway = createGateway(services, hub)
  const readiness = new Readiness({ database: limited, bus: bus.state, clock })
  return {
    ...createRouter(services, readiness, {
      ...gateway,
      signalGate: createSignalGate(services, hub),
      media: hub.calls.media,
    }),
    websocket: gateway.websocket,
    hub,
    localServer,
    database,
    metrics,
    jobs,
    fileJobs,
    pusher: services.pusher,
    measureClock: () => clock.measure(),
    drain: () => readiness.drain(),
    async close() {
      await Promise.all([jobs.stop(), fileJobs.stop()])
      await hub.stop()
      await localServer?.stop()
      await bus.close()
      services.sessions.close()
      services.images.close()
      services.pusher.stop()
      await database.close()
    },
  }
}

interface HubWiring {
  services: Services
  bus: Bus
  nodeId: string
  clock: DatabaseClock
}

/** Creates the hub and exposes its numbers. */
function createHub({ services, bus, nodeId, clock }: HubWiring): Hub {
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

interface Wiring extends RoomsOptions {
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
  database: Database<Tables>
  bus: Bus
  pushKeys: PushKeys
  livekit: LiveKit | null
}

function createServices(wiring: Wiring): Services {
  const { settings, log, now, steadyNow, demo = false, database, bus, livekit } = wiring
  const metrics = createMetrics()
  const rates = createRates(settings.limits, steadyNow, (limit, key) =>
    bus.publishRemote({ kind: 'rate_limit', limit, key }),
  )
  bus.listen((event) => event.kind === 'rate_limit' && rates.applyRemote(event.limit, event.key))
  return {
    settings,
    policy: policyOf(settings, demo),
    database,
    storage: openStorage(settings.files),
    images: new ImageQueue(log),
    uploads: new UploadSlots(),
    pusher: createPusher(wiring, metrics),
    livekit,
    sessions: openLookup(settings.databaseUrl, database),
    slideQueue: new SlideQueue(database),
    provider: createProvider(settings.provider, { log, now, metrics }),
    rates,
    proxies: { header: settings.proxyHeader, trusted: parseTrusted(settings.trustedProxies) },
    hosts: createHosts(settings.allowedHosts),
    metrics,
    log,
    publish: bus.publish,
    now,
    steadyNow,
  }
}

function createPusher(
  { settings, database, log, now, pushKeys: keys, outbound }: Wiring,
  metrics: Metrics,
): Pusher {
  const delivery = new Delivery({
    ...outbound,
    keys,
    // Push services accept https only.
    contact: settings.allowedHosts[0].replace(/^http:/, 'https:'),
    log,
    count: (outcome) => metrics.countPush(outcome),
    compose: (push) => composeNotification(database, push, { content: settings.pushContent, nowMs: now() }),
    onGone: (id) => database.write((tx) => deleteGone(tx, id)),
  })
  return new Pusher({
    database,
    delivery,
    publicKey: keys.publicKey,
    log,
    now,
  })
}

async function openBus(
  { settings: { busUrl }, database, log, now }: Omit<Wiring, 'bus' | 'steadyNow' | 'pushKeys' | 'livekit'>,
  nodeId: string,
): Promise<Bus> {
  if (busUrl === null) return createLocalBus(log)
  const instanceId = await database.write((tx) => instanceIdOf(tx, now()))
  // Loaded only if there is a bus: the Redis client would take a third of the time of every start.
  const { createRedisBus } = await import('./realtime/bus-redis.ts')
  return createRedisBus(busUrl, { instanceId, nodeId }, log)
}

/** LiveKit, which may have rooms of several instances, and its child process if it is one. */
async function openLiveKit(
  { settings: { voice }, log, now }: RoomsOptions,
  database: Database<Tables>,
  clock: DatabaseClock,
): Promise<Pick<Rooms, 'localServer'> & Pick<Services, 'livekit'>> {
  const localServer = voice.localServer && (await LocalServer.create(voice.localServer, log))
  const settings = voice.livekit ?? localServer?.settings
  if (!settings) return { localServer, livekit: null }
  const instanceId = await database.write((tx) => instanceIdOf(tx, clock.now()))
  // A child process has the clock of this machine.
  const livekitNow = now ?? (localServer ? clock.machineNow : clock.now)
  return { localServer, livekit: new LiveKit(settings, instanceId, livekitNow) }
}

function policyOf(settings: Settings, demo: boolean): Policy {
  const { provider } = settings
  return {
    label: provider.label,
    guestEnabled: settings.guestEnabled,
    guestRooms: settings.guestRooms,
    guestFiles: settings.guestFiles,
    voice: settings.voice,
    adminBootstrap: settings.adminBootstrap,
    adminReauthMs: settings.adminReauthSeconds * 1000,
    backchannelLogout: provider.mode !== 'oauth2' && provider.backchannelLogout,
    sessions: {
      idleMs: settings.sessionIdleSeconds * 1000,
      absoluteMs: settings.sessionAbsoluteSeconds * 1000,
    },
    transactionMs: settings.transactionSeconds * 1000,
    canonicalOrigin: settings.allowedHosts[0],
    limits: settings.limits,
    demo,
  }
}
