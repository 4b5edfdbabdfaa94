import type { Database } from '@latchkey/database/database'
import type { SessionRow, Tables } from '../db/tables.ts'
import { slideSession } from './store.ts'

/** The use of a session at `nowMs`, with its new idle expiry. */
interface Slide {
  session: Pick<SessionRow, 'id' | 'user_id'>
  nowMs: number
  idleExpiresAtMs: number
}

/**
 * Stores the use of sessions. Calls during a transaction are stored together in the next one: after
 * a restart all sockets reconnect at once, and a commit for each would delay every request.
 */
export class SlideQueue {
  readonly #database: Database<Tables>
  #waiting: Slide[] = []
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(database: Database<Tables>) {
    this.#database = database
  }

  /** Resolves when the use is stored. */
  store(slide: Slide): Promise<void> {
    this.#waiting.push(slide)
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const slides = this.#waiting.splice(0)
      const stored = this.#database.write(async (tx) => {
        // In one order, because another node may slide the same sessions.
        const ascending = slides.toSorted((a, b) => (a.session.id < b.session.id ? -1 : 1))
        for (const { session, nowMs, idleExpiresAtMs } of ascending)
          await slideSession(tx, session, nowMs, idleExpiresAtMs)
      })
      this.#current = stored.catch(() => {})
      return stored
    })
    return this.#next
  }
}
