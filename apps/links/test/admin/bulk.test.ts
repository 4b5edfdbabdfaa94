import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  const create = async (slug: string) =>
    (await links.callAdmin('POST', '/links', { body: { url: `https://example.com/${slug}`, slug } })).body.id
  const change = (ids: readonly number[], set: unknown) =>
    links.callAdmin('PATCH', '/bulk/links', { body: { ids, set } })
  const isDisabled = async (id: number) =>
    (await links.callAdmin('GET', `/links/${id}`)).body.disabled_at !== null

  test('L17.4: many links change at once, those of others and missing ones are refused', async () => {
    const own = [await create('bulk-a'), await create('bulk-b')]
    const foreign = (await links.createLink(await links.key('ben@example.com'), { slug: 'bens' })).id
    const { body } = await change([own[1], own[0], own[0], foreign, 999_999], { disabled: true })
    expect(body).toEqual({
      changed: own,
      refused: [
        { id: foreign, code: 'not_owner_disable' },
        { id: 999_999, code: 'link_not_found' },
      ],
    })
    expect([await isDisabled(own[0]), await isDisabled(own[1]), await isDisabled(foreign)]).toEqual([
      true,
      true,
      false,
    ])
    expect((await change(own, { disabled: true })).body).toEqual({ changed: [], refused: [] })
    expect((await change(own, { disabled: false })).body.changed).toEqual(own)
  })

  test('L17.4: links with clicks are not deleted with the others', async () => {
    const [clicked, free] = [await create('bulk-clicked'), await create('bulk-free')]
    await clickLink(links, 'bulk-clicked')
    expect((await change([clicked, free], { delete: true })).body).toEqual({
      changed: [free],
      refused: [{ id: clicked, code: 'link_has_clicks' }],
    })
    expect((await links.callAdmin('GET', `/links/${free}`)).status).toBe(404)
    expect((await links.callAdmin('GET', `/links/${clicked}`)).status).toBe(200)
  })

  test('L17.4: links are added to a bundle, which has to exist', async () => {
    const ids = [await create('bulk-c'), await create('bulk-d')]
    const bundle = (await links.callAdmin('POST', '/bundles', { body: { name: 'Bulk' } })).body.id
    await links.callAdmin('POST', `/bundles/${bundle}/links`, { body: { link_id: ids[0] } })
    expect((await change(ids, { add_to_bundle: bundle })).body).toEqual({ changed: [ids[1]], refused: [] })
    expect(await change(ids, { add_to_bundle: 999_999 })).toMatchObject({
      status: 404,
      body: { code: 'bundle_not_found' },
    })
  })

  test('L17.4: a change without links, with too many, or of several kinds is refused whole', async () => {
    const id = await create('bulk-e')
    for (const [ids, set] of [
      [[], { disabled: true }],
      [Array.from({ length: 501 }, () => id), { disabled: true }],
      [[id], {}],
      [[id], { disabled: true, delete: true }],
      [[id], { delete: false }],
    ] as const)
      expect((await change(ids, set)).status).toBe(400)
    expect(await isDisabled(id)).toBe(false)
  })
})
