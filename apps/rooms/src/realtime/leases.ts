import type { Database } from '@latchkey/database/database'
import { Failure } from '@latchkey/http/failure'
import type { Tables } from '../db/tables.ts'
import type { Limits } from '../limits.ts'
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
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  nodeId: string
  limits: Limits
  registry: ConnectionRegistry
  rooms: LocalRooms
}

/** For which somebody whose last connection went is still told to be there: a tunnel, a new tab (R18.6). */
const GRACE_MS = 10_000
/** Clocks of nodes differ, and any of them may have cleared away what ran out. Renewed ones last much longer. */
const CLOCKS_DIFFER_MS = 10_000

/** Each of them may read the database. */
const MAX_CONCURRENT_LOST = 100

/** A connection that has gone, and where it was. */
interface ClosedConnection {
  readonly connectionId: string
  readonly roomIds: readonly string[]
}

/** Who lost a room, as it was told; null: everybody. */
export interface AnnouncedRemoval extends Removal {
  readonly userIds: readonly string[] | null
}

/** What keeps people at this node in their rooms (R18.6): without a lease, nobody is told anything. */
export class Leases {
  readonly #options: LeaseOptions
  readonly #entryQueue: EntryQueue
  /** Since the last tick; their leases run out from then on. */
  #gone: ClosedConnection[] = []
  /** Those whose leases have been made to end at this moment, upon which their rooms are told. */
  #graceful: (ClosedConnection & { readonly atMs: number })[] = []

  constructor(options: LeaseOptions) {
    this.#options = options
    this.#entryQueue = new EntryQueue(options)
  }

  /** Takes a lease for this connection, if the person may enter. Throws what R17.2 names. */
  take(connection: Connection, roomId: string): Promise<StartedVisit> {
    return this.#entryQueue.enter(connection, roomId)
  }

  /** True when the person has left the room with it; `isHeld` as of `endLease`. */
  end({ id: connectionId }: Connection, roomId: string, isHeld?: () => boolean): Promise<boolean> {
    const { database, now } = this.#options
    return database.write((tx) => endLease(tx, { roomId, connectionId, nowMs: now(), isHeld }))
  }

  addClosed(gone: ClosedConnection): void {
    if (gone.roomIds.length > 0) this.#gone.push(gone)
  }

  async tick(nowMs: number): Promise<void> {
    const graceful = this.#graceful
    this.#graceful = graceful.filter(({ atMs }) => nowMs < atMs && atMs <= nowMs + GRACE_MS)
    // The clock was set back, by which their leases last longer.
    this.#gone.push(...graceful.filter(({ atMs }) => atMs > nowMs + GRACE_MS))
    const over = graceful.filter(({ atMs }) => nowMs >= atMs)
    for (const roomId of new Set(over.flatMap(({ roomIds }) => roomIds))) this.#publishPresence(roomId)
    await this.#shortenGone(nowMs)
  }

  async #shortenGone(nowMs: number): Promise<void> {
    if (this.#gone.length === 0) return
    const { database } = this.#options
    const gone = this.#gone
    this.#gone = []
    try {
      await database.write(async (tx) => {
        const ids = gone.map(({ connectionId }) => connectionId)
        await shortenLeases(tx, database.dialect, ids, nowMs + GRACE_MS)
      })
    } catch (error) {
      this.#gone.push(...gone)
      throw error
    }
    this.#graceful.push(...gone.map((each) => ({ ...each, atMs: nowMs + GRACE_MS })))
  }

  /** The node gives a sign of life, and so does everybody here. */
  async renew(nowMs: number): Promise<void> {
    const { database, nodeId, rooms } = this.#options
    const held = rooms.subscriptions()
    const ids = [...new Set(held.map(({ connection }) => connection.id))]
    await database.write(async (tx) => {
      await recordHeartbeat(tx, nodeId, nowMs)
      if (ids.length > 0) await renewLeases(tx, database.dialect, ids, nowMs)
    })
    // What had run out by then was not renewed.
    for (const each of held) if (each.leaseUntilMs > nowMs) each.leaseUntilMs = nowMs + LEASE_MS
  }

  /** Whoever has no lease any more in these rooms, or in any, has lost the room (R17.7). */
  async check(roomIds?: readonly string[], announced?: AnnouncedRemoval): Promise<void> {
    const { database, nodeId, now, rooms } = this.#options
    const nowMs = now()
    // Only those who were there before the leases are read, as they were then: theirs were committed by then.
    const there = rooms.subscriptions(roomIds).map((subscription) => ({
      subscription,
      hasRunOut: nowMs > subscription.leaseUntilMs - CLOCKS_DIFFER_MS,
    }))
    if (roomIds && there.length === 0) return
    const leases = await findLeases(database.read, database.dialect, { nodeId, roomIds, nowMs })
    const lost = there.filter(
      ({ subscription: { connection, roomId } }) => !leases.get(connection.id)?.has(roomId),
    )
    // Together, as the doors let in those who come together: after an outage it is everybody.
    for (let from = 0; from < lost.length; from += MAX_CONCURRENT_LOST)
      await Promise.all(
        lost
          .slice(from, from + MAX_CONCURRENT_LOST)
          .map(({ subscription, hasRunOut }) => this.#lost(subscription, hasRunOut, announced)),
      )
    if (!roomIds) await this.#endOrphans(leases)
  }

  async #lost(
    subscription: Subscription,
    hasRunOut: boolean,
    announced: AnnouncedRemoval | undefined,
  ): Promise<void> {
    const { connection, roomId } = subscription
    const isHeld = () => connection.subscriptions.get(roomId) === subscription
    if (!isHeld()) return
    const { userId } = connection
    const isMeant = announced && (announced.userIds === null || announced.userIds.includes(userId))
    // The database was away for too long, or this node asleep: nobody has taken the room from them.
    if (!isMeant && hasRunOut && (await this.#takeAgain(subscription))) return
    const { database, now } = this.#options
    const removal = isMeant ? announced : await findRemoval(database.read, { roomId, userId, nowMs: now() })
    if (isHeld()) this.#options.rooms.remove(subscription, removal)
  }

  /** False when the person may not come in any more. */
  async #takeAgain(subscription: Subscription): Promise<boolean> {
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

  /** Leases that are of no use, from a subscribing that failed half-way. */
  async #endOrphans(leases: LiveLeases): Promise<void> {
    const { registry, rooms } = this.#options
    for (const connection of registry.all())
      for (const roomId of leases.get(connection.id) ?? []) {
        const isHeld = () =>
          connection.subscriptions.has(roomId) || rooms.find(roomId)?.entering.has(connection) === true
        if (!isHeld() && (await this.end(connection, roomId, isHeld))) this.#publishPresence(roomId)
      }
  }

  /** The node stops in order: whoever was here is given the time to come back elsewhere. */
  async leaveCluster(): Promise<void> {
    const { database, nodeId, now } = this.#options
    await database.write((tx) => leaveCluster(tx, nodeId, now() + GRACE_MS))
  }

  #publishPresence(roomId: string): void {
    for (const event of presenceEvents(roomId)) this.#options.bus.publish(event)
  }
}
