import type { Database } from '@latchkey/database/database'
import { elapsedMs } from '@latchkey/http/elapsed'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { CoalescedTask } from './coalesced-task.ts'
import type { SessionExpiry } from './session-expiry.ts'
import type { Leases } from './leases.ts'
import type { Lobby } from './lobby.ts'
import type { Online } from './online.ts'
import type { LocalRooms } from './local-rooms.ts'
import type { ConnectionRegistry } from './connection-registry.ts'
import { findLastSeqs, findParticipantIds } from './store.ts'

export interface ReconcilerOptions {
  database: Database<Tables>
  log: Log
  /** Clock of the database, in milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
  /** Reads the clock of the database again. */
  measureClock: () => Promise<void>
  registry: ConnectionRegistry
  rooms: LocalRooms
  lobby: Lobby
  online: Online
  sessionExpiry: SessionExpiry
  leases: Leases
}

/** Time within which changes without an event are found (R18.4, R19.2). */
const RECONCILE_EVERY_MS = 5_000
const RENEW_EVERY_MS = 15_000
/** Each pass refreshes names and roles in one of this many rooms, in case an event was lost. */
const REFRESH_NAMES_EVERY = 12

/** Finds changes in the database whose events were lost or never published. */
export class Reconciler {
  readonly #options: ReconcilerOptions
  readonly #sessions: CoalescedTask
  readonly #rooms: CoalescedTask
  /** Moments of the monotonic clock, as are all of this class. */
  #reconciledAtMs: number
  #reconciliations = 0
  #renewedAtMs: number

  constructor(options: ReconcilerOptions) {
    this.#options = options
    this.#sessions = new CoalescedTask(() => this.runLogged(() => options.sessionExpiry.tick()))
    this.#rooms = new CoalescedTask(() => this.#tickRooms())
    const nowMs = options.steadyNow()
    this.#reconciledAtMs = nowMs
    // Due at once, to make this node known to the others.
    this.#renewedAtMs = nowMs - RENEW_EVERY_MS
  }

  /** Waits for running work and removes the node from the cluster. */
  async stop(): Promise<void> {
    await Promise.all([this.#sessions.whenIdle(), this.#rooms.whenIdle()])
    try {
      await this.#options.leases.leaveCluster()
    } catch (error) {
      this.#options.log.warn('leases: cannot be shortened, left to expire', { error })
    }
  }

  /** Logs failures. The next pass repeats the work. */
  async runLogged(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.log.warn('reconciler: cannot reconcile rooms and sessions', { error })
    }
  }

  /**
   * Runs everything that is due, every second. Never rejects. A slow database delays neither pings
   * nor session checks.
   */
  async tick(): Promise<void> {
    const nowMs = this.#options.steadyNow()
    for (const connection of this.#options.registry.all()) connection.keepAlive(nowMs)
    await Promise.all([this.#sessions.run(), this.#rooms.run()])
  }

  async #tickRooms(): Promise<void> {
    const { leases, lobby, online, now, steadyNow, measureClock } = this.#options
    const nowMs = steadyNow()
    await this.runLogged(() => leases.tick(now()))
    await this.runLogged(() => online.tick())
    if (elapsedMs(this.#reconciledAtMs, nowMs) >= RECONCILE_EVERY_MS) {
      this.#reconciledAtMs = nowMs
      await this.runLogged(() => this.#reconcileRooms())
      await this.runLogged(() => lobby.reconcile())
    }
    if (elapsedMs(this.#renewedAtMs, nowMs) >= RENEW_EVERY_MS) {
      this.#renewedAtMs = nowMs
      await this.runLogged(measureClock)
      // With the current time: earlier work may have taken long and must not shorten leases.
      await this.runLogged(() => leases.renew(now()))
      await this.runLogged(() => online.reconcile())
    }
  }

  /** Checks a user who may have lost rooms or sessions or changed their name. */
  async checkPerson(userId: string): Promise<void> {
    const { registry, rooms, sessionExpiry, leases } = this.#options
    const connections = registry.ofUser(userId)
    await sessionExpiry.check(connections.map(({ sessionId }) => sessionId))
    const roomIds = [...new Set(connections.flatMap(({ subscriptions }) => [...subscriptions.keys()]))]
    for (const roomId of roomIds) rooms.find(roomId)?.presence.scheduleRefresh()
    if (roomIds.length > 0) await leases.check(roomIds)
  }

  /** Finds new events, deleted rooms, changed presence and lost leases. */
  async #reconcileRooms(): Promise<void> {
    const { database, rooms, registry, leases, now } = this.#options
    const checked = rooms.all()
    if (checked.length > 0) {
      const roomIds = checked.map(({ id }) => id)
      const seqs = await findLastSeqs(database.read, database.dialect, roomIds)
      const people = await findParticipantIds(database.read, database.dialect, { roomIds, nowMs: now() })
      this.#reconciliations++
      for (const [index, room] of checked.entries()) {
        if (room.isBehind(seqs.get(room.id) ?? 0)) room.catchUp()
        const isRefreshDue = (index + this.#reconciliations) % REFRESH_NAMES_EVERY === 0
        if (isRefreshDue || room.presence.differsFrom(people.get(room.id) ?? new Set()))
          room.presence.scheduleRefresh()
      }
    }
    // Also covers deleted rooms: their leases are deleted with them.
    if (registry.size > 0) await leases.check()
  }
}
