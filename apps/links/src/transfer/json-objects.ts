import { MAX_ENTRY_LENGTH, MAX_LEVELS, TOO_DEEP, TOO_LONG, findExcess } from '@latchkey/database/json-excess'
import { NOT_TEXT, type Read, type Source, Unreadable } from './lines.ts'

const BREAKS_OFF = 'the JSON breaks off here'
const NO_ENTRIES = 'the file has no entries where this format has them'

/**
 * The objects that a list holds, one at a time, however long it is: of a file with one or several JSON answers, as an API
 * gives them page by page. `path` are the names that lead to the list (whose own entries may be named, too); a list at the
 * top is taken in any case. Numbered by entry, since such files often are one line.
 */
export async function* readJsonObjects(
  source: Source,
  path: readonly string[],
): AsyncGenerator<Read<Record<string, unknown>>> {
  const scanner = new Scanner(path)
  const decoder = new TextDecoder('utf-8', { fatal: true })
  let entry = 0
  const numbered = (found: Found) => ({ line: ++entry, ...found })
  try {
    for await (const bytes of source)
      for (const found of scanner.take(decoder.decode(bytes, { stream: true }))) yield numbered(found)
    for (const found of scanner.take(decoder.decode())) yield numbered(found)
  } catch (error) {
    const problem = unreadable(error)
    if (problem === undefined) throw error
    yield numbered({ problem })
    return
  }
  if (scanner.isOpen) yield numbered({ problem: BREAKS_OFF })
  else if (entry === 0 && !scanner.sawList) yield numbered({ problem: NO_ENTRIES })
}

function unreadable(error: unknown): string | undefined {
  if (error instanceof Unreadable) return error.message
  // Of the decoder, which throws nothing else.
  return error instanceof TypeError ? NOT_TEXT : undefined
}

type Found = { value: Record<string, unknown> } | { problem: string }

/** An array or object around the entries. */
interface Container {
  isObject: boolean
  /** How many names of the path lead here; undefined beside the path. */
  steps: number | undefined
  /** The name before the value that comes next. */
  name: string | undefined
}

/** What matters outside of strings; everything between is left to the parser. */
const STRUCTURE = /["{}[\],]/g
const STRING_END = /["\\]/g

class Scanner {
  /** Whether there was a list to have entries. */
  sawList = false
  readonly #path: readonly string[]
  readonly #around: Container[] = []
  /** Pieces of the entry that is being read, and how many brackets are open in it. */
  #entry: string[] | undefined
  #entrySize = 0
  #depth = 0
  #inString = false
  #isEscaped = false
  /** The string that is being read, around the entries: it may be a name. */
  #string = ''

  constructor(path: readonly string[]) {
    this.#path = path
  }

  get isOpen(): boolean {
    return this.#around.length > 0 || this.#entry !== undefined
  }

  *take(text: string): Generator<Found> {
    let from = 0
    for (let at = 0; at < text.length;) {
      if (this.#inString) {
        at = this.#passString(text, at)
        continue
      }
      // `test` leaves nothing behind for each bracket of a hostile file.
      STRUCTURE.lastIndex = at
      if (!STRUCTURE.test(text)) break
      at = STRUCTURE.lastIndex
      const char = text.charAt(at - 1)
      if (this.#entry === undefined) {
        if (this.#meet(char)) from = at - 1
      } else if (this.#step(char)) {
        yield this.#finish(text.slice(from, at))
      }
    }
    this.#keep(text.slice(from))
  }

  /** Passes what is left of a string; returns where it ends in this piece. */
  #passString(text: string, from: number): number {
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
        if (this.#entry === undefined) this.#name(this.#string + text.slice(from, at - 1))
        this.#inString = false
        return at
      }
    }
    // Of a name that is longer, no more is needed to tell it from those of the path.
    if (this.#entry === undefined && this.#string.length < MAX_ENTRY_LENGTH) this.#string += text.slice(from)
    return text.length
  }

  #name(string: string): void {
    this.#string = ''
    const container = this.#around.at(-1)
    if (container) container.name = string
  }

  /** Around the entries; true when one begins. */
  #meet(char: string): boolean {
    const container = this.#around.at(-1)
    if (char === '"') this.#inString = true
    else if (char === ',' && container) container.name = undefined
    else if (char === '}' || char === ']') this.#around.pop()
    else if (char === '{' && this.#holdsEntries(container)) return this.#begin()
    else if (char === '{' || char === '[') this.#enter(char === '{', container)
    return false
  }

  #holdsEntries(container: Container | undefined): boolean {
    if (!container) return this.#path.length === 0
    // The list may be at the top whatever the path is, as `jq -s` leaves it.
    return container.steps === this.#path.length || (!container.isObject && this.#around.length === 1)
  }

  #enter(isObject: boolean, parent: Container | undefined): void {
    if (this.#around.length >= MAX_LEVELS) throw new Unreadable(TOO_DEEP)
    const leads = parent?.isObject && parent.steps !== undefined && parent.name === this.#path[parent.steps]
    const steps = parent ? (leads ? (parent.steps ?? 0) + 1 : undefined) : 0
    const container = { isObject, steps, name: undefined }
    this.#around.push(container)
    this.sawList ||= this.#holdsEntries(container)
  }

  #begin(): true {
    this.#entry = []
    this.#entrySize = 0
    this.#depth = 1
    return true
  }

  /** Within an entry; true when it ends. */
  #step(char: string): boolean {
    if (char === '"') this.#inString = true
    else if (char === '{' || char === '[') this.#depth++
    else if (char === '}' || char === ']') this.#depth--
    return this.#depth === 0
  }

  #keep(piece: string): void {
    if (this.#entry === undefined) return
    this.#entrySize += piece.length
    // What is too long is passed over to its end, not kept.
    if (this.#entrySize <= MAX_ENTRY_LENGTH) this.#entry.push(piece)
  }

  #finish(piece: string): Found {
    this.#keep(piece)
    const text = (this.#entry ?? []).join('')
    this.#entry = undefined
    const excess = this.#entrySize > MAX_ENTRY_LENGTH ? TOO_LONG : findExcess(text)
    if (excess !== undefined) return { problem: excess }
    try {
      return { value: JSON.parse(text) as Record<string, unknown> }
    } catch {
      return { problem: 'is not a JSON object' }
    }
  }
}
