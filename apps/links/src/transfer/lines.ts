/** One line of a file, or one record of a CSV file, numbered by the line it begins on; or why it cannot be read. */
export type Read<Value> = { line: number } & ({ value: Value } | { problem: string })

/** A file in pieces of any size: a stream of a file, of stdin or of a request. */
export type Source = AsyncIterable<Uint8Array>

/** A Link object with a hundred thousand slugs fits; a file without line ends must not fill the memory. */
export const LONGEST_LINE = 16 * 1024 ** 2

/** What follows in the file cannot be read; what came before can. */
export class Unreadable extends Error {
  override readonly name = 'Unreadable'
}

/** Decodes the source; its byte order mark is dropped. Throws `Unreadable`. */
export async function* textOf(source: Source): AsyncGenerator<string> {
  const decoder = new TextDecoder('utf-8', { fatal: true })
  for await (const bytes of source) yield decode(() => decoder.decode(bytes, { stream: true }))
  yield decode(() => decoder.decode())
}

function decode(piece: () => string): string {
  try {
    return piece()
  } catch {
    throw new Unreadable(
      'from about here on the file is not UTF-8 text; save it as UTF-8 and import it again',
    )
  }
}

/** The objects of a file with one JSON object a line; blank lines are passed over. */
export async function* readJsonLines(source: Source): AsyncGenerator<Read<Record<string, unknown>>> {
  let line = 0
  try {
    for await (const text of linesOf(source)) {
      line++
      if (text.trim() !== '') yield { line, ...parseObject(text) }
    }
  } catch (error) {
    if (!(error instanceof Unreadable)) throw error
    yield { line: line + 1, problem: error.message }
  }
}

async function* linesOf(source: Source): AsyncGenerator<string> {
  let rest = ''
  for await (const text of textOf(source)) {
    const pieces = text.split('\n')
    pieces[0] = rest + (pieces[0] ?? '')
    rest = pieces.pop() ?? ''
    yield* pieces
    if (rest.length > LONGEST_LINE) throw new Unreadable('the line is too long to be a link or a click')
  }
  if (rest !== '') yield rest
}

function parseObject(text: string): { value: Record<string, unknown> } | { problem: string } {
  try {
    const value: unknown = JSON.parse(text)
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return { value: value as Record<string, unknown> }
  } catch {
    // Told apart from other JSON by nothing a reader could use.
  }
  return { problem: 'is not a JSON object' }
}
