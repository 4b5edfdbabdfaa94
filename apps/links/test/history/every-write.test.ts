import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { adminOperations, apiOperations } from '../../src/http/operations.ts'
import { tools } from '../../src/mcp/tools.ts'
import { createToolCaller } from '../mcp/assistants.ts'
import {
  type RuleResources,
  SHORT_DOMAIN,
  address,
  adminRules,
  createOwnedResources,
  requiredQuery,
} from '../ownership-rules.ts'
import { sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
const signedIn = { 'X-Forwarded-Email': ann }
const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
  LINKS_DOMAINS: SHORT_DOMAIN,
  LINKS_ADMINS: ann,
  MCP_API_KEYS: 'on',
}

/** Operations that write neither links nor bundles, or nothing in these tests. */
const OTHERS = [
  'PUT /domains/{host}',
  'POST /keys',
  'DELETE /keys/{id}',
  'PUT /settings',
  'PUT /defaults',
  'POST /utm-templates',
  'PUT /utm-templates/{id}',
  'DELETE /utm-templates/{id}',
  'PUT /qr-presets',
  'DELETE /qr-presets/{id}',
  'PUT /policies/{assistant}',
  'POST /import/inspect',
  'POST /plans',
  'POST /plans/{id}/discard',
  'POST /changes/undo',
]

/** Writes of plans only, and an undo that finds nothing to write. */
const FREE = ['POST /plans', 'POST /plans/{id}/discard', 'POST /changes/undo']

/** Webhooks have no history either (webhooks/operations.test.ts). */
const writesOf = (operations: typeof adminOperations) =>
  operations
    .filter(({ path }) => !path.startsWith('/webhooks'))
    .flatMap(({ methods, path }) =>
      methods
        .filter((method) => method !== 'GET')
        .map((method) => ({ method: method as string, path, name: `${method} ${path}` })),
    )

let count = 0
const url = () => `https://example.com/tool/${++count}`

/** Arguments of each tool that writes. A tool without a line fails the first test. */
const toolCalls: Record<string, (resources: RuleResources) => Record<string, unknown>> = {
  create_link: () => ({ url: url() }),
  create_links: () => ({ links: [{ url: url() }] }),
  update_link: ({ linkId }) => ({ link_id: linkId, label: 'By tool' }),
  disable_link: ({ linkId }) => ({ link_id: linkId }),
  enable_link: ({ linkId }) => ({ link_id: linkId }),
  delete_link: ({ linkId }) => ({ link_id: linkId }),
  add_custom_slug: ({ linkId }) => ({ link_id: linkId, slug: `tool-${++count}` }),
  disable_slug: ({ linkId, slug }) => ({ link_id: linkId, slug }),
  enable_slug: ({ linkId, slug }) => ({ link_id: linkId, slug }),
  set_primary_slug: ({ linkId, slug }) => ({ link_id: linkId, slug }),
  remove_slug: ({ linkId, slug }) => ({ link_id: linkId, slug }),
  set_link_behaviour: ({ linkId }) => ({ link_id: linkId, behaviour: { after_url: url() } }),
  create_bundle: () => ({ name: 'By tool' }),
  update_bundle: ({ bundleId }) => ({ bundle_id: bundleId, name: 'By tool' }),
  delete_bundle: ({ bundleId }) => ({ bundle_id: bundleId }),
  archive_bundle: ({ bundleId }) => ({ bundle_id: bundleId }),
  unarchive_bundle: ({ bundleId }) => ({ bundle_id: bundleId }),
  add_link_to_bundle: ({ bundleId, linkId }) => ({ bundle_id: bundleId, link_id: linkId }),
  remove_link_from_bundle: ({ bundleId, linkId }) => ({ bundle_id: bundleId, link_id: linkId }),
  apply_plan: ({ planId }) => ({ plan_id: planId }),
  undo_plan: ({ planId }) => ({ plan_id: planId }),
}

/** Tools that write plans, of which links and bundles stay as they are. */
const planToolCalls: typeof toolCalls = {
  plan_changes: ({ linkId }) => ({
    ops: [{ operation: 'updateLink', params: { id: linkId }, body: { label: 'By tool' } }],
  }),
  discard_plan: ({ planId }) => ({ plan_id: planId }),
}

/** The route whose preparation suits a tool. */
const preparations: Record<string, string> = {
  enable_link: 'POST /links/{id}/enable',
  enable_slug: 'POST /links/{id}/slugs/{slug}/enable',
  unarchive_bundle: 'POST /bundles/{id}/unarchive',
  undo_plan: 'POST /plans/{id}/undo',
  remove_link_from_bundle: 'DELETE /bundles/{id}/links/{linkId}',
}

