import type { Database } from '@latchkey/database/database'
import { DatabaseClock } from '@latchkey/database/database-clock'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import type { Log } from '@latchkey/http/log'
import { type Access, createAccess } from './access/access.ts'
import { FollowedSessions } from './access/followed-sessions.ts'
import { createRevocationReader } from './access/revocations.ts'
import { DrainThread } from './counting/drain-thread.ts'
import { Journal } from './counting/journal.ts'
import { findPosition } from './clicks/store.ts'
import type { Tables } from './db/tables.ts'
import { createFaviconFetcher } from './destinations/fetch-favicon.ts'
import { FaviconQueue } from './destinations/favicon-queue.ts'
import { createFaultLog } from './api/fault-log.ts'
import { createMetrics, exposeAccess } from './http/metrics.ts'
import { findOrCreateInstanceSecret } from './preferences/instance-secret.ts'
import type { Lookup } from './redirect/lookup.ts'
import { PostgresLookup } from './redirect/lookup-postgres.ts'
import { openSqliteLookup } from './redirect/lookup-sqlite.ts'
import type { Settings } from './settings/settings.ts'
import { createTitleFetcher, titleUserAgent } from './destinations/fetch-title.ts'
import { type TitleQueue, createTitleQueue } from './destinations/title-queue.ts'

/** How often the clock of the database is read. */
const MEASURE_EVERY_MS = 10_000

interface ClockOptions {
  log: Log
  now?: (() => number) | undefined
  machineNow?: () => number
}

interface Opening {
  settings: Settings
  database: Database<Tables>
  log: Log
}

/** All nodes of an instance use the clock of its database instead of their own. */
export async function openClock(
  options: ClockOptions,
  database: Database<Tables>,
): Promise<{ now: () => number; machineNow: () => number; stopClock: () => void }> {
  const clock = new DatabaseClock({ ...options, database })
  await clock.measure()
  const { now = clock.now } = options
  return { now, machineNow: options.now ?? clock.machineNow, stopClock: clock.follow(MEASURE_EVERY_MS) }
}

interface AccessOptions extends Pick<Opening, 'settings' | 'log'> {
  metrics: ReturnType<typeof createMetrics>
  now: () => number
}

/** Begins to follow which sessions the access layer ends, if it says so. */
export function openAccess({ settings, log, metrics, now }: AccessOptions): {
  access: Access
  sessions: FollowedSessions | undefined
} {
  const read = createRevocationReader(settings, now)
  const sessions = read && new FollowedSessions({ read, log, now })
  exposeAccess(metrics, sessions)
  return { access: createAccess(settings, { now, log, sessions }), sessions }
}

/** Opens the journal and starts its drain. */
export async function openJournal({
  settings,
  database,
  log,
  metrics,
}: Opening & { metrics: ReturnType<typeof createMetrics> }): Promise<{
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

export interface Queues {
  titleQueue: TitleQueue | undefined
  faviconQueue: FaviconQueue | undefined
}

/** Opens the queues of fetches from destinations, unless they are disabled, and their user agent. */
export async function openOutbound({
  settings,
  database,
  log,
  now,
}: Opening & { now: () => number }): Promise<{
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

export async function openLookup(
  { databaseUrl }: Settings,
  database: Database<Tables>,
  log: Log,
): Promise<Lookup> {
  if (dialectOf(databaseUrl) === 'sqlite') return openSqliteLookup(sqlitePath(databaseUrl), database)
  const lookup = new PostgresLookup(databaseUrl, database, log)
  await lookup.listen()
  return lookup
}
