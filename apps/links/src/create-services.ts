import type { Database } from '@latchkey/database/database'
import { forwardedOrigin } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import type { Access } from './access/access.ts'
import { FilteredReads } from './analytics/explorer/filtered-reads.ts'
import { DrainThread } from './counting/drain-thread.ts'
import { Sites } from './domains/sites.ts'
import type { Tables } from './db/tables.ts'
import { ChangeFeed } from './live/feed.ts'
import { watchPostgres } from './live/watch-postgres.ts'
import { watchSqlite } from './live/watch-sqlite.ts'
import { createFreeCosts } from './api/costs.ts'
import { createFaultLog } from './api/fault-log.ts'
import { flushClicks } from './http/clicks-as-of.ts'
import { recordChanges } from './record-changes.ts'
import { createMetrics } from './http/metrics.ts'
import type { Services } from './http/services.ts'
import { prefersPng } from './qr/prefers-png.ts'
import type { CountingOptions } from './redirect/decide.ts'
import type { VisitOptions } from './redirect/visit.ts'
import type { Settings } from './settings/settings.ts'
import { SlugSpace } from './links/slugs/generator.ts'
import type { Webhooks } from './webhooks/webhooks.ts'
import { RunningImports } from './transfer/running-imports.ts'
import type { Queues } from './startup.ts'

/** A request that waits this long for clicks may then wait for a statement as well. */
const FLUSH_TIMEOUT_MS = 3_000

export interface ServicesOptions {
  settings: Settings
  log: Log
  database: Database<Tables>
  /** The database for requests, whose statements have a timeout. */
  limited: Database<Tables>
  visitOptions: VisitOptions & CountingOptions
  sites: Sites
  /** Milliseconds since 1970 on the clock that all nodes share. */
  now: () => number
  machineNow: () => number
  /**
   * Timeout for counting pending clicks, in milliseconds; statistics are then answered without
   * them.
   */
  flushTimeoutMs?: number | undefined
  drainThread: DrainThread
  queues: Queues
  metrics: ReturnType<typeof createMetrics>
  webhooks: Webhooks
  answerSecret: string
  access: Access
}

/** Creates what all transports depend on. */
export function createServices(dependencies: ServicesOptions): Services {
  const { settings, log, limited: database, visitOptions, sites, answerSecret, access } = dependencies
  const { drainThread, metrics, webhooks, flushTimeoutMs = FLUSH_TIMEOUT_MS } = dependencies
  const { titleQueue, faviconQueue } = dependencies.queues
  const feed = openFeed(settings, dependencies.database, log)
  const slugSpace = new SlugSpace()
  const imports = new RunningImports(dependencies.database, settings.databaseUrl, slugSpace)
  const filteredReads = new FilteredReads(settings.databaseUrl)
  const now = () => Math.floor(dependencies.now() / 1000)
  const originOf = createOriginOf(settings, visitOptions.proxies)
  return {
    settings,
    database,
    log,
    proxies: visitOptions.proxies,
    answerSecret,
    sites,
    feed,
    imports,
    filteredReads,
    now,
    machineNow: dependencies.machineNow,
    access,
    keysUsedAt: new Map(),
    originOf,
    contextFor(caller, { request, peer, ifMatch, costs = createFreeCosts(), tool, requestId }) {
      const headers = {}
      const { identity, assistant, createdVia } = caller
      const via = createdVia === 'sdk' ? 'api' : createdVia
      const source = { identity, via, assistant, tool, requestId, now: now() } as const
      return {
        ...caller,
        costs,
        ifMatch,
        source,
        database: recordChanges(database, source),
        now: source.now,
        origin: originOf(request, peer),
        sites,
        keysPerPerson: settings.keysPerPerson,
        slugSpace,
        webhooks,
        acceptsNdjson: request.headers.get('accept')?.includes('application/x-ndjson') ?? false,
        reportError: (error) => log.error('response: aborted', { error }),
        startImport: () => imports.start(identity, request.signal),
        readFiltered: (read) => filteredReads.run(identity, request.signal, read),
        followChanges: () => feed.subscribe(),
        acceptsPng: prefersPng(request.headers.get('accept')),
        visitSource: () => ({ request, peer, options: visitOptions }),
        headers,
        flushClicks: () => flushClicks(drainThread, flushTimeoutMs, headers),
        hasPendingClicks: (of) => drainThread.hasPending(of),
        enqueueTitleFetch: titleQueue && ((linkId, url) => titleQueue.enqueue(identity, { linkId, url })),
        enqueueFaviconFetch: faviconQueue && ((site) => faviconQueue.enqueue(identity, site)),
      }
    },
    logDatabaseFault: createFaultLog(log, 'database: cannot be used', 'requests'),
    observe: createObserver(log, metrics),
  }
}

/** Returns the public origin of a request. */
function createOriginOf({ baseUrl, host, port }: Settings, proxies: VisitOptions['proxies']) {
  return (request: Request, peer: string) =>
    baseUrl ?? forwardedOrigin(request, peer, proxies) ?? `http://${host}:${port}`
}

function openFeed({ databaseUrl }: Settings, database: Database<Tables>, log: Log) {
  return new ChangeFeed(
    database.dialect === 'sqlite' ? watchSqlite(database, log) : watchPostgres(databaseUrl, log),
  )
}

function createObserver(log: Log, metrics: ServicesOptions['metrics']): Services['observe'] {
  return ({ ms, ...exchange }) => {
    metrics.observeRequest(exchange.route, exchange.status, ms / 1000)
    log.info('request', { ...exchange, ms: Math.round(ms) })
  }
}
