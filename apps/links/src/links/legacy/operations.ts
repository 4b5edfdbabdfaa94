import { createCursor, readCursor } from '@latchkey/http/cursor'
import { z } from 'zod'
import { type Context, operation } from '../../api/context.ts'
import { failure } from '../../api/failures.ts'
import { type Page, pageAnswer, pageHeaders } from '../../api/paging.ts'
import { queriedDomain } from '../../domains/find.ts'
import { type LegacyPathQuery as Query, LegacyPathOfLink, LegacyPathQuery } from './schema.ts'
import { findLegacyPathPage } from './store.ts'

export const listLegacyPaths = operation({
  id: 'listLegacyPaths',
  methods: ['GET'],
  path: '/legacy',
  scope: 'read',
  tag: 'Slugs',
  summary: 'List the paths of other services that links answer as well, or look one of them up',
  query: LegacyPathQuery,
  result: z.array(LegacyPathOfLink),
  handler: (context, { query }) => readPage(context, query),
  headers: pageHeaders,
  answer: pageAnswer,
})

async function readPage(
  context: Context,
  { path, domain, cursor, limit }: Query,
): Promise<Page<LegacyPathOfLink>> {
  const filter = {
    ...(path !== undefined && { path: path.replace(/^\//, '') }),
    ...(domain !== undefined && { domain: queriedDomain(context, domain) ?? '' }),
  }
  const list = ['legacy-paths', filter.path, filter.domain]
  const after = cursor === undefined ? undefined : readCursor(list, cursor)
  if (cursor !== undefined && after === undefined) throw failure('cursor_invalid')
  const { rows, total } = await findLegacyPathPage(context.database.read, filter, { after, limit: limit + 1 })
  const items = rows.slice(0, limit)
  const last = rows.length > limit ? items.at(-1) : undefined
  return {
    items: items.map(({ domain: host, ...row }) => ({ ...row, ...(host !== '' && { domain: host }) })),
    total,
    next: last && createCursor(list, [`${last.domain}/${last.path}`]),
  }
}
