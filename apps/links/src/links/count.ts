import type { Db } from '../db/tables.ts'
import { sql } from 'kysely'
import { sum } from '../time/window.ts'
import type { Count } from '../api/paging.ts'
import {
  type ListFilter,
  MAX_MATCHES,
  SOON,
  countRows,
  hasStatus,
  isCommonSearch,
  isCountedUpToLimit,
  isSearch,
  selectByWords,
  selectFiltered,
} from './list.ts'
import type { LinkCounts } from './schema.ts'

/** Links of a host, a domain or a bundle, or with a behaviour, are counted up to this number. */
const MAX_COUNT = 10_000

/** Number of owners that are named. */
const MAX_OWNERS = 10

/**
 * Counts the links of the filter, after `resolveSearch`: up to a limit, if the number is not
 * stored.
 */
export async function countSomeLinks(db: Db, filter: ListFilter, now: number): Promise<Count> {
  if (filter.ids === undefined && isSearch(filter)) return { total: MAX_MATCHES, hasMore: true }
  return countMatches(db, filter, now)
}

/**
 * Counts the links of the filter, after `resolveSearch`: all matches of a search, but those of a host,
 * a domain, a bundle or with a behaviour up to a limit.
 */
export async function countMatches(db: Db, filter: ListFilter, now: number): Promise<Count> {
  if (filter.ids) return { total: filter.ids.length }
  if (isSearch(filter)) {
    const matches = await selectByWords(db, filter, now)
    return { total: await countRows(db, matches.select('link.id')) }
  }
  if (!isStored(filter)) return countUpTo(db, filter, now, MAX_COUNT)
  const { status } = filter
  if (status !== 'all' && status !== 'active') return { total: await countState(db, filter, now) }
  const stored = await sql<{ links: number | null }>`select sum(links) as links from link_count
    where ${storedConditions(filter)}`.execute(db.read)
  const all = stored.rows[0]?.links ?? 0
  if (status === 'all') return { total: all }
  // Links that do not redirect have an index.
  const disabled = await countState(db, { ...filter, status: 'disabled' }, now)
  return { total: all - disabled - (await countState(db, { ...filter, status: 'expired' }, now)) }
}

/** Whether the numbers of all links of each owner and source are enough to count the filter. */
function isStored(filter: ListFilter): boolean {
  return !isSearch(filter) && !isCountedUpToLimit(filter)
}

function storedConditions({ owner, source }: ListFilter) {
  return sql`${owner ? sql`created_by = ${owner}` : sql`1 = 1`}
    and ${source ? sql`source = ${source}` : sql`1 = 1`}`
}

async function countState(db: Db, filter: ListFilter, now: number): Promise<number> {
  const { count } = await selectFiltered(db, filter, now)
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .executeTakeFirstOrThrow()
  return count
}

async function countUpTo(db: Db, filter: ListFilter, now: number, limit: number): Promise<Count> {
  const count = await countRows(db, await selectSome(db, filter, now, limit))
  return { total: Math.min(count, limit), hasMore: count > limit }
}

/** Selects up to one more link than the limit, in no defined order. */
async function selectSome(db: Db, filter: ListFilter, now: number, limit: number) {
  const isCommon = !isSearch(filter) || (await isCommonSearch(db, filter, now, MAX_MATCHES + 1))
  const links = isCommon ? selectFiltered(db, filter, now) : await selectByWords(db, filter, now)
  return links
    .select(['link.created_by', 'link.created_via', 'link.disabled_at', 'link.expires_at'])
    .limit(limit + 1)
}

/** Links of one owner from one source, by their state. */
interface Group {
  owner: string
  source: string
  states: LinkCounts['states']
}

