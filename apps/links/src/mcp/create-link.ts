import { Failure } from '@latchkey/http/failure'
import { z } from 'zod'
import type { Context } from '../context.ts'
import { createOrReuse } from '../links/creation.ts'
import { getLink } from '../links/operations.ts'
import type { Link, NewLink } from '../links/schema.ts'
import { CustomSlug } from '../links/slugs/schema.ts'
import { perform } from './tool.ts'

export const SlugRejection = z.object({
  slug: z.string().meta({ description: 'The slug as requested.' }),
  reason: z.string(),
})
type SlugRejection = z.output<typeof SlugRejection>

type CreateLinkArguments = Omit<NewLink, 'slug' | 'custom_slug' | 'allow_duplicate'> & {
  custom_slug?: string | string[] | undefined
}

/**
 * A link with the slugs asked for, as far as they can be had (L19). Assistants repeat calls, so a repeated call finds what
 * the first one made; other than in the API, a slug is then no reason for a second link.
 */
export async function createLinkWithSlugs(
  context: Context,
  { custom_slug: requested, ...body }: CreateLinkArguments,
) {
  const requestedSlugs = requested === undefined ? [] : [requested].flat()
  if (requestedSlugs.length === 0) return createOrReuse(context, body, 'any')
  const link = await createOrReuse(context, body, 'own')
  const { gained: addedSlugs, rejections } = await addSlugs(context, link, requestedSlugs)
  const [first] = addedSlugs
  if (first !== undefined) await perform(context, 'setPrimarySlug', { params: { id: link.id, slug: first } })
  const { duplicate, duplicate_count } = link
  return {
    ...(await getLink(context, link.id)),
    ...(duplicate ? { duplicate, duplicate_count } : {}),
    slug_rejections: rejections,
  }
}

async function addSlugs(context: Context, link: Link, requestedSlugs: readonly string[]) {
  const addedSlugs: string[] = []
  const rejections: SlugRejection[] = []
  for (const requested of requestedSlugs) {
    const reason = await addSlug(context, link, requested, addedSlugs)
    if (reason !== undefined) rejections.push({ slug: requested, reason })
  }
  return { gained: addedSlugs, rejections }
}

/** Why the slug cannot be had; undefined when the link has it now. */
async function addSlug(
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
    await perform(context, 'addSlug', { params: { id: link.id }, body: { slug } })
    addedSlugs.push(slug)
    return undefined
  } catch (error) {
    if (!(error instanceof Failure)) throw error
    // The same call at the same moment may have added it.
    return hasSlug(await getLink(context, link.id)) ? undefined : error.message
  }
}
