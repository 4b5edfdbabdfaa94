import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  let count = 0
  const newAddress = () => `https://example.com/duplicate/${++count}`
  const create = (key: string, url: string, fields = {}) =>
    links.call('POST', '/links', { key, body: { url, ...fields } })
  const another = (key: string, url: string, fields = {}) =>
    links.createLink(key, { url, allow_duplicate: true, ...fields })

  test('L6.2: a URL with an active link returns that link unchanged with 200 and stores nothing', async () => {
    const url = newAddress()
    const link = await links.createLink(ann, { url, slug: `dup-${count}`, label: 'First' })
    await links.fetch(`/dup-${count}`)
    await links.call('GET', `/links/${link.id}`, { key: ann })
    const before = await links.databaseState()
    const again = await create(ann, url, { label: 'Second', expires_at: 5, slug_length: 9 })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({
      ...link,
      slugs: [link.slugs[0], { ...link.slugs[1], click_count: 1 }],
      total_clicks: 1,
      duplicate: true,
      duplicate_count: 1,
    })
    expect(await links.databaseState()).toEqual(before)
  })

  test('a 201 and every read omit the two duplicate fields', async () => {
    const link = await links.createLink(ann)
    expect(Object.keys(link)).not.toContain('duplicate')
    const read = await links.call('GET', `/links/${link.id}`, { key: ann })
    expect(Object.keys(read.body)).not.toContain('duplicate_count')
  })

  test('a URL that differs only in the spelling of its end is the same URL', async () => {
    const url = newAddress()
    const { id } = await links.createLink(ann, { url })
    for (const spelling of [`${url}/`, `${url}//`, `${url}?`, `${url}#`, `  ${url}\n`])
      expect((await create(ann, spelling)).body).toMatchObject({ id, duplicate: true })
  })

  test('a URL that differs in case, query or fragment is another URL', async () => {
    const url = newAddress()
    await links.createLink(ann, { url })
    for (const other of [url.toUpperCase(), `${url}?a`, `${url}#a`, `${url}/b`])
      expect((await create(ann, other)).status).toBe(201)
  })

  test('L6.2a L24.4: the active link of the caller takes precedence over a newer link of another person', async () => {
    const url = newAddress()
    const own = await another(ann, url)
    links.advance(10)
    const foreign = await another(ben, url)
    expect((await create(ann, url)).body).toMatchObject({ id: own.id, duplicate_count: 2 })
    expect((await create(ben, url)).body).toMatchObject({ id: foreign.id, duplicate_count: 2 })
  })

  test('the newest of several links is returned, first of the caller, or else of anyone', async () => {
    const url = newAddress()
    await another(ann, url)
    await another(ben, url)
    links.advance(1)
    const newestOfAnn = await another(ann, url)
    links.advance(1)
    const newestOfAll = await another(ben, url)
    expect((await create(ann, url)).body).toMatchObject({ id: newestOfAnn.id, duplicate_count: 4 })
    const carl = await links.key('carl@example.com')
    expect((await create(carl, url)).body).toMatchObject({
      id: newestOfAll.id,
      created_by: 'ben@example.com',
      duplicate_count: 4,
    })
  })

  test('of two links created in one second, the later one is newer', async () => {
    const url = newAddress()
    await another(ann, url)
    const later = await another(ann, url)
    expect((await create(ann, url)).body.id).toBe(later.id)
  })

  test('L24.4: a disabled link is never a duplicate, not even for its owner, and does not count', async () => {
    const url = newAddress()
    const own = await another(ann, url)
    const foreign = await another(ben, url)
    await links.call('POST', `/links/${own.id}/disable`, { key: ann })
    expect((await create(ann, url)).body).toMatchObject({ id: foreign.id, duplicate_count: 1 })
    await links.call('POST', `/links/${foreign.id}/disable`, { key: ben })
    expect((await create(ann, url)).status).toBe(201)
  })

  test('L24.4: an expired link is no duplicate from the second of its expiry', async () => {
    const url = newAddress()
    const link = await another(ann, url, { expires_at: links.now + 5 })
    links.advance(4)
    expect((await create(ann, url)).body).toMatchObject({ id: link.id, duplicate: true })
    links.advance(1)
    const made = await create(ann, url)
    expect(made.status).toBe(201)
    expect(made.body.id).not.toBe(link.id)
  })

  test('a link that expired in 1970 is no duplicate', async () => {
    const url = newAddress()
    await another(ann, url, { expires_at: 0 })
    expect((await create(ann, url)).status).toBe(201)
  })

  test('a link that is disabled and expired is no duplicate', async () => {
    const url = newAddress()
    const link = await another(ann, url, { expires_at: 0 })
    await links.call('POST', `/links/${link.id}/disable`, { key: ann })
    expect((await create(ann, url)).status).toBe(201)
  })

  test('L6.2b L24.4: a requested slug always creates a new link, which keeps the slug', async () => {
    const url = newAddress()
    const { id } = await links.createLink(ann, { url })
    const made = await create(ann, url, { slug: `asked-${count}` })
    expect([made.status, made.body.slugs[1].slug]).toEqual([201, `asked-${count}`])
    expect(made.body.id).not.toBe(id)
    const byAlias = await create(ann, url, { custom_slug: `alias-${count}` })
    expect(byAlias.status).toBe(201)
  })

  test('allow_duplicate creates a new link; false has no effect', async () => {
    const url = newAddress()
    const { id } = await links.createLink(ann, { url })
    expect((await create(ann, url, { allow_duplicate: true })).status).toBe(201)
    const reused = await create(ann, url, { allow_duplicate: false })
    expect(reused).toMatchObject({ status: 200, body: { duplicate_count: 2 } })
    expect(reused.body.id).not.toBe(id)
    await links.expectRefusal('POST', '/links', { key: ann, body: { url, allow_duplicate: 'true' } }, [
      400,
      'allow_duplicate: must be a boolean',
    ])
  })

  test('a link whose URL was changed counts under its new URL only', async () => {
    const [before, after] = [newAddress(), newAddress()]
    const link = await links.createLink(ann, { url: before })
    await links.call('PATCH', `/links/${link.id}`, { key: ann, body: { url: after } })
    expect((await create(ann, after)).body.id).toBe(link.id)
    expect((await create(ann, before)).status).toBe(201)
  })

  test('a key that may only create gets the link as well, which contains nothing secret', async () => {
    const url = newAddress()
    const { id } = await links.createLink(ann, { url })
    const createOnly = await links.key('ann@example.com', 'create')
    expect((await create(createOnly, url)).body).toMatchObject({ id, duplicate: true })
  })
})
