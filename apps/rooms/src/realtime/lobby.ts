import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { PreviousAudience } from '../cluster-events.ts'
import { decideEntry } from '../rooms/permissions.ts'
import type { RoomRole } from '../roles.ts'
import { toRoom } from '../rooms/schema.ts'
import {
  type UserRoomAccess,
  findBannedPrefixes,
  findRoomAccess,
  findAccessOfMembersAndBanned,
} from '../rooms/access-store.ts'
import { countParticipants, findRoom } from '../rooms/store.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import { LobbySnapshot } from './lobby-snapshot.ts'

/** A room that changes all the time is told of this often (R18.8). */
const EVERY_MS = 2_000

interface LobbyOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
}

/** The lobby's lines for those at this node who look at it. */
export class Lobby {
  readonly #connections = new Set<Connection>()
  /** How many are about to be among them. */
  #coming = 0
  /** Rooms to tell of, with who could see them before. */
  readonly #changed = new Map<string, PreviousAudience>()
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #now: () => number
  readonly #bus: Bus
  readonly #snapshot: LobbySnapshot
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor({ database, log, now, bus }: LobbyOptions) {
    this.#database = database
    this.#log = log
    this.#now = now
    this.#bus = bus
    this.#snapshot = new LobbySnapshot(database)
  }

  /** When this ends, it is known what the lobby was: the client reads it only then, and is told of what changes later. */
  async add(connection: Connection): Promise<void> {
    this.#coming++
    try {
      if (this.#bus.state() !== 'in-process') await this.#snapshot.load(this.#now())
    } catch (error) {
      this.#log.warn('the lobby could not be read', { error })
    }
    this.#coming--
    if (!connection.isClosed) this.#connections.add(connection)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  queueUpdate(roomId: string, previousAudience: PreviousAudience): void {
    if (this.#connections.size === 0) return
    this.#changed.set(roomId, mergeAudiences(this.#changed.get(roomId), previousAudience))
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS)
  }

  /** Finds what other nodes did not tell of, or told and was lost (R19.2); a node that is alone tells itself of everything. */
  async reconcile(): Promise<void> {
    if (this.#bus.state() === 'in-process') return
    if (this.#connections.size + this.#coming === 0) return this.#snapshot.forget()
    for (const [roomId, previousAudience] of await this.#snapshot.differences(this.#now()))
      this.queueUpdate(roomId, previousAudience)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Tells of everything that has changed since the last time; after what is being told, so that nothing older comes last. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#sending = this.#sending.then(() => this.#flush()))
  }

  async #flush(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const [roomId, previousAudience] of changed)
      try {
        await this.#sendUpdate(roomId, previousAudience)
      } catch (error) {
        // Whoever asks for the list gets it right.
        this.#log.warn('the lobby could not be told of a room', { error })
      }
  }

  async #sendUpdate(roomId: string, previousAudience: PreviousAudience): Promise<void> {
    const roleFor = await this.#viewers(roomId)
    const room = await findRoom(this.#database.read, roomId)
    const count = room ? await countParticipants(this.#database.read, roomId, this.#now()) : 0
    this.#snapshot.update(roomId, room, count)
    const remove = JSON.stringify({ type: 'lobby', remove: roomId })
    // One text for all who see the same: most are nothing but visitors.
    const upserts = new Map<RoomRole | null, string>()
    for (const connection of this.#connections) {
      const role = room && roleFor(room, connection)
      if (room && role !== undefined) {
        const upsert = upserts.get(role) ?? upsertOf(room, role, count)
        upserts.set(role, upsert)
        connection.send(upsert)
      }
      // Nobody is told of a room by its end who never knew of it.
      else if (previousAudience === 'everyone' || previousAudience.includes(connection.userId))
        connection.send(remove)
    }
  }

  /** As what somebody sees the room in the lobby; undefined for those who do not. */
  async #viewers(
    roomId: string,
  ): Promise<(room: RoomRow, viewer: Connection) => RoomRole | null | undefined> {
    const known = await findAccessOfMembersAndBanned(this.#database.read, roomId, this.#now())
    const accesses = new Map(known.map((access) => [access.userId, access]))
    const neighbours = await this.#findAccessByAddress(roomId)
    return (room, viewer) => {
      const { userId, person } = viewer
      const access = neighbours.get(viewer) ?? accesses.get(userId)
      if (access) return isListed(access) ? access.role : undefined
      const isOpen = room.visibility === 'public' && (!person.isGuest || room.allow_guests === 1)
      return isOpen ? null : undefined
    }
  }

  /** Of guests at an address that is barred from the room, which counts or not by whether they are new (R17.5). */
  async #findAccessByAddress(roomId: string): Promise<ReadonlyMap<Connection, UserRoomAccess>> {
    const { read } = this.#database
    const nowMs = this.#now()
    const accesses = new Map<Connection, UserRoomAccess>()
    const banned = await findBannedPrefixes(read, roomId, nowMs)
    if (banned.size === 0) return accesses
    for (const connection of this.#connections) {
      const { isGuest, userId, clientPrefix } = connection.person
      if (!isGuest || !banned.has(clientPrefix)) continue
      const access = await findRoomAccess(read, roomId, { userId, clientPrefix, nowMs })
      if (access) accesses.set(connection, access)
    }
    return accesses
  }
}

function upsertOf(room: RoomRow, role: RoomRole | null, count: number): string {
  const seen = toRoom(room, { role, defaultRole: room.default_role }, count)
  return JSON.stringify({ type: 'lobby', upsert: seen })
}

/** As `listRooms` decides it: public rooms, and the ones that one belongs to. */
function isListed(access: UserRoomAccess): boolean {
  return decideEntry(access) === 'yes' && (access.visibility === 'public' || access.role !== null)
}

function mergeAudiences(a: PreviousAudience | undefined, b: PreviousAudience): PreviousAudience {
  if (a === undefined) return b
  return a === 'everyone' || b === 'everyone' ? 'everyone' : [...a, ...b]
}
