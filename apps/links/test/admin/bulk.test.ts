import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { clickLink } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  const create = async (slug: string) =>
    (await links.callAdmin('POST', '/links', { body: { url: `https://example.com/${slug}`, slug } })).body.id
  const change = (ids: readonly number[], set: unknown) =>
    links.callAdmin('PATCH', '/bulk/links', { body: { ids, set } })
  const isDisabled = async (id: number) =>
    (await links.callAdmin('GET', `/links/${id}`)).body.disabled_at !== null

  test('L17.4: many links change at once as on the public API, those of others and missing ones are refused', async () => {
    const own = [await create('bulk-a'), await create('bulk-b')]
    const foreign = (await links.createLink(await links.key('ben@example.com'), { slug: 'bens' })).id
    const { body } = await change([own[1], own[0], foreign, 999_999], { disabled: true })
    expect(body.results).toMatchObject([
      { index: 0, status: 200, link: { id: own[1] } },
      { index: 1, status: 200, link: { id: own[0] } },
      { index: 2, status: 403, code: 'not_owner_disable' },
      { index: 3, status: 404, code: 'link_not_found' },
    ])
    expect([await isDisabled(own[0]), await isDisabled(own[1]), await isDisabled(foreign)]).toEqual([
      true,
      true,
      false,
    ])
  })

  test('L17.4: links with clicks are not deleted with the others', async () => {
    const [clicked, free] = [await create('bulk-clicked'), await create('bulk-free')]
    await clickLink(links, 'bulk-clicked')
    expect((await change([clicked, free], { delete: true })).body.results).toEqual([
      {
        index: 0,
        status: 400,
        code: 'link_has_clicks',
        error: 'Cannot delete a link with clicks, disable it instead',
      },
      { index: 1, status: 200 },
    ])
    expect((await links.callAdmin('GET', `/links/${free}`)).status).toBe(404)
    expect((await links.callAdmin('GET', `/links/${clicked}`)).status).toBe(200)
  })

  test('L17.4: a deletion is no other change, and needs true', async () => {
    const id = await create('bulk-e')
    for (const set of [{ disabled: true, delete: true }, { delete: false }])
      expect((await change([id], set)).status).toBe(400)
    expect(await isDisabled(id)).toBe(false)
  })
})
