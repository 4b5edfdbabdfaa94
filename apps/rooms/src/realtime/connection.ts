import type { Actor } from '../context.ts'
import { Close } from './protocol.ts'

/** What the hub needs of a socket: Bun's own, or a test's. */
export interface Socket {
  /** -1: kept back because the recipient is slow; 0: not sent. */
  send: (text: string) => number
  close: (code: number, reason?: string) => void
  ping: () => unknown
  getBufferedAmount: () => number
}

/** What one connection has of one room. */
export interface Subscription {
  readonly connection: Connection
  readonly roomId: string
  /** Everything up to this event has been sent. */
  seq: number
  /** When its lease runs out, as far as this node has renewed it. */
  leaseUntilMs: number
}

/** Who is at the other end, as far as it does not change while the session lasts. */
export interface ConnectionUser {
  readonly userId: string
  readonly isGuest: boolean
  readonly sessionId: string
  readonly clientIp: string
  readonly clientPrefix: string
  /** Until when the session may use the right of an administrator. */
  readonly adminUntilMs: number
}

/** What a socket keeps of who opened it; the rest is read from the database when it matters. */
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

/** One socket of somebody with a session. */
export class Connection {
  readonly id = crypto.randomUUID()
  readonly person: ConnectionUser
  readonly subscriptions = new Map<string, Subscription>()
  /** When the session ends unless it is used; read again before it is believed. */
  expiresAtMs: number
  /** When the session was last looked up. */
  checkedAtMs: number
  malformed = 0
  #lastActiveAtMs: number
  #pingedAtMs: number
  readonly #socket: Socket
  #isClosed = false

  constructor(
    socket: Socket,
    person: ConnectionUser,
    { nowMs, expiresAtMs }: { nowMs: number; expiresAtMs: number },
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

  /** Somebody is there. */
  noteActivity(nowMs: number): void {
    this.#lastActiveAtMs = nowMs
  }

  /** A recipient who cannot keep up is let go instead of filling our memory (R18.7). */
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

  /** The other end has closed. */
  markClosed(): void {
    this.#isClosed = true
  }

  /** Asks for a sign of life, and gives up where none came. */
  keepAlive(nowMs: number): void {
    if (this.#isClosed) return
    // By a clock that was set back these lie ahead, and nothing would be asked or given up before.
    this.#lastActiveAtMs = Math.min(this.#lastActiveAtMs, nowMs)
    this.#pingedAtMs = Math.min(this.#pingedAtMs, nowMs)
    if (nowMs - this.#lastActiveAtMs > SILENT_MS) return this.close(Close.silent, 'silent')
    if (nowMs - Math.max(this.#lastActiveAtMs, this.#pingedAtMs) < PING_EVERY_MS) return
    this.#pingedAtMs = nowMs
    this.#socket.ping()
  }
}
