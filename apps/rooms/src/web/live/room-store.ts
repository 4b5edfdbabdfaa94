import { call } from '../call.ts'
import { saveDraft, readDraft } from '@latchkey/web/draft-storage'
import { changed } from '../queries.ts'
import type { RoomListener } from './following.ts'
import type { Message, Person, Presence, RoomEvent, Subscribed } from './frames.ts'
import { live } from './live.ts'
import { Outbox, type Unsent } from './outbox.ts'

/** Somebody who typed is thought to type for so long. */
const TYPES_FOR_MS = 7_000
/** Less than for other calls: a message whose request hangs holds up what is written after it. */
const ANSWER_WITHIN_MS = 15_000
/** Others are told at most this often that somebody types (R18.8). */
const TELLS_TYPING_EVERY_MS = 3_000

/** Of so many messages the oldest are let go while what is shown is the end, until so many are left. */
const MOST_SHOWN = 500
const LEFT_SHOWN = 250

/** What came while nobody was connected comes at once, and is read out at once; nobody wants to hear all of a night. */
const LAST_HEARD = 10

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
  heard: readonly Message[]
  moved: { came: readonly string[]; went: readonly string[] } | null
}

const BEFORE: RoomState = {
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
  heard: [],
  moved: null,
}

/** Everything that the page of one room shows, brought up to date by the socket. */
export class RoomStore {
  readonly roomId: string
  readonly #userId: string
  readonly #outbox: Outbox
  readonly #watchers = new Set<() => void>()
  readonly #typists = new Map<string, ReturnType<typeof setTimeout>>()
  #state: RoomState = BEFORE
  /** Counts how often the history was begun anew. */
  #history = 0
  /** When what was deleted: a page that was read before may come after. */
  readonly #deletions = new Map<string, string>()
  #isIn = false
  #isAttended = true
  #isAtEnd = true
  /** What happened up to here had happened when one came in: whatever of it is told after that was missed. */
  #overSeq = 0
  #hasMissed = false
  #toldTypingAt = 0

