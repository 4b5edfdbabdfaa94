import { createCursor, readCursor, type ListKey } from '@latchkey/http/cursor'
import { type Kysely, type SelectQueryBuilder, type Selectable, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import { failure } from '../api/failures.ts'
import type { Count, Page } from '../api/paging.ts'
import type { Change } from './schema.ts'
import { parseValues } from '../changes/values.ts'

export type ChangeRow = Selectable<Tables['history']>

interface PageQuery {
  limit: number
  cursor?: string | undefined
}

/** The changes of a link, the newest first. */
export async function listLinkChanges(
  db: Kysely<Tables>,
  linkId: number,
  { limit, cursor }: PageQuery,
): Promise<Page<ChangeRow>> {
  const list = ['history', linkId]
  const [before] = parsePosition(list, cursor, 1) ?? []
  const matches = db.selectFrom('history').where('link_id', '=', linkId)
  const candidates = await matches
    .selectAll()
    .$if(before !== undefined, (query) => query.where('id', '<', before ?? 0))
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  return { ...cut(list, candidates, { limit, positionOf: ({ id }) => [id] }), ...(await count(db, matches)) }
}

/** The changes that a plan made, in their order. */
export function readPlanChanges(db: Kysely<Tables>, planId: number): Promise<ChangeRow[]> {
  return db.selectFrom('history').selectAll().where('plan_id', '=', planId).orderBy('id').execute()
}

export interface ChangeFilter {
  identity?: string | undefined
  via?: ChangeRow['via'] | undefined
  assistant?: string | undefined
  /** Unix seconds. */
  since?: number | undefined
}

/** All changes that match. */
export function selectChanges(db: Kysely<Tables>, { identity, via, assistant, since }: ChangeFilter) {
  return db
    .selectFrom('history')
    .$if(identity !== undefined, (query) => query.where('identity', '=', identity ?? ''))
    .$if(via !== undefined, (query) => query.where('via', '=', via ?? 'api'))
    .$if(assistant !== undefined, (query) => query.where('assistant', '=', assistant ?? ''))
    .$if(since !== undefined, (query) => query.where('changed_at', '>=', since ?? 0))
}

/** The changes that match, the latest first. Each filter follows an index in this order. */
export async function findChanges(
  db: Kysely<Tables>,
  filter: ChangeFilter,
  { limit, cursor }: PageQuery,
): Promise<Page<ChangeRow>> {
  const { identity, via, assistant, since } = filter
  const list = ['changes', identity ?? '', via ?? '', assistant ?? '', since ?? -1]
  const after = parsePosition(list, cursor, 2)
  const matches = selectChanges(db, filter)
  const candidates = await matches
    .selectAll()
    .$if(after !== undefined, (query) =>
      query.where(sql<SqlBool>`(changed_at, id) < (${after?.[0]}, ${after?.[1]})`),
    )
    .orderBy('changed_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute()
  const page = cut(list, candidates, { limit, positionOf: ({ changed_at, id }) => [changed_at, id] })
  return { ...page, ...(await count(db, matches)) }
}

/** Counting millions takes longer than reading a page. */
const MAX_COUNT = 10_000

async function count(
  db: Kysely<Tables>,
  matches: SelectQueryBuilder<Tables, 'history', object>,
): Promise<Count> {
  const { total } = await db
    .selectFrom(
      matches
        .select('id')
        .limit(MAX_COUNT + 1)
        .as('few'),
    )
    .select(({ fn }) => fn.countAll<number>().as('total'))
    .executeTakeFirstOrThrow()
  return { total: Math.min(total, MAX_COUNT), hasMore: total > MAX_COUNT }
}

function parsePosition(list: ListKey, cursor: string | undefined, length: number): number[] | undefined {
  if (cursor === undefined) return undefined
  const values = readCursor(list, cursor)?.split('.') ?? []
  if (values.length !== length || !values.every((value) => /^\d{1,15}$/.test(value)))
    throw failure('cursor_invalid')
  return values.map(Number)
}

function cut(
  list: ListKey,
  candidates: readonly ChangeRow[],
  { limit, positionOf }: { limit: number; positionOf: (row: ChangeRow) => number[] },
): Pick<Page<ChangeRow>, 'items' | 'next'> {
  const items = candidates.slice(0, limit)
  const last = candidates.length > limit ? items.at(-1) : undefined
  return { items, next: last && createCursor(list, positionOf(last)) }
}

/** A change as its reader sees it: the title of an API key is for its person and administrators. */
export function toChange(
  { before_values: before, after_values: after, ...row }: ChangeRow,
  { identity, isAdmin }: { identity: string; isAdmin: boolean },
): Change {
  const isOwn = isAdmin || row.identity === identity
  return {
    ...row,
    assistant_name: isOwn ? row.assistant_name : null,
    before: parseValues(before),
    after: parseValues(after),
  }
}
