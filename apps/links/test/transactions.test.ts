import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { newSqliteUrl } from '@latchkey/database/testing'
import { watchTransactions } from '@latchkey/database/testing-transactions'
import { adminOperations, apiOperations } from '../src/http/operations.ts'
import { plannableOperations } from '../src/plans/plannable.ts'
import {
  type Rule,
  type RuleResources,
  SHORT_DOMAIN,
  address,
  adminRules,
  createOwnedResources,
  requiredQuery,
} from './ownership-rules.ts'
import { sharedTestLinks } from './testing.ts'
import { Receiver } from './webhooks/receiver.ts'

const ann = 'ann@example.com'
const signedIn = { 'X-Forwarded-Email': ann }

const webhookRules: Record<string, Rule> = {
  'POST /webhooks': { body: () => ({ url: 'https://receiver.example/' }) },
  'PUT /webhooks/{id}': { body: () => ({ types: [] }) },
  'PATCH /webhooks/{id}': { body: () => ({ types: [] }) },
  'POST /webhooks/{id}/replay': { body: () => ({ from: 1 }) },
}
const templateRules: Record<string, Rule> = {
  'PUT /utm-templates/{id}': { body: () => ({ name: 'Mail' }) },
}
/** Bodies with which an operation does what takes longest. */
const longestRules: Record<string, Rule> = {
  'PUT /links/{id}/behaviour': { body: () => ({ password: 'long enough for a link' }) },
}
const bodies: Record<string, Rule> = { ...adminRules, ...webhookRules, ...templateRules, ...longestRules }

/** Every method of every operation. */
const routesOf = (operations: typeof apiOperations) =>
  operations.flatMap(({ id, methods, path }) =>
    methods.map((method) => ({ id, path, method, name: `${method} ${path}` })),
  )
/** Streams until the page is closed. */
const ENDLESS = 'followChanges'

let count = 0

describe('on sqlite', () => {
  const links = sharedTestLinks(newSqliteUrl(), {
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    TRUSTED_PROXIES: '127.0.0.1',
    LINKS_DOMAINS: SHORT_DOMAIN,
    LINKS_ADMINS: ann,
    LINKS_WEBHOOK_ALLOW: '127.0.0.1',
  })
  const receiver = new Receiver()
  const watch = watchTransactions()
  const keys: Record<string, string> = {}
  beforeAll(async () => (keys[ann] = await links.key(ann)))
  afterAll(async () => {
    watch.stop()
    await receiver.stop()
  })

  /** The address of a route with resources of its own, and the body for it. */
  async function prepare({ path, name }: { path: string; name: string }) {
    const resources = await createOwnedResources(
      name,
      (method, target, body) => links.callAdmin(method, target, { headers: signedIn, body }),
      /plans/.test(name),
    )
    const body = bodies[name]?.body?.(resources)
    const own = { resources, key: keys[ann] ?? '', identity: ann, body }
    if (!path.startsWith('/webhooks'))
      return { ...own, target: address(path, resources) + requiredQuery(path) }
    // A person has at most twenty webhooks, and ten tests a minute.
    const identity = `ann-${++count}@example.com`
    const key = await links.key(identity)
    const created = await links.call('POST', '/webhooks', { key, body: { url: receiver.url } })
    const { id } = created.body.webhook
    const target = path.replace('{id}', String(id))
    if (!path.includes('{deliveryId}')) return { ...own, key, identity, target }
    const tested = await links.call('POST', `/webhooks/${id}/test`, { key })
    return { ...own, key, identity, target: target.replace('{deliveryId}', String(tested.body.id)) }
  }

  async function expectNoWait(call: () => Promise<{ status: number; body: unknown }>): Promise<void> {
    const { status, body } = await call()
    // The operation has run: nothing but a conditional refusal has kept it from its transaction.
    expect([status < 400 || status === 404 || status === 409, body]).toEqual([true, body])
    expect(watch.waits).toEqual([])
  }

  describe('waits for nothing but the database in a transaction:', () => {
    for (const route of routesOf(apiOperations))
      test(`${route.name} by a key`, async () => {
        const { target, body, key } = await prepare(route)
        await expectNoWait(() => links.call(route.method, target, { key, body }))
      })

    for (const route of routesOf(apiOperations).filter(({ method }) => method === 'POST'))
      test(`L28.2i: ${route.name} by a key, with an Idempotency-Key`, async () => {
        const { target, body, key } = await prepare(route)
        const headers = { 'Idempotency-Key': `once-${++count}` }
        await expectNoWait(() => links.call('POST', target, { key, body, headers }))
        const again = await links.call('POST', target, { key, body, headers })
        expect(again.headers.get('idempotent-replay')).toBe('true')
      })

    for (const route of routesOf(adminOperations).filter(({ id }) => id !== ENDLESS))
      test(`${route.name} by a person`, async () => {
        const { target, body, identity } = await prepare(route)
        const headers = { 'X-Forwarded-Email': identity }
        await expectNoWait(() => links.callAdmin(route.method, target, { headers, body }))
      })

    for (const route of routesOf([...plannableOperations.values()]))
      test(`L29.3: ${route.name} in a plan, with an Idempotency-Key`, async () => {
        const { resources, body, key } = await prepare(route)
        const op = { operation: route.id, params: paramsOf(route.path, resources), body: planned(body) }
        const headers = { 'Idempotency-Key': `plan-${++count}` }
        const { status } = await links.call('POST', '/plans', { key, headers, body: { ops: [op] } })
        expect(status).toBe(201)
        expect(watch.waits).toEqual([])
      })
  })
})

/** Passwords are not planned. */
function planned(body: Record<string, unknown> | undefined) {
  return body?.['password'] === undefined ? body : { after_url: 'https://example.com/after' }
}

function paramsOf(path: string, { linkId, bundleId, slug }: RuleResources): Record<string, unknown> {
  const values: Record<string, unknown> = {
    id: path.startsWith('/bundles') ? bundleId : linkId,
    linkId,
    slug,
    host: SHORT_DOMAIN,
  }
  const names = Array.from(path.matchAll(/\{(\w+)\}/g), ([, name = '']) => name)
  return Object.fromEntries(names.map((name) => [name, values[name]]))
}
