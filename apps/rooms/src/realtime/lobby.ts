import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { FormerLobby } from '../news.ts'
import { entryOf } from '../rooms/room-access.ts'
import { toRoom } from '../rooms/schema.ts'
import { type FoundStanding, findStandings } from '../rooms/standing.ts'
import { countPresent } from '../rooms/store.ts'
import type { Connection } from './connection.ts'

/** A room that changes all the time is told of this often (R18.8). */
const EVERY_MS = 2_000

/** The lobby's lines for those at this node who look at it. */
export class Lobby {
  readonly #connections = new Set<Connection>()
  /** Rooms to tell of, with who could see them before. */
  readonly #changed = new Map<string, FormerLobby>()
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #now: () => number
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor({ database, log, now }: { database: Database<Tables>; log: Log; now: () => number }) {
    this.#database = database
    this.#log = log
    this.#now = now
  }

  add(connection: Connection): void {
    this.#connections.add(connection)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  changed(roomId: string, former: FormerLobby): void {
    if (this.#connections.size === 0) return
    this.#changed.set(roomId, wider(this.#changed.get(roomId), former))
    this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Tells of everything that has changed since the last time. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
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
    const userIds = [...new Set(Array.from(this.#connections, ({ userId }) => userId))]
    const nowMs = this.#now()
    const standings = await findStandings(this.#database, roomId, userIds, nowMs)
    const seen = new Map(standings.filter(isListed).map((standing) => [standing.userId, standing]))
    const count = seen.size > 0 ? await countPresent(this.#database.read, roomId, nowMs) : 0
    for (const connection of this.#connections) {
      const standing = seen.get(connection.userId)
      if (standing) connection.tell({ type: 'lobby', upsert: toRoom(standing.room, standing, count) })
      // Nobody is told of a room by its end who never knew of it.
      else if (former === 'everyone' || former.includes(connection.userId))
        connection.tell({ type: 'lobby', remove: roomId })
    }
  }
}

/** As `listRooms` decides it: public rooms, and the ones that one belongs to. */
function isListed(standing: FoundStanding): boolean {
  return entryOf(standing) === 'yes' && (standing.visibility === 'public' || standing.role !== null)
}

function wider(a: FormerLobby | undefined, b: FormerLobby): FormerLobby {
  if (a === undefined) return b
  return a === 'everyone' || b === 'everyone' ? 'everyone' : [...a, ...b]
}
