import { expect } from 'bun:test'
import type { Reply } from './testing.ts'

export interface RuleResources {
  linkId: number
  bundleId: number
  /** A custom slug of the link. */
  slug: string
  /** The last change of the link. */
  changeId: number
  /** A plan that labels the link. */
  planId: number
}

export interface Rule {
  /** The refusal for people who are not the owner, who is also an administrator. Absent if anyone may (L4.2). */
  ownerOnlyError?: string
  /** The status of that refusal; 403 by default. */
  refusalStatus?: number
  /** With this body, the operation writes nothing. */
  writesNothing?: boolean
  body?: (resources: RuleResources) => Record<string, unknown>
}

/** A value of `LINKS_DOMAINS`. */
export const SHORT_DOMAIN = 'go.example.org'

let count = 0
const link = (verb: string) => ({ ownerOnlyError: `Only the link owner can ${verb} this link` })
const slug = (verb: string) => ({ ownerOnlyError: `Only the link owner can ${verb} slugs on this link` })
const bundle = (verb: string) => ({ ownerOnlyError: `Only the bundle owner can ${verb} this bundle` })
export const primary = { ownerOnlyError: 'Only the link owner can change the primary slug' }
export const newSlug = () => ({ slug: `own-${++count}` })
const newOwner = () => ({ owner: `new-${++count}@example.com`, confirm: true })
const newUrl = () => ({ url: `https://example.com/owned/${++count}` })

const plan = { ownerOnlyError: 'Plan not found', refusalStatus: 404 }

