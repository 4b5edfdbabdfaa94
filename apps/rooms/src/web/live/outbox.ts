import { CallError } from '@latchkey/web/call'
import { type Timers, browserTimers, backoffMs } from './connection.ts'
import type { Message } from './frames.ts'

/** Something that was said and is not stored yet, as far as this client knows. */
export interface Unsent {
  /** Under which the server stores it once, however often it is sent (R28.27). */
  clientId: string
  content: string
  /** Undefined while it is being sent. */
  problem: { error: unknown } | undefined
}

interface Options {
  post: (content: string, clientId: string) => Promise<Message>
  /** What was left by an earlier page of this tab. */
  savedText: string
  /** Called with what is unsent after every change, and as text to be kept. */
  onChange: (unsent: readonly Unsent[], text: string) => void
  onSent: (message: Message) => void
  /** Whether it is worth while to send again, without anybody's asking, what got no answer. */
  mayRetry: () => boolean
  after?: Timers['after']
}

/** In which the slowest of the limits on messages lets one more through (R22). */
const PAUSE_MS = 2_000

/**
 * Sends one message after the other, and keeps each until the server has it. What got no answer is sent again by itself, and
 * holds up what was written later, which is not to overtake it; what was refused waits for the person, and holds up nothing.
 */
export class Outbox {
  #unsent: readonly Unsent[]
  #isSending = false
  /** How often in a row there was no answer. */
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

  add(content: string): void {
    this.#setUnsent([...this.#unsent, { clientId: crypto.randomUUID(), content, problem: undefined }])
    this.#sendNow()
  }

  /** At once all that got no answer, and this one, though it was refused. */
  retry(clientId?: string): void {
    this.#unanswered = 0
    this.#clearProblems((each) => isWaiting(each) || each.clientId === clientId)
    this.#sendNow()
  }

  /** The server has it, or nobody wants it any more. */
  remove(clientId: string): void {
    if (!this.#has(clientId)) return
    this.#setUnsent(this.#unsent.filter((each) => each.clientId !== clientId))
    // It may be what held up the others.
    this.#sendNow()
  }

  #has(clientId: string): boolean {
    return this.#unsent.some((each) => each.clientId === clientId)
  }

  #setUnsent(unsent: readonly Unsent[]): void {
    this.#unsent = unsent
    const text = JSON.stringify(unsent.map(({ clientId, content }) => ({ clientId, content })))
    this.#options.onChange(unsent, unsent.length === 0 ? '' : text)
  }

  #clearProblems(isForgiven: (unsent: Unsent) => boolean): void {
    if (!this.#unsent.some((each) => each.problem && isForgiven(each))) return
    this.#setUnsent(this.#unsent.map((each) => (isForgiven(each) ? { ...each, problem: undefined } : each)))
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

  /** Whether the next may be sent. */
  async #sendOne({ clientId, content }: Unsent): Promise<boolean> {
    try {
      const message = await this.#options.post(content, clientId)
      this.#onAnswer()
      this.remove(clientId)
      this.#options.onSent(message)
    } catch (error) {
      if (mayPass(error)) return this.#onNoAnswer(clientId, error)
      this.#onAnswer()
      // That passes by itself.
      if (error instanceof CallError && error.status === 429) await this.#pause()
      else this.#fail(error, (each) => each.clientId === clientId)
    }
    return true
  }

  /** What waited for an answer is on its way now. */
  #onAnswer(): void {
    this.#unanswered = 0
    this.#clearProblems(isWaiting)
  }

  #onNoAnswer(clientId: string, error: unknown): boolean {
    if (!this.#has(clientId)) return true
    // What waits behind it is not sent either. Tried by itself it goes on being told as not sent, and does not flicker.
    this.#fail(error, isWaiting)
    const ms = backoffMs(this.#unanswered++, Math.random)
    this.#cancelWait = this.#options.after(ms, () => this.#options.mayRetry() && void this.#send())
    return false
  }

  #fail(error: unknown, hasFailed: (unsent: Unsent) => boolean): void {
    this.#setUnsent(this.#unsent.map((each) => (hasFailed(each) ? { ...each, problem: { error } } : each)))
  }

  #pause(): Promise<void> {
    return new Promise((resume) => void this.#options.after(PAUSE_MS, resume))
  }
}

/** It was not refused. */
function isWaiting({ problem }: Unsent): boolean {
  return problem === undefined || mayPass(problem.error)
}

/** No answer, or one that says nothing about the message itself. */
function mayPass(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 500)
}

function parse(savedText: string): Unsent[] {
  if (savedText === '') return []
  const saved = JSON.parse(savedText) as { clientId: string; content: string }[]
  return saved.map(({ clientId, content }) => ({ clientId, content, problem: undefined }))
}
