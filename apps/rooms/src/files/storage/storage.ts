/** Where contents of files are kept, by key. A key is a SHA-256 in hexadecimal, with a suffix for what was derived. */
export interface FileStorage {
  /** Folder for files that are not complete yet. Deleting it loses only uploads in progress. */
  readonly spoolFolder: string
  /** Moves the file at `path`, complete and flushed to disk, to this key. Replaces equal content. */
  put(key: string, path: string): Promise<void>
  /** Bytes from `start` up to and including `end`. Undefined if there is no such content. */
  read(key: string, range: ByteRange): Promise<ReadableStream<Uint8Array> | undefined>
  /** Does nothing if there is no such content. */
  delete(key: string): Promise<void>
  /** All contents, in any order. */
  list(): AsyncGenerator<StoredContent>
}

/** Both ends are inclusive, as in the Range header. */
export interface ByteRange {
  readonly start: number
  readonly end: number
}

export interface StoredContent {
  readonly key: string
  readonly bytes: number
  readonly modifiedMs: number
}

/** The storage cannot be used at the moment. */
export class FileStorageUnavailable extends Error {
  override readonly name = 'FileStorageUnavailable'
}

const KEY = /^[0-9a-f]{64}(?:-[a-z]+)?$/

export function thumbnailKey(sha256: string): string {
  return `${sha256}-thumbnail`
}

/** Other files in the same place are not contents. */
export function isContentKey(name: string): boolean {
  return KEY.test(name)
}
