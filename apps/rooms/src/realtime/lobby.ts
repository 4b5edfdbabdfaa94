import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { FormerLobby } from '../news.ts'
import { type RoomRole, entryOf } from '../rooms/room-access.ts'
import { toRoom } from '../rooms/schema.ts'
import {
  type FoundStanding,
  findBarredPrefixes,
  findStanding,
  findStandingsOfKnown,
} from '../rooms/standing.ts'
import { countPresent, findRoom } from '../rooms/store.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import { LobbyLines } from './lobby-lines.ts'

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
  readonly #changed = new Map<string, FormerLobby>()
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #now: () => number
  readonly #bus: Bus
  readonly #lines: LobbyLines
  #timer: ReturnType<typeof setTimeout> | undefined
  #telling: Promise<void> = Promise.resolve()

  constructor({ database, log, now, bus }: LobbyOptions) {
    this.#database = database
    this.#log = log
    this.#now = now
    this.#bus = bus
    this.#lines = new LobbyLines(database)
  }

  /** When this ends, it is known what the lobby was: the client reads it only then, and is told of what changes later. */
  async add(connection: Connection): Promise<void> {
    this.#coming++
    try {
      if (this.#bus.state() !== 'in-process') await this.#lines.begin(this.#now())
    } catch (error) {
      this.#log.warn('the lobby could not be read', { error })
    }
    this.#coming--
    if (!connection.isClosed) this.#connections.add(connection)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  changed(roomId: string, former: FormerLobby): void {
    if (this.#connections.size === 0) return
    this.#changed.set(roomId, wider(this.#changed.get(roomId), former))
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS)
  }

  /** Finds what other nodes did not tell of, or told and was lost (R19.2); a node that is alone tells itself of everything. */
  async look(): Promise<void> {
    if (this.#bus.state() === 'in-process') return
    if (this.#connections.size + this.#coming === 0) return this.#lines.forget()
    for (const [roomId, former] of await this.#lines.differences(this.#now())) this.changed(roomId, former)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Tells of everything that has changed since the last time; after what is being told, so that nothing older comes last. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#telling = this.#telling.then(() => this.#flush()))
  }

  async #flush(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    for (const [roomId, former] of changed)
      try {
        await this.#tell(roomId, former)
      } catch (error) {
        // Whoever asks for the list gets it right.
        this.#log.warn('the lobby could not be told of a room', { error })
      }
  }

  async #tell(roomId: string, former: FormerLobby): Promise<void> {
    const roleFor = await this.#viewers(roomId)
    const room = await findRoom(this.#database.read, roomId)
    const count = room ? await countPresent(this.#database.read, roomId, this.#now()) : 0
    this.#lines.told(roomId, room, count)
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
      else if (former === 'everyone' || former.includes(connection.userId)) connection.send(remove)
    }
  }

  /** As what somebody sees the room in the lobby; undefined for those who do not. */
  async #viewers(
    roomId: string,
  ): Promise<(room: RoomRow, viewer: Connection) => RoomRole | null | undefined> {
    const known = await findStandingsOfKnown(this.#database.read, roomId, this.#now())
    const standings = new Map(known.map((standing) => [standing.userId, standing]))
    const neighbours = await this.#standingsByAddress(roomId)
    return (room, viewer) => {
      const { userId, person } = viewer
      const standing = neighbours.get(viewer) ?? standings.get(userId)
      if (standing) return isListed(standing) ? standing.role : undefined
      const isOpen = room.visibility === 'public' && (!person.isGuest || room.allow_guests === 1)
      return isOpen ? null : undefined
    }
  }

  /** Of guests at an address that is barred from the room, which counts or not by whether they are new (R17.5). */
  async #standingsByAddress(roomId: string): Promise<ReadonlyMap<Connection, FoundStanding>> {
    const { read } = this.#database
    const nowMs = this.#now()
    const standings = new Map<Connection, FoundStanding>()
    const barred = await findBarredPrefixes(read, roomId, nowMs)
    if (barred.size === 0) return standings
    for (const connection of this.#connections) {
      const { isGuest, userId, clientPrefix } = connection.person
      if (!isGuest || !barred.has(clientPrefix)) continue
      const standing = await findStanding(read, roomId, { userId, clientPrefix, nowMs })
      if (standing) standings.set(connection, standing)
    }
    return standings
  }
}

function upsertOf(room: RoomRow, role: RoomRole | null, count: number): string {
  const seen = toRoom(room, { role, defaultRole: room.default_role }, count)
  return JSON.stringify({ type: 'lobby', upsert: seen })
}

/** As `listRooms` decides it: public rooms, and the ones that one belongs to. */
function isListed(standing: FoundStanding): boolean {
  return entryOf(standing) === 'yes' && (standing.visibility === 'public' || standing.role !== null)
}

function wider(a: FormerLobby | undefined, b: FormerLobby): FormerLobby {
  if (a === undefined) return b
  return a === 'everyone' || b === 'everyone' ? 'everyone' : [...a, ...b]
}
