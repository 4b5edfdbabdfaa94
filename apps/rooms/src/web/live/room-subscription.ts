import type { PresenceFrame, RemovedFrame, RoomEvent, SubscribedFrame } from './frames.ts'

export interface EventPage {
  events: readonly RoomEvent[]
  lastSeq: number
  reset: boolean
}

/** Callbacks of a room that the user has entered. */
export interface RoomListener {
  /** Called on entering, for the first time or again. */
  subscribed: (frame: SubscribedFrame) => void
  /** Called with every later event, in order and once, across any number of connections. */
  event: (event: RoomEvent) => void
  /** Called when missed events have expired. Everything known of the room must be read again. */
  reset: () => void
  presence: (frame: PresenceFrame) => void
  typing: (userId: string, active: boolean) => void
  /** Called when the user has left the room. This client does not return on its own. */
  removed: (frame: Pick<RemovedFrame, 'reason' | 'until'>) => void
  /** Called when entering is refused, with an error code of the API. */
  refused: (code: string) => void
}

export interface EventLog {
  /** Returns the events after this one, at most `PAGE_SIZE` of them. */
  eventsAfter: (roomId: string, after: number) => Promise<EventPage>
  /** Resolves when the next attempt is due. */
  pause: (attempt: number) => Promise<void>
  /** Called when `isCaughtUp` or `isStalled` may have changed. */
  onProgress: () => void
  /** Error code of a refusal of the room itself. Undefined for transient errors. */
  refusalOf: (error: unknown) => string | undefined
}

/** Number of events in a page. A shorter page is the last one. */
export const PAGE_SIZE = 200

/**
 * Subscription of this client to one room (R18.5). Buffers live events until all events before them
 * are known, and reads missed events from the event log.
 */
export class RoomSubscription {
  readonly roomId: string
  readonly listener: RoomListener
  readonly #log: EventLog
  /** Sequence number of the last known event. Null if all of them are, before the first `subscribed`. */
  #lastSeq: number | null
  #isSubscribing = true
  #isBuffering = true
  #buffer: RoomEvent[] = []
  #isReading = false
  #isStalled = false
  #mustReadAgain = false
  #isOver = false

  /** Events are delivered after `start`, or after the first `subscribed`. */
  constructor(roomId: string, listener: RoomListener, log: EventLog, start: number | null = null) {
    this.roomId = roomId
    this.listener = listener
    this.#log = log
    this.#lastSeq = start
  }

  get isOver(): boolean {
    return this.#isOver
  }

  /** True from the answer to subscribing on, on the current connection. */
  get isSubscribed(): boolean {
    return !this.#isOver && !this.#isSubscribing
  }

  /** True if all events up to now are known. */
  get isCaughtUp(): boolean {
    return this.#isOver || !this.#isBuffering
  }

  /** True if the last read of missed events had no answer. */
  get isStalled(): boolean {
    return this.#isStalled && !this.#isOver
  }

  /** Ends the subscription. No callback is called afterwards. */
  end(): void {
    this.#isOver = true
    this.#buffer = []
  }

  /** Prepares for a new connection, on which live events may arrive even before the answer. */
  startSubscribing(): void {
    this.#isBuffering = true
    this.#isSubscribing = true
    this.#buffer = []
  }

  subscribed(frame: SubscribedFrame): void {
    this.#isSubscribing = false
    this.listener.subscribed(frame)
    this.#lastSeq ??= frame.seq
    if (frame.seq === this.#lastSeq) {
      this.#flush()
      return this.#log.onProgress()
    }
    // Usually behind. Ahead if the event log was read faster, or if the database was restored to an
    // earlier state. The event log shows which.
    void this.#catchUp()
  }

  receive(event: RoomEvent): void {
    if (this.#isOver) return
    if (this.#isBuffering) {
      this.#buffer.push(event)
      return
    }
    const lastSeq = this.#lastSeq ?? 0
    if (event.seq <= lastSeq) return
    if (event.seq === lastSeq + 1) return this.#deliver(event)
    this.#buffer.push(event)
    void this.#catchUp()
  }

  #deliver(event: RoomEvent): void {
    this.#lastSeq = event.seq
    this.listener.event(event)
  }

  /** Delivers buffered events. If events before them are missing, reads those first. */
  #flush(): void {
    if (this.#isSubscribing || this.#isReading) return
    this.#isBuffering = false
    const buffered = this.#buffer.toSorted((a, b) => a.seq - b.seq)
    this.#buffer = []
    for (const event of buffered) this.receive(event)
  }

  async #catchUp(): Promise<void> {
    this.#isBuffering = true
    if (this.#isReading) {
      this.#mustReadAgain = true
      return
    }
    this.#isReading = true
    try {
      do {
        this.#mustReadAgain = false
        await this.#readToEnd()
      } while (this.#mustReadAgain && !this.#isOver)
    } finally {
      this.#isReading = false
    }
    if (!this.#isOver) this.#flush()
    this.#log.onProgress()
  }

  async #readToEnd(): Promise<void> {
    for (let attempt = 0; !this.#isOver;) {
      const page = await this.#log.eventsAfter(this.roomId, this.#lastSeq ?? 0).catch((error: unknown) => {
        const code = this.#log.refusalOf(error)
        if (code !== undefined && !this.#isOver) this.#refuse(code)
        return null
      })
      if (this.#isOver) return
      this.#isStalled = page === null
      if (page === null) {
        this.#log.onProgress()
        await this.#log.pause(attempt++)
        continue
      }
      attempt = 0
      if (page.reset) {
        this.#lastSeq = page.lastSeq
        return this.listener.reset()
      }
      for (const event of page.events) if (event.seq > (this.#lastSeq ?? 0)) this.#deliver(event)
      if (page.events.length < PAGE_SIZE) {
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

/** Listener of a room whose page is closed. */
export const SILENT: RoomListener = {
  subscribed() {},
  event() {},
  reset() {},
  presence() {},
  typing() {},
  removed() {},
  refused() {},
}
