import type { Database } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Tables } from '../db/tables.ts'
import type { Limits } from '../api/limits.ts'
import { presenceEvents } from '../rooms/eviction.ts'
import { recordHeartbeat, leaveCluster } from '../rooms/nodes.ts'
import { LEASE_MS, type StartedVisit, endLease, renewLeases, shortenLeases } from '../rooms/visits.ts'
import type { Bus } from './bus.ts'
import type { Connection, Subscription } from './connection.ts'
import { EntryQueue } from './entry-queue.ts'
import type { LocalRooms, Removal } from './local-rooms.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { type LiveLeases, findLeases, findRemoval } from './store.ts'

export interface LeaseOptions {
  database: Database<Tables>
  /** Clock of the database, in milliseconds since 1970. */
  now: () => number
  /** Reads the clock of the database again. */
  measureClock: () => Promise<void>
  bus: Bus
  nodeId: string
  limits: Limits
  registry: ConnectionRegistry
  rooms: LocalRooms
}

/**
 * Time for which a user stays present after the last connection closed: a tunnel, a new tab
 * (R18.6).
 */
export const GRACE_MS = 10_000
/**
 * Clock skew between nodes. A node whose clock is ahead may already have deleted a lease that
 * expires this soon. Renewed leases last much longer.
 */
const CLOCK_SKEW_MS = 10_000

/** Lost subscriptions that are handled at the same time. Each may read the database. */
const MAX_CONCURRENT_LOST = 100

/** Closed connection with the rooms that it was in. */
interface ClosedConnection {
  readonly connectionId: string
  readonly roomIds: readonly string[]
}

/** Removal that was published; null: all users. */
export interface AnnouncedRemoval extends Removal {
  readonly userIds: readonly string[] | null
}

/**
 * Leases keep the users of this node in their rooms (R18.6). A connection without a lease receives
 * no events of the room.
 */
