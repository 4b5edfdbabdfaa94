import { RoomSubscription, SILENT, type EventLog, type RoomListener } from './room-subscription.ts'
import type { Socket, SocketListeners } from './socket.ts'
import { MAX_WAIT_MS, type Timers, backoffMs, browserTimers } from './timers.ts'
import { CallChannel, isVoiceFrame } from './call-channel.ts'
import {
  type NoticeFrame,
  type PeopleFrame,
  type Room,
  SUBPROTOCOL,
  type ServerFrame,
  type VoiceFrame,
} from './frames.ts'

/**
 * - `waiting`: lost, with a pending attempt to reconnect.
 * - `resting`: the same, but not within the half minute that the server asked for (R18.8).
 * - `replaced`: another tab has taken its place. No reconnection.
 * - `incompatible`: client and server do not understand each other. No reconnection.
 */
export type ConnectionState =
  | 'idle'
  | 'connecting'
  | 'live'
  | 'waiting'
  | 'resting'
  | 'replaced'
  | 'incompatible'

/** A change may come with the room that has changed. */
type LobbyListener = (reason: 'followed' | 'changed', room?: Room) => void

export interface ConnectionOptions {
  open: (protocol: string, listeners: SocketListeners) => Socket
  log: Pick<EventLog, 'eventsAfter' | 'refusalOf'>
  /** True if this client still belongs to the user whose session opened the socket. */
  isSameUser: (userId: string) => boolean
  /**
   * Called if another user is signed in. The connection has been closed, and nothing was sent in
   * that session.
   */
  onUserChange: () => void
  /** Called when the session has ended, with the reason of R18. */
  onSessionEnd: (reason: string) => void
  /** Returns a number from 0 to 1. */
  random?: () => number
  timers?: Timers
}

/** Time without a frame from the server after which the client sends a ping. */
const SILENCE_MS = 25_000
/** Time without an answer to a ping after which the client closes the connection. */
const PONG_MS = 10_000
/** A connection that takes longer than this to open may hang. */
const SLOW_OPEN_MS = 3_000
/** A connection with a frame within this time is alive. */
const FRESH_MS = 2_000

/** Transient refusals of a subscription. */
const TRANSIENT_CODES: ReadonlySet<string> = new Set(['internal', 'unavailable', 'rate_limited'])

/** The socket of this tab. Reconnects, and brings every followed room up to date (R18). */
export class Connection {
  state: ConnectionState = 'idle'
  /** Maximum length of a message, as announced by the server. */
  messageLength = 2000
  /** Hours for which a message can be edited, as announced by the server. */
  messageEditHours = 24
  /** Maximum size of a file in bytes, as announced by the server. 0 if the user may send no files. */
  fileBytes = 0
  filesPerMessage = 0
  /** Id of the current socket at the server; null without one. */
  connectionId: string | null = null
  /** Called with the people on display, and then with those who change. */
  onPeople: (frame: PeopleFrame) => void = () => {}
  readonly calls = new CallChannel((frame) => (this.state === 'live' ? this.request(frame) : undefined))
  readonly #options: Required<ConnectionOptions>
  readonly #rooms = new Map<string, RoomSubscription>()
  readonly #lobby = new Set<LobbyListener>()
  readonly #notices = new Set<(frame: NoticeFrame) => void>()
  /** The room in which the user stays while its page is closed, because of a call. */
  #heldRoomId: string | null = null
  readonly #watchers = new Set<() => void>()
  readonly #progressWatchers = new Set<() => void>()
  readonly #pendingSubscriptions = new Map<string, string>()
  #socket: Socket | null = null
  /** Number of the current socket. Callbacks of earlier ones are ignored. */
  #generation = 0
  #attempt = 0
  #lastId = 0
  #isAwaitingPong = false
  #openedAt = 0
  /** Time of the server minus the time of this machine. */
  #serverAheadMs = 0
  #lastFrameAt = 0
  #cancelWait = () => {}
  #cancelSilenceTimer = () => {}

  constructor(options: ConnectionOptions) {
    this.#options = { random: Math.random, timers: browserTimers, ...options }
  }

  /** The time of the server, by which it decides. */
  serverNow(): number {
    return this.#options.timers.now() + this.#serverAheadMs
  }

  /** Opens the connection, also after it has stopped for good. */
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
   * Reconnects at once, after the network has come back. Replaces a scheduled attempt, an opening
   * that may hang, and a connection that may have died with the network: its death would be noticed
   * only after a while.
   */
  reconnectNow(): void {
    const mayHang = this.state === 'connecting' && this.#options.timers.now() - this.#openedAt >= SLOW_OPEN_MS
    if (this.state !== 'waiting' && this.state !== 'live' && !mayHang) return
    this.#cancelWait()
    this.#drop()
    this.#open()
  }

