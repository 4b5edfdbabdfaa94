import type { Actor } from '../api/caller.ts'
import { Close } from './protocol.ts'

/** Part of a WebSocket that the hub uses: Bun's own, or a test double. */
export interface Socket {
  /** Returns -1 if the frame is queued for a slow recipient, and 0 if it is not sent. */
  send: (text: string) => number
  close: (code: number, reason?: string) => void
  ping: () => unknown
  getBufferedAmount: () => number
}

/** Interest of a connection in one room. */
export interface Subscription {
  readonly connection: Connection
  readonly roomId: string
  /** Events up to this sequence number have been sent. */
  seq: number
  /** Expiry of its lease, as far as this node has renewed it. */
  leaseUntilMs: number
}

/** User of a connection: the part that does not change during the session. */
export interface ConnectionUser {
  readonly userId: string
  readonly isGuest: boolean
  readonly sessionId: string
  readonly clientIp: string
  readonly clientPrefix: string
  /** End of the time in which the session may use the right of an administrator. */
  readonly adminUntilMs: number
}

/** Takes only the fixed part of the actor. The rest is read from the database when it is needed. */
export function toConnectionUser(
  { user, session }: Actor,
  clientIp: string,
  clientPrefix: string,
): ConnectionUser {
  const { id: sessionId, adminUntilMs } = session
  return { userId: user.id, isGuest: user.is_guest === 1, sessionId, clientIp, clientPrefix, adminUntilMs }
}

const MAX_UNSENT_BYTES = 1024 * 1024
const PING_EVERY_MS = 20_000
const SILENT_MS = 45_000

/** WebSocket of a user with a session. */
export class Connection {
  readonly id = crypto.randomUUID()
  readonly person: ConnectionUser
  readonly subscriptions = new Map<string, Subscription>()
  /** Rooms in whose calls the connection is. */
  readonly callRooms = new Set<string>()
  /**
   * Expiry of the session unless it is used. Read again from the database before it is enforced.
   */
  expiresAtMs: number
  /** When the session was last looked up, on the monotonic clock. */
  checkedAtMs: number
  malformed = 0
  #lastActiveAtMs: number
  #pingedAtMs: number
  readonly #socket: Socket
  #isClosed = false

  constructor(
    socket: Socket,
    person: ConnectionUser,
    { steadyNowMs: nowMs, expiresAtMs }: { steadyNowMs: number; expiresAtMs: number },
  ) {
    this.#socket = socket
    this.person = person
    this.checkedAtMs = nowMs
    this.#lastActiveAtMs = nowMs
    this.#pingedAtMs = nowMs
    this.expiresAtMs = expiresAtMs
  }

  get userId(): string {
    return this.person.userId
  }

  get sessionId(): string {
    return this.person.sessionId
  }

  get isClosed(): boolean {
    return this.#isClosed
  }

  /** Records a sign of life from the client, at a moment of the monotonic clock. */
  noteActivity(nowMs: number): void {
    this.#lastActiveAtMs = nowMs
  }

  /**
   * Closes the connection of a recipient that is too slow, to limit the memory of its queue
   * (R18.7).
   */
  send(text: string): void {
    if (this.#isClosed) return
    if (this.#socket.send(text) <= 0 && this.#socket.getBufferedAmount() > MAX_UNSENT_BYTES)
      this.close(Close.overloaded, 'too slow')
  }

  sendFrame(frame: Readonly<Record<string, unknown>>): void {
    this.send(JSON.stringify(frame))
  }

  close(code: number, reason?: string): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#socket.close(code, reason)
  }

  /** The client has closed the socket. */
  markClosed(): void {
    this.#isClosed = true
  }

  /**
   * Sends a ping when one is due, and closes the connection after too long a silence. A step of the
   * wall clock would close every socket of the node, so the moment is one of the monotonic clock.
   */
  keepAlive(nowMs: number): void {
    if (this.#isClosed) return
    if (nowMs - this.#lastActiveAtMs > SILENT_MS) return this.close(Close.silent, 'silent')
    if (nowMs - Math.max(this.#lastActiveAtMs, this.#pingedAtMs) < PING_EVERY_MS) return
    this.#pingedAtMs = nowMs
    this.#socket.ping()
  }
}
