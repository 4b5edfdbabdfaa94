import type { ByteRange } from './storage/storage.ts'

/**
 * The requested part of a file with this many bytes (RFC 9110, section 14). Undefined for the whole
 * file, also where the header asks for several parts or has another form; null if the file has no
 * such part.
 */
export function parseRange(header: string | null, bytes: number): ByteRange | undefined | null {
  const [, first, last] = /^bytes=(\d{1,15})?-(\d{1,15})?$/.exec(header ?? '') ?? []
  if (first === undefined && last === undefined) return undefined
  if (first === undefined) {
    const length = Math.min(Number(last), bytes)
    return length === 0 ? null : { start: bytes - length, end: bytes - 1 }
  }
  const [start, end] = [Number(first), Math.min(Number(last ?? Infinity), bytes - 1)]
  if (last !== undefined && Number(last) < start) return undefined
  return start >= bytes ? null : { start, end }
}

/** Whether `If-None-Match` names this entity tag. */
export function matchesEtag(header: string | null, etag: string): boolean {
  return (header ?? '').split(',').some((tag) => {
    const value = tag.trim().replace(/^W\//, '')
    return value === '*' || value === etag
  })
}
