import { type Database, inList } from '@latchkey/database/database'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import type { Tables } from '../db/tables.ts'
import type { Count, Position } from '../paging.ts'
import type { LinkQuery } from './schema.ts'
import { findCandidates, matchesWords, searchWords } from './search.ts'
import { isActive } from './store.ts'

type Db = Database<Tables>

/** Filter of listed links. */
export type Filter = Pick<LinkQuery, 'owner' | 'search' | 'status'>

/** One page of the links that the filter matches. */
export interface ListQuery extends Filter {
  limit: number
  offset?: number
  /** Ids of links that are left out. */
  except?: readonly number[]
}

export function hasStatus(status: 'active' | 'disabled' | 'expired', now: number): RawBuilder<SqlBool> {
  if (status === 'active') return isActive(now)
  if (status === 'disabled') return sql<SqlBool>`link.disabled_at is not null`
  return sql<SqlBool>`link.disabled_at is null and link.expires_at <= ${now}`
}

/** The conditions of the filter on a row of `link`, without its words. */
function conditionsOf({ owner, status }: Filter, now: number): RawBuilder<SqlBool> {
  const conditions = [
    ...(owner ? [sql<SqlBool>`link.created_by = ${owner}`] : []),
    ...(status === 'all' ? [] : [sql<SqlBool>`(${hasStatus(status, now)})`]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`
}

/** Selects the links of the filter. Its words are checked for each link that the rest leaves. */
export function selectFiltered(db: Db, filter: Filter, now: number) {
  const words = searchWords(filter.search)
  return db.read
    .selectFrom('link')
    .where(conditionsOf(filter, now))
    .$if(words.length > 0, (query) =>
      query
        .innerJoin('link_search', 'link_search.link_id', 'link.id')
        .where(matchesWords(db.dialect, 'link_search.doc', words)),
    )
}

/**
 * Selects the same links by the index of words, which is fast if few links match. Every match is
 * found before the first one is returned in an order.
 */
export async function selectByWords(db: Db, filter: Filter, now: number) {
  const words = searchWords(filter.search)
  const candidates = await findCandidates(db, words)
  if (!candidates) return selectFiltered(db, filter, now)
  // `cross join` keeps SQLite from starting with the links.
  return db.read
    .selectFrom(candidates.as('found'))
    .crossJoin('link')
    .whereRef('link.id', '=', 'found.link_id')
    .where(conditionsOf(filter, now))
    .where(matchesWords(db.dialect, 'found.doc', words))
}

/**
 * Number of the newest links among which a search is first tried. Common words fill a page with
 * them: the index would have to return all their links.
 */
const NEWEST = 5_000

/** The newest links of the filter, in which words can be searched. Named `link` like their table. */
function selectNewest(db: Db, filter: Filter, now: number, bounds: Bounds) {
  // Expired links are few among all links: SQLite should sort them instead of searching the index
  // by age.
  const createdAt = filter.status === 'expired' ? sql`+link.created_at` : sql`link.created_at`
  return selectFiltered(db, { ...filter, search: undefined }, now)
    .select(['link.id', 'link.created_at'])
    .where(isWithin(db, bounds))
    .orderBy(createdAt, 'desc')
    .orderBy('link.id', 'desc')
}

interface Bounds extends Pick<ListQuery, 'except'> {
  after?: Position | undefined
}

function isWithin({ dialect }: Db, { after, except }: Bounds): RawBuilder<SqlBool> {
  const isAfter = after
    ? sql<SqlBool>`(link.created_at, link.id) < (${after.created_at}, ${after.id})`
    : sql<SqlBool>`1 = 1`
  return except ? sql`${isAfter} and not ${inList(dialect, 'link.id', except)}` : isAfter
}

/** Lists the ids and positions of one page, newest first. */
export async function listByAge(
  db: Db,
  query: ListQuery,
  now: number,
  after?: Position,
): Promise<Position[]> {
  const { limit, offset = 0, except } = query
  const bounds = { after, ...(except && { except }) }
  if (searchWords(query.search).length === 0)
    return selectNewest(db, query, now, bounds).limit(limit).offset(offset).execute()
  const newest = await searchNewest(db, query, now, bounds)
    .select(['link.id', 'link.created_at'])
    .orderBy('link.created_at', 'desc')
    .orderBy('link.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
  if (newest.length === limit) return newest
  return (await selectByWords(db, query, now))
    .select(['link.id', 'link.created_at'])
    .where(isWithin(db, bounds))
    .orderBy('link.created_at', 'desc')
    .orderBy('link.id', 'desc')
    .limit(limit)
    .offset(offset)
    .execute()
}

/** The newest links that match the words. */
function searchNewest(db: Db, filter: Filter, now: number, bounds: Bounds = {}) {
  return db.read
    .selectFrom(selectNewest(db, filter, now, bounds).limit(NEWEST).as('link'))
    .innerJoin('link_search', 'link_search.link_id', 'link.id')
    .where(matchesWords(db.dialect, 'link_search.doc', searchWords(filter.search)))
}

/** Matches of a search are counted up to this number. */
export const MAX_COUNT = 1_000

export async function countLinks(db: Db, filter: Filter, now: number): Promise<Count> {
  if (searchWords(filter.search).length > 0) return countMatches(db, filter, now)
  const { owner, status } = filter
  const countWithStatus = (state: 'disabled' | 'expired') =>
    selectFiltered(db, { owner, search: undefined, status: state }, now).select((eb) =>
      eb.fn.countAll<number>().as('count'),
    )
  // The number of all links is stored, and links that do not redirect have an index.
  if (status === 'disabled' || status === 'expired') {
    const { count } = await countWithStatus(status).executeTakeFirstOrThrow()
    return { total: count }
  }
  const others =
    status === 'active' ? sql` - (${countWithStatus('disabled')}) - (${countWithStatus('expired')})` : sql``
  const { rows } = await sql<{ count: number }>`select coalesce((select sum(links) from link_count
    ${owner ? sql`where created_by = ${owner}` : sql``}), 0)${others} as count`.execute(db.read)
  return { total: rows[0]?.count ?? 0 }
}

/** Counts in the newest links first, which have enough matches of common words. */
async function countMatches(db: Db, filter: Filter, now: number): Promise<Count> {
  const one = sql<number>`1`.as('one')
  const newest = await countRows(
    db,
    searchNewest(db, filter, now)
      .select(one)
      .limit(MAX_COUNT + 1),
  )
  if (newest > MAX_COUNT) return { total: MAX_COUNT, hasMore: true }
  const all = await selectByWords(db, filter, now)
  const count = await countRows(db, all.select(one).limit(MAX_COUNT + 1))
  return { total: Math.min(count, MAX_COUNT), hasMore: count > MAX_COUNT }
}

async function countRows(db: Db, rows: Expression<unknown>): Promise<number> {
  const result = await sql<{ count: number }>`select count(*) as count from (${rows}) as matches`.execute(
    db.read,
  )
  return result.rows[0]?.count ?? 0
}

/** At this share of the newest links, a word is common. */
const COMMON = NEWEST / 100

/** Whether so many of the newest links match the words that no index is needed to find some. */
export async function isCommonSearch(db: Db, filter: Filter, now: number): Promise<boolean> {
  const newest = searchNewest(db, filter, now)
    .select(sql<number>`1`.as('one'))
    .limit(COMMON)
  return (await countRows(db, newest)) === COMMON
}
