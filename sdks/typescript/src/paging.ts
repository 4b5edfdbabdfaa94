import { unexpectedAnswer } from './errors.js'

/** One page of a list. */
export interface Page<Item> {
  items: Item[]
  /** Number of items on all pages. */
  total: number
  /** The `cursor` of the next page. Undefined on the last page. */
  nextCursor: string | undefined
}

/** Returns the page in an answer. Throws if the body is not a list or the total not an integer. */
export function pageOf<Item>(body: object, headers: Headers): Page<Item> {
  if (!Array.isArray(body)) throw new TypeError('Not a list')
  const total = Number(headers.get('x-total-count') ?? body.length)
  if (!Number.isInteger(total)) throw new TypeError('Not a number')
  return { items: body as Item[], total, nextCursor: nextCursor(headers.get('link')) }
}

/** Returns the cursor in a `Link: <…>; rel="next"` header. */
export function nextCursor(header: string | null): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(header ?? '')?.[1]
  if (address === undefined) return undefined
  // Only the query matters, so the address may be relative.
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined
}

/** Yields the items of all pages. Loads a page once the previous one is consumed. */
export async function* walkByCursor<Item>(
  load: (cursor: string | undefined) => Promise<Page<Item>>,
  first: string | undefined,
): AsyncGenerator<Item, void, undefined> {
  let cursor = first
  do {
    const page = await load(cursor)
    yield* page.items
    cursor = page.nextCursor
  } while (cursor !== undefined)
}

/** Like `walkByCursor`, for lists that are paged by offset. */
export async function* walkByOffset<Item>(
  load: (offset: number) => Promise<{ items: Item[]; total: number }>,
  first: number,
): AsyncGenerator<Item, void, undefined> {
  let offset = Math.max(0, first)
  for (;;) {
    const { items, total } = await load(offset)
    if (!Array.isArray(items)) throw unexpectedAnswer(200)
    yield* items
    offset += items.length
    if (items.length === 0 || offset >= total) return
  }
}
