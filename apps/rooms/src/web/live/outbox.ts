import { CallError } from '@latchkey/web/call'
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
  left: string
  /** Called with what is unsent after every change, and as text to be kept. */
  onChange: (unsent: readonly Unsent[], text: string) => void
  onSent: (message: Message) => void
  /** Resolves when somebody who wrote too fast may go on. */
  pause?: () => Promise<void>
}

/** In which the slowest of the limits on messages lets one more through (R22). */
const PAUSE_MS = 2_000

const waitAMoment = () => new Promise<void>((resume) => setTimeout(resume, PAUSE_MS))

/** Sends one message after the other, and keeps each until the server has it. */
export class Outbox {
  #unsent: readonly Unsent[]
  #isSending = false
  readonly #options: Required<Options>

  constructor(options: Options) {
    this.#options = { pause: waitAMoment, ...options }
    this.#unsent = parse(options.left)
    void this.#send()
  }

  get unsent(): readonly Unsent[] {
    return this.#unsent
  }

  add(content: string): void {
    this.#become([...this.#unsent, { clientId: crypto.randomUUID(), content, problem: undefined }])
    void this.#send()
  }

  /** All that failed for want of an answer, or only this one. */
  retry(clientId?: string): void {
    this.#become(
      this.#unsent.map((each) =>
        each.clientId === clientId || (clientId === undefined && mayPass(each.problem?.error))
          ? { ...each, problem: undefined }
          : each,
      ),
    )
    void this.#send()
  }

  /** The server has it, or nobody wants it any more. */
  remove(clientId: string): void {
    if (this.#unsent.some((each) => each.clientId === clientId))
      this.#become(this.#unsent.filter((each) => each.clientId !== clientId))
  }

  #become(unsent: readonly Unsent[]): void {
    this.#unsent = unsent
    const text = JSON.stringify(unsent.map(({ clientId, content }) => ({ clientId, content })))
    this.#options.onChange(unsent, unsent.length === 0 ? '' : text)
  }

  async #send(): Promise<void> {
    if (this.#isSending) return
    this.#isSending = true
    for (let next = this.#next(); next; next = this.#next()) await this.#sendOne(next)
    this.#isSending = false
  }

  #next(): Unsent | undefined {
    return this.#unsent.find(({ problem }) => problem === undefined)
  }

  async #sendOne({ clientId, content }: Unsent): Promise<void> {
    try {
      const message = await this.#options.post(content, clientId)
      this.remove(clientId)
      this.#options.onSent(message)
    } catch (error) {
      // That passes by itself, and nothing that was written later is to overtake it.
      if (error instanceof CallError && error.status === 429) return this.#options.pause()
      this.#become(
        this.#unsent.map((each) => (each.clientId === clientId ? { ...each, problem: { error } } : each)),
      )
    }
  }
}

/** No answer, or one that says nothing about the message itself. */
function mayPass(error: unknown): boolean {
  return error instanceof CallError && (error.status === 0 || error.status >= 500)
}

function parse(left: string): Unsent[] {
  if (left === '') return []
  const kept = JSON.parse(left) as { clientId: string; content: string }[]
  return kept.map(({ clientId, content }) => ({ clientId, content, problem: undefined }))
}
