import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import type { ClusterEvent, Notice } from '../api/cluster-events.ts'
import { presenceEvents } from '../rooms/eviction.ts'
import { canPublish, effectiveRole } from '../rooms/permissions.ts'
import type { PresentPerson } from '../lobby/schema.ts'
import { LEASE_MS, type StartedVisit } from '../rooms/visits.ts'
import { Id } from '../api/wire.ts'
import type { Bus } from './bus.ts'
import { CallAlerts } from './call-alerts.ts'
import type { Connection } from './connection.ts'
import { SessionExpiry } from './session-expiry.ts'
import { Leases } from './leases.ts'
import { Lobby } from './lobby.ts'
import type { LocalRoom } from './local-room.ts'
import { LocalRooms } from './local-rooms.ts'
import { readNotice } from './notices.ts'
import { Online } from './online.ts'
import { People } from './people.ts'
import { Close } from './protocol.ts'
import { ConnectionRegistry } from './connection-registry.ts'
import { findRoomsOf } from './store.ts'
import { Typing } from './typing.ts'
import { Calls, type CallsOptions } from './calls/calls.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import type { LiveKit } from '../voice/livekit/livekit.ts'
import { Reconciler } from './reconciler.ts'

export interface HubOptions {
  database: Database<Tables>
  log: Log
  /** Clock of the database, in milliseconds since 1970. */
  now: () => number
  /** Milliseconds since an arbitrary moment; never decreases. */
  steadyNow: () => number
  /** Reads the clock of the database again. */
  measureClock: () => Promise<void>
  bus: Bus
  nodeId: string
  limits: Limits
  voice: VoiceSettings
  /** Null unless it carries the media of calls. */
  livekit: LiveKit | null
  countDeliveries: (count: number) => void
  countRemoval: CallsOptions['countRemoval']
}

const TICK_MS = 1_000

/**
 * All connections of this node and their rooms. The database decides; events only cause an earlier
 * read.
 */
export class Hub {
  readonly registry: ConnectionRegistry
  readonly rooms: LocalRooms
  readonly lobby: Lobby
  readonly online: Online
  readonly people: People
  readonly typing: Typing
  readonly sessionExpiry: SessionExpiry
  readonly leases: Leases
  readonly reconciler: Reconciler
  readonly calls: Calls
  readonly callAlerts: CallAlerts
  readonly #options: HubOptions
  /** Number of events since the start by which a user may have lost a room. */
  #losses = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #stopping: Promise<void> | undefined

  constructor(options: HubOptions) {
    this.#options = options
    this.registry = new ConnectionRegistry(options.limits)
    this.rooms = new LocalRooms(options)
    this.lobby = new Lobby(options)
    this.people = new People(options)
    this.online = new Online({ ...options, registry: this.registry, publish: options.bus.publish })
    this.typing = new Typing({ bus: options.bus, now: options.steadyNow })
    const dependencies = {
      ...options,
      registry: this.registry,
      rooms: this.rooms,
      lobby: this.lobby,
      online: this.online,
    }
    this.sessionExpiry = new SessionExpiry(dependencies)
    this.leases = new Leases(dependencies)
    this.reconciler = new Reconciler({
      ...dependencies,
      sessionExpiry: this.sessionExpiry,
      leases: this.leases,
    })
    this.calls = new Calls({ ...options, rooms: this.rooms })
    this.callAlerts = new CallAlerts({ ...options, registry: this.registry })
    options.bus.listen((event) => this.handle(event))
  }

  /** Starts the timer. */
  start(): void {
    this.#timer = setInterval(() => void this.tick(), TICK_MS)
  }

