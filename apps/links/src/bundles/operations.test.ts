import { afterEach, beforeEach, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DAY } from '../time/window.ts'
import { NOW, type TestBundles, openTestBundles } from '../../test/test-bundles.ts'

const NOT_FOUND = { status: 404, body: { error: 'Bundle not found' } }
const NO_LINK = { status: 404, body: { error: 'Link not found' } }
const BAD_CURSOR = { status: 400, body: { error: 'cursor: is not valid with these parameters' } }

const ownersWrites = [
  ['PUT', '', { name: 'Taken over' }, 'Only the bundle owner can update this bundle'],
  ['PATCH', '', {}, 'Only the bundle owner can update this bundle'],
  ['DELETE', '', undefined, 'Only the bundle owner can delete this bundle'],
  ['POST', '/archive', undefined, 'Only the bundle owner can archive this bundle'],
  ['POST', '/unarchive', undefined, 'Only the bundle owner can unarchive this bundle'],
  ['DELETE', '/links/1', undefined, 'Only the bundle owner can remove links from this bundle'],
  ['DELETE', '/links/999', undefined, 'Only the bundle owner can remove links from this bundle'],
] as const

const badFields: [Record<string, unknown>, string][] = [
  [{ name: '' }, 'name must not be blank'],
  [{ name: ' \t\n' }, 'name must not be blank'],
  [{ name: 'x'.repeat(121) }, 'name must be 120 characters or fewer'],
  [{ name: '🎈'.repeat(121) }, 'name must be 120 characters or fewer'],
  [{ name: null }, 'name: must be a string'],
  [{ name: 7 }, 'name: must be a string'],
  [{ name: 'a\0b' }, 'name: must be well-formed Unicode without NUL'],
  [{ name: '\ud800' }, 'name: must be well-formed Unicode without NUL'],
  [{ accent: 'pink' }, 'accent must be one of: orange, red, green, blue, purple'],
  [{ accent: null }, 'accent must be one of: orange, red, green, blue, purple'],
  [{ accent: 1 }, 'accent must be one of: orange, red, green, blue, purple'],
  [{ description: 'x'.repeat(2001) }, 'description: must be at most 2000 characters'],
  [{ description: 1 }, 'description: must be a string'],
  [{ icon: '🎈'.repeat(65) }, 'icon: must be at most 64 characters'],
  [{ icon: false }, 'icon: must be a string'],
  [{ name: '', archived_at: 1 }, 'Unknown field "archived_at"'],
]

/** Pages of five rows in order of creation, returned newest first. */
function pagesOfTwo(rows: readonly number[]): number[][] {
  const newest = rows.toReversed()
  return [newest.slice(0, 2), newest.slice(2, 4), newest.slice(4)]
}

