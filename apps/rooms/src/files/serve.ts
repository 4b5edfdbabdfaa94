import type { Answer } from '@latchkey/http/operation'
import { Failure } from '@latchkey/http/failure'
import type { Context } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import type { UserRoomAccess } from '../rooms/access-store.ts'
import { admitReader } from '../rooms/admission.ts'
import { readableAfterSeq, retainedAfterMs } from '../rooms/history.ts'
import { UPLOAD_LIFETIME_MS } from './attach.ts'
import { matchesEtag, parseRange } from './byte-range.ts'
import { explainStorageError } from './explain-storage-error.ts'
import { contentDisposition } from './file-name.ts'
import { isInline } from './media-type.ts'
import { type LocatedFile, findFile } from './store.ts'

/**
 * Browsers may keep a file, but ask before every use: a 304 follows only from the same check as the
 * file itself (R31.3).
 */
const REVALIDATED = 'private, no-cache'

/** For what every signed-in person may see, at an address that always has the same content. */
export const UNCHANGING = 'private, max-age=3600'

/** Values of `Cache-Control` with which a browser may keep an answer of the API. */
export const CACHEABLE: ReadonlySet<string | null> = new Set([REVALIDATED, UNCHANGING])

/** The file, if the caller may read its message now. Throws `not_found` otherwise, whatever the reason. */
export async function findReadableFile(
  context: Context,
  { id, name }: { id: string; name: string },
): Promise<LocatedFile> {
  const file = await findFile(context.database.read, id)
  // Access is asked for without a file, too: the same statements show nothing of one that is hidden.
  const access = await admitReader(context, file?.room_id ?? '').catch((error: unknown) => {
    throw error instanceof Failure ? failure('not_found') : error
  })
  if (file?.name !== name || !isReadable(context, file, access)) throw failure('not_found')
  return file
}

function isReadable(
  context: Context,
  { user_id, message_id, message_seq, message_created_at, created_at }: LocatedFile,
  access: UserRoomAccess,
): boolean {
  if (message_id === null)
    return user_id === context.actor.user.id && created_at > context.now - UPLOAD_LIFETIME_MS
  return (
    (message_seq ?? 0) > readableAfterSeq(access) &&
    (message_created_at ?? 0) > retainedAfterMs(access.room, context.now)
  )
}

/** A stored content as it is served. */
export interface ServedContent {
  context: Context
  key: string
  name: string
  type: string
  bytes: number
  cacheControl?: string
}

/** The whole content, a part of it, or 304. `request` has the conditions. */
export async function answerContent(
  { context, key, name, type, bytes, cacheControl = REVALIDATED }: ServedContent,
  { headers }: Request,
): Promise<Answer> {
  const etag = `"${key}"`
  const shared = {
    ETag: etag,
    'Accept-Ranges': 'bytes',
    'Cache-Control': cacheControl,
    'Content-Security-Policy': 'sandbox',
    'Content-Disposition': contentDisposition(isInline(type) ? 'inline' : 'attachment', name),
  }
  if (matchesEtag(headers.get('if-none-match'), etag)) return { status: 304, headers: shared, body: null }
  const ifRange = headers.get('if-range')
  const range = ifRange === null || ifRange === etag ? parseRange(headers.get('range'), bytes) : undefined
  if (range === null)
    throw failure('range_not_satisfiable', { headers: { 'Content-Range': `bytes */${bytes}` } })
  const { start, end } = range ?? { start: 0, end: bytes - 1 }
  const body = await readContent(context, key, { start, end })
  return {
    status: range ? 206 : 200,
    headers: {
      ...shared,
      'Content-Type': isInline(type) ? type : 'application/octet-stream',
      'Content-Length': String(end - start + 1),
      ...(range && { 'Content-Range': `bytes ${start}-${end}/${bytes}` }),
    },
    body,
  }
}

async function readContent(
  context: Context,
  key: string,
  range: { start: number; end: number },
): Promise<ReadableStream<Uint8Array>> {
  const { storage, log, requestId } = context
  const content = await storage.read(key, range).catch((error: unknown) => {
    throw explainStorageError(context, error)
  })
  if (content) return content
  log.error('files: content is missing from the storage', { requestId, key })
  throw failure('not_found')
}
