import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { Ajv2020 } from 'ajv/dist/2020'
import { sql } from 'kysely'
import { failures } from '../../src/api/failures.ts'
import { deleteChangesBefore } from '../../src/changes/store.ts'
import { adminOperations, apiOperations } from '../../src/http/operations.ts'
import { createLink } from '../../src/links/operations.ts'
import { policyFailures } from '../../src/policies/require-policy.ts'
import { idempotencyFailures } from '../../src/idempotency/perform-once.ts'
import { plannableOperations } from '../../src/plans/plannable.ts'
import { insertDelivery } from '../../src/webhooks/store.ts'
import { createDocument } from '../../src/http/reference.ts'
import { VERSION } from '../../src/api/version.ts'
import { type CallOptions, sharedTestLinks } from '../testing.ts'
import { fillGuestSlugs, fillSlugs } from './slug-actions.ts'

type Json = Record<string, unknown>

interface Described {
  operationId: string
  parameters: { name: string; in: string; required: boolean; schema: Json }[]
  requestBody?: { content: { 'application/json': { schema: Json } } }
  responses: Record<string, { description: string; headers: Json }>
}

interface ApiDocument {
  openapi: string
  info: { version: string }
  servers: Json[]
  security: Json[]
  paths: Record<string, Record<string, Described>>
  components: { schemas: Record<string, Json>; securitySchemes: Json }
}

const document = createDocument(VERSION) as unknown as ApiDocument
const ajv = new Ajv2020({ strict: true, strictTypes: false, strictRequired: false, validateFormats: false })
ajv.addVocabulary(['components', 'openapi', 'info', 'servers', 'security', 'tags', 'paths'])
ajv.addSchema(document, 'api')

/** A schema from inside the document, as a document of its own. */
function standaloneSchema(schema: Json): Json {
  return JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"api#/')) as Json
}

const described = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([verb, operation]) => ({ path, verb, operation })),
)

/** The input of each operation and the state that leads to each of its failures. */
interface Call {
  method: string
  path: string
  options: CallOptions
}

interface World {
  linkId: number | string
  bundleId: number | string
  auto: string
  slug: string
  key: string
  host: string
  changeId: number
  openPlan: number | string
  appliedPlan: number | string
  webhookId: number
  deliveryId: number
}

const FURTHER = 'l.example.org'

let count = 0
const bodies: Record<string, (world: World) => Json> = {
  createLink: () => ({ url: `https://example.com/openapi/${++count}`, slug: `open-${++count}` }),
  createLinks: (world) => ({ mode: 'all', items: [bodies['createLink']?.(world)] }),
  updateLinks: ({ linkId, bundleId }) => ({ ids: [Number(linkId)], set: { bundle: Number(bundleId) } }),
  updateLink: () => ({ slug: `open-${++count}` }),
  promoteVariant: () => ({ variant: '0.1' }),
  setBehaviour: () => ({ after_url: 'https://example.com/after' }),
  addSlug: () => ({ slug: `open-${++count}` }),
  addSlugToLink: ({ linkId }) => ({ link_id: linkId, slug: `open-${++count}` }),
  createBundle: () => ({ name: 'Documented' }),
  updateBundle: () => ({ name: 'Renamed', description: null }),
  addLinkToBundle: ({ linkId }) => ({ link_id: linkId }),
  setDomain: () => ({ robots: 'allow' }),
  undoChanges: () => ({ since: 253_402_300_000 }),
  createPlan: ({ linkId }) => ({
    ops: [{ operation: 'updateLink', params: { id: Number(linkId) }, body: { label: 'Planned' } }],
  }),
  restoreLink: ({ changeId }) => ({ change_id: changeId }),
  transferLink: () => ({ owner: 'ben@example.com' }),
  transferBundle: () => ({ owner: 'ben@example.com' }),
  createDomainLink: () => ({ url: `https://example.com/openapi/${++count}` }),
  createWebhook: () => ({ url: 'https://receiver.example/hook', types: ['link.created'], bundle: null }),
  updateWebhook: () => ({ disabled: true }),
  replayWebhook: () => ({ from: 1 }),
}

