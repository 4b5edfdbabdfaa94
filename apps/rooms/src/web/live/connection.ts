import { Following, type Log, type RoomListener } from './following.ts'
import { type Notified, SUBPROTOCOL, type ServerFrame } from './frames.ts'

/** What of a `WebSocket` is used, so that tests can be its other end. */
export interface Socket {
  send: (text: string) => void
  close: (code?: number) => void
}

/** What is to be called when a socket has something to say. */
export interface Ears {
  heard: (text: string) => unknown
  lost: (code: number, reason: string) => unknown
}

/**
 * `waiting`: it is lost and will be tried again; `resting`: but not before the half minute that the server has asked for
 * (R18.8). It will not be tried again where another tab has taken its place (`replaced`), or where this client and the server
 * do not understand each other (`misunderstood`).
 */
export type ConnectionState =
  | 'idle'
  | 'connecting'
  | 'live'
  | 'waiting'
  | 'resting'
  | 'replaced'
  | 'misunderstood'

export interface ConnectionOptions {
  open: (protocol: string, ears: Ears) => Socket
  log: Pick<Log, 'eventsAfter' | 'refusalOf'>
  /** Whether this client is still theirs whose session the socket was opened with. */
  isStill: (userId: string) => boolean
  /** It is not. The connection has stopped, before anything was said with that session. */
  onSomebodyElse: () => void
  /** The session has ended, with the reason of R18. */
  onSessionEnd: (reason: string) => void
  /** 0 to 1. */
  random?: () => number
  timers?: Timers
}

export interface Timers {
  now: () => number
  after: (ms: number, act: () => void) => () => void
}

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 30_000
/** Without a word from the server for this long it is asked for one, and given up when none comes. */
const QUIET_MS = 25_000
/** An opening that takes longer than this may hang. */
const OPENING_MS = 3_000

/** Refusals of a subscription that may pass by themselves. */
const PASSING: ReadonlySet<string> = new Set(['internal', 'unavailable', 'rate_limited'])

export const browserTimers: Timers = {
  // Goes on while the machine sleeps.
  now: Date.now,
  after(ms, act) {
    const timer = setTimeout(act, ms)
    return () => clearTimeout(timer)
  },
}

/** Full jitter: clients that lost the same server do not come back all at once (R18.7). */
export function waitBefore(attempt: number, random: () => number): number {
  return random() * Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
}

/** The one socket of this tab: opens it, opens it again, and brings every room that is followed up to date (R18). */
export class Connection {
  state: ConnectionState = 'idle'
  /** Of a message; told by the server. */
  messageLength = 2000
  readonly #options: Required<ConnectionOptions>
  readonly #rooms = new Map<string, Following>()
  readonly #lobby = new Set<() => void>()
  readonly #notices = new Set<(frame: Notified) => void>()
  readonly #watchers = new Set<() => void>()
  readonly #asked = new Map<string, string>()
  #socket: Socket | null = null
  /** Which socket is listened to. */
  #turn = 0
  #attempt = 0
  #lastId = 0
  #isQuiet = false
  #openedAt = 0
  #cancelWait = () => {}
  #cancelQuiet = () => {}

  constructor(options: ConnectionOptions) {
    this.#options = { random: Math.random, timers: browserTimers, ...options }
  }

  /** Opens it, also after it has stopped for good. */
  start(): void {
    if (this.state === 'connecting' || this.state === 'live') return
    this.#cancelWait()
    this.#attempt = 0
    this.#open()
  }

  stop(): void {
    this.#cancelWait()
    this.#drop()
    this.#become('idle')
  }

  /**
   * The network is back: opens it at once instead of when its time has come, and instead of an opening that may hang or of
   * a connection that may have died with the network, which would show only after a while.
   */
  hurry(): void {
    const mayHang = this.state === 'connecting' && this.#options.timers.now() - this.#openedAt >= OPENING_MS
    if (this.state !== 'waiting' && this.state !== 'live' && !mayHang) return
    this.#cancelWait()
    this.#drop()
    this.#open()
  }

