import { afterAll, beforeAll, expect } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Database, openDatabase } from '@latchkey/database/database'
import { watchTransactions } from '@latchkey/database/testing-transactions'
import { createLog } from '@latchkey/http/log'
import { sql } from 'kysely'
import { type Links, type LinksOptions, createLinks } from '../src/app.ts'
import type { Tables } from '../src/db/tables.ts'
import { errorCodes } from '../src/api/failures.ts'
import type { Scope } from '../src/keys/schema.ts'
import { insertKey } from '../src/keys/store.ts'
import { readSettings } from '../src/settings/settings.ts'
import { expectDocumented } from './documented.ts'

export interface Reply {
  status: number
  headers: Headers
  // oxlint-disable-next-line typescript/no-explicit-any -- answers are judged field by field, as a client sees them
  body: any
}

export interface CallOptions {
  key?: string
  body?: unknown
  headers?: Record<string, string>
}

const TABLES = [
  'link',
  'slug',
  'retired_slug',
  'legacy_path',
  'domain',
  'bundle',
  'bundle_link',
  'stats_share',
  'link_behaviour',
  'link_limit',
  'link_password',
  'api_key',
  'preference',
  'link_default',
  'utm_template',
  'qr_preset',
  'instance',
  'click',
  'click_hour_open',
  'click_hour_closed',
  'imported_file',
  'history',
  'plan',
  'policy',
  'webhook',
] as const

/** Values that the service writes at moments of its own. */
const KEPT_BY_SERVICE: ReadonlySet<unknown> = new Set(['ready_probe', 'index_merged_on'])

/** Columns that requests, probes and deliveries update. */
const VOLATILE: ReadonlySet<string> = new Set([
  'last_used_at',
  'position',
  'failures',
  'failing_since',
  'next_attempt_at',
  'lease_holder',
  'lease_until',
])

/** Runs a request, which comes from outside: a transaction of the test is none of the service. */
const fromOutside = AsyncLocalStorage.snapshot()

/** No operation of any test may wait for the network, a thread or a timer in a transaction. */
const transactions = watchTransactions()

const OBSERVER = 'observer@test.invalid'

let createdCount = 0

/**
 * A whole Links service in this process, with its own database, called through its fetch handler.
 */
export class TestLinks {
  readonly log: Record<string, unknown>[] = []
  /** Folder of the click journal of this node. */
  readonly folder = mkdtempSync(join(tmpdir(), 'latchkey-links-'))
  url = ''
  /** Waits in transactions before the start. */
  #waitCount = 0
  readonly #clock = { ms: 1_795_000_000_000 }
  #links: Links | undefined
  #database: Database<Tables> | undefined
  /** True if a link may have been followed since clicks were last counted. */
  #hasVisits = false
  #observer: string | undefined

