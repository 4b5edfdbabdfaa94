import { expect } from 'bun:test'
import { AsyncLocalStorage } from 'node:async_hooks'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createMigratedFile } from '@latchkey/database/testing-templates'
import { watchTransactions } from '@latchkey/database/testing-transactions'
import { createLog } from '@latchkey/http/log'
import { type Rooms, type RoomsOptions, createRooms } from '../src/app.ts'
import type { LimitName, Limits } from '../src/api/limits.ts'
import type { ClusterEvent } from '../src/api/cluster-events.ts'
import type { ProviderConfig } from '../src/identity/provider-config.ts'
import type { Bus } from '../src/realtime/bus.ts'
import { type Settings, readSettings } from '../src/settings/settings.ts'
import { csrfTokenOf } from '../src/sessions/csrf.ts'
import { ALICE, type HostileProvider, type Person, hostileProvider } from './provider/hostile.ts'

export const ORIGIN = 'https://rooms.example.com'
/** 2026-11-21 12:00 UTC: the time at which the clock of a test starts. */
export const NOON = Date.UTC(2026, 10, 21, 12)

/** Runs a request, which comes from outside: a transaction of the test is none of the service. */
const fromOutside = AsyncLocalStorage.snapshot()

/** No operation of any test may wait for the network, a thread or a timer in a transaction. */
const transactions = watchTransactions()

export interface TestRooms {
  rooms: Rooms
  idp: HostileProvider
  clock: TestClock
  /** The limits of this node. */
  limits: Limits
  /** The folder of the contents of files. */
  filesFolder: string
  /** All log lines. */
  logLines: string[]
  /** The events that this node has published, in order. */
  publishedEvents: ClusterEvent[]
  /** A new browser, with its own cookies and address. */
  browser(options?: { ip?: string; origin?: string }): Browser
  /** A browser in which this person has signed in. */
  signedInBrowser(person?: Person, options?: { ip?: string }): Promise<Browser>
  /** Another node on the same database, settings, clock and provider. */
  node(overrides?: Partial<Settings>): Promise<TestRooms>
  close(): Promise<void>
}

export interface TestOptions {
  /** From `eachDialect`. By default a new SQLite file. */
  url?: string
  /** The bus between nodes. By default a new one. */
  bus?: Bus
  settings?: Partial<Settings>
  limits?: Partial<Record<LimitName, number>>
  /** How push services are reached. */
  outbound?: RoomsOptions['outbound']
  /** The configuration of the provider. By default plain `oidc`. */
  provider?: (idp: HostileProvider) => ProviderConfig
  /** Runs on the real clock, of which that of its machine is ahead by so much. */
  machineAheadMs?: number | (() => number)
  /** The provider, clock and log of another instance. */
  shared?: Pick<TestRooms, 'idp' | 'clock' | 'logLines'>
}

interface TestClock {
  ms: number
  /** The monotonic clock, which runs along and is not set back. */
  readonly steadyMs?: number
}

class SetClock implements TestClock {
  #ms = NOON
  #steadyMs = NOON

  get ms(): number {
    return this.#ms
  }

  set ms(ms: number) {
    this.#steadyMs += Math.max(0, ms - this.#ms)
    this.#ms = ms
  }

  get steadyMs(): number {
    return this.#steadyMs
  }
}

const REAL_CLOCK: TestClock = {
  get steadyMs() {
    return performance.now()
  },
  get ms() {
    return Date.now()
  },
  set ms(_ms: number) {
    throw new TypeError('The real clock cannot be set')
  },
}

/** The whole service on an injected clock, without a port, with a hostile provider. */
export async function openRooms(options: TestOptions = {}): Promise<TestRooms> {
  const { machineAheadMs } = options
  const clock = options.shared?.clock ?? (machineAheadMs === undefined ? new SetClock() : REAL_CLOCK)
  const idp = options.shared?.idp ?? (await hostileProvider({ now: () => clock.ms }))
  const logLines = options.shared?.logLines ?? []
  const folder = mkdtempSync(join(tmpdir(), 'latchkey-rooms-'))
  const databaseUrl = options.url ?? (await createSqliteUrl(join(folder, 'rooms.db')))
  const settings = settingsFor(options, { databaseUrl, folder }, options.provider?.(idp) ?? idp.config())
  const log = createLog({ write: (line) => void logLines.push(line), now: () => clock.ms })
  const waitCount = transactions.waits.length
  const publishedEvents: ClusterEvent[] = []
  const onEvent = (event: ClusterEvent) => void publishedEvents.push(event)
  const rooms = await createRooms({
    settings,
    log,
    ...(machineAheadMs === undefined
      ? { now: () => clock.ms, steadyNow: () => clock.steadyMs ?? clock.ms }
      : {
          machineNow: () =>
            Date.now() + (typeof machineAheadMs === 'number' ? machineAheadMs : machineAheadMs()),
        }),
    onEvent,
    ...(options.bus && { bus: options.bus }),
    ...(options.outbound && { outbound: options.outbound }),
  })
  const test: TestRooms = {
    rooms,
    idp,
    clock,
    limits: settings.limits,
    filesFolder: 'folder' in settings.files ? settings.files.folder : '',
    logLines,
    publishedEvents,
    browser: (as = {}) => new Browser(test, as),
    async signedInBrowser(person = ALICE, as = {}) {
      const browser = test.browser(as)
      await browser.signIn(person)
      return browser
    },
    node: (overrides = {}) =>
      openRooms({
        ...options,
        url: databaseUrl,
        settings: { ...options.settings, files: settings.files, ...overrides },
        shared: { idp, clock, logLines },
      }),
    async close() {
      await rooms.close()
      if (!options.shared) await idp.stop()
      rmSync(folder, { recursive: true, force: true })
      expect(transactions.waits.slice(waitCount)).toEqual([])
    },
  }
  return test
}

