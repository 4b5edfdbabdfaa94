import type { Database } from '@latchkey/database/database'
import { DatabaseClock } from '@latchkey/database/database-clock'
import { withTimeout } from '@latchkey/database/with-timeout'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { migrate } from '@latchkey/database/migrate'
import { openExclusively } from '@latchkey/database/instance-lock'
import { forwardedOrigin } from '@latchkey/http/client-address'
import type { Log } from '@latchkey/http/log'
import { FilteredReads } from './analytics/explorer/filtered-reads.ts'
import { DrainThread } from './counting/drain-thread.ts'
import { Journal } from './counting/journal.ts'
import { findPosition } from './clicks/store.ts'
import { VisitorSalts } from './counting/visitor-salts.ts'
import { Sites } from './domains/sites.ts'
import { migrations } from './db/migrations.ts'
import type { Tables } from './db/tables.ts'
import { startRetention } from './retention.ts'
import { startExpiry } from './events/expiry.ts'
import { ChangeFeed } from './live/feed.ts'
import { watchPostgres } from './live/watch-postgres.ts'
import { watchSqlite } from './live/watch-sqlite.ts'
import { createFaviconFetcher } from './destinations/fetch-favicon.ts'
import { FaviconQueue } from './destinations/favicon-queue.ts'
import { createFreeCosts } from './api/costs.ts'
import { createFaultLog } from './api/fault-log.ts'
import { createAdmin } from './http/admin.ts'
import { flushClicks } from './http/clicks-as-of.ts'
import { recordChanges } from './record-changes.ts'
import { Readiness } from './http/health.ts'
import { createMetrics, exposeClicks } from './http/metrics.ts'
import { exposeStorage } from './http/storage-metrics.ts'
import { createPublicApi } from './http/public-api.ts'
import { createReference } from './http/reference.ts'
import { type Fetch, createRouter } from './router.ts'
import type { Services } from './http/services.ts'
import { createPrivacyPages } from './http/privacy/handler.ts'
import { createSharedStatsPages } from './http/shared-stats/handler.ts'
import { createMcp } from './mcp/endpoint.ts'
import { findOrCreateInstanceSecret } from './preferences/instance-secret.ts'
import { prefersPng } from './qr/prefers-png.ts'
import { createRedirect, createVisitOptions } from './create-redirect.ts'
import type { Lookup } from './redirect/lookup.ts'
import { PostgresLookup } from './redirect/lookup-postgres.ts'
import { openSqliteLookup } from './redirect/lookup-sqlite.ts'
import type { CountingOptions } from './redirect/decide.ts'
import type { VisitOptions } from './redirect/visit.ts'
import type { Settings } from './settings/settings.ts'
import { SlugSpace } from './links/slugs/generator.ts'
import { createTitleFetcher, titleUserAgent } from './destinations/fetch-title.ts'
import { type TitleQueue, createTitleQueue } from './destinations/title-queue.ts'
import { openWebhooks } from './webhooks/open.ts'
import type { Webhooks } from './webhooks/webhooks.ts'
import type { PostOptions } from './webhooks/post.ts'
import { RunningImports } from './transfer/running-imports.ts'

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
/** How often the clock of the database is read. */
const MEASURE_EVERY_MS = 10_000
/** A request that waits this long for clicks may then wait for a statement as well. */
const FLUSH_TIMEOUT_MS = 3_000

/**
 * Longest time that an unresponsive database may keep connections open, even if the last request
 * ended early.
 */
const CLOSE_TIMEOUT_MS = 4_000

export interface LinksOptions {
  settings: Settings
  log: Log
  /** Milliseconds since 1970. By default the clock of the database. */
  now?: (() => number) | undefined
  /** Wall clock of this machine, in milliseconds since 1970. */
  machineNow?: () => number
  /** Timeout of one statement for API requests, in milliseconds. */
  statementLimitMs?: number | undefined
  /**
   * Timeout for counting pending clicks, in milliseconds; statistics are then answered without
   * them.
   */
  flushTimeoutMs?: number | undefined
  /** How receivers of webhooks are reached. Tests have some on this machine. */
  webhookPost?: Omit<PostOptions, 'allowed'> | undefined
}

/**
 * Composes the service: migrates the database, then connects features to transports. It does not
 * listen yet.
 */
export async function createLinks(options: LinksOptions): Promise<Links> {
  const { settings, log } = options
  const database = await openMigrated(settings, log)
  const { stopClock, ...clocks } = await openClock(options, database)
  const { now } = clocks
  const metrics = createMetrics()
  const { journal, drainThread } = await openJournal({ settings, database, log, metrics })
  const { userAgent, queues } = await openOutbound({ settings, database, log, now })
  const limited = database.withStatementTimeout(options.statementLimitMs ?? STATEMENT_LIMIT_MS)
  const salts = await VisitorSalts.open(limited, () => Math.floor(now() / 1000), log)
  const sites = await Sites.open(settings, limited, log)
  const visitOptions = createVisitOptions(settings, salts, userAgent)
  const { webhooks, dispatcher } = await openWebhooks({ ...options, ...clocks, database: limited, metrics })
  const answerSecret = await findOrCreateInstanceSecret(database, 'answer_secret')
  const background = { drainThread, queues, metrics, webhooks, answerSecret, ...clocks }
  const services = createServices({ ...options, ...background, database, limited, visitOptions, sites })
  const lastingWork = [services.feed, services.filteredReads, dispatcher, ...Object.values(queues)]
  const lookup = await openLookup(settings, database, log)
  const admin = createAdmin(services)
  const redirect = createRedirect({ services, database, admin, lookup, journal, now, visitOptions })
  exposeClicks(metrics, { redirect, journal, drainThread })
  exposeStorage(metrics, { database, requests: services.database, lookup, settings })
  const readiness = new Readiness(services.database, journal)
  const stops = [startRetention(database, settings, log, now), startExpiry(database, log, now), stopClock]
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
      for (const stop of stops) stop()
      salts.close()
      sites.close()
      await journal.flush()
      const others = waitFor(Promise.all(lastingWork.map((component) => component?.close())))
      // The remaining time is for connections that do not close.
      await Promise.all([drainThread.close(timeoutMs * 0.75), others])
      await journal.close()
      await waitFor(lookup.close().then(() => database.close()))
    },
  }
}

