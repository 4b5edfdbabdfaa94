import type { Database } from '@latchkey/database/database'
import { isReferenceViolation } from '@latchkey/database/errors'
import { Failure } from '@latchkey/http/failure'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import { type EntryRequest, type StartedVisit, startVisits } from '../rooms/visits.ts'
import { Semaphore } from '@latchkey/http/semaphore'
import type { Connection } from './connection.ts'

interface EntryQueueOptions {
  database: Database<Tables>
  /** Milliseconds since 1970. */
  now: () => number
  nodeId: string
  limits: Limits
}

interface PendingEntry {
  connection: Connection
  resolve: (started: StartedVisit) => void
  reject: (error: unknown) => void
}

const MAX_GROUP_SIZE = 50
/**
 * Rooms that are entered at the same time. The other database connections stay free for requests.
 */
const MAX_CONCURRENT_ROOMS = 3

/**
 * Entries into rooms. Users who arrive while others enter the same room wait, and then enter
 * together in one transaction. After a restart, they would otherwise queue for the lock of their
 * room and occupy all database connections.
 */
export class EntryQueue {
  readonly #options: EntryQueueOptions
  readonly #semaphore = new Semaphore(MAX_CONCURRENT_ROOMS)
  readonly #waiting = new Map<string, PendingEntry[]>()

  constructor(options: EntryQueueOptions) {
    this.#options = options
  }

  /** Throws the refusals of R17.2 and `room_full`. */
  enter(connection: Connection, roomId: string): Promise<StartedVisit> {
    const { promise, resolve, reject } = Promise.withResolvers<StartedVisit>()
    const queue = this.#waiting.get(roomId)
    if (queue) queue.push({ connection, resolve, reject })
    else {
      this.#waiting.set(roomId, [{ connection, resolve, reject }])
      void this.#processQueue(roomId)
    }
    return promise
  }

  async #processQueue(roomId: string): Promise<void> {
    while (this.#waiting.get(roomId)?.length)
      await this.#semaphore.run(async () => {
        // Frames that other sockets have sent by now are read first.
        await new Promise(setImmediate)
        // Includes users who arrived while this room waited for the semaphore.
        const group = this.#waiting.get(roomId)?.splice(0, MAX_GROUP_SIZE) ?? []
        await this.#enterTogether(roomId, group)
      })
    this.#waiting.delete(roomId)
  }

  async #enterTogether(roomId: string, group: readonly PendingEntry[]): Promise<void> {
    const { database, limits } = this.#options
    try {
      const { dialect } = database
      const requests = group.map(({ connection }) => this.#toEntryRequest(connection))
      const outcomes = await database.write((tx) => startVisits(tx, { dialect, roomId, requests }, limits))
      for (const [index, { resolve, reject }] of group.entries()) {
        const outcome = outcomes[index]
        if (outcome && !(outcome instanceof Failure)) resolve(outcome)
        else reject(outcome)
      }
    } catch (error) {
      const isErased = isReferenceViolation(error)
      // A user who was erased while entering must not keep the others out.
      if (isErased && group.length > 1) for (const one of group) await this.#enterTogether(roomId, [one])
      else for (const { reject } of group) reject(isErased ? failure('not_found') : error)
    }
  }

  #toEntryRequest({ id, person }: Connection): EntryRequest {
    const { now, nodeId } = this.#options
    const { userId, sessionId, clientIp, clientPrefix, adminUntilMs } = person
    return {
      entrant: { userId, clientPrefix, clientIp, requestId: null, nowMs: now(), adminUntilMs },
      connection: { connection_id: id, session_id: sessionId, node_id: nodeId },
    }
  }
}