function callOf(operation: (typeof apiOperations)[number], method: string, world: World): Call {
  const planId = operation.id === 'undoPlan' ? world.appliedPlan : world.openPlan
  const ids: Record<string, number | string> = {
    bundles: world.bundleId,
    plans: planId,
    webhooks: world.webhookId,
  }
  const id = ids[operation.path.split('/')[1] ?? ''] ?? world.linkId
  const path = operation.path
    .replace('{id}', String(id))
    .replace('{linkId}', String(world.linkId))
    .replace('{slug}', world.slug)
    .replace('{host}', world.host)
    .replace('{deliveryId}', String(world.deliveryId))
  const query = operation.query && 'dimension' in operation.query.shape ? '?dimension=countries' : ''
  return { method, path: path + query, options: { key: world.key, body: bodies[operation.id]?.(world) } }
}

/** A call of an operation as part of a plan. */
function planOf(operation: (typeof apiOperations)[number], { path, options }: Call): Json {
  const [pathname = '', query] = path.split('?')
  const values = new RegExp(`^${operation.path.replaceAll(/\{(\w+)\}/g, '(?<$1>[^/]+)')}$`).exec(pathname)
  return {
    ops: [
      {
        operation: operation.id,
        params: { ...values?.groups },
        query: Object.fromEntries(new URLSearchParams(query)),
        ...(options.body !== undefined && { body: options.body }),
      },
    ],
  }
}

test('a body allows no other field, and a list documents its paging', () => {
  const open = described
    .filter(({ operation }) => operation.requestBody)
    .filter(({ operation }) => {
      const { $ref, ...schema } = operation.requestBody?.content['application/json'].schema ?? {}
      const name = (($ref as string | undefined) ?? '').replace('#/components/schemas/', '')
      return (name === '' ? schema : document.components.schemas[name])?.['additionalProperties'] !== false
    })
  expect(open).toEqual([])
  const paged = described.filter(({ operation }) => operation.responses['200']?.headers['X-Total-Count'])
  expect(paged.map(({ operation }) => operation.operationId)).toEqual([
    'listLinks',
    'listLegacyPaths',
    'listBundles',
    'listBundleLinks',
    'listLinkHistory',
    'listChanges',
    'listPlans',
  ])
  for (const { operation } of described)
    for (const { headers } of Object.values(operation.responses))
      for (const name of ['X-Request-Id', 'RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'])
        expect(headers[name]).toEqual({ $ref: `#/components/headers/${name}` })
})

test('L22.1 L22.4: the document is OpenAPI 3.1 with a semantic version, paths relative to /_/api and one bearer scheme', () => {
  expect(document.openapi).toMatch(/^3\.1\.\d+$/)
  expect(document.info.version).toMatch(/^\d+\.\d+\.\d+(-[\w.]+)?$/)
  expect(document.servers).toEqual([{ url: '/_/api' }])
  expect(document.components.securitySchemes).toEqual({ bearerAuth: { type: 'http', scheme: 'bearer' } })
  expect(document.security).toEqual([{ bearerAuth: [] }])
})

/** Checks whether the document allows this value for a field of a body or for a parameter. */
function isAllowed(operationId: string, name: string, value: unknown): boolean | undefined {
  const operation = described.find((each) => each.operation.operationId === operationId)?.operation
  const body = operation?.requestBody?.content['application/json'].schema
  const parameter = operation?.parameters.find((each) => each.name === name)?.schema
  if (parameter) return ajv.validate(standaloneSchema(parameter), value)
  return ajv.validate(standaloneSchema({ ...(bodySchema(body) ?? body), required: [] }), { [name]: value })
}

function bodySchema(body: Json | undefined): Json | undefined {
  const name = (body?.['$ref'] as string | undefined)?.replace('#/components/schemas/', '')
  return name === undefined ? undefined : document.components.schemas[name]
}

