/** The most rows in the page, however many are known. R35.4 allows 300; fewer are drawn faster. */
export const MAX_ROWS = 160
/** Rows at first, and those added at once: few, or their rendering would be noticed. */
const INITIAL_ROWS = 100
const STEP = 20
/** Characters of a message, marks and addresses in it, and reactions to it that take as long as another row. */
const ROW_LENGTH = 250
const ROW_MARKS = 16
const ROW_ADDRESSES = 4
const ROW_REACTIONS = 4
/** What may begin a part of a message with an element of its own. */
const MARKS = /[*_~`[<\n]/g
const ADDRESSES = /https?:/gi

/** Keys of the first and last row in the page. Null follows the newest rows. */
export interface RowWindow {
  first: string | null
  last: string | null
}

/** The newest rows, and those that follow. */
export const NEWEST: RowWindow = { first: null, last: null }

interface Keyed {
  key: string
  type?: string
  message?: { content: string | null; reactions: readonly unknown[] }
}

function weightOf({ message }: Keyed): number {
  const content = message?.content ?? ''
  const count = (part: RegExp) => content.match(part)?.length ?? 0
  return Math.floor(
    1 +
      content.length / ROW_LENGTH +
      count(MARKS) / ROW_MARKS +
      count(ADDRESSES) / ROW_ADDRESSES +
      (message?.reactions.length ?? 0) / ROW_REACTIONS,
  )
}

/**
 * Number of rows before `at`, or from it on, that take as long as `rows` short ones. At least one.
 */
function countAbove(all: readonly Keyed[], at: number, rows: number): number {
  let count = 0
  for (let left = rows; left > 0 && count < at; count++) left -= weightOf(all[at - count - 1] ?? { key: '' })
  return count
}

function countBelow(all: readonly Keyed[], at: number, rows: number): number {
  let count = 0
  for (let left = rows; left > 0 && at + count < all.length; count++)
    left -= weightOf(all[at + count] ?? { key: '' })
  return count
}

/** True for the beginning of a day or of new messages, which belongs to the row below it. */
const isSeparator = (row: Keyed | undefined) => row?.type === 'day' || row?.type === 'new'

interface Range {
  start: number
  end: number
}

/** Range of the rows in the page. Rows that were removed count as unset. */
export function rangeOf(rows: readonly Keyed[], { first, last }: RowWindow): Range {
  const lastAt = last === null ? -1 : rows.findIndex(({ key }) => key === last)
  const end = lastAt === -1 ? rows.length : lastAt + 1
  const firstAt = first === null ? -1 : rows.findIndex(({ key }) => key === first)
  let start = firstAt === -1 || firstAt >= end ? end - countAbove(rows, end, INITIAL_ROWS) : firstAt
  while (isSeparator(rows[start - 1])) start--
  return { start, end: Math.min(end, start + MAX_ROWS) }
}

/** Window with more rows above, and fewer below if there are too many. */
export function extendUp(rows: readonly Keyed[], { start, end }: Range): RowWindow {
  const above = start - countAbove(rows, start, STEP)
  return windowOf(rows, { start: above, end: Math.min(end, above + MAX_ROWS) })
}

/** Window with more rows below, and fewer above if there are too many. */
export function extendDown(rows: readonly Keyed[], { start, end }: Range): RowWindow {
  const below = end + countBelow(rows, end, STEP)
  return windowOf(rows, { start: Math.max(start, below - MAX_ROWS), end: below })
}

/** Window with this row in its middle. */
export function windowAround(rows: readonly Keyed[], key: string): RowWindow {
  const at = Math.max(
    0,
    rows.findIndex((row) => row.key === key),
  )
  const half = INITIAL_ROWS / 2
  return windowOf(rows, { start: at - countAbove(rows, at, half), end: at + countBelow(rows, at, half) })
}

function windowOf(rows: readonly Keyed[], { start, end }: Range): RowWindow {
  let first = start
  // Separators come and go with the rows above them.
  while (isSeparator(rows[first])) first++
  return {
    first: rows[first]?.key ?? null,
    last: end === rows.length ? null : (rows[end - 1]?.key ?? null),
  }
}