eachDialect((_dialect, newUrl) => {
  let bundles: TestBundles
  beforeEach(async () => {
    bundles = await openTestBundles(await newUrl())
  })
  afterEach(() => bundles.close())

  const reply = async (method: string, url: string, call = {}) => {
    const { status, body } = await bundles.call(method, url, call)
    return { status, body }
  }
  const idsOf = async (url: string): Promise<number[]> =>
    (await bundles.ok('GET', url)).map((row: { id: number }) => row.id)

  test('L15 anyone creates a bundle, owns it, and gets an accent by default', async () => {
    const { status, body } = await bundles.call('POST', '/bundles', {
      as: 'ben',
      via: 'sdk',
      body: { name: ' Launch ' },
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      name: 'Launch',
      description: null,
      icon: null,
      accent: 'orange',
      archived_at: null,
      created_via: 'sdk',
      created_by: 'ben',
      created_at: NOW,
      updated_at: NOW,
    })
  })

  test('L23 L24.12 a bundle keeps every field that it is created with, up to the limits counted in code points', async () => {
    const fields = {
      name: '🎈'.repeat(120),
      description: '🎈'.repeat(2000),
      icon: '🎈'.repeat(64),
      accent: 'purple',
    }
    const created = await bundles.ok('POST', '/bundles', { body: fields })
    expect(created).toMatchObject(fields)
    expect(await bundles.ok('GET', `/bundles/${created.id}`)).toMatchObject(fields)
  })

  test('L15 create and update refuse a bad field with the same message and store nothing', async () => {
    const id = await bundles.newBundle('Kept')
    const before = await bundles.ok('GET', '/bundles')
    for (const [fields, error] of badFields) {
      const refused = { status: 400, body: { error } }
      expect(await reply('POST', '/bundles', { body: { name: 'New', ...fields } })).toEqual(refused)
      expect(await reply('PATCH', `/bundles/${id}`, { body: fields })).toEqual(refused)
    }
    expect(await reply('POST', '/bundles', { body: { accent: 'red' } })).toEqual({
      status: 400,
      body: { error: 'name is required' },
    })
    expect(await bundles.ok('GET', '/bundles')).toEqual(before)
  })

  test('L15 an update changes the fields it names, null clears a field, and updated_at moves', async () => {
    const body = { name: 'Launch', description: 'All of it', icon: 'rocket', accent: 'red' }
    const created = await bundles.ok('POST', '/bundles', { body })
    bundles.context.now = NOW + 60
    const renamed = await bundles.ok('PATCH', `/bundles/${created.id}`, { body: { name: ' Launched ' } })
    expect(renamed).toEqual({ ...created, name: 'Launched', updated_at: NOW + 60 })
    bundles.context.now = NOW + 120
    const cleared = await bundles.ok('PUT', `/bundles/${created.id}`, {
      body: { description: null, icon: null },
    })
    expect(cleared).toEqual({ ...renamed, description: null, icon: null, updated_at: NOW + 120 })
    expect(await bundles.ok('GET', `/bundles/${created.id}`)).toMatchObject(cleared)
  })

  test('L15 only the owner changes, archives, deletes or empties a bundle', async () => {
    const id = await bundles.newBundle('Ann’s')
    const link = await bundles.newLink('member', { as: 'ben' })
    await bundles.add(id, link)
    const before = await bundles.ok('GET', `/bundles/${id}`)
    for (const [method, path, body, error] of ownersWrites)
      expect(await reply(method, `/bundles/${id}${path}`, { as: 'ben', body })).toEqual({
        status: 403,
        body: { error },
      })
    expect(await bundles.ok('GET', `/bundles/${id}`)).toEqual(before)
    expect(before.link_count).toBe(1)
  })

  test('a bundle that does not exist is not found, for any caller', async () => {
    for (const [method, path, body] of ownersWrites)
      expect(await reply(method, `/bundles/999${path}`, { as: 'ben', body })).toEqual(NOT_FOUND)
    expect(await reply('GET', '/bundles/999')).toEqual(NOT_FOUND)
    expect(await reply('GET', '/bundles/999/links')).toEqual(NOT_FOUND)
    expect(await reply('POST', '/bundles/999/links', { body: { link_id: 999 } })).toEqual(NOT_FOUND)
  })

  test('L15 an archived bundle leaves the lists, and stays readable and writable by id', async () => {
    const [active, old] = [await bundles.newBundle('Kept'), await bundles.newBundle('Old')]
    const link = await bundles.newLink('member')
    await bundles.add(active, link)
    await bundles.add(old, link)
    bundles.context.now = NOW + 60
    expect(await bundles.ok('POST', `/bundles/${old}/archive`)).toMatchObject({
      id: old,
      archived_at: NOW + 60,
      updated_at: NOW + 60,
    })
    expect(await idsOf('/bundles')).toEqual([active])
    expect(await idsOf(`/links/${link}/bundles`)).toEqual([active])
    for (const value of ['true', '1', 'only'])
      expect(await idsOf(`/bundles?archived=${value}`)).toEqual([old])
    expect(await idsOf('/bundles?archived=all')).toEqual([old, active])
    expect(await bundles.ok('GET', `/bundles/${old}`)).toMatchObject({ link_count: 1, archived_at: NOW + 60 })
    expect(await bundles.ok('PATCH', `/bundles/${old}`, { body: { name: 'Older' } })).toMatchObject({
      name: 'Older',
      archived_at: NOW + 60,
    })
    await bundles.add(old, await bundles.newLink('late'))
    expect(await idsOf(`/bundles/${old}/links`)).toHaveLength(2)
  })

  test('archiving again keeps the first moment, and unarchiving brings the bundle back', async () => {
    const id = await bundles.newBundle('Old')
    await bundles.ok('POST', `/bundles/${id}/archive`)
    bundles.context.now = NOW + 60
    expect(await bundles.ok('POST', `/bundles/${id}/archive`)).toMatchObject({
      archived_at: NOW,
      updated_at: NOW + 60,
    })
    bundles.context.now = NOW + 120
    for (let time = 1; time <= 2; time++)
      expect(await bundles.ok('POST', `/bundles/${id}/unarchive`)).toMatchObject({
        archived_at: null,
        updated_at: NOW + 120,
      })
    expect(await idsOf('/bundles')).toEqual([id])
    expect(await idsOf('/bundles?archived=only')).toEqual([])
  })

  test('L15 any other value of archived or range is refused, and the answer names the field', async () => {
    for (const value of ['', 'false', '0', 'yes', 'ALL'])
      expect(await reply('GET', `/bundles?archived=${value}`)).toEqual({
        status: 400,
        body: { error: 'archived: must be one of: 1, true, only, all' },
      })
    const error = 'range: must be one of: 24h, 7d, 30d, 90d, 1y, all'
    for (const url of ['/bundles?range=2d', '/bundles/999?range=2d'])
      expect(await reply('GET', url)).toEqual({ status: 400, body: { error } })
  })

  test('the links of a deleted bundle survive with their clicks, and its other bundles keep them', async () => {
    const [gone, other] = [await bundles.newBundle('Gone'), await bundles.newBundle('Other')]
    const link = await bundles.newLink('member')
    await bundles.add(gone, link)
    await bundles.add(other, link)
    await bundles.click(link, 'member', [NOW - 5])
    expect(await bundles.ok('DELETE', `/bundles/${gone}`)).toEqual({ deleted: true })
    expect(await reply('GET', `/bundles/${gone}`)).toEqual(NOT_FOUND)
    expect(await bundles.ok('GET', `/links/${link}`)).toMatchObject({ total_clicks: 1 })
    expect(await idsOf(`/links/${link}/bundles`)).toEqual([other])
    expect(await bundles.ok('GET', `/bundles/${other}`)).toMatchObject({ link_count: 1, total_clicks: 1 })
  })

  test('a deleted link leaves its bundles, and its clicks leave their statistics', async () => {
    const id = await bundles.newBundle('Launch')
    const [gone, remaining] = [await bundles.newLink('gone'), await bundles.newLink('kept')]
    await bundles.add(id, gone, remaining)
    await bundles.click(gone, 'gone', [NOW - 5, NOW - 5000])
    await bundles.click(remaining, 'kept', [NOW - 5])
    await bundles.ok('DELETE', `/links/${gone}?force=true`)
    expect(await bundles.ok('GET', `/bundles/${id}`)).toMatchObject({
      link_count: 1,
      total_clicks: 1,
      sparkline: [1],
      top_links: [{ slug: 'kept', click_count: 1 }],
    })
  })

  test('L15 anyone adds any link to any bundle, even twice, and updated_at stays', async () => {
    const id = await bundles.newBundle('Ann’s')
    const link = await bundles.newLink('bens', { as: 'ben' })
    bundles.context.now = NOW + 60
    for (let time = 1; time <= 2; time++)
      expect(await reply('POST', `/bundles/${id}/links`, { as: 'carl', body: { link_id: link } })).toEqual({
        status: 200,
        body: { added: true },
      })
    expect(await bundles.ok('GET', `/bundles/${id}`)).toMatchObject({ link_count: 1, updated_at: NOW })
    expect(await bundles.ok('GET', `/bundles/${id}/links`)).toEqual([
      await bundles.ok('GET', `/links/${link}`),
    ])
  })

  test('a link that does not exist is not added', async () => {
    const id = await bundles.newBundle('Launch')
    expect(await reply('POST', `/bundles/${id}/links`, { body: { link_id: 999 } })).toEqual(NO_LINK)
    for (const [body, error] of [
      [{}, 'link_id: is required'],
      [{ link_id: 0 }, 'link_id: must be at least 1'],
      [{ link_id: '1' }, 'link_id: must be a number'],
      [{ link_id: 1, position: 1 }, 'Unknown field "position"'],
    ] as const)
      expect(await reply('POST', `/bundles/${id}/links`, { body })).toEqual({ status: 400, body: { error } })
    expect(await bundles.ok('GET', `/bundles/${id}`)).toMatchObject({ link_count: 0 })
  })

  test('only the owner removes a link; the link survives, and updated_at stays', async () => {
    const id = await bundles.newBundle('Launch')
    const [link, stays] = [await bundles.newLink('bens', { as: 'ben' }), await bundles.newLink('stays')]
    await bundles.add(id, link, stays)
    bundles.context.now = NOW + 60
    expect(await bundles.ok('DELETE', `/bundles/${id}/links/${link}`)).toEqual({ removed: true })
    expect(await bundles.ok('DELETE', `/bundles/${id}/links/${link}`)).toEqual({ removed: false })
    expect(await bundles.ok('DELETE', `/bundles/${id}/links/999`)).toEqual({ removed: false })
    expect(await idsOf(`/bundles/${id}/links`)).toEqual([stays])
    expect(await bundles.ok('GET', `/bundles/${id}`)).toMatchObject({ updated_at: NOW })
    expect(await bundles.ok('GET', `/links/${link}`)).toMatchObject({ id: link })
  })

  test('adds that race each other or a delete get a regular answer, never an internal error', async () => {
    const id = await bundles.newBundle('Launch')
    const link = await bundles.newLink('member')
    const add = () => reply('POST', `/bundles/${id}/links`, { body: { link_id: link } })
    const added = { status: 200, body: { added: true } }
    expect(await Promise.all([add(), add(), add()])).toEqual([added, added, added])
    expect(await idsOf(`/bundles/${id}/links`)).toEqual([link])
    const [first, , last] = await Promise.all([add(), bundles.call('DELETE', `/bundles/${id}`), add()])
    for (const answer of [first, last]) expect([added, NOT_FOUND]).toContainEqual(answer)
    const other = await bundles.newBundle('Other')
    const [afterDeleted] = await Promise.all([
      reply('POST', `/bundles/${other}/links`, { body: { link_id: link } }),
      bundles.call('DELETE', `/links/${link}`),
    ])
    expect([added, NO_LINK]).toContainEqual(afterDeleted)
    expect(await idsOf(`/bundles/${other}/links`)).toEqual([])
  })

  test('the bundles of a link are listed by name, without those that do not contain it', async () => {
    const link = await bundles.newLink('member')
    const ids = [
      await bundles.newBundle('Beta'),
      await bundles.newBundle('Alpha'),
      await bundles.newBundle('Alpha'),
    ]
    await bundles.newBundle('Aardvark')
    for (const id of ids) await bundles.add(id, link)
    expect(await idsOf(`/links/${link}/bundles`)).toEqual([ids[1] ?? 0, ids[2] ?? 0, ids[0] ?? 0])
    expect(await idsOf(`/links/${await bundles.newLink('alone')}/bundles`)).toEqual([])
    expect(await reply('GET', '/links/999/bundles')).toEqual(NO_LINK)
  })

  test('the links of a bundle are listed newest first, with lifetime clicks for any range', async () => {
    const id = await bundles.newBundle('Launch')
    const older = await bundles.newLink('older')
    bundles.context.now = NOW + 1
    const newer = [await bundles.newLink('newer'), await bundles.newLink('newest')]
    await bundles.add(id, newer[0] ?? 0, older, newer[1] ?? 0)
    await bundles.click(older, 'older', [NOW - 900 * DAY, NOW])
    const links = await bundles.ok('GET', `/bundles/${id}/links?range=24h`)
    expect(links.map((link: { id: number }) => link.id)).toEqual([...newer.toReversed(), older])
    expect(links[2].total_clicks).toBe(2)
    expect(links[2]).not.toHaveProperty('delta_pct')
  })

  /** All pages of a list, found by following the `Link` header. */
  const follow = async (first: string): Promise<number[][]> => {
    const pages: number[][] = []
    for (let url: string | undefined = first; url !== undefined;) {
      const { headers, body } = await bundles.call('GET', url)
      expect(headers['X-Total-Count']).toBe('5')
      pages.push(body.map((row: { id: number }) => row.id))
      url = /^<(.*)>; rel="next"$/.exec(headers['Link'] ?? '')?.[1]
    }
    return pages
  }

  test('both lists page newest first, without gaps or repeats, and return the total', async () => {
    const ids: number[] = []
    const links: number[] = []
    for (let n = 0; n < 5; n++) {
      bundles.context.now = NOW + Math.floor(n / 2)
      ids.push(await bundles.newBundle(`Bundle ${n}`, { as: n % 2 ? 'ann' : 'ben' }))
      links.push(await bundles.newLink(`link-${n}`))
    }
    await bundles.add(ids[0] ?? 0, ...links)
    expect(await follow('/bundles?limit=2&range=7d')).toEqual(pagesOfTwo(ids))
    expect(await follow(`/bundles/${ids[0]}/links?limit=2`)).toEqual(pagesOfTwo(links))
    expect(await follow('/bundles')).toEqual([ids.toReversed()])
    expect(await follow('/bundles?limit=5')).toEqual([ids.toReversed()])
    for (const limit of ['0', '1001', 'x', ''])
      expect((await reply('GET', `/bundles?limit=${limit}`)).body.error).toStartWith('limit: ')
  })

  test('a cursor is valid only for its own list, with any limit', async () => {
    const [id, other] = [await bundles.newBundle('One'), await bundles.newBundle('Two')]
    for (const slug of ['one', 'two']) {
      const link = await bundles.newLink(slug)
      await bundles.add(id, link)
      await bundles.add(other, link)
    }
    const cursorOf = async (url: string) =>
      /cursor=([\w-]+)/.exec((await bundles.call('GET', url)).headers['Link'] ?? '')?.[1] ?? ''
    const ofBundles = await cursorOf('/bundles?limit=1')
    const ofMembers = await cursorOf(`/bundles/${id}/links?limit=1`)
    expect(await idsOf(`/bundles?limit=7&range=all&cursor=${ofBundles}`)).toEqual([id])
    expect(await idsOf(`/bundles/${id}/links?cursor=${ofMembers}`)).toHaveLength(1)
    for (const url of [
      `/bundles?range=7d&cursor=${ofBundles}`,
      `/bundles?archived=all&cursor=${ofBundles}`,
      `/bundles?cursor=${ofMembers}`,
      `/bundles?cursor=${await cursorOf('/links?limit=1')}`,
      '/bundles?cursor=',
      '/bundles?cursor=nonsense',
      `/bundles/${id}/links?cursor=${ofBundles}`,
      `/bundles/${other}/links?cursor=${ofMembers}`,
    ])
      expect(await reply('GET', url)).toEqual(BAD_CURSOR)
  })

  test('pending clicks are counted before statistics are read', async () => {
    const id = await bundles.newBundle('Launch')
    const link = await bundles.newLink('member')
    await bundles.add(id, link)
    const reads = ['/bundles', `/bundles/${id}`, `/bundles/${id}/links`]
    for (const [index, url] of reads.entries()) {
      bundles.pendingClicks.push({ linkId: link, slug: 'member', at: [NOW - index] })
      const body = await bundles.ok('GET', url)
      expect((Array.isArray(body) ? body[0] : body).total_clicks).toBe(index + 1)
    }
  })
})