test('L23: the document refuses every value that a field or parameter refuses', () => {
  const refused: [string, string, unknown, unknown][] = [
    ['addLinkToBundle', 'link_id', 10 ** 15, 10 ** 15 - 1],
    ['addSlugToLink', 'link_id', 10 ** 15, 10 ** 15 - 1],
    ['getLink', 'id', 10 ** 15, 10 ** 15 - 1],
    ['removeLinkFromBundle', 'linkId', 10 ** 15, 10 ** 15 - 1],
    ['createLink', 'url', 'https://example.com/\0', ' https://example.com/🎈\n'],
    ['createLink', 'url', 'ftp://example.com/', 'HTTP://example.com/a b'],
    ['updateLink', 'label', 'a\0b', 'a\nb🎈'],
    ['createBundle', 'name', '\0', 'Spring 🎈'],
    ['createBundle', 'description', 'a\0', 'a\nb'],
    ['updateBundle', 'icon', '\0', '🎈'],
    ['listLinks', 'owner', '\0', 'ann@example.com'],
    ['listLinks', 'search', '\0', '🎈'],
    ['getLinkBySlug', 'slug', '_a', 'A.b'],
    ['getLinkQr', 'slug', 'a b', 'A.b'],
  ]
  for (const [id, name, beyond, within] of refused)
    expect([id, name, isAllowed(id, name, beyond), isAllowed(id, name, within)]).toEqual([
      id,
      name,
      false,
      true,
    ])
})

test('an answer that is not JSON is documented as text or bytes', () => {
  const operation = document.paths['/links/{id}/qr']?.['get'] as unknown as {
    responses: Record<string, { content: Json }>
  }
  expect(operation.responses['200']?.content).toEqual({
    'image/svg+xml': { schema: { type: 'string', description: 'The code as SVG' } },
    'image/png': { schema: { type: 'string', format: 'binary', description: 'The code as PNG' } },
    'application/pdf': { schema: { type: 'string', format: 'binary', description: 'The code as PDF' } },
  })
})

test('L22.1: the document has every route of the API and no other', () => {
  const offered = apiOperations.flatMap((each) => each.methods.map((method) => `${method} ${each.path}`))
  expect(described.map(({ path, verb }) => `${verb.toUpperCase()} ${path}`).toSorted()).toEqual(
    offered.toSorted(),
  )
})

test('operation ids are unique names that a client can use for methods', () => {
  const ids = described.map(({ operation }) => operation.operationId)
  expect(new Set(ids).size).toBe(ids.length)
  for (const id of ids) expect(id).toMatch(/^[a-z][A-Za-z]+(_\w+)?$/)
})

test('every parameter is declared once, in its place, and path parameters are required', () => {
  for (const { path, operation } of described) {
    const inPath = operation.parameters.filter((parameter) => parameter.in === 'path')
    expect(inPath.map((parameter) => `{${parameter.name}}`)).toEqual(path.match(/\{\w+\}/g) ?? [])
    for (const { name, in: where, required, schema } of operation.parameters) {
      const isExpected = where === 'path' || where === 'query' || name === 'Idempotency-Key'
      expect([path, name, isExpected]).toEqual([path, name, true])
      expect([path, name, required]).toEqual([path, name, where === 'path' || name === 'dimension'])
      expect([path, name, '$ref' in schema || 'type' in schema || 'enum' in schema]).toEqual([
        path,
        name,
        true,
      ])
    }
  }
})

test('every reference resolves, and a validator accepts every schema', () => {
  const references = JSON.stringify(document).match(/"#\/[^"]*"/g) ?? []
  expect(references.length).toBeGreaterThan(10)
  for (const reference of references) {
    const steps = (JSON.parse(reference) as string).slice(2).split('/')
    const target = steps.reduce<unknown>((at, step) => (at as Json | undefined)?.[step], document)
    expect([reference, typeof target]).toEqual([reference, 'object'])
  }
  for (const name of Object.keys(document.components.schemas))
    expect(ajv.getSchema(`api#/components/schemas/${name}`)).toBeFunction()
  for (const { operation } of described)
    for (const { schema } of operation.parameters)
      expect(ajv.compile(standaloneSchema(schema))).toBeFunction()
})

