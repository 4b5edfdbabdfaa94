import { elapsedMs } from '@latchkey/http/elapsed'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import type { LocalRoom } from './local-room.ts'

/**
 * Minimum interval between events of a user, time until typing ends, and largest room with typing
 * (R18.8).
 */
const EVERY_MS = 3_000
const ENDS_AFTER_MS = 6_000
const MAX_PARTICIPANTS = 50

interface Typist {
  roomId: string
  userId: string
  /** When the last start of typing was published. */
  publishedAtMs: number
  lastTypedAtMs: number
  isTyping: boolean
}

/** Users who are typing at this node; never stored. */
export class Typing {
  readonly #bus: Bus
  readonly #now: () => number
  readonly #typists = new Map<string, Typist>()

  constructor({ bus, now }: { bus: Bus; now: () => number }) {
    this.#bus = bus
    this.#now = now
  }

  update({ userId }: Connection, room: LocalRoom, active: boolean): void {
    const key = `${room.id} ${userId}`
    const typist = this.#typists.get(key)
    if (!active) return typist && this.#end(typist)
    if (room.count > MAX_PARTICIPANTS) return
    const nowMs = this.#now()
    if (typist) typist.lastTypedAtMs = nowMs
    // Also for a user who stopped and starts again: stopping must not bypass the interval.
    if (typist && elapsedMs(typist.publishedAtMs, nowMs) < EVERY_MS) return
    const roomId = room.id
    this.#typists.set(key, { roomId, userId, publishedAtMs: nowMs, lastTypedAtMs: nowMs, isTyping: true })
    this.#bus.publish({ kind: 'typing', roomId, userId, active: true })
  }

  /** Ends typing that was not continued; runs every second. */
  tick(nowMs: number): void {
    for (const [key, typist] of this.#typists) {
      if (elapsedMs(typist.lastTypedAtMs, nowMs) >= ENDS_AFTER_MS) this.#end(typist)
      if (!typist.isTyping && elapsedMs(typist.publishedAtMs, nowMs) >= EVERY_MS) this.#typists.delete(key)
    }
  }

  #end(typist: Typist): void {
    if (!typist.isTyping) return
    typist.isTyping = false
    const { roomId, userId } = typist
    this.#bus.publish({ kind: 'typing', roomId, userId, active: false })
  }
}
