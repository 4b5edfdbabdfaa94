import { MOST_SLUGS } from '../../src/slugs/slug.ts'
import type { TestLinks } from '../testing.ts'

/** Every route for slugs exists twice: as the SDKs call it, below the link, and by the slug alone. */
export const slugForms = [
  {
    form: 'below the link',
    missing: 'Slug not found on this link',
    path: (id: number, slug: string) => `/links/${id}/slugs/${slug}`,
    add: (id: number, slug: unknown) => [`/links/${id}/slugs`, { slug }] as const,
  },
  {
    form: 'by the slug alone',
    missing: 'Slug not found',
    path: (_id: number, slug: string) => `/slugs/${slug}`,
    add: (id: number, slug: unknown) => ['/slugs', { link_id: id, slug }] as const,
  },
]

/** Gives the link as many slugs as it may have, but for so many. */
export async function fillSlugs(links: TestLinks, linkId: number, left = 0): Promise<void> {
  await links.database.write(async (tx) => {
    const { count } = await tx
      .selectFrom('slug')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('link_id', '=', linkId)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: MOST_SLUGS - left - count }, (_, at) => ({
      slug: `most-${linkId}-${at}`,
      link_id: linkId,
      is_custom: 1,
      created_at: links.now,
    }))
    while (rows.length > 0) await tx.insertInto('slug').values(rows.splice(0, 1_000)).execute()
  })
}
