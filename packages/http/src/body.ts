import { Failure, transportFailure } from './failure.ts'

const JSON_TYPE = /^application\/json\s*(?:;|$)/i

/** The client disconnected or took too long. */
export const BROKEN_UPLOAD = transportFailure('invalid_request', {
  text: 'request: the upload broke off; nothing was changed',
  detail: 'upload_interrupted',
})

/**
 * Reads a JSON body of at most `limitBytes`. Throws 413 for a larger body, 400 for another content
 * type, 400 for invalid JSON, checked in that order. A body that declares or turns out to have more
 * bytes is not read to its end.
 */
export async function readJson(request: Request, limitBytes: number): Promise<unknown> {
  return parseJson(request, await readBytes(request, limitBytes))
}

/** Parses the bytes of a JSON body. Throws 400 for another content type, and for invalid JSON. */
export function parseJson(request: Request, bytes: Uint8Array): unknown {
  if (!JSON_TYPE.test(request.headers.get('content-type') ?? ''))
    throw transportFailure('unsupported_media_type')
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes))
  } catch {
    // Bad UTF-8, bad JSON, or nesting too deep for the parser: in each case the client must correct
    // it.
    throw transportFailure('invalid_json')
  }
}

/** Reads a body of at most `limitBytes`, and throws 413 for a larger one without reading it to its end. */
export async function readBytes(request: Request, limitBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  const brokenOff = transportFailure('invalid_json')
  for await (const chunk of readPieces(request, limitBytes, brokenOff)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/**
 * Streams a body of at most `limitBytes`. Throws 413 as soon as it declares or turns out to have
 * more bytes, and `brokenOff` when the client disconnects half way, which is not a fault of the
 * server.
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
