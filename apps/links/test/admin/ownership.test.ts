import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { adminOperations } from '../../src/http/operations.ts'
import { SHORT_DOMAIN, address, adminRules, createOwnedResources, requiredQuery } from '../ownership-rules.ts'
import { type Reply, sharedTestLinks } from '../testing.ts'

const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
  LINKS_DOMAINS: SHORT_DOMAIN,
  LINKS_ADMINS: 'ann@example.com',
}

// Only the creator sees a webhook (webhooks/operations.test.ts).
const offered = adminOperations
  .filter(({ path }) => !path.startsWith('/webhooks'))
  .flatMap((operation) =>
    operation.methods.map((method) => ({ method: method as string, path: operation.path })),
  )
/**
 * People see and revoke only their own keys; the keys of others do not exist for them
 * (admin.test.ts), and neither do their templates and presets (habits.test.ts, qr-presets.test.ts).
 * The inspection of a file stores nothing.
 */
const NOT_HERE = [
  'DELETE /keys/{id}',
  'PUT /utm-templates/{id}',
  'DELETE /utm-templates/{id}',
  'DELETE /qr-presets/{id}',
  'POST /import/inspect',
]
const writes = offered.filter(
  ({ method, path }) => method !== 'GET' && !NOT_HERE.includes(`${method} ${path}`),
)
/** Event streams have no end: see events.test.ts. */
const reads = offered.filter(({ method, path }) => method === 'GET' && path !== '/events')

const ann = { 'X-Forwarded-Email': 'ann@example.com' }
const ben = { 'X-Forwarded-Email': 'ben@example.com' }

test('L4.3 L24.1: every write of the admin API has a rule here, and every rule matches a write', () => {
  expect(Object.keys(adminRules).toSorted()).toEqual(
    writes.map(({ method, path }) => `${method} ${path}`).toSorted(),
  )
})

