import { RoomSubscription, type EventLog, type RoomListener } from './room-subscription.ts'
import { type NoticeFrame, SUBPROTOCOL, type ServerFrame } from './frames.ts'

/** What of a `WebSocket` is used, so that tests can be its other end. */
export interface Socket {
  send: (text: string) => void
  close: (code?: number) => void
}

/** What is to be called when a socket has something to say. */
export interface SocketListeners {
  onMessage: (text: string) => unknown
  onClose: (code: number, reason: string) => unknown
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
  open: (protocol: string, listeners: SocketListeners) => Socket
  log: Pick<EventLog, 'eventsAfter' | 'refusalOf'>
  /** Whether this client is still theirs whose session the socket was opened with. */
  isSameUser: (userId: string) => boolean
  /** It is not. The connection has stopped, before anything was said with that session. */
  onUserChange: () => void
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
const MAX_WAIT_MS = 30_000
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
export function backoffMs(attempt: number, random: () => number): number {
  return random() * Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt)
}

/** The one socket of this tab: opens it, opens it again, and brings every room that is followed up to date (R18). */
export class Connection {
  state: ConnectionState = 'idle'
  /** Of a message; told by the server. */
  messageLength = 2000
  readonly #options: Required<ConnectionOptions>
  readonly #rooms = new Map<string, RoomSubscription>()
  readonly #lobby = new Set<() => void>()
  readonly #notices = new Set<(frame: NoticeFrame) => void>()
  readonly #watchers = new Set<() => void>()
  readonly #pendingSubscriptions = new Map<string, string>()
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
    this.#setState('idle')
  }

  /**
   * The network is back: opens it at once instead of when its time has come, and instead of an opening that may hang or of
   * a connection that may have died with the network, which would show only after a while.
   */
  reconnectNow(): void {
    const mayHang = this.state === 'connecting' && this.#options.timers.now() - this.#openedAt >= OPENING_MS
    if (this.state !== 'waiting' && this.state !== 'live' && !mayHang) return
    this.#cancelWait()
    this.#drop()
    this.#open()
  }

  /** Calls back when `state` changes. */
  watch = (watcher: () => void): (() => void) => add(this.#watchers, watcher)

  /** Calls back with each notice that is for this person. */
  onNotice(listener: (frame: NoticeFrame) => void): () => void {
    return add(this.#notices, listener)
  }

  /** Calls back when a line of the lobby has changed, or may have. */
  followLobby(listener: () => void): () => void {
    if (this.#lobby.size === 0) this.#request({ type: 'subscribe_lobby' })
    const stop = add(this.#lobby, listener)
    return () => {
      stop()
      if (this.#lobby.size === 0) this.#request({ type: 'unsubscribe_lobby' })
    }
  }

  /** Enters a room and follows it; one listener for each room. The returned function leaves it. */
  follow(roomId: string, listener: RoomListener): () => void {
    const { log, random, timers } = this.#options
    const pause = (attempt: number) =>
      new Promise<void>((resume) => void timers.after(backoffMs(attempt, random), resume))
    const following = new RoomSubscription(roomId, listener, { ...log, pause })
    this.#rooms.get(roomId)?.end()
    this.#rooms.set(roomId, following)
    this.#subscribe(following)
    return () => {
      following.end()
      if (this.#rooms.get(roomId) !== following) return
      this.#rooms.delete(roomId)
      this.#request({ type: 'unsubscribe', roomId })
    }
  }

  typing(roomId: string, active: boolean): void {
    if (this.state === 'live') this.#send({ type: 'typing', roomId, active })
  }

  #setState(state: ConnectionState): void {
    if (this.state === state) return
    this.state = state
    for (const watcher of this.#watchers) watcher()
  }

  #open(): void {
    this.#openedAt = this.#options.timers.now()
    this.#setState('connecting')
    const turn = ++this.#turn
    this.#socket = this.#options.open(SUBPROTOCOL, {
      onMessage: (text) => turn === this.#turn && this.#onFrame(text),
      onClose: (code, reason) => turn === this.#turn && this.#onClose(code, reason),
    })
    this.#watchSilence()
  }

  /** Lets the socket go without hearing of it again. */
  #drop(code?: number): void {
    this.#cancelQuiet()
    this.#turn++
    this.#pendingSubscriptions.clear()
    this.#socket?.close(code)
    this.#socket = null
  }

  #onClose(code: number, reason: string): void {
    this.#drop()
    if (code === 4401) {
      this.#setState('idle')
      return this.#options.onSessionEnd(reason)
    }
    if (code === 4400 || code === 4413) return this.#setState('misunderstood')
    if (code === 4409) return this.#setState('replaced')
    const isTooFast = code === 4429
    const ms = isTooFast ? MAX_WAIT_MS : backoffMs(this.#attempt++, this.#options.random)
    this.#setState(isTooFast ? 'resting' : 'waiting')
    this.#cancelWait = this.#options.timers.after(ms, () => this.#open())
  }

  #onWelcome(userId: string, messageLength: number): void {
    if (!this.#options.isSameUser(userId)) {
      this.stop()
      return this.#options.onUserChange()
    }
    this.messageLength = messageLength
    this.#attempt = 0
    this.#setState('live')
    if (this.#lobby.size > 0) this.#request({ type: 'subscribe_lobby' })
    for (const following of this.#rooms.values()) this.#subscribe(following)
  }

  #subscribe(following: RoomSubscription): void {
    if (this.state !== 'live' || following.isOver) return
    following.startSubscribing()
    const id = this.#request({ type: 'subscribe', roomId: following.roomId })
    this.#pendingSubscriptions.set(id, following.roomId)
  }

  /** Sends a request, with an id that its answer has; nothing while there is nobody to hear it. */
  #request(frame: { type: string; roomId?: string }): string {
    const id = String(++this.#lastId)
    if (this.state === 'live') this.#send({ ...frame, id })
    return id
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame))
  }

  #onFrame(text: string): void {
    this.#watchSilence()
    const frame = JSON.parse(text) as ServerFrame
    switch (frame.type) {
      case 'welcome':
        return this.#onWelcome(frame.userId, frame.limits.messageLength)
      // What changed while nobody listened is found by looking, once everything after it is told.
      case 'subscribed_lobby':
      case 'lobby':
        return this.#lobby.forEach((listener) => listener())
      case 'notice':
        return this.#notices.forEach((listener) => listener(frame))
      case 'error':
        return this.#onRefusal(frame.id, frame.code)
      default:
        if ('roomId' in frame) this.#onRoomFrame(frame)
    }
  }

  #onRoomFrame(frame: Extract<ServerFrame, { roomId: string }>): void {
    const following = this.#rooms.get(frame.roomId)
    if (!following || following.isOver) return
    const { listener } = following
    switch (frame.type) {
      case 'subscribed':
        if (!this.#pendingSubscriptions.delete(frame.id)) return
        return following.subscribed(frame)
      case 'event': {
        const { type: _type, roomId: _roomId, ...event } = frame
        return following.receive(event)
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

  #onRefusal(id: string | null, code: string): void {
    const roomId = this.#pendingSubscriptions.get(id ?? '')
    const following = roomId === undefined ? undefined : this.#rooms.get(roomId)
    this.#pendingSubscriptions.delete(id ?? '')
    if (!following || following.isOver) return
    if (PASSING.has(code)) {
      const ms = backoffMs(4, this.#options.random)
      this.#options.timers.after(ms, () => this.#subscribe(following))
      return
    }
    this.#rooms.delete(following.roomId)
    following.end()
    following.listener.refused(code)
  }

  /** A connection that died without a word is found out by asking for one; an opening that hangs cannot be asked. */
  #watchSilence(): void {
    this.#isQuiet = false
    this.#cancelQuiet()
    this.#cancelQuiet = this.#options.timers.after(QUIET_MS, () => this.#ping())
  }

  #ping(): void {
    if (this.#isQuiet || this.state === 'connecting') {
      this.#drop(4408)
      return this.#onClose(4408, 'silent')
    }
    this.#isQuiet = true
    this.#request({ type: 'ping' })
    this.#cancelQuiet = this.#options.timers.after(QUIET_MS, () => this.#ping())
  }
}

function add<Listener>(to: Set<Listener>, listener: Listener): () => void {
  to.add(listener)
  return () => void to.delete(listener)
}