/** L4.2, one line for every write. A write without a line fails the first test. */
export const rules: Record<string, Rule> = {
  'POST /links': { body: newUrl },
  'POST /bulk/links': { body: () => ({ mode: 'all', items: [newUrl()] }) },
  // Each link has its own refusal (bulk.test.ts). Anyone may add links to bundles.
  'PATCH /bulk/links': { body: ({ linkId, bundleId }) => ({ ids: [linkId], set: { bundle: bundleId } }) },
  'PUT /links/{id}': { ...link('update'), body: newUrl },
  'PATCH /links/{id}': { ...link('update'), body: newSlug },
  'POST /links/{id}/disable': link('disable'),
  'POST /links/{id}/enable': link('enable'),
  'DELETE /links/{id}': link('delete'),
  'PUT /links/{id}/behaviour': { ...link('update'), body: () => ({ after_url: newUrl().url }) },
  'DELETE /links/{id}/behaviour': link('update'),
  'POST /links/{id}/behaviour/promote': { ...link('update'), body: () => ({ variant: '0.1' }) },
  'POST /links/{id}/transfer': { ...link('transfer'), body: newOwner },
  'POST /links/{id}/restore': { ...link('restore'), body: ({ changeId }) => ({ change_id: changeId }) },
  'POST /changes/undo': { body: () => ({ since: 9e9 }), writesNothing: true },
  'POST /plans': { body: () => ({ ops: [{ operation: 'createLink', body: newUrl() }] }) },
  'POST /plans/{id}/apply': plan,
  'POST /plans/{id}/discard': plan,
  'POST /plans/{id}/undo': plan,
  'POST /bundles/{id}/transfer': { ...bundle('transfer'), body: newOwner },
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
  'PUT /domains/{host}': {
    ownerOnlyError: 'Only administrators of the instance can change this',
    body: () => ({ not_found_url: newUrl().url }),
  },
  'POST /domains/{host}/links': { body: newUrl },
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

const share = (subject: string) => ({ ownerOnlyError: `Only the ${subject} owner can share its statistics` })

/** The rules of the public API and of the operations that only the admin side has. */
export const adminRules: Record<string, Rule> = {
  ...rules,
  'PUT /links/{id}/slugs/primary': { ...primary, body: (resources) => ({ slug: resources.slug }) },
  'POST /links/{id}/share': share('link'),
  'DELETE /links/{id}/share': share('link'),
  'POST /bundles/{id}/share': share('bundle'),
  'DELETE /bundles/{id}/share': share('bundle'),
  'POST /keys': { body: () => ({ title: 'Laptop', scope: 'read' }) },
  'POST /import': { body: (resources) => ({ url: `https://example.com/imported/${resources.slug}` }) },
  'PUT /policies/{assistant}': { body: () => ({ confirm: 'never' }) },
  'PUT /settings': { body: () => ({ theme: 'dark' }) },
  'PUT /defaults': {
    body: () => ({ domain: null, bundle: null, expires_in: 3600, forward_query: null }),
  },
  'POST /utm-templates': { body: () => ({ name: 'Mail' }) },
  'PUT /qr-presets': { body: () => ({ name: 'Brand', style: { size: 300, margin: 4 } }) },
}

/** Queries that an operation requires. */
export function requiredQuery(path: string): string {
  if (path === '/import') return '?format=ndjson'
  if (path.startsWith('/analytics/breakdown')) return '?dimension=country'
  if (path === '/favicons') return '?hosts=example.com'
  if (path === '/slug-check') return '?slug=free'
  return path.endsWith('/breakdown') ? '?dimension=countries' : ''
}
type Preparation = [path: string, body?: unknown, method?: 'PUT']

const setSplit = ({ linkId }: RuleResources): Preparation => [
  `/links/${linkId}/behaviour`,
  { split: [1, 2].map((weight) => ({ ...newUrl(), weight })) },
  'PUT',
]

/** Preparations of writes that would change nothing about a new resource. */
const preparations: Record<string, (resources: RuleResources) => Preparation> = {
  'DELETE /links/{id}/behaviour': setSplit,
  'POST /links/{id}/behaviour/promote': setSplit,
  'POST /links/{id}/enable': ({ linkId }) => [`/links/${linkId}/disable`],
  'POST /links/{id}/slugs/{slug}/enable': (resources) => [`/slugs/${resources.slug}/disable`],
  'POST /slugs/{slug}/enable': (resources) => [`/slugs/${resources.slug}/disable`],
  'POST /bundles/{id}/unarchive': ({ bundleId }) => [`/bundles/${bundleId}/archive`],
  'POST /plans/{id}/undo': ({ planId }) => [`/plans/${planId}/apply`],
  'DELETE /links/{id}/share': ({ linkId }) => [`/links/${linkId}/share`],
  'DELETE /bundles/{id}/share': ({ bundleId }) => [`/bundles/${bundleId}/share`],
  'DELETE /bundles/{id}/links/{linkId}': (resources) => [
    `/bundles/${resources.bundleId}/links`,
    { link_id: resources.linkId },
  ],
}

/**
 * Creates resources of the owner who calls: a link with two custom slugs, of which `slug` is not
 * primary, a bundle, and a plan. Prepares them for the operation of this name.
 */
export async function createOwnedResources(
  name: string,
  call: (method: 'GET' | 'POST' | 'PUT', path: string, body: unknown) => Promise<Reply>,
  /** A person may have only so many open plans, fewer than some suites need resources. */
  withPlan = true,
): Promise<RuleResources> {
  const create = async (path: string, body: unknown) => {
    const reply = await call('POST', path, body)
    expect([path, reply.status]).toEqual([path, 201])
    return reply.body
  }
  const body = newSlug()
  const { id: linkId } = await create('/links', { ...newUrl(), ...newSlug() })
  await create(`/links/${linkId}/slugs`, body)
  const { id: bundleId } = await create('/bundles', { name: 'Owned' })
  const history = await call('GET', `/links/${linkId}/history`, undefined)
  const ops = [{ operation: 'updateLink', params: { id: linkId }, body: { label: 'Planned' } }]
  const planId = withPlan ? (await create('/plans', { ops })).id : 0
  const resources = { linkId, bundleId, slug: body.slug, changeId: history.body[0].id, planId }
  const [path, preparation, method = 'POST'] = preparations[name]?.(resources) ?? []
  if (path === undefined) return resources
  const prepared = await call(method, path, preparation)
  expect([path, prepared.status]).toEqual([path, path.endsWith('/share') ? 201 : 200])
  return resources
}

export function address(path: string, { linkId, bundleId, planId, slug: name }: RuleResources): string {
  const ids: Record<string, number> = { bundles: bundleId, plans: planId }
  const id = ids[path.split('/')[1] ?? ''] ?? linkId
  return path
    .replace('{host}', SHORT_DOMAIN)
    .replace('{assistant}', 'local')
    .replace('{id}', String(id))
    .replace('{linkId}', String(linkId))
    .replace('{slug}', name)
}
