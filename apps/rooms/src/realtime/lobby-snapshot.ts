import type { Database } from '@latchkey/database/database'
import { HOUR_MS } from '@latchkey/http/duration'
import { elapsedMs } from '@latchkey/http/elapsed'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { PreviousAudience } from '../api/cluster-events.ts'
import { listRoomsWithCounts } from '../rooms/list-store.ts'
import type { RoomActivity } from '../lobby/schema.ts'
import { findAllCalls } from '../voice/store.ts'

interface LobbyEntry {
  readonly isPublic: boolean
  readonly text: string
  readonly lastSeq: number
}

/** Rooms that differ from the snapshot. */
interface Differences {
  /** Rooms whose entries have changed, with the users who could see them before. */
  readonly changed: ReadonlyMap<string, PreviousAudience>
  /** Rooms that only have new events. */
  readonly active: readonly string[]
}

/** Direct conversations, of which there are many, are compared for this time after a message. */
const DIRECTS_MS = HOUR_MS
/** Pause between reads for each room: many rooms are read less often. */
const PAUSE_MS_PER_ROOM = 1

/**
 * Entries of the lobby as last read or sent by this node. A difference from the database is a
 * change that was not published.
 */
export class LobbySnapshot {
  readonly #database: Database<Tables>
  /** Undefined before the first read. */
  #entries: Map<string, LobbyEntry> | undefined
  #loading: Promise<unknown> | undefined
  #readAtMs = 0
  #pauseMs = 0

  constructor(database: Database<Tables>) {
    this.#database = database
  }

  /** Drops the snapshot when no client is subscribed to the lobby. */
  forget(): void {
    this.#entries = undefined
  }

  /**
   * Reads the first snapshot, from which later changes are found. Concurrent callers share one
   * read.
   */
  async load(nowMs: number): Promise<void> {
    if (this.#entries) return
    this.#loading ??= this.differences(nowMs).finally(() => (this.#loading = undefined))
    await this.#loading
  }

  /** Records the entry that was sent to subscribers of the lobby; undefined for a deleted room. */
  update(roomId: string, room: RoomRow | undefined, activity: RoomActivity): void {
    if (room) this.#entries?.set(roomId, toLobbyEntry(room, activity))
    else this.#entries?.delete(roomId)
  }

  async differences(nowMs: number): Promise<Differences> {
    const changed = new Map<string, PreviousAudience>()
    const active: string[] = []
    if (this.#entries && elapsedMs(this.#readAtMs, nowMs) < this.#pauseMs) return { changed, active }
    const rows = await listRoomsWithCounts(this.#database.read, {
      nowMs,
      activeAfterMs: nowMs - DIRECTS_MS,
    })
    const calls = await findAllCalls(this.#database.read, nowMs)
    const now = new Map(
      rows.map(({ present, ...room }) => {
        const activity = { count: present ?? 0, call: calls.get(room.id) ?? null }
        return [room.id, toLobbyEntry(room, activity)]
      }),
    )
    // Read after the query: another call may have finished meanwhile.
    const before = this.#entries
    this.#entries = now
    this.#readAtMs = nowMs
    this.#pauseMs = rows.length * PAUSE_MS_PER_ROOM
    if (!before) return { changed, active }
    for (const [id, { text, lastSeq }] of now) {
      const entry = before.get(id)
      if (entry?.text !== text) changed.set(id, entry?.isPublic ? 'everyone' : [])
      else if (entry.lastSeq !== lastSeq) active.push(id)
    }
    // The audience of a deleted private room is unknown by now.
    for (const [id, { isPublic }] of before) if (!now.has(id) && isPublic) changed.set(id, 'everyone')
    return { changed, active }
  }
}

/** Every part of the entry that can change. */
function toLobbyEntry(room: RoomRow, { count, call }: Pick<RoomActivity, 'count' | 'call'>): LobbyEntry {
  const { visibility, archived_at } = room
  const callParts = [room.voice, room.voice_screen, room.voice_guests, call?.id, call?.count]
  const retention = [room.history_visibility, room.retention_days, room.max_retention_days]
  const parts = [
    room.name,
    room.topic,
    visibility,
    archived_at,
    room.is_default,
    room.owner_id,
    room.max_participants,
    room.allow_guests,
    room.default_role,
    ...retention,
    ...callParts,
    count,
  ]
  return {
    isPublic: visibility === 'public' && archived_at === null,
    text: parts.join('\n'),
    lastSeq: room.last_seq,
  }
}
