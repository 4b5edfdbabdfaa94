import { foldText } from '@latchkey/http/fold'

/** A word of a text as the index has it. */
interface Word {
  /** Folded letters, digits and marks, or one symbol. No white space and no ASCII punctuation. */
  key: string
  /** Place in the text, in UTF-16 units. */
  start: number
  length: number
  /** `unspaced`: a few characters of a text without spaces; `tail`: the last ones, which the key before them has. */
  kind: 'spaced' | 'unspaced' | 'tail'
}

/** Part of a text, in UTF-16 units. */
export type Mark = [start: number, length: number]

/** Letters, marks and digits of scripts that do not separate words by spaces. */
const UNSPACED = String.raw`[[\p{scx=Hani}\p{scx=Hira}\p{scx=Kana}\p{scx=Thai}\p{scx=Laoo}\p{scx=Khmr}\p{scx=Mymr}]&&[\p{L}\p{M}\p{N}]]`
/** Characters without a glyph, such as a zero-width space, do not separate words. */
const IGNORED = String.raw`\p{Default_Ignorable_Code_Point}`
/** Letters that are written like an apostrophe, as in the Ukrainian мʼята. */
const APOSTROPHES = String.raw`[\u02bb\u02bc]`
const RUNS = new RegExp(
  String.raw`(?<unspaced>${UNSPACED}[${UNSPACED}${IGNORED}]*)|[[\p{L}\p{M}\p{N}${IGNORED}]--${UNSPACED}--${APOSTROPHES}]+|\p{RI}{2}|\p{Extended_Pictographic}`,
  'gv',
)
/** Compatibility characters can decompose into punctuation and white space. */
const NOT_IN_WORDS = /[^\p{L}\p{M}\p{N}\p{RI}\p{Extended_Pictographic}]|\p{Default_Ignorable_Code_Point}/gu

/** A mention contains an id instead of a name. */
const MENTION = /<@[0-9a-f-]{36}>/g

/** Further characters do not distinguish words. */
const MAX_LENGTH = 64

/**
 * Characters of a key of a script without spaces. Such a text has a key at each of its characters,
 * so any part of it is found.
 */
const UNSPACED_LENGTH = 3
/** UTF-16 units that have so many characters after folding, and some more. */
const UNSPACED_UNITS = 12

function foldWord(run: string): string {
  return foldText(run).replaceAll(NOT_IN_WORDS, '')
}

/** Characters that belong to the one before them. */
const CONTINUES = /^[\p{M}\p{Default_Ignorable_Code_Point}]/u

function characters(text: string): number {
  return Array.from(text).length
}

function firstCharacters(text: string, count: number): string {
  return text.length <= count ? text : Array.from(text).slice(0, count).join('')
}

/** Words in the order of the text. */
function* wordsOf(text: string): Generator<Word> {
  const withoutMentions = text.replaceAll(MENTION, (mention) => ' '.repeat(mention.length))
  for (const { 0: run, index: start, groups } of withoutMentions.matchAll(RUNS)) {
    if (groups?.['unspaced'] !== undefined) yield* unspacedWords(run, start)
    else {
      const key = firstCharacters(foldWord(run), MAX_LENGTH)
      if (key !== '') yield { key, start, length: run.length, kind: 'spaced' }
    }
  }
}

function* unspacedWords(run: string, start: number): Generator<Word> {
  let at = 0
  for (const character of run) {
    const key = firstCharacters(foldWord(run.slice(at, at + UNSPACED_UNITS)), UNSPACED_LENGTH)
    const isTail = at > 0 && characters(key) < UNSPACED_LENGTH
    if (!CONTINUES.test(character) && key !== '')
      yield { key, start: start + at, length: run.length - at, kind: isTail ? 'tail' : 'unspaced' }
    at += character.length
  }
}

/** Further words of a search do not narrow it. */
const MAX_SEARCHED = 16

/**
 * The different words of a search. A message matches if each of them is the beginning of one of its
 * words.
 */
export function searchedWords(search: string): string[] {
  const keys = new Set<string>()
  for (const { key, kind } of wordsOf(search)) {
    if (kind !== 'tail') keys.add(key)
    if (keys.size === MAX_SEARCHED) break
  }
  return [...keys]
}

/** Further different words of a message are not found. PostgreSQL indexes at most 1 MB of a row. */
const MAX_INDEXED = 2_000

/** The different words of a message. */
export function indexedWords(content: string): ReadonlySet<string> {
  const keys = new Set<string>()
  for (const { key } of wordsOf(content)) {
    keys.add(key)
    if (keys.size === MAX_INDEXED) break
  }
  return keys
}

/** The parts of a text that match words of a search, in order. They do not overlap. */
export function findMarks(text: string, searched: readonly string[]): Mark[] {
  const marks: Mark[] = []
  for (const word of wordsOf(text)) {
    const matching = searched.filter((prefix) => word.key.startsWith(prefix))
    if (matching.length === 0) continue
    const { start } = word
    const length =
      word.kind === 'spaced'
        ? word.length
        : Math.max(...matching.map((prefix) => lengthOf(text, word, prefix)))
    const last = marks.at(-1)
    if (last && start <= last[0] + last[1]) last[1] = Math.max(last[1], start + length - last[0])
    else marks.push([start, length])
  }
  return marks
}

/** Units of the beginning of a word without spaces that has this key. */
function lengthOf(text: string, { start, length }: Word, key: string): number {
  let units = 0
  for (const character of text.slice(start, start + length)) {
    units += character.length
    if (foldWord(text.slice(start, start + units)).startsWith(key)) break
  }
  return units
}
