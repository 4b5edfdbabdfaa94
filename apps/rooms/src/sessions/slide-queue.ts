import type { Database } from '@latchkey/database/database'
import type { SessionRow, Tables } from '../db/tables.ts'
import { slideSession } from './store.ts'

/** A session that was used, when, and until when it lasts now. */
interface Slide {
  session: Pick<SessionRow, 'id' | 'user_id'>
  nowMs: number
  idleExpiresAtMs: number
}

/**
 * Writes down that sessions were used. What comes while a transaction is under way waits for it and goes into the next one
 * together: after a restart all sockets come back at once, and a commit for each would keep everybody waiting.
 */
export class SlideQueue {
  readonly #database: Database<Tables>
  #waiting: Slide[] = []
  #current: Promise<unknown> = Promise.resolve()
  #next: Promise<void> | undefined

  constructor(database: Database<Tables>) {
    this.#database = database
  }

  /** Ends when it is stored. */
  store(slide: Slide): Promise<void> {
    this.#waiting.push(slide)
    this.#next ??= this.#current.then(() => {
      this.#next = undefined
      const slides = this.#waiting.splice(0)
      const stored = this.#database.write(async (tx) => {
        for (const { session, nowMs, idleExpiresAtMs } of slides)
          await slideSession(tx, session, nowMs, idleExpiresAtMs)
      })
      this.#current = stored.catch(() => {})
      return stored
    })
    return this.#next
  }
}
