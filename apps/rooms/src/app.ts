import type { WebSocketHandler } from 'bun'
import type { Database } from '@latchkey/database/database'
import { openMigrated } from '@latchkey/database/instance-lock'
import { DatabaseClock } from '@latchkey/database/database-clock'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/tables.ts'
import { openAccessKeys } from './access-layer/keys.ts'
import { createHub, openBus, openLiveKit } from './create-hub.ts'
import { type ServicesOptions, createServices } from './create-services.ts'
import { pushKeysOf } from './notifications/push/keys.ts'
import type { Pusher } from './notifications/push/pusher.ts'
import { Readiness } from './http/health.ts'
import type { Metrics } from './metrics.ts'
import { type Router, createRouter } from './router.ts'
import { createAccessJobs } from './jobs/access-layer.ts'
import { createFileJobs } from './jobs/files.ts'
import { identityJobs } from './jobs/identity.ts'
import type { Job } from './jobs/job.ts'
import { roomJobs } from './jobs/rooms.ts'
import { Scheduler } from './jobs/scheduler.ts'
import { searchJobs } from './jobs/search-index.ts'
import type { Bus } from './realtime/bus.ts'
import { type SocketData, createGateway } from './realtime/gateway.ts'
import type { Hub } from './realtime/hub.ts'
import { createSignalGate } from './signal-gate.ts'
import type { LocalServer } from './voice/livekit/local-server.ts'
import type { Services } from './services.ts'
import type { Publish } from './api/cluster-events.ts'
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
  /** Background jobs that wait for the storage of files. They run from `start` until `close`. */
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

export interface RoomsOptions extends Pick<ServicesOptions, 'settings' | 'log' | 'demo' | 'outbound'> {
  /** Milliseconds since 1970. By default the clock of the database. */
  now?: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow?: () => number
  /** Wall clock of this machine, in milliseconds since 1970. */
  machineNow?: () => number
  /** Carries events to other nodes. By default created from the settings. */
  bus?: Bus
  /** Receives the events that are published to all nodes. */
  onEvent?: Publish
}

/**
 * Composes the service: migrates the database and connects features to transports. Opens no port.
 */
export async function createRooms(options: RoomsOptions): Promise<Rooms> {
  const { settings, log } = options
  const database = await openMigrated<Tables>(settings.databaseUrl, migrations, log)
  const limited = database.withStatementTimeout(STATEMENT_LIMIT_MS)
  const clock = new DatabaseClock({ ...options, database: limited })
  await clock.measure()
  const { now = clock.now } = options
  await reconcileSettings(database, settings, log, now())
  const pushKeys = await database.write((tx) => pushKeysOf(tx, settings.provider.clientSecret, now()))
  const accessKeys = await openAccessKeys({ database: limited, config: settings.provider, now })
  const { localServer, livekit } = await openLiveKit(options, database, clock)
  const nodeId = crypto.randomUUID()
  const bus = options.bus ?? (await openBus({ settings, database, log, now }, nodeId))
  if (options.onEvent) bus.listen(options.onEvent)
  // A step of the clock would make limits seem exhausted and would close sockets.
  const { steadyNow = () => performance.now() } = options
  const parts = { database: limited, bus, pushKeys, livekit, accessKeys }
  const services = createServices({ ...options, ...parts, now, steadyNow })
  const { jobs, fileJobs } = createJobs(services, database)
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
    metrics: services.metrics,
    jobs,
    fileJobs,
    pusher: services.pusher,
    measureClock: () => clock.measure(),
    drain() {
      readiness.drain()
      services.revocations?.stop()
    },
    async close() {
      await Promise.all([jobs.stop(), fileJobs.stop()])
      await hub.stop()
      await localServer?.stop()
      await bus.close()
      services.sessions.close()
      services.images.close()
      services.pusher.stop()
      services.revocations?.stop()
      await database.close()
    },
  }
}

function createJobs(
  { settings, policy, storage, metrics, log, now, publish }: Services,
  database: Rooms['database'],
) {
  const jobDatabase = database.withStatementTimeout(JOB_STATEMENT_LIMIT_MS)
  const schedule = (list: readonly Job[]) =>
    new Scheduler(list, {
      database: jobDatabase,
      log,
      now,
      observe: (...run) => metrics.observeJob(...run),
      publish,
    })
  const { access } = policy
  const { clientSecret } = settings.provider
  const accessJobs = createAccessJobs({ dialect: database.dialect, access, clientSecret })
  return {
    jobs: schedule([...identityJobs, ...accessJobs, ...roomJobs]),
    fileJobs: schedule([...createFileJobs(jobDatabase, storage), ...searchJobs]),
  }
}
