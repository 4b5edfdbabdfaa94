import { type ListKey, createCursor, readCursor } from '@latchkey/http/cursor'
import { type SelectQueryBuilder, type SqlBool, type StringReference, sql } from 'kysely'
import { z } from 'zod'
import { failure } from './failures.ts'

/** Last row of a page. The next page begins after it, in the order of these columns. */
export interface Position {
  created_at: number
  id: string
}

/** Schema of a whole number in a query string, within inclusive limits. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max } as z.core.GlobalMeta)
}

/** Highest sequence number of a room that a query may name. */
export const MAX_SEQ = 999_999_999

export const PAGE_LIMIT = 'The most entries of a page.'

/** Parameters of every list (R16.1). */
export const PageQuery = z.object({
  limit: wholeNumber(1, 100).default(50).meta({ description: PAGE_LIMIT }),
  cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page.' }),
})

export const NextCursor = z.string().nullable().meta({ description: 'Null on the last page.' })

/**
 * One page of a list. `find` is called for one row more than the page holds, which shows whether
 * there is a next page. Throws 400 for a cursor of another list.
 */
export async function findPage<Row extends Position>(
  list: ListKey,
  { cursor, limit }: z.output<typeof PageQuery>,
  find: (after: Position | undefined, limit: number) => Promise<readonly Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const candidates = await find(positionOf(list, cursor), limit + 1)
  const rows = candidates.slice(0, limit)
  const last = candidates.length > limit ? rows.at(-1) : undefined
  return { rows, nextCursor: last ? createCursor(list, [last.created_at, last.id]) : null }
}

/** Parameters of lists in the order of a room's sequence numbers. */
export const SeqPageQuery = PageQuery.extend({
  cursor: wholeNumber(0, MAX_SEQ).default(0).meta({ description: '`nextCursor` of the previous page.' }),
})

/** Returns a page of rows in the order of their sequence numbers. */
export async function findSeqPage<Row extends { seq: number }>(
  { cursor, limit }: z.output<typeof SeqPageQuery>,
  find: (afterSeq: number, limit: number) => Promise<readonly Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const candidates = await find(cursor, limit + 1)
  const rows = candidates.slice(0, limit)
  const last = candidates.length > limit ? rows.at(-1) : undefined
  return { rows, nextCursor: last ? String(last.seq) : null }
}

/** Start of this page; undefined for the first page. */
function positionOf(list: ListKey, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const { at, id } = POSITION.exec(readCursor(list, cursor) ?? '')?.groups ?? {}
  if (id === undefined)
    throw failure('invalid_request', {
      text: 'cursor: does not belong to this list',
      fields: [{ path: 'cursor', code: 'custom' }],
    })
  return { created_at: Number(at), id }
}

const POSITION = /^(?<at>\d{1,15})\.(?<id>[0-9a-f-]{36})$/

/**
 * Orders by these columns and continues after `after`. Both columns are compared as one row value,
 * which uses an index on both engines.
 */
export function pageOf<DB, TB extends keyof DB, Row>(
  query: SelectQueryBuilder<DB, TB, Row>,
  [created, id, direction]: readonly [StringReference<DB, TB>, StringReference<DB, TB>, 'asc' | 'desc'],
  after: Position | undefined,
  limit: number,
): SelectQueryBuilder<DB, TB, Row> {
  const [first, second] = [sql.ref(created), sql.ref(id)]
  const page = query.orderBy(first, direction).orderBy(second, direction).limit(limit)
  if (!after) return page
  const comesAfter = sql.raw(direction === 'asc' ? '>' : '<')
  return page.where(sql<SqlBool>`(${first}, ${second}) ${comesAfter} (${after.created_at}, ${after.id})`)
}
