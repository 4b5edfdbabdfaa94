import type { Database } from '@latchkey/database/database'
import { withTimeout } from '@latchkey/database/with-timeout'
import { isLocalRequest } from '@latchkey/http/local-request'
import { isLoopbackHost } from '@latchkey/http/safe-url'
import { equalTokens } from '@latchkey/tokens/opaque'
import { sql } from 'kysely'
import type { DatabaseClock } from '@latchkey/database/database-clock'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Bus } from '../realtime/bus.ts'
import { toMoment } from '../api/wire.ts'
import { hostNameOf } from './hosts.ts'
import type { Services } from '../services.ts'

/** Liveness of the process (R24.1), under any host name. */
export function health(now: number): Response {
  return Response.json({ status: 'ok', timestamp: toMoment(now) })
}

/** Load balancers wait only a few seconds, and treat a timeout as a failure as well. */
const PROBE_MS = 2_000

interface ReadinessOptions {
  database: Database<Tables>
  bus: Bus['state']
  clock: DatabaseClock
}

/**
 * Whether this node should receive traffic. The identity provider is not checked: sessions and
 * rooms work without it.
 */
export class Readiness {
  readonly #database: Database<Tables>
  readonly #bus: Bus['state']
  readonly #clock: DatabaseClock
  #draining = false

  constructor({ database, bus, clock }: ReadinessOptions) {
    this.#database = database
    this.#bus = bus
    this.#clock = clock
  }

  drain(): void {
    this.#draining = true
  }

  async answer(): Promise<Response> {
    const database = await this.#probe()
    const ready = database === 'ok' && !this.#draining
    const status = this.#draining ? 'draining' : ready ? 'ready' : 'unavailable'
    // Bus and clock are reported only: without the bus everything works with a short delay (R19.2),
    // and rooms use the clock of the database.
    const clock = this.#clock.isMachineRight ? 'ok' : this.#clock.machineAheadMs > 0 ? 'ahead' : 'behind'
    const checks = { database, bus: this.#bus(), clock }
    return Response.json({ status, checks }, { status: ready ? 200 : 503 })
  }

  async #probe(): Promise<'ok' | 'unreachable'> {
    const query = sql`select 1 from platform_state limit 1`.execute(this.#database.read)
    return withTimeout(PROBE_MS, 'The database', query).then(
      () => 'ok',
      () => 'unreachable',
    )
  }
}

/**
 * Restricts metrics to the operator (R24.2): from this machine under a loopback name, or with the
 * token. Throws 421 or 400 under any other host that is not allowed, and 404 for all other clients.
 */
export function authorizeMetrics(request: Request, peer: string, { settings, hosts }: Services): void {
  const host = request.headers.get('host')
  const name = hostNameOf(host)
  const isOwnName = name !== undefined && isLoopbackHost(name)
  const match = hosts(host)
  if (!isOwnName && 'refused' in match) throw failure(match.refused)
  const isHere = isOwnName && isLocalRequest(request, peer, settings.proxyHeader)
  if (!isHere && !hasToken(request, settings.metricsToken)) throw failure('not_found')
}

function hasToken(request: Request, token: string | null): boolean {
  const [, value] = /^Bearer (\S+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
  return token !== null && value !== undefined && equalTokens(value, token)
}
