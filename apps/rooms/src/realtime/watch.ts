import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { Ends } from './ends.ts'
import type { Leases } from './leases.ts'
import type { Lobby } from './lobby.ts'
import type { LocalRooms } from './local-rooms.ts'
import type { Roster } from './roster.ts'
import { findLastSeqs, findPresentIds } from './store.ts'

export interface WatchOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  roster: Roster
  rooms: LocalRooms
  lobby: Lobby
  ends: Ends
  leases: Leases
}

/** What nobody told is found out within this time (R18.4, R19.2). */
const LOOK_EVERY_MS = 5_000
const RENEW_EVERY_MS = 15_000
/** Names and roles of those present are read anew this seldom where nobody tells of a change: one room in so many a look. */
const NAMES_EVERY_LOOKS = 12

/** Looks into the database for what nobody told, or told and was lost. */
export class Watch {
  readonly #options: WatchOptions
  readonly #sessions: Turns
  readonly #rooms: Turns
  #lookedAtMs: number
  #looks = 0
  #renewedAtMs: number

  constructor(options: WatchOptions) {
    this.#options = options
    this.#sessions = new Turns(() => this.soon(() => options.ends.tick()))
    this.#rooms = new Turns(() => this.#tickRooms())
    const nowMs = options.now()
    this.#lookedAtMs = nowMs
    // At once, so that other nodes know of this one.
    this.#renewedAtMs = nowMs - RENEW_EVERY_MS
  }

  /** Waits for what is under way, and takes the node out of the cluster. */
  async stop(): Promise<void> {
    await Promise.all([this.#sessions.settled(), this.#rooms.settled()])
    try {
      await this.#options.leases.leaveCluster()
    } catch (error) {
      this.#options.log.warn('the leases of this node are left to run out', { error })
    }
  }

  /** Logs what fails; the next look does it again. */
  async soon(work: () => Promise<void>): Promise<void> {
    try {
      await work()
    } catch (error) {
      this.#options.log.warn('what rooms and sessions have become could not be read', { error })
    }
  }

  /** What is due at this moment, every second. Never fails. A slow database holds up neither signs of life nor sessions. */
  async tick(): Promise<void> {
    const nowMs = this.#options.now()
    for (const connection of this.#options.roster.all()) connection.keepAlive(nowMs)
    await Promise.all([this.#sessions.take(), this.#rooms.take()])
  }

  async #tickRooms(): Promise<void> {
    const { leases, lobby, now } = this.#options
    const nowMs = now()
    await this.soon(() => leases.tick(nowMs))
    // By a clock that was set back, what was done last lies ahead: that must not keep it from being done for as long.
    if (Math.abs(nowMs - this.#lookedAtMs) >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs
      await this.soon(() => this.#look())
      await this.soon(() => lobby.look())
    }
    if (Math.abs(nowMs - this.#renewedAtMs) >= RENEW_EVERY_MS) {
      this.#renewedAtMs = nowMs
      // As of now: what came before may have taken long, and nobody's lease may end sooner for it.
      await this.soon(() => leases.renew(now()))
    }
  }

  /** Somebody may have lost rooms or sessions, or is called something else. */
  async checkPerson(userId: string): Promise<void> {
    const { roster, rooms, ends, leases } = this.#options
    const connections = roster.ofUser(userId)
    await ends.check(connections.map(({ sessionId }) => sessionId))
    const roomIds = [...new Set(connections.flatMap(({ subscriptions }) => [...subscriptions.keys()]))]
    for (const roomId of roomIds) rooms.find(roomId)?.presence.changed()
    if (roomIds.length > 0) await leases.check(roomIds)
  }

  /** Logs that have grown, rooms that are gone, people who came, went, or lost theirs. */
  async #look(): Promise<void> {
    const { database, rooms, roster, leases, now } = this.#options
    const looked = rooms.all()
    if (looked.length > 0) {
      const roomIds = looked.map(({ id }) => id)
      const seqs = await findLastSeqs(database.read, database.dialect, roomIds)
      const people = await findPresentIds(database.read, database.dialect, { roomIds, nowMs: now() })
      this.#looks++
      for (const [index, room] of looked.entries()) {
        if (room.isBehind(seqs.get(room.id) ?? 0)) room.catchUp()
        const isNamed = (index + this.#looks) % NAMES_EVERY_LOOKS === 0
        if (isNamed || room.presence.differsFrom(people.get(room.id) ?? new Set())) room.presence.changed()
      }
    }
    // With a room that is gone its leases are gone.
    if (roster.size > 0) await leases.check()
  }
}

/** Does the same again and again, one at a time; asked for during one, it is done once more after it. */
class Turns {
  readonly #work: () => Promise<void>
  #current: Promise<void> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(work: () => Promise<void>) {
    this.#work = work
  }

  /** Ends when one has been done that began after this. */
  take(): Promise<void> {
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      return (this.#current = this.#work())
    })
    return this.#next
  }

  settled(): Promise<void> {
    return this.#next ?? this.#current
  }
}
