import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { type Page, cutPage, pageAnswer, pageHeaders, parseCursor } from '../api/paging.ts'
import { countBundles, findBundles, listBundlesByName } from './list.ts'
import { BundlePageQuery, BundleQuery, BundleWithSummary } from './schema.ts'
import { summarise } from './store.ts'

export const listBundles = operation({
  id: 'listBundles',
  methods: ['GET'],
  path: '/bundles',
  scope: 'read',
  tag: 'Bundles',
  summary: 'List the bundles of all users, newest first',
  query: BundleQuery,
  result: z.array(BundleWithSummary),
  async handler(context, { query }) {
    await context.flushClicks()
    return readCursorPage(context, query)
  },
  headers: pageHeaders,
  answer: pageAnswer,
})

/** The list of the admin side, with a search and more orders (L17.6). */
export const listBundlesInAdmin = operation({
  ...listBundles,
  query: BundlePageQuery,
  async handler(context, { query }) {
    await context.flushClicks()
    return query.sort === 'created' ? readCursorPage(context, query) : readNumberedPage(context, query)
  },
})

async function readCursorPage(
  context: Context,
  { archived: filter, range = context.defaultRange, limit, cursor, search }: CursorQuery,
): Promise<Page<BundleWithSummary>> {
  const database = context.database.offThread
  const listKey = ['bundles', filter, range, ...(search ? [search] : [])]
  const after = parseCursor(listKey, cursor)
  // One extra row shows whether there is a next page.
  const candidates = await findBundles(database, { filter, search, limit: limit + 1 }, after)
  const { rows, next } = cutPage(listKey, candidates, limit)
  const items = await summarise(database, rows, { ...context, range })
  return { items, total: await countBundles(database, { filter, search }), next }
}

type CursorQuery = BundleQuery & Partial<Pick<BundlePageQuery, 'search'>>

/** Returns the page with this number, or the last page if there are fewer. */
async function readNumberedPage(
  context: Context,
  { archived: filter, range = context.defaultRange, limit: size, search, sort, page }: BundlePageQuery,
): Promise<Page<BundleWithSummary>> {
  const database = context.database.offThread
  const view = { ...context, range }
  const rows = await listBundlesByName(database, { filter, search })
  const number = Math.max(1, Math.min(page ?? 1, Math.ceil(rows.length / size)))
  const cut = <Item>(items: readonly Item[]) => items.slice((number - 1) * size, number * size)
  const items =
    sort === 'name'
      ? await summarise(database, cut(rows), view)
      : // The clicks of all bundles have to be known before the first one is.
        cut((await summarise(database, rows, view)).toSorted((a, b) => b.total_clicks - a.total_clicks))
  return { items, total: rows.length, next: undefined, numbered: { number, size } }
}
