import { type ListKey, createCursor, readCursor } from '@latchkey/http/cursor'
import type { Answer, ResponseHeader } from '@latchkey/http/operation'
import { failure } from './failures.ts'

/** Position of the end of a page: all later rows follow in descending order of these fields. */
export interface Position {
  /** Clicks or a time, in lists that are ordered by these before age. */
  value?: number | undefined
  created_at: number
  id: number
}

/** The number of entries on all pages. */
export interface Count {
  total: number
  /** True if there are more entries than the limit up to which they are counted. */
  hasMore?: boolean
}

/** One page of a list, which continues if `next` is set. */
export interface Page<Item> extends Count {
  items: Item[]
  next: string | undefined
  /** Number and size of this page, if pages have numbers. */
  numbered?: { number: number; size: number }
}

/**
 * Cuts candidates to the size of the page. There is one row more than `limit` if there is a next
 * page.
 */
export function cutPage<Row extends Position>(
  listKey: ListKey,
  candidates: readonly Row[],
  limit: number,
): { rows: Row[]; next: string | undefined } {
  const rows = candidates.slice(0, limit)
  const last = candidates.length > limit ? rows.at(-1) : undefined
  const numbers = last && [last.created_at, last.id, ...(last.value === undefined ? [] : [last.value])]
  return { rows, next: numbers && createCursor(listKey, numbers) }
}

/**
 * Returns the start of this page; undefined for the first. Throws 400 for a cursor of another list
 * (L6.7).
 */
export function parseCursor(
  listKey: ListKey,
  cursor: string | undefined,
  by: 'age' | 'value' = 'age',
): Position | undefined {
  if (cursor === undefined) return undefined
  const numbers = readCursor(listKey, cursor)?.split('.') ?? []
  const [created_at, id, value] = numbers.map(Number)
  const length = by === 'age' ? 2 : 3
  const isValid = numbers.length === length && numbers.every((n) => /^\d{1,15}$/.test(n))
  if (!isValid || created_at === undefined || id === undefined) throw failure('cursor_invalid')
  return { created_at, id, value }
}

/** Headers about the rest of a list. */
export const pageHeaders = {
  'X-Total-Count': { type: 'integer', description: 'The total number on all pages.' },
  Link: {
    type: 'string',
    description: 'The URL of the next page, with `rel="next"`; absent on the last page.',
  },
} as const satisfies Record<string, ResponseHeader>

/** Headers of a list whose entries are counted up to a limit. */
export const countedPageHeaders = {
  ...pageHeaders,
  'X-Total-Exact': { type: 'string', description: '`false` if there are more. Absent otherwise.' },
} as const satisfies Record<string, ResponseHeader>

/** Returns the items as a bare array, with the headers that L6.7 requires. */
export function pageAnswer<Item>(
  { items, total, hasMore, next, numbered }: Page<Item>,
  request: Request,
): Answer {
  const headers: Record<string, string> = { 'X-Total-Count': String(total) }
  if (hasMore) headers['X-Total-Exact'] = 'false'
  if (next !== undefined) headers['Link'] = `<${nextPage(request.url, next)}>; rel="next"`
  if (numbered) {
    headers['X-Page'] = String(numbered.number)
    headers['X-Per-Page'] = String(numbered.size)
  }
  return { body: items, headers }
}

/**
 * Returns a relative URL, taken from the raw address, which is no absolute URL without a valid
 * `Host`.
 */
function nextPage(address: string, cursor: string): string {
  const [path, ...query] = address.replace(/^\w+:\/\/[^/]*/, '').split('?')
  const parameters = new URLSearchParams(query.join('?'))
  parameters.set('cursor', cursor)
  return `${path}?${parameters}`
}
