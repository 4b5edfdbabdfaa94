import { Failure, transportFailure } from './failure.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** Whoever sent it has left, or takes too long. */
export const BROKEN_UPLOAD = transportFailure('invalid_input', {
  text: 'request: the upload broke off; nothing was changed',
})

/**
 * Reads a JSON body of at most `limitBytes`. Throws 413, 400 for another content type, 400 for what is no JSON, in that
 * order; a body that claims or turns out to be larger is not read to its end.
 */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  const bytes = await readBytes(request, limitBytes)
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? '')) throw transportFailure('content_type')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Bad UTF-8, bad JSON, or nested so deeply that the parser gives up: all the sender's to mend.
    throw transportFailure('invalid_json')
  }
}

async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const brokenOff = transportFailure('invalid_json')
  for await (const chunk of readPieces(request, limitBytes, brokenOff)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * A body of at most `limitBytes` as it comes. Throws 413 as soon as it claims or turns out to be larger, and `brokenOff`
 * when its sender hangs up half way, which is no fault of ours.
 */
export async function* readPieces(
  request: Request,
  limitBytes: number,
  brokenOff = BROKEN_UPLOAD,
): AsyncGenerator<Uint8Array> {
  if (Number(request.headers.get('content-length') ?? 0) > limitBytes)
    throw transportFailure('body_too_large')
  let size = 0
  try {
    for await (const chunk of request.body ?? []) {
      size += chunk.byteLength
      if (size > limitBytes) throw transportFailure('body_too_large')
      yield chunk
    }
  } catch (error) {
    throw error instanceof Failure ? error : brokenOff
  }
}
