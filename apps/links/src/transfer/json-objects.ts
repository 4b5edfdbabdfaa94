import { MAX_ENTRY_LENGTH, MAX_LEVELS } from '@latchkey/database/json-excess'
import { type ParsedLine, type Source, UnreadableFile, decode, parseObject } from './lines.ts'
import { ENTRY_TOO_DEEP, ENTRY_TOO_LONG, type Reason } from './reason.ts'

const TRUNCATED: Reason = { code: 'json_truncated', text: 'the JSON ends unexpectedly here' }
const NO_ENTRIES: Reason = {
  code: 'entries_missing',
  text: 'the file has no links in this format',
}

/**
 * Yields the objects of a list one at a time, in a list of any length. The file contains one or
 * several JSON answers, as an API returns them page by page. `path` contains the names on the way
 * to the list, whose own entries may be named, too. A top-level list is accepted with any path.
 * Objects are numbered by entry, because such files are often one line.
 */
export async function* readJsonObjects(
  source: Source,
  path: readonly string[],
): AsyncGenerator<ParsedLine<Record<string, unknown>>> {
  const scanner = new Scanner(path)
  let entry = 0
  const toLine = (entryResult: EntryResult) => ({ line: ++entry, ...entryResult })
  try {
    // A character per byte: malformed UTF-8 then affects only its own entry.
    for await (const bytes of source)
      for (const entryResult of scanner.push(latin1(bytes))) yield toLine(entryResult)
  } catch (error) {
    if (!(error instanceof UnreadableFile)) throw error
    yield toLine({ problem: error.reason })
    return
  }
  if (scanner.isOpen) yield toLine({ problem: TRUNCATED })
  else if (entry === 0 && !scanner.hasList) yield toLine({ problem: NO_ENTRIES })
}

function latin1({ buffer, byteOffset, length }: Uint8Array): string {
  return Buffer.from(buffer, byteOffset, length).toString('latin1')
}

type EntryResult = { value: Record<string, unknown> } | { problem: Reason }

/** An array or object around the entries. */
interface Container {
  isObject: boolean
  /** Number of names of the path that lead here; undefined outside the path. */
  steps: number | undefined
  /** The name before the next value. */
  name: string | undefined
}

/** Structure outside strings. The parser handles everything between. */
const STRUCTURE = /["{}[\],]/g
const STRING_END = /["\\]/g

class Scanner {
  /** Whether there was a list of entries. */
  hasList = false
  readonly #path: readonly string[]
  readonly #containers: Container[] = []
  /** Chunks of the current entry, and the number of its open brackets. */
  #entry: string[] | undefined
  #entrySize = 0
  #depth = 0
  #inString = false
  #isEscaped = false
  /** The current string around the entries, which may be a name. */
  #string = ''

  constructor(path: readonly string[]) {
    this.#path = path
  }

  get isOpen(): boolean {
    return this.#containers.length > 0 || this.#entry !== undefined
  }

  *push(text: string): Generator<EntryResult> {
    let from = 0
    for (let at = 0; at < text.length;) {
      if (this.#inString) {
        at = this.#skipString(text, at)
        continue
      }
      // Unlike `exec`, `test` allocates nothing for each bracket of a hostile file.
      STRUCTURE.lastIndex = at
      if (!STRUCTURE.test(text)) break
      at = STRUCTURE.lastIndex
      const char = text.charAt(at - 1)
      if (this.#entry === undefined) {
        if (this.#readStructure(char)) from = at - 1
      } else if (this.#trackDepth(char)) {
        yield this.#finishEntry(text.slice(from, at))
      }
    }
    this.#appendText(text.slice(from))
  }

  /** Skips the rest of a string; returns its end in this chunk. */
  #skipString(text: string, from: number): number {
    let at = from
    if (this.#isEscaped) {
      this.#isEscaped = false
      at++
    }
    for (;;) {
      STRING_END.lastIndex = at
      if (!STRING_END.test(text)) break
      at = STRING_END.lastIndex
      if (text[at - 1] === '\\') {
        if (at === text.length) this.#isEscaped = true
        at++
      } else {
        if (this.#entry === undefined) this.#setName(this.#string + text.slice(from, at - 1))
        this.#inString = false
        return at
      }
    }
    // A longer name needs no more than this to differ from those of the path.
    if (this.#entry === undefined && this.#string.length < MAX_ENTRY_LENGTH) this.#string += text.slice(from)
    return text.length
  }

  #setName(string: string): void {
    this.#string = ''
    const container = this.#containers.at(-1)
    if (container) container.name = string
  }

  /** Reads the structure around the entries; true if an entry begins. */
  #readStructure(char: string): boolean {
    const container = this.#containers.at(-1)
    if (char === '"') this.#inString = true
    else if (char === ',' && container) container.name = undefined
    else if (char === '}' || char === ']') this.#containers.pop()
    else if (char === '{' && this.#holdsEntries(container)) return this.#startEntry()
    else if (char === '{' || char === '[') this.#openContainer(char === '{', container)
    return false
  }

  #holdsEntries(container: Container | undefined): boolean {
    if (!container) return this.#path.length === 0
    // With any path, the list may be at the top, as `jq -s` leaves it.
    return container.steps === this.#path.length || (!container.isObject && this.#containers.length === 1)
  }

  #openContainer(isObject: boolean, parent: Container | undefined): void {
    if (this.#containers.length >= MAX_LEVELS) throw new UnreadableFile(ENTRY_TOO_DEEP)
    const isOnPath =
      parent?.isObject && parent.steps !== undefined && parent.name === this.#path[parent.steps]
    const steps = parent ? (isOnPath ? (parent.steps ?? 0) + 1 : undefined) : 0
    const container = { isObject, steps, name: undefined }
    this.#containers.push(container)
    this.hasList ||= this.#holdsEntries(container)
  }

  #startEntry(): true {
    this.#entry = []
    this.#entrySize = 0
    this.#depth = 1
    return true
  }

  /** Tracks the brackets of an entry; true if it ends. */
  #trackDepth(char: string): boolean {
    if (char === '"') this.#inString = true
    else if (char === '{' || char === '[') this.#depth++
    else if (char === '}' || char === ']') this.#depth--
    return this.#depth === 0
  }

  #appendText(part: string): void {
    if (this.#entry === undefined) return
    this.#entrySize += part.length
    // An entry that is too long is skipped to its end, not stored.
    if (this.#entrySize <= MAX_ENTRY_LENGTH) this.#entry.push(part)
  }

  #finishEntry(part: string): EntryResult {
    this.#appendText(part)
    const text = (this.#entry ?? []).join('')
    this.#entry = undefined
    return this.#entrySize > MAX_ENTRY_LENGTH
      ? { problem: ENTRY_TOO_LONG }
      : parseObject(decode(Buffer.from(text, 'latin1')))
  }
}
