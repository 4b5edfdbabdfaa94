import { CallError } from '@latchkey/web/call'
import { type Input, type Result, request } from '../call.ts'

export interface Progress {
  clicks: number
  of: number
}

type Line = { progress: Progress } | { result: Result<'getAnalytics'> } | { error: string; code: string }

const NDJSON = 'application/x-ndjson'

/**
 * Reads statistics. With filters, the server reports how many of the raw clicks it has read.
 * Rejects with `CallError`; aborting ends the work of the server as well.
 */
export async function readAnalytics(
  input: Input<'getAnalytics'>,
  { signal, onProgress }: { signal: AbortSignal; onProgress?: ((progress: Progress) => void) | undefined },
): Promise<Result<'getAnalytics'>> {
  const accept = onProgress ? `${NDJSON}, application/json` : 'application/json'
  // The progress shows that a long read goes on.
  const answerWithinMs = onProgress ? { answerWithinMs: null } : {}
  const response = await request('getAnalytics', input, { signal, accept, ...answerWithinMs })
  if (!response.headers.get('Content-Type')?.startsWith(NDJSON) || !response.body)
    return (await response.json().catch(asCallError(signal))) as Result<'getAnalytics'>
  try {
    for await (const line of linesOf(response.body)) {
      const message = JSON.parse(line) as Line
      if ('result' in message) return message.result
      if ('error' in message) throw new CallError(503, message.error, message)
      onProgress?.(message.progress)
    }
  } catch (error) {
    throw error instanceof CallError ? error : asCallError(signal)(error)
  }
  throw asCallError(signal)(undefined)
}

const asCallError =
  (signal: AbortSignal) =>
  (error: unknown): never => {
    if (signal.aborted) throw error
    throw new CallError(0, 'offline', { code: 'offline' })
  }

/** Lines without their ends. The last one ends with the stream. */
async function* linesOf(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      const lines = (rest + decoder.decode(value, { stream: !done })).split('\n')
      rest = done ? '' : (lines.pop() ?? '')
      yield* lines.filter((line) => line !== '')
      if (done) return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
