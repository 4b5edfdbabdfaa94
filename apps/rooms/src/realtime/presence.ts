import { type Person, toPerson } from '../rooms/schema.ts'
import { countPresent, findRoom, listPresent } from '../rooms/store.ts'
import type { Surroundings } from './local-room.ts'

/** More people than this are only counted (R18.6). */
export const MOST_PERSONS = 200
/** Comings and goings within this time are told together. */
const EVERY_MS = 250

/** Who is in a room, as last told to those who are there. */
export class Presence {
  /** Empty above `MOST_PERSONS`. */
  persons = new Map<string, Person>()
  count = 0
  /** Of `persons` as they are; made when it is asked for. */
  #text: string | undefined
  readonly #roomId: string
  readonly #around: Surroundings
  readonly #tell: Tell
  /** One reading after the other, so that none brings back what was so before. */
  #reading: Promise<unknown> = Promise.resolve()
  #firstRead: Promise<unknown> | undefined
  #timer: ReturnType<typeof setTimeout> | undefined
  #isClosed = false

  constructor(roomId: string, around: Surroundings, tell: Tell) {
    this.#roomId = roomId
    this.#around = around
    this.#tell = tell
  }

  /** All persons as JSON. */
  personsText(): string {
    return (this.#text ??= JSON.stringify([...this.persons.values()]))
  }

  /** Tells who came and went, soon. */
  changed(): void {
    if (!this.#isClosed) this.#timer ??= setTimeout(() => void this.refresh(), EVERY_MS)
  }

  /** Whether others are in the room than were told. */
  differsFrom(userIds: ReadonlySet<string>): boolean {
    if (userIds.size !== this.count) return true
    return this.count <= MOST_PERSONS && !userIds.isSubsetOf(new Set(this.persons.keys()))
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  /** Reads who is there unless it has been read before: later changes come by themselves. */
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
      if (change) this.#tell({ type: 'presence', roomId: this.#roomId, ...change })
    } catch (error) {
      // The next look at who is there finds the difference.
      this.#around.log.warn('who is in a room could not be read', { error })
    }
  }

  #read(): Promise<Change | undefined> {
    const read = this.#reading.then(() => this.#readNow())
    this.#reading = read.catch(() => {})
    return read
  }

  /** What is different from what was last told; undefined when nothing is. */
  async #readNow(): Promise<Change | undefined> {
    const { database, now } = this.#around
    const room = await findRoom(database.read, this.#roomId)
    if (!room) return undefined
    const rows = await listPresent(database.read, this.#roomId, now(), MOST_PERSONS + 1)
    const count =
      rows.length <= MOST_PERSONS ? rows.length : await countPresent(database.read, this.#roomId, now())
    const persons = count <= MOST_PERSONS ? rows.map((row) => toPerson(row, room.default_role)) : []
    const present = new Map(persons.map((person) => [person.userId, person]))
    const joined = persons.filter((person) => !isSame(person, this.persons.get(person.userId)))
    const left =
      count <= MOST_PERSONS ? [...this.persons.keys()].filter((userId) => !present.has(userId)) : []
    const hasChanged = joined.length > 0 || left.length > 0 || count !== this.count
    this.persons = present
    this.count = count
    if (hasChanged) this.#text = undefined
    return hasChanged ? { joined, left, count } : undefined
  }
}

type Tell = (frame: Readonly<Record<string, unknown>>) => void

/** What a `presence` frame says. */
interface Change {
  joined: Person[]
  left: string[]
  count: number
}

function isSame(a: Person, b: Person | undefined): boolean {
  return b !== undefined && a.nickname === b.nickname && a.role === b.role && a.avatarColor === b.avatarColor
}
