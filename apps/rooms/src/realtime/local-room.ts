import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { loadEvents } from '../messages/event-log.ts'
import type { ClusterEvent, RoomEvent } from '../cluster-events.ts'
import { viewOf } from '../rooms/event-view.ts'
import { findAccessOfParticipants } from '../rooms/access-store.ts'
import type { Connection, Subscription } from './connection.ts'
import { Presence } from './presence.ts'

/** What a room here needs of the node. */
export interface LocalRoomDependencies {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  countDeliveries: (count: number) => void
}

const EVENTS_AT_ONCE = 200

type LocalRoomEvent = Extract<ClusterEvent, { kind: 'event' | 'grown' | 'presence' | 'typing' }>

/** A room that somebody at this node is subscribed to. Does no more than send; what is so, the database says. */
export class LocalRoom {
  readonly id: string
  /** Those who are told what happens. */
  readonly subscriptions = new Set<Subscription>()
  /** Those on their way in, who keep the room here and are told nothing yet. */
  readonly entering = new Set<Connection>()
  readonly presence: Presence
  readonly #dependencies: LocalRoomDependencies
  /** Everybody here has been sent everything up to this event, unless a catching-up is wanted. */
  #seq = 0
  /** The latest event that was heard of while nobody was here to be told. */
  #latestSeq = 0
  #catching: Promise<void> | undefined
  /** Stays set when catching up fails, so that it is gone on with. */
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

  /** Whether the log, which stands at `seq`, has more than was sent. */
  isBehind(seq: number): boolean {
    return this.#isBehind || seq > this.#seq
  }

  /** Somebody who has everything up to `seq`, from a transaction that others may have overtaken since. */
  open(subscription: Subscription): void {
    const { connection, seq } = subscription
    const known = Math.max(this.#seq, this.#latestSeq)
    if (this.subscriptions.size === 0) this.#seq = seq
    connection.subscriptions.set(this.id, subscription)
    this.subscriptions.add(subscription)
    // Whoever comes while others catch up is served by the round after.
    if (seq !== this.#seq || seq < known || this.#catching) this.catchUp()
  }

  /** Whether it was subscribed. */
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

  /** Something that concerns those who are here. */
  handle(event: LocalRoomEvent): void {
    switch (event.kind) {
      case 'event':
        return this.applyEvent(event.event)
      case 'grown':
        return this.#applyRemoteSeq(event.seq)
      case 'presence':
        return this.presence.scheduleRefresh()
      case 'typing': {
        const { roomId, userId, active } = event
        return this.broadcast({ type: 'typing', roomId, userId, active }, userId)
      }
    }
  }

  /** An event that was told, which may have come late, twice, or too early (R18.4). */
  applyEvent(event: RoomEvent): void {
    this.#latestSeq = Math.max(this.#latestSeq, event.seq)
    if (this.subscriptions.size === 0 || event.seq <= this.#seq) return
    // What each sees of the room's settings is their own, which takes a look at the database.
    const isNext = event.seq === this.#seq + 1 && event.event !== 'room.settings'
    if (this.#isBehind || this.#catching || !isNext) return this.catchUp()
    this.#seq = event.seq
    this.#deliver(event, this.subscriptions)
  }

  /** Another node has stored events up to this one. */
  #applyRemoteSeq(seq: number): void {
    this.#latestSeq = Math.max(this.#latestSeq, seq)
    if (this.subscriptions.size > 0 && seq > this.#seq) this.catchUp()
  }

  #deliver(
    event: RoomEvent,
    to: Iterable<Subscription>,
    viewFor?: (connection: Connection) => RoomEvent,
  ): void {
    // One text for all: making it is dearer than sending it.
    const shared = viewFor ? undefined : this.#frame(event)
    let count = 0
    for (const subscription of to) {
      if (subscription.seq >= event.seq) continue
      subscription.seq = event.seq
      // It may have left while others were sent theirs. The room's own set is at hand, that of each connection is not.
      if (!this.subscriptions.has(subscription)) continue
      const { connection } = subscription
      connection.send(shared ?? this.#frame(viewFor?.(connection) ?? event))
      count++
    }
    this.#dependencies.countDeliveries(count)
    // What visitors are is a setting of the room.
    if (!event.event.startsWith('message.')) this.presence.scheduleRefresh()
  }

  #frame(event: RoomEvent): string {
    return JSON.stringify({ type: 'event', roomId: this.id, ...event })
  }

  /** Sends what the log has and somebody here has not; one at a time, again when more is wanted meanwhile. */
  catchUp(): void {
    this.#isBehind = true
    this.#catching ??= this.#catchUp().finally(() => (this.#catching = undefined))
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#isBehind) {
        this.#isBehind = false
        await this.#readOn()
      }
    } catch (error) {
      // The next event, or the next look at the room's number, begins it again.
      this.#isBehind = true
      this.#dependencies.log.warn('a room could not catch up with its log', { error })
    }
  }

  async #readOn(): Promise<void> {
    const { read } = this.#dependencies.database
    for (;;) {
      const to = [...this.subscriptions]
      if (to.length === 0) return
      const from = to.reduce((least, { seq }) => Math.min(least, seq), this.#seq)
      const { events, reachedSeq, isAll } = await loadEvents(read, this.id, from, EVENTS_AT_ONCE)
      for (const event of events) this.#deliver(event, to, await this.#viewFor(event))
      for (const subscription of to) subscription.seq = Math.max(subscription.seq, reachedSeq)
      this.#seq = Math.max(this.#seq, reachedSeq)
      if (isAll) return
    }
  }

  /** Only settings look different to different people. */
  async #viewFor(event: RoomEvent): Promise<((connection: Connection) => RoomEvent) | undefined> {
    if (event.event !== 'room.settings') return undefined
    const { database, now } = this.#dependencies
    const accesses = await findAccessOfParticipants(database.read, this.id, now())
    const roles = new Map(accesses.map(({ userId, role }) => [userId, role]))
    const { count } = this
    return ({ userId }) => viewOf(event, { role: roles.get(userId) ?? null, participantCount: count })
  }
}
