import type { Database } from '@latchkey/database/database'
import { isDirect } from '@latchkey/http/direct'
import { equalTokens } from '@latchkey/tokens/opaque'
import { sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { isLoopbackHost } from '../setting-kinds.ts'
import type { Services } from './services.ts'

/** The process alone (R24.1): whoever asks by address gets an answer too. */
export function health(now: number): Response {
  return Response.json({ status: 'ok', timestamp: new Date(now).toISOString() })
}

/** Whether this node should get traffic. The identity provider does not count: sessions and rooms go on without it. */
export class Readiness {
  readonly #database: Database<Tables>
  #draining = false

  constructor(database: Database<Tables>) {
    this.#database = database
  }

  drain(): void {
    this.#draining = true
  }

  async answer(): Promise<Response> {
    const database = await this.#probe()
    const ready = database === 'ok' && !this.#draining
    const status = this.#draining ? 'draining' : ready ? 'ready' : 'unavailable'
    return Response.json({ status, checks: { database, bus: 'in-process' } }, { status: ready ? 200 : 503 })
  }

  async #probe(): Promise<'ok' | 'unreachable'> {
    try {
      await sql`select 1 from platform_state limit 1`.execute(this.#database.read)
      return 'ok'
    } catch {
      return 'unreachable'
    }
  }
}

/** Figures are for the operator (R24.2): from this machine under a loopback name, or with the token. */
export function mayReadMetrics(request: Request, peer: string, { settings }: Services): boolean {
  const given = request.headers.get('authorization')
  if (settings.metricsToken !== null && given?.startsWith('Bearer '))
    return equalTokens(given.slice('Bearer '.length), settings.metricsToken)
  const host = URL.parse(`http://${request.headers.get('host') ?? ''}`)
  return host !== null && isLoopbackHost(host.hostname) && isDirect(request, peer, settings.proxyHeader)
}
