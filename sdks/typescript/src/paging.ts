import { unexpectedAnswer } from './errors.js'

/** One page of a list. */
export interface Page<Item> {
  items: Item[]
  /** How many there are on all pages. */
  total: number
  /** Give it as `cursor` for the next page; undefined on the last one. */
  nextCursor: string | undefined
}

/** The page that came with these headers; throws where it is none. */
export function pageOf<Item>(body: object, headers: Headers): Page<Item> {
  if (!Array.isArray(body)) throw new TypeError('Not a list')
  const total = Number(headers.get('x-total-count') ?? body.length)
  if (!Number.isInteger(total)) throw new TypeError('Not a number')
  return { items: body as Item[], total, nextCursor: nextCursor(headers.get('link')) }
}

/** The cursor in a `Link: <…>; rel="next"` header. */
export function nextCursor(header: string | null): string | undefined {
  const address = /<([^>]*)>\s*;\s*rel="?next"?/.exec(header ?? '')?.[1]
  if (address === undefined) return undefined
  // Only the query counts, so it does not matter whether the address is a whole one.
  return new URL(address, 'http://localhost').searchParams.get('cursor') ?? undefined
}

/** Every item of every page, a page being loaded when the one before is used up. */
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

/** The same for lists that are counted instead of having a cursor. */
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
