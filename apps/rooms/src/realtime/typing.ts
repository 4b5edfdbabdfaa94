import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import type { LocalRoom } from './local-room.ts'

/** Told no more often than this, ended after that, and off in crowds (R18.8). */
const EVERY_MS = 3_000
const ENDS_AFTER_MS = 6_000
const MAX_PARTICIPANTS = 50

interface Typist {
  roomId: string
  userId: string
  /** When the last beginning was told. */
  publishedAtMs: number
  lastTypedAtMs: number
  isTyping: boolean
}

/** Who is writing something at this node; never stored. */
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
    // Also for who has stopped and begins again: stopping must not be a way round.
    if (typist && Math.abs(nowMs - typist.publishedAtMs) < EVERY_MS) return
    const roomId = room.id
    this.#typists.set(key, { roomId, userId, publishedAtMs: nowMs, lastTypedAtMs: nowMs, isTyping: true })
    this.#bus.publish({ kind: 'typing', roomId, userId, active: true })
  }

  /** Ends what nobody has gone on with, every second; also what a clock that was set back makes seem to come. */
  tick(nowMs: number): void {
    for (const [key, typist] of this.#typists) {
      if (Math.abs(nowMs - typist.lastTypedAtMs) >= ENDS_AFTER_MS) this.#end(typist)
      if (!typist.isTyping && Math.abs(nowMs - typist.publishedAtMs) >= EVERY_MS) this.#typists.delete(key)
    }
  }

  #end(typist: Typist): void {
    if (!typist.isTyping) return
    typist.isTyping = false
    const { roomId, userId } = typist
    this.#bus.publish({ kind: 'typing', roomId, userId, active: false })
  }
}
