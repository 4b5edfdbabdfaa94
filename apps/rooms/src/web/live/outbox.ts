import { CallError } from '@latchkey/web/call'
import type { RoomFile } from '../../files/schema.ts'
import { type Timers, browserTimers, backoffMs } from './timers.ts'

/** Content of a message. */
export interface Draft {
  content: string
  /** Id of the message that it replies to. */
  replyTo?: string
  files?: readonly RoomFile[]
}

/** Message that the server has not stored yet, as far as this client knows. */
export interface Unsent extends Draft {
  /**
   * Idempotency key: the server stores a message with it once, however often it is sent (R28.27).
   */
  clientId: string
  /** Undefined while the message is being sent. */
  problem: { error: unknown } | undefined
}

interface Options {
  /** Resolves when the server has stored the message. */
  post: (draft: Draft, clientId: string) => Promise<void>
  /** Unsent messages of an earlier page of this tab. */
  savedText: string
  /** Called after every change with the unsent messages, and with their text for `savedText`. */
  onChange: (unsent: readonly Unsent[], text: string) => void
  /** True if unanswered messages may be sent again without a request of the user. */
  mayRetry: () => boolean
  after?: Timers['after']
}

/** Time in which the slowest rate limit of messages admits one more (R22). */
const RATE_LIMIT_PAUSE_MS = 2_000

/**
 * Sends one message after the other, and keeps each until the server has stored it. An unanswered
 * message is sent again automatically, and holds up later ones, which must not overtake it. A
 * refused message waits for the user, and holds up none.
 */
export class Outbox {
  #unsent: readonly Unsent[]
  #isSending = false
  /** Number of consecutive attempts without an answer. */
  #unanswered = 0
  #cancelWait = () => {}
  readonly #options: Required<Options>

  constructor(options: Options) {
    this.#options = { after: browserTimers.after, ...options }
    this.#unsent = parse(options.savedText)
    void this.#send()
  }

  get unsent(): readonly Unsent[] {
    return this.#unsent
  }

  add(draft: Draft): void {
    this.#setUnsent([...this.#unsent, { ...draft, clientId: crypto.randomUUID(), problem: undefined }])
    this.#sendNow()
  }

  /** Sends all unanswered messages at once, and the message with this id even if it was refused. */
  retry(clientId?: string): void {
    this.#unanswered = 0
    this.#clearProblems((message) => isWaiting(message) || message.clientId === clientId)
    this.#sendNow()
  }

  /** Removes a message that the server has stored or the user has discarded. */
  remove(clientId: string): void {
    if (!this.#has(clientId)) return
    this.#setUnsent(this.#unsent.filter((message) => message.clientId !== clientId))
    // This message may have held up the others.
    this.#sendNow()
  }

  #has(clientId: string): boolean {
    return this.#unsent.some((message) => message.clientId === clientId)
  }

  #setUnsent(unsent: readonly Unsent[]): void {
    this.#unsent = unsent
    const text = JSON.stringify(unsent.map(({ problem: _, ...saved }) => saved))
    this.#options.onChange(unsent, unsent.length === 0 ? '' : text)
  }

  #clearProblems(isCleared: (unsent: Unsent) => boolean): void {
    if (!this.#unsent.some((message) => message.problem && isCleared(message))) return
    this.#setUnsent(
      this.#unsent.map((message) => (isCleared(message) ? { ...message, problem: undefined } : message)),
    )
  }

  #sendNow(): void {
    this.#cancelWait()
    void this.#send()
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    let next = this.#next()
    while (next && (await this.#sendOne(next))) next = this.#next()
    this.#isSending = false
  }

  #next(): Unsent | undefined {
    return this.#unsent.find(isWaiting)
  }

  /** Returns true if the next message may be sent. */
  async #sendOne({ clientId, problem: _, ...draft }: Unsent): Promise<boolean> {
    try {
      await this.#options.post(draft, clientId)
      this.#onAnswer()
      this.remove(clientId)
    } catch (error) {
      if (isTransient(error)) return this.#onNoAnswer(clientId, error)
      this.#onAnswer()
      // A rate limit passes without the user.
      if (error instanceof CallError && error.status === 429) await this.#pause()
      else this.#fail(error, (message) => message.clientId === clientId)
    }
    return true
  }

  /** Clears the errors of unanswered messages, which are sent next. */
  #onAnswer(): void {
    this.#unanswered = 0
    this.#clearProblems(isWaiting)
  }

  #onNoAnswer(clientId: string, error: unknown): boolean {
    if (!this.#has(clientId)) return true
    // Messages behind it have not been sent either. During automatic attempts they stay marked as
    // not sent, without flickering.
    this.#fail(error, isWaiting)
    const ms = backoffMs(this.#unanswered++, Math.random)
    this.#cancelWait = this.#options.after(ms, () => this.#options.mayRetry() && void this.#send())
    return false
  }

  #fail(error: unknown, hasFailed: (unsent: Unsent) => boolean): void {
    this.#setUnsent(
      this.#unsent.map((message) => (hasFailed(message) ? { ...message, problem: { error } } : message)),
    )
  }

  #pause(): Promise<void> {
    return new Promise((resume) => void this.#options.after(RATE_LIMIT_PAUSE_MS, resume))
  }
}

/** True if the message was not refused. */
function isWaiting({ problem }: Unsent): boolean {
  return problem === undefined || isTransient(problem.error)
}

/**
 * True without an answer, or with an answer that is not about the message itself: it is sent again
 * without the user.
 */
export function isTransient(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 500)
}

function parse(savedText: string): Unsent[] {
  if (savedText === '') return []
  const saved = JSON.parse(savedText) as Omit<Unsent, 'problem'>[]
  return saved.map((message) => ({ ...message, problem: undefined }))
}
