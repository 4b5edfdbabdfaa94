import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { ClusterEvent } from '../../api/cluster-events.ts'
import type { Tables } from '../../db/tables.ts'
import { failure } from '../../api/failures.ts'
import type { Bus } from '../bus.ts'
import type { Connection } from '../connection.ts'
import { CoalescedTask } from '../coalesced-task.ts'
import type { LocalRooms } from '../local-rooms.ts'
import type { ClientFrame } from '../protocol.ts'
import { type CallPolicy, callEvents, setCallState } from '../../voice/call.ts'
import { type ActivePeer, type CallEnd, LocalCall } from './local-call.ts'
import { MediaControl, type MediaControlOptions } from './media-control.ts'
import { SignalRelays } from './signal-relays.ts'
import { readCandidates } from './candidate.ts'
import { parseSessionDescription, sourcesOf, writeSessionDescription } from './session-description.ts'
import type { LiveKit } from '../../voice/livekit/livekit.ts'
import { GRANT_OF, type Source } from '../../voice/sources.ts'
import { deleteCallLeases, listPeers, updateCallLeases } from '../../voice/store.ts'

export interface CallsOptions extends CallPolicy {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  rooms: LocalRooms
  /** Null unless it carries the media. */
  livekit: LiveKit | null
  countRemoval: MediaControlOptions['countRemoval']
}

type StateFrame = Extract<ClientFrame, { type: 'voice.state' }>
type SignalFrame = Extract<ClientFrame, { type: 'voice.signal' }>

/** Call of a room at this node. */
interface Entry {
  readonly call: LocalCall
  readonly refresh: CoalescedTask
  /** Leases to end in the database. They count as ended at once. */
  readonly ends: Map<string, 'rights' | 'off' | 'lost'>
  /** Why leases ended, as announced by the operations that deleted them. */
  readonly reasons: Map<string, CallEnd>
}

/** Calls with connections of this node. The database decides who is in a call, and with what rights. */
export class Calls {
  readonly #options: CallsOptions
  readonly #entries = new Map<string, Entry>()
  readonly media: MediaControl | null
  /** Signal sockets of LiveKit that this node carries. */
  readonly relays: SignalRelays

  constructor(options: CallsOptions) {
    this.#options = options
    this.media = options.livekit && new MediaControl(options.livekit, options)
    const { media } = this
    this.relays = new SignalRelays({
      ...options,
      remove: (roomId, identity) => media?.remove(roomId, identity),
    })
  }

