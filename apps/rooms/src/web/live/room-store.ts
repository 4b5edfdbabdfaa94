import { call } from '../call.ts'
import { saveDraft, readDraft } from '@latchkey/web/draft-storage'
import { invalidate } from '../queries.ts'
import type { RoomListener } from './room-subscription.ts'
import type { Message, Person, PresenceFrame, RoomEvent, SubscribedFrame } from './frames.ts'
import { live } from './live.ts'
import { Outbox, type Unsent } from './outbox.ts'

/** A user counts as typing for this long after the last sign of it. */
const TYPING_TIMEOUT_MS = 7_000
/** Shorter than for other calls: a message whose request hangs holds up later ones. */
const ANSWER_TIMEOUT_MS = 15_000
/** Minimum time between two signs that the user is typing (R18.8). */
const SEND_TYPING_EVERY_MS = 3_000

/**
 * Number of messages above which the oldest are dropped while the user is at the end of the room.
 * `SHOWN_AFTER_TRIM` of them remain.
 */
const MAX_SHOWN = 500
const SHOWN_AFTER_TRIM = 250

/**
 * Maximum number of messages that are read out together. After a reconnection all missed messages
 * arrive at once, perhaps those of a whole night.
 */
const MAX_ANNOUNCEMENTS = 10

export interface RoomState {
  phase: 'entering' | 'in' | 'out'
  /**
   * Reason for being out of the room: a reason of `room.removed`, or the error code of a refusal.
   */
  out: { reason: string; until: string | null } | null
  /** Oldest to newest. */
  messages: readonly Message[]
  /** Cursor of older messages. Null if there are none, undefined if nothing has been read. */
  older: string | null | undefined
  historyError: unknown
  present: ReadonlyMap<string, Person>
  count: number
  /** Ids of other users. */
  typing: readonly string[]
  unsent: readonly Unsent[]
  unread: number
  /**
   * Sequence number of the first message that arrived while the user was away or disconnected. The
   * message may have been dropped.
   */
  unreadFrom: number | null
  /** Latest messages of other users, and who joined and left last. Both are read out. */
  announcements: readonly Message[]
  movement: { arrivals: readonly string[]; departures: readonly string[] } | null
}

const INITIAL_STATE: RoomState = {
  phase: 'entering',
  out: null,
  messages: [],
  older: undefined,
  historyError: null,
  present: new Map(),
  count: 0,
  typing: [],
  unsent: [],
  unread: 0,
  unreadFrom: null,
  announcements: [],
  movement: null,
}

/** State of the page of a room, updated through the socket. */
export class RoomStore {
  readonly roomId: string
  readonly #userId: string
  readonly #outbox: Outbox
  readonly #watchers = new Set<() => void>()
  readonly #typingTimers = new Map<string, ReturnType<typeof setTimeout>>()
  #state: RoomState = INITIAL_STATE
  /** Number of times that the history was reset. */
  #historyVersion = 0
  /**
   * Times of deletions by message id. A page that was read before a deletion may arrive after it.
   */
  readonly #deletions = new Map<string, string>()
  #isIn = false
  #isAttended = true
  #isAtEnd = true
  /** Sequence number on entering. Events up to it that are delivered later were missed. */
  #entrySeq = 0
  #hasMissed = false
  #typingSentAt = 0

