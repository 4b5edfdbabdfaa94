import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import { Close } from './protocol.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { endReasonOf, findSessionEnds, findRevokedSince } from './store.ts'

/** Margin for the clock skew between nodes and for the duration of a commit. */
const REVOKED_MARGIN_MS = 10_000
/**
 * Number of ticks, one a second, in which all sessions of this node are checked. Up to
 * `MIN_SWEEP_SIZE` sessions are checked on every tick.
 */
const SWEEP_TICKS = 5
const MIN_SWEEP_SIZE = 1_000

/** Closes the sockets of ended sessions within two seconds, even while the bus is down (R18.3). */
export class SessionExpiry {
  readonly #database: Database<Tables>
  readonly #registry: ConnectionRegistry
  readonly #now: () => number
  #revokedSinceMs: number
  #sweptTo = 0

  constructor({
    database,
    registry,
    now,
  }: {
    database: Database<Tables>
    registry: ConnectionRegistry
    now: () => number
  }) {
    this.#database = database
    this.#registry = registry
    this.#now = now
    this.#revokedSinceMs = now()
  }

  async tick(): Promise<void> {
    const nowMs = this.#now()
    if (this.#registry.size > 0) {
      const revoked = await findRevokedSince(this.#database.read, this.#revokedSinceMs - REVOKED_MARGIN_MS)
      await this.check([...revoked, ...this.#expiredIds(nowMs), ...this.#sweep()])
    }
    this.#revokedSinceMs = nowMs
  }

  /** Closes the sockets of the ended sessions among these. */
  async check(sessionIds: Iterable<string>): Promise<void> {
    const local = [...new Set(sessionIds)].filter((id) => this.#registry.hasSession(id))
    if (local.length === 0) return
    const ends = await findSessionEnds(this.#database.read, this.#database.dialect, local)
    const nowMs = this.#now()
    for (const id of local) {
      const row = ends.get(id)
      const reason = endReasonOf(row, nowMs)
      for (const connection of this.#registry.ofSession(id))
        if (reason) connection.close(Close.session, reason)
        // The session may have been used over HTTP.
        else if (row) connection.expiresAtMs = row.idle_expires_at
    }
  }

  #expiredIds(nowMs: number): string[] {
    const due: string[] = []
    for (const { expiresAtMs, sessionId } of this.#registry.all())
      if (expiresAtMs <= nowMs) due.push(sessionId)
    return due
  }

  /**
   * Next part of all sessions. Finds what the other checks miss: erased accounts, and clocks that
   * differ widely.
   */
  #sweep(): string[] {
    const ids = this.#registry.sessionIds()
    const from = this.#sweptTo < ids.length ? this.#sweptTo : 0
    this.#sweptTo = from + Math.max(MIN_SWEEP_SIZE, Math.ceil(ids.length / SWEEP_TICKS))
    return ids.slice(from, this.#sweptTo)
  }
}
