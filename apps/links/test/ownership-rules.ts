export interface RuleResources {
  linkId: number
  bundleId: number
  /** A custom slug of the link. */
  slug: string
}

export interface Rule {
  /** What someone who is not the owner is told; missing where anyone may (L4.2). */
  ownerOnlyError?: string
  body?: (resources: RuleResources) => Record<string, unknown>
}

let count = 0
const link = (verb: string) => ({ ownerOnlyError: `Only the link owner can ${verb} this link` })
const slug = (verb: string) => ({ ownerOnlyError: `Only the link owner can ${verb} slugs on this link` })
const bundle = (verb: string) => ({ ownerOnlyError: `Only the bundle owner can ${verb} this bundle` })
export const primary = { ownerOnlyError: 'Only the link owner can change the primary slug' }
export const newSlug = () => ({ slug: `own-${++count}` })
const newUrl = () => ({ url: `https://example.com/owned/${++count}` })

/** L4.2, one line for every write. A write that is not listed here fails the first test. */
export const rules: Record<string, Rule> = {
  'POST /links': { body: newUrl },
  'PUT /links/{id}': { ...link('update'), body: newUrl },
  'PATCH /links/{id}': { ...link('update'), body: newSlug },
  'POST /links/{id}/disable': link('disable'),
  'POST /links/{id}/enable': link('enable'),
  'DELETE /links/{id}': link('delete'),
  'POST /links/{id}/slugs': { body: newSlug },
  'POST /slugs': { body: ({ linkId }) => ({ link_id: linkId, ...newSlug() }) },
  'POST /links/{id}/slugs/{slug}/disable': slug('disable'),
  'POST /slugs/{slug}/disable': slug('disable'),
  'POST /links/{id}/slugs/{slug}/enable': slug('enable'),
  'POST /slugs/{slug}/enable': slug('enable'),
  'DELETE /links/{id}/slugs/{slug}': slug('remove'),
  'DELETE /slugs/{slug}': slug('remove'),
  'POST /links/{id}/slugs/{slug}/primary': primary,
  'POST /slugs/{slug}/primary': primary,
  'POST /bundles': { body: () => ({ name: `Bundle ${++count}` }) },
  'PUT /bundles/{id}': { ...bundle('update'), body: () => ({ name: `Renamed ${++count}` }) },
  'PATCH /bundles/{id}': { ...bundle('update'), body: () => ({ accent: 'blue' }) },
  'DELETE /bundles/{id}': bundle('delete'),
  'POST /bundles/{id}/archive': bundle('archive'),
  'POST /bundles/{id}/unarchive': bundle('unarchive'),
  'POST /bundles/{id}/links': { body: ({ linkId }) => ({ link_id: linkId }) },
  'DELETE /bundles/{id}/links/{linkId}': {
    ownerOnlyError: 'Only the bundle owner can remove links from this bundle',
  },
}

/** Writes that change nothing about a fresh target unless it was prepared like this first. */
export const preparations: Record<string, (resources: RuleResources) => [path: string, body?: unknown]> = {
  'POST /links/{id}/enable': ({ linkId }) => [`/links/${linkId}/disable`],
  'POST /links/{id}/slugs/{slug}/enable': (resources) => [`/slugs/${resources.slug}/disable`],
  'POST /slugs/{slug}/enable': (resources) => [`/slugs/${resources.slug}/disable`],
  'POST /bundles/{id}/unarchive': ({ bundleId }) => [`/bundles/${bundleId}/archive`],
  'DELETE /bundles/{id}/links/{linkId}': (resources) => [
    `/bundles/${resources.bundleId}/links`,
    { link_id: resources.linkId },
  ],
}

export function address(path: string, { linkId, bundleId, slug: name }: RuleResources): string {
  const id = path.startsWith('/bundles') ? bundleId : linkId
  return path.replace('{id}', String(id)).replace('{linkId}', String(linkId)).replace('{slug}', name)
}