  constructor(roomId: string, userId: string) {
    this.roomId = roomId
    this.#userId = userId
    const name = `unsent:${roomId}`
    this.#outbox = new Outbox({
      savedText: readDraft(userId, name),
      post: async (content, clientId) => {
        const input = { params: { id: roomId }, body: { content, clientId } }
        const { message } = await call('postMessage', input, { answerWithinMs: ANSWER_TIMEOUT_MS })
        return message
      },
      onChange: (unsent, text) => {
        saveDraft(userId, name, text)
        this.#setState({ unsent })
      },
      onSent: (message) => this.#mergeMessages([message]),
      // A restored connection triggers its own retry.
      mayRetry: () => this.#isIn && live.state === 'live',
    })
    this.#state = { ...INITIAL_STATE, unsent: this.#outbox.unsent }
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  state = (): RoomState => this.#state

  /** Enters the room. The returned function leaves it. */
  enter(): () => void {
    // The known history may end in a gap since the last visit.
    this.#resetHistory()
    this.#setState({ phase: 'entering', out: null })
    const stopFollowing = live.follow(this.roomId, this.#listener())
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

  send(content: string): void {
    this.#outbox.add(content)
    this.#setState({ unreadFrom: null })
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
    this.#setState({
      ...this.#trimMessages(this.#state.messages),
      ...(isAttended && { unread: 0 }),
    })
  }

  /** Reads the page before the known messages, or the newest page if none are known. */
  async readOlder(): Promise<void> {
    const { older } = this.#state
    if (older === null) return
    const version = this.#historyVersion
    // Meanwhile the history may be reset, or the messages next to this page dropped.
    const isWanted = () => version === this.#historyVersion && older === this.#state.older
    try {
      const query = older === undefined ? {} : { cursor: Number(older) }
      const page = await call('listMessages', { params: { id: this.roomId }, query })
      if (!isWanted()) return
      this.#setState({ historyError: null, older: page.nextCursor })
      this.#mergeMessages(page.messages)
    } catch (error) {
      if (isWanted()) this.#setState({ historyError: error })
    }
  }

  #resetHistory(): void {
    this.#historyVersion++
    this.#deletions.clear()
    this.#setState({ messages: [], older: undefined, historyError: null })
  }

  #setState(change: Partial<RoomState>): void {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }

  /** Adds messages or newer versions of them, in the order of the room. */
  #mergeMessages(received: readonly Message[]): void {
    const byId = new Map(this.#state.messages.map((message) => [message.id, message]))
    for (const message of received) {
      // A message that arrives after its deletion stays deleted.
      const deletedAt =
        this.#deletions.get(message.id) ?? byId.get(message.id)?.deletedAt ?? message.deletedAt
      byId.set(message.id, deletedAt === null ? message : { ...message, content: null, deletedAt })
      if (message.userId === this.#userId && message.clientId !== null) this.#outbox.remove(message.clientId)
    }
    this.#setState(this.#trimMessages([...byId.values()].toSorted((a, b) => a.seq - b.seq)))
  }

  /**
   * Drops the oldest messages, which keeps a room fast that is open for days. They can be read
   * again.
   */
  #trimMessages(messages: readonly Message[]): Pick<RoomState, 'messages' | 'older'> {
    const latest = messages.slice(-SHOWN_AFTER_TRIM)
    const [first] = latest
    if (!first || !this.#isAtEnd || messages.length <= MAX_SHOWN)
      return { messages, older: this.#state.older }
    return { messages: latest, older: String(first.seq) }
  }

  #listener(): RoomListener {
    return {
      subscribed: (frame) => this.#onSubscribed(frame),
      event: (event) => this.#applyEvent(event),
      reset: () => {
        this.#resetHistory()
        void this.readOlder()
        void invalidate('room', 'members')
      },
      presence: (frame) => this.#applyPresence(frame),
      typing: (userId, active) => this.#setTyping(userId, active),
      removed: ({ reason, until }) => this.#setState({ phase: 'out', out: { reason, until } }),
      refused: (code) => this.#setState({ phase: 'out', out: { reason: code, until: null } }),
    }
  }

  #onSubscribed({ seq, present, count }: SubscribedFrame): void {
    this.#entrySeq = seq
    this.#hasMissed = false
    const messages = this.#withCurrentNames(present)
    this.#setState({ phase: 'in', messages, present: peopleById(present), count, typing: [] })
    // Access to the history may depend on the visit, which begins on entering (R17.8).
    if (this.#state.older === undefined) void this.readOlder()
    void invalidate('room')
  }

  #applyEvent({ event, data, at }: RoomEvent): void {
    if (event === 'message.created') return this.#addMessage(data['message'] as Message)
    if (event === 'message.deleted') return this.#markDeleted(String(data['messageId']), at)
    if (event === 'room.owner') this.#changeOwner(String(data['ownerId']), String(data['previousOwnerId']))
    if (event.startsWith('member.')) this.#updatePerson(data['person'] as Person, event)
    void invalidate('room', 'members', 'bans')
  }

  #addMessage(message: Message): void {
    this.#mergeMessages([message])
    if (message.userId !== null) this.#setTyping(message.userId, false)
    if (message.userId === this.#userId || message.content === null) return
    const { announcements } = this.#state
    this.#setState({
      announcements: [...announcements, message].slice(-MAX_ANNOUNCEMENTS),
      ...this.#unreadChange(message),
    })
  }

  #unreadChange({ seq }: Message): Partial<Pick<RoomState, 'unread' | 'unreadFrom'>> {
    const { unread, unreadFrom } = this.#state
    // The previous mark stays until there is a new one: a returning user may look for it.
    if (!this.#isAttended) return { unread: unread + 1, unreadFrom: unread === 0 ? seq : unreadFrom }
    // The message arrived without a connection. The user has not seen it arrive, even if the page
    // was visible.
    if (seq > this.#entrySeq || this.#hasMissed) return {}
    this.#hasMissed = true
    return { unreadFrom: seq }
  }

  #markDeleted(id: string, at: string): void {
    const { announcements, messages } = this.#state
    this.#deletions.set(id, at)
    // A deleted message is not read out either.
    this.#setState({ announcements: announcements.filter((message) => message.id !== id) })
    this.#mergeMessages(messages.filter((message) => message.id === id))
  }

  #updatePerson(person: Person, event: RoomEvent['event']): void {
    const { userId, role } = person
    const isMember = event === 'member.joined' || event === 'member.role'
    this.#setAuthorRole((author) => author === userId, isMember ? role : null)
    if (event === 'member.removed' || !this.#state.present.has(userId)) return
    const present = new Map(this.#state.present).set(userId, person)
    this.#setState({ present, messages: this.#withCurrentNames([person]) })
  }

  /** The previous owner becomes a moderator, or a speaker if a guest. */
  #changeOwner(ownerId: string, previousOwnerId: string): void {
    this.#setAuthorRole((author) => author === ownerId, 'owner')
    this.#setAuthorRole((author, guest) => author === previousOwnerId && !guest, 'moderator')
    this.#setAuthorRole((author, guest) => author === previousOwnerId && guest, 'speaker')
  }

  /** Changes the messages of these authors. Whether they are present does not matter. */
  #setAuthorRole(
    isAuthor: (userId: string | null, isGuest: boolean) => boolean,
    authorRole: Message['authorRole'],
  ): void {
    const messages = this.#state.messages.map((message) =>
      isAuthor(message.userId, message.guest) ? { ...message, authorRole } : message,
    )
    this.#setState({ messages })
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
    const messages = this.#withCurrentNames(people)
    this.#setState({
      present,
      count,
      messages,
      ...(arrivals.length + departures.length > 0 && {
        movement: { arrivals, departures },
      }),
    })
  }

  /** Messages of these users with their current names and colours, as in the API. */
  #withCurrentNames(persons: readonly Person[]): readonly Message[] {
    const byId = peopleById(persons)
    return this.#state.messages.map((message) => {
      const { nickname, avatarColor } = byId.get(message.userId ?? '') ?? message
      const isSame = nickname === message.nickname && avatarColor === message.avatarColor
      return isSame ? message : { ...message, nickname, avatarColor }
    })
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

function peopleById(persons: readonly Person[]): Map<string, Person> {
  return new Map(persons.map((person) => [person.userId, person]))
}
