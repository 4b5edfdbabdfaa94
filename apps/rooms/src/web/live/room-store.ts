import { saveDraft, readDraft } from '@latchkey/web/draft-storage'
import type { Result } from '../call.ts'
import { invalidate } from '../queries.ts'
import type { RoomListener } from './room-subscription.ts'
import type {
  EventMessage,
  Person,
  PresenceFrame,
  PresentPerson,
  RoomEvent,
  SubscribedFrame,
} from './frames.ts'
import { live } from './live.ts'
import { type Draft, Outbox, type Unsent } from './outbox.ts'
import { ReadMark } from './read-mark.ts'
import { uploadFile } from './upload-file.ts'
import { type Upload, Uploads } from './uploads.ts'
import { type History, NO_HISTORY, RoomHistory } from './room-history.ts'

/** A user counts as typing for this long after the last sign of it. */
const TYPING_TIMEOUT_MS = 7_000
/** Minimum time between two signs that the user is typing (R18.8). */
const SEND_TYPING_EVERY_MS = 3_000

/**
 * Maximum number of messages that are read out together. After a reconnection all missed messages
 * arrive at once, perhaps those of a whole night.
 */
const MAX_ANNOUNCEMENTS = 10

export interface RoomState extends History {
  phase: 'entering' | 'in' | 'out'
  /**
   * Reason for being out of the room: a reason of `room.removed`, or the error code of a refusal.
   */
  out: { reason: string; until: string | null } | null
  present: ReadonlyMap<string, PresentPerson>
  count: number
  /** Ids of other users. */
  typing: readonly string[]
  unsent: readonly Unsent[]
  /** Files for the next message. */
  uploads: readonly Upload[]
  unread: number
  /**
   * Sequence number of the first message that arrived while the user was away or disconnected. The
   * message may have been dropped.
   */
  unreadFrom: number | null
  /** Latest messages of other users, and who joined and left last. Both are read out. */
  announcements: readonly EventMessage[]
  movement: { arrivals: readonly string[]; departures: readonly string[] } | null
}

const INITIAL_STATE: RoomState = {
  ...NO_HISTORY,
  phase: 'entering',
  out: null,
  present: new Map(),
  count: 0,
  typing: [],
  unsent: [],
  uploads: [],
  unread: 0,
  unreadFrom: null,
  announcements: [],
  movement: null,
}

/** The read mark and unread messages of the user on entering (R30.1). */
export interface ReadState {
  /** The user has read the events up to this sequence number. */
  readSeq: number
  unread: number
}

/** What a page comes with: the newest page of the history, and the sequence number of the room, read before it. */
interface EmbeddedRoom {
  newest: Result<'listMessages'>
  lastSeq: number
}

const ALL_READ: ReadState = { readSeq: 0, unread: 0 }

/** Number of unread messages from which the first of them may not be on the newest page. */
const FAR_BACK = 40

/** State of the page of a room, updated through the socket. */
export class RoomStore {
  readonly roomId: string
  readonly #userId: string
  readonly #history: RoomHistory
  readonly #outbox: Outbox
  readonly uploads: Uploads
  readonly readMark: ReadMark
  readonly #watchers = new Set<() => void>()
  readonly #typingTimers = new Map<string, ReturnType<typeof setTimeout>>()
  #state: RoomState = INITIAL_STATE
  #isIn = false
  #isAttended = true
  #isAtEnd = true
  /** Sequence number on entering. Events up to it that are delivered later were missed. */
  #entrySeq = 0
  #hasMissed = false
  /** Sequence number of the room that the page came with, until the room is entered. */
  #roomSeq: number | null = null
  #typingSentAt = 0
  #readState = ALL_READ

