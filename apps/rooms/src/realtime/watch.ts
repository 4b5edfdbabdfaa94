import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { presenceChanged } from '../rooms/eviction.ts'
import { beat, leaveCluster } from '../rooms/nodes.ts'
import { renewLeases, shortenLeases } from '../rooms/visits.ts'
import type { Bus } from './bus.ts'
import type { LocalRooms } from './local-rooms.ts'
import { Close } from './protocol.ts'
import type { Roster } from './roster.ts'
import {
  findEnded,
  findIdleEnds,
  findLastSeqs,
  findLeases,
  findRemoval,
  findRevokedSince,
  leaseKey,
} from './store.ts'

export interface WatchOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  nodeId: string
  roster: Roster
  rooms: LocalRooms
}

/** What nobody told is found out within this time (R18.4, R19.2). */
const LOOK_EVERY_MS = 5_000
const RENEW_EVERY_MS = 15_000
/** For which somebody whose last connection went is still told to be there: a tunnel, a new tab (R18.6). */
const GRACE_MS = 10_000
/** Clocks of nodes differ, and a commit takes its time. */
const REVOKED_MARGIN_MS = 10_000

/** A connection that has gone, and where it was. */
export interface Gone {
  readonly connectionId: string
  readonly roomIds: readonly string[]
}

/** Looks into the database for what nobody told, or told and was lost. */
export class Watch {
  readonly #options: WatchOptions
  /** Since the last tick; their leases run out from then on. */
  #gone: Gone[] = []
  /** Rooms to tell of when the time of grace is over. */
  readonly #graceful = new Map<string, number>()
  #ticking: Promise<void> = Promise.resolve()
  #lookedAtMs: number
  #renewedAtMs: number
  #revokedSinceMs: number

  constructor(options: WatchOptions) {
    this.#options = options
    const nowMs = options.now()
    this.#lookedAtMs = nowMs
    // At once, so that other nodes know of this one.
    this.#renewedAtMs = nowMs - RENEW_EVERY_MS
    this.#revokedSinceMs = nowMs
  }

  connectionGone(gone: Gone): void {
    if (gone.roomIds.length > 0) this.#gone.push(gone)
  }

