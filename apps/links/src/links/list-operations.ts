import { z } from 'zod'
import { listBundlesOfLinks } from './bundles-of-links.ts'
import { type Context, operation } from '../api/context.ts'
import {
  type Page,
  type Position,
  countedPageHeaders,
  cutPage,
  pageAnswer,
  parseCursor,
} from '../api/paging.ts'
import { listBehaviourParts } from './behaviour/store.ts'
import { queriedDomain } from '../domains/find.ts'
import { listByClicks } from './click-order.ts'
import { countMatches, countSomeLinks, readLinkCounts } from './count.ts'
import { type ListFilter, listLinkPositions, resolveSearch } from './list.ts'
import { Link, LinkCounts, LinkFilter, LinkPageQuery, LinkQuery, ListedLink } from './schema.ts'
import { readLinks, withOrigin } from './read-model.ts'
import { readTrends } from './trend.ts'

export const listLinks = operation({
  id: 'listLinks',
  methods: ['GET'],
  path: '/links',
  scope: 'read',
  tag: 'Links',
  summary: 'List links',
  query: LinkQuery,
  result: z.array(Link),
  failures: ['cursor_invalid'],
  async handler(context, { query }) {
    await context.flushClicks()
    return readCursorPage(context, withStoredDomain(context, query), countMatches)
  },
  headers: countedPageHeaders,
  answer: pageAnswer,
})

/** The list of the admin side, with more filters and orders, numbered pages, bundles and trends (L17.1). */
export const listLinksInAdmin = operation({
  ...listLinks,
  query: LinkPageQuery,
  result: z.array(ListedLink),
  async handler(context, input) {
    const query = withStoredDomain(context, input.query)
    await context.flushClicks()
    const isNumbered =
      query.page !== undefined ||
      query.per_page !== undefined ||
      query.order !== undefined ||
      query.sort === 'slug' ||
      query.sort === 'expires'
    const page = await (isNumbered
      ? readNumberedPage(context, query)
      : readCursorPage(context, query, countSomeLinks))
    return { ...page, items: await addListing(context, page.items, { hasTrend: isNumbered }) }
  },
})

type ListQuery = Omit<LinkPageQuery, keyof ListFilter> & ListFilter

/** Names the domain of a query as it is stored. */
export function withStoredDomain<Query extends { domain?: string | undefined }>(
  context: Context,
  { domain, ...query }: Query,
): Omit<Query, 'domain'> & Pick<ListFilter, 'domain'> {
  return domain === undefined ? query : { ...query, domain: queriedDomain(context, domain) }
}

/** Adds what only the list shows. A cursor page may have a thousand links, and has no trends. */
async function addListing(
  context: Context,
  links: readonly Link[],
  { hasTrend }: { hasTrend: boolean },
): Promise<ListedLink[]> {
  const { offThread } = context.database
  const ids = links.map(({ id }) => id)
  const rows = await listBundlesOfLinks(offThread, ids)
  const bundlesOf = Map.groupBy(rows, ({ link_id }) => link_id)
  const behaviours = await listBehaviourParts(offThread, ids)
  const trends = hasTrend ? await readTrends(offThread, ids, context) : undefined
  return links.map((link) => {
    const trend = trends?.get(link.id)
    const bundles = (bundlesOf.get(link.id) ?? []).map(({ link_id: _, ...bundle }) => bundle)
    const behaviour = behaviours.get(link.id)
    return { ...link, bundles, ...(behaviour && { behaviour }), ...(trend && { trend }) }
  })
}

async function readCursorPage(
  context: Context,
  query: ListQuery,
  count: typeof countMatches,
): Promise<Page<Link>> {
  const { limit, cursor, page: _, per_page: __, owner = '', search = '', ...rest } = query
  const values = Object.entries(rest).filter(([, value]) => value !== undefined)
  const listKey = ['links', owner, search.trim(), ...values.map(String)]
  const after = parseCursor(listKey, cursor, query.sort === 'created' ? 'age' : 'value')
  // One more row than requested shows whether there is a next page.
  const resolved = await resolveSearch(context.database.offThread, query, context.now)
  const candidates = await listPositions(context, { ...resolved, limit: limit + 1 }, after)
  const { rows, next } = cutPage(listKey, candidates, limit)
  const total = await count(context.database.offThread, resolved, context.now)
  return { items: await readItems(context, rows, query), ...total, next }
}

const DEFAULT_PER_PAGE = 25

/** Returns the page with this number, or the last page if there are fewer. */
async function readNumberedPage(context: Context, query: ListQuery): Promise<Page<Link>> {
  const resolved = await resolveSearch(context.database.offThread, query, context.now)
  const count = await countSomeLinks(context.database.offThread, resolved, context.now)
  const size = query.per_page ?? DEFAULT_PER_PAGE
  const number = Math.max(1, Math.min(query.page ?? 1, Math.ceil(count.total / size)))
  const rows = await listPositions(context, { ...resolved, limit: size, offset: (number - 1) * size })
  const items = await readItems(context, rows, query)
  return { items, ...count, next: undefined, numbered: { number, size } }
}

function listPositions(
  { database: { offThread }, filters, now }: Context,
  { sort, range, ...query }: ListQuery & { offset?: number },
  after?: Position,
): Promise<Position[]> {
  return sort === 'clicks' || sort === 'last_click'
    ? listByClicks(offThread, { ...query, sort, range, filters }, now, after)
    : listLinkPositions(offThread, { ...query, sort }, now, after)
}

async function readItems(
  context: Context,
  rows: readonly Position[],
  { range }: Pick<LinkPageQuery, 'range'>,
): Promise<Link[]> {
  const ids = rows.map((row) => row.id)
  const links = await readLinks(context.database.offThread, ids, { ...context, range })
  return links.map((link) => withOrigin(context, link))
}

export const countLinks = operation({
  id: 'countLinks',
  methods: ['GET'],
  path: '/link-counts',
  scope: 'admin',
  tag: 'Links',
  summary: 'Count the links of a filter by state, source and owner',
  query: LinkFilter,
  result: LinkCounts,
  handler: (context, { query }) =>
    readLinkCounts(context.database.offThread, withStoredDomain(context, query), context.now),
})
