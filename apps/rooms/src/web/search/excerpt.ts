/** A piece of a text, marked if it is one of the words of a search. */
export interface Piece {
  text: string
  isMarked: boolean
}

/** Units of a text before its first mark, and in all, as far as an excerpt shows them. */
const CONTEXT = 60
const LENGTH = 320

const MENTION = /<(?:@([0-9a-f-]{36})|!(here|room))>/g

interface Source {
  /** Text of a message, as written. */
  content: string
  /** Start and length of each match, in order. */
  marks: readonly (readonly [start: number, length: number])[]
  /** Current names of the mentioned people, by id. */
  names: ReadonlyMap<string, string>
}

/**
 * The part of a message around its first match, in one line, without the marks of formats and with
 * the names of mentioned people.
 */
export function excerpt({ content, marks, names }: Source): Piece[] {
  const start = startOf(content, marks[0]?.[0] ?? 0)
  const end = endOf(content, start + LENGTH)
  const pieces: Piece[] = []
  const add = (from: number, to: number, isMarked: boolean) => {
    const text = inOneLine(content.slice(from, to), names)
    if (text !== '') pieces.push({ text, isMarked })
  }
  let at = start
  for (const [markStart, length] of marks) {
    if (markStart < start || markStart + length > end) continue
    add(at, markStart, false)
    at = markStart + length
    add(markStart, at, true)
  }
  add(at, end, false)
  if (start > 0) pieces.unshift({ text: '… ', isMarked: false })
  if (end < content.length) pieces.push({ text: ' …', isMarked: false })
  return pieces
}

function inOneLine(text: string, names: Source['names']): string {
  return text
    .replaceAll(/\*\*|~~|`+/g, '')
    .replaceAll(
      MENTION,
      (_, id: string | undefined, group: string) => `@${id === undefined ? group : (names.get(id) ?? '…')}`,
    )
    .replaceAll(/\s+/g, ' ')
}

/** Begins at a word if one begins near, and never within a character. */
function startOf(content: string, firstMark: number): number {
  if (firstMark <= CONTEXT) return 0
  const at = firstMark - CONTEXT
  const space = content.slice(at, firstMark).search(/\s\S/)
  return space === -1 ? wholeCharacter(content, at) : at + space + 1
}

/** Ends after a word if one ends near, and never within a character. */
function endOf(content: string, at: number): number {
  if (at >= content.length) return content.length
  const space = content.slice(at - CONTEXT, at).search(/\s\S*$/)
  return space === -1 ? wholeCharacter(content, at) : at - CONTEXT + space
}

function wholeCharacter(content: string, at: number): number {
  const isSecondHalf = /^[\udc00-\udfff]/.test(content.slice(at))
  return isSecondHalf ? at - 1 : at
}
