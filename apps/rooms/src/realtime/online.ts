import type { Database } from '@latchkey/database/database'
import type { Tables } from '../db/tables.ts'
import type { Publish } from '../api/cluster-events.ts'
import { deleteOnline, insertOnline, selectOnlineIds } from '../people/online-store.ts'
import type { Connection } from './connection.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { GRACE_MS } from './leases.ts'

interface OnlineOptions {
  database: Database<Tables>
  nodeId: string
  /** Milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
  registry: ConnectionRegistry
  publish: Publish
}

/** People of one event. */
const MAX_PUBLISHED = 200

/**
 * Records for all nodes which member accounts have a connection at this one. A reload of the page is
 * no absence.
 */
export class Online {
  readonly #options: OnlineOptions
  /** Users whose connections were opened or closed since the last pass. */
  readonly #changed = new Set<string>()
  /** Users who are recorded. */
  #stored = new Set<string>()
  /** Recorded users without a connection, by the end of their grace period. */
  readonly #leaving = new Map<string, number>()

  constructor(options: OnlineOptions) {
    this.#options = options
  }

  /** Called when a connection was opened or closed. */
  note({ userId, person }: Connection): void {
    if (!person.isGuest) this.#changed.add(userId)
  }

  async tick(): Promise<void> {
    const nowMs = this.#options.steadyNow()
    const arrived = this.#takeArrived(nowMs)
    const left = [...this.#leaving].filter(([, atMs]) => atMs <= nowMs).map(([userId]) => userId)
    if (arrived.length === 0 && left.length === 0) return
    const { database, nodeId, now, publish } = this.#options
    try {
      await database.write(async (tx) => {
        await insertOnline(tx, database.dialect, { nodeId, userIds: arrived, nowMs: now() })
        await deleteOnline(tx, database.dialect, { nodeId, userIds: left })
      })
    } catch (error) {
      for (const userId of arrived) this.#changed.add(userId)
      throw error
    }
    for (const userId of arrived) this.#stored.add(userId)
    for (const userId of left) {
      this.#leaving.delete(userId)
      this.#stored.delete(userId)
      // A connection that was opened meanwhile is recorded by the next pass.
      this.#changed.add(userId)
    }
    const all = [...arrived, ...left]
    for (let from = 0; from < all.length; from += MAX_PUBLISHED)
      publish({ kind: 'people', userIds: all.slice(from, from + MAX_PUBLISHED) })
  }

  /** Users with a connection who are not recorded. Others begin or end their grace period. */
  #takeArrived(nowMs: number): string[] {
    const arrived: string[] = []
    for (const userId of this.#changed) {
      const isConnected = this.#options.registry.ofUser(userId).length > 0
      if (isConnected) this.#leaving.delete(userId)
      if (isConnected && !this.#stored.has(userId)) arrived.push(userId)
      else if (!isConnected && this.#stored.has(userId) && !this.#leaving.has(userId))
        this.#leaving.set(userId, nowMs + GRACE_MS)
    }
    this.#changed.clear()
    return arrived
  }

  /** Finds rows that were lost, such as those of a node that was silent for too long. */
  async reconcile(): Promise<void> {
    const { database, nodeId } = this.#options
    if (this.#stored.size === 0) return
    this.#stored = new Set(await selectOnlineIds(database.read, nodeId))
    for (const connection of this.#options.registry.all()) this.note(connection)
  }
}