  /** Number of connections of this node in calls. */
  get size(): number {
    return [...this.#entries.values()].reduce((sum, { call }) => sum + call.size, 0)
  }

  /** Compares all calls with the database, every second: an event may have been lost (R33.5). */
  async tick(): Promise<void> {
    const refreshes = [...this.#entries.values()].map(({ refresh }) => refresh.run())
    await Promise.all([...refreshes, this.relays.check(), this.media?.tick()])
  }

  /** Closes the signal sockets. Browsers connect again, to another node if there is one. */
  async stop(): Promise<void> {
    this.relays.close()
    await this.media?.whenIdle()
  }

  handle({ roomId, removal, hadRecorder }: Extract<ClusterEvent, { kind: 'voice' }>): void {
    void this.relays.check(roomId)
    if (!this.#options.rooms.find(roomId)) return
    const { call, reasons, refresh } = this.#entryOf(roomId)
    for (const id of removal?.connectionIds ?? []) reasons.set(id, removal?.reason ?? 'left')
    if (hadRecorder) call.sendRecorderNotice()
    void refresh.run()
  }

  /** The rights of users in this room may have changed, or in all rooms. */
  check(roomId?: string): void {
    const entries = roomId === undefined ? this.#entries.values() : [this.#entries.get(roomId)]
    for (const entry of entries) void entry?.refresh.run()
    void this.relays.check(roomId)
  }

  /** The socket is closed: all others close their connections to it at once (R33.5). */
  drop(connection: Connection, roomIds: readonly string[]): void {
    for (const roomId of roomIds) {
      const entry = this.#entries.get(roomId)
      entry?.ends.set(connection.id, 'lost')
      void entry?.refresh.run()
    }
  }

  /** Stores what a connection does, and answers. Throws the refusals of `setCallState`. */
  async setState(connection: Connection, { type, id, roomId, ...wanted }: StateFrame): Promise<void> {
    const { database, now, bus } = this.#options
    if (!connection.subscriptions.has(roomId)) throw failure('not_present')
    const change = { roomId, connectionId: connection.id, wanted, nowMs: now() }
    await database.write((tx) => setCallState(tx, change, this.#options))
    bus.publish({ kind: 'voice', roomId })
    bus.publish({ kind: 'presence', roomId })
    // Descriptions are checked against the new state from now on.
    await this.#entryOf(roomId).refresh.run()
    connection.sendFrame({ type, id, roomId, ...wanted })
  }

  /**
   * Passes on to another connection in the same call what was understood of a description or of
   * candidates. Throws `not_present` unless both are in it, and `forbidden` for a description that
   * is malformed or sends more than its sender may.
   */
  async signal(connection: Connection, { roomId, to, description, candidates }: SignalFrame): Promise<void> {
    // Only in a mesh do connections speak to each other.
    if (this.#options.livekit) throw failure('forbidden')
    if (!connection.subscriptions.has(roomId) || connection.id === to) throw failure('not_present')
    const { call, refresh } = this.#entryOf(roomId)
    // One of them may have joined a moment ago.
    if (!call.find(connection.id) || !call.find(to)) await refresh.run()
    const sender = call.find(connection.id)
    const recipient = call.find(to)
    if (!sender || !recipient) throw failure('not_present')
    const reply = { type: 'voice.signal', roomId, from: connection.id }
    if (description) {
      const parsed = parseSessionDescription(description.type, description.sdp)
      if (!sourcesOf(parsed).every((source) => maySend(sender.peer, source))) throw failure('forbidden')
      const sdp = writeSessionDescription(parsed)
      return recipient.connection.sendFrame({ ...reply, description: { type: description.type, sdp } })
    }
    const permitted = readCandidates(candidates ?? [], this.#options.voice.relayOnly)
    if (permitted.length > 0) recipient.connection.sendFrame({ ...reply, candidates: permitted })
  }

  #entryOf(roomId: string): Entry {
    const existing = this.#entries.get(roomId)
    if (existing) return existing
    const entry: Entry = {
      call: new LocalCall(roomId, this.media),
      refresh: new CoalescedTask(() => this.#refresh(roomId, entry)),
      ends: new Map(),
      reasons: new Map(),
    }
    this.#entries.set(roomId, entry)
    return entry
  }

  async #refresh(roomId: string, entry: Entry): Promise<void> {
    const { call, ends, reasons } = entry
    const { database, now, rooms, voice, log } = this.#options
    try {
      const subscriptions = rooms.subscriptions([roomId])
      const local = new Map(subscriptions.map(({ connection }) => [connection.id, connection]))
      const peers = await listPeers(database.read, { roomId, nowMs: now() }, voice.guests)
      for (const [id, loss] of call.findLosses(peers, local)) ends.set(id, loss)
      const staying = peers.filter(({ connectionId }) => !ends.has(connectionId))
      call.replace(staying, local, (id) => ends.get(id) ?? reasons.get(id) ?? 'lost')
      reasons.clear()
      const stored = new Set(peers.map(({ connectionId }) => connectionId))
      for (const id of ends.keys()) if (!stored.has(id)) ends.delete(id)
      if (ends.size > 0) await this.#endLeases(roomId, ends)
      if (call.isEmpty && this.#entries.get(roomId) === entry) this.#entries.delete(roomId)
    } catch (error) {
      // Repeated every second.
      log.warn('call: cannot be compared with the database', { error })
    }
  }

  async #endLeases(roomId: string, ends: Entry['ends']): Promise<void> {
    const { database, now, bus } = this.#options
    const all = [...ends]
    const idsOf = (isLost: boolean) =>
      all.filter(([, reason]) => (reason === 'lost') === isLost).map(([id]) => id)
    await database.write(async (tx) => {
      // The call goes on for a while without a user who lost the connection.
      await updateCallLeases(tx, { roomId, connectionIds: idsOf(true) }, { lost_at: now() })
      await deleteCallLeases(tx, { roomId, connectionIds: idsOf(false) })
    })
    for (const [id] of all) ends.delete(id)
    for (const event of callEvents(roomId)) bus.publish(event)
  }
}

/**
 * Whether the grants and the announced state of a connection allow the source. The microphone line
 * stays open.
 */
function maySend(peer: ActivePeer, source: Source): boolean {
  const grant = GRANT_OF[source]
  return peer.grants[grant] && (source === 'microphone' || peer[grant])
}
