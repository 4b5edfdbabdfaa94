import { tmpdir } from 'node:os'
import type { Log } from '@latchkey/http/log'
import type { ImageRequest, SquareRequest } from './convert-image.ts'
import { type ImageMessage, imageProcessCommand } from './image-process.ts'

/** Time of an image, far above that on a processor: a busy machine must not refuse photos. */
const TIME_LIMIT_MS = 20_000
/** Time in which a process starts, on a busy machine. */
const START_LIMIT_MS = 20_000
/** Images that wait, besides the one that is converted. */
const MAX_WAITING_PER_PERSON = 2
const MAX_WAITING_PER_TURN = 8

/** Who sends an image. */
interface Sender {
  personId: string
  /** Senders with an equal value share one place in the order of turns. */
  turn: string
}

export type ImageResult = (
  | Exclude<ImageMessage, 'ready'>
  /** `busy` has too many images waiting; `failed` could not be tried. */
  | { refusal: 'busy' | 'failed' }
) & {
  /** Time on a processor. */
  seconds: number
}

interface Waiting {
  personId: string
  request: ImageRequest | SquareRequest
  resolve: (result: ImageResult) => void
}

/**
 * The images of this service, one at a time, each in a process of its own that is killed at its time
 * limit. Senders take turns, so no one waits for all images of another.
 */
export class ImageQueue {
  readonly #log: Log
  readonly #limits: { timeLimitMs: number; command: string[] }
  /** Waiting images by `turn`, in the order of their next turn. */
  readonly #turns = new Map<string, Waiting[]>()
  #child: Bun.Subprocess | undefined
  #isRunning = false
  #isClosed = false

  constructor(log: Log, { timeLimitMs = TIME_LIMIT_MS, command = imageProcessCommand() } = {}) {
    this.#log = log
    this.#limits = { timeLimitMs, command }
  }

  /** Never rejects. */
  run({ personId, turn }: Sender, request: ImageRequest | SquareRequest): Promise<ImageResult> {
    const waiting = this.#turns.get(turn) ?? []
    const own = waiting.filter((image) => image.personId === personId)
    const { promise, resolve } = Promise.withResolvers<ImageResult>()
    if (this.#isClosed) resolve({ refusal: 'failed', seconds: 0 })
    else if (own.length >= MAX_WAITING_PER_PERSON || waiting.length >= MAX_WAITING_PER_TURN)
      resolve({ refusal: 'busy', seconds: 0 })
    else {
      waiting.push({ personId, request, resolve })
      this.#turns.set(turn, waiting)
      void this.#work()
    }
    return promise
  }

  /** Kills the process, and refuses all images that wait. */
  close(): void {
    this.#isClosed = true
    this.#child?.kill('SIGKILL')
    for (const waiting of this.#turns.values())
      for (const { resolve } of waiting) resolve({ refusal: 'failed', seconds: 0 })
    this.#turns.clear()
  }

  async #work(): Promise<void> {
    if (this.#isRunning) return
    this.#isRunning = true
    for (let [next] = this.#turns; next; [next] = this.#turns) {
      const [turn, waiting] = next
      const image = waiting.shift()
      if (image) image.resolve(await this.#convert(image.request))
      // Behind those that came meanwhile.
      this.#turns.delete(turn)
      if (waiting.length > 0 && !this.#isClosed) this.#turns.set(turn, waiting)
    }
    this.#isRunning = false
  }

  async #convert(request: ImageRequest | SquareRequest): Promise<ImageResult> {
    const { command, timeLimitMs } = this.#limits
    let isReady = false
    let seconds = 0
    let reply: Exclude<ImageMessage, 'ready'> | undefined
    try {
      const child = Bun.spawn(command, {
        env: ENVIRONMENT,
        stdin: 'ignore',
        stdout: 'ignore',
        stderr: 'pipe',
        serialization: 'json',
        ipc(message: ImageMessage) {
          if (message !== 'ready') reply = message
          else {
            isReady = true
            restartTimer(timeLimitMs)
          }
          if (reply) child.kill('SIGKILL')
        },
      })
      const kill = () => child.kill('SIGKILL')
      let timer = setTimeout(kill, START_LIMIT_MS)
      const restartTimer = (ms: number) => {
        clearTimeout(timer)
        timer = setTimeout(kill, ms)
      }
      this.#child = child
      child.send(request)
      const [errors] = await Promise.all([readStart(child.stderr), child.exited])
      clearTimeout(timer)
      seconds = Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1_000_000
      if (!isReady) throw new Error(`No image can be converted: ${errors}`)
    } catch (error) {
      if (!this.#isClosed) this.#log.error('images: the process cannot be started', { error })
      return { refusal: 'failed', seconds: 0 }
    } finally {
      this.#child = undefined
    }
    if (this.#isClosed && !reply) return { refusal: 'failed', seconds }
    return { ...(reply ?? { refusal: 'too_large' }), seconds }
  }
}

/** No secrets of the service. Decoders that the library calls unsafe are off before it starts. */
const ENVIRONMENT = {
  TMPDIR: tmpdir(),
  VIPS_BLOCK_UNTRUSTED: '1',
  // Each further arena of the allocator would keep memory of its own.
  MALLOC_ARENA_MAX: '2',
  // A crash is no secret of the sender's to report to the makers of the runtime.
  BUN_ENABLE_CRASH_REPORTING: '0',
  DO_NOT_TRACK: '1',
}

/** The beginning of what the process wrote. */
async function readStart(stream: ReadableStream<Uint8Array>): Promise<string> {
  let text = ''
  for await (const piece of stream) if (text.length < 4_000) text += Buffer.from(piece).toString()
  return text.slice(0, 4_000)
}
