import { call } from '../call.ts'
import type { EventMessage, Message, Person, RoomEvent } from './frames.ts'
import { applyEvent, requote, subjectOf, toMessage } from './message-changes.ts'
import type { Draft } from './outbox.ts'

/** Shorter than for other calls: a message whose request hangs holds up later ones. */
const ANSWER_TIMEOUT_MS = 15_000

/**
 * Number of messages above which the oldest are dropped while the user is at the end of the room.
 * `SHOWN_AFTER_TRIM` of them remain.
 */
const MAX_SHOWN = 500
const SHOWN_AFTER_TRIM = 250

/** Events before a sequence number that are read with those after it. */
const CONTEXT = 15

/** Messages of a room, as far as they were read, and what stands between them. */
export interface History {
  /** Oldest to newest, without gaps. */
  messages: readonly Message[]
  /** Cursor of older messages. Null if there are none, undefined if nothing has been read. */
  older: string | null | undefined
  /** Cursor of newer messages. Null at the end of the room, where new messages are added. */
  newer: string | null
  /** Events between the messages that are not about messages: the system lines (R29.5). */
  events: readonly RoomEvent[]
  /** Pinned messages, last pinned first. Undefined if they must be read before they are displayed. */
  pins: readonly Message[] | undefined
  historyError: unknown
}

export const NO_HISTORY: History = {
  messages: [],
  older: undefined,
  newer: null,
  events: [],
  pins: undefined,
  historyError: null,
}

interface Options {
  roomId: string
  /** The user's own id. */
  userId: string
  onChange: (history: History) => void
  /** Called for each own message that the server has stored. */
  onStored: (clientId: string) => void
}

type Page = Pick<History, 'messages' | 'events'> & { nextCursor: string | null; newerCursor: string | null }

/**
 * History of a room. Answers of the server may be older than events that arrived while they were on
 * their way. Those events are applied to them once more.
 */
export class RoomHistory {
  #history: History = NO_HISTORY
  /** Number of times that the history was replaced. */
  #version = 0
  #requests = 0
  /** Events since the oldest request that is not answered yet. */
  #recent: RoomEvent[] = []
  #isAtEnd = true
  readonly #options: Options

  constructor(options: Options) {
    this.#options = options
  }

  /** Sets whether the newest messages are on display. Only then, the oldest are dropped. */
  setAtEnd(isAtEnd: boolean): void {
    this.#isAtEnd = isAtEnd
    this.#set({})
  }

  /** Forgets everything: events are missing. */
  reset(): void {
    this.#version++
    this.#recent = []
    this.#set(NO_HISTORY)
  }

  /** Begins with the newest page. Events that it may already contain can be applied. */
  begin(page: Page): void {
    this.#merge(page, { older: page.nextCursor, newer: page.newerCursor })
  }

