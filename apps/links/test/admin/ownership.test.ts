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
 * (admin.test.ts). The inspection of a file stores nothing.
 */
const NOT_HERE = ['DELETE /keys/{id}', 'POST /import/inspect']
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

eachDialect((_dialect, newDatabase) => {
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

  const refusesAll = async (
    { method, path }: (typeof writes)[number],
    headers: Record<string, string>,
    expected: [number, string],
  ) => {
    const name = `${method} ${path}`
    const target = await newTarget(name)
    const before = await links.databaseState()
    const body = adminRules[name]?.body?.(target)
    const reply = await links.callAdmin(method, address(path, target) + requiredQuery(path), {
      headers,
      body,
    })
    expect([name, reply.status, reply.body]).toEqual([
      name,
      expected[0],
      { error: expected[1], code: expect.any(String) },
    ])
    expect(await links.databaseState()).toEqual(before)
  }

  for (const write of writes) {
    const { method, path } = write
    const name = `${method} ${path}`
    const { ownerOnlyError: others, refusalStatus = 403, writesNothing } = adminRules[name] ?? {}
    test(`${name}: the owner may`, async () => {
      const target = await newTarget(name)
      const before = await links.databaseState()
      const body = adminRules[name]?.body?.(target)
      const { status } = await links.callAdmin(method, address(path, target) + requiredQuery(path), {
        headers: ann,
        body,
      })
      expect([200, 201]).toContain(status)
      const after = await links.databaseState()
      if (writesNothing) expect(after).toEqual(before)
      else expect(after).not.toEqual(before)
    })

    test(`${name}: another person ${others ? `gets ${refusalStatus} ${others}` : 'may'}`, async () => {
      if (others !== undefined) return refusesAll(write, ben, [refusalStatus, others])
      const target = await newTarget(name)
      const body = adminRules[name]?.body?.(target)
      const { status } = await links.callAdmin(method, address(path, target) + requiredQuery(path), {
        headers: ben,
        body,
      })
      expect([200, 201]).toContain(status)
    })

    test(`L24.15 ${name}: refused from another site, with an API key, and without admission`, async () => {
      const crossSite: [number, string] = [403, 'Cross-site request refused']
      await refusesAll(write, { ...ann, 'Sec-Fetch-Site': 'cross-site' }, crossSite)
      await refusesAll(write, { ...ann, Origin: 'https://evil.example' }, crossSite)
      const key = await links.key('ann@example.com')
      await refusesAll(write, { ...ann, Authorization: `Bearer ${key}` }, [
        401,
        'API keys are not accepted here',
      ])
      await refusesAll(write, {}, [401, expect.stringContaining('X-Forwarded-Email')])
    })
  }

  for (const { path } of reads)
    test(`GET ${path}: only people who are admitted may`, async () => {
      const target = await newTarget(`GET ${path}`)
      const before = await links.databaseState()
      const key = await links.key('ann@example.com')
      const statusOf = async (headers: Record<string, string>) =>
        (await links.callAdmin('GET', address(path, target) + requiredQuery(path), { headers })).status
      const isOfPerson = path === '/plans/{id}'
      expect([await statusOf(ann), await statusOf(ben)]).toEqual([200, isOfPerson ? 404 : 200])
      expect([await statusOf({}), await statusOf({ ...ann, Authorization: `Bearer ${key}` })]).toEqual([
        401, 401,
      ])
      const { api_key: _, ...rest } = await links.databaseState()
      const { api_key: __, ...restBefore } = before
      expect(rest).toEqual(restBefore)
    })

  test('L17: resources that a person creates are marked as created by the app, whatever the client claims', async () => {
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
  })

  test('a slug named "primary" is an ordinary slug', async () => {
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

  test('L17: a wrong choice of the primary slug is refused with the reason', async () => {
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
