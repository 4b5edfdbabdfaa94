import type { Database } from '@latchkey/database/database'
import {
  type ConnectionCounts,
  connectClient,
  connectionsOf,
  openPool,
  createClient,
} from '@latchkey/database/pool'
import type { Log } from '@latchkey/http/log'
import type { Client } from 'pg'
import type { Tables } from '../db/tables.ts'
import {
  type CacheStats,
  type DestinationRow,
  type LegacyRow,
  type Lookup,
  type LookupResult,
  toDestination,
  toLegacyDestination,
} from './lookup.ts'
import { isLegacyKey, parseLegacyKey } from '../urls/legacy-path.ts'

/** Cached slugs and legacy paths, including unknown ones; about 300 bytes each. The oldest is evicted first. */
const CACHE_ENTRIES = 50_000
/** The longest wait of a visitor for a database that accepts queries and does not answer. */
const QUERY_TIMEOUT_MS = 3_000
/**
 * Interval of queries while the database is unreachable, and of checks of the listening connection.
 */
const RETRY_MS = 1_000

/** Repeating it changes nothing, but checks that the connection is alive. */
const LISTEN = 'listen latchkey_redirect'

const SELECT_DESTINATION = `select link.id, link.url, link.expires_at, link.behaviour,
    slug.disabled_at is null and link.disabled_at is null as is_enabled
  from slug join link on link.id = slug.link_id where slug.slug = $1`

const SELECT_LEGACY = `select id, url, expires_at, behaviour, primary_slug, disabled_at
  from legacy_path join link on id = link_id where legacy_path.domain = $1 and path = $2`

const HAS_LEGACY_PATHS = 'select exists (select 1 from legacy_path) as has_any'

interface SlugRow extends DestinationRow {
  is_enabled: boolean
}

interface CacheEntry {
  destination: LookupResult
  /** The listening session under which the entry is valid. A later session has missed changes. */
  session: number
}

/**
 * Caches destinations and invalidates each as soon as the database announces a change of it. While
 * the listening connection is lost, every lookup queries the database. While the database is
 * unreachable, cached answers stay valid, and no visitor waits to check whether it still is.
 */
export class PostgresLookup implements Lookup {
  readonly #pool
  readonly #url: string
  readonly #log: Log
  readonly #entries = new Map<string, CacheEntry>()
  readonly #pendingQueries = new Map<string, Promise<LookupResult>>()
  #listener: Client | undefined
  #timer: Timer | undefined
  /** The last round trip on the listening connection, and the next one, if it is awaited. */
  #check = Promise.resolve()
  #nextCheck: Promise<void> | undefined
  #session = 0
  /** Counts while there is a listening session: false only as long as it would announce the first one. */
  #mayHaveLegacyPaths = true
  #hits = 0
  #misses = 0
  /** The time of the next attempt, if the database was unreachable at the last one. */
  #retryAtMs: number | undefined
  #isClosed = false

