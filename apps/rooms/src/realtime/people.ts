import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Limits } from '../api/limits.ts'
import { type ListedPerson, toListedPerson } from '../people/schema.ts'
import { findPeople } from '../people/store.ts'
import { findBlockedIds } from '../users/blocks.ts'
import type { Connection } from './connection.ts'

interface PeopleOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  limits: Limits
}

/** Changes within this time are sent together. */
const EVERY_MS = 500

/**
 * Sends what people show of themselves to the connections that have them on display, and to no
 * others: in a company of thousands, some status changes every second.
 */
export class People {
  readonly #options: PeopleOptions
  readonly #watchers = new Map<string, Set<Connection>>()
  readonly #watched = new Map<Connection, ReadonlySet<string>>()
  readonly #changed = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  /** Replaces the people whom the connection has on display, and sends them. */
  async watch(connection: Connection, id: string, userIds: readonly string[]): Promise<void> {
    if (connection.person.isGuest) throw failure('guest_not_permitted')
    const ids = new Set(userIds)
    if (ids.size > this.#options.limits.socket_people) throw failure('limit_reached')
    this.remove(connection)
    if (ids.size > 0 && !connection.isClosed) {
      this.#watched.set(connection, ids)
      for (const userId of ids) {
        const watchers = this.#watchers.get(userId)
        if (watchers) watchers.add(connection)
        else this.#watchers.set(userId, new Set([connection]))
      }
    }
    const viewOf = await this.#read([...ids])
    connection.sendFrame({ type: 'people', id, people: viewOf(connection, ids) })
  }

  remove(connection: Connection): void {
    for (const userId of this.#watched.get(connection) ?? []) {
      const watchers = this.#watchers.get(userId)
      watchers?.delete(connection)
      if (watchers?.size === 0) this.#watchers.delete(userId)
    }
    this.#watched.delete(connection)
  }

  queueUpdate(userIds: readonly string[]): void {
    for (const userId of userIds) if (this.#watchers.has(userId)) this.#changed.add(userId)
    if (this.#changed.size > 0) this.#timer ??= setTimeout(() => void this.flush(), EVERY_MS)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /** Sends all changes since the last time, after those of the previous call. */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#sending = this.#sending.then(() => this.#flush()))
  }

  async #flush(): Promise<void> {
    const changed = [...this.#changed]
    this.#changed.clear()
    if (changed.length === 0) return
    try {
      const viewOf = await this.#read(changed)
      const connections = new Set(changed.flatMap((userId) => [...(this.#watchers.get(userId) ?? [])]))
      for (const connection of connections) {
        const people = viewOf(connection, this.#watched.get(connection))
        if (people.length > 0) connection.sendFrame({ type: 'people', people })
      }
    } catch (error) {
      // A client asks again from time to time.
      this.#options.log.warn('people: cannot send an update', { error })
    }
  }

  /**
   * These people, read once for all connections: as the user of a connection sees those whom it has
   * on display.
   */
  async #read(
    userIds: readonly string[],
  ): Promise<(viewer: Connection, displayed?: ReadonlySet<string>) => ListedPerson[]> {
    const { database, now } = this.#options
    const nowMs = now()
    const rows = await findPeople(database, userIds, nowMs)
    const blocked = await findBlockedIds(database, userIds)
    return ({ userId }, displayed) =>
      rows
        .filter(({ id }) => displayed?.has(id))
        .map((row) => toListedPerson(row, blocked.get(row.id)?.has(userId) === true, nowMs))
  }
}
