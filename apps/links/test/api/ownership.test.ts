import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { apiOperations } from '../../src/http/operations.ts'
import { SHORT_DOMAIN, address, createOwnedResources, rules } from '../ownership-rules.ts'
import { sharedTestLinks } from '../testing.ts'

// Only the creator sees a webhook (webhooks/operations.test.ts).
const offered = apiOperations
  .filter(({ path }) => !path.startsWith('/webhooks'))
  .flatMap((operation) =>
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
  'no key': '',
}

test('L4.3 L24.1: every write of the API has a rule here, and every rule matches a write', () => {
  expect(Object.keys(rules).toSorted()).toEqual(
    writes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
})

eachDialect((_dialect, newDatabase) => {
  const links = sharedTestLinks(newDatabase, {
    LINKS_DOMAINS: SHORT_DOMAIN,
    LINKS_ADMINS: 'ann@example.com',
  })
  const keys: Record<string, string> = {}
  beforeAll(async () => {
    for (const [caller, description] of Object.entries(callers)) {
      const [identity = '', scope] = description.split(' ')
      if (identity !== '')
        keys[caller] = await links.key(identity, scope as 'create' | 'read' | 'create,read')
    }
  })
  const owner = () => keys['the owner'] ?? ''

  const newTarget = (name: string) =>
    createOwnedResources(
      name,
      (method, path, body) => links.call(method, path, { key: owner(), body }),
      /plans/.test(name),
    )

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
              ? [rule.refusalStatus ?? 403, rule.ownerOnlyError]
              : undefined
      test(`L4.3 ${name}: ${caller} ${refusal ? `gets ${refusal[0]} ${refusal[1]}` : 'may'}`, async () => {
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
        const after = await links.databaseState()
        if (rule.writesNothing) expect(after).toEqual(before)
        else expect(after).not.toEqual(before)
      })
    }

  for (const { path } of reads)
    test(`GET ${path}: every key with the scope to read may, and no other`, async () => {
      const target = await newTarget(`GET ${path}`)
      const outcomes: Record<string, number> = {}
      const before = await links.databaseState()
      // Queries that these operations require.
      const query = path.endsWith('/breakdown') ? '?dimension=countries' : ''
      for (const caller of Object.keys(callers)) {
        const key = keys[caller]
        const reply = await links.call('GET', address(path, target) + query, key === undefined ? {} : { key })
        outcomes[caller] = reply.status
      }
      const isOfPerson = path === '/plans/{id}'
      expect(outcomes).toEqual({
        'the owner': 200,
        'a create-only key of the owner': 403,
        'a read-only key of the owner': 200,
        'someone else': isOfPerson ? 404 : 200,
        'a create-only key of someone else': 403,
        'no key': 401,
      })
      expect(await links.databaseState()).toEqual(before)
    })
})
