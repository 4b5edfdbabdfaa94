import type { Database } from '@latchkey/database/database'
import type { Log } from '@latchkey/http/log'
import type { RoomRow, Tables } from '../db/tables.ts'
import type { PreviousAudience } from '../api/cluster-events.ts'
import { decideEntry, decideOrdinaryEntry } from '../rooms/permissions.ts'
import type { RoomRole } from '../api/roles.ts'
import { type RoomActivity, toRoom } from '../lobby/schema.ts'
import type { Unread } from '../rooms/schema.ts'
import {
  type UserRoomAccess,
  findAccessOfUsers,
  findBannedPrefixes,
  findRoomAccess,
  listMemberAndBannedIds,
} from '../rooms/access-store.ts'
import { findDirectPeople } from '../rooms/direct-people.ts'
import { countParticipants, findRoom } from '../rooms/store.ts'
import { listFollowerIds } from '../unread/store.ts'
import { findUnread } from '../unread/unread.ts'
import { findCalls } from '../voice/store.ts'
import type { Bus } from './bus.ts'
import type { Connection } from './connection.ts'
import { LobbySnapshot } from './lobby-snapshot.ts'

/** Minimum interval between updates of a room that changes continuously (R18.8). */
const EVERY_MS = 2_000
/** Pause for each frame of the last updates, and its maximum: a room may have thousands of viewers. */
const PAUSE_MS_PER_FRAME = 1
const MAX_PAUSE_MS = 10_000
/** Frames after which other work has its turn. */
const SENT_AT_ONCE = 200
/** Users whose access is read before other work has its turn. */
const READ_AT_ONCE = 500

interface LobbyOptions {
  database: Database<Tables>
  log: Log
  /** Milliseconds since 1970. */
  now: () => number
  bus: Bus
}

/** Subscribed connections by user. */
type Viewers = ReadonlyMap<string, readonly Connection[]>

/** Sends entries of the lobby to the subscribed connections of this node. */
export class Lobby {
  readonly #connections = new Set<Connection>()
  /** Number of connections that are being added. */
  #pendingAdds = 0
  /** Rooms to send, with the users who could see them before. */
  readonly #changed = new Map<string, PreviousAudience>()
  /** Rooms to send to the users who have unread messages there. */
  readonly #active = new Set<string>()
  readonly #database: Database<Tables>
  readonly #log: Log
  readonly #now: () => number
  readonly #bus: Bus
  readonly #snapshot: LobbySnapshot
  #timer: ReturnType<typeof setTimeout> | undefined
  #pauseMs = EVERY_MS
  /** Frames of the current or last updates. */
  #sentCount = 0
  #sending: Promise<void> = Promise.resolve()

  constructor({ database, log, now, bus }: LobbyOptions) {
    this.#database = database
    this.#log = log
    this.#now = now
    this.#bus = bus
    this.#snapshot = new LobbySnapshot(database)
  }