  constructor(url: string, database: Database<Tables>, log: Log) {
    this.#pool = openPool(url, { queryTimeoutMs: QUERY_TIMEOUT_MS })
    this.#url = url
    this.#log = log
    database.afterWrite(() => this.#awaitNotifications())
  }

  /**
   * Resolves once changes are received, or after the first failed attempt. Further attempts follow
   * automatically.
   */
  async listen(): Promise<void> {
    await (this.#listener ? this.#checkListener() : this.#connect())
    if (!this.#isClosed) this.#timer = setTimeout(() => void this.listen(), RETRY_MS)
  }

  async #connect(): Promise<void> {
    const client = createClient(this.#url, { name: 'latchkey-redirect', withinMs: QUERY_TIMEOUT_MS })
    client.on('notification', ({ payload }) => this.#invalidate(payload ?? ''))
    client.on('end', () => {
      if (this.#listener === client) this.#listener = undefined
    })
    try {
      await connectClient(client)
      // Before the query: a notification during it is newer than its answer.
      this.#mayHaveLegacyPaths = false
      await client.query(LISTEN)
      const { rows } = await client.query<{ has_any: boolean }>(HAS_LEGACY_PATHS)
      if (this.#isClosed) return await client.end()
      this.#session++
      if (rows[0]?.has_any !== false) this.#mayHaveLegacyPaths = true
      this.#listener = client
      this.#retryAtMs = undefined
    } catch (error) {
      this.#log.warn('redirect: cannot listen for changed slugs', { error })
      await client.end().catch(() => undefined)
    }
  }

  find(slug: string): LookupResult | Promise<LookupResult> {
    if (isLegacyKey(slug) && this.#listener && !this.#mayHaveLegacyPaths) return undefined
    const entry = this.#entries.get(slug)
    if (entry && this.#isUsable(entry)) {
      this.#hits++
      return entry.destination
    }
    this.#misses++
    const answer = this.#pendingQueries.get(slug) ?? this.#startQuery(slug, entry)
    return entry && this.#retryAtMs !== undefined ? entry.destination : answer
  }

  #startQuery(slug: string, entry: CacheEntry | undefined): Promise<LookupResult> {
    if (this.#retryAtMs !== undefined) this.#retryAtMs = performance.now() + RETRY_MS
    const isCurrent = () => this.#pendingQueries.get(slug) === query
    const query: Promise<LookupResult> = this.#query(slug, entry, isCurrent).finally(() => {
      if (isCurrent()) this.#pendingQueries.delete(slug)
    })
    this.#pendingQueries.set(slug, query)
    return query
  }

  get cache(): CacheStats {
    return { entries: this.#entries.size, hits: this.#hits, misses: this.#misses }
  }

  get connections(): ConnectionCounts {
    return connectionsOf(this.#pool)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#timer)
    await this.#listener?.end().catch(() => undefined)
    await this.#pool.end()
  }

  /**
   * Runs after a write of this node. A round trip on the listening connection delivers every
   * earlier notification, which makes the change visible to this node's next redirect. It also
   * proves that the database is reachable, whatever the last attempt found.
   */
  async #awaitNotifications(): Promise<void> {
    await this.#checkListener()
    this.#retryAtMs = undefined
  }

  /**
   * A round trip that begins after this call. The client takes one query at a time, so those who
   * wait for the next one share it.
   */
  #checkListener(): Promise<void> {
    this.#nextCheck ??= this.#check.then(() => {
      this.#nextCheck = undefined
      this.#check = this.#queryListener()
      return this.#check
    })
    return this.#nextCheck
  }

  /**
   * A connection that does not answer has died silently, and the changes that it missed are
   * unknown.
   */
  async #queryListener(): Promise<void> {
    const listener = this.#listener
    try {
      await listener?.query(LISTEN)
    } catch {
      if (!listener || this.#listener !== listener) return
      this.#listener = undefined
      this.#retryAtMs = 0
      void listener.end().catch(() => undefined)
    }
  }

  /**
   * Caches the answer only if `isWanted` still holds: a change announced meanwhile may be newer
   * than the answer.
   */
  async #query(
    slug: string,
    staleEntry: CacheEntry | undefined,
    isCurrent: () => boolean,
  ): Promise<LookupResult> {
    const session = this.#session
    try {
      const destination = await (isLegacyKey(slug) ? this.#readLegacy(slug) : this.#readSlug(slug))
      if (isCurrent() && session === this.#session) this.#store(slug, { destination, session })
      this.#retryAtMs = undefined
      return destination
    } catch (error) {
      this.#retryAtMs = performance.now() + RETRY_MS
      if (!staleEntry) throw error
      return staleEntry.destination
    }
  }

  async #readSlug(slug: string): Promise<LookupResult> {
    const { rows } = await this.#pool.query<SlugRow>(SELECT_DESTINATION, [slug])
    return rows[0] && (rows[0].is_enabled ? toDestination(rows[0]) : null)
  }

  async #readLegacy(key: string): Promise<LookupResult> {
    const { domain, path } = parseLegacyKey(key)
    const { rows } = await this.#pool.query<LegacyRow>(SELECT_LEGACY, [domain, path])
    return rows[0] && toLegacyDestination(rows[0])
  }

  /**
   * True if no change was missed, or while the database is unreachable and there is nothing newer.
   */
  #isUsable({ session }: CacheEntry): boolean {
    if (this.#listener && session === this.#session) return true
    return this.#retryAtMs !== undefined && performance.now() < this.#retryAtMs
  }

  #store(slug: string, entry: CacheEntry): void {
    this.#entries.delete(slug)
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= CACHE_ENTRIES) this.#entries.delete(oldest)
    this.#entries.set(slug, entry)
  }

  /** The payload of a notification is the key (see the migrations). */
  #invalidate(slug: string): void {
    if (isLegacyKey(slug)) this.#mayHaveLegacyPaths = true
    this.#entries.delete(slug)
    // Later lookups must not receive an answer that was read before.
    this.#pendingQueries.delete(slug)
  }
}
