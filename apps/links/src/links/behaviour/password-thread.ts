import { requireNoTransaction } from '@latchkey/database/transaction-scope'
import type { PasswordReply, PasswordRequest } from './password-worker.ts'

/** Time without passwords after which the thread ends, because it takes memory. */
const IDLE_MS = 60_000

/**
 * The passwords of this process, one after another on a thread that starts with the first of them.
 * On the threads of the runtime, of which there are as many as processors, clicks would wait for
 * passwords before they are on disk.
 */
export class PasswordThread {
  readonly #idleMs: number
  #worker: Worker | undefined
  /** Requests without an answer, in the order in which they are answered. */
  #waiting: PromiseWithResolvers<PasswordReply>[] = []
  #idleTimer: Timer | undefined

  constructor(idleMs = IDLE_MS) {
    this.#idleMs = idleMs
  }

  /** Whether the thread runs, and takes memory. */
  get isOpen(): boolean {
    return this.#worker !== undefined
  }

  async run(request: PasswordRequest): Promise<string | boolean> {
    requireNoTransaction('a password')
    clearTimeout(this.#idleTimer)
    const reply = Promise.withResolvers<PasswordReply>()
    this.#waiting.push(reply)
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
    const answer = await reply.promise
    if ('error' in answer) throw new Error(`A password cannot be checked: ${answer.error}`)
    return answer.result
  }

  #start(): Worker {
    // The thread keeps no process alive: a request that waits for it does.
    const worker = new Worker(new URL('./password-worker.ts', import.meta.url).href, { ref: false })
    worker.addEventListener('message', ({ data }: MessageEvent<PasswordReply>) => {
      this.#waiting.shift()?.resolve(data)
      if (this.#waiting.length === 0) this.#endWhenIdle()
    })
    // The thread has crashed. The next password starts another one.
    worker.addEventListener('error', ({ message }) => {
      this.#worker = undefined
      for (const reply of this.#waiting.splice(0)) reply.resolve({ error: message })
    })
    return worker
  }

  #endWhenIdle(): void {
    this.#idleTimer = setTimeout(() => {
      this.#worker?.terminate()
      this.#worker = undefined
    }, this.#idleMs)
    this.#idleTimer.unref()
  }
}
