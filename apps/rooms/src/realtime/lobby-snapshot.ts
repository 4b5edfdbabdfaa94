import type { Database } from '@latchkey/database/database'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { PreviousAudience } from '../cluster-events.ts'
import { listRoomsWithCounts } from '../rooms/lobby.ts'

interface LobbyEntry {
  readonly isPublic: boolean
  readonly text: string
}

/** Many rooms are looked through more seldom: so long for each of them. */
const REST_MS_PER_ROOM = 1

/** What the lines of the lobby were when this node last looked, or told: what differs from that was told by nobody. */
export class LobbySnapshot {
  readonly #database: Database<Tables>
  /** Undefined before the first look. */
  #known: Map<string, LobbyEntry> | undefined
  #beginning: Promise<unknown> | undefined
  #lookedAtMs = 0
  #restMs = 0

  constructor(database: Database<Tables>) {
    this.#database = database
  }

  /** Nobody wants to know any more. */
  forget(): void {
    this.#known = undefined
  }

  /** Looks for the first time, so that what changes after this is found; once for all who come at the same time. */
  async load(nowMs: number): Promise<void> {
    if (this.#known) return
    this.#beginning ??= this.differences(nowMs).finally(() => (this.#beginning = undefined))
    await this.#beginning
  }

  /** Those who look at the lobby have been told that this room is so now, or is gone. */
  update(roomId: string, room: RoomRow | undefined, count: number): void {
    if (room) this.#known?.set(roomId, toLobbyEntry(room, count))
    else this.#known?.delete(roomId)
  }

  /** Rooms whose lines have changed, with who could see them before. */
  async differences(nowMs: number): Promise<ReadonlyMap<string, PreviousAudience>> {
    const changed = new Map<string, PreviousAudience>()
    // A clock that was set back makes no rest longer.
    if (this.#known && Math.abs(nowMs - this.#lookedAtMs) < this.#restMs) return changed
    const rows = await listRoomsWithCounts(this.#database.read, { nowMs })
    const now = new Map(rows.map(({ present, ...room }) => [room.id, toLobbyEntry(room, present ?? 0)]))
    // As it is by now: another look may have ended meanwhile.
    const before = this.#known
    this.#known = now
    this.#lookedAtMs = nowMs
    this.#restMs = rows.length * REST_MS_PER_ROOM
    if (!before) return changed
    for (const [id, { text }] of now) {
      const known = before.get(id)
      if (known?.text !== text) changed.set(id, known?.isPublic ? 'everyone' : [])
    }
    // Of private rooms that are gone nobody knows any more whose they were.
    for (const [id, { isPublic }] of before) if (!now.has(id) && isPublic) changed.set(id, 'everyone')
    return changed
  }
}

/** All of the line that can change, except the number of the newest event, which is told when something else is. */
function toLobbyEntry(room: RoomRow, count: number): LobbyEntry {
  const { name, visibility, owner_id, max_participants, allow_guests, default_role } = room
  const kept = [room.history_visibility, room.retention]
  const seen = [name, visibility, owner_id, max_participants, allow_guests, default_role, ...kept, count]
  return { isPublic: visibility === 'public', text: seen.join('\n') }
}
