import { z } from 'zod'
import { type Context, operation } from '../api/context.ts'
import { failure } from '../api/failures.ts'
import { queriedDomain } from '../domains/find.ts'
import { DomainQuery } from '../domains/schema.ts'
import { IdParams } from '../api/fields.ts'
import { SlugParam } from '../links/slugs/schema.ts'
import { type Domain, parseSlugKey } from '../urls/slug.ts'
import { findLinkRow } from '../links/store.ts'
import { explain } from './explain.ts'
import { Explanation, VisitQuery } from './schema.ts'

const tag = 'Behaviour'

const ExplainQuery = VisitQuery.extend({ domain: DomainQuery })

/** Explains a visit of a slug on a domain. */
function explainFor(context: Context, domain: Domain, slug: string, query: VisitQuery) {
  const { database, now, sites } = context
  return explain(
    database.read,
    { site: sites.of(domain), slug },
    { source: context.visitSource(), query, now },
  )
}

export const explainLink = operation({
  id: 'explainLink',
  methods: ['GET'],
  path: '/links/{id}/explain',
  scope: 'read',
  tag,
  summary: 'Explain where a link leads a visitor, without counting a click',
  params: IdParams,
  query: ExplainQuery,
  result: Explanation,
  failures: ['link_not_found', 'slug_not_found'],
  async handler(context, { params, query: { domain: host, ...query } }) {
    const row = await findLinkRow(context.database.read, params.id)
    if (!row) throw failure('link_not_found')
    const domain = host === undefined ? row.domain : queriedDomain(context, host)
    const explained = await explainFor(context, domain, parseSlugKey(row.primary_slug).slug, query)
    // Another link may have this slug on that domain.
    if (explained.linkId !== row.id) throw failure('slug_not_found')
    return explained.explanation
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
  query: ExplainQuery,
  result: Explanation,
  failures: ['slug_not_found'],
  async handler(context, { params, query: { domain: host, ...query } }) {
    const domain = queriedDomain(context, host)
    return (await explainFor(context, domain, params.slug, query)).explanation
  },
})

export const explainOperations = [explainLink, explainSlug]
