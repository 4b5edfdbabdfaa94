import type { Message, RoomEvent } from '../../src/web/live/frames.ts'
import { RoomHistory } from '../../src/web/live/room-history.ts'
import type { TestUser } from '../actions.ts'
import type { Browser } from '../rooms.ts'
import { type Frame, type Live, type LiveSocket } from './live.ts'

/** An event as in the list and on the socket. */
export interface ReceivedEvent {
  seq: number
  at: string
  event: string
  data: Record<string, unknown>
}

interface EventPage {
  events: ReceivedEvent[]
  lastSeq: number
  reset: boolean
}

const PAGE = 200
const ASK_AGAIN_MS = 100

/**
 * A client that resumes according to R18.5: it fetches missed events, holds back live ones
 * meanwhile, and applies each once, to the history of the web client.
 */
export class ResumingClient {
  /** All applied events, in their order. */
  readonly applied: ReceivedEvent[] = []
  /** The latest messages, as the page of this user shows them. */
  messages: readonly Message[] = []
  readonly #history: RoomHistory
  /** Violations of the protocol by a socket. */
  readonly faults: string[] = []
  connects = 0
  /** Responses that asked to retry later, as a busy database causes. */
  refusedForNow = 0
  readonly #browser: Browser
  readonly #roomId: string
  readonly #pickNode: () => Live
  #socket: LiveSocket | undefined
  #isStopped = false

  constructor({ user, browser }: TestUser, roomId: string, pickNode: () => Live) {
    this.#browser = browser
    this.#history = new RoomHistory({
      roomId,
      userId: user.id,
      onChange: ({ messages }) => void (this.messages = messages),
      onStored: () => {},
    })
    this.#roomId = roomId
    this.#pickNode = pickNode
  }

  get browser(): Browser {
    return this.#browser
  }

  get lastSeq(): number {
    return this.applied.at(-1)?.seq ?? 0
  }

  /** Reconnects until it is stopped. */
  async run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#visit()
      if (!this.#isStopped) await Bun.sleep(20 + Math.random() * 200)
    }
  }

  /** Breaks the connection. */
  drop(how: 'close' | 'terminate'): void {
    if (how === 'close') this.#socket?.close()
    else this.#socket?.terminate()
  }

  stop(): void {
    this.#isStopped = true
    this.drop('close')
  }

  /** One connection, from its opening to its end. */
  async #visit(): Promise<void> {
    const socket = this.#pickNode().connect(this.#browser, {
      onFrame: (frame) => this.#onFrame(socket, frame),
    })
    this.#socket = socket
    this.#live = undefined
    this.#pending = []
    this.connects++
    void socket.opened.then(
      (isOpen) => isOpen && socket.send({ type: 'subscribe', id: 's', roomId: this.#roomId }),
    )
    await socket.closed
  }

  /** The last number on this socket, or undefined before the subscription. */
  #live: number | undefined
  /** Live events that wait for missed ones, or undefined if none are being fetched. */
  #pending: ReceivedEvent[] | undefined

  #onFrame(socket: LiveSocket, frame: Frame): void {
    if (socket !== this.#socket) return
    if (frame.type === 'subscribed') {
      this.#live = frame['seq'] as number
      void this.#fetchUpTo(this.#live, socket)
    } else if (frame.type === 'event') this.#onEvent(frame as unknown as ReceivedEvent)
    else if (frame.type === 'error' && frame['id'] === 's')
      setTimeout(() => socket.send({ type: 'subscribe', id: 's', roomId: this.#roomId }), ASK_AGAIN_MS)
  }

  #onEvent({ seq, at, event, data }: ReceivedEvent): void {
    if (this.#live === undefined) this.faults.push(`event ${seq} before subscribed`)
    else if (seq <= this.#live) this.faults.push(`event ${seq} again, after ${this.#live}`)
    else if (seq > this.#live + 1) this.faults.push(`event ${seq} with a hole, after ${this.#live}`)
    this.#live = seq
    const received = { seq, at, event, data }
    if (this.#pending) this.#pending.push(received)
    // The list may have been ahead of the socket.
    else if (seq > this.lastSeq) this.#apply(received)
  }

  async #fetchUpTo(seq: number, socket: LiveSocket): Promise<void> {
    const isCurrent = () => socket === this.#socket && !this.#isStopped
    while (isCurrent() && this.lastSeq < seq)
      try {
        await this.#fetchPage(isCurrent)
      } catch (error) {
        if (!isForNow(error)) this.faults.push(`events could not be fetched: ${String(error)}`)
        this.refusedForNow++
        await Bun.sleep(ASK_AGAIN_MS)
      }
    if (!isCurrent()) return
    const pending = this.#pending ?? []
    this.#pending = undefined
    for (const event of pending) if (event.seq > this.lastSeq) this.#apply(event)
  }

  async #fetchPage(isCurrent: () => boolean): Promise<void> {
    const address = `/api/rooms/${this.#roomId}/events?after=${this.lastSeq}&limit=${PAGE}`
    const { events, reset } = await this.#browser.json<EventPage>(address)
    if (!isCurrent()) return
    if (reset) this.faults.push('the log was said to have begun anew')
    for (const event of events) this.#apply(event)
  }

  #apply(event: ReceivedEvent): void {
    if (event.seq !== this.lastSeq + 1) this.faults.push(`applied ${event.seq} after ${this.lastSeq}`)
    this.applied.push(event)
    this.#history.apply(event as RoomEvent)
  }
}

/** Whether a response asks to retry later. No result depends on such a response. */
export function isForNow(error: unknown): boolean {
  return String(error).includes(': 503 ')
}
