import { NO_FILTERS } from '../src/clicks/filters.ts'
import { openDatabase } from '@latchkey/database/database'
import { migrate } from '@latchkey/database/migrate'
import { Failure } from '@latchkey/http/failure'
import type { AnyOperation } from '@latchkey/http/operation'
import { parseBody, parseOrFail, queryObject } from '@latchkey/http/validation'
import { type Recorder } from '../src/counting/recorder.ts'
import { openRecorder } from '../src/counting/open-recorder.ts'
import type { Context } from '../src/api/context.ts'
import type { CreatedVia } from '../src/api/caller.ts'
import { migrations } from '../src/db/migrations.ts'
import type { Tables } from '../src/db/tables.ts'
import { Sites } from '../src/domains/sites.ts'
import { literalTexts } from '../src/api/failures.ts'
import { recordChanges } from '../src/record-changes.ts'
import { linkOperations } from '../src/links/operations.ts'
import { Poster } from '../src/webhooks/post.ts'
import { Sender } from '../src/webhooks/sender.ts'
import { TestSlots } from '../src/webhooks/test-slots.ts'
import { createFreeCosts } from '../src/api/costs.ts'
import { SlugSpace } from '../src/links/slugs/generator.ts'
import { slugOperations } from '../src/links/slugs/operations.ts'
import { bundleOperations } from '../src/bundles/operations.ts'

/**
 * 2026-01-15 12:34:56 UTC: inside an hour, a day, a month and a year. Every edge of a window cuts
 * all of them.
 */
export const NOW = Date.UTC(2026, 0, 15, 12, 34, 56) / 1000

const operations: readonly AnyOperation<Context>[] = [
  ...bundleOperations,
  ...linkOperations,
  ...slugOperations,
]

export interface CallOptions {
  as?: string
  via?: CreatedVia
  body?: unknown
}

export interface Reply {
  status: number
  headers: Record<string, string>
  // oxlint-disable-next-line typescript/no-explicit-any -- tests read responses as a client
  body: any
}

/** Operations on a separate database, called as `METHOD /path?query` without a server. */
export class TestBundles {
  readonly context: Context
  readonly #recorder: Recorder
  /** Clicks that a call of `flushClicks` stores. */
  pendingClicks: { linkId: number; slug: string; at: readonly number[] }[] = []

  constructor(context: Omit<Context, 'flushClicks'>, recorder: Recorder) {
    this.#recorder = recorder
    this.context = {
      ...context,
      flushClicks: async () => {
        for (const { linkId, slug, at } of this.pendingClicks.splice(0)) await this.click(linkId, slug, at)
        return true
      },
    }
  }

  async call(
    method: string,
    url: string,
    { as = 'ann', via = 'api', body }: CallOptions = {},
  ): Promise<Reply> {
    const address = new URL(url, 'http://links.test')
    const { operation, values } = findOperation(method, address.pathname)
    try {
      const input = {
        params: operation.params && parseOrFail(operation.params, values, literalTexts),
        query: operation.query && parseOrFail(operation.query, queryObject(address.href), literalTexts),
        body: operation.body && parseBody(operation.body, body, literalTexts),
      }
      const context = { ...this.context, identity: as, createdVia: via }
      const result: unknown = await operation.handler(context, input)
      const answer = (await operation.answer?.(result, new Request(address))) ?? { body: result }
      const { status = operation.status ?? 200, headers = {} } = answer
      return { status, headers, body: operation.result.parse(answer.body) }
    } catch (error) {
      if (!(error instanceof Failure)) throw error
      return { status: error.status, headers: {}, body: { error: error.message } }
    }
  }

  /** The body of a call that must succeed. */
  async ok(method: string, url: string, call?: CallOptions): Promise<Reply['body']> {
    const { status, body } = await this.call(method, url, call)
    if (status >= 300) throw new Error(`${method} ${url}: ${status} ${JSON.stringify(body)}`)
    return body
  }

  async newBundle(name: string, call: CallOptions = {}): Promise<number> {
    return (await this.ok('POST', '/bundles', { ...call, body: { name } })).id
  }

  async newLink(slug: string, call: CallOptions = {}): Promise<number> {
    return (await this.ok('POST', '/links', { ...call, body: { url: `https://example.com/${slug}`, slug } }))
      .id
  }

  async add(bundleId: number, ...linkIds: number[]): Promise<void> {
    for (const link_id of linkIds) await this.ok('POST', `/bundles/${bundleId}/links`, { body: { link_id } })
  }

  /** Stores clicks with their rollups, as the journal's drain does. */
  async click(linkId: number, slug: string, at: readonly number[]): Promise<void> {
    const clicks = at.map((clickedAt) => ({ ...CLICK, linkId, slug, clickedAt }))
    if (!(await this.#recorder.record(clicks))) throw new Error('The clicks were not stored')
  }

  async close(): Promise<void> {
    await this.#recorder.close()
    await this.context.database.close()
  }
}

export async function openTestBundles(url: string): Promise<TestBundles> {
  const unrecorded = openDatabase<Tables>(url)
  await migrate(unrecorded, migrations)
  const source = { identity: 'ann', via: 'api', now: NOW } as const
  const database = recordChanges(unrecorded, source)
  const context = {
    database,
    identity: 'ann',
    createdVia: 'api',
    isAdmin: false,
    now: NOW,
    origin: 'http://links.test',
    keysPerPerson: 100,
    acceptsPng: false,
    acceptsNdjson: false,
    reportError: (error: unknown) => {
      throw error
    },
    startImport: () => {
      throw new Error('Nobody imports here')
    },
    readFiltered: () => {
      throw new Error('Nobody reads filtered statistics here')
    },
    followChanges: () => Promise.reject(new Error('Nobody follows here')),
    filters: NO_FILTERS,
    defaultRange: 'all',
    hasPendingClicks: () => false,
    visitSource: () => {
      throw new Error('Redirects are not explained in tests of bundles')
    },
    headers: {},
    source,
    slugSpace: new SlugSpace(),
    costs: createFreeCosts(),
    webhooks: {
      sender: new Sender({
        poster: new Poster({ allowed: [] }),
        instanceSecret: 'test',
        userAgent: 'test',
        now: () => NOW,
      }),
      tests: new TestSlots(),
      signal: new AbortController().signal,
    },
    sites: new Sites({ domains: [], redirectStatus: 302, robots: 'previews' }, database),
  } as const
  return new TestBundles(context, openRecorder(url))
}

function findOperation(method: string, path: string) {
  for (const operation of operations) {
    const pattern = new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`)
    const values = operation.methods.some((one) => one === method) && pattern.exec(path)
    if (values) return { operation, values: { ...values.groups } }
  }
  throw new Error(`No operation answers ${method} ${path}`)
}

const CLICK = {
  referrer: null,
  referrerHost: null,
  country: null,
  deviceType: null,
  os: null,
  browser: null,
  linkMode: 'link',
  channel: 'direct',
  utmSource: null,
  utmMedium: null,
  utmCampaign: null,
  utmTerm: null,
  utmContent: null,
  userAgent: null,
  isBot: 1,
  isSelfReferrer: 0,
  visitorFp: null,
  variant: null,
  legacyPath: null,
} as const
