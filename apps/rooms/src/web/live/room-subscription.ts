import type { PresenceFrame, RemovedFrame, RoomEvent, SubscribedFrame } from './frames.ts'

export interface EventPage {
  events: readonly RoomEvent[]
  lastSeq: number
  reset: boolean
}

/** What somebody who is in a room wants to know of it. */
export interface RoomListener {
  /** In the room, for the first time or again. */
  subscribed: (frame: SubscribedFrame) => void
  /** Every event after that, in order and once, across any number of connections. */
  event: (event: RoomEvent) => void
  /** Events were lost by their age: what is known of the room has to be read anew. */
  reset: () => void
  presence: (frame: PresenceFrame) => void
  typing: (userId: string, active: boolean) => void
  /** Out of the room, for good as far as this client is concerned. */
  removed: (frame: Pick<RemovedFrame, 'reason' | 'until'>) => void
  /** Not let in: a code of the API. */
  refused: (code: string) => void
}

export interface EventLog {
  /** What happened in the room after this event, at most `PAGE` of it. */
  eventsAfter: (roomId: string, after: number) => Promise<EventPage>
  /** Resolves when it is time for another attempt. */
  pause: (attempt: number) => Promise<void>
  /** The code with which the room itself was refused; undefined for what may pass. */
  refusalOf: (error: unknown) => string | undefined
}

/** Fewer events than this are all there are. */
export const PAGE = 200

/**
 * One room as this client follows it (R18.5). Holds live events back until it knows what came before them, and reads from
 * the log what it has missed.
 */
export class RoomSubscription {
  readonly roomId: string
  readonly listener: RoomListener
  readonly #log: EventLog
  /** Everything up to here has been told; null before the first `subscribed`. */
  #lastSeq: number | null = null
  #isSubscribing = true
  #isBuffering = true
  #buffer: RoomEvent[] = []
  #reading = false
  #again = false
  #isOver = false

  constructor(roomId: string, listener: RoomListener, log: EventLog) {
    this.roomId = roomId
    this.listener = listener
    this.#log = log
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** Nothing is told any more. */
  end(): void {
    this.#isOver = true
    this.#buffer = []
  }

  /** A new connection asks to be let in: live events may come even before the answer. */
  startSubscribing(): void {
    this.#isBuffering = true
    this.#isSubscribing = true
    this.#buffer = []
  }

  subscribed(frame: SubscribedFrame): void {
    this.#isSubscribing = false
    this.listener.subscribed(frame)
    this.#lastSeq ??= frame.seq
    if (frame.seq === this.#lastSeq) return this.#flush()
    // Behind, as a rule. Ahead after a reading that was faster, or when the database was set back: the log tells which.
    void this.#readOn()
  }

  receive(event: RoomEvent): void {
    if (this.#isOver) return
    if (this.#isBuffering) {
      this.#buffer.push(event)
      return
    }
    const known = this.#lastSeq ?? 0
    if (event.seq <= known) return
    if (event.seq === known + 1) return this.#deliver(event)
    this.#buffer.push(event)
    void this.#readOn()
  }

  #deliver(event: RoomEvent): void {
    this.#lastSeq = event.seq
    this.listener.event(event)
  }

  /** Tells what was held back; what is still missing before some of it is read first. */
  #flush(): void {
    if (this.#isSubscribing || this.#reading) return
    this.#isBuffering = false
    const held = this.#buffer.toSorted((a, b) => a.seq - b.seq)
    this.#buffer = []
    for (const event of held) this.receive(event)
  }

  async #readOn(): Promise<void> {
    this.#isBuffering = true
    if (this.#reading) {
      this.#again = true
      return
    }
    this.#reading = true
    try {
      do {
        this.#again = false
        await this.#readToEnd()
      } while (this.#again && !this.#isOver)
    } finally {
      this.#reading = false
    }
    if (!this.#isOver) this.#flush()
  }

  async #readToEnd(): Promise<void> {
    for (let attempt = 0; !this.#isOver;) {
      const page = await this.#log.eventsAfter(this.roomId, this.#lastSeq ?? 0).catch((error: unknown) => {
        const code = this.#log.refusalOf(error)
        if (code !== undefined && !this.#isOver) this.#refuse(code)
        return null
      })
      if (this.#isOver) return
      if (page === null) {
        await this.#log.pause(attempt++)
        continue
      }
      attempt = 0
      if (page.reset) {
        this.#lastSeq = page.lastSeq
        return this.listener.reset()
      }
      for (const event of page.events) if (event.seq > (this.#lastSeq ?? 0)) this.#deliver(event)
      if (page.events.length < PAGE) {
        this.#lastSeq = Math.max(this.#lastSeq ?? 0, page.lastSeq)
        return
      }
    }
  }

  #refuse(code: string): void {
    this.end()
    this.listener.refused(code)
  }
}