  /** Applies the next event of the room. */
  apply(event: RoomEvent): void {
    if (this.#requests > 0) this.#recent.push(event)
    this.#apply(event)
  }

  /** Reads the page before the known messages, or the newest page if none are known. */
  async readOlder(): Promise<void> {
    const { older } = this.#history
    if (older === null) return
    // Meanwhile the messages next to this page may be dropped.
    const isWanted = () => older === this.#history.older
    const query = older === undefined ? {} : { cursor: Number(older) }
    await this.#readPage(query, isWanted, ({ nextCursor }) => ({ older: nextCursor }))
  }

  /** Reads the page after the known messages. */
  async readNewer(): Promise<void> {
    const { newer } = this.#history
    if (newer === null) return
    const isWanted = () => newer === this.#history.newer
    const query = { after: Number(newer) }
    await this.#readPage(query, isWanted, ({ newerCursor }) => ({ newer: newerCursor }))
  }

  /** Replaces the history with the page around a message. Rejects if the user may not read it. */
  async readAround(messageId: string): Promise<void> {
    this.#version++
    const input = { params: { id: this.#options.roomId }, query: { around: messageId } }
    await this.#request(
      () => call('listMessages', input),
      (page) => {
        this.#history = { ...NO_HISTORY, pins: this.#history.pins }
        this.#merge(page, { older: page.nextCursor, newer: page.newerCursor })
      },
    )
  }

  /** Replaces the history with the page that begins a little before this sequence number. */
  async readFrom(seq: number): Promise<void> {
    this.#version++
    this.#set({ ...NO_HISTORY, pins: this.#history.pins })
    await this.#readPage(
      { after: Math.max(0, seq - CONTEXT) },
      () => true,
      ({ nextCursor, newerCursor }) => ({ older: nextCursor, newer: newerCursor }),
    )
  }

  /** Returns to the end of the room after `readAround`. */
  async readEnd(): Promise<void> {
    if (this.#history.newer === null) return
    this.#version++
    this.#set({ ...NO_HISTORY, pins: this.#history.pins })
    await this.readOlder()
  }

  async readPins(): Promise<void> {
    await this.#request(
      () => readAllPins(this.#options.roomId),
      (pins) => this.#set({ pins }),
    )
  }

  /** Stores a message. Rejects without an answer. */
  async post({ content, replyTo, files = [] }: Draft, clientId: string): Promise<void> {
    const { roomId } = this.#options
    const body = {
      content,
      clientId,
      ...(replyTo !== undefined && { replyTo }),
      ...(files.length > 0 && { files: files.map(({ id }) => id) }),
    }
    await this.#request(
      () => call('postMessage', { params: { id: roomId }, body }, { answerWithinMs: ANSWER_TIMEOUT_MS }),
      ({ message }) => this.#mergeAnswer(message),
    )
  }

  /** Rejects with `message_changed` if it was edited since it was as in `message`. */
  async edit({ id: messageId, editedAt }: Pick<Message, 'id' | 'editedAt'>, content: string): Promise<void> {
    const params = { id: this.#options.roomId, messageId }
    await this.#request(
      () => call('editMessage', { params, body: { content, editedAt } }),
      ({ message }) => this.#mergeAnswer(message),
    )
  }

  /** Adds or takes back a reaction. */
  async react(messageId: string, emoji: string, isAdded: boolean): Promise<void> {
    const params = { id: this.#options.roomId, messageId, emoji }
    await this.#request(
      () => call(isAdded ? 'addReaction' : 'removeReaction', { params }),
      ({ reactions }) => this.#update(messageId, (message) => ({ ...message, reactions })),
    )
  }

  /** Pins or unpins a message. */
  async pin(messageId: string, isPinned: boolean): Promise<void> {
    const params = { id: this.#options.roomId, messageId }
    await this.#request(
      () => call(isPinned ? 'pinMessage' : 'unpinMessage', { params }),
      () => this.#update(messageId, (message) => ({ ...message, pinned: isPinned })),
    )
  }

  /** Shows these users with their current names and colours, as in the API. */
  updateNames(persons: readonly Person[]): void {
    const byId = new Map(persons.map((person) => [person.userId, person]))
    this.#updateAll((message) => withNames(message, byId))
    const nicknames = new Map(this.#history.messages.map(({ id, nickname }) => [id, nickname]))
    this.#updateAll((message) => {
      const { replyTo } = message
      const nickname = nicknames.get(replyTo?.id ?? '')
      const isStale = replyTo && nickname !== undefined && nickname !== replyTo.nickname
      return isStale ? { ...message, replyTo: { ...replyTo, nickname } } : message
    })
  }

