import { type Source, UnreadableFile } from './lines.ts'
import { type UnsupportedKind, fileUnsupported } from './reason.ts'

/** Enough to recognise a kind of file. */
const BEGINNING_BYTES = 4_096

const SIGNATURES: readonly (readonly [kind: UnsupportedKind, signature: string])[] = [
  ['zip', 'PK\x03\x04'],
  ['gzip', '\x1f\x8b'],
  ['sqlite', 'SQLite format 3\0'],
]
const SQL = /^(?:--|\/\*|(?:create|drop)\s+table\s|insert\s+into\s|set\s+(?:names|sql_mode)\b|pragma\s)/i

/**
 * Yields a text file in UTF-8, also one in UTF-16, as Excel saves “Unicode text”. Throws
 * `UnreadableFile` if the file is of a kind that no import reads.
 */
export async function* readTextFile(source: Source): Source {
  const iterator = source[Symbol.asyncIterator]()
  try {
    const beginning = await readBeginning(iterator)
    const encoding = utf16Of(beginning)
    const decoder = encoding && new TextDecoder(encoding)
    const text = (decoder ? new TextDecoder(encoding) : new TextDecoder()).decode(beginning).trimStart()
    const kind = kindOf(beginning, text)
    if (kind) throw new UnreadableFile(fileUnsupported(kind))
    const toUtf8 = (bytes: Uint8Array) =>
      decoder ? Buffer.from(decoder.decode(bytes, { stream: true })) : bytes
    yield toUtf8(beginning)
    for (let next = await iterator.next(); !next.done; next = await iterator.next()) yield toUtf8(next.value)
  } finally {
    await iterator.return?.()
  }
}

async function readBeginning(iterator: AsyncIterator<Uint8Array>): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  for (let size = 0; size < BEGINNING_BYTES; size += chunks.at(-1)?.length ?? 0) {
    const { done, value } = await iterator.next()
    if (done) break
    chunks.push(value)
  }
  return Buffer.concat(chunks)
}

/** A table and JSON begin with an ASCII character, so the place of a zero shows the byte order. */
function utf16Of(bytes: Uint8Array): 'utf-16le' | 'utf-16be' | undefined {
  const [first, second, third, fourth] = bytes
  if ((first === 0xff && second === 0xfe) || (first && second === 0 && third && fourth === 0))
    return 'utf-16le'
  if ((first === 0xfe && second === 0xff) || (first === 0 && second && third === 0 && fourth))
    return 'utf-16be'
  return undefined
}

function kindOf(beginning: Uint8Array, text: string): UnsupportedKind | undefined {
  const bytes = Buffer.from(beginning).toString('latin1')
  const signed = SIGNATURES.find(([, signature]) => bytes.startsWith(signature))
  if (signed) return signed[0]
  if (text.startsWith('<')) return /netscape-bookmark-file/i.test(text) ? 'bookmarks' : 'html'
  return SQL.test(text) ? 'sql' : undefined
}
