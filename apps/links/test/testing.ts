import { afterAll } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openDatabase } from '@latchkey/database/database'
import { createLog } from '@latchkey/http/log'
import { type Links, createLinks } from '../src/app.ts'
import type { Tables } from '../src/db/tables.ts'
import type { Scope } from '../src/keys/schema.ts'
import { insertKey } from '../src/keys/store.ts'
import { readSettings } from '../src/settings.ts'

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

/** A whole Links service in this process, on a database of its own, driven through its one door. */
export class TestLinks {
  readonly log: Record<string, unknown>[]
  readonly url: string
  readonly #links: Links
  readonly #clock: { ms: number }

  constructor(links: Links, url: string, clock: { ms: number }, log: Record<string, unknown>[]) {
    this.#links = links
    this.url = url
    this.#clock = clock
    this.log = log
  }

  /** Seconds; the service sees this clock stand still until it is moved. */
  get now(): number {
    return Math.floor(this.#clock.ms / 1000)
  }

  advance(seconds: number): void {
    this.#clock.ms += seconds * 1000
  }

  /** Any request, from a peer on loopback unless told otherwise. */
  fetch(path: string, init: RequestInit = {}, peer = '127.0.0.1'): Promise<Response> {
    const request = new Request(`http://localhost:8080${path}`, { redirect: 'manual', ...init })
    return Promise.resolve(
      this.#links.fetch(request, { requestIP: () => ({ address: peer, family: 'IPv4', port: 1 }) }),
    )
  }

  /** One API call; `path` is relative to `/_/api`. A `body` is sent as JSON. */
  async call(method: string, path: string, { key, body, headers = {} }: CallOptions = {}): Promise<Reply> {
    const response = await this.fetch(`/_/api${path}`, {
      method,
      headers: {
        ...(key === undefined ? {} : { Authorization: `Bearer ${key}` }),
        ...(body === undefined ? {} : { 'Content-Type': 'application/json' }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    const isJson = response.headers.get('content-type')?.startsWith('application/json') ?? false
    return { status: response.status, headers: response.headers, body: isJson ? JSON.parse(text) : text }
  }

  /** A key of this identity, made straight in the store. */
  async key(identity: string, scope: Scope = 'create,read'): Promise<string> {
    const database = openDatabase<Tables>(this.url)
    const { rawKey } = await database.write((tx) =>
      insertKey(tx, { title: 'test', scope, identity, now: this.now }),
    )
    await database.close()
    return rawKey
  }

  close(): Promise<void> {
    return this.#links.close()
  }
}

/** Starts a service on this database; closed after the tests of the file. Settings are given by their names. */
export async function startTestLinks(
  url: string,
  environment: Record<string, string> = {},
): Promise<TestLinks> {
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-links-'))
  const clock = { ms: 1_795_000_000_000 }
  const log: Record<string, unknown>[] = []
  const settings = readSettings({
    LINKS_DATABASE_URL: url,
    LINKS_JOURNAL: `sqlite:${join(folder, 'journal.db')}`,
    LINKS_RATE_LIMIT: 'off',
    LINKS_TITLE_FETCH: 'off',
    ...environment,
  })
  const links = await createLinks({
    settings,
    log: createLog({ write: (line) => void log.push(JSON.parse(line) as Record<string, unknown>) }),
    now: () => clock.ms,
  })
  const service = new TestLinks(links, url, clock, log)
  afterAll(async () => {
    await service.close()
    rmSync(folder, { recursive: true, force: true })
  })
  return service
}
