import { z } from 'zod'
import { operation } from '../../api/context.ts'
import { queriedDomain } from '../../domains/find.ts'
import { DomainQuery } from '../../domains/schema.ts'
import { boundedText } from '../../api/text.ts'
import { findSlugProblem, foldSlug, slugKey } from '../../urls/slug.ts'
import { findSlug } from './store.ts'

/** Longer text is no slug either. */
const MAX_LENGTH = 1_000

const SlugCheck = z
  .object({
    available: z.boolean(),
    code: z
      .enum(['slug_required', 'slug_invalid', 'slug_too_long', 'slug_reserved', 'slug_taken'])
      .nullable()
      .meta({ description: 'The failure that creating a link with this slug would have now.' }),
  })
  .meta({ id: 'SlugCheck' })

/** Checks a slug while it is typed into a form. Only creating the link claims it. */
export const checkSlug = operation({
  id: 'checkSlug',
  methods: ['GET'],
  path: '/slug-check',
  scope: 'admin',
  tag: 'Slugs',
  summary: 'Whether a custom slug is valid and available',
  query: z.object({ slug: boundedText(MAX_LENGTH), domain: DomainQuery }),
  result: SlugCheck,
  async handler(context, { query: { slug, domain } }) {
    const invalid = findSlugProblem(slug)
    if (invalid) return { available: false, code: `slug_${invalid.problem}` as const }
    const key = slugKey(queriedDomain(context, domain), foldSlug(slug))
    const isTaken = (await findSlug(context.database.read, key)) !== undefined
    return { available: !isTaken, code: isTaken ? ('slug_taken' as const) : null }
  },
})
