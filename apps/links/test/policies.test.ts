import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { createToolCaller } from './mcp/assistants.ts'
import { sharedTestLinks } from './testing.ts'

const ann = 'ann@example.com'
const ben = 'ben@example.com'
const settings = {
  LINKS_ACCESS: 'header',
  LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
  TRUSTED_PROXIES: '127.0.0.1',
  LINKS_DOMAINS: 'go.example.org',
  LINKS_ADMINS: 'admin@example.com',
  MCP_API_KEYS: 'on',
}

let count = 0
const url = (host = 'example.com') => `https://${host}/policy/${++count}`

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, settings)

  const asPerson = (identity: string, method: string, path: string, body?: unknown) =>
    links.callAdmin(method, path, { headers: { 'X-Forwarded-Email': identity }, body })

  /** A key of this person with a policy. */
  async function assistant(rules: object, identity = ann) {
    const key = await links.key(identity)
    const [{ id } = { id: 0 }] = await links.rows<{ id: number }>('select max(id) as id from api_key')
    const { status } = await asPerson(identity, 'PUT', `/policies/key:${id}`, rules)
    expect(status).toBe(200)
    return { key, id: `key:${id}` }
  }

  const call = async (key: string, method: string, path: string, body?: unknown) => {
    const { status, headers, body: answer } = await links.call(method, path, { key, body })
    return { status, code: headers.get('x-error-code'), answer }
  }
  const create = (key: string, body: object = { url: url() }) => call(key, 'POST', '/links', body)
  const rowsIn = async (table: string) => (await links.rows(`select * from ${table}`)).length

  describe('what a program may write', () => {
    testOnSqlite('L29.4f: without a policy it may do all that its person may', async () => {
      expect((await create(await links.key(ann))).status).toBe(201)
    })

    testOnSqlite('L29.4c, L29.4j: with `writes: none` it reads, and makes no plans either', async () => {
      const { key } = await assistant({ writes: 'none' })
      expect((await call(key, 'GET', '/links')).status).toBe(200)
      expect(await create(key)).toMatchObject({ status: 403, code: 'policy_read_only' })
      const plan = { ops: [{ operation: 'createLink', body: { url: url() } }] }
      expect(await call(key, 'POST', '/plans', plan)).toMatchObject({ status: 403, code: 'policy_read_only' })
    })

    testOnSqlite('L29.4c: with `writes: plan` it writes by plans only', async () => {
      const { key } = await assistant({ writes: 'plan' })
      expect(await create(key)).toMatchObject({ status: 403, code: 'policy_plan_needed' })
      const plan = await call(key, 'POST', '/plans', {
        ops: [{ operation: 'createLink', body: { url: url() } }],
      })
      expect((await call(key, 'POST', `/plans/${plan.answer.id}/apply`)).status).toBe(200)
      expect((await call(key, 'POST', `/plans/${plan.answer.id}/undo`)).answer).toMatchObject({ undone: 1 })
    })

    testOnSqlite(
      'L29.4e: it discards its own plans, and those of its person only if it may write without them',
      async () => {
        const plan = { ops: [{ operation: 'createLink', body: { url: url() } }] }
        const { body: own } = await asPerson(ann, 'POST', '/plans', plan)
        const discard = (key: string, id: number) => call(key, 'POST', `/plans/${id}/discard`)
        const reader = await assistant({ writes: 'none' })
        expect((await discard(reader.key, own.id)).code).toBe('policy_read_only')
        const waiter = await assistant({ confirm: 'always' })
        expect((await discard(waiter.key, own.id)).code).toBe('policy_confirmation_needed')
        const { answer: made } = await call(waiter.key, 'POST', '/plans', plan)
        expect((await discard(waiter.key, made.id)).status).toBe(200)
        expect((await discard(await links.key(ann), own.id)).status).toBe(200)
      },
    )

    testOnSqlite(
      'L29.4d: it opens no way to a forbidden host: by a slug, by enabling, or without an end',
      async () => {
        const { key } = await assistant({ hosts: ['example.com'] })
        const owner = await links.key(ann)
        const foreign = await links.createLink(await links.key(ben), { url: url('evil.example') })
        const own = await links.createLink(owner, { url: url('evil.example') })
        const path = `/links/${own.id}`
        const addSlug = (id: number) => call(key, 'POST', `/links/${id}/slugs`, { slug: `policy-${++count}` })
        expect((await addSlug(foreign.id)).code).toBe('policy_host')
        expect((await call(key, 'POST', `${path}/disable`)).status).toBe(200)
        expect((await call(key, 'POST', `${path}/enable`)).code).toBe('policy_host')
        await call(owner, 'PATCH', path, { expires_at: links.now + 60 })
        expect((await call(key, 'PATCH', path, { expires_at: null })).code).toBe('policy_host')
        const behaviour = { split: [1, 2].map((weight) => ({ url: url(), weight })) }
        await call(owner, 'PUT', `${path}/behaviour`, behaviour)
        expect((await call(key, 'DELETE', `${path}/behaviour`)).code).toBe('policy_host')
        expect((await call(key, 'PATCH', path, { label: 'Read only' })).status).toBe(200)
        const allowed = await links.createLink(owner, { url: url() })
        expect((await addSlug(allowed.id)).status).toBe(201)
      },
    )

    testOnSqlite(
      'L29.4: it neither changes nor deletes a link of a bundle that it may not change',
      async () => {
        const { key } = await assistant({ bundles: [] })
        const owner = await links.key(ann)
        const link = await links.createLink(owner, { url: url() })
        const { answer: bundle } = await call(owner, 'POST', '/bundles', { name: 'Protected' })
        await call(owner, 'POST', `/bundles/${bundle.id}/links`, { link_id: link.id })
        expect((await call(key, 'PATCH', `/links/${link.id}`, { label: 'No' })).code).toBe('policy_bundle')
        expect((await call(key, 'DELETE', `/links/${link.id}`)).code).toBe('policy_bundle')
        expect((await create(key)).status).toBe(201)
      },
    )

    testOnSqlite(
      'L19: an assistant applies no plan that deletes clicks, also of its person, and gets the address of its page',
      async () => {
        const owner = await links.key(ann)
        const link = await links.createLink(owner, { url: url() })
        const { answer: plan } = await call(owner, 'POST', '/plans', {
          ops: [{ operation: 'deleteLink', params: { id: link.id }, query: { force: true } }],
        })
        const outcome = await createToolCaller(links, () => owner)('apply_plan', { plan_id: plan.id })
        expect(outcome.isError).toBe(true)
        expect(outcome.text).toContain(`/_/admin/plans/${plan.id}`)
        expect(outcome.text).toContain('get_plan')
        expect(outcome.text).not.toContain('plan_changes')
        expect((await call(owner, 'GET', `/links/${link.id}`)).status).toBe(200)
        expect((await call(owner, 'POST', `/plans/${plan.id}/apply`)).status).toBe(200)
      },
    )

    testOnSqlite('L29.4k: what its person must confirm is applied by the person only', async () => {
      const { key } = await assistant({ confirm: 'always' })
      const { answer: plan } = await call(key, 'POST', '/plans', {
        ops: [{ operation: 'createLink', body: { url: url() } }],
      })
      const apply = `/plans/${plan.id}/apply`
      const refused = await call(key, 'POST', apply)
      expect(refused).toMatchObject({ status: 403, code: 'policy_confirmation_needed' })
      expect(refused.answer.error).toEndWith(`/_/admin/plans/${plan.id}`)
      for (const words of [{ confirm: true }, { confirmed: 'yes' }, { identity: ann }])
        expect((await call(key, 'POST', apply, words)).status).toBeGreaterThanOrEqual(400)
      expect((await asPerson(ben, 'POST', apply)).status).toBe(404)
      expect(await asPerson(ann, 'POST', apply)).toMatchObject({ status: 200, body: { state: 'applied' } })
      expect(await call(key, 'POST', `/plans/${plan.id}/undo`)).toMatchObject({
        code: 'policy_confirmation_needed',
      })
    })

    testOnSqlite('L29.4c, L29.4i: with `confirm: destructive` it adds, and takes nothing away', async () => {
      const { key } = await assistant({ confirm: 'destructive' })
      const { status, answer: link } = await create(key)
      expect(status).toBe(201)
      const path = `/links/${link.id}`
      expect((await call(key, 'PATCH', path, { label: 'Label' })).status).toBe(200)
      const slug = `more-${++count}`
      expect((await call(key, 'POST', `${path}/slugs`, { slug })).status).toBe(201)
      for (const [method, target, body] of [
        ['PATCH', path, { url: url() }],
        ['PATCH', path, { expires_at: links.now + 60 }],
        ['PUT', `${path}/behaviour`, { password: 'correct horse' }],
        ['PUT', `${path}/behaviour`, { after_url: url() }],
        ['POST', `${path}/disable`],
        ['POST', `${path}/transfer`, { owner: ben, confirm: true }],
        ['DELETE', path],
        ['DELETE', `/slugs/${slug}`],
        ['POST', '/webhooks', { url: url() }],
        ['PATCH', '/bulk/links', { ids: [link.id], set: { label: 'Other', disabled: true } }],
      ] as const)
        expect([target, await call(key, method, target, body)]).toEqual([
          target,
          expect.objectContaining({ status: 403, code: 'policy_confirmation_needed' }),
        ])
      expect((await call(key, 'GET', path)).answer).toMatchObject({ url: link.url, created_by: ann })
    })

    test('L29.4c: it makes so many changes within an hour, and all of a request or none', async () => {
      const { key } = await assistant({ writes_per_hour: 3 })
      expect((await create(key)).status).toBe(201)
      const items = [1, 2, 3].map(() => ({ url: url() }))
      const before = await rowsIn('link')
      const many = await call(key, 'POST', '/bulk/links', { mode: 'all', items })
      expect(many).toMatchObject({ status: 429, code: 'policy_writes_per_hour' })
      expect(await rowsIn('link')).toBe(before)
      const fewer = await call(key, 'POST', '/bulk/links', { mode: 'all', items: items.slice(1) })
      expect(fewer.status).toBe(200)
      expect((await create(key)).status).toBe(429)
      links.advance(3_601)
      expect((await create(key)).status).toBe(201)
    })

    test('L29.4: requests at once make no more changes than one after the other', async () => {
      const { key } = await assistant({ writes_per_hour: 3 })
      const statuses = await Promise.all(Array.from({ length: 8 }, async () => (await create(key)).status))
      expect(statuses.filter((status) => status === 201)).toHaveLength(3)
    })

    testOnSqlite(
      'L29.4c: its links lead to the hosts of its policy only, by their behaviour, too',
      async () => {
        const { key } = await assistant({ hosts: ['example.com', '*.example.org'] })
        const { answer: link } = await create(key)
        expect((await create(key, { url: url('shop.example.org') })).status).toBe(201)
        for (const host of ['example.net', 'example.com.evil.test', 'www.example.com', 'example.org'])
          expect([host, (await create(key, { url: url(host) })).code]).toEqual([host, 'policy_host'])
        for (const body of [
          { after_url: url('evil.test') },
          {
            split: [
              { url: url(), weight: 1 },
              { url: url('evil.test'), weight: 1 },
            ],
          },
          { rules: [{ when: { country: ['SE'] }, to: url('evil.test') }] },
        ])
          expect((await call(key, 'PUT', `/links/${link.id}/behaviour`, body)).code).toBe('policy_host')
        expect((await call(key, 'PATCH', `/links/${link.id}`, { url: url('evil.test') })).code).toBe(
          'policy_host',
        )
        expect((await call(key, 'GET', `/links/${link.id}/behaviour`)).answer).toEqual({})
        expect((await call(key, 'POST', '/webhooks', { url: url('evil.test') })).code).toBe('policy_host')
      },
    )

    testOnSqlite('L29.3k: its plan warns of the hosts that its policy forbids', async () => {
      const { key } = await assistant({ hosts: ['*.allowed.example'] })
      const plan = (destination: string) => ({
        ops: [{ operation: 'createLink', body: { url: destination } }],
      })
      const warningsOf = async (destination: string) =>
        (await call(key, 'POST', '/plans', plan(destination))).answer.warnings
      expect(await warningsOf('https://allowed.example@forbidden.example/')).toContainEqual({
        code: 'forbidden_hosts',
        count: 1,
        hosts: ['forbidden.example'],
      })
      expect(JSON.stringify(await warningsOf('https://a.allowed.example/'))).not.toContain('forbidden_hosts')
    })

    testOnSqlite('L29.4c: it changes the bundles of its policy only', async () => {
      const ids = await Promise.all(
        ['One', 'Two'].map(
          async (name) => (await asPerson(ann, 'POST', '/bundles', { name })).body.id as number,
        ),
      )
      const { key } = await assistant({ bundles: [ids[0]] })
      const { answer: link } = await create(key)
      const add = (id: number | undefined) => call(key, 'POST', `/bundles/${id}/links`, { link_id: link.id })
      expect((await add(ids[0])).status).toBe(200)
      expect((await add(ids[1])).code).toBe('policy_bundle')
      expect((await call(key, 'PATCH', `/bundles/${ids[1]}`, { name: 'New' })).code).toBe('policy_bundle')
      expect((await call(key, 'POST', '/bundles', { name: 'Three' })).code).toBe('policy_bundle')
    })
  })

  describe('who sets a policy', () => {
    testOnSqlite('L29.4h: a policy binds its program wherever it calls, and no other', async () => {
      const { key } = await assistant({ confirm: 'always' })
      const tool = await createToolCaller(links, () => key)('create_link', { url: url() })
      expect(tool.isError).toBe(true)
      expect(tool.text).toContain('plan_changes')
      expect((await create(await links.key(ann))).status).toBe(201)
      expect((await asPerson(ann, 'POST', '/links', { url: url() })).status).toBe(201)
    })

    testOnSqlite(
      'L29.4n: a program cannot read or set a policy, and a repeated request does not pass by it',
      async () => {
        const { key, id } = await assistant({ writes: 'direct' })
        const body = { url: url() }
        const headers = { 'Idempotency-Key': `policy-${++count}` }
        const first = await links.call('POST', '/links', { key, body, headers })
        await asPerson(ann, 'PUT', `/policies/${id}`, { confirm: 'always' })
        expect((await call(key, 'PUT', `/policies/${id}`, { confirm: 'never' })).status).toBe(404)
        const admin = await links.callAdmin('PUT', `/policies/${id}`, {
          headers: { Authorization: `Bearer ${key}` },
          body: { confirm: 'never' },
        })
        expect(admin.status).toBe(401)
        const before = await rowsIn('link')
        const replayed = await links.call('POST', '/links', { key, body, headers })
        expect([replayed.status, replayed.body]).toEqual([201, first.body])
        expect(await rowsIn('link')).toBe(before)
      },
    )

    test('L29.4n: people set their own policies, and administrators those of everyone', async () => {
      const { id } = await assistant({ writes: 'plan' })
      const others = `/policies/${id}?identity=${ann}`
      expect((await asPerson(ben, 'PUT', others, {})).status).toBe(403)
      expect((await asPerson(ben, 'GET', `/policies?identity=${ann}`)).status).toBe(403)
      expect((await asPerson(ben, 'PUT', `/policies/${id}`, {})).body.error).toBe('Assistant not found')
      const changed = await asPerson('admin@example.com', 'PUT', others, { writes: 'none' })
      expect(changed.body).toMatchObject({ identity: ann, assistant: id, writes: 'none' })
      const listed = (await asPerson(ann, 'GET', '/policies')).body as { assistant: string; writes: string }[]
      expect(listed.find(({ assistant: each }) => each === id)).toMatchObject({
        writes: 'none',
        name: 'test',
      })
    })

    testOnSqlite(
      'L29.4g: the policy `default` binds programs that have none yet, and no person',
      async () => {
        const eve = 'eve@example.com'
        const bound = await assistant({ writes: 'direct' }, eve)
        const key = await links.key(eve)
        expect((await create(key)).status).toBe(201)
        expect((await asPerson(eve, 'PUT', '/policies/default', { writes: 'none' })).body).toMatchObject({
          assistant: 'default',
          name: null,
          writes: 'none',
        })
        expect(await create(key)).toMatchObject({ status: 403, code: 'policy_read_only' })
        expect((await create(await links.key(eve))).code).toBe('policy_read_only')
        expect((await create(bound.key)).status).toBe(201)
        expect((await asPerson(eve, 'POST', '/links', { url: url() })).status).toBe(201)
        expect((await create(await links.key(ben))).status).toBe(201)
        const listed = (await asPerson(eve, 'GET', '/policies')).body as {
          assistant: string
          writes: string
        }[]
        expect(listed.map(({ writes }) => writes)).toEqual(['direct', 'none', 'none', 'none'])
        expect(listed.at(-1)?.assistant).toBe('default')
        expect((await asPerson(eve, 'GET', '/policies/client:new')).body).toMatchObject({ writes: 'none' })
      },
    )

    testOnSqlite(
      'L29.4o: a policy for names that are nowhere needs a confirmation, and their number is limited',
      async () => {
        const set = (program: string, query = '') =>
          asPerson('admin@example.com', 'PUT', `/policies/${program}${query}`, { writes: 'none' })
        const codeOf = async (answer: ReturnType<typeof set>) =>
          (await answer).body.code as string | undefined
        const before = await rowsIn('policy')
        expect(await codeOf(set('client:misspelt'))).toBe('program_unknown')
        expect(await codeOf(set('default', '?identity=nobody@example.com'))).toBe('program_unknown')
        expect(await codeOf(set('client', '?identity='))).toBe('program_unknown')
        expect(await rowsIn('policy')).toBe(before)
        expect((await set('client')).status).toBe(200)
        expect((await set('client:early', '?confirm=true')).status).toBe(200)
        expect((await set('client:early')).status).toBe(200)
        const codes = await Promise.all(
          Array.from({ length: 220 }, (_, at) => codeOf(set(`client:${at}`, '?confirm=true'))),
        )
        expect(codes.filter((code) => code === 'too_many_policies')).toHaveLength(21)
        expect(codes.filter((code) => code === undefined)).toHaveLength(199)
        expect((await set('client:early')).status).toBe(200)
        expect((await set('default')).status).toBe(200)
      },
    )

    testOnSqlite('L29.4: a policy has valid values', async () => {
      const { id } = await assistant({})
      for (const body of [
        { writes: 'sometimes' },
        { confirm: true },
        { writes_per_hour: 0 },
        { hosts: [] },
        { hosts: ['https://example.com'] },
        { bundles: ['1'] },
        { invented: 1 },
      ])
        expect([body, (await asPerson(ann, 'PUT', `/policies/${id}`, body)).status]).toEqual([body, 400])
      for (const program of ['eve', `key:0${id.slice(4)}`, 'key:', 'client:', 'Client', 'defaults'])
        expect([program, (await asPerson(ann, 'PUT', `/policies/${program}`, {})).status]).toEqual([
          program,
          404,
        ])
    })
  })
})
