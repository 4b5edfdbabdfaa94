import type { RemovalReason } from '../news.ts'
import type { Connection, Subscription } from './connection.ts'
import { LocalRoom, type Surroundings, removedFrame } from './local-room.ts'

/** The rooms that somebody at this node is subscribed to. */
export class LocalRooms {
  readonly #rooms = new Map<string, LocalRoom>()
  readonly #around: Surroundings

  constructor(around: Surroundings) {
    this.#around = around
  }

  get ids(): string[] {
    return [...this.#rooms.keys()]
  }

  find(roomId: string): LocalRoom | undefined {
    return this.#rooms.get(roomId)
  }

  /** Everybody's subscriptions to these rooms, at this moment. */
  subscriptions(roomIds: readonly string[]): Subscription[] {
    return roomIds.flatMap((roomId) => [...(this.#rooms.get(roomId)?.subscriptions ?? [])])
  }

  /** Somebody who has been given everything up to `seq`. */
  enter(connection: Connection, roomId: string, seq: number): LocalRoom {
    const room = this.#rooms.get(roomId) ?? new LocalRoom(roomId, seq, this.#around)
    this.#rooms.set(roomId, room)
    room.remove(connection)
    room.add(connection, seq)
    return room
  }

  /** Whether the connection was there. */
  leave(connection: Connection, roomId: string): boolean {
    const room = this.#rooms.get(roomId)
    if (!room?.remove(connection)) return false
    if (room.subscriptions.size === 0) this.#close(room)
    return true
  }

  /** These people lost the room, or everybody did: told on their sockets, which stay open. */
  remove(
    roomId: string,
    userIds: readonly string[] | null,
    { reason, untilMs }: { reason: RemovalReason; untilMs: number | null },
  ): void {
    const frame = removedFrame(roomId, reason, untilMs)
    for (const { connection } of this.subscriptions([roomId]))
      if (userIds === null || userIds.includes(connection.userId)) {
        this.leave(connection, roomId)
        connection.tell(frame)
      }
  }

  close(): void {
    for (const room of this.#rooms.values()) this.#close(room)
  }

  #close(room: LocalRoom): void {
    room.close()
    this.#rooms.delete(room.id)
  }
}
