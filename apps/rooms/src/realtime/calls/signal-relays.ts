import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { ServerWebSocket } from 'bun'
import type { Tables } from '../../db/tables.ts'
import type { VoiceSettings } from '../../settings/voice.ts'
import type { Identity } from '../../voice/livekit/tokens.ts'
import { listPeers, mayStayInCall } from '../../voice/store.ts'
import { CoalescedTask } from '../coalesced-task.ts'

/** Largest frame of a browser. Descriptions of large calls are long. */
export const SIGNAL_LIMIT_BYTES = 256 * 1024

const CONNECT_TIMEOUT_MS = 5_000
/** Time in which LiveKit itself says goodbye, or clients would try to connect again. */
const GOODBYE_MS = 500
const MAX_UNSENT_BYTES = 1024 * 1024

type BrowserSocket = Pick<ServerWebSocket<unknown>, 'send' | 'close' | 'getBufferedAmount'>

/** Participant whose signal socket is carried. */
export interface RelayedParticipant {
  readonly roomId: string
  readonly identity: Identity
}

/** Carries the frames of a signal socket between a browser and LiveKit. */
export class SignalRelay {
  readonly identity: Identity
  readonly #upstream: WebSocket
  readonly #onClose: (relay: SignalRelay) => void
  #browser: BrowserSocket | undefined
  /** Frames of LiveKit that arrive before the browser is connected. */
  #early: (string | ArrayBuffer)[] = []
  isEnding = false
  #isClosed = false

  constructor(identity: Identity, upstream: WebSocket, onClose: (relay: SignalRelay) => void) {
    this.identity = identity
    this.#upstream = upstream
    this.#onClose = onClose
    upstream.binaryType = 'arraybuffer'
    upstream.addEventListener('message', ({ data }) => this.#toBrowser(data as string | ArrayBuffer))
    upstream.addEventListener('close', () => this.close())
    upstream.addEventListener('error', () => this.close())
  }

  /** The socket of the browser is open. */
  open(browser: BrowserSocket): void {
    this.#browser = browser
    if (this.#isClosed) return browser.close()
    for (const frame of this.#early) this.#toBrowser(frame)
    this.#early = []
  }

  toLiveKit(frame: string | Buffer<ArrayBuffer>): void {
    if (this.#isClosed || this.isEnding) return
    this.#upstream.send(frame)
    if (this.#upstream.bufferedAmount > MAX_UNSENT_BYTES) this.close()
  }

  #toBrowser(frame: string | ArrayBuffer): void {
    if (this.#isClosed) return
    if (!this.#browser) return void this.#early.push(frame)
    if (this.#browser.send(frame) <= 0 && this.#browser.getBufferedAmount() > MAX_UNSENT_BYTES) this.close()
  }

  /** The participant has left the call: the browser says nothing more, and LiveKit has the last word. */
  end(): void {
    this.isEnding = true
    setTimeout(() => this.close(), GOODBYE_MS)
  }

  /** Closes both sides. */
  close(): void {
    if (this.#isClosed) return
    this.#isClosed = true
    this.#upstream.close()
    this.#browser?.close()
    this.#onClose(this)
  }
}

interface RoomRelays {
  readonly relays: Set<SignalRelay>
  readonly check: CoalescedTask
}

interface SignalRelaysOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  voice: VoiceSettings
  /** Ends the media of a participant. */
  remove: (roomId: string, identity: Identity) => void
}

/** Signal sockets that this node carries. Each ends with the lease of its connection (R33.5). */
export class SignalRelays {
  readonly #options: SignalRelaysOptions
  readonly #rooms = new Map<string, RoomRelays>()

  constructor(options: SignalRelaysOptions) {
    this.#options = options
  }

  get size(): number {
    return [...this.#rooms.values()].reduce((sum, { relays }) => sum + relays.size, 0)
  }

  /** Connects to LiveKit at this URL. Undefined if it refuses or does not answer. */
  async connect(
    url: string,
    token: string,
    { roomId, identity }: RelayedParticipant,
  ): Promise<SignalRelay | undefined> {
    // Bun's own second argument. The types in force here are those of the browser.
    const options = { headers: { Authorization: `Bearer ${token}` } } as unknown as string[]
    const upstream = new WebSocket(url, options)
    const opened = new Promise<boolean>((resolve) => {
      upstream.addEventListener('open', () => resolve(true))
      upstream.addEventListener('close', () => resolve(false))
      upstream.addEventListener('error', () => resolve(false))
    })
    const relay = new SignalRelay(identity, upstream, (closed) => this.#forget(roomId, closed))
    this.#roomOf(roomId).relays.add(relay)
    const isOpen = await Promise.race([opened, Bun.sleep(CONNECT_TIMEOUT_MS).then(() => false)])
    if (isOpen) return relay
    relay.close()
    return undefined
  }

  /** Closes the sockets whose leases have ended, in this room or in all. */
  async check(roomId?: string): Promise<void> {
    const roomIds = roomId === undefined ? [...this.#rooms.keys()] : [roomId]
    await Promise.all(roomIds.map(async (id) => this.#rooms.get(id)?.check.run()))
  }

  close(): void {
    for (const { relays } of this.#rooms.values()) for (const relay of relays) relay.close()
  }

  #roomOf(roomId: string): RoomRelays {
    const existing = this.#rooms.get(roomId)
    if (existing) return existing
    const relays = new Set<SignalRelay>()
    const room = { relays, check: new CoalescedTask(() => this.#checkRoom(roomId, relays)) }
    this.#rooms.set(roomId, room)
    return room
  }

  #forget(roomId: string, relay: SignalRelay): void {
    const room = this.#rooms.get(roomId)
    room?.relays.delete(relay)
    if (room?.relays.size === 0) this.#rooms.delete(roomId)
  }

  async #checkRoom(roomId: string, relays: ReadonlySet<SignalRelay>): Promise<void> {
    const { database, log, now, voice } = this.#options
    // Taken before the leases are read: those of new relays are stored by then.
    const before = [...relays]
    try {
      const peers = await listPeers(database.read, { roomId, nowMs: now() }, voice.guests)
      const staying = new Set(peers.filter(mayStayInCall).map(({ connectionId }) => connectionId))
      for (const relay of before) {
        const { identity, isEnding } = relay
        if (isEnding || staying.has(identity.connectionId)) continue
        relay.end()
        this.#options.remove(roomId, identity)
      }
    } catch (error) {
      // Repeated every second.
      log.warn('call: signal sockets cannot be compared with the database', { error })
    }
  }
}