test('L29.1: every tool that writes is called here', () => {
  const writing = [...tools.values()].filter(({ effect }) => effect !== 'read').map(({ name }) => name)
  const called = Object.keys({ ...toolCalls, ...planToolCalls })
  expect(called.toSorted()).toEqual(writing.toSorted())
})

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)

  const prepare = (name: string) =>
    createOwnedResources(name, (method, path, body) =>
      links.callAdmin(method, path, { headers: signedIn, body }),
    )

  /** The changes that the work adds, each of which has one event, in the same order (L30.1). */
  async function changesOf(work: () => Promise<unknown>): Promise<Record<string, unknown>[]> {
    const [last] = await links.rows<{ id: number | null; seq: number | null }>(
      'select (select max(id) from history) as id, (select max(seq) from event) as seq',
    )
    await work()
    const changes = await links.rows<Record<string, unknown>>(
      `select * from history where id > ${last?.id ?? 0} order by id`,
    )
    const events = await links.rows<{ type: string; data: string }>(
      `select type, data from event where seq > ${last?.seq ?? 0} and type not in ('plan.pending', 'link.imported') order by seq`,
    )
    const subjects = events.map(({ type, data }) => {
      const { link_id = null, bundle_id = null, via, identity } = JSON.parse(data)
      return { kind: type, link_id, bundle_id, via, identity }
    })
    const expected = changes.map(({ kind, link_id, bundle_id, via, identity }) => ({
      kind,
      link_id,
      bundle_id,
      via,
      identity,
    }))
    expect(subjects as unknown).toEqual(expected)
    return changes
  }

  /** A key that writes nothing without its person. */
  async function supervisedKey(): Promise<string> {
    const key = await links.key(ann)
    const [{ id } = { id: 0 }] = await links.rows<{ id: number }>('select max(id) as id from api_key')
    const path = `/policies/key:${id}`
    const reply = await links.callAdmin('PUT', path, { headers: signedIn, body: { confirm: 'always' } })
    expect(reply.body).toMatchObject({ assistant: `key:${id}`, confirm: 'always', writes: 'direct' })
    return key
  }

  const surfaces = {
    app: writesOf(adminOperations),
    api: writesOf(apiOperations),
  } as const

  for (const via of ['app', 'api'] as const)
    describe(`by the ${via}`, () => {
      for (const { method, path, name } of surfaces[via])
        test(`L29.1, L29.1e, L30.1: ${name} adds ${OTHERS.includes(name) ? 'no change' : 'one change of what it writes, with its event'}`, async () => {
          const resources = await prepare(name)
          const key = await links.key(ann)
          let requestId: string | null = null
          const changes = await changesOf(async () => {
            const body = adminRules[name]?.body?.(resources)
            const target = address(path, resources) + requiredQuery(path)
            const reply =
              via === 'app'
                ? await links.callAdmin(method, target, { headers: signedIn, body })
                : await links.call(method, target, { key, body })
            requestId = reply.headers.get('x-request-id')
          })
          if (OTHERS.includes(name)) return expect(changes).toEqual([])
          expect(changes).toHaveLength(1)
          const isImport = path === '/import'
          expect(changes[0]).toMatchObject({
            identity: ann,
            via: isImport ? 'import' : via,
            assistant: via === 'api' ? expect.stringMatching(/^key:\d+$/) : null,
            assistant_name: via === 'api' ? 'test' : null,
            tool: null,
            request_id: isImport ? null : requestId,
            changed_at: links.now,
          })
        })
    })

  describe('by a program whose person confirms all writes', () => {
    for (const { method, path, name } of surfaces.api.filter((each) => !FREE.includes(each.name)))
      testOnSqlite(`L29.4h: ${name} is refused, and writes nothing`, async () => {
        const resources = await prepare(name)
        const key = await supervisedKey()
        const changes = await changesOf(async () => {
          const target = address(path, resources) + requiredQuery(path)
          const { status, headers } = await links.call(method, target, {
            key,
            body: adminRules[name]?.body?.(resources),
          })
          expect([status, headers.get('x-error-code')]).toEqual([403, 'policy_confirmation_needed'])
        })
        expect(changes).toEqual([])
      })

    for (const [name, args] of Object.entries(toolCalls))
      testOnSqlite(`L29.4h: ${name} is refused, and writes nothing`, async () => {
        const resources = await prepare(preparations[name] ?? '')
        const key = await supervisedKey()
        const changes = await changesOf(async () => {
          const { text, isError } = await createToolCaller(links, () => key)(name, args(resources))
          expect([isError, text]).toEqual([true, expect.stringContaining('person')])
        })
        expect(changes).toEqual([])
      })
  })

  describe('by a tool', () => {
    for (const [name, args] of Object.entries(toolCalls))
      testOnSqlite(`L29.1b, L30.1: ${name} adds one change, with the tool and the key`, async () => {
        const resources = await prepare(preparations[name] ?? '')
        const key = await links.key(ann)
        const call = createToolCaller(links, () => key)
        const changes = await changesOf(async () => {
          const outcome = await call(name, args(resources))
          expect([outcome.text, outcome.isError]).toEqual([outcome.text, false])
        })
        expect(changes).toHaveLength(1)
        expect(changes[0]).toMatchObject({ identity: ann, via: 'mcp', tool: name, assistant_name: 'test' })
        expect(changes[0]?.['request_id']).toMatch(/^[0-9a-f-]{36}$/)
      })
  })

  for (const [name, args] of Object.entries(planToolCalls))
    testOnSqlite(`L29.1a: ${name} adds no change`, async () => {
      const resources = await prepare('')
      const key = await links.key(ann)
      const changes = await changesOf(async () => {
        const outcome = await createToolCaller(links, () => key)(name, args(resources))
        expect([outcome.text, outcome.isError]).toEqual([outcome.text, false])
      })
      expect(changes).toEqual([])
    })

  test('L29.1: a bulk creation adds a change for each link, and one that fails adds none', async () => {
    const key = await links.key(ann)
    const slug = `once-${++count}`
    const create = (mode: string, items: object[]) =>
      links.call('POST', '/bulk/links', { key, body: { mode, items } })
    const items = [{ url: url(), slug }, { url: url(), slug }, { url: url() }]
    const refused = await changesOf(async () => expect((await create('all', items)).status).toBe(409))
    expect(refused).toEqual([])
    const changes = await changesOf(async () => expect((await create('each', items)).status).toBe(200))
    expect(changes.map(({ kind }) => kind)).toEqual(['link.created', 'link.created'])
    const reused = await changesOf(() => create('each', [{ url: items[2]?.url }]))
    expect(reused).toEqual([])
  })

  testOnSqlite(
    'L29.1: a bulk change adds one change for each link that it changes, and none for the others',
    async () => {
      const key = await links.key(ann)
      const ids = [(await links.createLink(key)).id, (await links.createLink(key, { label: 'Same' })).id]
      const foreign = (await links.createLink(await links.key('ben@example.com'))).id
      const { bundleId } = await prepare('')
      const body = { ids: [...ids, foreign, 999_999], set: { label: 'Same', bundle: bundleId } }
      const changes = await changesOf(() => links.call('PATCH', '/bulk/links', { key, body }))
      expect(changes.map(({ kind, link_id }) => [kind, link_id])).toEqual([
        ['link.updated', ids[0]],
        ['bundle.link_added', ids[0]],
        ['bundle.link_added', ids[1]],
      ])
    },
  )

  testOnSqlite(
    'L29.1a: a repeated request with an idempotency key adds no second change, and a refused one none',
    async () => {
      const key = await links.key(ann)
      const post = (body: object, name: string) =>
        links.call('POST', '/links', { key, body, headers: { 'Idempotency-Key': name } })
      const body = { url: url() }
      const changes = await changesOf(async () => {
        const first = await post(body, 'once')
        expect((await post(body, 'once')).body).toEqual(first.body)
        const { slug } = first.body.slugs[0]
        expect((await post({ url: url(), slug }, 'refused')).status).toBe(409)
      })
      expect(changes.map(({ kind }) => kind)).toEqual(['link.created'])
    },
  )

  testOnSqlite(
    'L29.1f: a change has the old and the new values, and of a password only that it is set',
    async () => {
      const key = await links.key(ann)
      const { id, slugs } = await links.createLink(key, { label: 'Before', slug: `valued-${++count}` })
      const [made] = await links.rows<{ after_values: string }>(
        `select * from history where link_id = ${id} order by id`,
      )
      expect(JSON.parse(made?.after_values ?? '')).toMatchObject({
        label: 'Before',
        created_by: ann,
        slugs: expect.arrayContaining(
          slugs.map(({ slug }: { slug: string }) => expect.objectContaining({ slug })),
        ),
      })
      await links.call('PATCH', `/links/${id}`, { key, body: { label: null } })
      const password = (word: string) =>
        links.call('PUT', `/links/${id}/behaviour`, { key, body: { password: word } })
      await password('correct horse')
      await password('battery staple')
      await links.call('DELETE', `/links/${id}`, { key })
      const rows = await links.rows<{
        kind: string
        before_values: string | null
        after_values: string | null
      }>(`select * from history where link_id = ${id} order by id`)
      const parsed = rows.map((row) => [
        row.kind,
        JSON.parse(row.before_values ?? 'null'),
        JSON.parse(row.after_values ?? 'null'),
      ])
      expect(parsed.slice(1)).toEqual([
        ['link.updated', { label: 'Before' }, { label: null }],
        ['link.updated', { password: null, behaviour: null }, { password: 'set', behaviour: {} }],
        ['link.updated', { password: 'set' }, { password: 'set' }],
        ['link.deleted', expect.objectContaining({ password: 'set', created_by: ann }), null],
      ])
      expect(JSON.stringify(rows)).not.toContain('argon2')
    },
  )

  test('L29.1h: nothing changes or deletes history', async () => {
    await links.createLink(await links.key(ann))
    const [before] = await links.rows('select count(*) as changes, max(id) as last from history')
    for (const statement of [
      `update history set identity = 'eve'`,
      'delete from history',
      `delete from history where id = 1`,
    ]) {
      const write = links.database.write((tx) => sql.raw(statement).execute(tx))
      expect(String(await write.catch((error: unknown) => error))).toContain('history is append-only')
    }
    expect(await links.rows('select count(*) as changes, max(id) as last from history')).toEqual([
      before ?? {},
    ])
  })
})
