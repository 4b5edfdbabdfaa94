import type { RemovalReason } from '../api/cluster-events.ts'
import { toMomentOrNull } from '../api/wire.ts'
import type { Connection, Subscription } from './connection.ts'
import { LocalRoom, type LocalRoomDependencies } from './local-room.ts'

/** Why and until when a user lost a room. */
export interface Removal {
  reason: RemovalReason
  untilMs: number | null
}

/** Rooms with subscribers at this node. */
export class LocalRooms {
  readonly #rooms = new Map<string, LocalRoom>()
  readonly #dependencies: LocalRoomDependencies

  constructor(dependencies: LocalRoomDependencies) {
    this.#dependencies = dependencies
  }

  all(): readonly LocalRoom[] {
    return [...this.#rooms.values()]
  }

  find(roomId: string): LocalRoom | undefined {
    return this.#rooms.get(roomId)
  }

  /** Current subscriptions to these rooms, or to all. */
  subscriptions(roomIds?: readonly string[]): Subscription[] {
    const rooms = roomIds ? roomIds.map((roomId) => this.#rooms.get(roomId)) : this.all()
    return rooms.flatMap((room) => [...(room?.subscriptions ?? [])])
  }

  /**
   * Opens the room for a connection that is entering. The room receives events from now on.
   * `release` must follow.
   */
  reserve(connection: Connection, roomId: string): LocalRoom {
    const room = this.#rooms.get(roomId) ?? new LocalRoom(roomId, this.#dependencies)
    this.#rooms.set(roomId, room)
    room.entering.add(connection)
    return room
  }

  /** The entry has succeeded or failed: the room need not stay open for this connection. */
  release(connection: Connection, room: LocalRoom): void {
    room.entering.delete(connection)
    if (room.isEmpty) this.#close(room)
  }

  /** Whether the connection was subscribed. */
  leave(connection: Connection, roomId: string): boolean {
    const room = this.#rooms.get(roomId)
    if (!room?.remove(connection)) return false
    if (room.isEmpty) this.#close(room)
    return true
  }

  /** Removes a user from the room with a frame. The socket stays open. */
  remove({ connection, roomId }: Subscription, { reason, untilMs }: Removal): void {
    if (!this.leave(connection, roomId)) return
    connection.sendFrame({ type: 'room.removed', roomId, reason, until: toMomentOrNull(untilMs) })
  }

  close(): void {
    for (const room of this.all()) this.#close(room)
  }

  #close(room: LocalRoom): void {
    room.presence.close()
    if (this.#rooms.get(room.id) === room) this.#rooms.delete(room.id)
  }
}
