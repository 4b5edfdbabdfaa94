import type { Database } from '@latchkey/database/database'
import { openPool } from '@latchkey/database/pool'
import type { Log } from '@latchkey/http/log'
import { Client } from 'pg'
import type { Tables } from '../db/tables.ts'
import { type Lookup, type Target, locationOf } from './lookup.ts'

/** Slugs kept in memory, unknown ones included; about 300 bytes each. The oldest goes first. */
const CACHE_ENTRIES = 50_000
/** While the database is unreachable it is asked again only this often, so that known slugs redirect without delay. */
const RETRY_MS = 1_000

const FIND = `select link.id, link.url, link.expires_at from slug join link on link.id = slug.link_id
  where slug.slug = $1 and slug.disabled_at is null and link.disabled_at is null`

interface Entry {
  target: Target | undefined
  /** The listening session that vouches for it; a later one has missed changes. */
  session: number
}

/**
 * Keeps targets in memory and forgets each as soon as the database announces a change of it. While nobody listens
 * (the connection was lost), every look-up asks the database; while that cannot be reached, what was known last counts.
 */
export class PostgresLookup implements Lookup {
  readonly #pool
  readonly #url: string
  readonly #log: Log
  readonly #entries = new Map<string, Entry>()
  readonly #slugsOfLink = new Map<number, Set<string>>()
  readonly #flights = new Map<string, Promise<Target | undefined>>()
  #listener: Client | undefined
  #session = 0
  #changes = 0
  #downUntilMs = 0
  #closed = false

  constructor(url: string, database: Database<Tables>, log: Log) {
    this.#pool = openPool(url)
    this.#url = url
    this.#log = log
    // A round trip on the listening connection brings every announcement made before it, so that a change shows on this
    // node's very next redirect.
    database.afterWrite(async () => {
      await this.#listener?.query('select 1').catch(() => undefined)
    })
  }

  /** Ends when changes are listened to, or the first try failed; goes on trying by itself. */
  async listen(): Promise<void> {
    const client = new Client({ connectionString: this.#url, application_name: 'latchkey-redirect' })
    client.on('notification', ({ payload }) => this.#forget(payload ?? ''))
    client.on('error', () => undefined)
    client.on('end', () => this.#lost(client))
    try {
      await client.connect()
      await client.query('listen latchkey_redirect')
      this.#session++
      this.#listener = client
    } catch (error) {
      this.#log.warn('cannot listen for changed slugs', { error })
      this.#lost(client)
    }
  }

  find(slug: string): Target | undefined | Promise<Target | undefined> {
    const entry = this.#entries.get(slug)
    if (entry && this.#listener && entry.session === this.#session) return entry.target
    if (entry && performance.now() < this.#downUntilMs) return entry.target
    const flight = this.#flights.get(slug) ?? this.#ask(slug, entry)
    this.#flights.set(slug, flight)
    return flight
  }

  async close(): Promise<void> {
    this.#closed = true
    await this.#listener?.end()
    await this.#pool.end()
  }

  async #ask(slug: string, known: Entry | undefined): Promise<Target | undefined> {
    const changesBefore = this.#changes
    const session = this.#session
    try {
      const { rows } = await this.#pool.query<{ id: number; url: string; expires_at: number | null }>(FIND, [
        slug,
      ])
      const row = rows[0]
      const location = row && locationOf(row.url)
      const target =
        row && location !== undefined ? { linkId: row.id, location, expiresAt: row.expires_at } : undefined
      // What was announced meanwhile may be about this slug, and newer than what was read.
      if (changesBefore === this.#changes && session === this.#session)
        this.#remember(slug, { target, session })
      return target
    } catch (error) {
      this.#downUntilMs = performance.now() + RETRY_MS
      if (!known) throw error
      return known.target
    } finally {
      this.#flights.delete(slug)
    }
  }

  #remember(slug: string, entry: Entry): void {
    this.#drop(slug)
    const [oldest] = this.#entries.keys()
    if (oldest !== undefined && this.#entries.size >= CACHE_ENTRIES) this.#drop(oldest)
    this.#entries.set(slug, entry)
    if (!entry.target) return
    const siblings = this.#slugsOfLink.get(entry.target.linkId)
    if (siblings) siblings.add(slug)
    else this.#slugsOfLink.set(entry.target.linkId, new Set([slug]))
  }

  /** `payload` is a slug, or `#` and a link's id: what the triggers of the first migration announce. */
  #forget(payload: string): void {
    this.#changes++
    if (!payload.startsWith('#')) this.#drop(payload)
    else for (const slug of this.#slugsOfLink.get(Number(payload.slice(1))) ?? []) this.#drop(slug)
  }

  #drop(slug: string): void {
    const linkId = this.#entries.get(slug)?.target?.linkId
    this.#entries.delete(slug)
    if (linkId === undefined) return
    const siblings = this.#slugsOfLink.get(linkId)
    siblings?.delete(slug)
    if (siblings?.size === 0) this.#slugsOfLink.delete(linkId)
  }

  #lost(client: Client): void {
    if (this.#listener && this.#listener !== client) return
    this.#listener = undefined
    if (!this.#closed) setTimeout(() => void this.listen(), RETRY_MS)
  }
}
