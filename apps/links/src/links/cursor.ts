import { failure } from '../failures.ts'
import type { LinkQuery } from './schema.ts'
import type { Position } from './store.ts'

/** A short fingerprint of everything that decides which links are listed in which order; `limit` may change. */
function fingerprint({ owner, range, search, status, sort }: LinkQuery): string {
  return Bun.hash
    .xxHash32(JSON.stringify([owner ?? '', range, search?.trim() ?? '', status, sort]))
    .toString(36)
}

/** Says where the next page begins. Opaque to clients. */
export function cursorOf(query: LinkQuery, last: Position): string {
  const position = [last.created_at, last.id, ...(last.clicks === undefined ? [] : [last.clicks])]
  return Buffer.from([fingerprint(query), ...position].join('.')).toString('base64url')
}

/** Where this page begins; undefined for the first. 400 for a cursor that was not made for this query. */
export function positionOf(query: LinkQuery): Position | undefined {
  if (query.cursor === undefined) return undefined
  const [mark, ...numbers] = Buffer.from(query.cursor, 'base64url').toString().split('.')
  const [created_at, id, clicks] = numbers.map(Number)
  const expected = query.sort === 'clicks' ? 3 : 2
  const fits =
    mark === fingerprint(query) && numbers.length === expected && numbers.every((n) => /^\d{1,15}$/.test(n))
  if (!fits || created_at === undefined || id === undefined) throw failure('cursor')
  return { created_at, id, clicks }
}
