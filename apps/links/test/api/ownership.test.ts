import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { type RuleResources, address, newSlug, preparations, rules } from '../ownership-rules.ts'
import { sharedTestLinks } from '../testing.ts'

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

test('L4.3 L24.1 every write of the API has a rule here, and every rule is for a write that exists', () => {
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
  async function newTarget(name: string): Promise<RuleResources> {
    const key = owner()
    const made = await links.createLink(key, newSlug())
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
            : !isOwner && rule.ownerOnlyError !== undefined
              ? [403, rule.ownerOnlyError]
              : undefined
      test(`L4.3 ${name}: ${caller} ${refusal ? `is told ${refusal[0]} ${refusal[1]}` : 'may'}`, async () => {
        const target = await newTarget(name)
        const key = keys[caller]
        const options = { ...(key !== undefined && { key }), body: rule.body?.(target) }
        if (refusal) {
          await links.expectRefusal(method, address(path, target), options, refusal)
          return
        }
        const before = await links.databaseState()
        const { status } = await links.call(method, address(path, target), options)
        expect([200, 201]).toContain(status)
        expect(await links.databaseState()).not.toEqual(before)
      })
    }

  for (const { path } of reads)
    test(`GET ${path}: anyone with the scope to read may, and nobody else`, async () => {
      const target = await newTarget('')
      const outcomes: Record<string, number> = {}
      const before = await links.databaseState()
      // What cannot be asked without saying what about.
      const query = path.endsWith('/breakdown') ? '?dimension=countries' : ''
      for (const caller of Object.keys(callers)) {
        const key = keys[caller]
        const reply = await links.call('GET', address(path, target) + query, key === undefined ? {} : { key })
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
      expect(await links.databaseState()).toEqual(before)
    })
})
