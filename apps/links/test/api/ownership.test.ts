import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { sharedTestLinks } from '../testing.ts'

interface Target {
  linkId: number
  bundleId: number
  /** A custom slug of the link. */
  slug: string
}

interface Rule {
  /** What someone who is not the owner is told; missing where anyone may (L4.2). */
  others?: string
  body?: (target: Target) => Record<string, unknown>
}

let count = 0
const link = (verb: string) => ({ others: `Only the link owner can ${verb} this link` })
const slug = (verb: string) => ({ others: `Only the link owner can ${verb} slugs on this link` })
const bundle = (verb: string) => ({ others: `Only the bundle owner can ${verb} this bundle` })
const primary = { others: 'Only the link owner can change the primary slug' }
const newSlug = () => ({ slug: `own-${++count}` })
const newUrl = () => ({ url: `https://example.com/owned/${++count}` })

/** L4.2, one line for every write. A write that is not listed here fails the first test. */
const rules: Record<string, Rule> = {
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
    others: 'Only the bundle owner can remove links from this bundle',
  },
}

/** Writes that change nothing about a fresh target unless it was prepared like this first. */
const preparations: Record<string, (target: Target) => [path: string, body?: unknown]> = {
  'POST /links/{id}/enable': ({ linkId }) => [`/links/${linkId}/disable`],
  'POST /links/{id}/slugs/{slug}/enable': (target) => [`/slugs/${target.slug}/disable`],
  'POST /slugs/{slug}/enable': (target) => [`/slugs/${target.slug}/disable`],
  'POST /bundles/{id}/unarchive': ({ bundleId }) => [`/bundles/${bundleId}/archive`],
  'DELETE /bundles/{id}/links/{linkId}': (target) => [
    `/bundles/${target.bundleId}/links`,
    { link_id: target.linkId },
  ],
}

const offered = apiOperations.flatMap((operation) =>
  operation.methods.map((method) => ({ method: method as string, path: operation.path })),
)
const writes = offered.filter(({ method }) => method !== 'GET')
const reads = offered.filter(({ method }) => method === 'GET')

const callers = {
  'the owner': 'ann@example.com create,read',
  'a create-only key of the owner': 'ann@example.com create',
  'a read-only key of the owner': 'ann@example.com read',
  'someone else': 'ben@example.com create,read',
  'a create-only key of someone else': 'ben@example.com create',
  nobody: '',
}

function address(path: string, { linkId, bundleId, slug: name }: Target): string {
  const id = path.startsWith('/bundles') ? bundleId : linkId
  return path.replace('{id}', String(id)).replace('{linkId}', String(linkId)).replace('{slug}', name)
}

test('every write of the API has a rule here, and every rule is for a write that exists', () => {
  expect(Object.keys(rules).toSorted()).toEqual(
    writes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
})

eachDialect((_dialect, newDatabase) => {
  const links = sharedTestLinks(newDatabase)
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    for (const [caller, description] of Object.entries(callers)) {
      const [identity = '', scope] = description.split(' ')
      if (identity !== '')
        keys[caller] = await links.key(identity, scope as 'create' | 'read' | 'create,read')
    }
  })
  const owner = () => keys['the owner'] ?? ''

  /** Everything fresh and Ann's: a link with two custom slugs, the second not primary, and a bundle. */
  async function newTarget(name: string): Promise<Target> {
    const key = owner()
    const made = await links.link(key, newSlug())
    const body = newSlug()
    await links.call('POST', `/links/${made.id}/slugs`, { key, body })
    const { body: bundled } = await links.call('POST', '/bundles', { key, body: { name: 'Owned' } })
    const target = { linkId: made.id as number, bundleId: bundled.id as number, slug: body.slug }
    const [path, preparation] = preparations[name]?.(target) ?? []
    if (path === undefined) return target
    const prepared = await links.call('POST', path, { key, body: preparation })
    expect([path, prepared.status]).toEqual([path, 200])
    return target
  }

  for (const { method, path } of writes)
    for (const [caller, description] of Object.entries(callers)) {
      const name = `${method} ${path}`
      const rule = rules[name] ?? {}
      const isOwner = description.startsWith('ann')
      const refusal: [number, string] | undefined =
        description === ''
          ? [401, 'Unauthorized']
          : !description.includes('create')
            ? [403, 'Forbidden']
            : !isOwner && rule.others !== undefined
              ? [403, rule.others]
              : undefined
      test(`${name}: ${caller} ${refusal ? `is told ${refusal[0]} ${refusal[1]}` : 'may'}`, async () => {
        const target = await newTarget(name)
        const key = keys[caller]
        const options = { ...(key !== undefined && { key }), body: rule.body?.(target) }
        if (refusal) {
          await links.refuses(method, address(path, target), options, refusal)
          return
        }
        const before = await links.stored()
        const { status } = await links.call(method, address(path, target), options)
        expect([200, 201]).toContain(status)
        expect(await links.stored()).not.toEqual(before)
      })
    }

  for (const { path } of reads)
    test(`GET ${path}: anyone with the scope to read may, and nobody else`, async () => {
      const target = await newTarget('')
      const outcomes: Record<string, number> = {}
      const before = await links.stored()
      for (const caller of Object.keys(callers)) {
        const key = keys[caller]
        const reply = await links.call('GET', address(path, target), key === undefined ? {} : { key })
        outcomes[caller] = reply.status
      }
      expect(outcomes).toEqual({
        'the owner': 200,
        'a create-only key of the owner': 403,
        'a read-only key of the owner': 200,
        'someone else': 200,
        'a create-only key of someone else': 403,
        nobody: 401,
      })
      expect(await links.stored()).toEqual(before)
    })
})
