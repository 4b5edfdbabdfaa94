import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { loadEvents } from '../messages/event-log.ts'
import type { RemovalReason, RoomEvent } from '../news.ts'
import { viewOf } from '../rooms/event-view.ts'
import { type Person, toPerson } from '../rooms/schema.ts'
import { findStandingsOfPresent } from '../rooms/standing.ts'
import { countPresent, findRoom, listPresent } from '../rooms/store.ts'
import type { Connection, Subscription } from './connection.ts'

/** What a room here needs of the node. */
export interface Surroundings {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  countDeliveries: (count: number) => void
}

/** More people than this are only counted (R18.6). */
export const MOST_PERSONS = 200
/** Comings and goings within this time are told together. */
const PRESENCE_EVERY_MS = 250
const EVENTS_AT_ONCE = 200

/** A room that somebody at this node is subscribed to. Does no more than send; what is so, the database says. */
export class LocalRoom {
  readonly id: string
  readonly subscriptions = new Set<Subscription>()
  /** As last told; empty above `MOST_PERSONS`. */
  present = new Map<string, Person>()
  count = 0
  readonly #around: Surroundings
  /** Everybody here has been sent everything up to this event, unless a catching-up is under way. */
  #seq: number
  #catching: Promise<void> | undefined
  #wanted = false
  #firstRead: Promise<unknown> | undefined
  #presenceTimer: ReturnType<typeof setTimeout> | undefined

  constructor(id: string, seq: number, around: Surroundings) {
    this.id = id
    this.#seq = seq
    this.#around = around
  }

  get seq(): number {
    return this.#seq
  }

  /** Somebody who has everything up to `seq`, from a transaction that others may have overtaken since. */
  add(connection: Connection, seq: number): void {
    const subscription = { connection, roomId: this.id, seq }
    connection.subscriptions.set(this.id, subscription)
    this.subscriptions.add(subscription)
    // Whoever comes while others catch up is served by the round after.
    if (seq !== this.#seq || this.#catching) this.catchUp()
  }

  /** Whether it was subscribed. */
  remove(connection: Connection): boolean {
    const subscription = connection.subscriptions.get(this.id)
    if (!subscription) return false
    connection.subscriptions.delete(this.id)
    return this.subscriptions.delete(subscription)
  }

  /** Nobody is here any more. */
  close(): void {
    clearTimeout(this.#presenceTimer)
  }

  broadcast(frame: Readonly<Record<string, unknown>>, except?: string): void {
    const text = JSON.stringify(frame)
    for (const { connection } of this.subscriptions) if (connection.userId !== except) connection.send(text)
  }

  /** An event that was told, which may have come late, twice, or too early (R18.4). */
  hear(event: RoomEvent): void {
    if (event.seq <= this.#seq) return
    // What each sees of the room's settings is their own, which takes a look at the database.
    if (this.#catching || event.seq !== this.#seq + 1 || event.event === 'room.settings')
      return this.catchUp()
    this.#seq = event.seq
    this.#deliver(event, this.subscriptions)
  }

  #deliver(
    event: RoomEvent,
    to: Iterable<Subscription>,
    viewFor?: (connection: Connection) => RoomEvent,
  ): void {
    const shared = viewFor ? undefined : this.#frame(event)
    let count = 0
    for (const subscription of to) {
      if (subscription.seq >= event.seq) continue
      subscription.seq = event.seq
      const { connection } = subscription
      connection.send(shared ?? this.#frame(viewFor?.(connection) ?? event))
      count++
    }
    this.#around.countDeliveries(count)
  }

  #frame(event: RoomEvent): string {
    return JSON.stringify({ type: 'event', roomId: this.id, ...event })
  }

  /** Sends what the log has and somebody here has not; one at a time, again when more is wanted meanwhile. */
  catchUp(): void {
    this.#wanted = true
    this.#catching ??= this.#catchUp().finally(() => (this.#catching = undefined))
  }

  async #catchUp(): Promise<void> {
    try {
      while (this.#wanted) {
        this.#wanted = false
        await this.#readOn()
      }
    } catch (error) {
      // The next look at the room's number begins it again.
      this.#around.log.warn('a room could not catch up with its log', { error })
    }
  }

  async #readOn(): Promise<void> {
    const { read } = this.#around.database
    for (;;) {
      const to = [...this.subscriptions]
      const from = Math.min(this.#seq, ...to.map(({ seq }) => seq))
      const { events, lastSeq } = await loadEvents(read, this.id, from, EVENTS_AT_ONCE)
      for (const event of events) this.#deliver(event, to, await this.#viewFor(event))
      const reached = events.length < EVENTS_AT_ONCE ? lastSeq : (events.at(-1)?.seq ?? lastSeq)
      for (const subscription of to) subscription.seq = Math.max(subscription.seq, reached)
      this.#seq = Math.max(this.#seq, reached)
      if (events.length < EVENTS_AT_ONCE) return
    }
  }

  /** Only settings look different to different people. */
  async #viewFor(event: RoomEvent): Promise<((connection: Connection) => RoomEvent) | undefined> {
    if (event.event !== 'room.settings') return undefined
    const { database, now } = this.#around
    const standings = await findStandingsOfPresent(database.read, this.id, now())
    const roles = new Map(standings.map(({ userId, role }) => [userId, role]))
    const { count } = this
    return ({ userId }) => viewOf(event, { role: roles.get(userId) ?? null, participantCount: count })
  }

  /** Tells who came and went, soon. */
  presenceChanged(): void {
    this.#presenceTimer ??= setTimeout(() => void this.#refresh(), PRESENCE_EVERY_MS)
  }

  async #refresh(): Promise<void> {
    this.#presenceTimer = undefined
    try {
      const change = await this.readPresence()
      if (change) this.broadcast({ type: 'presence', roomId: this.id, ...change })
    } catch (error) {
      this.#around.log.warn('who is in a room could not be read', { error })
      this.presenceChanged()
    }
  }

  /** Reads who is there unless it has been read before: later changes come by themselves. */
  readPresenceOnce(): Promise<unknown> {
    return (this.#firstRead ??= this.readPresence())
  }

  /** What is different from what was last told; undefined when nothing is. */
  async readPresence(): Promise<{ joined: Person[]; left: string[]; count: number } | undefined> {
    const { database, now } = this.#around
    const room = await findRoom(database.read, this.id)
    if (!room) return undefined
    const rows = await listPresent(database.read, this.id, now(), MOST_PERSONS + 1)
    const count =
      rows.length <= MOST_PERSONS ? rows.length : await countPresent(database.read, this.id, now())
    const persons = count <= MOST_PERSONS ? rows.map((row) => toPerson(row, room.default_role)) : []
    const present = new Map(persons.map((person) => [person.userId, person]))
    const joined = persons.filter((person) => !isSame(person, this.present.get(person.userId)))
    const left =
      count <= MOST_PERSONS ? [...this.present.keys()].filter((userId) => !present.has(userId)) : []
    const hasChanged = joined.length > 0 || left.length > 0 || count !== this.count
    this.present = present
    this.count = count
    return hasChanged ? { joined, left, count } : undefined
  }
}

function isSame(a: Person, b: Person | undefined): boolean {
  return b !== undefined && a.nickname === b.nickname && a.role === b.role && a.avatarColor === b.avatarColor
}

/** What somebody's sockets are told who lost a room; they stay open. */
export function removedFrame(
  roomId: string,
  reason: RemovalReason,
  untilMs: number | null,
): Record<string, unknown> {
  return {
    type: 'room.removed',
    roomId,
    reason,
    until: untilMs === null ? null : new Date(untilMs).toISOString(),
  }
}
