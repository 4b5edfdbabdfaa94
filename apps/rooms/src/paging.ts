import { type SelectQueryBuilder, type SqlBool, type StringReference, sql } from 'kysely'
import { z } from 'zod'
import { failure } from './failures.ts'

/** Where a page ends: everything after it comes later in the list's order by these. */
export interface Position {
  created_at: number
  id: string
}

/** Everything that decides what is listed; a cursor is only good for the same list. */
type List = readonly (string | number | undefined)[]

/** A whole number in a query string, within both bounds. */
export function wholeNumber(min: number, max: number) {
  return z
    .string()
    .regex(/^\d{1,9}$/, 'must be a whole number')
    .transform(Number)
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max } as z.core.GlobalMeta)
}

/** What every list takes (R16.1). */
export const PageQuery = z.object({
  limit: wholeNumber(1, 100).default(50),
  cursor: z.string().optional().meta({ description: '`nextCursor` of the previous page.' }),
})

export const NextCursor = z.string().nullable().meta({ description: 'Null on the last page.' })

function fingerprint(list: List): string {
  return Bun.hash.xxHash32(JSON.stringify(list)).toString(36)
}

/**
 * One page of a list. `find` is asked for one row more than the page holds, which tells whether there is a next one.
 * 400 for a cursor that was not made for this list.
 */
export async function findPage<Row extends Position>(
  list: List,
  { cursor, limit }: z.output<typeof PageQuery>,
  find: (after: Position | undefined, limit: number) => Promise<readonly Row[]>,
): Promise<{ rows: Row[]; nextCursor: string | null }> {
  const found = await find(positionOf(list, cursor), limit + 1)
  const rows = found.slice(0, limit)
  const last = found.length > limit ? rows.at(-1) : undefined
  if (!last) return { rows, nextCursor: null }
  const mark = [fingerprint(list), last.created_at, last.id].join('.')
  return { rows, nextCursor: Buffer.from(mark).toString('base64url') }
}

/** Where this page begins; undefined for the first. */
function positionOf(list: List, cursor: string | undefined): Position | undefined {
  if (cursor === undefined) return undefined
  const mark = Buffer.from(cursor, 'base64url').toString()
  const { print, at, id } = CURSOR.exec(mark)?.groups ?? {}
  if (print !== fingerprint(list) || id === undefined)
    throw failure('invalid_request', {
      text: 'cursor: is not one of this list',
      fields: [{ path: 'cursor', code: 'custom' }],
    })
  return { created_at: Number(at), id }
}

const CURSOR = /^(?<print>[0-9a-z]+)\.(?<at>\d{1,15})\.(?<id>[0-9a-f-]{36})$/

/** In the order of these columns, what comes after this position: one comparison of both, as it takes for an index on both engines. */
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