  /** Runs everything that is due. Never rejects. */
  tick(): Promise<void> {
    this.typing.tick(this.#options.steadyNow())
    void this.calls.tick()
    this.#runInBackground(() => this.callAlerts.tick())
    return this.reconciler.tick()
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined
  }

  /**
   * Closes all sockets with "restarting". Clients reconnect, to another node if there is one
   * (R19.3).
   */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const connection of this.registry.all()) connection.close(Close.restarting, 'restarting')
    this.lobby.close()
    this.people.close()
    await this.calls.stop()
    await this.reconciler.stop()
    this.rooms.close()
  }

  /** Forgets a closed socket. The departure is published if the user does not return in time. */
  drop(connection: Connection): void {
    connection.markClosed()
    this.registry.remove(connection)
    this.lobby.remove(connection)
    this.people.remove(connection)
    this.online.note(connection)
    const roomIds = [...connection.subscriptions.keys()]
    this.calls.drop(connection, roomIds)
    for (const roomId of roomIds) this.rooms.leave(connection, roomId)
    this.leases.addClosed({ connectionId: connection.id, roomIds })
  }

  /** Enters a room and answers. Throws the refusals of R17.2. */
  async subscribe(connection: Connection, id: string, roomId: string): Promise<void> {
    if (!Id.safeParse(roomId).success) throw failure('not_found')
    const { subscriptions } = connection
    if (!subscriptions.has(roomId) && subscriptions.size >= this.#options.limits.socket_subscriptions)
      throw failure('limit_reached')
    const lossesBefore = this.#losses
    const nowMs = this.#options.now()
    const room = this.rooms.reserve(connection, roomId)
    try {
      const started = await this.leases.take(connection, roomId)
      await room.presence.readOnce()
      const arrival = await room.presence.findArrival(started.access)
      // The socket closed during the entry. No other code ends the lease.
      if (connection.isClosed)
        return this.leases.addClosed({ connectionId: connection.id, roomIds: [roomId] })
      const { last_seq: seq } = started.access.room
      if (!subscriptions.has(roomId)) room.open({ connection, roomId, seq, leaseUntilMs: nowMs + LEASE_MS })
      // In the same tick, to precede all frames about the room.
      connection.send(toSubscribed(id, room, started, arrival))
      if (started.hasEntered) this.#publishPresence(roomId)
      // Users were removed during the entry, possibly this one.
      if (this.#losses !== lossesBefore) this.#runInBackground(() => this.leases.check([roomId]))
    } finally {
      this.rooms.release(connection, room)
    }
  }

  /** Ends the lease of this connection in a room. */
  async unsubscribe(connection: Connection, roomId: string): Promise<void> {
    if (!connection.subscriptions.has(roomId)) return
    const hasLeft = await this.leases.end(connection, roomId)
    this.rooms.leave(connection, roomId)
    this.calls.check(roomId)
    if (hasLeft) this.#publishPresence(roomId)
  }

  /** Applies an event of this node or another. Events may be missing, repeated or late. */
  handle(event: ClusterEvent): void {
    switch (event.kind) {
      case 'sessions':
        this.calls.check()
        this.#runInBackground(() => this.sessionExpiry.check(event.sessionIds))
        return this.#runInBackground(() => this.#refreshRoomsOf('session_id', event.sessionIds))
      case 'person':
        this.#losses++
        this.calls.check()
        // The name may be another one.
        this.people.queueUpdate([event.userId])
        this.#runInBackground(() => this.reconciler.checkPerson(event.userId))
        return this.#runInBackground(() => this.#refreshRoomsOf('user_id', [event.userId]))
      case 'people':
        return this.people.queueUpdate(event.userIds)
      case 'rate_limit':
        // Applied by the rate limits.
        return
      case 'lobby':
        return this.lobby.queueUpdate(event.roomId, event.previousAudience ?? [])
      case 'notice':
        return this.#notify(event.userId, event)
      case 'notice_ref':
        return this.#runInBackground(() => this.#readNotice(event))
      case 'removed':
        this.#losses++
        this.calls.check(event.roomId)
        return this.#runInBackground(() => this.leases.check([event.roomId], event))
      case 'voice':
        return this.calls.handle(event)
      case 'access':
        this.#losses++
        this.calls.check(event.roomId)
        return this.#runInBackground(() => this.leases.check([event.roomId]))
      default:
        return this.#handleInRoom(event)
    }
  }

  #handleInRoom(event: Parameters<LocalRoom['handle']>[0]): void {
    if (event.kind === 'event' || event.kind === 'last_seq') this.lobby.queueActivity(event.roomId)
    this.rooms.find(event.roomId)?.handle(event)
  }

  #notify(userId: string, notice: Notice): void {
    if (notice.notice === 'call' || notice.notice === 'call_ended')
      return this.callAlerts.notify(userId, notice)
    for (const connection of this.registry.ofUser(userId))
      connection.sendFrame({ type: 'notice', notice: notice.notice, data: notice.data })
  }

  /** Sends the calls that alert a user whose socket has opened. */
  sendCallAlerts(connection: Connection): void {
    this.#runInBackground(() => this.callAlerts.sendTo(connection))
  }

  async #readNotice(event: Extract<ClusterEvent, { kind: 'notice_ref' }>): Promise<void> {
    const { userId, notice } = event
    if (this.registry.ofUser(userId).length === 0) return
    const { database, now } = this.#options
    const data = await readNotice(database, event, now())
    if (data) this.#notify(userId, { notice, data } as Notice)
  }

  /** Refreshes the presence of the rooms of these users or sessions, which may have ended there. */
  async #refreshRoomsOf(column: 'user_id' | 'session_id', ids: readonly string[]): Promise<void> {
    const { database } = this.#options
    for (const roomId of await findRoomsOf(database.read, database.dialect, column, ids)) {
      this.rooms.find(roomId)?.presence.scheduleRefresh()
      this.lobby.queueUpdate(roomId, [])
    }
  }

  #publishPresence(roomId: string): void {
    for (const event of presenceEvents(roomId)) this.#options.bus.publish(event)
  }

  #runInBackground(work: () => Promise<void>): void {
    void this.reconciler.runLogged(work)
  }
}

/**
 * `subscribed` frame for a client that has entered a room (R18.8). A large room has no list of
 * participants.
 */
function toSubscribed(
  id: string,
  { presence }: LocalRoom,
  { access }: StartedVisit,
  arrival: PresentPerson | undefined,
): string {
  const { count, personsText } = presence.snapshotWith(arrival)
  const own = JSON.stringify({
    type: 'subscribed',
    id,
    roomId: access.roomId,
    seq: access.room.last_seq,
    role: effectiveRole(access),
    canPublish: canPublish(access),
    count,
  })
  // The list is by far the longest part. All clients that enter before it changes share its text.
  return `${own.slice(0, -1)},"present":${personsText}}`
}