export class Leases {
  readonly #options: LeaseOptions
  readonly #entryQueue: EntryQueue
  /** Connections closed since the last tick. The next tick shortens their leases. */
  #closed: ClosedConnection[] = []
  /** Connections whose leases expire at `atMs`. The presence of their rooms is published then. */
  #inGrace: (ClosedConnection & { readonly atMs: number })[] = []

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#entryQueue = new EntryQueue(options)
  }

  /** Takes a lease for this connection if the user may enter. Throws the refusals of R17.2. */
  take(connection: Connection, roomId: string): Promise<StartedVisit> {
    return this.#entryQueue.enter(connection, roomId)
  }

  /** True if the user has left the room with it; `isHeld` as in `endLease`. */
  end({ id: connectionId }: Connection, roomId: string, isHeld?: () => boolean): Promise<boolean> {
    const { database, now } = this.#options
    return database.write((tx) => endLease(tx, { roomId, connectionId, nowMs: now(), isHeld }))
  }

  addClosed(closed: ClosedConnection): void {
    if (closed.roomIds.length > 0) this.#closed.push(closed)
  }

  async tick(nowMs: number): Promise<void> {
    const inGrace = this.#inGrace
    this.#inGrace = inGrace.filter(({ atMs }) => nowMs < atMs && atMs <= nowMs + GRACE_MS)
    // The clock was set back, and the leases would outlast the grace period. They are shortened
    // again.
    this.#closed.push(...inGrace.filter(({ atMs }) => atMs > nowMs + GRACE_MS))
    const expired = inGrace.filter(({ atMs }) => nowMs >= atMs)
    for (const roomId of new Set(expired.flatMap(({ roomIds }) => roomIds))) this.#publishPresence(roomId)
    await this.#shortenClosed(nowMs)
  }

  async #shortenClosed(nowMs: number): Promise<void> {
    if (this.#closed.length === 0) return
    const { database } = this.#options
    const closed = this.#closed
    this.#closed = []
    try {
      await database.write(async (tx) => {
        const ids = closed.map(({ connectionId }) => connectionId)
        await shortenLeases(tx, database.dialect, ids, nowMs + GRACE_MS)
      })
    } catch (error) {
      this.#closed.push(...closed)
      throw error
    }
    this.#inGrace.push(...closed.map((connection) => ({ ...connection, atMs: nowMs + GRACE_MS })))
  }

  /** Records the heartbeat of the node and renews the leases of its connections. */
  async renew(nowMs: number): Promise<void> {
    const { database, nodeId, rooms } = this.#options
    const held = rooms.subscriptions()
    const ids = [...new Set(held.map(({ connection }) => connection.id))]
    await database.write(async (tx) => {
      await recordHeartbeat(tx, nodeId, nowMs)
      if (ids.length > 0) await renewLeases(tx, database.dialect, ids, nowMs)
    })
    // Leases that had already expired were not renewed.
    for (const lease of held) if (lease.leaseUntilMs > nowMs) lease.leaseUntilMs = nowMs + LEASE_MS
  }

  /** Removes users without a lease from these rooms, or from all (R17.7). */
  async check(roomIds?: readonly string[], announced?: AnnouncedRemoval): Promise<void> {
    const { database, nodeId, now, rooms, measureClock } = this.#options
    // Taken before the leases are read: the leases of these subscriptions are committed by then.
    const before = rooms.subscriptions(roomIds).map((subscription) => ({
      subscription,
      leaseUntilMs: subscription.leaseUntilMs,
    }))
    if (roomIds && before.length === 0) return
    const leases = await findLeases(database.read, database.dialect, { nodeId, roomIds, nowMs: now() })
    const missing = before.filter(
      ({ subscription: { connection, roomId } }) => !leases.get(connection.id)?.has(roomId),
    )
    // Another node may have seen first that the clock of the database was set forward.
    if (missing.length > 0) await measureClock()
    // Meanwhile another check may have taken the lease again.
    const lost = missing.map(({ subscription, leaseUntilMs }) => ({
      subscription,
      hasExpired: now() > leaseUntilMs - CLOCK_SKEW_MS,
    }))
    // Concurrently, because the entry queue groups concurrent entries. After an outage, all
    // subscriptions are affected.
    for (let from = 0; from < lost.length; from += MAX_CONCURRENT_LOST)
      await Promise.all(
        lost
          .slice(from, from + MAX_CONCURRENT_LOST)
          .map(({ subscription, hasExpired }) => this.#handleLost(subscription, hasExpired, announced)),
      )
    if (!roomIds) await this.#endOrphans(leases)
  }

  async #handleLost(
    subscription: Subscription,
    hasExpired: boolean,
    announced: AnnouncedRemoval | undefined,
  ): Promise<void> {
    const { connection, roomId } = subscription
    const isHeld = () => connection.subscriptions.get(roomId) === subscription
    if (!isHeld()) return
    const { userId } = connection
    const isAffected = announced && (announced.userIds === null || announced.userIds.includes(userId))
    // The lease expired because the database was unavailable for too long or this node was
    // suspended. The access was not revoked.
    if (!isAffected && hasExpired && (await this.#retake(subscription))) return
    const { database, now } = this.#options
    const removal = isAffected
      ? announced
      : await findRemoval(database.read, { roomId, userId, nowMs: now() })
    if (isHeld()) this.#options.rooms.remove(subscription, removal)
  }

  /** False if the user may not enter any more. */
  async #retake(subscription: Subscription): Promise<boolean> {
    const { connection, roomId } = subscription
    try {
      const nowMs = this.#options.now()
      await this.take(connection, roomId)
      subscription.leaseUntilMs = nowMs + LEASE_MS
    } catch (error) {
      if (error instanceof Failure) return false
      throw error
    }
    if (connection.isClosed) this.addClosed({ connectionId: connection.id, roomIds: [roomId] })
    this.#publishPresence(roomId)
    return true
  }

  /** Ends leases without a subscription, left by a `subscribe` that failed half-way. */
  async #endOrphans(leases: LiveLeases): Promise<void> {
    const { registry, rooms } = this.#options
    for (const connection of registry.all())
      for (const roomId of leases.get(connection.id) ?? []) {
        const isHeld = () =>
          connection.subscriptions.has(roomId) || rooms.find(roomId)?.entering.has(connection) === true
        if (!isHeld() && (await this.end(connection, roomId, isHeld))) this.#publishPresence(roomId)
      }
  }

  /**
   * Orderly stop: the leases of this node expire after the grace period, in which clients can
   * reconnect to another node.
   */
  async leaveCluster(): Promise<void> {
    const { database, nodeId, now } = this.#options
    await database.write((tx) => leaveCluster(tx, nodeId, now() + GRACE_MS))
  }

  #publishPresence(roomId: string): void {
    for (const event of presenceEvents(roomId)) this.#options.bus.publish(event)
  }
}