/** Nodes of an instance share the clock of its database, whatever their own say. */
async function openClock(
  options: LinksOptions,
  database: Database<Tables>,
): Promise<{ now: () => number; machineNow: () => number; stopClock: () => void }> {
  const clock = new DatabaseClock({ ...options, database })
  await clock.measure()
  const { now = clock.now } = options
  return { now, machineNow: options.now ?? clock.machineNow, stopClock: clock.follow(MEASURE_EVERY_MS) }
}

async function openMigrated({ databaseUrl }: Settings, log: Log): Promise<Database<Tables>> {
  const database = await openExclusively<Tables>(databaseUrl, log)
  await migrate(database, migrations)
  return database
}

/** Opens the journal and starts its drain. */
async function openJournal({
  settings,
  database,
  log,
  metrics,
}: Pick<LinksDependencies, 'settings' | 'database' | 'log' | 'metrics'>): Promise<{
  journal: Journal
  drainThread: DrainThread
}> {
  const journalPath = sqlitePath(settings.journal)
  const journal = new Journal(journalPath, {
    onCommit(ms) {
      metrics.observeCommit(ms)
      drainThread.wake()
    },
    onLoss: createFaultLog(log, 'journal: cannot be written, clicks are lost', 'clicks'),
  })
  const drainedSeq = await findPosition(database.read, journal.id)
  journal.continueAfter(drainedSeq)
  const { databaseUrl, privacy } = settings
  const drainThread = new DrainThread({
    journal,
    drainedSeq,
    database,
    log,
    drain: { journalPath, databaseUrl, privacy },
  })
  drainThread.wake()
  return { journal, drainThread }
}

interface Queues {
  titleQueue: TitleQueue | undefined
  faviconQueue: FaviconQueue | undefined
}

/** Opens the queues of fetches from destinations, unless they are disabled, and their user agent. */
async function openOutbound({
  settings,
  database,
  log,
  now,
}: Pick<LinksDependencies, 'settings' | 'database' | 'log' | 'now'>): Promise<{
  userAgent: string
  queues: Queues
}> {
  const userAgent = titleUserAgent(await findOrCreateInstanceSecret(database, 'title_secret'))
  const seconds = () => Math.floor(now() / 1000)
  const fetchFavicon = createFaviconFetcher(userAgent)
  const queues = {
    titleQueue: settings.titleFetch
      ? createTitleQueue({ database, fetchTitle: createTitleFetcher(userAgent), log, now: seconds })
      : undefined,
    faviconQueue: settings.faviconFetch
      ? new FaviconQueue({ database, fetchFavicon, log, now: seconds })
      : undefined,
  }
  return { userAgent, queues }
}

async function openLookup({ databaseUrl }: Settings, database: Database<Tables>, log: Log): Promise<Lookup> {
  if (dialectOf(databaseUrl) === 'sqlite') return openSqliteLookup(sqlitePath(databaseUrl), database)
  const lookup = new PostgresLookup(databaseUrl, database, log)
  await lookup.listen()
  return lookup
}

function openFeed({ databaseUrl }: Settings, database: Database<Tables>, log: Log) {
  return new ChangeFeed(
    database.dialect === 'sqlite' ? watchSqlite(database, log) : watchPostgres(databaseUrl, log),
  )
}

interface LinksDependencies extends LinksOptions {
  database: Database<Tables>
  /** For requests, whose statements take at most so long. */
  limited: Database<Tables>
  visitOptions: VisitOptions & CountingOptions
  sites: Sites
  now: () => number
  machineNow: () => number
  drainThread: DrainThread
  queues: Queues
  metrics: ReturnType<typeof createMetrics>
  webhooks: Webhooks
  answerSecret: string
}

/** Returns the public origin of a request. */
function createOriginOf({ baseUrl, host, port }: Settings, proxies: VisitOptions['proxies']) {
  return (request: Request, peer: string) =>
    baseUrl ?? forwardedOrigin(request, peer, proxies) ?? `http://${host}:${port}`
}

function createServices(dependencies: LinksDependencies): Services {
  const { settings, log, limited: database, visitOptions, sites, answerSecret } = dependencies
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

function createObserver(log: Log, metrics: LinksDependencies['metrics']): Services['observe'] {
  return ({ ms, ...exchange }) => {
    metrics.observeRequest(exchange.route, exchange.status, ms / 1000)
    log.info('request', { ...exchange, ms: Math.round(ms) })
  }
}