  /** Changes the messages of these authors. Whether they are present does not matter. */
  setAuthorRole(
    isAuthor: (userId: string | null, isGuest: boolean) => boolean,
    authorRole: Message['authorRole'],
  ): void {
    this.#updateAll((message) =>
      isAuthor(message.userId, message.guest) ? { ...message, authorRole } : message,
    )
  }

  async #readPage(
    query: { cursor?: number; after?: number },
    isWanted: () => boolean,
    cursorOf: (page: Page) => Partial<History>,
  ): Promise<void> {
    const version = this.#version
    const isCurrent = () => version === this.#version && isWanted()
    try {
      await this.#request(
        () => call('listMessages', { params: { id: this.#options.roomId }, query }),
        (page) => isCurrent() && this.#merge(page, { ...cursorOf(page), historyError: null }),
      )
    } catch (error) {
      if (isCurrent()) this.#set({ historyError: error })
    }
  }

  /**
   * Sends a request, and applies to its answer the events that arrived meanwhile. An answer for a
   * replaced history is ignored: the events bring the same changes.
   */
  async #request<Answer>(send: () => Promise<Answer>, merge: (answer: Answer) => unknown): Promise<void> {
    const version = this.#version
    this.#requests++
    try {
      const answer = await send()
      if (version !== this.#version) return
      merge(answer)
      for (const event of this.#recent) this.#apply(event)
    } finally {
      this.#requests--
      if (this.#requests === 0) this.#recent = []
    }
  }

  #merge({ messages, events }: Pick<Page, 'messages' | 'events'>, change: Partial<History> = {}): void {
    this.#set({
      ...change,
      messages: inOrder([...this.#history.messages, ...messages], ({ id }) => id),
      events: inOrder([...this.#history.events, ...events], ({ seq }) => seq),
    })
    for (const message of messages) this.#noteStored(message)
  }

  /** Adds the message of an answer, or replaces the known one. */
  #mergeAnswer(message: Message): void {
    if (this.#isKnown(message)) this.#merge({ messages: [message], events: [] })
    else this.#add(message)
  }

  #noteStored({ userId, clientId }: Message): void {
    if (userId === this.#options.userId && clientId !== null) this.#options.onStored(clientId)
  }

  #apply(event: RoomEvent): void {
    if (event.event === 'message.created') return this.#add(toMessage(event.data['message'] as EventMessage))
    const subject = subjectOf(event)
    if (subject !== undefined) return this.#applyTo(subject, event)
    if (!event.event.startsWith('message.') && this.#isInReach(event.seq))
      this.#merge({ messages: [], events: [event] })
  }

  #add(message: Message): void {
    // A known message may have changed since.
    if (!this.#isKnown(message) && this.#isInReach(message.seq))
      this.#merge({ messages: [message], events: [] })
    else this.#noteStored(message)
  }

  #isKnown({ id }: Message): boolean {
    return this.#history.messages.some((message) => message.id === id)
  }

  /** False if this will be read with another page. */
  #isInReach(seq: number): boolean {
    const { older, newer } = this.#history
    return newer === null && (typeof older !== 'string' || seq >= Number(older))
  }

  #applyTo(subject: string, event: RoomEvent): void {
    if (event.event === 'message.pinned') this.#addPin(subject)
    this.#updateAll((message) => {
      if (message.id === subject) return applyEvent(message, event, this.#options.userId)
      return message.replyTo?.id === subject ? requote(message, event) : message
    })
  }

  #addPin(messageId: string): void {
    const { messages, pins } = this.#history
    if (!pins) return
    const isPin = ({ id }: Message) => id === messageId
    const message = messages.find(isPin) ?? pins.find(isPin)
    // Pins that are unknown now are read when they are on display.
    if (message) this.#set({ pins: [message, ...pins.filter((pin) => !isPin(pin))] })
    else void this.readPins().catch(() => this.#set({ pins: undefined }))
  }

  #update(messageId: string, change: (message: Message) => Message): void {
    this.#updateAll((message) => (message.id === messageId ? change(message) : message))
  }

  /** Changes messages on display and among the pins. */
  #updateAll(change: (message: Message) => Message): void {
    const { messages, pins } = this.#history
    this.#set({
      messages: messages.map(change),
      pins: pins?.map(change).filter(({ pinned }) => pinned),
    })
  }

  #set(change: Partial<History>): void {
    this.#history = trim({ ...this.#history, ...change }, this.#isAtEnd)
    this.#options.onChange(this.#history)
  }
}

/** All pages of the pins, whose number the room limits. */
async function readAllPins(id: string): Promise<Message[]> {
  const pins: Message[] = []
  let cursor: number | undefined
  do {
    const query = { limit: 100, ...(cursor !== undefined && { cursor }) }
    const { messages, nextCursor } = await call('listPins', { params: { id }, query })
    pins.push(...messages)
    cursor = nextCursor === null ? undefined : Number(nextCursor)
  } while (cursor !== undefined)
  return pins
}

/**
 * Drops the oldest messages, which keeps a room fast that is open for days. They can be read again.
 */
function trim(history: History, isAtEnd: boolean): History {
  const { messages, events, newer } = history
  const latest = messages.slice(-SHOWN_AFTER_TRIM)
  const [first] = latest
  if (!first || !isAtEnd || newer !== null || messages.length <= MAX_SHOWN) return history
  const older = String(first.seq)
  return { ...history, messages: latest, older, events: events.filter(({ seq }) => seq >= first.seq) }
}

/** The last of each item, in the order of the room. */
function inOrder<Item extends { seq: number }>(
  items: readonly Item[],
  keyOf: (item: Item) => string | number,
): Item[] {
  const byKey = new Map(items.map((item) => [keyOf(item), item]))
  return [...byKey.values()].toSorted((a, b) => a.seq - b.seq)
}

function withNames(message: Message, byId: ReadonlyMap<string, Person>): Message {
  const { nickname, avatarUrl } = byId.get(message.userId ?? '') ?? message
  const isSame = nickname === message.nickname && avatarUrl === message.avatarUrl
  const isMentioned = message.mentions.some(({ userId }) => byId.has(userId))
  if (isSame && !isMentioned) return message
  const mentions = message.mentions.map((mention) => ({
    ...mention,
    nickname: byId.get(mention.userId)?.nickname ?? mention.nickname,
  }))
  return { ...message, nickname, avatarUrl, mentions }
}