test('defaults and examples are documented, and no bound merely restates the integer type', () => {
  const defaults = Object.fromEntries(
    described.flatMap(({ path, verb, operation }) =>
      operation.parameters.map(({ name, schema }) => [`${verb} ${path} ${name}`, schema['default']]),
    ),
  )
  expect(defaults).toMatchObject({
    'get /links limit': 1000,
    'get /links status': 'all',
    'get /links sort': 'created',
    'get /links/{id}/qr size': 220,
    'get /links/{id}/qr margin': 4,
    'get /links/{id}/qr level': 'M',
    'get /links/{id}/qr dark': '000000',
  })
  expect(document.components.schemas['NewLink']).toMatchObject({
    properties: { url: { examples: ['https://example.com/'] } },
  })
  expect(JSON.stringify(document)).not.toContain(String(Number.MAX_SAFE_INTEGER))
})

test('every operation documents 401, 403, 429, 500 and the failures of its own checks', () => {
  for (const { path, verb, operation } of described) {
    const statuses = Object.keys(operation.responses)
    const expected = ['401', '403', '429', '500', ...(path.includes('{') ? ['404'] : [])]
    if (verb === 'put' || verb === 'patch') expected.push('400', '413')
    expect([path, verb, statuses]).toEqual([path, verb, expect.arrayContaining(expected)])
    expect(statuses.some((status) => status.startsWith('2'))).toBe(true)
    expect(statuses).not.toContain('204')
  }
})

