import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import type { Limits } from '../limits.ts'
import type { ClusterEvent, Notice } from '../cluster-events.ts'
import { presenceEvents } from '../rooms/eviction.ts'
import { canPublish, effectiveRole } from '../rooms/permissions.ts'
import type { Person } from '../rooms/schema.ts'
import { LEASE_MS, type StartedVisit } from '../rooms/visits.ts'
import { Id } from '../wire.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import { SessionExpiry } from './session-expiry.ts'
import { Leases } from './leases.ts'
import { Lobby } from './lobby.ts'
import type { LocalRoom } from './local-room.ts'
import { LocalRooms } from './local-rooms.ts'
import { readNotice } from './notices.ts'
import { Close } from './protocol.ts'
import { ConnectionRegistry } from './connection-registry.ts'
import { findRoomsOf } from './store.ts'
import { Typing } from './typing.ts'
import { Reconciler } from './reconciler.ts'

export interface HubOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
  nodeId: string
  limits: Limits
  countDeliveries: (count: number) => void
}

const TICK_MS = 1_000

/** Everything of this node that has a socket. The database decides; news only make it look sooner. */
export class Hub {
  readonly registry: ConnectionRegistry
  readonly rooms: LocalRooms
  readonly lobby: Lobby
  readonly typing: Typing
  readonly sessionExpiry: SessionExpiry
  readonly leases: Leases
  readonly reconciler: Reconciler
  readonly #options: HubOptions
  /** How often somebody may have lost a room since the start. */
  #losses = 0
  #timer: ReturnType<typeof setInterval> | undefined
  #stopping: Promise<void> | undefined

  constructor(options: HubOptions) {
    this.#options = options
    this.registry = new ConnectionRegistry(options.limits)
    this.rooms = new LocalRooms(options)
    this.lobby = new Lobby(options)
    this.typing = new Typing(options)
    const here = { ...options, registry: this.registry, rooms: this.rooms, lobby: this.lobby }
    this.sessionExpiry = new SessionExpiry(here)
    this.leases = new Leases(here)
    this.reconciler = new Reconciler({ ...here, sessionExpiry: this.sessionExpiry, leases: this.leases })
    options.bus.listen((event) => this.handle(event))
  }

  /** From now on by itself. */
  start(): void {
    this.#timer = setInterval(() => void this.tick(), TICK_MS)
  }

  /** What is due at this moment. Never fails. */
  tick(): Promise<void> {
    this.typing.tick(this.#options.now())
    return this.reconciler.tick()
  }

  get isStopping(): boolean {
    return this.#stopping !== undefined
  }

  /** Sockets close with "restarting", so that clients come back, to another node if there is one (R19.3). */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const connection of this.registry.all()) connection.close(Close.restarting, 'restarting')
    this.lobby.close()
    await this.reconciler.stop()
    this.rooms.close()
  }

  /** The socket is gone; the person is told to have left when nobody came back in time. */
  drop(connection: Connection): void {
    connection.markClosed()
    this.registry.remove(connection)
    this.lobby.remove(connection)
    const roomIds = [...connection.subscriptions.keys()]
    for (const roomId of roomIds) this.rooms.leave(connection, roomId)
    this.leases.addClosed({ connectionId: connection.id, roomIds })
  }

  /** Enters a room and answers. Throws what R17.2 names. */
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
      const newcomer = await room.presence.findNewcomer(started.access)
      // It went while it came in: nobody else gives the lease up.
      if (connection.isClosed)
        return this.leases.addClosed({ connectionId: connection.id, roomIds: [roomId] })
      const { last_seq: seq } = started.access.room
      if (!subscriptions.has(roomId)) room.open({ connection, roomId, seq, leaseUntilMs: nowMs + LEASE_MS })
      // At once, so that what is told of the room comes after it.
      connection.send(toSubscribed(id, room, started, newcomer))
      if (started.hasEntered) this.#publishPresence(roomId)
      // Somebody was removed meanwhile, perhaps from here.
      if (this.#losses !== lossesBefore) this.#soon(() => this.leases.check([roomId]))
    } finally {
      this.rooms.release(connection, room)
    }
  }

  /** Leaves a room by this connection. */
  async unsubscribe(connection: Connection, roomId: string): Promise<void> {
    if (!connection.subscriptions.has(roomId)) return
    const hasLeft = await this.leases.end(connection, roomId)
    this.rooms.leave(connection, roomId)
    if (hasLeft) this.#publishPresence(roomId)
  }

  /** Of this node or another; any of it may be missing, double or late. */
  handle(event: ClusterEvent): void {
    switch (event.kind) {
      case 'sessions':
        this.#soon(() => this.sessionExpiry.check(event.sessionIds))
        return this.#soon(() => this.#changedWhere('session_id', event.sessionIds))
      case 'person':
        this.#losses++
        this.#soon(() => this.reconciler.checkPerson(event.userId))
        return this.#soon(() => this.#changedWhere('user_id', [event.userId]))
      case 'taken':
        // The rates hear of it.
        return
      case 'lobby':
        return this.lobby.queueUpdate(event.roomId, event.formerly ?? [])
      case 'notice':
        return this.#notify(event.userId, event)
      case 'noticed':
        return this.#soon(() => this.#readNotice(event))
      case 'removed':
        this.#losses++
        return this.#soon(() => this.leases.check([event.roomId], event))
      case 'access':
        this.#losses++
        return this.#soon(() => this.leases.check([event.roomId]))
      case 'event':
      case 'grown':
      case 'presence':
      case 'typing':
        return this.rooms.find(event.roomId)?.handle(event)
    }
  }

  #notify(userId: string, { notice, data }: Pick<Notice, 'notice' | 'data'>): void {
    for (const connection of this.registry.ofUser(userId))
      connection.sendFrame({ type: 'notice', notice, data })
  }

  async #readNotice(event: Extract<ClusterEvent, { kind: 'noticed' }>): Promise<void> {
    const { userId, notice } = event
    if (this.registry.ofUser(userId).length === 0) return
    const { database, now } = this.#options
    const data = await readNotice(database.read, event, now())
    if (data) this.#notify(userId, { notice, data })
  }

  /** Their rooms are told anew who is there: with their sessions, people may have left them. */
  async #changedWhere(column: 'user_id' | 'session_id', ids: readonly string[]): Promise<void> {
    const { database } = this.#options
    for (const roomId of await findRoomsOf(database.read, database.dialect, column, ids)) {
      this.rooms.find(roomId)?.presence.scheduleRefresh()
      this.lobby.queueUpdate(roomId, [])
    }
  }

  #publishPresence(roomId: string): void {
    for (const event of presenceEvents(roomId)) this.#options.bus.publish(event)
  }

  #soon(work: () => Promise<void>): void {
    void this.reconciler.runLogged(work)
  }
}

/** The frame for a client that has come into a room (R18.8); nobody by name where there are too many. */
function toSubscribed(
  id: string,
  { presence }: LocalRoom,
  { access }: StartedVisit,
  newcomer: Person | undefined,
): string {
  const { count, personsText } = presence.snapshotWith(newcomer)
  const own = JSON.stringify({
    type: 'subscribed',
    id,
    roomId: access.roomId,
    seq: access.room.last_seq,
    role: effectiveRole(access),
    canPublish: canPublish(access),
    count,
  })
  // The list is by far the longest part, and the same for all who come in before it changes.
  return `${own.slice(0, -1)},"present":${personsText}}`
}