  /**
   * Finds out whether the connection is alive, after the user or the machine has given a sign of
   * life. A proxy or a sleeping machine may have ended it silently.
   */
  check(): void {
    if (this.state === 'connecting') return this.reconnectNow()
    if (this.state === 'live' && !this.#isAwaitingPong && this.silenceMs >= FRESH_MS) this.#ping()
  }

  /** True if every followed room is known up to now. */
  get isUpToDate(): boolean {
    return this.state === 'live' && this.#rooms.values().every(({ isCaughtUp }) => isCaughtUp)
  }

  /** True while this connection, if there is one, is in the room. */
  isIn = (roomId: string): boolean => this.#rooms.get(roomId)?.isSubscribed === true

  /** True while missed events of a room cannot be read. */
  get isStalled(): boolean {
    return this.#rooms.values().some(({ isStalled }) => isStalled)
  }

  /** Treats the connection as lost: the browser reports that it has no network. */
  markOffline(): void {
    if (this.state === 'live' || this.state === 'connecting') this.#onClose(1006, 'offline')
  }

  /** Calls `watcher` when `state` changes. */
  watch = (watcher: () => void): (() => void) => add(this.#watchers, watcher)

  /** Calls `watcher` when `state`, `isUpToDate` or `isStalled` may have changed. */
  watchProgress = (watcher: () => void): (() => void) => add(this.#progressWatchers, watcher)

  /** Calls `listener` with each notice for this user. */
  onNotice(listener: (frame: NoticeFrame) => void): () => void {
    return add(this.#notices, listener)
  }

  /** Stays in a room, or in none, also while no page follows it. */
  hold(roomId: string | null): void {
    const before = this.#heldRoomId
    this.#heldRoomId = roomId
    if (before !== null && before !== roomId && this.#rooms.get(before)?.listener === SILENT)
      this.#leave(before)
  }

  /** Milliseconds since the last frame of the server. */
  get silenceMs(): number {
    return this.#options.timers.now() - this.#lastFrameAt
  }

  /** Calls `listener` when an entry has changed, and each time from when on changes are followed. */
  followLobby(listener: LobbyListener): () => void {
    if (this.#lobby.size === 0) this.request({ type: 'subscribe_lobby' })
    const stop = add(this.#lobby, listener)
    return () => {
      stop()
      if (this.#lobby.size === 0) this.request({ type: 'unsubscribe_lobby' })
    }
  }

  /**
   * Enters a room and follows it from the event `start` on, otherwise from entering. A room has one
   * listener. The returned function leaves the room.
   */
  follow(roomId: string, listener: RoomListener, start?: number): () => void {
    const { log, random, timers } = this.#options
    const pause = (attempt: number) =>
      new Promise<void>((resume) => void timers.after(backoffMs(attempt, random), resume))
    const onProgress = () => notify(this.#progressWatchers)
    const subscription = new RoomSubscription(roomId, listener, { ...log, pause, onProgress }, start)
    this.#rooms.get(roomId)?.end()
    this.#rooms.set(roomId, subscription)
    this.#subscribe(subscription)
    return () => {
      subscription.end()
      if (this.#rooms.get(roomId) !== subscription) return
      if (roomId === this.#heldRoomId) this.follow(roomId, SILENT)
      else this.#leave(roomId)
    }
  }

  #leave(roomId: string): void {
    this.#rooms.get(roomId)?.end()
    this.#rooms.delete(roomId)
    this.request({ type: 'unsubscribe', roomId })
  }

  typing(roomId: string, active: boolean): void {
    if (this.state === 'live') this.#send({ type: 'typing', roomId, active })
  }

  #setState(state: ConnectionState): void {
    if (this.state === state) return
    this.state = state
    notify(this.#watchers)
    notify(this.#progressWatchers)
  }

  #open(): void {
    this.#openedAt = this.#options.timers.now()
    this.#setState('connecting')
    const generation = ++this.#generation
    this.#socket = this.#options.open(SUBPROTOCOL, {
      onMessage: (text) => generation === this.#generation && this.#onFrame(text),
      onClose: (code, reason) => generation === this.#generation && this.#onClose(code, reason),
    })
    this.#watchSilence()
  }

  /** Closes the socket and ignores its callbacks. */
  #drop(code?: number): void {
    this.#cancelSilenceTimer()
    this.#generation++
    this.#pendingSubscriptions.clear()
    this.connectionId = null
    this.calls.reset()
    this.#socket?.close(code)
    this.#socket = null
  }

  #onClose(code: number, reason: string): void {
    this.#drop()
    if (code === 4401) {
      this.#setState('idle')
      return this.#options.onSessionEnd(reason)
    }
    if (code === 4400 || code === 4413) return this.#setState('incompatible')
    if (code === 4409) return this.#setState('replaced')
    const isRateLimited = code === 4429
    const ms = isRateLimited ? MAX_WAIT_MS : backoffMs(this.#attempt++, this.#options.random)
    this.#setState(isRateLimited ? 'resting' : 'waiting')
    this.#cancelWait = this.#options.timers.after(ms, () => this.#open())
  }

  #onWelcome({ connectionId, userId, now, limits }: Extract<ServerFrame, { type: 'welcome' }>): void {
    if (!this.#options.isSameUser(userId)) {
      this.stop()
      return this.#options.onUserChange()
    }
    this.connectionId = connectionId
    this.#serverAheadMs = Date.parse(now) - this.#options.timers.now()
    this.messageLength = limits.messageLength
    this.messageEditHours = limits.messageEditHours
    this.fileBytes = limits.fileBytes
    this.filesPerMessage = limits.filesPerMessage
    this.#attempt = 0
    this.#setState('live')
    if (this.#lobby.size > 0) this.request({ type: 'subscribe_lobby' })
    for (const subscription of this.#rooms.values()) this.#subscribe(subscription)
  }

  #subscribe(subscription: RoomSubscription): void {
    if (this.state !== 'live' || subscription.isOver) return
    subscription.startSubscribing()
    const id = this.request({ type: 'subscribe', roomId: subscription.roomId })
    this.#pendingSubscriptions.set(id, subscription.roomId)
  }

  /**
   * Sends a request and returns the id that its answer will have. Sends nothing unless connected.
   */
  request(frame: { readonly type: string; roomId?: string; userIds?: readonly string[] }): string {
    const id = String(++this.#lastId)
    if (this.state === 'live') this.#send({ ...frame, id })
    return id
  }

  #send(frame: object): void {
    this.#socket?.send(JSON.stringify(frame))
  }

  #onFrame(text: string): void {
    this.#lastFrameAt = this.#options.timers.now()
    this.#watchSilence()
    const frame = JSON.parse(text) as ServerFrame
    switch (frame.type) {
      case 'welcome':
        return this.#onWelcome(frame)
      // Changes before the subscription are found by reading the lobby once it is active.
      case 'subscribed_lobby':
        return this.#lobby.forEach((listener) => listener('followed'))
      case 'lobby':
        return this.#lobby.forEach((listener) => listener('changed', frame.upsert))
      case 'notice':
        return this.#notices.forEach((listener) => listener(frame))
      case 'error':
        return this.#onRefusal(frame.id, frame.code)
      case 'voice.state':
        return this.calls.answer(frame.id, undefined)
      default:
        if (isVoiceFrame(frame)) this.calls.receive(frame)
        else if ('roomId' in frame) this.#onRoomFrame(frame)
        else if (frame.type === 'people') this.onPeople(frame)
    }
  }

  #onRoomFrame(frame: RoomFrame): void {
    if (frame.type === 'room.removed') this.calls.receive(frame)
    const subscription = this.#rooms.get(frame.roomId)
    if (!subscription || subscription.isOver) return
    const { listener } = subscription
    switch (frame.type) {
      case 'subscribed':
        if (!this.#pendingSubscriptions.delete(frame.id)) return
        return subscription.subscribed(frame)
      case 'event': {
        const { type: _type, roomId: _roomId, ...event } = frame
        return subscription.receive(event)
      }
      case 'presence':
        return listener.presence(frame)
      case 'typing':
        return listener.typing(frame.userId, frame.active)
      case 'room.removed':
        // The client never returns to the room on its own (R28.5).
        this.#rooms.delete(frame.roomId)
        subscription.end()
        return listener.removed(frame)
    }
  }

  #onRefusal(id: string | null, code: string): void {
    if (id !== null) this.calls.answer(id, code)
    const roomId = this.#pendingSubscriptions.get(id ?? '')
    const subscription = roomId === undefined ? undefined : this.#rooms.get(roomId)
    this.#pendingSubscriptions.delete(id ?? '')
    if (!subscription || subscription.isOver) return
    if (TRANSIENT_CODES.has(code)) {
      const ms = backoffMs(4, this.#options.random)
      this.#options.timers.after(ms, () => this.#subscribe(subscription))
      return
    }
    this.#rooms.delete(subscription.roomId)
    subscription.end()
    subscription.listener.refused(code)
  }

  /**
   * Detects a dead connection with a ping. A connection that is opening cannot be pinged: it is
   * closed.
   */
  #watchSilence(): void {
    this.#isAwaitingPong = false
    this.#cancelSilenceTimer()
    this.#cancelSilenceTimer = this.#options.timers.after(SILENCE_MS, () => this.#ping())
  }

  #ping(): void {
    if (this.#isAwaitingPong || this.state === 'connecting') {
      this.#drop(4408)
      return this.#onClose(4408, 'silent')
    }
    this.#isAwaitingPong = true
    this.request({ type: 'ping' })
    this.#cancelSilenceTimer()
    this.#cancelSilenceTimer = this.#options.timers.after(PONG_MS, () => this.#ping())
  }
}

type RoomFrame = Exclude<Extract<ServerFrame, { roomId: string }>, VoiceFrame | { type: 'voice.state' }>

function notify(watchers: ReadonlySet<() => void>): void {
  for (const watcher of watchers) watcher()
}

function add<Listener>(to: Set<Listener>, listener: Listener): () => void {
  to.add(listener)
  return () => void to.delete(listener)
}
