import { inList } from '@latchkey/database/database'
import { type RawBuilder, sql } from 'kysely'
import type { ViewerFilters } from '../clicks/filters.ts'
import { type LinkClicks, readClicksByLink } from '../rollups/index.ts'
import type { Range } from '../time/ranges.ts'
import { type Window, currentWindow } from '../time/window.ts'
import { filteredSum } from '../clicks/store.ts'
import { withSnapshot } from '../db/snapshot.ts'
import type { Db } from '../db/tables.ts'
import type { Position } from '../api/paging.ts'
import {
  type ListQuery,
  conditionsOf,
  isCommonSearch,
  isNarrowed,
  listLinkPositions,
  selectByWords,
  selectFiltered,
} from './list.ts'
import { matchesWords, searchWords } from './search.ts'

type Fragment = RawBuilder<unknown>
type ClickPosition = Required<Position>

interface ClickOrderQuery extends ListQuery {
  sort?: 'clicks' | 'last_click'
  range?: Range | undefined
  filters: ViewerFilters
}

/**
 * Lists the ids of one page in order of clicks, in the window of `range` or lifetime, or of the hour
 * of the last click: the most or latest first, then newest first.
 */
export async function listByClicks(
  database: Db,
  query: ClickOrderQuery,
  now: number,
  after: Position | undefined,
): Promise<Position[]> {
  const { limit, offset = 0, range } = query
  const page = { query, now, after, offset, length: limit + offset }
  return withSnapshot(database, (db) =>
    range === undefined || query.sort === 'last_click'
      ? listByLifetime(db, page)
      : listByWindow(db, page, currentWindow(range, now)),
  )
}

/**
 * Query, start and size of a page: up to `length` rows, of which the first `offset` are skipped.
 */
interface Page {
  query: ClickOrderQuery
  now: number
  after: Position | undefined
  offset: number
  length: number
}

/**
 * Number of links that are looked up together. It grows with each step, and links with equal clicks
 * stay together.
 */
const FIRST_BATCH = 250

async function listByWindow(db: Db, page: Page, window: Window): Promise<ClickPosition[]> {
  const { after, offset, length } = page
  const clickedLinks = await readClicksByLink(db, window, page.query.filters)
  const positions: ClickPosition[] = []
  let first = clickedLinks.findIndex(({ clicks }) => clicks <= (after?.value ?? Infinity))
  if (first === -1) first = clickedLinks.length
  for (
    let batchSize = FIRST_BATCH;
    first < clickedLinks.length && positions.length < length;
    batchSize *= 2
  ) {
    let end = Math.min(first + batchSize, clickedLinks.length)
    while (clickedLinks[end]?.clicks === clickedLinks[end - 1]?.clicks) end++
    positions.push(...(await readMatching(db, page, clickedLinks.slice(first, end))))
    first = end
  }
  const rest = {
    offset: Math.max(0, offset - positions.length),
    limit: length - Math.max(offset, positions.length),
  }
  const listed = positions.slice(offset, length)
  return rest.limit > 0 ? [...listed, ...(await listUnclicked(db, page, clickedLinks, rest))] : listed
}

/** Returns the links among these that match the query, in their order. */
async function readMatching(
  db: Db,
  { query, now, after }: Page,
  links: readonly LinkClicks[],
): Promise<ClickPosition[]> {
  const clicksOf = new Map(links.map(({ link_id, clicks }) => [link_id, clicks]))
  const rows = await selectFiltered(db, query, now)
    .select(['link.id', 'link.created_at'])
    .where(inList(db.dialect, 'link.id', [...clicksOf.keys()]))
    .execute()
  return rows
    .map((row) => ({ ...row, value: clicksOf.get(row.id) ?? 0 }))
    .filter((row) => after === undefined || compare(row, after) > 0)
    .toSorted(compare)
}

function compare(a: Position, b: Position): number {
  return (b.value ?? 0) - (a.value ?? 0) || b.created_at - a.created_at || b.id - a.id
}

/** Lists the newest links without clicks, which come last. */
async function listUnclicked(
  db: Db,
  { query, now, after }: Page,
  clickedLinks: readonly LinkClicks[],
  { offset, limit }: { offset: number; limit: number },
): Promise<ClickPosition[]> {
  const except = clickedLinks.map(({ link_id }) => link_id)
  const unclicked = { ...query, sort: 'created' as const, except, limit, offset }
  const rows = await listLinkPositions(db, unclicked, now, after?.value === 0 ? after : undefined)
  return rows.map((row) => ({ ...row, value: 0 }))
}

/** Up to this many links of a filter, sorting them is faster than finding them among all links. */
const MAX_SORTED = 10_000

async function listByLifetime(db: Db, page: Page): Promise<ClickPosition[]> {
  const rows = (await isSmallSet(db, page)) ? await sortAll(db, page) : mergeRanked(db, page)
  return (await rows.execute(db.read)).rows
}

