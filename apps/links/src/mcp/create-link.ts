import { Failure } from '@latchkey/http/failure'
import { z } from 'zod'
import type { Context } from '../api/context.ts'
import { requireDomain } from '../domains/find.ts'
import { createOrReuse } from '../links/creation.ts'
import { readLinkWithTag } from '../links/operations.ts'
import type { Link, NewLink } from '../links/schema.ts'
import { addSlug, slugOfLink } from '../links/slugs/operations.ts'
import { CustomSlug } from '../links/slugs/schema.ts'
import { perform } from '../api/perform.ts'

export const SlugRejection = z.object({
  slug: z.string().meta({ description: 'The slug as requested.' }),
  reason: z.string(),
})
type SlugRejection = z.output<typeof SlugRejection>

type CreateLinkArguments = Omit<NewLink, 'slug' | 'custom_slug' | 'allow_duplicate'> & {
  domain?: string | undefined
  custom_slug?: string | string[] | undefined
}

/**
 * Returns a link with the requested slugs, as far as they are available (L19). Assistants repeat
 * calls, so a repeated call finds the link of the first. Unlike in the API, a slug is then no
 * reason for a second link.
 */
export async function createLinkWithSlugs(
  context: Context,
  { custom_slug: requested, domain: host, ...fields }: CreateLinkArguments,
) {
  const body = { ...fields, domain: host === undefined ? null : requireDomain(context, host) }
  const requestedSlugs = requested === undefined ? [] : [requested].flat()
  if (requestedSlugs.length === 0) return createOrReuse(context, body, 'any')
  context.costs.count(requestedSlugs.length - 1)
  const link = await createOrReuse(context, body, 'own')
  const { gained: addedSlugs, rejections } = await addSlugs(context, link, requestedSlugs)
  const [first] = addedSlugs
  if (first !== undefined)
    await perform(context, slugOfLink.setPrimary, { params: { id: link.id, slug: first } })
  const { duplicate, duplicate_count } = link
  return {
    ...(await readLinkWithTag(context, link.id)),
    ...(duplicate ? { duplicate, duplicate_count } : {}),
    slug_rejections: rejections,
  }
}

async function addSlugs(context: Context, link: Link, requestedSlugs: readonly string[]) {
  const addedSlugs: string[] = []
  const rejections: SlugRejection[] = []
  for (const requested of requestedSlugs) {
    const reason = await addRequestedSlug(context, link, requested, addedSlugs)
    if (reason !== undefined) rejections.push({ slug: requested, reason })
  }
  return { gained: addedSlugs, rejections }
}

/** Returns the reason why the slug is unavailable; undefined if the link has it now. */
async function addRequestedSlug(
  context: Context,
  link: Link,
  requested: string,
  addedSlugs: string[],
): Promise<string | undefined> {
  const parsed = CustomSlug.safeParse(requested)
  if (!parsed.success) return parsed.error.issues[0]?.message ?? 'is not valid'
  const slug = parsed.data
  const hasSlug = ({ slugs }: Link) => slugs.some((own) => own.slug === slug)
  if (hasSlug(link) || addedSlugs.includes(slug)) return undefined
  try {
    await perform(context, addSlug, { params: { id: link.id }, body: { slug } })
    addedSlugs.push(slug)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // A concurrent identical call may have added it.
    return hasSlug(await readLinkWithTag(context, link.id)) ? undefined : error.message
  }
}
