import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

const NONE = { domain: null, bundle: null, expires_in: null, forward_query: null }

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, {
    LINKS_ACCESS: 'header',
    LINKS_ACCESS_HEADER: 'X-Forwarded-Email',
    LINKS_ADMINS: 'admin@example.com',
    LINKS_DOMAINS: 'l.example.org',
    TRUSTED_PROXIES: '127.0.0.1',
  })

  const ask = (method: string, path: string, as = 'ann', body?: unknown) =>
    links.callAdmin(method, path, {
      headers: { 'X-Forwarded-Email': `${as}@example.com` },
      ...(body !== undefined && { body }),
    })

  test('L47.1: each person has defaults of new links, and the API creates links without them', async () => {
    expect((await ask('GET', '/defaults')).body).toEqual(NONE)
    const { body: bundle } = await ask('POST', '/bundles', 'ann', { name: 'Spring' })
    const defaults = { domain: 'l.example.org', bundle: bundle.id, expires_in: 86_400, forward_query: 'utm' }
    const stored = await ask('PUT', '/defaults', 'ann', defaults)
    expect([stored.status, stored.body]).toEqual([200, defaults])
    expect((await ask('GET', '/defaults', 'ben')).body).toEqual(NONE)
    const { body: link } = await ask('POST', '/links', 'ann', { url: 'https://example.com/plain' })
    expect(link).toMatchObject({ expires_at: null })
    expect(link.domain).toBeUndefined()
    expect((await ask('GET', `/links/${link.id}/behaviour`)).body).toEqual({})
    await ask('DELETE', `/bundles/${bundle.id}`)
    expect((await ask('GET', '/defaults')).body).toEqual({ ...defaults, bundle: null })
  })

  testOnSqlite('L47.1: a default domain that left the settings is none, and can be replaced', async () => {
    const defaults = { ...NONE, domain: 'l.example.org', expires_in: 3600 }
    expect((await ask('PUT', '/defaults', 'dan', defaults)).status).toBe(200)
    await links.database.write((tx) =>
      tx
        .updateTable('link_default')
        .set({ domain: 'gone.example' })
        .where('identity', '=', 'dan@example.com')
        .execute(),
    )
    const { body } = await ask('GET', '/defaults', 'dan')
    expect(body).toEqual({ ...defaults, domain: null })
    const replaced = await ask('PUT', '/defaults', 'dan', { ...body, forward_query: 'all' })
    expect([replaced.status, replaced.body]).toEqual([200, { ...body, forward_query: 'all' }])
  })

  testOnSqlite('L47.1: unknown domains, bundles and fields are refused, and nothing is stored', async () => {
    const put = async (body: object) => {
      const { status, body: answer } = await ask('PUT', '/defaults', 'eve', body)
      return [status, answer.error]
    }
    expect(await put({ ...NONE, domain: 'other.example' })).toEqual([404, 'Domain not found'])
    expect(await put({ ...NONE, bundle: 999_999 })).toEqual([404, 'Bundle not found'])
    expect(await put({ ...NONE, color: 'red' })).toEqual([400, 'Unknown field "color"'])
    expect((await put({ ...NONE, expires_in: 3599 }))[0]).toBe(400)
    expect((await ask('GET', '/defaults', 'eve')).body).toEqual(NONE)
  })

  test('L47.4: a person sees their own templates and the shared ones, which only administrators write', async () => {
    const mail = { name: 'Mail', source: 'newsletter', medium: 'email' }
    const own = await ask('POST', '/utm-templates', 'ann', mail)
    expect([own.status, own.body]).toEqual([
      201,
      expect.objectContaining({ ...mail, campaign: '', shared: false, created_by: 'ann@example.com' }),
    ])
    expect((await ask('POST', '/utm-templates', 'ann', { ...mail, shared: true })).status).toBe(403)
    const common = await ask('POST', '/utm-templates', 'admin', { name: 'All', source: 'x', shared: true })
    const namesOf = async (as: string) =>
      ((await ask('GET', '/utm-templates', as)).body as { name: string }[]).map(({ name }) => name)
    expect([await namesOf('ann'), await namesOf('ben')]).toEqual([['All', 'Mail'], ['All']])
    const change = (id: number, as: string) => ask('PUT', `/utm-templates/${id}`, as, { name: 'Changed' })
    expect((await change(own.body.id, 'ben')).status).toBe(404)
    expect((await ask('DELETE', `/utm-templates/${own.body.id}`, 'ben')).status).toBe(404)
    expect((await change(common.body.id, 'ann')).status).toBe(403)
    expect((await ask('DELETE', `/utm-templates/${common.body.id}`, 'ann')).status).toBe(403)
    expect((await change(own.body.id, 'ann')).body).toMatchObject({ name: 'Changed', source: '', medium: '' })
    expect((await ask('DELETE', `/utm-templates/${common.body.id}`, 'admin')).status).toBe(200)
    expect(await namesOf('ann')).toEqual(['Changed'])
  })

  testOnSqlite('L47.5: writes of defaults and templates leave no change', async () => {
    const countChanges = async () =>
      (await ask('GET', '/changes?limit=1')).headers.get('x-total-count') ?? 'missing'
    const before = await countChanges()
    expect((await ask('PUT', '/defaults', 'ann', { ...NONE, expires_in: 3600 })).status).toBe(200)
    const { body } = await ask('POST', '/utm-templates', 'ann', { name: 'Mail' })
    for (const method of ['PUT', 'DELETE'])
      expect((await ask(method, `/utm-templates/${body.id}`, 'ann', { name: 'Post' })).status).toBe(200)
    expect([before, await countChanges()]).toEqual([before, before])
  })

  testOnSqlite('L47.4: a person has at most 100 templates', async () => {
    const create = () => ask('POST', '/utm-templates', 'many', { name: 'One' })
    for (let count = 0; count < 100; count++) expect((await create()).status).toBe(201)
    const { status, body } = await create()
    expect([status, body.error]).toEqual([
      400,
      'You have reached the limit of 100 UTM templates; delete one first',
    ])
  })
})
