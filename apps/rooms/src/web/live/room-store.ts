import { call } from '../call.ts'
import { saveDraft, readDraft } from '@latchkey/web/draft-storage'
import { invalidate } from '../queries.ts'
import type { RoomListener } from './room-subscription.ts'
import type { Message, Person, PresenceFrame, RoomEvent, SubscribedFrame } from './frames.ts'
import { live } from './live.ts'
import { Outbox, type Unsent } from './outbox.ts'

/** Somebody who typed is thought to type for so long. */
const TYPES_FOR_MS = 7_000
/** Less than for other calls: a message whose request hangs holds up what is written after it. */
const ANSWER_TIMEOUT_MS = 15_000
/** Others are told at most this often that somebody types (R18.8). */
const SEND_TYPING_EVERY_MS = 3_000

/** Of so many messages the oldest are let go while what is shown is the end, until so many are left. */
const MAX_SHOWN = 500
const SHOWN_AFTER_TRIM = 250

/** What came while nobody was connected comes at once, and is read out at once; nobody wants to hear all of a night. */
const MAX_ANNOUNCEMENTS = 10

export interface RoomState {
  phase: 'coming' | 'in' | 'out'
  /** Why one is out: a reason of `room.removed`, or the code of a refusal. */
  out: { reason: string; until: string | null } | null
  /** Oldest to newest. */
  messages: readonly Message[]
  /** Leads to older ones; null: there are none; undefined: nothing has been read. */
  older: string | null | undefined
  historyError: unknown
  present: ReadonlyMap<string, Person>
  count: number
  /** Ids of others. */
  typing: readonly string[]
  unsent: readonly Unsent[]
  unread: number
  /** The first message that came while nobody looked or was connected; it may have been let go. */
  unreadFrom: number | null
  /** The last that came from others, and who came and went last: to be read out. */
  announcements: readonly Message[]
  moved: { came: readonly string[]; went: readonly string[] } | null
}

const INITIAL_STATE: RoomState = {
  phase: 'coming',
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
  moved: null,
}

