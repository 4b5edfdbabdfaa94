import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import type { VoiceSettings } from '../settings/voice.ts'
import { findUserDisplay } from '../messages/store.ts'
import { effectiveRole } from '../rooms/permissions.ts'
import type { PresentPerson } from '../lobby/schema.ts'
import { toPerson } from '../rooms/schema.ts'
import type { ParticipantVoice } from '../voice/schema.ts'
import { findParticipantVoices } from '../voice/store.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { countParticipants, findRoom, listParticipants } from '../rooms/store.ts'
import { avatarUrlOf } from '../users/picture-url.ts'

export interface PresenceDependencies {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  voice: VoiceSettings
}

/** A room with more participants shows only their number (R18.6). */
export const MAX_PERSONS = 200
/** Changes within this time are sent together; those of a large room are only a number. */
const EVERY_MS = 250
const LARGE_ROOM_EVERY_MS = 2_000

/** Participants of a room as last sent to its subscribers. */
export class Presence {
  /** Empty if there are more than `MAX_PERSONS`. */
  persons = new Map<string, PresentPerson>()
  count = 0
  /** JSON of `persons`, created on demand. */
  #text: string | undefined
  readonly #roomId: string
  readonly #dependencies: PresenceDependencies
  readonly #sendFrame: SendFrame
  /** Reads run one after the other. An older result never replaces a newer one. */
  #reading: Promise<unknown> = Promise.resolve()
  #firstRead: Promise<unknown> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(roomId: string, dependencies: PresenceDependencies, sendFrame: SendFrame) {
    this.#roomId = roomId
    this.#dependencies = dependencies
    this.#sendFrame = sendFrame
  }

  /** Number and JSON list of the participants, with a user who has entered since the last read. */
  snapshotWith(arrival: PresentPerson | undefined): { count: number; personsText: string } {
    const personsText = (this.#text ??= JSON.stringify([...this.persons.values()]))
    const { count } = this
    if (!arrival || count > MAX_PERSONS || this.persons.has(arrival.userId)) return { count, personsText }
    const separator = count > 0 ? ',' : ''
    const own = `${separator}${JSON.stringify(arrival)}]`
    return { count: count + 1, personsText: personsText.slice(0, -1) + own }
  }

  /** The entering user, unless the last read contains them or the room has too many for a list. */
  async findArrival({
    userId,
    isGuest: guest,
    ...access
  }: UserRoomAccess): Promise<PresentPerson | undefined> {
    if (this.count > MAX_PERSONS || this.persons.has(userId)) return undefined
    const display = await findUserDisplay(this.#dependencies.database.read, this.#roomId, userId)
    if (!display) return undefined
    const { nickname, avatar_color: avatarColor } = display
    const avatarUrl = avatarUrlOf(display.picture_id)
    return { userId, nickname, avatarColor, avatarUrl, guest, role: effectiveRole(access), voice: null }
  }

  /** Sends the changes soon. */
  scheduleRefresh(): void {
    if (this.#isClosed) return
    const everyMs = this.count > MAX_PERSONS ? LARGE_ROOM_EVERY_MS : EVERY_MS
    this.#timer ??= setTimeout(() => void this.refresh(), everyMs)
  }

  /** Whether other users are present than were sent. */
  differsFrom(userIds: ReadonlySet<string>): boolean {
    if (userIds.size !== this.count) return true
    return this.count <= MAX_PERSONS && !userIds.isSubsetOf(new Set(this.persons.keys()))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Reads the participants unless that was done before. Later changes arrive as events. */
  async readOnce(): Promise<void> {
    this.#firstRead ??= this.#read()
    try {
      await this.#firstRead
    } catch (error) {
      this.#firstRead = undefined
      throw error
    }
  }

  async refresh(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    try {
      const change = await this.#read()
      if (change) this.#sendFrame({ type: 'presence', roomId: this.#roomId, ...change })
    } catch (error) {
      // The next reconciliation finds the difference.
      this.#dependencies.log.warn('presence: cannot read the participants', { error })
    }
  }

  #read(): Promise<PresenceChange | undefined> {
    const read = this.#reading.then(() => this.#readNow())
    this.#reading = read.catch(() => {})
    return read
  }

  /** Changes since the last read; undefined if there are none. */
  async #readNow(): Promise<PresenceChange | undefined> {
    const { database, now, voice } = this.#dependencies
    const room = await findRoom(database.read, this.#roomId)
    if (!room) return undefined
    const count = await countParticipants(database.read, this.#roomId, now())
    const rows =
      count > MAX_PERSONS ? [] : await listParticipants(database.read, this.#roomId, now(), MAX_PERSONS)
    const voices = await findParticipantVoices(database.read, { roomId: this.#roomId, nowMs: now() }, voice)
    const toPresent = (row: (typeof rows)[number]): PresentPerson => ({
      ...toPerson(row, room.default_role),
      voice: voices.get(row.user_id) ?? null,
    })
    const persons = count <= MAX_PERSONS ? rows.map(toPresent) : []
    const present = new Map(persons.map((person) => [person.userId, person]))
    const arrivals = persons.filter((person) => !isSame(person, this.persons.get(person.userId)))
    const left = count <= MAX_PERSONS ? [...this.persons.keys()].filter((userId) => !present.has(userId)) : []
    const hasChanged = arrivals.length > 0 || left.length > 0 || count !== this.count
    this.persons = present
    this.count = count
    if (hasChanged) this.#text = undefined
    return hasChanged ? { joined: arrivals, left, count } : undefined
  }
}

type SendFrame = (frame: Readonly<Record<string, unknown>>) => void

/** Content of a `presence` frame. */
interface PresenceChange {
  joined: PresentPerson[]
  left: string[]
  count: number
}

function isSame(a: PresentPerson, b: PresentPerson | undefined): boolean {
  return (
    b !== undefined &&
    a.nickname === b.nickname &&
    a.role === b.role &&
    a.avatarUrl === b.avatarUrl &&
    isSameVoice(a.voice, b.voice)
  )
}

function isSameVoice(a: ParticipantVoice | null, b: ParticipantVoice | null): boolean {
  return a === b || JSON.stringify(a) === JSON.stringify(b)
}
