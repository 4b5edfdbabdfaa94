import { z } from 'zod'
import { type Context, operation } from '../context.ts'
import { failure } from '../failures.ts'
import { IdParams } from '../links/schema.ts'
import { SlugParam } from '../links/slugs/schema.ts'
import { findLinkRow } from '../links/store.ts'
import { explain } from './explain.ts'
import { Explanation, VisitQuery } from './schema.ts'

const tag = 'Behaviour'

function explainFor(context: Context, slug: string, query: VisitQuery) {
  const { database, now } = context
  return explain(database.read, slug, { source: context.visitSource(), query, now })
}

export const explainLink = operation({
  id: 'explainLink',
  methods: ['GET'],
  path: '/links/{id}/explain',
  scope: 'read',
  tag,
  summary: 'Explain where a link leads a visitor, without counting a click',
  params: IdParams,
  query: VisitQuery,
  result: Explanation,
  failures: ['link_not_found'],
  async handler(context, { params, query }) {
    const row = await findLinkRow(context.database.read, params.id)
    if (!row) throw failure('link_not_found')
    return explainFor(context, row.primary_slug, query)
  },
})

export const explainSlug = operation({
  id: 'explainSlug',
  methods: ['GET'],
  path: '/slugs/{slug}/explain',
  scope: 'read',
  tag,
  summary: 'Explain where a slug leads a visitor, without counting a click',
  params: z.object({ slug: SlugParam }),
  query: VisitQuery,
  result: Explanation,
  failures: ['slug_not_found'],
  handler: (context, { params, query }) => explainFor(context, params.slug, query),
})

export const explainOperations = [explainLink, explainSlug]