/** Whether the filter matches few links, or has to read each link anyway. */
async function isSmallSet(db: Db, { query, now }: Page): Promise<boolean> {
  const { search, status, ids } = query
  if (searchWords(search).length > 0) return !(await isCommonSearch(db, query, now))
  if (ids || (status !== 'all' && status !== 'active')) return true
  if (!isNarrowed(query)) return false
  const some = await selectFiltered(db, { ...query, status: 'all' }, now)
    .select('link.id')
    .limit(1)
    .offset(MAX_SORTED)
    .executeTakeFirst()
  return some === undefined
}

/** What links are ranked by: a column of `link_clicks`, and the part of it that is in open hours. */
interface Ranking {
  column: string
  /** One row for each link with open hours, with its `value`. Few links have any. */
  open: RawBuilder<{ link_id: number; value: number }>
  combine: (column: Fragment, open: Fragment) => RawBuilder<number>
}

function rankingOf({ dialect }: Db, { sort, filters }: ClickOrderQuery): Ranking {
  if (sort === 'last_click')
    return {
      column: 'last_hour',
      open: sql`(select link_id, max(hour) as value from click_hour_open group by link_id)`,
      combine: (column, open) =>
        sql`${sql.raw(dialect === 'sqlite' ? 'max' : 'greatest')}(${column}, ${open})`,
    }
  const { bots, selfReferrers } = filters
  return {
    column: `clicks_${bots ? (selfReferrers ? 'neither' : 'no_bots') : selfReferrers ? 'no_self' : 'raw'}`,
    open: sql`(select link_id, sum(${filteredSum(filters)}) as value from click_hour_open group by link_id)`,
    combine: (column, open) => sql`${column} + ${open}`,
  }
}

/** Ranks each link that the filter matches. */
async function sortAll(
  db: Db,
  { query, now, after, offset, length }: Page,
): Promise<RawBuilder<ClickPosition>> {
  const { column, open, combine } = rankingOf(db, query)
  const value = combine(sql.ref(`link_clicks.${column}`), sql`coalesce(open.value, 0)`)
  const ranked = (await selectByWords(db, query, now))
    .innerJoin('link_clicks', 'link_clicks.link_id', 'link.id')
    .leftJoin(open.as('open'), 'open.link_id', 'link.id')
    .select(['link.id', 'link.created_at', value.as('value')])
  return sql<ClickPosition>`select id, created_at, value from ${ranked.as('ranked')}
    where ${isAfter(after, sql`value, created_at, id`)} order by value desc, created_at desc, id desc
    limit ${length - offset} offset ${offset}`
}

/** Scans an index of closed hours and merges the few links with open hours into it. */
function mergeRanked(db: Db, page: Page): RawBuilder<ClickPosition> {
  const ranking = rankingOf(db, page.query)
  const column = sql.ref(`ranked.${ranking.column}`)
  const part = (value: Fragment, from: Fragment, where: Fragment) => sql`
    select ranked.link_id as id, ranked.created_at, ${value} as value from ${from}${linkJoin(page)}
    where ${where} and ${isMatch(db, page)} and ${isAfter(page.after, sql`${value}, ranked.created_at, ranked.link_id`)}
    order by ${value} desc, ranked.created_at desc, ranked.link_id desc limit ${page.length}`
  const isClosed = sql`not exists (select 1 from click_hour_open as open where open.link_id = ranked.link_id)`
  const isOpen = sql`ranked.link_id = open.link_id`
  const value = ranking.combine(column, sql`open.value`)
  return sql<ClickPosition>`select id, created_at, value from (
      select * from (${part(column, sql`link_clicks as ranked`, isClosed)}) as closed
      union all
      select * from (${part(value, sql`${ranking.open} as open cross join link_clicks as ranked`, isOpen)}) as opened
    ) as both_kinds order by value desc, created_at desc, id desc
    limit ${page.length - page.offset} offset ${page.offset}`
}

/**
 * Joins the link and its document only if the filter needs them. `cross join` keeps SQLite from
 * starting with those tables.
 */
function linkJoin({ query }: Page): Fragment {
  if (searchWords(query.search).length > 0) return sql` cross join link cross join link_search`
  return !isNarrowed(query) && query.status === 'all' ? sql`` : sql` cross join link`
}

function isMatch(db: Db, { query, now }: Page): Fragment {
  const words = searchWords(query.search)
  if (!isNarrowed(query) && query.status === 'all' && words.length === 0) return sql`1 = 1`
  const hasWords =
    words.length === 0
      ? sql`1 = 1`
      : sql`link_search.link_id = link.id and ${matchesWords(db.dialect, 'link_search.doc', words)}`
  return sql`link.id = ranked.link_id and ${conditionsOf(db, query, now)} and ${hasWords}`
}

function isAfter(after: Position | undefined, columns: Fragment): Fragment {
  return after ? sql`(${columns}) < (${after.value}, ${after.created_at}, ${after.id})` : sql`1 = 1`
}