  /** Waits for what is under way, and takes the node out of the cluster. */
  async stop(): Promise<void> {
    await this.#ticking
    const { database, nodeId, now, log } = this.#options
    try {
      await database.write((tx) => leaveCluster(tx, nodeId, now() + GRACE_MS))
    } catch (error) {
      log.warn('the leases of this node are left to run out', { error })
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

  /** What is due at this moment, every second; at most one at a time. Never fails. */
  tick(): Promise<void> {
    this.#ticking = this.#ticking.then(() => this.#tick())
    return this.#ticking
  }

  async #tick(): Promise<void> {
    const nowMs = this.#options.now()
    for (const connection of this.#options.roster.all()) connection.keepAlive(nowMs)
    await this.soon(() => this.#endLeasesOfGone(nowMs))
    this.#tellOfGone(nowMs)
    await this.soon(() => this.#closeRevoked(nowMs))
    await this.soon(() => this.#closeExpired(nowMs))
    if (nowMs - this.#lookedAtMs >= LOOK_EVERY_MS) {
      this.#lookedAtMs = nowMs
      await this.soon(() => this.#look())
    }
    if (nowMs - this.#renewedAtMs >= RENEW_EVERY_MS) {
      this.#renewedAtMs = nowMs
      await this.soon(() => this.#renew(nowMs))
    }
  }

  async #endLeasesOfGone(nowMs: number): Promise<void> {
    if (this.#gone.length === 0) return
    const gone = this.#gone
    this.#gone = []
    try {
      await this.#options.database.write(async (tx) => {
        for (const { connectionId } of gone) await shortenLeases(tx, connectionId, nowMs + GRACE_MS)
      })
    } catch (error) {
      this.#gone.push(...gone)
      throw error
    }
    for (const { roomIds } of gone) for (const roomId of roomIds) this.#graceful.set(roomId, nowMs + GRACE_MS)
  }

  #tellOfGone(nowMs: number): void {
    for (const [roomId, atMs] of this.#graceful)
      if (nowMs >= atMs) {
        this.#graceful.delete(roomId)
        for (const news of presenceChanged(roomId)) this.#options.bus.publish(news)
      }
  }

  /** R18.3: within two seconds with the bus down too. */
  async #closeRevoked(nowMs: number): Promise<void> {
    const { database, roster } = this.#options
    if (roster.size > 0) {
      const ids = await findRevokedSince(database.read, this.#revokedSinceMs - REVOKED_MARGIN_MS)
      await this.checkSessions(ids)
    }
    this.#revokedSinceMs = nowMs
  }

  /** Closes the sockets of those of these sessions that are over. */
  async checkSessions(sessionIds: readonly string[]): Promise<void> {
    const { database, roster, now } = this.#options
    const here = sessionIds.filter((id) => roster.hasSession(id))
    if (here.length === 0) return
    const ended = await findEnded(database.read, database.dialect, here, now())
    for (const [id, reason] of ended)
      for (const connection of roster.ofSession(id)) connection.close(Close.session, reason)
  }

  /** Somebody may have lost rooms or sessions, or is called something else. */
  async checkPerson(userId: string): Promise<void> {
    const { roster, rooms } = this.#options
    const connections = roster.ofUser(userId)
    await this.checkSessions([...new Set(connections.map(({ sessionId }) => sessionId))])
    const roomIds = [...new Set(connections.flatMap(({ subscriptions }) => [...subscriptions.keys()]))]
    for (const roomId of roomIds) rooms.find(roomId)?.presenceChanged()
    await this.checkLeases(roomIds)
  }

  /** A session may have been used over HTTP meanwhile, so its row is read again before it is believed to be over. */
  async #closeExpired(nowMs: number): Promise<void> {
    const { database, roster } = this.#options
    const due = [...roster.all()].filter(({ expiresAtMs }) => expiresAtMs <= nowMs)
    if (due.length === 0) return
    const sessionIds = [...new Set(due.map(({ sessionId }) => sessionId))]
    const ends = await findIdleEnds(database.read, database.dialect, sessionIds)
    for (const connection of due) connection.expiresAtMs = ends.get(connection.sessionId) ?? 0
    await this.checkSessions(sessionIds)
  }

  /** Logs that have grown, rooms that are gone, people who came, went, or lost theirs. */
  async #look(): Promise<void> {
    const { database, rooms } = this.#options
    const roomIds = rooms.ids
    if (roomIds.length === 0) return
    const seqs = await findLastSeqs(database.read, database.dialect, roomIds)
    for (const roomId of roomIds) {
      const room = rooms.find(roomId)
      const seq = seqs.get(roomId)
      if (seq === undefined) rooms.remove(roomId, null, { reason: 'deleted', untilMs: null })
      else if (room && seq > room.seq) room.catchUp()
      room?.presenceChanged()
    }
    await this.checkLeases(rooms.ids)
  }

  /** Whoever has no lease any more has lost the room (R17.7). */
  async checkLeases(roomIds: readonly string[]): Promise<void> {
    const { database, nodeId, now, rooms } = this.#options
    // Only those who were there before the leases are read: theirs were committed by then.
    const there = rooms.subscriptions(roomIds)
    if (there.length === 0) return
    const nowMs = now()
    const leases = await findLeases(database.read, { nodeId, nowMs })
    for (const subscription of there) {
      const { connection, roomId } = subscription
      if (leases.has(leaseKey(connection.id, roomId))) continue
      const { userId } = connection
      const removal = await findRemoval(database.read, { roomId, userId, nowMs })
      if (connection.subscriptions.get(roomId) === subscription) rooms.remove(roomId, [userId], removal)
    }
  }

  async #renew(nowMs: number): Promise<void> {
    const { database, nodeId, roster } = this.#options
    const ids = [...roster.all()].filter(({ subscriptions }) => subscriptions.size > 0).map(({ id }) => id)
    await database.write(async (tx) => {
      await beat(tx, nodeId, nowMs)
      if (ids.length > 0) await renewLeases(tx, database.dialect, ids, nowMs)
    })
  }
}