/** Returns the numbers of a filter menu: each of them without the filter that it would replace. */
export async function readLinkCounts(db: Db, filter: ListFilter, now: number): Promise<LinkCounts> {
  const { owner, source, status } = filter
  const all: ListFilter = { ...filter, owner: undefined, source: undefined, status: 'all' }
  const { groups, exact } = isStored(all)
    ? { groups: await readStoredGroups(db, now), exact: true }
    : await readGroups(db, all, now)
  const ofOwner = groups.filter((group) => !owner || group.owner === owner)
  const ofSource = groups.filter((group) => !source || group.source === source)
  const ofBoth = ofOwner.filter((group) => ofSource.includes(group))
  const ranked = (some: readonly Group[], name: 'owner' | 'source') =>
    [...Map.groupBy(some, (group) => group[name])]
      .map(([value, each]) => ({ name: value, count: sum(each.map((group) => countIn(group, status))) }))
      .filter(({ name: value, count }) => count > 0 && value !== '')
      .toSorted((a, b) => b.count - a.count || (a.name < b.name ? -1 : 1))
  const countOf = (state: ListFilter['status']) => sum(ofBoth.map((group) => countIn(group, state)))
  return {
    total: countOf(status),
    states: {
      active: countOf('active'),
      disabled: countOf('disabled'),
      expired: countOf('expired'),
      expiring: countOf('expiring'),
    },
    sources: ranked(ofOwner, 'source'),
    owners: ranked(ofSource, 'owner').slice(0, MAX_OWNERS),
    exact,
  }
}

function countIn({ states }: Group, status: ListFilter['status']): number {
  return status === 'all' ? states.active + states.disabled + states.expired : states[status]
}

interface StateRow {
  owner: string
  source: string
  disabled: number
  expired: number
  expiring: number
}

/** Sums of each owner and source. */
const selectGroups = (now: number) => sql`created_by as owner, coalesce(created_via, '') as source,
  sum(case when ${hasStatus('disabled', now)} then 1 else 0 end) as disabled,
  sum(case when ${hasStatus('expired', now)} then 1 else 0 end) as expired,
  sum(case when ${hasStatus('expiring', now)} then 1 else 0 end) as expiring`

/**
 * Reads the groups of all links: their numbers are stored, and links that do not redirect have
 * indexes.
 */
async function readStoredGroups(db: Db, now: number): Promise<Group[]> {
  const { rows: stored } = await sql<{ owner: string; source: string; links: number }>`
    select created_by as owner, source, sum(links) as links from link_count
    group by created_by, source having sum(links) > 0`.execute(db.read)
  // SQLite would read all links in the order of their owners.
  const table = (index: string) => sql.raw(db.dialect === 'sqlite' ? `link indexed by ${index}` : 'link')
  const { rows } = await sql<StateRow>`
    select ${selectGroups(now)} from ${table('link_disabled')}
    where disabled_at is not null group by created_by, coalesce(created_via, '')
    union all select ${selectGroups(now)} from ${table('link_expiring')}
    where disabled_at is null and expires_at is not null and expires_at <= ${now + SOON}
    group by created_by, coalesce(created_via, '')`.execute(db.read)
  const states = Map.groupBy(rows, ({ owner, source }) => `${owner}\n${source}`)
  return stored.map(({ owner, source, links }) => {
    const of = states.get(`${owner}\n${source}`) ?? []
    const disabled = sum(of.map((row) => row.disabled))
    const expired = sum(of.map((row) => row.expired))
    const expiring = sum(of.map((row) => row.expiring))
    return { owner, source, states: { active: links - disabled - expired, disabled, expired, expiring } }
  })
}

/** Counts the links of any filter, up to the limit. */
async function readGroups(
  db: Db,
  filter: ListFilter,
  now: number,
): Promise<{ groups: Group[]; exact: boolean }> {
  const links = await selectSome(db, filter, now, MAX_COUNT)
  const { rows } = await sql<StateRow & { links: number }>`select ${selectGroups(now)}, count(*) as links
    from (${links}) as link group by created_by, coalesce(created_via, '')`.execute(db.read)
  const groups = rows.map(({ owner, source, links: count, ...states }) => ({
    owner,
    source,
    states: { ...states, active: count - states.disabled - states.expired },
  }))
  return { groups, exact: sum(rows.map((row) => row.links)) <= MAX_COUNT }
}