/** Everything that the page of one room shows, brought up to date by the socket. */
export class RoomStore {
  readonly roomId: string
  readonly #userId: string
  readonly #outbox: Outbox
  readonly #watchers = new Set<() => void>()
  readonly #typists = new Map<string, ReturnType<typeof setTimeout>>()
  #state: RoomState = INITIAL_STATE
  /** Counts how often the history was begun anew. */
  #history = 0
  /** When what was deleted: a page that was read before may come after. */
  readonly #deletions = new Map<string, string>()
  #isIn = false
  #isAttended = true
  #isAtEnd = true
  /** What happened up to here had happened when one came in: whatever of it is told after that was missed. */
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
      // A connection that comes back says so.
      mayRetry: () => this.#isIn && live.state === 'live',
    })
    this.#state = { ...INITIAL_STATE, unsent: this.#outbox.unsent }
  }

  watch = (watcher: () => void): (() => void) => {
    this.#watchers.add(watcher)
    return () => void this.#watchers.delete(watcher)
  }

  state = (): RoomState => this.#state

  /** Goes in; the returned function goes out again. */
  enter(): () => void {
    // Nobody has listened since one was last in, so there may be a gap after what is known.
    this.#forget()
    this.#setState({ phase: 'coming', out: null })
    const stopFollowing = live.follow(this.roomId, this.#listener())
    // Whatever could not be sent for want of an answer is sent now, and when there is a connection again.
    this.#isIn = true
    this.#outbox.retry()
    const stopWatching = live.watch(() => live.state === 'live' && this.#outbox.retry())
    return () => {
      stopFollowing()
      stopWatching()
      this.#isIn = false
      for (const timer of this.#typists.values()) clearTimeout(timer)
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

  /** Whether the newest messages are before somebody's eyes; and whether they are what is shown, if only in a hidden tab. */
  setAttention(isAttended: boolean, isAtEnd: boolean): void {
    if (this.#isAttended === isAttended && this.#isAtEnd === isAtEnd) return
    this.#isAttended = isAttended
    this.#isAtEnd = isAtEnd
    this.#setState({
      ...this.#trimMessages(this.#state.messages),
      ...(isAttended && { unread: 0 }),
    })
  }

  /** The page before what has been read; the newest when nothing has. */
  async readOlder(): Promise<void> {
    const { older } = this.#state
    if (older === null) return
    const history = this.#history
    // What comes meanwhile can begin the history anew, or let go of what this page would be next to.
    const isWanted = () => history === this.#history && older === this.#state.older
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

  #forget(): void {
    this.#history++
    this.#deletions.clear()
    this.#setState({ messages: [], older: undefined, historyError: null })
  }

  #setState(change: Partial<RoomState>): void {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }

  /** Adds messages, or puts newer versions in their place; in the order of the room. */
  #mergeMessages(given: readonly Message[]): void {
    const byId = new Map(this.#state.messages.map((message) => [message.id, message]))
    for (const message of given) {
      // A deletion that came before what it deletes is not undone by it.
      const deletedAt =
        this.#deletions.get(message.id) ?? byId.get(message.id)?.deletedAt ?? message.deletedAt
      byId.set(message.id, deletedAt === null ? message : { ...message, content: null, deletedAt })
      if (message.userId === this.#userId && message.clientId !== null) this.#outbox.remove(message.clientId)
    }
    this.#setState(this.#trimMessages([...byId.values()].toSorted((a, b) => a.seq - b.seq)))
  }

  /** A room that is open for days stays quick: who wants the older messages again reads them again. */
  #trimMessages(messages: readonly Message[]): Pick<RoomState, 'messages' | 'older'> {
    const kept = messages.slice(-SHOWN_AFTER_TRIM)
    const [first] = kept
    if (!first || !this.#isAtEnd || messages.length <= MAX_SHOWN)
      return { messages, older: this.#state.older }
    return { messages: kept, older: String(first.seq) }
  }

  #listener(): RoomListener {
    return {
      subscribed: (frame) => this.#onSubscribed(frame),
      event: (event) => this.#applyEvent(event),
      reset: () => {
        this.#forget()
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
    // What may be read can depend on the visit, which begins with coming in (R17.8).
    if (this.#state.older === undefined) void this.readOlder()
    void invalidate('room')
  }

  #applyEvent({ event, data, at }: RoomEvent): void {
    if (event === 'message.created') return this.#addMessage(data['message'] as Message)
    if (event === 'message.deleted') return this.#markDeleted(String(data['messageId']), at)
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
    // The mark before stays until there is another to make: whoever comes back may look for it.
    if (!this.#isAttended) return { unread: unread + 1, unreadFrom: unread === 0 ? seq : unreadFrom }
    // It came while there was no connection: nobody has seen it come, though the page may have been before their eyes.
    if (seq > this.#entrySeq || this.#hasMissed) return {}
    this.#hasMissed = true
    return { unreadFrom: seq }
  }

  #markDeleted(id: string, at: string): void {
    const { announcements, messages } = this.#state
    this.#deletions.set(id, at)
    // Nor is it read out any more.
    this.#setState({ announcements: announcements.filter((message) => message.id !== id) })
    this.#mergeMessages(messages.filter((message) => message.id === id))
  }

  #updatePerson(person: Person, event: RoomEvent['event']): void {
    if (event === 'member.removed' || !this.#state.present.has(person.userId)) return
    const present = new Map(this.#state.present).set(person.userId, person)
    this.#setState({ present, messages: this.#withCurrentNames([person]) })
  }

  #applyPresence({ joined, left, count }: PresenceFrame): void {
    const before = this.#state.present
    const present = new Map(before)
    for (const id of left) present.delete(id)
    for (const person of joined) present.set(person.userId, person)
    const others = (id: string) => id !== this.#userId
    const came = joined
      .filter(({ userId }) => others(userId) && !before.has(userId))
      .map(({ nickname }) => nickname)
    const went = left.filter(others).map((id) => before.get(id)?.nickname ?? '')
    const messages = this.#withCurrentNames(joined)
    this.#setState({
      present,
      count,
      messages,
      ...(came.length + went.length > 0 && { moved: { came, went } }),
    })
  }

  /** All that they have said stands under what they are called today, as the API tells it. */
  #withCurrentNames(persons: readonly Person[]): readonly Message[] {
    const byId = peopleById(persons)
    return this.#state.messages.map((message) => {
      const { nickname, avatarColor } = byId.get(message.userId ?? '') ?? message
      const isSame = nickname === message.nickname && avatarColor === message.avatarColor
      return isSame ? message : { ...message, nickname, avatarColor }
    })
  }

  #setTyping(userId: string, active: boolean): void {
    clearTimeout(this.#typists.get(userId))
    this.#typists.delete(userId)
    if (active)
      this.#typists.set(
        userId,
        setTimeout(() => this.#setTyping(userId, false), TYPES_FOR_MS),
      )
    const typing = [...this.#typists.keys()]
    if (typing.join() !== this.#state.typing.join()) this.#setState({ typing })
  }
}

function peopleById(persons: readonly Person[]): Map<string, Person> {
  return new Map(persons.map((person) => [person.userId, person]))
}
