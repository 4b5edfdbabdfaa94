import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

let count = 0

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const transfer = (path: string, body: object, key = ann) =>
    links.call('POST', `${path}/transfer`, { key, body })

  test('L28.4: the owner gives a link to another person, who owns it from then on', async () => {
    const link = await links.createLink(ann, { slug: `given-${++count}` })
    const own = `bens-${++count}`
    await links.call('POST', `/links/${link.id}/slugs`, { key: ben, body: { slug: own } })
    const { status, body, headers } = await transfer(`/links/${link.id}`, { owner: 'ben@example.com' })
    expect([status, body.created_by, headers.get('etag')]).toEqual([200, 'ben@example.com', '"3"'])
    expect(body.slugs).toHaveLength(3)
    const label = { label: 'Bens' }
    expect((await links.call('PATCH', `/links/${link.id}`, { key: ben, body: label })).status).toBe(200)
    await links.expectRefusal('PATCH', `/links/${link.id}`, { key: ann, body: label }, [
      403,
      'Only the link owner can update this link',
    ])
    const search = (owner: string) =>
      links.call('GET', `/links?owner=${owner}@example.com&search=given-${count - 1}`, { key: ann })
    expect((await search('ann')).body).toEqual([])
    expect((await search('ben')).headers.get('x-total-count')).toBe('1')
    expect((await links.call('GET', '/links?search=ann@example.com%20bens', { key: ann })).body).toEqual([])
    expect(await links.rows(`select added_by from slug where slug = '${own}'`)).toEqual([{ added_by: null }])
  })

  test('L28.4: the owner gives a bundle away, and its links keep their owners', async () => {
    const { id: linkId } = await links.createLink(ann)
    const { id } = (await links.call('POST', '/bundles', { key: ann, body: { name: 'Given' } })).body
    await links.call('POST', `/bundles/${id}/links`, { key: ann, body: { link_id: linkId } })
    links.advance(5)
    const { status, body } = await transfer(`/bundles/${id}`, { owner: 'ben@example.com' })
    expect([status, body.created_by, body.updated_at]).toEqual([200, 'ben@example.com', links.now])
    expect((await links.call('GET', `/links/${linkId}`, { key: ben })).body.created_by).toBe(
      'ann@example.com',
    )
    await links.expectRefusal('PATCH', `/bundles/${id}`, { key: ann, body: { name: 'Mine' } }, [
      403,
      'Only the bundle owner can update this bundle',
    ])
  })

  test('L28.4: only the owner may, of this version, and to a name', async () => {
    const { id } = await links.createLink(ann)
    const path = `/links/${id}/transfer`
    const body = { owner: 'ben@example.com' }
    await links.expectRefusal('POST', path, { key: ben, body }, [
      403,
      'Only the link owner can transfer this link',
    ])
    await links.expectRefusal('POST', path, { key: ann, body, headers: { 'If-Match': '"7"' } }, [
      412,
      'The link was changed meanwhile',
    ])
    await links.expectRefusal('POST', path, { key: ann, body: {} }, [400, 'owner: is required'])
    for (const owner of ['', ' ben', 'a\u202eb', 'x'.repeat(321)]) {
      const reply = await transfer(`/links/${id}`, { owner })
      expect([owner, reply.status, reply.body.error]).toEqual([
        owner,
        400,
        expect.stringMatching(/^owner: must be a name/),
      ])
    }
  })

  test('L28.4: a name that has created nothing needs confirm', async () => {
    const { id } = await links.createLink(ann)
    const { id: bundle } = (await links.call('POST', '/bundles', { key: ann, body: { name: 'B' } })).body
    const owner = `new-${++count}@example.com`
    const expected = [
      400,
      'owner: has created nothing on this instance; send confirm: true if the name is right',
    ] as const
    for (const path of [`/links/${id}/transfer`, `/bundles/${bundle}/transfer`]) {
      const { headers } = await links.expectRefusal('POST', path, { key: ann, body: { owner } }, expected)
      expect(headers.get('x-error-code')).toBe('owner_unknown')
      await links.expectRefusal('POST', path, { key: ann, body: { owner, confirm: false } }, expected)
    }
    expect((await transfer(`/links/${id}`, { owner, confirm: true })).body.created_by).toBe(owner)
    expect((await transfer(`/bundles/${bundle}`, { owner })).status).toBe(200)
  })

  test('L28.1 L28.4: many links at once, and links of the new owner keep their version', async () => {
    const [one, two] = [await links.createLink(ann), await links.createLink(ben)]
    const patch = (set: object) =>
      links.call('PATCH', '/bulk/links', { key: ann, body: { ids: [one.id, two.id], set } })
    expect((await patch({ owner: 'ben@example.com', label: 'x' })).body.results).toMatchObject([
      { status: 200, link: { created_by: 'ben@example.com', label: 'x' } },
      { status: 403, code: 'not_owner_update' },
    ])
    const { headers } = await links.call('GET', `/links/${one.id}`, { key: ann })
    expect(headers.get('etag')).toBe('"2"')
    expect((await patch({ owner: 'ann@example.com' })).body.results).toMatchObject([
      { status: 403, code: 'not_owner_transfer' },
      { status: 403, code: 'not_owner_transfer' },
    ])
    expect((await patch({ owner: 'nothing-yet@example.com' })).status).toBe(400)
    expect((await patch({ confirm: true })).body).toEqual({ error: 'set: must change something' })
  })
})
