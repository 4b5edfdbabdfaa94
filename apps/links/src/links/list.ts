import { inList } from '@latchkey/database/database'
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely'
import { HOUR, hourOf } from '../time/window.ts'
import type { Db } from '../db/tables.ts'
import type { Position } from '../api/paging.ts'
import type { LinkFilter, LinkPageQuery } from './schema.ts'
import type { Domain } from '../urls/slug.ts'
import { findCandidates, matchesWords, searchWords } from './search.ts'
import { isActive } from './store.ts'

/** The order of a list. Lists by clicks have a module of their own. */
type Order = Pick<LinkPageQuery, 'order'> & {
  sort?: Exclude<LinkPageQuery['sort'], 'clicks' | 'last_click'>
}

/** The filter of a list. Few matches of a search are named by their ids. */
export interface ListFilter extends Omit<LinkFilter, 'domain'> {
  /** The domain as it is stored; undefined for all domains. */
  domain?: Domain | undefined
  ids?: readonly number[]
}

/** One page of the links that the filter matches. */
export interface ListQuery extends ListFilter {
  limit: number
  offset?: number
  /** Ids of links that are left out. */
  except?: readonly number[]
}

type State = Exclude<LinkFilter['status'], 'all'>

/** A link that expires within this time expires soon, in seconds. */
export const SOON = 7 * 86_400

export function hasStatus(state: State, now: number): RawBuilder<SqlBool> {
  if (state === 'active') return isActive(now)
  if (state === 'disabled') return sql<SqlBool>`link.disabled_at is not null`
  if (state === 'expired') return sql<SqlBool>`link.disabled_at is null and link.expires_at <= ${now}`
  return sql<SqlBool>`link.disabled_at is null and link.expires_at > ${now} and link.expires_at <= ${now + SOON}`
}

/** The links of further domains have an index of their own. */
function isOnDomain(domain: Domain): RawBuilder<SqlBool> {
  return domain === null ? sql<SqlBool>`link.domain is null` : sql<SqlBool>`link.domain = ${domain}`
}

/** The conditions of the filter on a row of `link`, without its words. */
export function conditionsOf(
  { dialect }: Pick<Db, 'dialect'>,
  {
    owner,
    status,
    source,
    host,
    domain,
    bundle,
    no_bundle: noBundle,
    has_behaviour: hasBehaviour,
    updated_since: updatedSince,
    unused_since: unusedSince,
    ids,
  }: ListFilter,
  now: number,
): RawBuilder<SqlBool> {
  const conditions = [
    ...(ids ? [inList(dialect, 'link.id', ids)] : []),
    ...(owner ? [sql<SqlBool>`link.created_by = ${owner}`] : []),
    ...(status === 'all' ? [] : [sql<SqlBool>`(${hasStatus(status, now)})`]),
    ...(source ? [sql<SqlBool>`link.created_via = ${source}`] : []),
    ...(host ? [sql<SqlBool>`link.host = ${host}`] : []),
    ...(domain === undefined ? [] : [isOnDomain(domain)]),
    ...(bundle === undefined
      ? []
      : [sql<SqlBool>`link.id in (select link_id from bundle_link where bundle_id = ${bundle})`]),
    ...(noBundle
      ? [sql<SqlBool>`not exists (select 1 from bundle_link where bundle_link.link_id = link.id)`]
      : []),
    ...(hasBehaviour ? [sql<SqlBool>`link.behaviour is not null`] : []),
    ...(updatedSince === undefined ? [] : [sql<SqlBool>`link.updated_at >= ${updatedSince}`]),
    ...(unusedSince === undefined ? [] : [isUnusedSince(unusedSince)]),
  ]
  return conditions.length === 0 ? sql`1 = 1` : sql`${sql.join(conditions, sql` and `)}`
}

/**
 * Created before this moment, and not clicked since. Whole hours are counted, and the raw clicks of
 * the hour that contains the moment.
 */
