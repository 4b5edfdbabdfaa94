import type { Database } from '@latchkey/database/database'
import { isLoopback } from '@latchkey/http/client-address'
import { isLocalRequest } from '@latchkey/http/local-request'
import { equalTokens } from '@latchkey/tokens/opaque'
import { sql } from 'kysely'
import { hostOf } from '../access/local-requests.ts'
import type { FollowedSessions } from '../access/followed-sessions.ts'
import type { Journal } from '../counting/journal.ts'
import type { Tables } from '../db/tables.ts'
import { saveInstanceValue } from '../preferences/store.ts'
import type { Settings } from '../settings/settings.ts'
import { VERSION } from '../api/version.ts'

const HEADERS = { 'Cache-Control': 'private, no-store' }

/**
 * Public health check: whether the service answers and its database can be read. `timestamp` is in
 * milliseconds.
 */
export async function checkHealth(database: Database<Tables>): Promise<Response> {
  const timestamp = Date.now()
  try {
    await sql`select 1 from instance limit 1`.execute(database.read)
    return Response.json({ status: 'ok', version: VERSION, timestamp }, { headers: HEADERS })
  } catch {
    const body = { status: 'database unreachable', version: VERSION, timestamp }
    return Response.json(body, { status: 503, headers: HEADERS })
  }
}

/** A write probe costs a commit, and load balancers ask far more often than storage fails. */
const PROBE_EVERY_MS = 1_000

interface ReadinessOptions {
  database: Database<Tables>
  journal: Journal
  sessions: FollowedSessions | undefined
}

/**
 * Whether this node should receive traffic: started, not draining, and able to store clicks and
 * changes. A node whose clicks cannot be counted stays ready: they wait in the journal, while
 * redirects and changes go on as on any other node. So does one that cannot ask the access layer for
 * ended sessions, which matters to people of the admin side only.
 */
export class Readiness {
  readonly #node: ReadinessOptions
  #isDraining = false
  #lastProbe: { atMs: number; problem: Promise<string | undefined> } | undefined

  constructor(node: ReadinessOptions) {
    this.#node = node
  }

  drain(): void {
    this.#isDraining = true
  }

  async answer(): Promise<Response> {
    const problem = this.#isDraining ? 'draining' : await this.#problem()
    if (problem !== undefined) return Response.json({ status: problem }, { status: 503, headers: HEADERS })
    const isFollowing = this.#node.sessions?.isFollowing ?? true
    const access = isFollowing ? {} : { access: 'ended sessions cannot be followed' }
    return Response.json({ status: 'ready', ...access }, { headers: HEADERS })
  }

  #problem(): Promise<string | undefined> {
    if (!this.#lastProbe || performance.now() - this.#lastProbe.atMs > PROBE_EVERY_MS)
      this.#lastProbe = { atMs: performance.now(), problem: this.#probe() }
    return this.#lastProbe.problem
  }

  async #probe(): Promise<string | undefined> {
    try {
      this.#node.journal.probe()
    } catch {
      return 'clicks cannot be stored'
    }
    try {
      await this.#node.database.write((tx) => saveInstanceValue(tx, 'ready_probe', String(Date.now())))
    } catch {
      return 'the database cannot be written'
    }
    return undefined
  }
}

/**
 * Metrics are for the operator: read from this machine without a proxy in between, or with the
 * token.
 */
export function mayReadMetrics(
  request: Request,
  peer: string,
  { metricsToken, proxyHeader, baseUrl }: Settings,
): boolean {
  const authorization = request.headers.get('authorization')
  if (
    metricsToken !== null &&
    authorization?.startsWith('Bearer ') &&
    equalTokens(authorization.slice('Bearer '.length), metricsToken)
  )
    return true
  return isLocalRequest(request, peer, proxyHeader) && isOwnHost(hostOf(request), baseUrl)
}

/**
 * DNS rebinding: a page of another site can make its own name resolve to 127.0.0.1, but the browser
 * still sends that name.
 */
function isOwnHost(host: string, baseUrl: string | null): boolean {
  const name = URL.parse(`http://${host}`)?.hostname
  if (name === undefined) return false
  if (name === 'localhost' || isLoopback(name.replaceAll(/[[\]]/g, ''))) return true
  return baseUrl !== null && name === new URL(baseUrl).hostname
}
