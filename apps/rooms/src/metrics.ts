import type { Log } from '@latchkey/http/log'
import { Counter, Gauge, Histogram, Registry } from 'prom-client'

/**
 * Counts the live sessions each time the metrics are read, and not in between. If the database
 * cannot be used, the value does not change: an error would hide the other metrics when they matter
 * most.
 */
export function exposeLiveSessions(registry: Registry, log: Log, count: () => Promise<number>): void {
  new Gauge({
    name: 'latchkey_rooms_live_sessions',
    help: 'Live sessions of all nodes, at the last successful count',
    registers: [registry],
    async collect() {
      try {
        this.set(await count())
      } catch (error) {
        log.warn('metrics: cannot count live sessions', { error })
      }
    },
  })
}

export interface Metrics {
  registry: Registry
  /** Counts and times a request, for routes below `/api`, whose duration is meaningful. */
  observeRequest(route: string, status: number, seconds: number): void
  countRequest(route: string, status: number): void
  /** `outcome` is `ok` or a code of R6.8. */
  countLogin(outcome: string): void
  observeProvider(endpoint: string, outcome: string, seconds: number): void
  countKeySetFetch(): void
  countLogoutToken(result: string): void
  countIgnoredProxyHeader(): void
  observeJob(job: string, ok: boolean, seconds: number): void
  countDeliveries(count: number): void
  countPush(result: string): void
  countLiveKitRemoval(reason: string): void
  countWebhook(result: string): void
}

const SEARCH_ROUTE = '/search'

/**
 * Metrics of one node. Labels are routes, statuses and outcomes, never users, rooms or addresses
 * (R24.2).
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const counter = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Counter({ name: `latchkey_rooms_${name}_total`, help, labelNames, registers })
  const histogram = <Label extends string>(name: string, help: string, labelNames: Label[]) =>
    new Histogram({
      name: `latchkey_rooms_${name}_seconds`,
      help,
      labelNames,
      buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
      registers,
    })
  const countRequest = requestCounter(registry)
  const durations = histogram('request', 'Duration of API requests', [])
  const searches = histogram('search', 'Duration of searches for messages', [])
  const logins = counter('logins', 'Logins by outcome', ['outcome'])
  const provider = histogram('provider', 'Duration of calls to the identity provider', [
    'endpoint',
    'outcome',
  ])
  const keySets = counter('jwks_fetches', 'Fetches of the key set of the identity provider', [])
  const logoutTokens = counter('logout_tokens', 'Logout tokens by result', ['result'])
  const ignored = counter('ignored_proxy_headers', 'Address headers from untrusted peers', [])
  const deliveries = counter('deliveries', 'Events of rooms sent to sockets', [])
  const pushes = counter('pushes', 'Notifications to push services by result', ['result'])
  const removals = counter('livekit_removals', 'Participants found and removed at LiveKit', ['reason'])
  const webhooks = counter('livekit_webhooks', 'Webhooks of LiveKit by result', ['result'])
  const jobs = counter('job_runs', 'Runs of background jobs', ['job', 'result'])
  const jobSeconds = new Gauge({
    name: 'latchkey_rooms_job_seconds',
    help: 'Duration of the last run of a background job',
    labelNames: ['job'],
    registers,
  })
  exposeMemory(registry)
  return {
    registry,
    observeRequest(route, status, seconds) {
      countRequest(route, status)
      durations.observe(seconds)
      if (route === SEARCH_ROUTE) searches.observe(seconds)
    },
    countRequest,
    countLogin: (outcome) => logins.inc({ outcome }),
    observeProvider: (endpoint, outcome, seconds) => provider.observe({ endpoint, outcome }, seconds),
    countKeySetFetch: () => keySets.inc(),
    countLogoutToken: (result) => logoutTokens.inc({ result }),
    countIgnoredProxyHeader: () => ignored.inc(),
    countDeliveries: (count) => deliveries.inc(count),
    countPush: (result) => pushes.inc({ result }),
    countLiveKitRemoval: (reason) => removals.inc({ reason }),
    countWebhook: (result) => webhooks.inc({ result }),
    observeJob(job, ok, seconds) {
      jobs.inc({ job, result: ok ? 'ok' : 'failed' })
      jobSeconds.set({ job }, seconds)
    },
  }
}

function exposeMemory(registry: Registry): void {
  new Gauge({
    name: 'latchkey_rooms_resident_memory_bytes',
    help: 'Resident memory of the process',
    registers: [registry],
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
}

/**
 * Counts in a map and copies the values when the metrics are read: the library would hash the
 * labels of every request.
 */
function requestCounter(registry: Registry): (route: string, status: number) => void {
  const byRoute = new Map<string, Map<number, number>>()
  new Counter({
    name: 'latchkey_rooms_requests_total',
    help: 'Requests by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
    collect() {
      this.reset()
      for (const [route, counts] of byRoute)
        for (const [status, count] of counts) this.inc({ route, status }, count)
    },
  })
  return (route, status) => {
    const counts = byRoute.get(route) ?? new Map<number, number>()
    if (counts.size === 0) byRoute.set(route, counts)
    counts.set(status, (counts.get(status) ?? 0) + 1)
  }
}

/** Exposes how far the clock of this machine is ahead of the database. */
export function exposeClock(registry: Registry, aheadMs: () => number): void {
  new Gauge({
    name: 'latchkey_rooms_clock_ahead_seconds',
    help: 'How far the clock of this node is ahead of the database',
    registers: [registry],
    collect() {
      this.set(aheadMs() / 1000)
    },
  })
}

/** Exposes the number of open sockets of this node. */
export function exposeSockets(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'latchkey_rooms_sockets',
    help: 'Open sockets of this node',
    registers: [registry],
    collect() {
      this.set(count())
    },
  })
}

/** Exposes the number of connections in calls. */
export function exposeCalls(registry: Registry, count: () => number): void {
  new Gauge({
    name: 'latchkey_rooms_call_connections',
    help: 'Connections of this node in calls',
    registers: [registry],
    collect() {
      this.set(count())
    },
  })
}

/** Exposes whether LiveKit answered this node last time. */
export function exposeLiveKit(registry: Registry, isReachable: () => boolean): void {
  new Gauge({
    name: 'latchkey_rooms_livekit_up',
    help: 'Whether LiveKit answered this node last time',
    registers: [registry],
    collect() {
      this.set(isReachable() ? 1 : 0)
    },
  })
}
