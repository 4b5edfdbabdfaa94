import { FileStorageUnavailable } from '@latchkey/rooms/files/storage/storage'
import { sendToS3 } from './request.ts'
import type { S3Object } from './settings.ts'

/** An object as it was at one moment. */
export interface ObjectState {
  readonly bytes: number
  readonly etag: string
}

/** Undefined if there is no such object. */
export async function findObject(object: S3Object): Promise<ObjectState | undefined> {
  const response = await sendToS3(object, { method: 'HEAD' })
  if (response.status === 404) return undefined
  return {
    bytes: Number(response.headers.get('Content-Length')),
    etag: response.headers.get('ETag') ?? '',
  }
}

/** A storage that sends nothing for this long has lost the connection. */
const IDLE_MS = 60_000
const TRIES = 5
const PAUSE_MS = 1_000

/**
 * The bytes of an object from `start` on, at the pace of their reader. A lost connection continues
 * with a new one. Throws `FileStorageUnavailable`, also when the object was replaced meanwhile.
 */
export async function* readObject(
  object: S3Object,
  { bytes, etag }: ObjectState,
  start = 0,
): AsyncGenerator<Uint8Array> {
  let at = start
  for (let failures = 0; at < bytes;)
    try {
      for await (const piece of readOnce(object, etag, at)) {
        at += piece.length
        failures = 0
        yield piece
      }
      if (at < bytes) throw new FileStorageUnavailable('S3: the object ended too early')
    } catch (error) {
      if (++failures === TRIES || !(error instanceof FileStorageUnavailable)) throw error
      await Bun.sleep(PAUSE_MS)
    }
}

async function* readOnce(object: S3Object, etag: string, start: number): AsyncGenerator<Uint8Array> {
  const response = await sendToS3(object, {
    method: 'GET',
    headers: { Range: `bytes=${start}-`, 'If-Match': etag },
  })
  if (response.status !== 206 || !response.body)
    throw new FileStorageUnavailable(`S3: status ${response.status} for ${object.bucket}/${object.key}`)
  const reader = response.body.getReader()
  try {
    for (;;) {
      const { done, value } = await withIdleLimit(reader.read())
      if (done) return
      yield value
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

async function withIdleLimit<Result>(reading: Promise<Result>): Promise<Result> {
  let timer: Timer | undefined
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new FileStorageUnavailable('S3: sends nothing more')), IDLE_MS)
  })
  try {
    return await Promise.race([reading, limit])
  } catch (error) {
    if (error instanceof FileStorageUnavailable) throw error
    throw new FileStorageUnavailable(`S3: ${(error as Error).message}`, { cause: error })
  } finally {
    clearTimeout(timer)
  }
}
