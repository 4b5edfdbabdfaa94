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

/** Marks of the views that a connection has, by user. Views that differ have different marks. */
type Displayed = Map<string, number | undefined>

/** What a person shows of themselves to one viewer. */
interface View {
  person: ListedPerson
  mark: number
}

/**
 * Sends what people show of themselves to the connections that have them on display, and to no
 * others: in a company of thousands, some status changes every second. Nothing is sent to whom
 * nothing changes: it would show the presence of people who are away or block the viewer.
 */
export class People {
  readonly #options: PeopleOptions
  readonly #watchers = new Map<string, Set<Connection>>()
  readonly #displayed = new Map<Connection, Displayed>()
  readonly #changed = new Set<string>()
  #timer: ReturnType<typeof setTimeout> | undefined
  #sending: Promise<void> = Promise.resolve()

  constructor(options: PeopleOptions) {
    this.#options = options
  }

  /** Replaces the people whom the connection has on display, and sends them. */
  async watch(connection: Connection, id: string, userIds: readonly string[]): Promise<void> {
    if (connection.person.isGuest) throw failure('guest_not_permitted')
    const displayed: Displayed = new Map(userIds.map((userId) => [userId, undefined]))
    if (displayed.size > this.#options.limits.socket_people) throw failure('limit_reached')
    this.remove(connection)
    if (displayed.size > 0 && !connection.isClosed) {
      this.#displayed.set(connection, displayed)
      for (const userId of displayed.keys()) {
        const watchers = this.#watchers.get(userId)
        if (watchers) watchers.add(connection)
        else this.#watchers.set(userId, new Set([connection]))
      }
    }
    const { ids, viewOf } = await this.#read([...displayed.keys()])
    const people = ids.map((userId) => {
      const { person, mark } = viewOf(userId, connection)
      displayed.set(userId, mark)
      return person
    })
    connection.sendFrame({ type: 'people', id, people })
  }

  remove(connection: Connection): void {
    for (const userId of this.#displayed.get(connection)?.keys() ?? []) {
      const watchers = this.#watchers.get(userId)
      watchers?.delete(connection)
      if (watchers?.size === 0) this.#watchers.delete(userId)
    }
    this.#displayed.delete(connection)
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
      const { ids, viewOf } = await this.#read(changed)
      const views = ids.flatMap((userId) =>
        [...(this.#watchers.get(userId) ?? [])].map((connection) => ({
          connection,
          userId,
          ...viewOf(userId, connection),
        })),
      )
      const updates = views.filter((view) => this.#display(view))
      for (const [connection, changes] of Map.groupBy(updates, ({ connection: viewer }) => viewer))
        connection.sendFrame({ type: 'people', people: changes.map(({ person }) => person) })
    } catch (error) {
      // A client asks again from time to time.
      this.#options.log.warn('people: cannot send an update', { error })
    }
  }

  /** Notes what a connection is sent. False if it has that already. */
  #display({ connection, userId, mark }: { connection: Connection; userId: string; mark: number }): boolean {
    const displayed = this.#displayed.get(connection)
    if (displayed?.get(userId) === mark) return false
    displayed?.set(userId, mark)
    return true
  }

  /** The views of these people, but of unlisted ones, read once for all connections. */
  async #read(
    userIds: readonly string[],
  ): Promise<{ ids: string[]; viewOf: (userId: string, viewer: Connection) => View }> {
    const { database, now } = this.#options
    const nowMs = now()
    const rows = await findPeople(database, userIds, nowMs)
    const blocked = await findBlockedIds(database, userIds)
    const views = new Map(
      rows.map((row) => {
        const open = toView(toListedPerson(row, false, nowMs))
        return [row.id, { open, toBlocked: toView(toListedPerson(row, true, nowMs)) }]
      }),
    )
    const viewOf = (userId: string, viewer: Connection): View => {
      const view = views.get(userId)
      if (!view) throw new TypeError('Only people who were read have a view')
      return blocked.get(userId)?.has(viewer.userId) ? view.toBlocked : view.open
    }
    return { ids: [...views.keys()], viewOf }
  }
}

function toView(person: ListedPerson): View {
  return { person, mark: Bun.hash.xxHash32(JSON.stringify(person)) }
}