eachDialect((_dialect, newDatabase, testOnSqlite) => {
  const links = sharedTestLinks(newDatabase, settings)

  async function createAt(path: string, body: unknown): Promise<Reply['body']> {
    const reply = await links.callAdmin('POST', path, { headers: ann, body })
    expect([path, reply.status]).toEqual([path, 201])
    return reply.body
  }

  const newTarget = (name: string) =>
    createOwnedResources(
      name,
      (method, path, body) => links.callAdmin(method, path, { headers: ann, body }),
      /plans/.test(name),
    )

  /** A call of each write, on resources of its own. */
  const prepareWrites = async () => {
    const calls = []
    for (const { method, path } of writes) {
      const name = `${method} ${path}`
      const rule = adminRules[name] ?? {}
      const target = await newTarget(name)
      const body = rule.body?.(target)
      const send = (headers: Record<string, string>) =>
        links.callAdmin(method, address(path, target) + requiredQuery(path), { headers, body })
      calls.push({ name, rule, send })
    }
    return calls
  }

  testOnSqlite(
    'each write is for the owner, and changes what is stored unless its rule says otherwise',
    async () => {
      for (const { name, rule, send } of await prepareWrites()) {
        const before = await links.databaseState()
        const { status } = await send(ann)
        expect([name, status < 300]).toEqual([name, true])
        const after = await links.databaseState()
        if (rule.writesNothing) expect([name, after]).toEqual([name, before])
        else expect([name, after]).not.toEqual([name, before])
      }
    },
  )

  testOnSqlite('another person may make the writes that the rules allow, and no other', async () => {
    const calls = await prepareWrites()
    const before = await links.databaseState()
    for (const { name, rule, send } of calls.filter((each) => each.rule.ownerOnlyError !== undefined)) {
      const { status, body } = await send(ben)
      expect([name, status, body]).toEqual([
        name,
        rule.refusalStatus ?? 403,
        { error: rule.ownerOnlyError, code: expect.any(String) },
      ])
    }
    expect(await links.databaseState()).toEqual(before)
    for (const { name, send } of calls.filter((each) => each.rule.ownerOnlyError === undefined)) {
      const { status } = await send(ben)
      expect([name, status < 300]).toEqual([name, true])
    }
  })

  testOnSqlite(
    'L24.15: every write is refused from another site, with an API key, and without admission',
    async () => {
      const key = await links.key('ann@example.com')
      const calls = await prepareWrites()
      const before = await links.databaseState()
      for (const [headers, status, error] of [
        [{ ...ann, 'Sec-Fetch-Site': 'cross-site' }, 403, 'Cross-site request refused'],
        [{ ...ann, Origin: 'https://evil.example' }, 403, 'Cross-site request refused'],
        [{ ...ann, Authorization: `Bearer ${key}` }, 401, 'API keys are not accepted here'],
        [{}, 401, expect.stringContaining('X-Forwarded-Email')],
      ] as [Record<string, string>, number, string][])
        for (const { name, send } of calls) {
          const reply = await send(headers)
          expect([name, reply.status, reply.body]).toEqual([
            name,
            status,
            { error, code: expect.any(String) },
          ])
        }
      expect(await links.databaseState()).toEqual(before)
    },
  )

  test('every read is for people who are admitted only', async () => {
    const key = await links.key('ann@example.com')
    const targets = []
    for (const { path } of reads) targets.push({ path, target: await newTarget(`GET ${path}`) })
    const before = await links.databaseState()
    for (const { path, target } of targets) {
      const statusOf = async (headers: Record<string, string>) =>
        (await links.callAdmin('GET', address(path, target) + requiredQuery(path), { headers })).status
      const statuses = {
        ann: await statusOf(ann),
        ben: await statusOf(ben),
        stranger: await statusOf({}),
        key: await statusOf({ ...ann, Authorization: `Bearer ${key}` }),
      }
      const isOfPerson = path === '/plans/{id}'
      expect([path, statuses]).toEqual([
        path,
        { ann: 200, ben: isOfPerson ? 404 : 200, stranger: 401, key: 401 },
      ])
    }
    expect(await links.databaseState()).toEqual(before)
  })

  testOnSqlite(
    'L17: resources that a person creates are marked as created by the app, whatever the client claims',
    async () => {
      for (const [path, body] of [
        ['/links', { url: 'https://example.com/via' }],
        ['/bundles', { name: 'Via' }],
      ] as const) {
        const headers = { ...ann, 'X-Client': 'sdk' }
        const reply = await links.callAdmin('POST', path, { headers, body })
        expect([reply.status, reply.body.created_via, reply.body.created_by]).toEqual([
          201,
          'app',
          'ann@example.com',
        ])
      }
    },
  )

  testOnSqlite('a slug named "primary" is an ordinary slug', async () => {
    const link = await createAt('/links', { url: 'https://example.com/primary', slug: 'primary' })
    const auto = link.slugs[0].slug as string
    const path = `/links/${link.id}/slugs/primary`
    const chosen = await links.callAdmin('PUT', path, { headers: ann, body: { slug: auto.toUpperCase() } })
    expect([chosen.status, chosen.body.slugs.map((slug: { is_primary: number }) => slug.is_primary)]).toEqual(
      [200, [1, 0]],
    )
    const wrong = await links.callAdmin('POST', path, { headers: ann })
    expect([wrong.status, wrong.headers.get('allow')]).toEqual([405, 'DELETE, PUT'])
    const other = await links.callAdmin('PUT', `/links/${link.id}/slugs/${auto}`, { headers: ann })
    expect([other.status, other.headers.get('allow')]).toEqual([405, 'DELETE'])
    const gone = await links.callAdmin('DELETE', path, { headers: ann })
    expect([gone.status, gone.body]).toEqual([200, { removed: true }])
  })

  testOnSqlite('L17: a wrong choice of the primary slug is refused with the reason', async () => {
    const { linkId, slug } = await newTarget('')
    await links.callAdmin('POST', `/slugs/${slug}/disable`, { headers: ann })
    const choose = async (body: unknown, id = linkId) => {
      const reply = await links.callAdmin('PUT', `/links/${id}/slugs/primary`, { headers: ann, body })
      return [reply.status, reply.body.error]
    }
    expect(await choose({})).toEqual([400, 'slug is required'])
    expect(await choose({ slug: 'nowhere' })).toEqual([404, 'Slug not found on this link'])
    expect(await choose({ slug: 'a', id: 1 })).toEqual([400, 'Unknown field "id"'])
    expect(await choose({ slug }, 999_999)).toEqual([404, 'Link not found'])
    expect(await choose({ slug })).toEqual([400, 'Cannot make a disabled slug primary, enable it first'])
  })
})
