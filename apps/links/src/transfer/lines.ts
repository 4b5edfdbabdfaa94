import { MAX_ENTRY_LENGTH } from '@latchkey/database/json-excess'
import { ENTRY_TOO_LONG, NOT_JSON, NOT_UTF8, type Reason, findExcessReason } from './reason.ts'

/**
 * One line of a file, or one record of a CSV file, with the number of its first line; or its
 * problem.
 */
export type ParsedLine<Value> = { line: number } & ({ value: Value } | { problem: Reason })

/** A file in chunks of any size: a stream of a file, of stdin or of a request. */
export type Source = AsyncIterable<Uint8Array>

/** The rest of the file cannot be read. The part before it is valid. */
export class UnreadableFile extends Error {
  override readonly name = 'Unreadable'
  readonly reason: Reason

  constructor(reason: Reason) {
    super(reason.text)
    this.reason = reason
  }
}

const [LF, CR] = [10, 13]

/**
 * Returns the first non-blank character of the file, and the whole file. Read only the returned
 * source.
 */
export async function firstCharacter(source: Source): Promise<[string | undefined, Source]> {
  const iterator = source[Symbol.asyncIterator]()
  const chunks: Uint8Array[] = []
  let first: string | undefined
  // A file with more leading blanks has no readable entries.
  for (let size = 0; first === undefined && size <= MAX_ENTRY_LENGTH; size += chunks.at(-1)?.length ?? 0) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
    first = new TextDecoder().decode(value).trim()[0]
  }
  return [first, replay(chunks, iterator)]
}

async function* replay(chunks: readonly Uint8Array[], rest: AsyncIterator<Uint8Array>): Source {
  try {
    yield* chunks
    for (let next = await rest.next(); !next.done; next = await rest.next()) yield next.value
  } finally {
    await rest.return?.()
  }
}

/**
 * Decodes the source in whole lines, without its byte order mark. Bytes that are not UTF-8 become
 * NUL.
 */
export async function* textOf(source: Source): AsyncGenerator<string> {
  let isFirst = true
  for await (const bytes of wholeLines(source)) {
    const text = decode(bytes)
    yield isFirst && text.startsWith('\ufeff') ? text.slice(1) : text
    isFirst = false
  }
}

async function* wholeLines(source: Source): AsyncGenerator<Uint8Array> {
  let pending: Uint8Array[] = []
  let size = 0
  for await (const bytes of source) {
    const end = Math.max(bytes.lastIndexOf(LF), bytes.lastIndexOf(CR)) + 1
    if (end > 0) {
      yield Buffer.concat([...pending, bytes.subarray(0, end)])
      pending = []
      size = 0
    }
    pending.push(bytes.subarray(end))
    size += bytes.length - end
    if (size > MAX_ENTRY_LENGTH) {
      const text = `${ENTRY_TOO_LONG.text}, and nothing after it is read`
      throw new UnreadableFile({ ...ENTRY_TOO_LONG, text })
    }
  }
  yield Buffer.concat(pending)
}

/** Decodes UTF-8. Each malformed part becomes a NUL, which no field accepts. */
export function decode(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    const end = bytes.indexOf(LF) + 1
    const isOneLine = end === 0 || end === bytes.length
    return isOneLine
      ? new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes).replaceAll('\ufffd', '\0')
      : linesOfBytes(bytes).map(decode).join('')
  }
}

function linesOfBytes(bytes: Uint8Array): Uint8Array[] {
  const lines: Uint8Array[] = []
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(LF, at) + 1 || bytes.length
    lines.push(bytes.subarray(at, end))
    at = end
  }
  return lines
}

/** Reads the objects of a file with one JSON object per line; blank lines are skipped. */
export async function* readJsonLines(source: Source): AsyncGenerator<ParsedLine<Record<string, unknown>>> {
  let line = 0
  try {
    for await (const text of linesOf(source)) {
      line++
      if (text.trim() !== '') yield { line, ...parseObject(text) }
    }
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    yield { line: line + 1, problem: error.reason }
  }
}

async function* linesOf(source: Source): AsyncGenerator<string> {
  let rest = ''
  for await (const text of textOf(source)) {
    const pieces = text.split('\n')
    pieces[0] = rest + (pieces[0] ?? '')
    rest = pieces.pop() ?? ''
    yield* pieces
  }
  if (rest !== '') yield rest
}

/** Parses an entry, whose malformed bytes are NUL. */
export function parseObject(text: string): { value: Record<string, unknown> } | { problem: Reason } {
  const excess = findExcessReason(text)
  if (excess !== undefined) return { problem: excess }
  try {
    const value: unknown = JSON.parse(text.replaceAll('\0', '\\u0000'))
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
  } catch {
    // Invalid JSON gets the same message as JSON of another kind: the difference would not help the
    // reader.
  }
  return { problem: text.includes('\0') ? NOT_UTF8 : NOT_JSON }
}
