import { Counter, Gauge, Histogram, Registry } from 'prom-client'
import type { FollowedSessions } from '../access/followed-sessions.ts'
import type { DrainThread } from '../counting/drain-thread.ts'
import type { Journal } from '../counting/journal.ts'
import type { Redirect } from '../redirect/redirect.ts'

export interface Metrics {
  registry: Registry
  /** Records a request to an API, where the duration is meaningful. */
  observeRequest(route: string, status: number, seconds: number): void
  countRequest(route: string, status: number): void
  observeCommit(ms: number): void
  countDelivery(outcome: string): void
}

/**
 * Creates the metrics of one instance. Labels are routes, statuses and outcomes; never URLs, slugs
 * or identities.
 */
export function createMetrics(): Metrics {
  const registry = new Registry()
  const registers = [registry]
  const requests = new Counter({
    name: 'latchkey_links_requests_total',
    help: 'Requests by route and status, but for redirects',
    labelNames: ['route', 'status'],
    registers,
  })
  const durations = new Histogram({
    name: 'latchkey_links_request_seconds',
    help: 'Duration of API requests',
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers,
  })
  const commits = new Histogram({
    name: 'latchkey_links_click_commit_seconds',
    help: 'Duration of journal commits; all clicks of one turn share one',
    buckets: [0.0002, 0.001, 0.005, 0.02, 0.1, 0.5],
    registers,
  })
  const deliveries = new Counter({
    name: 'latchkey_links_webhook_deliveries_total',
    help: 'Attempts to deliver an event to a webhook, by outcome',
    labelNames: ['outcome'],
    registers,
  })
  return {
    registry,
    observeRequest(route, status, seconds) {
      requests.inc({ route, status })
      durations.observe(seconds)
    },
    countRequest: (route, status) => requests.inc({ route, status }),
    observeCommit: (ms) => commits.observe(ms / 1000),
    countDelivery: (outcome) => deliveries.inc({ outcome }),
  }
}

/** Adds whether the access layer says which sessions have ended; undefined for one that need not. */
export function exposeAccess({ registry }: Metrics, sessions: FollowedSessions | undefined): void {
  new Gauge({
    name: 'latchkey_links_access_failing',
    help: '1 while the access layer cannot be asked which sessions have ended',
    registers: [registry],
    collect() {
      this.set((sessions?.isFollowing ?? true) ? 0 : 1)
    },
  })
}

/** Adds the plain counters of the hot path, which are read only during a scrape. */
export function exposeClicks(
  { registry }: Metrics,
  { redirect, journal, drainThread }: { redirect: Redirect; journal: Journal; drainThread: DrainThread },
): void {
  const registers = [registry]
  new Counter({
    name: 'latchkey_links_redirects_total',
    help: 'Requests for a slug by outcome',
    labelNames: ['outcome'],
    registers,
    collect() {
      this.reset()
      for (const [outcome, count] of Object.entries(redirect.outcomes)) this.inc({ outcome }, count)
    },
  })
  const totals = { clicks_committed: 'committed', clicks_lost: 'lost' } as const
  for (const [name, field] of Object.entries(totals))
    new Counter({
      name: `latchkey_links_${name}_total`,
      help: field === 'lost' ? 'Clicks redirected but not stored' : 'Clicks on disk before their redirect',
      registers,
      collect() {
        this.reset()
        this.inc(journal.state[field])
      },
    })
  new Gauge({
    name: 'latchkey_links_clicks_waiting',
    help: 'Clicks on disk that are not counted yet',
    registers,
    collect() {
      this.set(drainThread.pendingClicks)
    },
  })
  new Gauge({
    name: 'latchkey_links_click_batches_waiting',
    help: 'Journal batches that those clicks are in; each was one commit',
    registers,
    collect() {
      this.set(drainThread.pendingBatches)
    },
  })
  new Gauge({
    name: 'latchkey_links_clicks_failing',
    help: '1 while clicks cannot be stored or counted',
    registers,
    collect() {
      this.set(journal.state.isFailing || drainThread.isFailing ? 1 : 0)
    },
  })
  new Gauge({
    name: 'latchkey_links_resident_memory_bytes',
    help: 'Memory of the process',
    registers,
    collect() {
      this.set(process.memoryUsage.rss())
    },
  })
}
