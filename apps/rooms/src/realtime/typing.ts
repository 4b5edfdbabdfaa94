import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import type { LocalRoom } from './local-room.ts'

/** Told no more often than this, ended after that, and off in crowds (R18.8). */
const EVERY_MS = 3_000
const ENDS_AFTER_MS = 6_000
const MOST_PEOPLE = 50

interface Typist {
  toldAtMs: number
  end: ReturnType<typeof setTimeout>
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

  hear({ userId }: Connection, room: LocalRoom, active: boolean): void {
    const key = `${room.id} ${userId}`
    const typist = this.#typists.get(key)
    if (!active) return typist && this.#end(key, room.id, userId)
    if (room.count > MOST_PEOPLE) return
    const nowMs = this.#now()
    if (typist) clearTimeout(typist.end)
    const end = setTimeout(() => this.#end(key, room.id, userId), ENDS_AFTER_MS)
    if (typist && nowMs - typist.toldAtMs < EVERY_MS) return void this.#typists.set(key, { ...typist, end })
    this.#typists.set(key, { toldAtMs: nowMs, end })
    this.#bus.publish({ kind: 'typing', roomId: room.id, userId, active: true })
  }

  close(): void {
    for (const { end } of this.#typists.values()) clearTimeout(end)
    this.#typists.clear()
  }

  #end(key: string, roomId: string, userId: string): void {
    clearTimeout(this.#typists.get(key)?.end)
    this.#typists.delete(key)
    this.#bus.publish({ kind: 'typing', roomId, userId, active: false })
  }
}
