import { CallError } from '@latchkey/web/call'
import { call } from '../call.ts'
import type { CallFrame } from '../live/call-channel.ts'
import { live } from '../live/live.ts'
import type { Engine, JoinedCall } from './engine.ts'
import { loadEngine } from './load-engine.ts'

export interface CallLinkListener {
  /** The connection `id` is in the call, for the first time or again. */
  joined: (id: string, joined: JoinedCall, engine: Engine) => void
  /** Newer TURN credentials. */
  renewed: (joined: JoinedCall) => void
  /** Frames after `joined`, in order. */
  frame: (frame: CallFrame) => void
  /** The connection is lost. The link joins again by itself. */
  interrupted: () => void
  /** The server refuses to let the user in, with this error code. */
  refused: (code: string) => void
  /** Called often, with the time since the last frame of the server. */
  silence: (ms: number) => void
  /** This page will not be in the call any more. */
  ended: () => void
}

const BEAT_MS = 250
/** Interval at which the server must answer. */
const PING_MS = 700
/** After this long without a frame the socket is replaced. */
const RECONNECT_AFTER_MS = 5_000
/** Interval at which a lost connection to the server is tried again. */
const RETRY_MS = 1_500
/** TURN credentials last 10 minutes (R33.2). */
const RENEW_MS = 480_000
/** A call goes on within five seconds after the end of an interruption (R33.6). */
const MAX_JOIN_WAIT_MS = 4_000

/** The room has not been entered yet, or the request was lost. */
const TRANSIENT_CODES: ReadonlySet<string | undefined> = new Set(['not_present', 'offline'])
/** The server cannot answer now. A call that was interrupted waits for it. */
const INTERRUPTION_CODES: ReadonlySet<string | undefined> = new Set([
  'unavailable',
  'voice_unavailable',
  'rate_limited',
  'internal',
])

/** Number of links so far: an older one must not leave the call that the newest has joined. */
let linkCount = 0

/** Place of this page in a call: joins it, and joins again after every lost connection. */
export class CallLink {
  readonly #number = ++linkCount
  readonly #roomId: string
  readonly #listener: CallLinkListener
  readonly #stops: (() => void)[]
  /** Connection that is in the call; null while there is none. */
  #connectionId: string | null = null
  #wasIn = false
  #isPaused = false
  /** Connection that last asked to join. The server may have it in the call. */
  #requestedId: string | null = null
  #joining: Promise<void> | null = null
  /** Frames that arrived while joining. */
  #early: CallFrame[] = []
  #attempt = 0
  #joinAt = 0
  #pingedAt = 0
  #reconnectAt = 0
  #renewAt = Infinity

