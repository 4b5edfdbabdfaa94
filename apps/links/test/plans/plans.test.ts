import { describe, expect, test } from 'bun:test'
import type { Database } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { apiOperations } from '../../src/http/operations.ts'
import { recordChanges } from '../../src/record-changes.ts'
import { lockLinkForWrite, updateLinkRow } from '../../src/links/store.ts'
import { plannableOperations } from '../../src/plans/plannable.ts'
import { deleteOldPlans } from '../../src/plans/store.ts'
import { clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
const ben = 'ben@example.com'
const admin = 'admin@example.com'

let count = 0
const newSlug = () => `planned-${++count}`
const newUrl = () => `https://example.com/planned/${++count}`

test('L29.3: every operation that writes links or bundles can be planned, except those of plans', () => {
  const others = new Set(['setDomain', 'createPlan', 'applyPlan', 'discardPlan', 'undoPlan', 'undoChanges'])
  const writes = apiOperations.filter(({ scope, id }) => scope === 'create' && !others.has(id))
  expect([...plannableOperations.keys()].toSorted()).toEqual(writes.map(({ id }) => id).toSorted())
})

eachDialect((dialect, newDatabaseUrl, testOnSqlite) => {
  const links = sharedTestLinks(newDatabaseUrl, { LINKS_ADMINS: admin })

  const plan = (key: string, ops: object[], fields = {}) =>
    links.call('POST', '/plans', { key, body: { ops, ...fields } })
  const act = (key: string, id: number, verb: string) => links.call('POST', `/plans/${id}/${verb}`, { key })
  const read = (key: string, path: string) => links.call('GET', path, { key })

  async function createOpenPlan(key: string, ops: object[]): Promise<number> {
    const { status, body } = await plan(key, ops)
    expect({ status, body }).toMatchObject({ status: 201, body: { state: 'open' } })
    return body.id
  }

  const label = (id: number, text: string) => ({
    operation: 'updateLink',
    params: { id },
    body: { label: text },
  })

  describe('L29.3: a plan', () => {
    test('L29.3g, L29.3h: shows what its operations would change, and changes nothing until it is applied', async () => {
      const key = await links.key(ann)
      const link = await links.createLink(key, { label: 'Before' })
      const { plan: _, ...before } = await links.databaseState()
      const { body } = await plan(key, [label(link.id, 'After')], { title: 'Better labels' })
      expect(body).toMatchObject({
        title: 'Better labels',
        state: 'open',
        identity: ann,
        via: 'api',
        assistant_name: 'test',
        op_count: 1,
        change_count: 1,
        destructive: false,
        expires_at: links.now + 86_400,
        diff: [
          { kind: 'link.updated', link_id: link.id, before: { label: 'Before' }, after: { label: 'After' } },
        ],
        warnings: [],
        versions: [{ link_id: link.id, bundle_id: null, version: '1' }],
      })
      expect(await links.databaseState()).toMatchObject(before)
      const applied = await act(key, body.id, 'apply')
      expect([applied.status, applied.body.state]).toEqual([200, 'applied'])
      expect((await read(key, `/links/${link.id}`)).body.label).toBe('After')
      expect((await read(key, `/links/${link.id}/history`)).body[0]).toMatchObject({
        plan_id: body.id,
        before: { label: 'Before' },
        after: { label: 'After' },
      })
    })

    test('L29.3a: may refer to what its earlier operations create', async () => {
      const key = await links.key(ann)
      const [slug, url] = [newSlug(), newUrl()]
      const { body } = await plan(key, [
        { operation: 'createBundle', body: { name: 'Campaign' } },
        { operation: 'createLink', body: { url, slug } },
        { operation: 'addLinkToBundle', params: { id: { $op: 0 } }, body: { link_id: { $op: 1 } } },
        { operation: 'setBehaviour', params: { id: { $op: 1 } }, body: { after_url: newUrl() } },
      ])
      expect(body.diff).toMatchObject([
        { kind: 'bundle.created', bundle_id: -1 },
        { kind: 'link.created', link_id: -1, after: { url, primary_slug: slug, slugs: [{ slug }] } },
        { kind: 'bundle.link_added', bundle_id: -1, link_id: -1 },
      ])
      const { body: applied } = await act(key, body.id, 'apply')
      const [bundle, link] = [applied.diff[0].bundle_id, applied.diff[1].link_id]
      expect((await read(key, `/bundles/${bundle}/links`)).body).toMatchObject([{ id: link, url }])
    })

    testOnSqlite('L29.3g, L29.3b: is refused with the operation that fails, and the reason', async () => {
      const [key, other] = [await links.key(ann), await links.key(ben)]
      const foreign = await links.createLink(other)
      const create = { operation: 'createLink', body: { url: newUrl() } }
      const refusals: [object, number, string][] = [
        [label(foreign.id, 'x'), 403, 'ops[1]: Only the link owner can update this link'],
        [label(999_999, 'x'), 404, 'ops[1]: Link not found'],
        [
          { operation: 'createKey' },
          400,
          'ops[1]: operation: does not write links or bundles; a plan has operations that do',
        ],
        [
          { operation: 'applyPlan', params: { id: 1 } },
          400,
          'ops[1]: operation: does not write links or bundles; a plan has operations that do',
        ],
        [
          { operation: 'setBehaviour', params: { id: { $op: 0 } }, body: { password: 'secret' } },
          400,
          'ops[1]: password: cannot be part of a plan, because plans are stored; set it with setBehaviour',
        ],
        [
          { operation: 'deleteLink', params: { id: { $op: 7 } } },
          400,
          'ops[1]: $op: must be the number of an earlier operation that creates a link or a bundle',
        ],
        [{ ...label(1, 'x'), body: { wrong: 1 } }, 400, 'ops[1]: Unknown field "wrong"'],
      ]
      for (const [op, status, error] of refusals)
        await links.expectRefusal('POST', '/plans', { key, body: { ops: [create, op] } }, [status, error])
    })

    testOnSqlite('L29.3d: has a body of at most 1 MiB', async () => {
      const key = await links.key(ann)
      const create = (bytes: number) =>
        links.call('POST', '/plans', { key, body: { x: 'x'.repeat(bytes - '{"x":""}'.length) } })
      expect((await create(1_048_576)).status).toBe(400)
      expect((await create(1_048_577)).status).toBe(413)
    })

    testOnSqlite('L29.3: refuses what is not valid for an operation as the operation does', async () => {
      const key = await links.key(ann)
      const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`
      const ops = [
        '{"operation":"deleteLink","params":{"id":"x"},"query":{"force":"true"}}',
        '{"operation":"removeSlugBySlug","params":{"slug":"a\\u0000b"},"query":{"force":true}}',
        '{"operation":"deleteLink","params":{"id":{"$op":-1}},"query":{"force":true}}',
        '{"operation":"deleteLink","params":{"id":{"$op":"length"}}}',
        `{"operation":"createBundle","body":{"name":${deep}}}`,
      ]
      const { plan: before } = await links.databaseState()
      for (const op of ops) {
        const response = await links.fetch('/_/api/plans', {
          method: 'POST',
          headers: { Authorization: `Bearer ${key}`, 'Content-Type': 'application/json' },
          body: `{"ops":[${op}]}`,
        })
        expect([op.slice(0, 80), response.status]).toEqual([
          op.slice(0, 80),
          op.includes('$op') || op.includes('name') ? 400 : 404,
        ])
      }
      expect((await links.databaseState())['plan']).toEqual(before ?? [])
    })

    test('L29.3j: warns of what stops or leads elsewhere, with the clicks', async () => {
      const [key, other] = [await links.key(ann), await links.key(ben)]
      const [deleted, moved, foreign] = [
        await links.createLink(key),
        await links.createLink(key),
        await links.createLink(other),
      ]
      for (let n = 0; n < 3; n++) await clickLink(links, deleted.slugs[0].slug)
      await links.call('GET', `/links/${deleted.id}`, { key })
      const { body } = await plan(key, [
        { operation: 'deleteLink', params: { id: deleted.id }, query: { force: true } },
        { operation: 'updateLink', params: { id: moved.id }, body: { url: newUrl() } },
        { operation: 'addSlug', params: { id: foreign.id }, body: { slug: newSlug() } },
      ])
      expect(body.warnings).toEqual([
        { code: 'deletes_links', count: 1, clicks: 3 },
        { code: 'changes_destinations', count: 1, clicks: 0 },
        { code: 'links_of_others', count: 1 },
      ])
      expect(body.destructive).toBe(true)
    })
  })

  testOnSqlite(
    'L29.3k: warns of each host to which no link of the person leads yet, whole, also in behaviour',
    async () => {
      const [key, other] = [await links.key(ann), await links.key(ben)]
      const host = () => `host-${++count}.example`
      const [own, foreign, first, second, third, port] = [host(), host(), host(), host(), host(), host()]
      const link = await links.createLink(key, { url: `https://${own}/a` })
      await links.createLink(other, { url: `https://${foreign}/a` })
      const long = `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.example`
      const countries = 'AD AE AF AG AI AL AM AO AR AS AT AU AW AX AZ BA BB BD BE BF BG BH BI BJ BL'.split(
        ' ',
      )
      const { body } = await plan(key, [
        { operation: 'updateLink', params: { id: link.id }, body: { url: `https://${own}/b` } },
        { operation: 'createLink', body: { url: `https://bank.example%20${'x'.repeat(150)}@${long}/` } },
        { operation: 'createLink', body: { url: `https://${foreign}/b` } },
        {
          operation: 'setBehaviour',
          params: { id: link.id },
          body: {
            rules: [{ when: { not_country: countries }, to: `https://${first}/`, label: 'https: not a URL' }],
            split: [
              { url: `https://${second}/`, weight: 1 },
              { url: `https://${own}/c`, weight: 1 },
            ],
            starts_at: links.now,
            before_url: `https://${third}/`,
            after_url: `http://${port}:8443/`,
          },
        },
      ])
      const hosts = [foreign, first, second, third, `${port}:8443`, long].toSorted()
      expect(body.warnings).toContainEqual({ code: 'new_hosts', count: hosts.length, hosts })
      const [listed] = (await read(key, '/plans?limit=1')).body
      expect([listed.id, JSON.stringify(listed.warnings).includes(long)]).toEqual([body.id, false])
      expect((await act(key, body.id, 'apply')).status).toBe(200)
      const again = await plan(key, [{ operation: 'createLink', body: { url: `https://${foreign}/c` } }])
      expect(again.body.warnings).toEqual([])
    },
  )

  testOnSqlite('L29.3k: warns of the host of a link of others, to which a plan adds a slug', async () => {
    const host = `others${++count}.example`
    const link = await links.createLink(await links.key(ben), { url: `https://${host}/` })
    const { body } = await plan(await links.key(ann), [
      { operation: 'addSlug', params: { id: link.id }, body: { slug: newSlug() } },
    ])
    expect(body.warnings).toContainEqual({ code: 'new_hosts', count: 1, hosts: [host] })
  })

  testOnSqlite('L29.3i: names its links by slug and label, and its bundles, as they are now', async () => {
    const key = await links.key(ann)
    const link = await links.createLink(key, { slug: newSlug(), label: 'Old label' })
    const { body: bundle } = await links.call('POST', '/bundles', { key, body: { name: 'Spring' } })
    const { body } = await plan(key, [
      { operation: 'addLinkToBundle', params: { id: bundle.id }, body: { link_id: link.id } },
      { operation: 'createLink', body: { url: newUrl() } },
    ])
    const [{ slug }] = link.slugs.filter(({ is_primary }: { is_primary: number }) => is_primary === 1)
    expect(body).toMatchObject({
      links: [{ id: link.id, slug, label: 'Old label' }],
      bundles: [{ id: bundle.id, name: 'Spring' }],
    })
    expect((await act(key, body.id, 'apply')).body.links).toHaveLength(2)
  })

  describe('L29.3: applying', () => {
    testOnSqlite('L29.3o, L29.3l: the second of two plans for one link is refused', async () => {
      const key = await links.key(ann)
      const { id } = await links.createLink(key)
      const [first, second] = [
        await createOpenPlan(key, [label(id, 'One')]),
        await createOpenPlan(key, [{ operation: 'createLink', body: { url: newUrl() } }, label(id, 'Two')]),
      ]
      expect((await act(key, first, 'apply')).status).toBe(200)
      const refused = await links.expectRefusal('POST', `/plans/${second}/apply`, { key }, [
        409,
        'Something that the plan depends on was changed since; create the plan again',
      ])
      expect(refused.headers.get('x-error-code')).toBe('plan_outdated')
      expect((await read(key, `/plans/${second}`)).body.state).toBe('open')
    })

    testOnSqlite('L29.3o: is refused if the same operations would now do something else', async () => {
      const key = await links.key(ann)
      const url = newUrl()
      const create = await createOpenPlan(key, [{ operation: 'createLink', body: { url } }])
      await links.createLink(key, { url })
      expect((await act(key, create, 'apply')).headers.get('x-error-code')).toBe('plan_outdated')
    })

    testOnSqlite('L29.3p: is refused if the right to write is lost, and leaves nothing', async () => {
      const [key, other] = [await links.key(ann), await links.key(ben)]
      const { id } = await links.createLink(key)
      const planId = await createOpenPlan(key, [
        { operation: 'createLink', body: { url: newUrl() } },
        label(id, 'Mine'),
      ])
      await links.database.write((tx) =>
        tx.updateTable('link').set({ created_by: ben }).where('id', '=', id).execute(),
      )
      await links.expectRefusal('POST', `/plans/${planId}/apply`, { key }, [
        403,
        'ops[1]: Only the link owner can update this link',
      ])
      await links.expectRefusal('POST', `/plans/${planId}/apply`, { key: other }, [404, 'Plan not found'])
    })

    test('L29.3n: twice at once applies once', async () => {
      const key = await links.key(ann)
      const url = newUrl()
      const planId = await createOpenPlan(key, [
        { operation: 'createLink', body: { url, allow_duplicate: true } },
      ])
      const replies = await Promise.all(Array.from({ length: 8 }, () => act(key, planId, 'apply')))
      expect(replies.filter(({ status }) => status === 200)).toHaveLength(1)
      expect(replies.filter(({ status }) => status === 409)).toHaveLength(7)
      expect(await links.rows(`select id from link where url = '${url}'`)).toHaveLength(1)
    })

    testOnSqlite('L29.3q: is refused a day later, and for a discarded plan', async () => {
      const key = await links.key(ann)
      const create = { operation: 'createLink', body: { url: newUrl() } }
      const discarded = await createOpenPlan(key, [create])
      expect((await act(key, discarded, 'discard')).body.state).toBe('discarded')
      const late = await createOpenPlan(key, [create])
      links.advance(86_400)
      expect((await read(key, `/plans/${late}`)).body.state).toBe('expired')
      for (const id of [discarded, late])
        await links.expectRefusal('POST', `/plans/${id}/apply`, { key }, [
          409,
          'The plan is not open: it was applied or discarded, or has expired',
        ])
      const states = async (query: string) =>
        (await read(key, `/plans?state=${query}`)).body.map(({ id }: { id: number }) => id)
      expect(await states('expired')).toContain(late)
      expect(await states('open')).not.toContain(late)
      expect(await states('discarded')).toContain(discarded)
    })
  })

  testOnSqlite('L29.3m: a plan is for its person, and administrators read it', async () => {
    const [key, other, adminKey] = [await links.key(ann), await links.key(ben), await links.key(admin)]
    const id = await createOpenPlan(key, [{ operation: 'createLink', body: { url: newUrl() } }])
    expect((await read(adminKey, `/plans/${id}`)).body).toMatchObject({ id, identity: ann })
    expect((await read(other, `/plans/${id}`)).body).toEqual({ error: 'Plan not found' })
    for (const verb of ['apply', 'discard', 'undo'])
      for (const stranger of [other, adminKey])
        expect((await act(stranger, id, verb)).body).toEqual({ error: 'Plan not found' })
    const ids = async (reader: string, query = '') =>
      (await read(reader, `/plans?limit=200${query}`)).body.map((each: { id: number }) => each.id)
    expect(await ids(key)).toContain(id)
    expect(await ids(adminKey)).toContain(id)
    expect(await ids(adminKey, `&identity=${ann}`)).toContain(id)
    expect(await ids(adminKey, `&identity=${admin}`)).not.toContain(id)
    expect(await ids(other)).not.toContain(id)
    expect(await ids(other, `&identity=${ann}`)).toEqual([])
  })

  testOnSqlite(
    'L28.2e, L29.3: repeated requests with an idempotency key plan once and apply once',
    async () => {
      const key = await links.key(ann)
      const { id } = await links.createLink(key)
      const send = (path: string, name: string, body?: object) =>
        links.call('POST', path, { key, headers: { 'Idempotency-Key': name }, ...(body && { body }) })
      const changes = async () => (await read(key, `/links/${id}/history`)).body.length
      const body = { ops: [label(id, 'Once')] }
      const first = await send('/plans', 'plan-once', body)
      expect((await send('/plans', 'plan-once', body)).body).toEqual(first.body)
      expect(await changes()).toBe(1)
      for (const _ of [1, 2])
        expect((await send(`/plans/${first.body.id}/apply`, 'apply-once')).body.state).toBe('applied')
      expect((await read(key, `/links/${id}/history`)).body[0].plan_id).toBe(first.body.id)
      expect(await changes()).toBe(2)
    },
  )

  test('L29.3v: plans that were not applied are deleted after a week, others with their history', async () => {
    const key = await links.key(ann)
    const create = { operation: 'createLink', body: { url: newUrl(), allow_duplicate: true } }
    const [open, applied] = [await createOpenPlan(key, [create]), await createOpenPlan(key, [create])]
    await act(key, applied, 'apply')
    const statuses = async () =>
      [(await read(key, `/plans/${open}`)).status, (await read(key, `/plans/${applied}`)).status] as const
    const now = links.now + 7 * 86_400
    await deleteOldPlans(links.database, { now })
    expect(await statuses()).toEqual([200, 200])
    await deleteOldPlans(links.database, { now: now + 1 })
    expect(await statuses()).toEqual([404, 200])
    await deleteOldPlans(links.database, { now, historyStart: links.now + 1 })
    expect(await statuses()).toEqual([404, 404])
  })

  describe('L29.3: undoing', () => {
    testOnSqlite('L29.3s: the title that the service has fetched does not keep a created link', async () => {
      const key = await links.key(ann)
      const planId = await createOpenPlan(key, [{ operation: 'createLink', body: { url: newUrl() } }])
      const { link_id: id } = (await act(key, planId, 'apply')).body.diff[0]
      const service = recordChanges(links.database, { identity: 'operator', via: 'watch', now: links.now })
      await service.write(async (tx) => {
        const row = await lockLinkForWrite(tx, service, id)
        if (row) await updateLinkRow(tx, row, { label: 'Fetched' }, links.now)
      })
      expect((await act(key, planId, 'undo')).body).toMatchObject({ undone: 1, remaining: [] })
      expect((await read(key, `/links/${id}`)).status).toBe(404)
    })

    test('L29.3t: a deleted link comes back under its id, with the slugs that are free and without clicks', async () => {
      const key = await links.key(ann)
      const [free, lost] = [newSlug(), newSlug()]
      const link = await links.createLink(key, { slug: free, label: 'Back' })
      await links.call('POST', `/links/${link.id}/slugs`, { key, body: { slug: lost } })
      await clickLink(links, link.slugs[0].slug)
      const planId = await createOpenPlan(key, [
        { operation: 'deleteLink', params: { id: link.id }, query: { force: 'true' } },
      ])
      expect((await act(key, planId, 'apply')).status).toBe(200)
      await links.createLink(key, { slug: lost })
      const { body } = await act(key, planId, 'undo')
      expect(body).toMatchObject({ undone: 1, remaining: [], plan: { state: 'undone' } })
      const { body: back } = await read(key, `/links/${link.id}`)
      expect(back).toMatchObject({ url: link.url, label: 'Back', total_clicks: 0 })
      const names = back.slugs.map(({ slug }: { slug: string }) => slug)
      expect(names).toContain(free)
      expect(names).not.toContain(lost)
      expect((await act(key, planId, 'undo')).headers.get('x-error-code')).toBe('plan_not_applied')
    })

    if (dialect === 'postgres')
      testOnSqlite('L29.3t: a link comes back without a bundle that is deleted at that moment', async () => {
        const key = await links.key(ann)
        const link = await links.createLink(key)
        const { body: bundle } = await links.call('POST', '/bundles', { key, body: { name: 'Short-lived' } })
        await links.call('POST', `/bundles/${bundle.id}/links`, { key, body: { link_id: link.id } })
        const planId = await createOpenPlan(key, [{ operation: 'deleteLink', params: { id: link.id } }])
        await act(key, planId, 'apply')
        const undo = await links.database.write(async (tx) => {
          await tx.deleteFrom('bundle').where('id', '=', bundle.id).execute()
          const undoing = act(key, planId, 'undo')
          await untilLockAwaited(links.database)
          return { undoing }
        })
        expect((await undo.undoing).body).toMatchObject({ undone: 1, remaining: [] })
        expect((await read(key, `/links/${link.id}/bundles`)).body).toEqual([])
      })

    testOnSqlite('L29.3s: leaves what was changed since, and says so', async () => {
      const key = await links.key(ann)
      const [one, two] = [await links.createLink(key), await links.createLink(key)]
      const planId = await createOpenPlan(key, [label(one.id, 'By plan'), label(two.id, 'By plan')])
      await act(key, planId, 'apply')
      await links.call('PATCH', `/links/${two.id}`, { key, body: { expires_at: 4e9 } })
      const { body } = await act(key, planId, 'undo')
      expect(body).toMatchObject({
        undone: 1,
        remaining: [{ kind: 'link.updated', link_id: two.id, code: 'later_change' }],
      })
      expect((await read(key, `/links/${one.id}`)).body.label).toBeNull()
      expect((await read(key, `/links/${two.id}`)).body.label).toBe('By plan')
      expect((await read(key, `/links/${one.id}/history`)).body[0]).toMatchObject({
        plan_id: planId,
        before: { label: 'By plan' },
      })
    })

    testOnSqlite('L29.3s, L29.3u: keeps a created link that has clicks', async () => {
      const key = await links.key(ann)
      const planId = await createOpenPlan(key, [{ operation: 'createLink', body: { url: newUrl() } }])
      const { link_id: id } = (await act(key, planId, 'apply')).body.diff[0]
      await clickLink(links, (await read(key, `/links/${id}`)).body.slugs[0].slug)
      expect((await act(key, planId, 'undo')).body).toMatchObject({
        undone: 0,
        remaining: [{ link_id: id, code: 'link_has_clicks' }],
        plan: { state: 'applied' },
      })
    })
  })
})

/** Waits until a statement waits for a lock in this PostgreSQL database. */
async function untilLockAwaited({ read }: Database<Tables>): Promise<void> {
  for (;;) {
    const { rows } = await sql`select 1 from pg_stat_activity
      where wait_event_type = 'Lock' and datname = current_database()`.execute(read)
    if (rows.length > 0) return
  }
}