function isUnusedSince(moment: number): RawBuilder<SqlBool> {
  const nextHour = hourOf(moment + HOUR - 1)
  return sql<SqlBool>`link.created_at < ${moment}
    and not exists (select 1 from link_clicks as used where used.link_id = link.id and used.last_hour >= ${nextHour})
    and not exists (select 1 from click_hour_open as open where open.link_id = link.id and open.hour >= ${nextHour})
    and not exists (select 1 from click where click.link_id = link.id
      and click.clicked_at >= ${moment} and click.clicked_at < ${nextHour})`
}

/** Whether the filter has more conditions than a state and words. */
export function isNarrowed({ owner, source, ...rest }: ListFilter): boolean {
  return Boolean(owner) || source !== undefined || isCountedUpToLimit(rest)
}

/** Whether the filter has conditions for which no numbers are stored. */
export function isCountedUpToLimit(filter: Omit<ListFilter, 'owner' | 'source'>): boolean {
  const { host, domain, bundle, no_bundle: noBundle, has_behaviour: hasBehaviour } = filter
  return (
    Boolean(host) ||
    Boolean(noBundle) ||
    Boolean(hasBehaviour) ||
    [domain, bundle, filter.updated_since, filter.unused_since].some((value) => value !== undefined)
  )
}

/** Selects the links of the filter. Its words are checked for each link that the rest leaves. */
export function selectFiltered(db: Db, filter: ListFilter, now: number) {
  const words = searchWords(filter.search)
  return db.read
    .selectFrom('link')
    .where(conditionsOf(db, filter, now))
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
export async function selectByWords(db: Db, filter: ListFilter, now: number) {
  const words = searchWords(filter.search)
  const candidates = await findCandidates(db, words)
  if (!candidates) return selectFiltered(db, filter, now)
  // `cross join` keeps SQLite from starting with the links.
  return db.read
    .selectFrom(candidates.as('found'))
    .crossJoin('link')
    .whereRef('link.id', '=', 'found.link_id')
    .where(conditionsOf(db, filter, now))
    .where(matchesWords(db.dialect, 'found.doc', words))
}

/** The expiry by which a link without one is sorted; part of the definition of an index. */
const NEVER = 253_402_300_800

/**
 * The columns that a list is sorted by, and their usual direction. Without an index, few links are
 * sorted instead of being searched in their order among all.
 */
const orders = {
  created: { indexed: sql`link.created_at`, plain: sql`+link.created_at`, direction: 'desc' },
  updated: { indexed: sql`link.updated_at`, plain: sql`+link.updated_at`, direction: 'desc' },
  slug: { indexed: sql`link.primary_slug`, plain: sql`link.primary_slug || ''`, direction: 'asc' },
  expires: {
    indexed: sql`coalesce(link.expires_at, ${sql.lit(NEVER)})`,
    plain: sql`+coalesce(link.expires_at, ${sql.lit(NEVER)})`,
    direction: 'asc',
  },
} as const

function orderBy(
  { sort = 'created', order = orders[sort].direction }: Order,
  column: 'indexed' | 'plain' = 'indexed',
): RawBuilder<unknown> {
  const direction = sql.raw(order)
  return sql`${orders[sort][column]} ${direction}, link.id ${direction}`
}

/**
 * Number of the first links in which words are searched before the index is used. Common words fill
 * a page with them: the index would have to return all their links.
 */
const FIRST = 5_000

interface Bounds extends Pick<ListQuery, 'except'> {
  /** The position that the page follows, in lists by age or by the last change, latest first. */
  after?: Position | undefined
}

/** The links of the filter in their order, without a search. Their columns are those of an order. */
function selectOrdered(db: Db, query: ListFilter & Order, now: number, bounds: Bounds) {
  const { status, ids } = query
  const isFew = ids !== undefined || status === 'expired' || status === 'expiring'
  return selectFiltered(db, { ...query, search: undefined }, now)
    .select(['link.id', 'link.created_at', 'link.updated_at', 'link.primary_slug', 'link.expires_at'])
    .where(isWithin(db, bounds))
    .orderBy(orderBy(query, isFew ? 'plain' : 'indexed'))
}

function isWithin({ dialect }: Db, { after, except }: Bounds): RawBuilder<SqlBool> {
  const isAfter = after
    ? after.value === undefined
      ? sql<SqlBool>`(link.created_at, link.id) < (${after.created_at}, ${after.id})`
      : sql<SqlBool>`(link.updated_at, link.id) < (${after.value}, ${after.id})`
    : sql<SqlBool>`1 = 1`
  return except ? sql`${isAfter} and not ${inList(dialect, 'link.id', except)}` : isAfter
}

/** Lists the ids and positions of one page. `after` is for lists by age or last change, latest first. */
export async function listLinkPositions(
  db: Db,
  query: ListQuery & Order,
  now: number,
  after?: Position,
): Promise<Position[]> {
  const { limit, offset = 0, except } = query
  const position = positionOf(query)
  const bounds = { after, ...(except && { except }) }
  if (!isSearch(query)) {
    const rows = selectOrdered(db, query, now, bounds).clearSelect().select(position)
    return rows.limit(limit).offset(offset).execute()
  }
  const first = searchFirst(db, query, now, bounds).select(position).orderBy(orderBy(query))
  const rows = await first.limit(limit).offset(offset).execute()
  if (rows.length === limit) return rows
  const all = (await selectByWords(db, query, now)).select(position).where(isWithin(db, bounds))
  return all.orderBy(orderBy(query)).limit(limit).offset(offset).execute()
}

/** The columns of a position in this order. */
function positionOf({ sort }: Order) {
  return [
    'link.id',
    'link.created_at',
    ...(sort === 'updated' ? (['link.updated_at as value'] as const) : []),
  ] as const
}

/** The matches of the words among the first links of the list. */
function searchFirst(db: Db, query: ListFilter & Order, now: number, bounds: Bounds = {}) {
  return db.read
    .selectFrom(selectOrdered(db, query, now, bounds).limit(FIRST).as('link'))
    .innerJoin('link_search', 'link_search.link_id', 'link.id')
    .where(matchesWords(db.dialect, 'link_search.doc', searchWords(query.search)))
}

export function isSearch({ search }: Pick<LinkFilter, 'search'>): boolean {
  return searchWords(search).length > 0
}

/** Matches of a search are counted and named up to this number. */
export const MAX_MATCHES = 1_000

/** Replaces the words of a query with the links that match, unless there are too many. */
export async function resolveSearch<Query extends ListFilter>(
  db: Db,
  query: Query,
  now: number,
): Promise<Query> {
  if (!isSearch(query) || (await isCommonSearch(db, query, now, MAX_MATCHES + 1))) return query
  const matches = await selectByWords(db, query, now)
  const rows = await matches
    .select('link.id')
    .limit(MAX_MATCHES + 1)
    .execute()
  if (rows.length > MAX_MATCHES) return query
  return { ...query, search: undefined, ids: rows.map(({ id }) => id) }
}

/** Whether so many of the newest links match the words that no index is needed to find `count`. */
export async function isCommonSearch(
  db: Db,
  filter: ListFilter,
  now: number,
  count = FIRST / 100,
): Promise<boolean> {
  const newest = { ...filter, sort: 'created', order: 'desc' } as const
  const matches = searchFirst(db, newest, now)
    .select(sql<number>`1`.as('one'))
    .limit(count)
  return (await countRows(db, matches)) === count
}

export async function countRows(db: Db, rows: Expression<unknown>): Promise<number> {
  const result = await sql<{ count: number }>`select count(*) as count from (${rows}) as counted`.execute(
    db.read,
  )
  return result.rows[0]?.count ?? 0
}
