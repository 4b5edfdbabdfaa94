import { loadEvents } from '../messages/load-events.ts'
import type { ClusterEvent, RoomEvent } from '../api/cluster-events.ts'
import { type Viewer, dependsOnViewer, viewOf } from '../rooms/event-view.ts'
import { findAccessOfParticipants } from '../rooms/access-store.ts'
import { readableAfterSeq } from '../rooms/history.ts'
import type { Connection, Subscription } from './connection.ts'
import { Presence, type PresenceDependencies } from './presence.ts'

/** Dependencies of a room on its node. */
export interface LocalRoomDependencies extends PresenceDependencies {
  countDeliveries: (count: number) => void
}

const BATCH_SIZE = 200

type LocalRoomEvent = Extract<ClusterEvent, { kind: 'event' | 'last_seq' | 'presence' | 'typing' }>

/** Room with subscribers at this node. It only delivers; the database decides. */
export class LocalRoom {
  readonly id: string
  /** Subscriptions that receive events. */
  readonly subscriptions = new Set<Subscription>()
  /** Connections that are entering. They keep the room open and receive nothing yet. */
  readonly entering = new Set<Connection>()
  readonly presence: Presence
  readonly #dependencies: LocalRoomDependencies
  /**
   * All events up to this sequence number were sent to all subscriptions, unless a catch-up is due.
   */
  #seq = 0
  /** Highest sequence number received, also while the room had no subscriptions. */
  #latestSeq = 0
  #catchUpRun: Promise<void> | undefined
  /** Stays set if the catch-up fails, to repeat it. */
  #isBehind = false

  constructor(id: string, dependencies: LocalRoomDependencies) {
    this.id = id
    this.#dependencies = dependencies
    this.presence = new Presence(id, dependencies, (frame) => this.broadcast(frame))
  }

  get count(): number {
    return this.presence.count
  }

  get isEmpty(): boolean {
    return this.subscriptions.size === 0 && this.entering.size === 0
  }

  /** Whether the event log, whose last number is `seq`, has events that were not sent. */
  isBehind(seq: number): boolean {
    return this.#isBehind || seq > this.#seq
  }

  /**
   * Adds a subscription that has all events up to its `seq`. Newer events may have been committed
   * since that transaction.
   */
  open(subscription: Subscription): void {
    const { connection, seq } = subscription
    const highestSeq = Math.max(this.#seq, this.#latestSeq)
    if (this.subscriptions.size === 0) this.#seq = seq
    connection.subscriptions.set(this.id, subscription)
    this.subscriptions.add(subscription)
    // A subscription added during a catch-up is served by the next round.
    if (seq !== this.#seq || seq < highestSeq || this.#catchUpRun) this.catchUp()
  }

  /** Whether the connection was subscribed. */
  remove(connection: Connection): boolean {
    const subscription = connection.subscriptions.get(this.id)
    if (!subscription) return false
    connection.subscriptions.delete(this.id)
    return this.subscriptions.delete(subscription)
  }

  broadcast(frame: Readonly<Record<string, unknown>>, except?: string): void {
    const text = JSON.stringify(frame)
    for (const { connection } of this.subscriptions) if (connection.userId !== except) connection.send(text)
  }

  /** Applies an event of this room. */
  handle(event: LocalRoomEvent): void {
    switch (event.kind) {
      case 'event':
        return this.applyEvent(event.event)
      case 'last_seq':
        return this.#applyRemoteSeq(event.seq)
      case 'presence':
        return this.presence.scheduleRefresh()
      case 'typing': {
        const { roomId, userId, active } = event
        return this.broadcast({ type: 'typing', roomId, userId, active }, userId)
      }
    }
  }

  /** Delivers a published event, which may be late, repeated or early (R18.4). */
  applyEvent(event: RoomEvent): void {
    this.#latestSeq = Math.max(this.#latestSeq, event.seq)
    if (this.subscriptions.size === 0 || event.seq <= this.#seq) return
    // Views that differ require a read of the database.
    const isNext = event.seq === this.#seq + 1 && !dependsOnViewer(event)
    if (this.#isBehind || this.#catchUpRun || !isNext) return this.catchUp()
    this.#seq = event.seq
    this.#deliver(event, this.subscriptions)
  }

  /** Applies the sequence number that another node has stored. */
  #applyRemoteSeq(seq: number): void {
    this.#latestSeq = Math.max(this.#latestSeq, seq)
    if (this.subscriptions.size > 0 && seq > this.#seq) this.catchUp()
  }

  #deliver(
    event: RoomEvent,
    to: Iterable<Subscription>,
    viewFor?: (connection: Connection) => RoomEvent,
  ): void {
    // One text for all: serialising costs more than sending.
    const shared = viewFor ? undefined : this.#frame(event)
    let count = 0
    for (const subscription of to) {
      if (subscription.seq >= event.seq) continue
      subscription.seq = event.seq
      // It may have ended during this delivery. The set of the room is at hand, unlike the map of
      // each connection.
      if (!this.subscriptions.has(subscription)) continue
      const { connection } = subscription
      connection.send(shared ?? this.#frame(viewFor?.(connection) ?? event))
      count++
    }
    this.#dependencies.countDeliveries(count)
    // The role of visitors is a setting of the room.
    if (!event.event.startsWith('message.')) this.presence.scheduleRefresh()
  }

  #frame(event: RoomEvent): string {
    return JSON.stringify({ type: 'event', roomId: this.id, ...event })
  }

  /**
   * Sends events of the log that subscriptions lack. Runs one at a time, and again if requested
   * meanwhile.
   */
  catchUp(): void {
    this.#isBehind = true
    this.#catchUpRun ??= this.#catchUp().finally(() => (this.#catchUpRun = undefined))
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#isBehind) {
        this.#isBehind = false
        await this.#sendMissing()
      }
    } catch (error) {
      // The next event or reconciliation starts it again.
      this.#isBehind = true
      this.#dependencies.log.warn('room: cannot catch up with its event log', { error })
    }
  }

  async #sendMissing(): Promise<void> {
    const { database, now } = this.#dependencies
    for (;;) {
      const to = [...this.subscriptions]
      if (to.length === 0) return
      const from = to.reduce((min, { seq }) => Math.min(min, seq), this.#seq)
      const missing = { roomId: this.id, afterSeq: from, limit: BATCH_SIZE }
      const { events, reachedSeq, isAll } = await loadEvents(database.read, missing, now())
      // Read once for all events of the batch.
      const viewerOf = events.some(dependsOnViewer) ? await this.#loadViewers() : undefined
      for (const event of events)
        this.#deliver(
          event,
          to,
          viewerOf && dependsOnViewer(event) ? (user) => viewOf(event, viewerOf(user)) : undefined,
        )
      for (const subscription of to) subscription.seq = Math.max(subscription.seq, reachedSeq)
      this.#seq = Math.max(this.#seq, reachedSeq)
      if (isAll) return
    }
  }

  /** Loads what the forms of events depend on. Users without access see nothing of messages. */
  async #loadViewers(): Promise<(connection: Connection) => Viewer> {
    const { database, now } = this.#dependencies
    const accesses = await findAccessOfParticipants(database.read, this.id, now())
    const byUser = new Map(accesses.map((access) => [access.userId, access]))
    const { count: participantCount } = this
    return ({ userId }) => {
      const access = byUser.get(userId)
      const afterSeq = access ? readableAfterSeq(access) : Infinity
      return { role: access?.role ?? null, participantCount, afterSeq }
    }
  }
}