  /** Calls back when `state` changes. */
  watch = (watcher: () => void): (() => void) => add(this.#watchers, watcher)

  /** Calls back with each notice that is for this person. */
  onNotice(listener: (frame: Notified) => void): () => void {
    return add(this.#notices, listener)
  }

  /** Calls back when a line of the lobby has changed, or may have. */
  followLobby(listener: () => void): () => void {
    if (this.#lobby.size === 0) this.#ask({ type: 'subscribe_lobby' })
    const stop = add(this.#lobby, listener)
    return () => {
      stop()
      if (this.#lobby.size === 0) this.#ask({ type: 'unsubscribe_lobby' })
    }
  }

  /** Enters a room and follows it; one listener for each room. The returned function leaves it. */
  follow(roomId: string, listener: RoomListener): () => void {
    const { log, random, timers } = this.#options
    const pause = (attempt: number) =>
      new Promise<void>((resume) => void timers.after(waitBefore(attempt, random), resume))
    const following = new Following(roomId, listener, { ...log, pause })
    this.#rooms.get(roomId)?.end()
    this.#rooms.set(roomId, following)
    this.#subscribe(following)
    return () => {
      following.end()
      if (this.#rooms.get(roomId) !== following) return
      this.#rooms.delete(roomId)
      this.#ask({ type: 'unsubscribe', roomId })
    }
  }

  typing(roomId: string, active: boolean): void {
    if (this.state === 'live') this.#send({ type: 'typing', roomId, active })
  }

  #become(state: ConnectionState): void {
    if (this.state === state) return
    this.state = state
    for (const watcher of this.#watchers) watcher()
  }

  #open(): void {
    this.#openedAt = this.#options.timers.now()
    this.#become('connecting')
    const turn = ++this.#turn
    this.#socket = this.#options.open(SUBPROTOCOL, {
      heard: (text) => turn === this.#turn && this.#hear(text),
      lost: (code, reason) => turn === this.#turn && this.#lost(code, reason),
    })
    this.#listenForLife()
  }

  /** Lets the socket go without hearing of it again. */
  #drop(code?: number): void {
    this.#cancelQuiet()
    this.#turn++
    this.#asked.clear()
    this.#socket?.close(code)
    this.#socket = null
  }

  #lost(code: number, reason: string): void {
    this.#drop()
    if (code === 4401) {
      this.#become('idle')
      return this.#options.onSessionEnd(reason)
    }
    if (code === 4400 || code === 4413) return this.#become('misunderstood')
    if (code === 4409) return this.#become('replaced')
    const isTooFast = code === 4429
    const ms = isTooFast ? LONGEST_WAIT_MS : waitBefore(this.#attempt++, this.#options.random)
    this.#become(isTooFast ? 'resting' : 'waiting')
    this.#cancelWait = this.#options.timers.after(ms, () => this.#open())
  }

  #welcomed(userId: string, messageLength: number): void {
    if (!this.#options.isStill(userId)) {
      this.stop()
      return this.#options.onSomebodyElse()
    }
    this.messageLength = messageLength
    this.#attempt = 0
    this.#become('live')
    if (this.#lobby.size > 0) this.#ask({ type: 'subscribe_lobby' })
    for (const following of this.#rooms.values()) this.#subscribe(following)
  }

  #subscribe(following: Following): void {
    if (this.state !== 'live' || following.isOver) return
    following.asked()
    const id = this.#ask({ type: 'subscribe', roomId: following.roomId })
    this.#asked.set(id, following.roomId)
  }

  /** Sends a request, with an id that its answer has; nothing while there is nobody to hear it. */
  #ask(frame: { type: string; roomId?: string }): string {
    const id = String(++this.#lastId)
    if (this.state === 'live') this.#send({ ...frame, id })
    return id
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame))
  }

  #hear(text: string): void {
    this.#listenForLife()
    const frame = JSON.parse(text) as ServerFrame
    switch (frame.type) {
      case 'welcome':
        return this.#welcomed(frame.userId, frame.limits.messageLength)
      // What changed while nobody listened is found by looking, once everything after it is told.
      case 'subscribed_lobby':
      case 'lobby':
        return this.#lobby.forEach((listener) => listener())
      case 'notice':
        return this.#notices.forEach((listener) => listener(frame))
      case 'error':
        return this.#refused(frame.id, frame.code)
      default:
        if ('roomId' in frame) this.#hearOfRoom(frame)
    }
  }

  #hearOfRoom(frame: Extract<ServerFrame, { roomId: string }>): void {
    const following = this.#rooms.get(frame.roomId)
    if (!following || following.isOver) return
    const { listener } = following
    switch (frame.type) {
      case 'subscribed':
        if (!this.#asked.delete(frame.id)) return
        return following.subscribed(frame)
      case 'event': {
        const { type: _type, roomId: _roomId, ...event } = frame
        return following.hear(event)
      }
      case 'presence':
        return listener.presence(frame)
      case 'typing':
        return listener.typing(frame.userId, frame.active)
      case 'room.removed':
        // Not to be entered again by itself (R28.5).
        this.#rooms.delete(frame.roomId)
        following.end()
        return listener.removed(frame)
    }
  }

  #refused(id: string | null, code: string): void {
    const roomId = this.#asked.get(id ?? '')
    const following = roomId === undefined ? undefined : this.#rooms.get(roomId)
    this.#asked.delete(id ?? '')
    if (!following || following.isOver) return
    if (PASSING.has(code)) {
      const ms = waitBefore(4, this.#options.random)
      this.#options.timers.after(ms, () => this.#subscribe(following))
      return
    }
    this.#rooms.delete(following.roomId)
    following.end()
    following.listener.refused(code)
  }

  /** A connection that died without a word is found out by asking for one; an opening that hangs cannot be asked. */
  #listenForLife(): void {
    this.#isQuiet = false
    this.#cancelQuiet()
    this.#cancelQuiet = this.#options.timers.after(QUIET_MS, () => this.#askForLife())
  }

  #askForLife(): void {
    if (this.#isQuiet || this.state === 'connecting') {
      this.#drop(4408)
      return this.#lost(4408, 'silent')
    }
    this.#isQuiet = true
    this.#ask({ type: 'ping' })
    this.#cancelQuiet = this.#options.timers.after(QUIET_MS, () => this.#askForLife())
  }
}

function add<Listener>(to: Set<Listener>, listener: Listener): () => void {
  to.add(listener)
  return () => void to.delete(listener)
}