  /**
   * Resolves when the snapshot exists. The client reads the lobby only then, and receives all later
   * changes.
   */
  async add(connection: Connection): Promise<void> {
    this.#pendingAdds++
    try {
      if (this.#bus.state() !== 'in-process') await this.#snapshot.load(this.#now())
    } catch (error) {
      this.#log.warn('lobby: cannot read the rooms', { error })
    }
    this.#pendingAdds--
    if (!connection.isClosed) this.#connections.add(connection)
  }

  remove(connection: Connection): void {
    this.#connections.delete(connection)
  }

  queueUpdate(roomId: string, previousAudience: PreviousAudience): void {
    if (this.#connections.size === 0) return
    this.#changed.set(roomId, mergeAudiences(this.#changed.get(roomId), previousAudience))
    this.#schedule()
  }

  /** Sends the room to its members and to users with a read mark, for whom it counts messages. */
  queueActivity(roomId: string): void {
    if (this.#connections.size === 0) return
    this.#active.add(roomId)
    this.#schedule()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => void this.flush(), this.#pauseMs)
  }

  /**
   * Finds changes whose events were lost or never published (R19.2). On a single node, every change
   * is published locally.
   */
  async reconcile(): Promise<void> {
    if (this.#bus.state() === 'in-process') return
    if (this.#connections.size + this.#pendingAdds === 0) return this.#snapshot.forget()
    const { changed, active } = await this.#snapshot.differences(this.#now())
    for (const [roomId, previousAudience] of changed) this.queueUpdate(roomId, previousAudience)
    for (const roomId of active) this.queueActivity(roomId)
  }

  close(): void {
    clearTimeout(this.#timer)
  }

  /**
   * Sends all changes since the last time. Waits for the previous call, to send no older state
   * after a newer one.
   */
  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    return (this.#sending = this.#sending.then(() => this.#flush()))
  }

  async #flush(): Promise<void> {
    this.#sentCount = 0
    const changed = [...this.#changed]
    const active = [...this.#active].filter((roomId) => !this.#changed.has(roomId))
    this.#changed.clear()
    this.#active.clear()
    const viewers = Map.groupBy(this.#connections, ({ userId }) => userId)
    for (const [roomId, previousAudience] of changed)
      await this.#attempt(() => this.#sendUpdate(roomId, previousAudience, viewers))
    for (const roomId of active) await this.#attempt(() => this.#sendActivity(roomId, viewers))
    this.#pauseMs = Math.min(Math.max(EVERY_MS, this.#sentCount * PAUSE_MS_PER_FRAME), MAX_PAUSE_MS)
  }

  async #send(connection: Connection, text: string): Promise<void> {
    connection.send(text)
    if (++this.#sentCount % SENT_AT_ONCE === 0) await new Promise(setImmediate)
  }

  async #attempt(send: () => Promise<void>): Promise<void> {
    try {
      await send()
    } catch (error) {
      // A client that requests the list receives the current state.
      this.#log.warn('lobby: cannot send an update', { error })
    }
  }

  async #sendActivity(roomId: string, viewers: Viewers): Promise<void> {
    const room = await findRoom(this.#database.read, roomId)
    if (room?.archived_at !== null) return
    const activity = await this.#readActivity(room)
    this.#snapshot.update(roomId, room, activity)
    for (const [access, unread] of await this.#findUnread(roomId, viewers)) {
      const upsert = upsertOf(room, access.role, activity, { access, unread })
      for (const connection of viewers.get(access.userId) ?? []) await this.#send(connection, upsert)
    }
  }

  async #readActivity(room: RoomRow): Promise<RoomActivity> {
    const nowMs = this.#now()
    const count = await countParticipants(this.#database.read, room.id, nowMs)
    const calls = await findCalls(this.#database, [room.id], nowMs)
    const people = await findDirectPeople(this.#database, [room])
    return { count, call: calls.get(room.id) ?? null, people }
  }

  /** Unread messages and mentions of the viewers who follow the room. */
  async #findUnread(roomId: string, viewers: Viewers): Promise<ReadonlyMap<UserRoomAccess, Unread>> {
    const followerIds = await listFollowerIds(this.#database.read, roomId)
    const unreadByAccess = new Map<UserRoomAccess, Unread>()
    for await (const accesses of this.#readAccesses(roomId, followerIds, viewers)) {
      const open = accesses.filter((access) => isListed(access) || mayFollow(access))
      for (const [access, unread] of await findUnread(this.#database, open, this.#now()))
        unreadByAccess.set(access, unread)
    }
    return unreadByAccess
  }

  /** Accesses of those of the users who are viewers, in groups between which other work has its turn. */
  async *#readAccesses(
    roomId: string,
    all: readonly string[],
    viewers: Viewers,
  ): AsyncIterable<UserRoomAccess[]> {
    const userIds = all.filter((userId) => viewers.has(userId))
    for (let from = 0; from < userIds.length; from += READ_AT_ONCE) {
      const group = userIds.slice(from, from + READ_AT_ONCE)
      yield await findAccessOfUsers(this.#database, { roomId, userIds: group, nowMs: this.#now() })
      await new Promise(setImmediate)
    }
  }

  async #sendUpdate(roomId: string, previousAudience: PreviousAudience, viewers: Viewers): Promise<void> {
    const roleFor = await this.#viewers(roomId, viewers)
    const stored = await findRoom(this.#database.read, roomId)
    const activity = stored ? await this.#readActivity(stored) : { count: 0, call: null, people: new Map() }
    this.#snapshot.update(roomId, stored, activity)
    // The lists are without archived rooms (R36.3).
    const room = stored?.archived_at === null ? stored : undefined
    const unreadByAccess = await this.#findUnread(roomId, viewers)
    const followers = new Map(
      [...unreadByAccess].map(([access, unread]) => [access.userId, { access, unread }]),
    )
    const remove = JSON.stringify({ type: 'lobby', remove: roomId })
    const audience = room ? previousAudience : mergeAudiences(previousAudience, [...followers.keys()])
    const couldSee = (userId: string) => audience === 'everyone' || audience.includes(userId)
    // One text for all viewers with the same role who follow nothing here: most are visitors.
    const upserts = new Map<RoomRole | null, string>()
    for (const connection of this.#connections) {
      const role = room && roleFor(room, connection)
      const follower = followers.get(connection.userId)
      if (room && role !== undefined) {
        const upsert = (!follower && upserts.get(role)) || upsertOf(room, role, activity, follower)
        if (!follower) upserts.set(role, upsert)
        await this.#send(connection, upsert)
      }
      // A removal is sent only to users who could see the room.
      else if (couldSee(connection.userId)) await this.#send(connection, remove)
      else if (room && follower) await this.#send(connection, upsertOf(room, null, activity, follower))
    }
  }

  /**
   * Returns the role of a viewer in the room as the lobby shows it; undefined for viewers who may
   * not see the room.
   */
  async #viewers(
    roomId: string,
    viewers: Viewers,
  ): Promise<(room: RoomRow, viewer: Connection) => RoomRole | null | undefined> {
    const exceptionIds = await listMemberAndBannedIds(this.#database.read, roomId)
    const accesses = new Map<string, UserRoomAccess>()
    for await (const group of this.#readAccesses(roomId, exceptionIds, viewers))
      for (const access of group) accesses.set(access.userId, access)
    const accessesByAddress = await this.#findAccessByAddress(roomId)
    return (room, viewer) => {
      const { userId, person } = viewer
      const access = accessesByAddress.get(viewer) ?? accesses.get(userId)
      if (access) return isListed(access) ? access.role : undefined
      const isOpen = room.visibility === 'public' && (!person.isGuest || room.allow_guests === 1)
      return isOpen ? null : undefined
    }
  }

  /** Access of guests at a banned client prefix. The ban applies only to new guests (R17.5). */
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

/** A viewer who follows the room, with what is new to them. */
interface Follower {
  access: UserRoomAccess
  unread: Unread
}

function upsertOf(room: RoomRow, role: RoomRole | null, activity: RoomActivity, follower?: Follower): string {
  // Only a direct conversation, whose people all follow it, depends on who they are.
  const viewer = { userId: '', ...follower?.access, role, defaultRole: room.default_role }
  const entry = toRoom(room, viewer, activity, follower?.unread)
  return JSON.stringify({ type: 'lobby', upsert: entry })
}

/**
 * Whether `listRooms` or `listDirects` lists the room for this user: it is public, or the user is a
 * member, and has not hidden it.
 */
function isListed(access: UserRoomAccess): boolean {
  const isOpen = access.visibility === 'public' || access.role !== null
  return decideEntry(access) === 'yes' && isOpen && !access.isHidden
}

/** Whether the list of followed rooms may have the room, which includes unlisted rooms with a mark. */
function mayFollow(access: UserRoomAccess): boolean {
  return access.visibility !== 'private' && decideOrdinaryEntry(access) === 'yes'
}

function mergeAudiences(a: PreviousAudience | undefined, b: PreviousAudience): PreviousAudience {
  if (a === undefined) return b
  return a === 'everyone' || b === 'everyone' ? 'everyone' : [...a, ...b]
}
