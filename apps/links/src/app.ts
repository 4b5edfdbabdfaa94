import { openMigrated } from '@latchkey/database/instance-lock'
import { withTimeout } from '@latchkey/database/with-timeout'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/tables.ts'
import { VisitorSalts } from './counting/visitor-salts.ts'
import { Sites } from './domains/sites.ts'
import { startRetention } from './retention.ts'
import { startExpiry } from './events/expiry.ts'
import { createAdmin } from './http/admin.ts'
import { Readiness } from './http/health.ts'
import { createMetrics, exposeClicks } from './http/metrics.ts'
import { exposeStorage } from './http/storage-metrics.ts'
import { createPublicApi } from './http/public-api.ts'
import { createReference } from './http/reference.ts'
import { type Fetch, createRouter } from './router.ts'
import { createPrivacyPages } from './http/privacy/handler.ts'
import { createSharedStatsPages } from './http/shared-stats/handler.ts'
import { createMcp } from './mcp/endpoint.ts'
import { findOrCreateInstanceSecret } from './preferences/instance-secret.ts'
import { createRedirect, createVisitOptions } from './create-redirect.ts'
import { saveKnownSettings } from './settings/known.ts'
import { openWebhooks } from './webhooks/open.ts'
import type { PostOptions } from './webhooks/post.ts'
import { type ServicesOptions, createServices } from './create-services.ts'
import { openAccess, openClock, openJournal, openLookup, openOutbound } from './startup.ts'

export interface Links {
  fetch: Fetch
  /**
   * Makes the node unready, which ends the traffic of load balancers. Requests are still served.
   */
  drain(): void
  /**
   * Call this after the last request. Commits and counts pending clicks, then closes everything,
   * within this many milliseconds.
   */
  close(timeoutMs?: number): Promise<void>
}

/**
 * Shorter than the time in which a stop lets requests finish: pending requests then still get a
 * 503.
 */
const STATEMENT_LIMIT_MS = 8_000

/**
 * Longest time that an unresponsive database may keep connections open, even if the last request
 * ended early.
 */
const CLOSE_TIMEOUT_MS = 4_000

export interface LinksOptions extends Pick<ServicesOptions, 'settings' | 'log' | 'flushTimeoutMs'> {
  /** Milliseconds since 1970. By default the clock of the database. */
  now?: (() => number) | undefined
  /** Wall clock of this machine, in milliseconds since 1970. */
  machineNow?: () => number
  /** Timeout of one statement for API requests, in milliseconds. */
  statementLimitMs?: number | undefined
  /** Overrides of webhook delivery; tests deliver to this machine. */
  webhookPost?: Omit<PostOptions, 'allowed'> | undefined
}

/**
 * Composes the service: migrates the database, then connects features to transports. It does not
 * listen yet.
 */
export async function createLinks(options: LinksOptions): Promise<Links> {
  const { settings, log } = options
  const database = await openMigrated<Tables>(settings.databaseUrl, migrations, log)
  const { stopClock, ...clocks } = await openClock(options, database)
  const { now } = clocks
  await saveKnownSettings(database)
  const metrics = createMetrics()
  const { journal, drainThread } = await openJournal({ settings, database, log, metrics })
  const { userAgent, queues } = await openOutbound({ settings, database, log, now })
  const limited = database.withStatementTimeout(options.statementLimitMs ?? STATEMENT_LIMIT_MS)
  const salts = await VisitorSalts.open(limited, () => Math.floor(now() / 1000), log)
  const sites = await Sites.open(settings, limited, log)
  const visitOptions = createVisitOptions(settings, salts, userAgent)
  const { webhooks, dispatcher } = await openWebhooks({ ...options, ...clocks, database: limited, metrics })
  const answerSecret = await findOrCreateInstanceSecret(database, 'answer_secret')
  const { access, sessions } = openAccess({ settings, log, metrics, now: clocks.machineNow })
  const background = { drainThread, queues, metrics, webhooks, answerSecret, access, ...clocks }
  const services = createServices({ ...options, ...background, database, limited, visitOptions, sites })
  const lastingWork = [services.feed, services.filteredReads, dispatcher, sessions, ...Object.values(queues)]
  const lookup = await openLookup(settings, database, log)
  const admin = createAdmin(services)
  const redirect = createRedirect({ services, database, admin, lookup, journal, now, visitOptions })
  exposeClicks(metrics, { redirect, journal, drainThread })
  exposeStorage(metrics, { database, requests: services.database, lookup, settings })
  const upkeep = [startRetention(database, settings, log, now), startExpiry(database, log, now)]
  const readiness = new Readiness({ database: services.database, journal, sessions })
  return {
    fetch: createRouter({
      services,
      redirect,
      api: createPublicApi(services),
      admin,
      mcp: createMcp(services),
      reference: createReference(),
      privacy: createPrivacyPages(settings),
      sharedStats: createSharedStatsPages(services),
      readiness,
      metrics,
    }),
    drain() {
      readiness.drain()
      for (const component of [...lastingWork, services.imports]) component?.drain()
    },
    async close(leftMs = CLOSE_TIMEOUT_MS) {
      const timeoutMs = Math.min(leftMs, CLOSE_TIMEOUT_MS)
      const endMs = performance.now() + timeoutMs
      const waitFor = (work: Promise<unknown>) =>
        withTimeout(endMs - performance.now(), 'Closing', work).catch((error: unknown) =>
          log.warn('shutdown: not everything was closed', { error }),
        )
      for (const stop of [stopClock, () => salts.close(), () => sites.close()]) stop()
      await journal.flush()
      const ends = [...upkeep, ...lastingWork.map((component) => () => component?.close())]
      const others = waitFor(Promise.all(ends.map((end) => end())))
      // The remaining time is for connections that do not close.
      await Promise.all([drainThread.close(timeoutMs * 0.75), others])
      await journal.close()
      await waitFor(lookup.close().then(() => database.close()))
    },
  }
}
