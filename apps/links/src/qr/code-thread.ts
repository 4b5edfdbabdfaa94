import type { CodeOptions, CodeReply } from './create-code.ts'
import type { WorkerReply } from './code-worker.ts'

/** Time without codes after which the thread ends, because it takes memory. */
const IDLE_MS = 60_000
/** Far above the time of the largest code, on a busy machine too. */
const TIME_LIMIT_MS = 10_000
const MAX_WAITING_PER_PERSON = 4
const MAX_WAITING = 32

interface Waiting {
  identity: string
  options: CodeOptions
  reply: PromiseWithResolvers<ThreadReply>
}

/** `busy` has too many codes waiting; `late` was not drawn in time. */
export type ThreadReply = CodeReply | { refusal: 'busy' | 'late' }

/** The codes of this process, one after another on a thread that starts with the first of them. */
export class CodeThread {
  readonly #limits: { idleMs: number; timeLimitMs: number }
  #worker: Worker | undefined
  /** The first one is being drawn. */
  readonly #waiting: Waiting[] = []
  #timer: Timer | undefined

  constructor({ idleMs = IDLE_MS, timeLimitMs = TIME_LIMIT_MS } = {}) {
    this.#limits = { idleMs, timeLimitMs }
  }

  /** Whether the thread runs, and takes memory. */
  get isOpen(): boolean {
    return this.#worker !== undefined
  }

  run(identity: string, options: CodeOptions): Promise<ThreadReply> {
    const own = this.#waiting.filter((waiting) => waiting.identity === identity)
    if (own.length >= MAX_WAITING_PER_PERSON || this.#waiting.length >= MAX_WAITING)
      return Promise.resolve({ refusal: 'busy' })
    const reply = Promise.withResolvers<ThreadReply>()
    this.#waiting.push({ identity, options, reply })
    if (this.#waiting.length === 1) this.#drawNext()
    return reply.promise
  }

  #drawNext(): void {
    clearTimeout(this.#timer)
    const [next] = this.#waiting
    if (!next) {
      this.#timer = setTimeout(() => this.#end(), this.#limits.idleMs)
      this.#timer.unref()
      return
    }
    this.#timer = setTimeout(() => {
      this.#end()
      this.#settle(({ resolve }) => resolve({ refusal: 'late' }))
    }, this.#limits.timeLimitMs)
    this.#worker ??= this.#start()
    this.#worker.postMessage(next.options)
  }

  #settle(settle: (reply: Waiting['reply']) => void): void {
    const done = this.#waiting.shift()
    if (done) settle(done.reply)
    this.#drawNext()
  }

  #start(): Worker {
    // The thread keeps no process alive: a request that waits for it does.
    const worker = new Worker(new URL('./code-worker.ts', import.meta.url).href, { ref: false })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
      // The answer of a thread that was ended may still arrive.
      if (worker !== this.#worker) return
      this.#settle(({ resolve, reject }) =>
        'error' in data ? reject(new Error(`A QR code cannot be drawn: ${data.error}`)) : resolve(data),
      )
    })
    // The thread has crashed. The next code starts another one.
    worker.addEventListener('error', ({ message }) => {
      if (worker !== this.#worker) return
      this.#worker = undefined
      this.#settle(({ reject }) => reject(new Error(`QR codes cannot be drawn: ${message}`)))
    })
    return worker
  }

  #end(): void {
    this.#worker?.terminate()
    this.#worker = undefined
  }
}
