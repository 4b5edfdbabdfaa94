import type { ImageReply, ImageRequest } from './image-worker.ts'

/** The thread takes memory, so it ends after so long without images. */
const IDLE_MS = 60_000
/** The library itself does not keep to a time: encoders do not stop at it. */
const TIME_LIMIT_MS = 30_000
/** An upload waits for at most so many others. */
const MAX_WAITING = 50

export type ImageResult = ImageReply | { refusal: 'busy' | 'failed' }

/** The images of this process, one after another on a thread that starts with the first of them. */
export class ImageThread {
  readonly #limits: { idleMs: number; timeLimitMs: number }
  #worker: Worker | undefined
  /** Of the current request. */
  #reply: PromiseWithResolvers<ImageResult> | undefined
  #last: Promise<unknown> = Promise.resolve()
  #waiting = 0
  #idleTimer: Timer | undefined

  constructor({ idleMs = IDLE_MS, timeLimitMs = TIME_LIMIT_MS } = {}) {
    this.#limits = { idleMs, timeLimitMs }
  }

  /** Never rejects. */
  async run(request: ImageRequest): Promise<ImageResult> {
    if (this.#waiting >= MAX_WAITING) return { refusal: 'busy' }
    this.#waiting++
    const result = this.#last.then(() => this.#send(request))
    this.#last = result
    try {
      return await result
    } finally {
      if (--this.#waiting === 0) this.#endWhenIdle()
    }
  }

  close(): void {
    clearTimeout(this.#idleTimer)
    this.#worker?.terminate()
    this.#worker = undefined
  }

  #send(request: ImageRequest): Promise<ImageResult> {
    clearTimeout(this.#idleTimer)
    const reply = Promise.withResolvers<ImageResult>()
    this.#reply = reply
    this.#worker ??= this.#start()
    this.#worker.postMessage(request)
    const timer = setTimeout(() => {
      this.close()
      reply.resolve({ refusal: 'too_large' })
    }, this.#limits.timeLimitMs)
    return reply.promise.finally(() => clearTimeout(timer))
  }

  #start(): Worker {
    const worker = new Worker(new URL('./image-worker.ts', import.meta.url).href, { ref: false })
    // A worker that was ended because of the time limit may still answer.
    const answer = (result: ImageResult) => {
      if (this.#worker === worker) this.#reply?.resolve(result)
    }
    worker.addEventListener('message', ({ data }: MessageEvent<ImageReply>) => answer(data))
    worker.addEventListener('error', () => {
      answer({ refusal: 'failed' })
      this.#worker = undefined
    })
    return worker
  }

  #endWhenIdle(): void {
    this.#idleTimer = setTimeout(() => this.close(), this.#limits.idleMs)
    this.#idleTimer.unref()
  }
}
