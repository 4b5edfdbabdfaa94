import { expect } from 'bun:test'
import { MAX_GUEST_SLUGS, MAX_SLUGS } from '../../src/urls/slug.ts'
import type { TestLinks } from '../testing.ts'

/** Every slug route exists twice: below the link, as the SDKs call it, and by the slug alone. */
const slugForms = [
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

/** Actions on slugs of Ann's links, for each form of route. `ann` returns her key. */
export function createSlugActions(links: TestLinks, ann: () => string) {
  let count = 0
  const read = async (id: number) => (await links.call('GET', `/links/${id}`, { key: ann() })).body
  const primaryOf = async (id: number) => {
    const slugs: { slug: string; is_primary: number }[] = (await read(id)).slugs
    return slugs.filter((each) => each.is_primary).map((each) => each.slug)
  }
  const redirects = async (slug: string) => (await links.fetch(`/${slug}`, { method: 'HEAD' })).status === 302
  const forms = slugForms.map((slugForm) => {
    const addSlug = (id: number, slug: unknown, key = ann()) => {
      const [address, body] = slugForm.add(id, slug)
      return links.call('POST', address, { key, body })
    }
    const act = (verb: string, id: number, slug: string, key = ann()) =>
      links.call('POST', `${slugForm.path(id, slug)}/${verb}`, { key })
    const newLink = async (...slugs: string[]) => {
      const link = await links.createLink(ann())
      for (const slug of slugs) await addSlug(link.id, slug)
      return { id: link.id as number, auto: link.slugs[0].slug as string }
    }
    return { ...slugForm, addSlug, act, newLink }
  })
  return { newSlug: () => `g-${++count}`, read, primaryOf, redirects, forms }
}

/** Adds slugs to the link up to its limit, leaving `free` of them. */
export async function fillSlugs(links: TestLinks, linkId: number, free = 0): Promise<void> {
  await links.database.write(async (tx) => {
    const { count } = await tx
      .selectFrom('slug')
      .select((eb) => eb.fn.countAll<number>().as('count'))
      .where('link_id', '=', linkId)
      .executeTakeFirstOrThrow()
    const rows = Array.from({ length: MAX_SLUGS - free - count }, (_, at) => ({
      slug: `most-${linkId}-${at}`,
      link_id: linkId,
      is_custom: 1,
      created_at: links.now,
    }))
    while (rows.length > 0) await tx.insertInto('slug').values(rows.splice(0, 1_000)).execute()
  })
}

/** Adds as many slugs to the link as its key may. The owner of the key does not own the link. */
export async function fillGuestSlugs(links: TestLinks, linkId: number, key: string): Promise<string[]> {
  const slugs = Array.from({ length: MAX_GUEST_SLUGS }, () => `guest-${linkId}-${Bun.randomUUIDv7()}`)
  for (const slug of slugs)
    expect((await links.call('POST', `/links/${linkId}/slugs`, { key, body: { slug } })).status).toBe(201)
  return slugs
}
