import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { failure } from '../failures.ts'
import type { Limits } from '../limits.ts'
import type { News } from '../news.ts'
import { presenceChanged } from '../rooms/eviction.ts'
import { canPublish, effectiveRole } from '../rooms/room-access.ts'
import type { Person } from '../rooms/schema.ts'
import { endLease, startVisit } from '../rooms/visits.ts'
import { Id } from '../wire.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import { Lobby } from './lobby.ts'
import { LocalRooms } from './local-rooms.ts'
import { Close } from './protocol.ts'
import { Roster } from './roster.ts'
import { Typing } from './typing.ts'
import { Watch } from './watch.ts'

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

/** What a client is told that has come into a room (R18.8). */
export interface Subscribed {
  roomId: string
  seq: number
  role: string
  canPublish: boolean
  count: number
  /** Empty where there are too many to name. */
  present: Person[]
}

const TICK_MS = 1_000

/** Everything of this node that has a socket. The database decides; news only make it look sooner. */
export class Hub {
  readonly roster: Roster
  readonly rooms: LocalRooms
  readonly lobby: Lobby
  readonly typing: Typing
  readonly watch: Watch
  readonly #options: HubOptions
  #timer: ReturnType<typeof setInterval> | undefined
  #stopping: Promise<void> | undefined

  constructor(options: HubOptions) {
    this.#options = options
    this.roster = new Roster(options.limits)
    this.rooms = new LocalRooms(options)
    this.lobby = new Lobby(options)
    this.typing = new Typing(options)
    this.watch = new Watch({ ...options, roster: this.roster, rooms: this.rooms })
    options.bus.listen((news) => this.hear(news))
  }

  /** From now on by itself. */
  start(): void {
    this.#timer = setInterval(() => void this.watch.tick(), TICK_MS)
  }

  /** Sockets close with "restarting", so that clients come back, to another node if there is one (R19.3). */
  stop(): Promise<void> {
    return (this.#stopping ??= this.#stop())
  }

  async #stop(): Promise<void> {
    clearInterval(this.#timer)
    for (const connection of this.roster.all()) connection.close(Close.restarting, 'restarting')
    this.lobby.close()
    this.typing.close()
    await this.watch.stop()
    this.rooms.close()
  }

  /** The socket is gone; the person is told to have left when nobody came back in time. */
  drop(connection: Connection): void {
    connection.gone()
    this.roster.remove(connection)
    this.lobby.remove(connection)
    const roomIds = [...connection.subscriptions.keys()]
    for (const roomId of roomIds) this.rooms.leave(connection, roomId)
    this.watch.connectionGone({ connectionId: connection.id, roomIds })
  }

  /** Enters a room. Throws what R17.2 names. */
  async subscribe(connection: Connection, roomId: string): Promise<Subscribed> {
    const { database, limits, nodeId, now, bus } = this.#options
    if (!Id.safeParse(roomId).success) throw failure('not_found')
    const { subscriptions, person, userId, sessionId } = connection
    const { clientIp, clientPrefix } = person
    if (!subscriptions.has(roomId) && subscriptions.size >= limits.socket_subscriptions)
      throw failure('limit_reached')
    const entrant = { userId, clientPrefix, clientIp, requestId: null, nowMs: now() }
    const lease = { connection_id: connection.id, session_id: sessionId, node_id: nodeId }
    const { standing } = await database.write((tx) =>
      startVisit(tx, { roomId, entrant, connection: lease }, limits),
    )
    const { last_seq: seq } = standing.room
    // It went while it came in, and has nobody else to give the lease up.
    if (connection.isClosed) {
      this.watch.connectionGone({ connectionId: connection.id, roomIds: [roomId] })
      throw failure('not_found')
    }
    const room = this.rooms.enter(connection, roomId, seq)
    await room.readPresenceOnce()
    for (const news of presenceChanged(roomId)) bus.publish(news)
    const [role, mayPublish] = [effectiveRole(standing), canPublish(standing)]
    return {
      roomId,
      seq,
      role,
      canPublish: mayPublish,
      count: room.count,
      present: [...room.present.values()],
    }
  }

  /** Leaves a room by this connection. */
  async unsubscribe(connection: Connection, roomId: string): Promise<void> {
    if (!this.rooms.leave(connection, roomId)) return
    const { database, now, bus } = this.#options
    await database.write((tx) => endLease(tx, { roomId, connectionId: connection.id, nowMs: now() }))
    for (const news of presenceChanged(roomId)) bus.publish(news)
  }

  /** Of this node or another; any of it may be missing, double or late. */
  hear(news: News): void {
    if (news.kind === 'sessions') return this.#soon(() => this.watch.checkSessions(news.sessionIds))
    if (news.kind === 'person') return this.#soon(() => this.watch.checkPerson(news.userId))
    if (news.kind === 'lobby') return this.lobby.changed(news.roomId, news.formerly ?? [])
    if (news.kind === 'notice') return this.#notify(news)
    return this.#hearOfRoom(news)
  }

  #hearOfRoom(news: Exclude<News, { kind: 'sessions' | 'person' | 'lobby' | 'notice' }>): void {
    const { roomId } = news
    const room = this.rooms.find(roomId)
    if (!room) return
    switch (news.kind) {
      case 'event':
        return room.hear(news.event)
      case 'removed':
        return this.rooms.remove(roomId, news.userIds, news)
      case 'presence':
        return room.presenceChanged()
      case 'access':
        return this.#soon(() => this.watch.checkLeases([roomId]))
      case 'typing': {
        const { userId, active } = news
        return room.broadcast({ type: 'typing', roomId, userId, active }, userId)
      }
    }
  }

  #notify({ userId, notice, data }: Extract<News, { kind: 'notice' }>): void {
    for (const connection of this.roster.ofUser(userId)) connection.tell({ type: 'notice', notice, data })
  }

  #soon(work: () => Promise<void>): void {
    void this.watch.soon(work)
  }
}