test('every failure of the closed list belongs to an operation or a surface', () => {
  const transport = [
    'unauthorized',
    'forbidden',
    'not_found',
    'method_not_allowed',
    'body_too_large',
    'unsupported_media_type',
  ]
  const everywhere = [...transport, 'invalid_json', 'invalid_request', 'too_many_requests', 'internal']
  // The refusals of the access layer, at the admin side.
  const access = ['api_keys_refused', 'cross_site', 'access_unavailable']
  const storage = ['storage_unavailable', 'outcome_unknown']
  // The reasons of what is not undone, in successful answers.
  const undo = ['later_change', 'undo_needs_rights', 'undo_impossible']
  const own = [...apiOperations, ...adminOperations].flatMap((operation) => operation.failures ?? [])
  expect(
    new Set([
      ...everywhere,
      ...access,
      ...storage,
      ...undo,
      ...idempotencyFailures,
      ...policyFailures,
      ...own,
    ]),
  ).toEqual(new Set(Object.keys(failures)))
})

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, {
    TRUSTED_PROXIES: '127.0.0.1',
    LINKS_DOMAINS: FURTHER,
    LINKS_ADMINS: 'ann@example.com',
  })
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })

  /** Resources for the operation of this path. */
  async function newWorld(path: string): Promise<World> {
    const slug = `open-${++count}`
    const link = await links.createLink(ann, { slug })
    const split = ['a', 'b'].map((name) => ({ url: `https://example.com/${name}`, weight: 1 }))
    await links.call('PUT', `/links/${link.id}/behaviour`, { key: ann, body: { split } })
    const { body } = await links.call('POST', '/bundles', { key: ann, body: { name: 'Open' } })
    const plans = path.startsWith('/plans/') ? await newPlans(link.id) : { openPlan: 0, appliedPlan: 0 }
    return {
      linkId: link.id,
      bundleId: body.id,
      auto: link.slugs[0].slug,
      slug,
      key: ann,
      host: FURTHER,
      changeId: await lastChange(link.id),
      ...plans,
      ...(path.startsWith('/webhooks/') ? await newWebhook() : { webhookId: 0, deliveryId: 0 }),
    }
  }

  async function newPlans(linkId: number): Promise<Pick<World, 'openPlan' | 'appliedPlan'>> {
    // A program has a limited number of open plans.
    await links.database.write((tx) => tx.deleteFrom('plan').where('state', '=', 'open').execute())
    const plan = async (op: object) =>
      (await links.call('POST', '/plans', { key: ann, body: { ops: [op] } })).body.id as number
    const appliedPlan = await plan({
      operation: 'createLink',
      body: bodies['createDomainLink']?.({} as World),
    })
    await links.call('POST', `/plans/${appliedPlan}/apply`, { key: ann })
    const openPlan = await plan({
      operation: 'updateLink',
      params: { id: linkId },
      body: { label: 'Planned' },
    })
    return { openPlan, appliedPlan }
  }

  /** Replaces Ann's webhooks with a new one, because a person may have few. */
  async function newWebhook(): Promise<Pick<World, 'webhookId' | 'deliveryId'>> {
    const { body: all } = await links.call('GET', '/webhooks', { key: ann })
    for (const { id } of all) await links.call('DELETE', `/webhooks/${id}`, { key: ann })
    const body = { url: 'https://receiver.example/hook' }
    const webhookId = (await links.call('POST', '/webhooks', { key: ann, body })).body.webhook.id
    const { id } = await links.database.write((tx) =>
      insertDelivery(tx, {
        webhook_id: webhookId,
        seq: null,
        type: 'webhook.test',
        attempt: 1,
        attempted_at: links.now,
        duration_ms: 1,
        status: 200,
        answer: '',
        error: null,
        request: JSON.stringify({ url: body.url, headers: { 'webhook-id': 'test_1' }, body: '{}' }),
      }),
    )
    return { webhookId, deliveryId: id }
  }

  async function lastChange(linkId: number | string): Promise<number> {
    return (await links.call('GET', `/links/${linkId}/history?limit=1`, { key: ann })).body[0].id
  }

  testOnSqlite('the document is public and served exactly as generated', async () => {
    const response = await links.fetch('/_/api/openapi.json')
    expect([response.status, response.headers.get('content-type')]).toEqual([200, 'application/json'])
    expect(await response.json()).toEqual(document as unknown as Json)
  })

  // `call` checks each answer against the schema that the document has for its status.
  for (const operation of apiOperations)
    for (const method of operation.methods)
      test(`L22.1: ${method} ${operation.path} succeeds with a documented status and shape`, async () => {
        const { path, options } = callOf(operation, method, await newWorld(operation.path))
        const body = document.paths[operation.path]?.[method.toLowerCase()]?.requestBody
        expect(body === undefined).toBe(options.body === undefined)
        if (body)
          expect(ajv.validate(standaloneSchema(body.content['application/json'].schema), options.body)).toBe(
            true,
          )
        const { status } = await links.call(method, path, options)
        expect(status).toBe(operation.status ?? 200)
      })

  testOnSqlite('POST /links answers a duplicate with its other documented status', async () => {
    const { url } = await links.createLink(ann)
    expect((await links.call('POST', '/links', { key: ann, body: { url } })).status).toBe(200)
  })

  const missing = '999999'
  const owners = Object.keys(failures).filter((code) => code.startsWith('not_owner'))
  type Provocation = (world: World, call: (changed?: World) => Call) => Promise<Call> | Call
  const withBody =
    (create: (world: World) => object | Promise<object>): Provocation =>
    async (world, call) => {
      const { options, ...rest } = call()
      return { ...rest, options: { ...options, body: await create(world) } }
    }
  const withOtherVersion: Provocation = (_world, call) => {
    const { options, ...rest } = call()
    return { ...rest, options: { ...options, headers: { 'If-Match': '"9999"' } } }
  }
  /** A call that restores the link to a change after which its URL was the short URL of a free slug. */
  async function restoreWayTo(free: string, { linkId }: World, call: () => Call): Promise<Call> {
    const lead = (url: string) => links.call('PATCH', `/links/${linkId}`, { key: ann, body: { url } })
    await lead(`http://localhost:8080/${free}`)
    const change_id = await lastChange(linkId)
    await lead('https://example.com/elsewhere')
    const { options, ...rest } = call()
    return { ...rest, options: { ...options, body: { change_id } } }
  }
  /** A call that restores a slug that the link has no more. */
  async function restoreRemoved({ linkId, slug, changeId }: World, call: () => Call): Promise<Call> {
    await links.call('DELETE', `/links/${linkId}/slugs/${slug}`, { key: ann })
    const { options, ...rest } = call()
    return { ...rest, options: { ...options, body: { change_id: changeId } } }
  }
  /** Creates the state in which the call fails like this, or returns another call that does. */
  const provoke: Record<string, Provocation> = {
    link_not_found: (world, call) => {
      Object.assign(world, { linkId: missing, slug: 'no-such-slug' })
      const { options, ...rest } = call()
      const body = options.body as Json | undefined
      return {
        ...rest,
        options: { ...options, body: body && { ...body, ...('link_id' in body && { link_id: 999_999 }) } },
      }
    },
    bundle_not_found: (world, call) => call(Object.assign(world, { bundleId: missing })),
    slug_not_found: (world, call) => {
      const { path, ...rest } = call(Object.assign(world, { slug: 'no-such-slug' }))
      if (path.startsWith('/links') && path.endsWith('/explain'))
        return { ...rest, path: `${path}?domain=${FURTHER}` }
      return { ...rest, path: path.endsWith('/qr') ? `${path}?slug=no-such-slug` : path }
    },
    slug_not_on_link: (world, call) => call(Object.assign(world, { slug: 'no-such-slug' })),
    slug_taken: async (world, call) => {
      const { host } = world
      if (call().path.endsWith('/restore')) {
        const restoration = await restoreRemoved(world, call)
        await links.createLink(ben, { slug: world.slug })
        return restoration
      }
      const slug = `open-${++count}`
      await links.createLink(ben, { slug })
      const conflicting = { url: 'https://example.com/taken', slug }
      await links.call('POST', `/domains/${host}/links`, { key: ben, body: conflicting })
      const { options, ...rest } = call()
      return { ...rest, options: { ...options, body: { ...(options.body as Json), slug } } }
    },
    too_many_slugs: async (world, call) => {
      const { linkId } = world
      if (call().path.endsWith('/restore')) {
        const restoration = await restoreRemoved(world, call)
        await fillSlugs(links, Number(linkId))
        return restoration
      }
      await fillSlugs(links, Number(linkId))
      const { options, ...rest } = call()
      return {
        ...rest,
        options: { ...options, body: { ...(options.body as Json), slug: `open-${++count}` } },
      }
    },
    too_many_guest_slugs: async ({ linkId }, call) => {
      const { created_by } = (await links.call('GET', `/links/${linkId}`, { key: ann })).body
      await fillGuestSlugs(links, Number(linkId), created_by === 'ann@example.com' ? ben : ann)
      const { options, ...rest } = call()
      return {
        ...rest,
        options: {
          key: created_by === 'ann@example.com' ? ben : ann,
          body: { ...(options.body as Json), slug: `open-${++count}` },
        },
      }
    },
    link_changed: withOtherVersion,
    domain_changed: withOtherVersion,
    domain_not_found: (world, call) => call(Object.assign(world, { host: 'unknown.example' })),
    not_admin: (world, call) => call(Object.assign(world, { key: ben })),
    alias_of_unknown: withBody(({ host }) => ({ alias_of: host })),
    behaviour_too_long: withBody(() => {
      const part = { url: `https://example.com/${'x'.repeat(2000)}`, weight: 1 }
      return { split: [part, part, part] }
    }),
    redirect_loop: async (world, call) => {
      const { linkId, slug, host } = world
      const free = `open-${++count}`
      const { path, options, ...rest } = call()
      if (path.endsWith('/restore')) {
        const restoration = await restoreWayTo(free, world, call)
        await links.createLink(ann, { slug: free, url: `http://localhost:8080/${slug}` })
        return restoration
      }
      const shortUrl = (name: string) => `http://localhost:8080/${name}`
      const url = path.startsWith('/domains/') ? `http://${host}/${free}` : shortUrl(free)
      await links.call('PATCH', `/links/${linkId}`, { key: ann, body: { url } })
      const body = path.endsWith('/behaviour')
        ? { after_url: shortUrl(slug) }
        : { ...(options.body as Json), slug: free, ...(path.endsWith('/links') && { url: shortUrl(slug) }) }
      return { ...rest, path, options: { ...options, body } }
    },
    too_many_hops: async (world, call) => {
      const free = `open-${++count}`
      const restoration = call().path.endsWith('/restore') && (await restoreWayTo(free, world, call))
      let after_url = 'https://example.com/'
      for (let depth = 0; depth < 6; depth++) {
        const { id, slugs } = await links.createLink(ann, depth === 5 && restoration ? { slug: free } : {})
        await links.call('PUT', `/links/${id}/behaviour`, { key: ann, body: { after_url } })
        after_url = `http://localhost:8080/${slugs[0].slug}`
      }
      if (restoration) return restoration
      const { path, options, ...rest } = call()
      const body = path.endsWith('/behaviour') ? { after_url } : { ...(options.body as Json), url: after_url }
      return { ...rest, path, options: { ...options, body } }
    },
    owner_unknown: async (_world, call) => {
      const { options, ...rest } = call()
      const owner = { owner: 'unknown@example.com' }
      const body = options.body as Json
      return { ...rest, options: { ...options, body: 'set' in body ? { ...body, set: owner } : owner } }
    },
    variant_not_found: withBody(() => ({ variant: '3.1' })),
    change_not_found: withBody(() => ({ change_id: 999_999 })),
    plan_not_found: (world, call) => call(Object.assign(world, { openPlan: missing, appliedPlan: missing })),
    plan_not_open: (world, call) => call(Object.assign(world, { openPlan: world.appliedPlan })),
    plan_not_applied: (world, call) => call(Object.assign(world, { appliedPlan: world.openPlan })),
    plan_outdated: async ({ linkId }, call) => {
      await links.call('PATCH', `/links/${linkId}`, { key: ann, body: { label: 'Another' } })
      return call()
    },
    plan_history_deleted: async (_world, call) => {
      await deleteChangesBefore(links.database, links.now + 1)
      return call()
    },
    operation_not_plannable: withBody(() => ({ ops: [{ operation: 'createKey' }] })),
    password_not_plannable: withBody(({ linkId }) => ({
      ops: [{ operation: 'setBehaviour', params: { id: linkId }, body: { password: 'secret' } }],
    })),
    reference_unknown: withBody(() => ({
      ops: [{ operation: 'enableLink', params: { id: { $op: 0 } } }],
    })),
    // L29.3c
    too_many_clicks_to_plan: withBody(async ({ linkId, slug }) => {
      const clicked = sql`update slug set closed_clicks = 2001 where slug = ${slug}`
      await links.database.write((tx) => clicked.execute(tx))
      return { ops: [{ operation: 'deleteLink', params: { id: linkId }, query: { force: true } }] }
    }),
    not_admin_undo: (_world, call) => ({
      ...call(),
      options: { key: ben, body: { since: 0, identity: 'ann@example.com' } },
    }),
    not_admin_history: (_world, call) => ({
      ...call(),
      path: `${call().path}?identity=ann@example.com`,
      options: { key: ben },
    }),
    events_deleted: (_world, call) => ({ ...call(), path: '/events?after=999999999999' }),
    password_not_kept: withBody(async ({ linkId }) => {
      const put = (body: object) => links.call('PUT', `/links/${linkId}/behaviour`, { key: ann, body })
      await put({ password: 'secret' })
      const change_id = await lastChange(linkId)
      await put({})
      return { change_id }
    }),
    no_password: withBody(() => ({ password: true })),
    disabled_primary: async ({ slug }, call) => {
      await links.call('POST', `/slugs/${slug}/disable`, { key: ann })
      const { options, ...rest } = call()
      return { ...rest, options: { ...options, ...(options.body !== undefined && { body: { slug } }) } }
    },
    auto_slug_disable: (world, call) => call(Object.assign(world, { slug: world.auto })),
    auto_slug_remove: (world, call) => call(Object.assign(world, { slug: world.auto })),
    link_has_clicks: async ({ slug }, call) => {
      await links.fetch(`/${slug}`)
      return call()
    },
    slug_has_clicks: async ({ slug }, call) => {
      await links.fetch(`/${slug}`)
      return call()
    },
    delivery_not_found: (world, call) => call(Object.assign(world, { deliveryId: 999_999 })),
    event_deleted: async ({ deliveryId }, call) => {
      await links.database.write((tx) =>
        tx.updateTable('webhook_delivery').set({ seq: 999_999 }).where('id', '=', deliveryId).execute(),
      )
      return call()
    },
    webhook_not_found: (world, call) => call(Object.assign(world, { webhookId: 999_999 })),
    too_many_webhooks: async (_world, call) => {
      for (;;) {
        const { status } = await links.call('POST', '/webhooks', call().options)
        if (status === 400) return call()
      }
    },
    url_private: withBody(() => ({ url: 'http://10.0.0.1/' })),
    cursor_invalid: (_world, call) => ({ ...call(), path: `${call().path}?cursor=x` }),
    qr_too_small: (_world, call) => ({ ...call(), path: `${call().path}?format=png&size=1` }),
    qr_unreadable: (_world, call) => ({ ...call(), path: `${call().path}?frame=Menu&margin=0` }),
    qr_too_long: (_world, call) => {
      const { options, ...rest } = call()
      return {
        ...rest,
        options: { ...options, headers: { 'X-Forwarded-Host': `${'x'.repeat(3000)}.example` } },
      }
    },
    ...Object.fromEntries(
      owners.map((code) => [
        code,
        (world: World, call: (changed?: World) => Call) => call(Object.assign(world, { key: ben })),
      ]),
    ),
  }
  /** The operation that fails as a part of another one, with the place that the message then names. */
  function partOf(operation: (typeof apiOperations)[number], code: string) {
    if (operation.id === 'createLinks')
      return {
        provoked: createLink,
        place: 'items[0]',
        toBody: ({ options }: Call) => ({ mode: 'all', items: [options.body] }),
      }
    const provoked = [...plannableOperations.values()].find(({ failures: own }) => own?.includes(code))
    if (operation.id === 'createPlan' && provoked)
      return { provoked, place: 'ops[0]', toBody: (call: Call) => planOf(provoked, call) }
    return operation.id === 'createPlan' ? { provoked: operation, place: 'ops[0]' } : { provoked: operation }
  }

  /** Failures whose message contains a number. */
  const worded = new Set(['qr_too_small', 'qr_unreadable'])

  /**
   * Failures that need a database that fails halfway (src/links/removal.test.ts), many changes or plans
   * (test/plans), or a busy machine (src/qr/code-thread.test.ts).
   */
  const elsewhere = new Set(['deletion_stopped', 'too_many_changes', 'too_many_plans', 'qr_unchecked'])

  for (const operation of apiOperations)
    for (const code of (operation.failures ?? []).filter((one) => !elsewhere.has(one)))
      testOnSqlite(`L3.3 L22.1: ${operation.id} can fail with ${code}, as documented`, async () => {
        const { status, text } = failures[code as keyof typeof failures]
        const world = await newWorld(operation.path)
        const { provoked, place, toBody } = partOf(operation, code)
        const make = (changed: World = world) => callOf(provoked, provoked.methods[0], changed)
        const { method, path, options } = (await provoke[code]?.(world, make)) ?? make()
        const reply = toBody
          ? await links.call('POST', operation.path, {
              ...options,
              body: toBody({ method, path, options }),
            })
          : await links.call(method, path, options)
        const message = worded.has(code) ? expect.stringMatching(/^\w+: /) : text
        expect([reply.status, reply.body]).toEqual([
          status,
          { error: place === undefined ? message : `${place}: ${text}` },
        ])
      })
})