  constructor(roomId: string, userId: string) {
    this.roomId = roomId
    this.#userId = userId
    this.readMark = new ReadMark(roomId, (unreadFrom) => this.#setState({ unreadFrom }))
    const name = `unsent:${roomId}`
    this.#history = new RoomHistory({
      roomId,
      userId,
      onChange: (history) => this.#setState(history),
      onStored: (clientId) => this.#outbox.remove(clientId),
    })
    this.#outbox = new Outbox({
      savedText: readDraft(userId, name),
      post: (draft, clientId) => this.#history.post(draft, clientId),
      onChange: (unsent, text) => {
        saveDraft(userId, name, text)
        this.#setState({ unsent })
      },
      // A restored connection triggers its own retry.
      mayRetry: () => this.#isIn && live.state === 'live',
    })
    this.uploads = new Uploads({
      send: (file, options) => uploadFile(roomId, file, options),
      savedText: readDraft(userId, `files:${roomId}`),
      onChange: (uploads, text) => {
        saveDraft(userId, `files:${roomId}`, text)
        this.#setState({ uploads })
      },
    })
    this.#state = { ...INITIAL_STATE, unsent: this.#outbox.unsent, uploads: this.uploads.uploads }
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  state = (): RoomState => this.#state

  /**
   * Enters the room, at what is new there, and shows what the page came with meanwhile. The returned
   * function leaves the room.
   */
  enter(readState: ReadState = ALL_READ, embedded?: EmbeddedRoom): () => void {
    // The known history may end in a gap since the last visit.
    this.#history.reset()
    this.#readState = readState
    this.readMark.staysUnread = false
    const unreadFrom = readState.unread > 0 ? readState.readSeq + 1 : null
    this.#setState({ phase: 'entering', out: null, unreadFrom })
    const start = embedded && this.#begin(embedded)
    const stopFollowing = live.follow(this.roomId, this.#listener(), start)
    // Unanswered messages are sent now, and after every reconnection.
    this.#isIn = true
    this.#outbox.retry()
    const stopWatching = live.watch(() => live.state === 'live' && this.#outbox.retry())
    return () => {
      stopFollowing()
      stopWatching()
      this.#isIn = false
      for (const timer of this.#typingTimers.values()) clearTimeout(timer)
    }
  }

  /** Sends a message, at the end of the room. */
  send(draft: Draft): void {
    this.#outbox.add(draft)
    void this.#history.readEnd()
    this.stopTyping()
  }

  retry(clientId: string): void {
    this.#outbox.retry(clientId)
  }

  discard(clientId: string): void {
    this.#outbox.remove(clientId)
  }

  startTyping(): void {
    if (Date.now() - this.#typingSentAt < SEND_TYPING_EVERY_MS) return
    this.#typingSentAt = Date.now()
    live.typing(this.roomId, true)
  }

  stopTyping(): void {
    if (this.#typingSentAt === 0) return
    this.#typingSentAt = 0
    live.typing(this.roomId, false)
  }

  /**
   * Sets whether the user sees the newest messages (`isAttended`), and whether they are on display,
   * if only in a hidden tab (`isAtEnd`).
   */
  setAttention(isAttended: boolean, isAtEnd: boolean): void {
    if (this.#isAttended === isAttended && this.#isAtEnd === isAtEnd) return
    this.#isAttended = isAttended
    this.#isAtEnd = isAtEnd
    this.#history.setAtEnd(isAtEnd)
    if (isAttended) this.#setState({ unread: 0 })
  }

  /** Sequence number of the newest message if the user sees it now and it counts as read, otherwise 0. */
  seenSeq(): number {
    const { phase, newer, messages } = this.#state
    const isSeen = this.#isAttended && !this.readMark.staysUnread && phase === 'in' && newer === null
    return isSeen ? (messages.at(-1)?.seq ?? 0) : 0
  }

  /** Pages of the history, and changes of its messages. */
  get history(): Pick<
    RoomHistory,
    'readOlder' | 'readNewer' | 'readAround' | 'readFrom' | 'readEnd' | 'readPins' | 'edit' | 'react' | 'pin'
  > {
    return this.#history
  }

  #setState(change: Partial<RoomState>): void {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }

  #listener(): RoomListener {
    return {
      subscribed: (frame) => this.#onSubscribed(frame),
      event: (event) => this.#applyEvent(event),
      reset: () => {
        this.#history.reset()
        void this.#history.readOlder()
        void invalidate('room', 'members')
      },
      presence: (frame) => this.#applyPresence(frame),
      typing: (userId, active) => this.#setTyping(userId, active),
      removed: ({ reason, until }) => this.#setState({ phase: 'out', out: { reason, until } }),
      refused: (code) => this.#setState({ phase: 'out', out: { reason: code, until: null } }),
    }
  }

  /**
   * Begins with the newest page of the history. Returns the sequence number after which events are to
   * be followed. The page may have later messages, but not every later event.
   */
  #begin({ newest, lastSeq }: EmbeddedRoom): number | undefined {
    if (this.#readState.unread >= FAR_BACK) return undefined
    this.#history.begin(newest)
    this.#roomSeq = lastSeq
    return lastSeq
  }

  #onSubscribed({ seq, present, count }: SubscribedFrame): void {
    this.#entrySeq = seq
    this.#hasMissed = false
    this.#setState({ phase: 'in', present: peopleById(present), count, typing: [] })
    this.#history.updateNames(present)
    // Access to the history may depend on the visit, which begins on entering (R17.8).
    if (this.#state.older === undefined) void this.#readFirst()
    if (seq !== this.#roomSeq) void invalidate('room')
    this.#roomSeq = null
  }

  /** Reads the page with the first unread message. */
  async #readFirst(): Promise<void> {
    const { unread, readSeq } = this.#readState
    if (unread < FAR_BACK) return this.#history.readOlder()
    await this.#history.readFrom(readSeq)
  }

  #applyEvent(event: RoomEvent): void {
    const { event: kind, data } = event
    this.#history.apply(event)
    if (kind === 'message.created') return this.#announce(data['message'] as EventMessage)
    if (kind === 'message.deleted') return this.#silence(String(data['messageId']))
    if (kind === 'message.edited') return this.#silence((data['message'] as EventMessage | undefined)?.id)
    if (kind.startsWith('message.')) return
    if (kind === 'room.owner') this.#changeOwner(String(data['ownerId']), String(data['previousOwnerId']))
    if (!kind.startsWith('member.')) return void invalidate('room', 'members')
    const person = data['person'] as Person
    this.#updatePerson(person, kind)
    // However many people join, the room is read again only for a change of one's own.
    void invalidate('members', 'bans', ...(person.userId === this.#userId ? (['room'] as const) : []))
  }

  #announce(message: EventMessage): void {
    if (message.userId !== null) this.#setTyping(message.userId, false)
    if (message.userId === this.#userId || message.content === null) return
    const { announcements } = this.#state
    this.#setState({
      announcements: [...announcements, message].slice(-MAX_ANNOUNCEMENTS),
      ...this.#unreadChange(message),
    })
  }

  #unreadChange({ seq }: EventMessage): Partial<Pick<RoomState, 'unread' | 'unreadFrom'>> {
    const { unread, unreadFrom } = this.#state
    // The previous mark stays until there is a new one: a returning user may look for it.
    if (!this.#isAttended) return { unread: unread + 1, unreadFrom: unread === 0 ? seq : unreadFrom }
    // The message arrived without a connection. The user has not seen it arrive, even if the page
    // was visible.
    if (seq > this.#entrySeq || this.#hasMissed) return {}
    this.#hasMissed = true
    return { unreadFrom: seq }
  }

  /** The text of a deleted or edited message is not read out. */
  #silence(id: string | undefined): void {
    const { announcements } = this.#state
    this.#setState({ announcements: announcements.filter((message) => message.id !== id) })
  }

  #updatePerson(person: Person, event: RoomEvent['event']): void {
    const { userId, role } = person
    const isMember = event === 'member.joined' || event === 'member.role'
    this.#history.setAuthorRole((author) => author === userId, isMember ? role : null)
    const before = this.#state.present.get(userId)
    if (event === 'member.removed' || !before) return
    this.#setState({ present: new Map(this.#state.present).set(userId, { ...before, ...person }) })
    this.#history.updateNames([person])
  }

  /** The previous owner becomes a moderator, or a speaker if a guest. */
  #changeOwner(ownerId: string, previousOwnerId: string): void {
    this.#history.setAuthorRole((author) => author === ownerId, 'owner')
    this.#history.setAuthorRole((author, guest) => author === previousOwnerId && !guest, 'moderator')
    this.#history.setAuthorRole((author, guest) => author === previousOwnerId && guest, 'speaker')
  }

  #applyPresence({ joined: people, left, count }: PresenceFrame): void {
    const before = this.#state.present
    const present = new Map(before)
    for (const id of left) present.delete(id)
    for (const person of people) present.set(person.userId, person)
    const isOther = (id: string) => id !== this.#userId
    const arrivals = people
      .filter(({ userId }) => isOther(userId) && !before.has(userId))
      .map(({ nickname }) => nickname)
    const departures = left.filter(isOther).map((id) => before.get(id)?.nickname ?? '')
    this.#setState({
      present,
      count,
      ...(arrivals.length + departures.length > 0 && {
        movement: { arrivals, departures },
      }),
    })
    this.#history.updateNames(people)
  }

  #setTyping(userId: string, active: boolean): void {
    clearTimeout(this.#typingTimers.get(userId))
    this.#typingTimers.delete(userId)
    if (active)
      this.#typingTimers.set(
        userId,
        setTimeout(() => this.#setTyping(userId, false), TYPING_TIMEOUT_MS),
      )
    const typing = [...this.#typingTimers.keys()]
    if (typing.join() !== this.#state.typing.join()) this.#setState({ typing })
  }
}

function peopleById(persons: readonly PresentPerson[]): Map<string, PresentPerson> {
  return new Map(persons.map((person) => [person.userId, person]))
}