async function createSqliteUrl(path: string): Promise<string> {
  await createMigratedFile(path)
  return `sqlite:${path}`
}

function settingsFor(
  { settings, limits }: TestOptions,
  { databaseUrl, folder }: { databaseUrl: string; folder: string },
  provider: ProviderConfig,
): Settings {
  const defaults = readSettings({
    AUTH_PROVIDER: 'oidc',
    OIDC_ISSUER: 'https://idp.example',
    AUTH_CLIENT_ID: 'latchkey-rooms',
    ALLOWED_HOSTS: ORIGIN,
    GUEST_ENABLED: 'true',
  })
  return {
    ...defaults,
    provider,
    port: 0,
    databaseUrl,
    files: { folder: join(folder, 'files') },
    limits: { ...defaults.limits, ...limits },
    ...settings,
  }
}

interface RequestOptions {
  method?: string
  /** Sent as JSON unless it is a form or a stream. */
  body?: unknown
  headers?: Record<string, string>
}

/** The parts of a browser that matter here: cookies, redirect addresses and the CSRF token. */
export class Browser {
  readonly cookies = new Map<string, string>()
  readonly #test: TestRooms
  readonly #ip: string
  readonly origin: string

  constructor(test: TestRooms, { ip = '192.0.2.1', origin = ORIGIN }: { ip?: string; origin?: string } = {}) {
    this.#test = test
    this.#ip = ip
    this.origin = origin
  }

  /** The text of the session cookie. */
  get token(): string | undefined {
    return this.cookies.get('__Host-latchkey_session') ?? this.cookies.get('latchkey_session')
  }

  /** Sends a request as the page of this origin would, and stores the cookies of the response. */
  async send(address: string, { method, body, headers = {} }: RequestOptions = {}): Promise<Response> {
    const url = new URL(address, this.origin)
    const verb = method ?? (body === undefined ? 'GET' : 'POST')
    const own: Record<string, string> = { host: url.host, 'user-agent': 'Mozilla/5.0 (test)' }
    if (this.cookies.size > 0) own['cookie'] = [...this.cookies].map((pair) => pair.join('=')).join('; ')
    if (verb !== 'GET' && verb !== 'HEAD') {
      own['origin'] = this.origin
      own['sec-fetch-site'] = 'same-origin'
      if (this.token) own['x-csrf-token'] = csrfTokenOf(this.token)
    }
    const isRaw = body instanceof FormData || body instanceof ReadableStream
    if (body !== undefined && !isRaw) own['content-type'] = 'application/json'
    const request = new Request(url, {
      method: verb,
      headers: { ...own, ...headers },
      redirect: 'manual',
      ...(body !== undefined && { body: isRaw ? body : JSON.stringify(body) }),
    })
    const server = { requestIP: () => ({ address: this.#ip, family: 'IPv4', port: 1 }) as const }
    const response = await fromOutside(() => this.#test.rooms.fetch(request, server))
    this.#keep(response)
    return response
  }

  /** The JSON of the response. Throws on another status. */
  async json<Body = Record<string, unknown>>(
    address: string,
    sent: RequestOptions = {},
    status = 200,
  ): Promise<Body> {
    const response = await this.send(address, sent)
    const text = await response.text()
    if (response.status !== status) throw new Error(`${address}: ${response.status} ${text}`)
    return JSON.parse(text) as Body
  }

  /** Starts a login as a click on the button does, and returns the provider URL of the redirect. */
  async startLogin(returnTo?: string): Promise<string> {
    const query = returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`
    const response = await this.send(`/api/auth/login${query}`, {
      headers: {
        'sec-fetch-mode': 'navigate',
        'sec-fetch-dest': 'document',
        'sec-fetch-site': 'same-origin',
        'sec-fetch-user': '?1',
      },
    })
    return response.headers.get('location') ?? ''
  }

  /** Signs in at the provider and returns the response to the callback. */
  async signIn(person: Person = ALICE, returnTo?: string): Promise<Response> {
    const callback = this.#test.idp.authorize(await this.startLogin(returnTo), person)
    return this.send(callback)
  }

  #keep(response: Response): void {
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
      if (/Max-Age=0\b/.test(line)) this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
  }
}
