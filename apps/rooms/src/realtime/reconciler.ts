import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { SessionExpiry } from './session-expiry.ts'
import type { Leases } from './leases.ts'
import type { Lobby } from './lobby.ts'
import type { LocalRooms } from './local-rooms.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { findLastSeqs, findParticipantIds } from './store.ts'

export interface ReconcilerOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  registry: ConnectionRegistry
  rooms: LocalRooms
  lobby: Lobby
  sessionExpiry: SessionExpiry
  leases: Leases
}

/** What nobody told is found out within this time (R18.4, R19.2). */
const RECONCILE_EVERY_MS = 5_000
const RENEW_EVERY_MS = 15_000
/** Names and roles of those present are read anew this seldom where nobody tells of a change: one room in so many a look. */
const NAMES_EVERY = 12

/** Looks into the database for what nobody told, or told and was lost. */
export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #sessions: CoalescedTask
  readonly #rooms: CoalescedTask
  #reconciledAtMs: number
  #reconciliations = 0
  #renewedAtMs: number

  constructor(options: ReconcilerOptions) {
    this.#options = options
    this.#sessions = new CoalescedTask(() => this.runLogged(() => options.sessionExpiry.tick()))
    this.#rooms = new CoalescedTask(() => this.#tickRooms())
    const nowMs = options.now()
    this.#reconciledAtMs = nowMs
    // At once, so that other nodes know of this one.
    this.#renewedAtMs = nowMs - RENEW_EVERY_MS
  }

  /** Waits for what is under way, and takes the node out of the cluster. */
  async stop(): Promise<void> {
    await Promise.all([this.#sessions.whenIdle(), this.#rooms.whenIdle()])
    try {
      await this.#options.leases.leaveCluster()
    } catch (error) {
      this.#options.log.warn('the leases of this node are left to run out', { error })
    }
  }

  /** Logs what fails; the next look does it again. */
  async runLogged(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.log.warn('what rooms and sessions have become could not be read', { error })
    }
  }

  /** What is due at this moment, every second. Never fails. A slow database holds up neither signs of life nor sessions. */
  async tick(): Promise<void> {
    const nowMs = this.#options.now()
    for (const connection of this.#options.registry.all()) connection.keepAlive(nowMs)
    await Promise.all([this.#sessions.run(), this.#rooms.run()])
  }

  async #tickRooms(): Promise<void> {
    const { leases, lobby, now } = this.#options
    const nowMs = now()
    await this.runLogged(() => leases.tick(nowMs))
    // By a clock that was set back, what was done last lies ahead: that must not keep it from being done for as long.
    if (Math.abs(nowMs - this.#reconciledAtMs) >= RECONCILE_EVERY_MS) {
      this.#reconciledAtMs = nowMs
      await this.runLogged(() => this.#reconcileRooms())
      await this.runLogged(() => lobby.reconcile())
    }
    if (Math.abs(nowMs - this.#renewedAtMs) >= RENEW_EVERY_MS) {
      this.#renewedAtMs = nowMs
      // As of now: what came before may have taken long, and nobody's lease may end sooner for it.
      await this.runLogged(() => leases.renew(now()))
    }
  }

  /** Somebody may have lost rooms or sessions, or is called something else. */
  async checkPerson(userId: string): Promise<void> {
    const { registry, rooms, sessionExpiry, leases } = this.#options
    const connections = registry.ofUser(userId)
    await sessionExpiry.check(connections.map(({ sessionId }) => sessionId))
    const roomIds = [...new Set(connections.flatMap(({ subscriptions }) => [...subscriptions.keys()]))]
    for (const roomId of roomIds) rooms.find(roomId)?.presence.scheduleRefresh()
    if (roomIds.length > 0) await leases.check(roomIds)
  }

  /** Logs that have grown, rooms that are gone, people who came, went, or lost theirs. */
  async #reconcileRooms(): Promise<void> {
    const { database, rooms, registry, leases, now } = this.#options
    const looked = rooms.all()
    if (looked.length > 0) {
      const roomIds = looked.map(({ id }) => id)
      const seqs = await findLastSeqs(database.read, database.dialect, roomIds)
      const people = await findParticipantIds(database.read, database.dialect, { roomIds, nowMs: now() })
      this.#reconciliations++
      for (const [index, room] of looked.entries()) {
        if (room.isBehind(seqs.get(room.id) ?? 0)) room.catchUp()
        const isNamed = (index + this.#reconciliations) % NAMES_EVERY === 0
        if (isNamed || room.presence.differsFrom(people.get(room.id) ?? new Set()))
          room.presence.scheduleRefresh()
      }
    }
    // With a room that is gone its leases are gone.
    if (registry.size > 0) await leases.check()
  }
}

/** Does the same again and again, one at a time; asked for during one, it is done once more after it. */
class CoalescedTask {
  readonly #work: () => Promise<void>
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Ends when one has been done that began after this. */
  run(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      return (this.#current = this.#work())
    })
    return this.#next
  }

  whenIdle(): Promise<void> {
    return this.#next ?? this.#current
  }
}