  constructor(roomId: string, listener: CallLinkListener) {
    this.#roomId = roomId
    this.#listener = listener
    live.hold(roomId)
    const timer = setInterval(() => this.#beat(), BEAT_MS)
    this.#stops = [
      live.calls.listen((frame) => this.#onFrame(frame)),
      live.watch(() => this.#onConnectionChange()),
      () => clearInterval(timer),
    ]
    void this.#join()
  }

  get connectionId(): string | null {
    return this.#connectionId
  }

  /** Tries again after a refusal. */
  retry(): void {
    this.#isPaused = false
    void this.#join()
  }

  /** Tries no more until `retry`. */
  pause(): void {
    this.#connectionId = null
    this.#isPaused = true
  }

  /** The place of this connection has ended, or its media. Each time until `confirm`, it waits longer. */
  rejoin(waitMs = 0): void {
    this.#connectionId = null
    const pauseMs = this.#attempt === 0 ? 0 : backoffMs(this.#attempt)
    this.#attempt++
    this.#joinAt = Date.now() + Math.max(waitMs, pauseMs)
    if (this.#joinAt <= Date.now()) void this.#join()
  }

  /** The call works. */
  confirm(): void {
    this.#attempt = 0
  }

  /** Leaves the call for good. */
  stop(): void {
    for (const stop of this.#stops) stop()
    live.hold(null)
    this.#isPaused = true
    this.#leave()
    // The server may answer this before a request to join that it received earlier.
    void this.#joining?.then(() => this.#number === linkCount && this.#leave())
  }

  /** The lease ends with the connection, if not by this request. */
  #leave(): void {
    const connectionId = this.#requestedId
    if (connectionId === null || live.connectionId !== connectionId) return
    void call('leaveCall', { params: { id: this.#roomId }, query: { connectionId } }).catch(() => {})
  }

  /** Joins once this connection has entered the room: an answered call is joined from any page. */
  async #join(): Promise<void> {
    const id = live.connectionId
    if (this.#joining || id === null || !live.isIn(this.#roomId)) return
    this.#joining = this.#joinAs(id).finally(() => (this.#joining = null))
    await this.#joining
  }

  async #joinAs(id: string): Promise<void> {
    this.#early = []
    try {
      const joined = await this.#request(id)
      const engine = await loadEngine(joined.mode)
      if (live.connectionId === id && !this.#isPaused) this.#onJoined(id, joined, engine)
    } catch (error) {
      if (!this.#isPaused) this.#onRefusal(error instanceof CallError ? error.code : 'offline')
    }
  }

  #request(connectionId: string): Promise<JoinedCall> {
    this.#requestedId = connectionId
    return call('joinCall', { params: { id: this.#roomId }, body: { connectionId } })
  }

  #onJoined(id: string, joined: JoinedCall, engine: Engine): void {
    this.#connectionId = id
    this.#wasIn = true
    const expire = joined.iceServers.some(({ credential }) => credential !== undefined)
    this.#renewAt = expire ? Date.now() + RENEW_MS : Infinity
    this.#listener.joined(id, joined, engine)
    for (const frame of this.#early.splice(0)) this.#listener.frame(frame)
  }

  #onRefusal(code: string | undefined): void {
    this.#joinAt = Date.now() + backoffMs(this.#attempt++)
    if (TRANSIENT_CODES.has(code) || (this.#wasIn && INTERRUPTION_CODES.has(code))) return
    this.pause()
    this.#listener.refused(code ?? 'internal')
  }

  #onFrame(frame: CallFrame): void {
    if (frame.roomId !== this.#roomId) return
    if (this.#joining) this.#early.push(frame)
    else this.#listener.frame(frame)
  }

  #onConnectionChange(): void {
    const { state } = live
    if (state === 'replaced' || state === 'incompatible' || state === 'idle') return this.#listener.ended()
    if (state === 'live' || this.#connectionId === null) return
    this.#connectionId = null
    this.#listener.interrupted()
  }

  #beat(): void {
    if (this.#isPaused) return
    const now = Date.now()
    if (live.state === 'live' && now - this.#pingedAt >= PING_MS) {
      this.#pingedAt = now
      live.calls.ping()
    }
    const { silenceMs } = live
    this.#listener.silence(silenceMs)
    if (live.state !== 'live' || silenceMs > RECONNECT_AFTER_MS) this.#reconnect(now)
    else if (this.#connectionId === null && now >= this.#joinAt) void this.#join()
    else if (now >= this.#renewAt) void this.#renew()
  }

  #reconnect(now: number): void {
    if (now < this.#reconnectAt) return
    // With jitter: a server that was away gets all people of a call at once.
    this.#reconnectAt = now + RETRY_MS * (0.5 + Math.random())
    live.reconnectNow()
  }

  /** Gets new credentials for the TURN servers before those in use expire. */
  async #renew(): Promise<void> {
    this.#renewAt = Date.now() + RENEW_MS
    const id = this.#connectionId
    if (id === null) return
    const joined = await this.#request(id).catch(() => null)
    if (joined && this.#connectionId === id) this.#listener.renewed(joined)
  }
}

/** With jitter, so that all people of a call do not return at the same moment. */
function backoffMs(attempt: number): number {
  return Math.min(MAX_JOIN_WAIT_MS, 300 * 2 ** attempt) * (0.5 + Math.random() / 2)
}