  /** Settings have their names. */
  async start(
    url: string,
    environment: Record<string, string> = {},
    options: Partial<LinksOptions> = {},
  ): Promise<void> {
    this.url = url
    this.#waitCount = transactions.waits.length
    const settings = readSettings({
      LINKS_DATABASE_URL: url,
      LINKS_JOURNAL: `sqlite:${join(this.folder, 'journal.db')}`,
      // Listens on all addresses, because a test may come from any peer.
      LINKS_HOST: '0.0.0.0',
      LINKS_RATE_LIMIT: 'off',
      LINKS_TITLE_FETCH: 'off',
      ...environment,
    })
    this.#links = await createLinks({
      settings,
      log: createLog({ write: (line) => void this.log.push(JSON.parse(line) as Record<string, unknown>) }),
      now: () => this.#clock.ms,
      // Numbers are exact on a busy machine, too.
      flushTimeoutMs: 8_000,
      // No program of a test uses the network.
      webhookPost: { resolve: () => Promise.reject(new Error('Tests ask no name server')) },
      ...options,
    })
  }

  get #running(): Links {
    if (!this.#links) throw new Error('The service is used before it was started')
    return this.#links
  }

  /** Seconds on the clock of the service, which stands still until it is advanced. */
  get now(): number {
    return Math.floor(this.#clock.ms / 1000)
  }

  advance(seconds: number): void {
    this.#clock.ms += seconds * 1000
  }

  /** Sends any request, from a peer on loopback by default. `path` may be a URL with another host. */
  async fetch(path: string, init: RequestInit = {}, peer = '127.0.0.1'): Promise<Response> {
    const request = new Request(/^https?:/.test(path) ? path : `http://localhost:8080${path}`, {
      redirect: 'manual',
      ...init,
    })
    if (!path.startsWith('/_')) this.#hasVisits = true
    const server = {
      requestIP: () => ({ address: peer, family: 'IPv4', port: 1 }) as const,
      timeout: () => undefined,
    }
    const response = await fromOutside(() => this.#running.fetch(request, server))
    if (/^\/_\/(admin\/)?api(\/|\?|$)/.test(path) && request.method !== 'HEAD')
      await expectOneErrorShape(path, response.clone())
    return response
  }

  /** Calls the API; `path` is relative to `/_/api`. A `body` is sent as JSON. */
  async call(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    const reply = await this.#call(`/_/api${path}`, method, options)
    expectDocumented(method, path, reply)
    return reply
  }

  /** Calls the admin API from this machine; `path` is relative to `/_/admin/api`. */
  callAdmin(method: string, path: string, options: CallOptions = {}): Promise<Reply> {
    return this.#call(`/_/admin/api${path}`, method, options)
  }

  async #call(
    path: string,
    method: string,
    { key: createKey, body, headers = {} }: CallOptions,
  ): Promise<Reply> {
    const response = await this.fetch(path, {
      method,
      headers: {
        ...(createKey === undefined ? {} : { Authorization: `Bearer ${createKey}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return {
      status: response.status,
      headers: response.headers,
      body: isJson && text !== '' ? JSON.parse(text) : text,
    }
  }

  /** Creates a key of this identity directly in the store. */
  async key(identity: string, scope: Scope = 'create,read'): Promise<string> {
    const { rawKey } = await this.database.write((tx) =>
      insertKey(tx, { title: 'test', scope, identity, now: this.now }),
    )
    return rawKey
  }

  /** Creates a link of the owner of the key, with a unique URL by default. */
  async createLink(key: string, fields: Record<string, unknown> = {}): Promise<Reply['body']> {
    const body = { url: `https://example.com/made/${++createdCount}`, ...fields }
    const { status, body: link } = await this.call('POST', '/links', { key, body })
    expect({ status, link }).toMatchObject({ status: 201 })
    return link
  }

  /** Expects a refusal with exactly this status and text, and an unchanged database. */
  async expectRefusal(
    method: string,
    path: string,
    options: CallOptions,
    expected: readonly [status: number, error: string],
  ): Promise<Reply> {
    const before = await this.databaseState()
    const reply = await this.call(method, path, options)
    expect([reply.status, reply.body]).toEqual([expected[0], { error: expected[1] }])
    expect(await this.databaseState()).toEqual(before)
    return reply
  }

  /** The database of the service, for state that no route shows. It is closed with the service. */
  get database(): Database<Tables> {
    this.#database ??= openDatabase<Tables>(this.url)
    return this.#database
  }

  async rows<Row>(statement: string): Promise<Row[]> {
    return (await sql.raw<Row>(statement).execute(this.database.read)).rows
  }

  /**
   * All stored rows, including clicks so far, without what requests, probes, deliveries and daily work
   * update.
   */
  async databaseState(): Promise<Record<string, string[]>> {
    await this.#drainClicks()
    const tables = await Promise.all(
      TABLES.map(async (table) => {
        const rows = await this.rows<Record<string, unknown>>(`select * from ${table}`)
        const lines = rows
          .filter((row) => !KEPT_BY_SERVICE.has(row['name']) && row['identity'] !== OBSERVER)
          .map((row) =>
            JSON.stringify(row, (name, value: unknown) => (VOLATILE.has(name) ? undefined : value)),
          )
        return [table, lines.toSorted()] as const
      }),
    )
    return Object.fromEntries(tables)
  }

  /**
   * Counts waiting clicks by reading a number. They would otherwise be counted at an unknown moment
   * between two reads.
   */
  async #drainClicks(): Promise<void> {
    if (!this.#hasVisits) return
    this.#observer ??= await this.key(OBSERVER, 'read')
    const { status } = await this.call('GET', '/links?limit=1', { key: this.#observer })
    this.#hasVisits = status !== 200
  }

  /** The fetch handler, for a real server in front of it. */
  get fetchHandler(): Links['fetch'] {
    return this.#running.fetch
  }

  drain(): void {
    this.#running.drain()
  }

  async close(): Promise<void> {
    await this.#links?.close()
    await this.#database?.close()
    rmSync(this.folder, { recursive: true, force: true })
    expect(transactions.waits.slice(this.#waitCount)).toEqual([])
  }
}

/** L3.3, L25.6: every error has one shape, and a code of the closed list. */
export async function expectOneErrorShape(path: string, response: Response): Promise<void> {
  expect(response.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  if (response.status < 400) return
  expect(response.headers.get('content-type')).toMatch(/^application\/json(;|$)/)
  const { error, ...rest } = (await response.json()) as Record<string, unknown>
  const header = response.headers.get('x-error-code')
  const isAdmin = path.startsWith('/_/admin/')
  expect(error).toMatch(/./)
  expect(errorCodes as readonly unknown[]).toContain(isAdmin ? rest['code'] : header)
  if (isAdmin) expect(header).toBeNull()
  else expect(rest).toEqual({})
}

/** Starts a service for the test that calls this, and closes it afterwards. */
export async function startTestLinks(
  url: string,
  environment: Record<string, string> = {},
): Promise<TestLinks> {
  const links = new TestLinks()
  await links.start(url, environment)
  afterAll(() => links.close())
  return links
}

/**
 * Starts one service for all tests of the `describe` that calls this, and closes it after the last.
 */
export function sharedTestLinks(
  newUrl: () => Promise<string>,
  environment: Record<string, string> = {},
): TestLinks {
  const links = new TestLinks()
  beforeAll(async () => links.start(await newUrl(), environment))
  afterAll(() => links.close())
  return links
}
