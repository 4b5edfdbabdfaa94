import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import type { CodeOptions, CodeReply } from './create-code.ts'
import type { WorkerReply } from './code-worker.ts'

/** Time without codes after which the thread ends, because it takes memory. */
const IDLE_MS = 60_000
/** Far above the time of the largest code, on a busy machine too. */
const TIME_LIMIT_MS = 10_000
/** Longest time until a code is begun: less than after which the connection of its request is cut. */
const WAIT_LIMIT_MS = 15_000
/** Codes that wait, besides the one that is drawn. */
const MAX_WAITING_PER_PERSON = 16
const MAX_WAITING = 64

interface Waiting {
  sinceMs: number
  options: CodeOptions
  reply: PromiseWithResolvers<ThreadReply>
}

/** `busy` has too many codes waiting; `late` was not drawn in time. */
export type ThreadReply = CodeReply | { refusal: 'busy' | 'late' }

/**
 * The codes of this process, one after another on a thread that starts with the first of them. People
 * take turns.
 */
export class CodeThread {
  readonly #limits: { idleMs: number; timeLimitMs: number; waitLimitMs: number }
  #worker: Worker | undefined
  /** Codes that wait by person, in the order of their next turn. */
  readonly #turns = new Map<string, Waiting[]>()
  #waitingCount = 0
  #current: Waiting | undefined
  #timer: Timer | undefined

  constructor({ idleMs = IDLE_MS, timeLimitMs = TIME_LIMIT_MS, waitLimitMs = WAIT_LIMIT_MS } = {}) {
    this.#limits = { idleMs, timeLimitMs, waitLimitMs }
  }

  /** Whether the thread runs, and takes memory. */
  get isOpen(): boolean {
    return this.#worker !== undefined
  }

  run(identity: string, options: CodeOptions): Promise<ThreadReply> {
    requireNoTransaction('a QR code')
    const own = this.#turns.get(identity) ?? []
    if (own.length >= MAX_WAITING_PER_PERSON || this.#waitingCount >= MAX_WAITING)
      return Promise.resolve({ refusal: 'busy' })
    const reply = Promise.withResolvers<ThreadReply>()
    own.push({ sinceMs: performance.now(), options, reply })
    this.#turns.set(identity, own)
    this.#waitingCount++
    if (!this.#current) this.#drawNext()
    return reply.promise
  }

  #drawNext(): void {
    clearTimeout(this.#timer)
    this.#current = this.#takeNext()
    if (!this.#current) {
      this.#timer = setTimeout(() => this.#end(), this.#limits.idleMs)
      this.#timer.unref()
      return
    }
    this.#timer = setTimeout(() => {
      this.#end()
      this.#settle(({ resolve }) => resolve({ refusal: 'late' }))
    }, this.#limits.timeLimitMs)
    this.#worker ??= this.#start()
    this.#worker.postMessage(this.#current.options)
  }

  /** The code whose turn it is. Those that have waited too long are given up. */
  #takeNext(): Waiting | undefined {
    for (const [identity, own] of this.#turns) {
      const next = own.shift()
      // Behind those of other people.
      this.#turns.delete(identity)
      if (own.length > 0) this.#turns.set(identity, own)
      if (!next) continue
      this.#waitingCount--
      if (performance.now() - next.sinceMs <= this.#limits.waitLimitMs) return next
      next.reply.resolve({ refusal: 'late' })
    }
    return undefined
  }

  #settle(settle: (reply: Waiting['reply']) => void): void {
    if (this.#current) settle(this.#current.reply)
    this.#drawNext()
  }

  #start(): Worker {
    // The thread keeps no process alive: a request that waits for it does.
    const worker = new Worker(new URL('./code-worker.ts', import.meta.url).href, { ref: false })
    worker.addEventListener('message', ({ data }: MessageEvent<WorkerReply>) => {
      // The answer of a thread that was ended may still arrive.
      if (worker !== this.#worker) return
      // What has failed, such as a decoder that could not be loaded, is not kept.
      if ('error' in data) this.#end()
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
