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
import { type CacheStats, type Lookup, type Destination, locationOf } from './lookup.ts'

/** Slugs kept in memory, unknown ones included; about 300 bytes each. The oldest goes first. */
const CACHE_ENTRIES = 50_000
/** A visitor waits no longer than this for a database that takes questions and does not answer. */
const QUERY_TIMEOUT_MS = 3_000
/** While the database is unreachable it is asked again only this often. Who listens is asked as often, too. */
const RETRY_MS = 1_000

/** A second time it changes nothing, but shows that the connection is still there. */
const LISTEN = 'listen latchkey_redirect'

const SELECT_DESTINATION = `select link.id, link.url, link.expires_at from slug join link on link.id = slug.link_id
  where slug.slug = $1 and slug.disabled_at is null and link.disabled_at is null`

interface CacheEntry {
  destination: Destination | undefined
  /** The listening session that vouches for it; a later one has missed changes. */
  session: number
}

/**
 * Keeps targets in memory and forgets each as soon as the database announces a change of it. While nobody listens
 * (the connection was lost), every look-up asks the database; while that cannot be reached, what was known last counts, and
 * nobody waits to learn whether it still cannot.
 */
export class PostgresLookup implements Lookup {
  readonly #pool
  readonly #url: string
  readonly #log: Log
  readonly #entries = new Map<string, CacheEntry>()
  readonly #pendingQueries = new Map<string, Promise<Destination | undefined>>()
  #listener: Client | undefined
  #timer: Timer | undefined
  #session = 0
  #hits = 0
  #misses = 0
  /** When to ask again, while the database could not be reached the last time. */
  #retryAtMs: number | undefined
  #isClosed = false

  constructor(url: string, database: Database<Tables>, log: Log) {
    this.#pool = openPool(url, { queryTimeoutMs: QUERY_TIMEOUT_MS })
    this.#url = url
    this.#log = log
    database.afterWrite(() => this.#awaitNotifications())
  }

  /** Ends when changes are listened to, or the first try failed; goes on trying by itself. */
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
      await client.query(LISTEN)
      if (this.#isClosed) return await client.end()
      this.#session++
      this.#listener = client
      this.#retryAtMs = undefined
    } catch (error) {
      this.#log.warn('cannot listen for changed slugs', { error })
      await client.end().catch(() => undefined)
    }
  }

  find(slug: string): Destination | undefined | Promise<Destination | undefined> {
    const entry = this.#entries.get(slug)
    if (entry && this.#isUsable(entry)) {
      this.#hits++
      return entry.destination
    }
    this.#misses++
    const answer = this.#pendingQueries.get(slug) ?? this.#startQuery(slug, entry)
    return entry && this.#retryAtMs !== undefined ? entry.destination : answer
  }

  #startQuery(slug: string, entry: CacheEntry | undefined): Promise<Destination | undefined> {
    if (this.#retryAtMs !== undefined) this.#retryAtMs = performance.now() + RETRY_MS
    const isCurrent = () => this.#pendingQueries.get(slug) === query
    const query: Promise<Destination | undefined> = this.#query(slug, entry, isCurrent).finally(() => {
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
   * After a write of this node. A round trip on the listening connection brings every announcement made before it, so
   * that the change shows on this node's very next redirect; and the database can be reached, whatever was true before.
   */
  async #awaitNotifications(): Promise<void> {
    await this.#checkListener()
    this.#retryAtMs = undefined
  }

  /** A connection that does not answer has died without a word: nobody knows what it has missed. */
  async #checkListener(): Promise<void> {
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

  /** Remembers the answer only while it `isWanted`: a change that is announced meanwhile may be newer than what was read. */
  async #query(
    slug: string,
    staleEntry: CacheEntry | undefined,
    isCurrent: () => boolean,
  ): Promise<Destination | undefined> {
    const session = this.#session
    try {
      const { rows } = await this.#pool.query<{ id: number; url: string; expires_at: number | null }>(
        SELECT_DESTINATION,
        [slug],
      )
      const row = rows[0]
      const location = row && locationOf(row.url)
      const destination =
        row && location !== undefined ? { linkId: row.id, location, expiresAt: row.expires_at } : undefined
      if (isCurrent() && session === this.#session) this.#store(slug, { destination, session })
      this.#retryAtMs = undefined
      return destination
    } catch (error) {
      this.#retryAtMs = performance.now() + RETRY_MS
      if (!staleEntry) throw error
      return staleEntry.destination
    }
  }

  /** Nothing about it was missed, or it is all that can be known while the database is away. */
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

  /** The payload of an announcement is the slug (see the first migration). */
  #invalidate(slug: string): void {
    this.#entries.delete(slug)
    // Nobody from now on must be given what was read before.
    this.#pendingQueries.delete(slug)
  }
}
