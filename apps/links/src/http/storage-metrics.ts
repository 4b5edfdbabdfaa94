import { stat } from 'node:fs/promises'
import type { Database } from '@latchkey/database/database'
import type { ConnectionCounts } from '@latchkey/database/pool'
import { dialectOf, sqlitePath } from '@latchkey/database/url'
import { withTimeout } from '@latchkey/database/with-timeout'
import { sql } from 'kysely'
import { Counter, Gauge, type Registry } from 'prom-client'
import type { Tables } from '../db/tables.ts'
import type { Lookup } from '../redirect/lookup.ts'
import type { Settings } from '../settings/settings.ts'
import type { Metrics } from './metrics.ts'

/**
 * Exposes the cache of destinations that redirects use. Its plain counters are read only during a
 * scrape.
 */
function exposeCache(registers: Registry[], lookup: Lookup): void {
  if (!lookup.cache) return
  for (const [field, help] of Object.entries({
    hits: 'Slugs looked up in memory',
    misses: 'Slugs looked up in the database',
  }) as ['hits' | 'misses', string][])
    new Counter({
      name: `latchkey_links_cache_${field}_total`,
      help,
      registers,
      collect() {
        this.reset()
        this.inc(lookup.cache?.[field])
      },
    })
  new Gauge({
    name: 'latchkey_links_cache_entries',
    help: 'Slugs kept in memory',
    registers,
    collect() {
      this.set(lookup.cache?.entries ?? 0)
    },
  })
}

export interface Storage {
  /** The database for long work; `requests` has a statement timeout. */
  database: Database<Tables>
  requests: Database<Tables>
  lookup: Lookup
  settings: Pick<Settings, 'databaseUrl' | 'journal'>
}

/**
 * Scrapers give up after ten seconds, and need the other metrics even if the database does not
 * answer.
 */
const QUERY_TIMEOUT_MS = 2_000

/** Exposes the sizes in memory and on disk, the state of the database and its connections. */
export function exposeStorage({ registry }: Metrics, storage: Storage): void {
  const registers = [registry]
  // Connections come first, because the query for the size takes one itself.
  exposeConnections(registers, storage)
  const bytes = shareConcurrent(() => databaseBytes(storage.requests))
  new Gauge({
    name: 'latchkey_links_database_failing',
    help: '1 while the database cannot be read',
    registers,
    async collect() {
      this.set((await bytes()) === undefined ? 1 : 0)
    },
  })
  new Gauge({
    name: 'latchkey_links_database_bytes',
    help: 'Size of the database, as last known',
    registers,
    async collect() {
      const size = await bytes()
      if (size !== undefined) this.set(size)
    },
  })
  exposeCache(registers, storage.lookup)
  exposeFiles(registers, storage)
}

/** The files of PostgreSQL are not on this machine. */
function exposeFiles(registers: Registry[], { settings: { databaseUrl, journal } }: Storage): void {
  const journalPath = sqlitePath(journal)
  const files = {
    ...(dialectOf(databaseUrl) === 'sqlite' && { database_log: `${sqlitePath(databaseUrl)}-wal` }),
    journal: journalPath,
    journal_log: `${journalPath}-wal`,
  }
  new Gauge({
    name: 'latchkey_links_file_bytes',
    help: 'Size of the click journal and of write-ahead logs',
    labelNames: ['file'],
    registers,
    async collect() {
      for (const [file, path] of Object.entries(files)) {
        const size = await stat(path).then(
          (fileStat) => fileStat.size,
          () => 0,
        )
        this.set({ file }, size)
      }
    },
  })
}

function exposeConnections(registers: Registry[], { database, requests, lookup }: Storage): void {
  const pools = (): [string, ConnectionCounts | undefined][] => [
    ['requests', requests.connections()],
    ['redirects', lookup.connections],
    ['long_work', database.connections()],
  ]
  new Gauge({
    name: 'latchkey_links_database_connections',
    help: 'Connections to PostgreSQL by pool and state',
    labelNames: ['pool', 'state'],
    registers,
    collect() {
      for (const [pool, counts] of pools()) {
        if (!counts) continue
        this.set({ pool, state: 'busy' }, counts.busy)
        this.set({ pool, state: 'idle' }, counts.idle)
      }
    },
  })
  new Gauge({
    name: 'latchkey_links_database_connection_waiters',
    help: 'Callers that wait for a connection to PostgreSQL, by pool',
    labelNames: ['pool'],
    registers,
    collect() {
      for (const [pool, counts] of pools()) if (counts) this.set({ pool }, counts.waiting)
    },
  })
}

/** Undefined if the database does not answer, or not in time. */
async function databaseBytes({ dialect, read }: Database<Tables>): Promise<number | undefined> {
  const size =
    dialect === 'sqlite'
      ? sql<{
          bytes: number
        }>`select page_count * page_size as bytes from pragma_page_count(), pragma_page_size()`
      : sql<{ bytes: number }>`select pg_database_size(current_database()) as bytes`
  return withTimeout(QUERY_TIMEOUT_MS, 'The database', size.execute(read)).then(
    ({ rows }) => rows[0]?.bytes,
    () => undefined,
  )
}

/** Callers that arrive while a result is pending share it. */
function shareConcurrent<Result>(run: () => Promise<Result>): () => Promise<Result> {
  let pending: Promise<Result> | undefined
  return () =>
    (pending ??= run().finally(() => {
      pending = undefined
    }))
}