  constructor(roomId: string, userId: string) {
    this.roomId = roomId
    this.#userId = userId
    const name = `unsent:${roomId}`
    this.#outbox = new Outbox({
      left: readDraft(userId, name),
      post: async (content, clientId) => {
        const input = { params: { id: roomId }, body: { content, clientId } }
        const { message } = await call('postMessage', input, { answerWithinMs: ANSWER_WITHIN_MS })
        return message
      },
      onChange: (unsent, text) => {
        saveDraft(userId, name, text)
        this.#become({ unsent })
      },
      onSent: (message) => this.#place([message]),
      // A connection that comes back says so.
      mayRetry: () => this.#isIn && live.state === 'live',
    })
    this.#state = { ...BEFORE, unsent: this.#outbox.unsent }
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
    this.#become({ phase: 'coming', out: null })
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
    this.#become({ unreadFrom: null })
    this.stopTyping()
  }

  retry(clientId: string): void {
    this.#outbox.retry(clientId)
  }

  discard(clientId: string): void {
    this.#outbox.remove(clientId)
  }

  types(): void {
    if (Date.now() - this.#toldTypingAt < TELLS_TYPING_EVERY_MS) return
    this.#toldTypingAt = Date.now()
    live.typing(this.roomId, true)
  }

  stopTyping(): void {
    if (this.#toldTypingAt === 0) return
    this.#toldTypingAt = 0
    live.typing(this.roomId, false)
  }

  /** Whether the newest messages are before somebody's eyes; and whether they are what is shown, if only in a hidden tab. */
  attend(isAttended: boolean, isAtEnd: boolean): void {
    if (this.#isAttended === isAttended && this.#isAtEnd === isAtEnd) return
    this.#isAttended = isAttended
    this.#isAtEnd = isAtEnd
    this.#become({
      ...this.#bounded(this.#state.messages),
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
      this.#become({ historyError: null, older: page.nextCursor })
      this.#place(page.messages)
    } catch (error) {
      if (isWanted()) this.#become({ historyError: error })
    }
  }

  #forget(): void {
    this.#history++
    this.#deletions.clear()
    this.#become({ messages: [], older: undefined, historyError: null })
  }

  #become(change: Partial<RoomState>): void {
    this.#state = { ...this.#state, ...change }
    for (const watcher of this.#watchers) watcher()
  }

  /** Adds messages, or puts newer versions in their place; in the order of the room. */
  #place(given: readonly Message[]): void {
    const byId = new Map(this.#state.messages.map((message) => [message.id, message]))
    for (const message of given) {
      // A deletion that came before what it deletes is not undone by it.
      const deletedAt =
        this.#deletions.get(message.id) ?? byId.get(message.id)?.deletedAt ?? message.deletedAt
      byId.set(message.id, deletedAt === null ? message : { ...message, content: null, deletedAt })
      if (message.userId === this.#userId && message.clientId !== null) this.#outbox.remove(message.clientId)
    }
    this.#become(this.#bounded([...byId.values()].toSorted((a, b) => a.seq - b.seq)))
  }

  /** A room that is open for days stays quick: who wants the older messages again reads them again. */
  #bounded(messages: readonly Message[]): Pick<RoomState, 'messages' | 'older'> {
    const kept = messages.slice(-LEFT_SHOWN)
    const [first] = kept
    if (!first || !this.#isAtEnd || messages.length <= MOST_SHOWN)
      return { messages, older: this.#state.older }
    return { messages: kept, older: String(first.seq) }
  }

  #listener(): RoomListener {
    return {
      subscribed: (frame) => this.#cameIn(frame),
      event: (event) => this.#happened(event),
      reset: () => {
        this.#forget()
        void this.readOlder()
        void changed('room', 'members')
      },
      presence: (frame) => this.#moved(frame),
      typing: (userId, active) => this.#types(userId, active),
      removed: ({ reason, until }) => this.#become({ phase: 'out', out: { reason, until } }),
      refused: (code) => this.#become({ phase: 'out', out: { reason: code, until: null } }),
    }
  }

  #cameIn({ seq, present, count }: Subscribed): void {
    this.#overSeq = seq
    this.#hasMissed = false
    const messages = this.#asToday(present)
    this.#become({ phase: 'in', messages, present: peopleById(present), count, typing: [] })
    // What may be read can depend on the visit, which begins with coming in (R17.8).
    if (this.#state.older === undefined) void this.readOlder()
    void changed('room')
  }

  #happened({ event, data, at }: RoomEvent): void {
    if (event === 'message.created') return this.#said(data['message'] as Message)
    if (event === 'message.deleted') return this.#deleted(String(data['messageId']), at)
    if (event.startsWith('member.')) this.#changedRole(data['person'] as Person, event)
    void changed('room', 'members', 'bans')
  }

  #said(message: Message): void {
    this.#place([message])
    if (message.userId !== null) this.#types(message.userId, false)
    if (message.userId === this.#userId || message.content === null) return
    const { heard } = this.#state
    this.#become({ heard: [...heard, message].slice(-LAST_HEARD), ...this.#asNew(message) })
  }

  #asNew({ seq }: Message): Partial<Pick<RoomState, 'unread' | 'unreadFrom'>> {
    const { unread, unreadFrom } = this.#state
    // The mark before stays until there is another to make: whoever comes back may look for it.
    if (!this.#isAttended) return { unread: unread + 1, unreadFrom: unread === 0 ? seq : unreadFrom }
    // It came while there was no connection: nobody has seen it come, though the page may have been before their eyes.
    if (seq > this.#overSeq || this.#hasMissed) return {}
    this.#hasMissed = true
    return { unreadFrom: seq }
  }

  #deleted(id: string, at: string): void {
    const { heard, messages } = this.#state
    this.#deletions.set(id, at)
    // Nor is it read out any more.
    this.#become({ heard: heard.filter((message) => message.id !== id) })
    this.#place(messages.filter((message) => message.id === id))
  }

  #changedRole(person: Person, event: RoomEvent['event']): void {
    if (event === 'member.removed' || !this.#state.present.has(person.userId)) return
    const present = new Map(this.#state.present).set(person.userId, person)
    this.#become({ present, messages: this.#asToday([person]) })
  }

  #moved({ joined, left, count }: Presence): void {
    const before = this.#state.present
    const present = new Map(before)
    for (const id of left) present.delete(id)
    for (const person of joined) present.set(person.userId, person)
    const others = (id: string) => id !== this.#userId
    const came = joined
      .filter(({ userId }) => others(userId) && !before.has(userId))
      .map(({ nickname }) => nickname)
    const went = left.filter(others).map((id) => before.get(id)?.nickname ?? '')
    const messages = this.#asToday(joined)
    this.#become({
      present,
      count,
      messages,
      ...(came.length + went.length > 0 && { moved: { came, went } }),
    })
  }

  /** All that they have said stands under what they are called today, as the API tells it. */
  #asToday(persons: readonly Person[]): readonly Message[] {
    const byId = peopleById(persons)
    return this.#state.messages.map((message) => {
      const { nickname, avatarColor } = byId.get(message.userId ?? '') ?? message
      const isSame = nickname === message.nickname && avatarColor === message.avatarColor
      return isSame ? message : { ...message, nickname, avatarColor }
    })
  }

  #types(userId: string, active: boolean): void {
    clearTimeout(this.#typists.get(userId))
    this.#typists.delete(userId)
    if (active)
      this.#typists.set(
        userId,
        setTimeout(() => this.#types(userId, false), TYPES_FOR_MS),
      )
    const typing = [...this.#typists.keys()]
    if (typing.join() !== this.#state.typing.join()) this.#become({ typing })
  }
}

function peopleById(persons: readonly Person[]): Map<string, Person> {
  return new Map(persons.map((person) => [person.userId, person]))
}
