import { type Database, openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { parseTrusted } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Policy } from './context.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/tables.ts'
import { Readiness } from './http/health.ts'
import { createHosts } from './http/hosts.ts'
import { type Metrics, createMetrics, exposeLiveSessions } from './http/metrics.ts'
import { createRates } from './http/rates.ts'
import { type Fetch, createRouter } from './http/router.ts'
import type { Services } from './http/services.ts'
import { identityJobs } from './jobs/identity.ts'
import { roomJobs } from './jobs/rooms.ts'
import { Scheduler } from './jobs/scheduler.ts'
import { createProvider } from './login/create-provider.ts'
import { openLookup } from './sessions/lookup.ts'
import { countLiveSessions } from './sessions/store.ts'
import type { Tell } from './news.ts'
import type { Settings } from './settings.ts'
import { settle } from './starting.ts'

export interface Rooms {
  fetch: Fetch
  database: Database<Tables>
  metrics: Metrics
  /** Runs by itself from `start` on, until everything is closed. */
  jobs: Scheduler
  /** Stop being ready, so that balancers look elsewhere; requests are still served. */
  drain(): void
  close(): Promise<void>
}

/** Whoever asks waits no longer than this for one statement, in milliseconds. */
const STATEMENT_LIMIT_MS = 8_000

export interface RoomsOptions {
  settings: Settings
  log: Log
  /** Milliseconds since 1970. */
  now?: () => number
  /** The provider is the demo of `latchkey start`. */
  demo?: boolean
  /** Hears what is told to all nodes. */
  tell?: Tell
}

/** Composes the service: migrates the database, then wires features to transports. Nothing listens yet. */
export async function createRooms({
  settings,
  log,
  now = Date.now,
  demo = false,
  tell = () => undefined,
}: RoomsOptions): Promise<Rooms> {
  const database = openDatabase<Tables>(settings.databaseUrl)
  await migrate(database, migrations)
  await settle(database, settings, log, now())
  const metrics = createMetrics()
  const provider = createProvider(settings.provider, { log, now, metrics })
  const limited = database.limited(STATEMENT_LIMIT_MS)
  const services: Services = {
    settings,
    policy: policyOf(settings, demo),
    database: limited,
    sessions: openLookup(settings.databaseUrl, limited),
    provider,
    rates: createRates(settings.limits, now),
    proxies: { header: settings.proxyHeader, trusted: parseTrusted(settings.trustedProxies) },
    hosts: createHosts(settings.allowedHosts),
    metrics,
    log,
    tell,
    now,
  }
  exposeLiveSessions(metrics.registry, () => countLiveSessions(services.database.read, now()))
  const jobs = new Scheduler([...identityJobs, ...roomJobs], {
    database,
    log,
    now,
    observe: (...run) => metrics.observeJob(...run),
    tell,
  })
  const readiness = new Readiness(services.database)
  return {
    fetch: createRouter(services, readiness),
    database,
    metrics,
    jobs,
    drain: () => readiness.drain(),
    async close() {
      await jobs.stop()
      services.sessions.close()
      await database.close()
    },
  }
}

function policyOf(settings: Settings, demo: boolean): Policy {
  const { provider } = settings
  return {
    label: provider.label,
    guestEnabled: settings.guestEnabled,
    guestRooms: settings.guestRooms,
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
