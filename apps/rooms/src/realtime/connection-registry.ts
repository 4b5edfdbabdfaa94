import type { Limits } from '../api/limits.ts'
import { networksOf } from '../api/network-share.ts'
import type { Connection } from './connection.ts'
import { Close } from './protocol.ts'

/** Connections of this node, by session, user and network. */
export class ConnectionRegistry {
  readonly #connections = new Set<Connection>()
  readonly #bySession = new Map<string, Set<Connection>>()
  readonly #byUser = new Map<string, Set<Connection>>()
  readonly #guestsByNetwork = new Map<string, Set<Connection>>()
  readonly #limits: Limits

  constructor(limits: Limits) {
    this.#limits = limits
  }

  get size(): number {
    return this.#connections.size
  }

  all(): Iterable<Connection> {
    return this.#connections.values()
  }

  sessionIds(): readonly string[] {
    return [...this.#bySession.keys()]
  }

  ofUser(userId: string): readonly Connection[] {
    return [...(this.#byUser.get(userId) ?? [])]
  }

  ofSession(sessionId: string): readonly Connection[] {
    return [...(this.#bySession.get(sessionId) ?? [])]
  }

  hasSession(sessionId: string): boolean {
    return this.#bySession.has(sessionId)
  }

  /** Adds a connection and closes the oldest ones over the limits (4409). */
  add(connection: Connection): void {
    const { sockets_session, sockets_user } = this.#limits
    const { person } = connection
    this.#connections.add(connection)
    put(this.#bySession, person.sessionId, connection)
    put(this.#byUser, person.userId, connection)
    if (person.isGuest) for (const each of networksAt(person)) put(this.#guestsByNetwork, each, connection)
    closeOldest(this.ofSession(person.sessionId), sockets_session)
    closeOldest(this.ofUser(person.userId), sockets_user)
  }

  remove(connection: Connection): void {
    const { person } = connection
    this.#connections.delete(connection)
    pull(this.#bySession, person.sessionId, connection)
    pull(this.#byUser, person.userId, connection)
    if (person.isGuest) for (const each of networksAt(person)) pull(this.#guestsByNetwork, each, connection)
  }

  /** Number of guest connections from this client prefix or network. */
  countGuests(prefix: string): number {
    return this.#guestsByNetwork.get(prefix)?.size ?? 0
  }
}

function networksAt({ clientPrefix }: Connection['person']): readonly string[] {
  return [clientPrefix, ...networksOf(clientPrefix)]
}

/** Sets keep the order of insertion: the oldest connection is first. */
function closeOldest(connections: readonly Connection[], max: number): void {
  const open = connections.filter(({ isClosed }) => !isClosed)
  for (const oldest of open.slice(0, Math.max(0, open.length - max)))
    oldest.close(Close.tooMany, 'another one was opened')
}

type Index = Map<string, Set<Connection>>

function put(index: Index, key: string, connection: Connection): void {
  const set = index.get(key)
  if (set) set.add(connection)
  else index.set(key, new Set([connection]))
}

function pull(index: Index, key: string, connection: Connection): void {
  const set = index.get(key)
  set?.delete(connection)
  if (set?.size === 0) index.delete(key)
}
