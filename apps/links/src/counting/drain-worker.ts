import { Drain, type DrainOptions, type Progress } from './drain.ts'

/** Runs `Drain` off the event loop that serves redirects. Counting never delays a visitor. */
export type DrainRequest = { open: DrainOptions } | { upTo: number } | { rollUp: number } | 'close'
export type DrainReply =
  | { progress: Progress }
  | { more: boolean }
  | { error: { message: string; code?: unknown } }
  | 'closed'

declare const self: Worker

let options: DrainOptions | undefined
let drain: Drain | undefined

async function answer(request: DrainRequest): Promise<DrainReply | undefined> {
  if (request === 'close') {
    await drain?.close()
    return 'closed'
  }
  if ('open' in request) {
    options = request.open
    return undefined
  }
  if (!options) throw new Error('The drain must be opened before it works')
  // Opened at the first step, and again after a failure: the database may be unreachable at the
  // start.
  drain ??= new Drain(options)
  if ('rollUp' in request) return { more: await drain.rollUp(request.rollUp) }
  return { progress: await drain.step(request.upTo) }
}

async function reply(data: DrainRequest): Promise<void> {
  try {
    const result = await answer(data)
    if (result) self.postMessage(result)
  } catch (error) {
    const { message, code } = error as Error & { code?: unknown }
    self.postMessage({ error: { message, code } } satisfies DrainReply)
  }
}

self.addEventListener('message', ({ data }: MessageEvent<DrainRequest>) => void reply(data))
