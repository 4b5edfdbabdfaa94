import { beforeAll, expect, test } from 'bun:test'
import { newSqliteUrl } from '@latchkey/database/testing'
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
  'a caller without a key': '',
}

test('L4.3 L24.1: every write of the API has a rule here, and every rule matches a write', () => {
  expect(Object.keys(rules).toSorted()).toEqual(
    writes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
})

const links = sharedTestLinks(newSqliteUrl(), {
  LINKS_DOMAINS: SHORT_DOMAIN,
  LINKS_ADMINS: 'ann@example.com',
})
const keys: Record<string, string> = {}
beforeAll(async () => {
  for (const [caller, description] of Object.entries(callers)) {
    const [identity = '', scope] = description.split(' ')
    if (identity !== '') keys[caller] = await links.key(identity, scope as 'create' | 'read' | 'create,read')
  }
})

const newTarget = (name: string) =>
  createOwnedResources(
    name,
    (method, path, body) => links.call(method, path, { key: keys['the owner'] ?? '', body }),
    /plans/.test(name),
  )

/** A call of each write by this caller, on resources of its own, with the refusal that it must get. */
async function prepareWrites(caller: keyof typeof callers) {
  const description = callers[caller]
  const key = keys[caller]
  const calls = []
  for (const { method, path } of writes) {
    const name = `${method} ${path}`
    const rule = rules[name] ?? {}
    const refusal: [number, string] | undefined =
      description === ''
        ? [401, 'Unauthorized']
        : !description.includes('create')
          ? [403, 'Forbidden']
          : !description.startsWith('ann') && rule.ownerOnlyError !== undefined
            ? [rule.refusalStatus ?? 403, rule.ownerOnlyError]
            : undefined
    const target = await newTarget(name)
    const options = { ...(key !== undefined && { key }), body: rule.body?.(target) }
    const send = () => links.call(method, address(path, target), options)
    calls.push({ name, rule, refusal, send })
  }
  return calls
}

for (const caller of Object.keys(callers) as (keyof typeof callers)[])
  test(`L4.3: ${caller} may make the writes that the rules allow, and no other`, async () => {
    const calls = await prepareWrites(caller)
    const before = await links.databaseState()
    for (const { name, refusal, send } of calls.filter((each) => each.refusal)) {
      const { status, body } = await send()
      expect([name, status, body]).toEqual([name, refusal?.[0], { error: refusal?.[1] }])
    }
    expect(await links.databaseState()).toEqual(before)
    for (const { name, send } of calls.filter((each) => !each.refusal)) {
      const { status } = await send()
      expect([name, status < 300]).toEqual([name, true])
    }
  })

test('L4.3: each write of the owner changes what is stored, unless its rule says otherwise', async () => {
  for (const { name, rule, send } of await prepareWrites('the owner')) {
    const before = await links.databaseState()
    await send()
    const after = await links.databaseState()
    if (rule.writesNothing) expect([name, after]).toEqual([name, before])
    else expect([name, after]).not.toEqual([name, before])
  }
})

test('every read of the API is for every key with the scope to read, and for no other', async () => {
  const targets = await Promise.all(
    reads.map(async ({ path }) => ({ path, target: await newTarget(`GET ${path}`) })),
  )
  const before = await links.databaseState()
  for (const { path, target } of targets) {
    const outcomes: Record<string, number> = {}
    // Queries that these operations require.
    const query = path.endsWith('/breakdown') ? '?dimension=countries' : ''
    for (const caller of Object.keys(callers)) {
      const key = keys[caller]
      const reply = await links.call('GET', address(path, target) + query, key === undefined ? {} : { key })
      outcomes[caller] = reply.status
    }
    const isOfPerson = path === '/plans/{id}'
    expect([path, outcomes]).toEqual([
      path,
      {
        'the owner': 200,
        'a create-only key of the owner': 403,
        'a read-only key of the owner': 200,
        'someone else': isOfPerson ? 404 : 200,
        'a create-only key of someone else': 403,
        'a caller without a key': 401,
      },
    ])
  }
  expect(await links.databaseState()).toEqual(before)
})
