import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  let count = 0
  const newSlug = () => `s-${++count}`
  const act = (id: number, verb: string, key = ann) => links.call('POST', `/links/${id}/${verb}`, { key })
  const update = (id: number, body: unknown) => links.call('PATCH', `/links/${id}`, { key: ann, body })
  const redirects = async (slug: string) => (await links.fetch(`/${slug}`, { method: 'HEAD' })).status === 302
  const statusOf = async (id: number) => {
    const held: string[] = []
    for (const status of ['active', 'disabled', 'expired'])
      for (const link of (await links.call('GET', `/links?status=${status}`, { key: ann })).body)
        if (link.id === id) held.push(status)
    return held
  }

  test('L7: a link is active until the second of its expiry, and expired from it', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug, expires_at: links.now + 2 })
    links.advance(1)
    expect([await redirects(slug), await statusOf(id)]).toEqual([true, ['active']])
    links.advance(1)
    expect([await redirects(slug), await statusOf(id)]).toEqual([false, ['expired']])
  })

  test('L7 L24.3: a link created with a past expiry is expired at once; 0 is 1970, not "never"', async () => {
    for (const expiry of [0, 1, links.now - 1, links.now]) {
      const slug = newSlug()
      const { id, expires_at } = await links.createLink(ann, { slug, expires_at: expiry })
      expect([expires_at, await redirects(slug), await statusOf(id)]).toEqual([expiry, false, ['expired']])
    }
  })

  test('L7 L24.3: disable takes effect on the next request and keeps expiry and slugs', async () => {
    const slug = newSlug()
    const link = await links.createLink(ann, { slug, expires_at: links.now + 1000, label: 'Kept' })
    const { status, body } = await act(link.id, 'disable')
    expect([status, body]).toEqual([200, { ...link, disabled_at: links.now }])
    for (const each of link.slugs) expect(await redirects(each.slug)).toBe(false)
    expect(await statusOf(link.id)).toEqual(['disabled'])
  })

  test('L7: disabling a disabled link keeps the first moment', async () => {
    const { id } = await links.createLink(ann)
    const first = await act(id, 'disable')
    links.advance(60)
    const before = await links.databaseState()
    expect(await act(id, 'disable')).toMatchObject({ status: 200, body: first.body })
    expect(await links.databaseState()).toEqual(before)
  })

  test('L7 L24.3: enable restores the previous state, including a scheduled expiry', async () => {
    const slug = newSlug()
    const link = await links.createLink(ann, { slug, expires_at: links.now + 1000 })
    await act(link.id, 'disable')
    const { status, body } = await act(link.id, 'enable')
    expect([status, body]).toEqual([200, link])
    expect(await redirects(slug)).toBe(true)
  })

  test('enabling a link that is not disabled changes nothing, whether active or expired', async () => {
    for (const expiry of [null, 0]) {
      const link = await links.createLink(ann, { expires_at: expiry })
      const before = await links.databaseState()
      expect(await act(link.id, 'enable')).toMatchObject({ status: 200, body: link })
      expect(await links.databaseState()).toEqual(before)
    }
  })

  test('L7: a link whose expiry passes while it is disabled stays disabled, and is expired once enabled', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug, expires_at: links.now + 10 })
    await act(id, 'disable')
    links.advance(10)
    expect(await statusOf(id)).toEqual(['disabled'])
    const { body } = await act(id, 'enable')
    expect([body.disabled_at, await statusOf(id), await redirects(slug)]).toEqual([null, ['expired'], false])
  })

  test('an expired link can be disabled, and then counts as disabled only', async () => {
    const { id } = await links.createLink(ann, { expires_at: 0 })
    const { body } = await act(id, 'disable')
    expect([body.disabled_at, body.expires_at]).toEqual([links.now, 0])
    expect(await statusOf(id)).toEqual(['disabled'])
  })

  test('L7: a new expiry makes an expired link active, and back, at once', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug, expires_at: 0 })
    for (const [expiry, alive] of [
      [links.now + 1, true],
      [links.now, false],
      [null, true],
      [links.now - 5, false],
      [253_402_300_799, true],
    ]) {
      await update(id, { expires_at: expiry })
      expect([expiry, await redirects(slug)]).toEqual([expiry, alive])
    }
  })

  test('a new expiry leaves a disabled link disabled', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug, expires_at: 0 })
    await act(id, 'disable')
    await update(id, { expires_at: null })
    expect([await statusOf(id), await redirects(slug)]).toEqual([['disabled'], false])
  })

  test('a disabled or expired link can be read, changed and given slugs', async () => {
    const link = await links.createLink(ann, { expires_at: 0 })
    await act(link.id, 'disable')
    expect((await links.call('GET', `/links/${link.id}`, { key: ben })).status).toBe(200)
    const slug = newSlug()
    const add = await links.call('POST', `/links/${link.id}/slugs`, { key: ben, body: { slug } })
    expect([add.status, await redirects(slug)]).toEqual([201, false])
    await links.expectRefusal('POST', '/links', { key: ben, body: { url: link.url, slug } }, [
      409,
      'Slug already exists',
    ])
  })

  test('only the owner disables and enables', async () => {
    const { id } = await links.createLink(ann)
    await links.expectRefusal('POST', `/links/${id}/disable`, { key: ben }, [
      403,
      'Only the link owner can disable this link',
    ])
    await act(id, 'disable')
    await links.expectRefusal('POST', `/links/${id}/enable`, { key: ben }, [
      403,
      'Only the link owner can enable this link',
    ])
    for (const verb of ['disable', 'enable'])
      await links.expectRefusal('POST', `/links/999999/${verb}`, { key: ben }, [404, 'Link not found'])
  })

  test('L6.8a: a link without clicks is deleted with its slugs, which are then free and unknown', async () => {
    const slug = newSlug()
    const link = await links.createLink(ann, { slug })
    const gone = await links.call('DELETE', `/links/${link.id}`, { key: ann })
    expect([gone.status, gone.body]).toEqual([200, { deleted: true }])
    await links.expectRefusal('GET', `/links/${link.id}`, { key: ann }, [404, 'Link not found'])
    await links.expectRefusal('DELETE', `/links/${link.id}`, { key: ann }, [404, 'Link not found'])
    for (const each of link.slugs) expect(await redirects(each.slug)).toBe(false)
    expect((await links.createLink(ben, { slug })).slugs[1].slug).toBe(slug)
  })

  test('an id is never used twice', async () => {
    const { id } = await links.createLink(ann)
    await links.call('DELETE', `/links/${id}`, { key: ann })
    expect((await links.createLink(ann)).id).toBeGreaterThan(id)
  })

  test('L6.8 L13.5: a link with clicks is not deleted, and one click of a bot is enough', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug })
    await links.fetch(`/${slug}`, { headers: { 'User-Agent': 'Googlebot/2.1' } })
    // The click is not counted yet when the delete arrives. The delete counts it before its check.
    const refused = await links.call('DELETE', `/links/${id}`, { key: ann })
    expect([refused.status, refused.body]).toEqual([
      400,
      { error: 'Cannot delete a link with clicks, disable it instead' },
    ])
    await links.expectRefusal('DELETE', `/links/${id}?force=false`, { key: ann }, [
      400,
      'Cannot delete a link with clicks, disable it instead',
    ])
    expect(await redirects(slug)).toBe(true)
  })

  test('L24.10: HEAD and prefetch count nothing and do not prevent a delete', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug })
    await links.fetch(`/${slug}`, { method: 'HEAD' })
    await links.fetch(`/${slug}`, { headers: { 'Sec-Purpose': 'prefetch' } })
    expect((await links.call('DELETE', `/links/${id}`, { key: ann })).body).toEqual({ deleted: true })
  })

  test('L6.8a: force deletes the link with its slugs and clicks, and nothing of other links', async () => {
    const [slug, bystander] = [newSlug(), newSlug()]
    const { id } = await links.createLink(ann, { slug })
    const other = await links.createLink(ann, { slug: bystander })
    for (const each of [slug, slug, bystander]) await links.fetch(`/${each}`)
    const gone = await links.call('DELETE', `/links/${id}?force=true`, { key: ann })
    expect([gone.status, gone.body]).toEqual([200, { deleted: true }])
    for (const table of ['slug', 'click', 'click_hour'])
      expect(await links.rows(`select link_id from ${table} where link_id = ${id}`)).toEqual([])
    expect((await links.call('GET', `/links/${other.id}`, { key: ann })).body.total_clicks).toBe(1)
  })

  test('force gives others no right, and must be true or false', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug })
    await links.fetch(`/${slug}`)
    await links.call('GET', `/links/${id}`, { key: ann })
    await links.expectRefusal('DELETE', `/links/${id}?force=true`, { key: ben }, [
      403,
      'Only the link owner can delete this link',
    ])
    for (const value of ['yes', '1', 'TRUE', ''])
      await links.expectRefusal('DELETE', `/links/${id}?force=${value}`, { key: ann }, [
        400,
        'force: must be one of: true, false',
      ])
  })

  test('a delete removes the link from its bundles, and the bundles stay', async () => {
    const { id } = await links.createLink(ann)
    await links.database.write(async (tx) => {
      const bundle = {
        name: 'Spring',
        accent: 'orange',
        created_by: 'ann@example.com',
        created_at: 1,
        updated_at: 1,
        search_text: 'spring',
      }
      const row = await tx.insertInto('bundle').values(bundle).returning('id').executeTakeFirstOrThrow()
      await tx.insertInto('bundle_link').values({ bundle_id: row.id, link_id: id }).execute()
    })
    await links.call('DELETE', `/links/${id}`, { key: ann })
    expect(await links.rows(`select * from bundle_link where link_id = ${id}`)).toEqual([])
    expect(await links.rows(`select name from bundle`)).toEqual([{ name: 'Spring' }])
  })
})
