import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

function primaryOf(link: { slugs: { slug: string; is_primary: number }[] }): string[] {
  return link.slugs.filter((slug) => slug.is_primary === 1).map((slug) => slug.slug)
}

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  let count = 0
  const newSlug = () => `u-${++count}`
  const update = (id: number, body: unknown, method = 'PUT') =>
    links.call(method, `/links/${id}`, { key: ann, body })
  const refuses = (id: number, body: unknown, status: number, error: string, key = ann) =>
    links.expectRefusal('PATCH', `/links/${id}`, { key, body }, [status, error])

  test('L6.3: PUT and PATCH are equal: given fields change, the others stay', async () => {
    for (const method of ['PUT', 'PATCH']) {
      const link = await links.createLink(ann, { slug: newSlug(), label: 'Old', expires_at: links.now + 60 })
      const url = `https://example.com/${method}/`
      const { status, body } = await update(link.id, { url }, method)
      expect([status, body]).toEqual([200, { ...link, url: url.slice(0, -1) }])
      const both = await update(link.id, { label: ' New ', expires_at: 7 }, method)
      expect(both.body).toEqual({ ...body, label: 'New', expires_at: 7 })
      expect((await links.call('GET', `/links/${link.id}`, { key: ben })).body).toEqual(both.body)
    }
  })

  test('L6.3: an empty body changes nothing and is 200', async () => {
    const link = await links.createLink(ann, { slug: newSlug(), label: 'Kept', expires_at: links.now + 60 })
    const before = await links.databaseState()
    expect(await update(link.id, {})).toMatchObject({ status: 200, body: link })
    expect(await links.databaseState()).toEqual(before)
  })

  test('null clears label and expiry, and nothing else', async () => {
    const link = await links.createLink(ann, { label: 'Gone', expires_at: 5 })
    expect((await update(link.id, { label: null, expires_at: null })).body).toEqual({
      ...link,
      label: null,
      expires_at: null,
    })
    await refuses(link.id, { url: null }, 400, 'url: must be a string')
    await refuses(link.id, { slug: null }, 400, 'slug: must be a string')
  })

  test('a blank label is cleared', async () => {
    const link = await links.createLink(ann, { label: 'Gone' })
    expect((await update(link.id, { label: '   ' })).body.label).toBeNull()
  })

  test('a new destination applies to the next redirect', async () => {
    const slug = newSlug()
    const link = await links.createLink(ann, { slug })
    expect((await links.fetch(`/${slug}`)).headers.get('location')).toBe(link.url)
    await update(link.id, { url: 'https://example.com/moved' })
    for (const each of link.slugs)
      expect((await links.fetch(`/${each.slug}`)).headers.get('location')).toBe('https://example.com/moved')
  })

  test('a URL that another link has is accepted without a duplicate check', async () => {
    const first = await links.createLink(ann)
    const second = await links.createLink(ann)
    const { status, body } = await update(second.id, { url: first.url })
    expect([status, body.url, Object.keys(body)]).toEqual([200, first.url, Object.keys(second)])
  })

  test('an unused slug is added and becomes primary; the previous one stays and redirects', async () => {
    const [old, fresh] = [newSlug(), newSlug()]
    const link = await links.createLink(ann, { slug: old })
    const { body } = await update(link.id, { slug: fresh.toUpperCase() })
    expect(primaryOf(body)).toEqual([fresh])
    expect(body.slugs.map((slug: { slug: string }) => slug.slug)).toEqual([link.slugs[0].slug, old, fresh])
    expect(body.slugs[2]).toMatchObject({ is_custom: 1, created_at: links.now, disabled_at: null })
    for (const slug of [old, fresh]) expect((await links.fetch(`/${slug}`)).status).toBe(302)
  })

  test('L6.3: a slug of the link itself becomes primary, including the automatic one', async () => {
    const [first, second] = [newSlug(), newSlug()]
    const link = await links.createLink(ann, { slug: first })
    await update(link.id, { slug: second })
    expect(primaryOf((await update(link.id, { slug: first })).body)).toEqual([first])
    const auto = link.slugs[0].slug
    const back = await update(link.id, { slug: auto })
    expect(primaryOf(back.body)).toEqual([auto])
    expect(back.body.slugs).toHaveLength(3)
  })

  test('L6.3: a disabled slug of the link is refused, and so is a slug of another link', async () => {
    const [slug, foreign] = [newSlug(), newSlug()]
    const link = await links.createLink(ann, { slug })
    await links.createLink(ben, { slug: foreign })
    await links.call('POST', `/links/${link.id}/slugs/${slug}/disable`, { key: ann })
    await refuses(link.id, { slug }, 400, 'Cannot make a disabled slug primary, enable it first')
    await refuses(link.id, { slug: foreign }, 409, 'Slug already exists')
  })

  test('L6.3: an update applies completely or not at all: an unavailable slug leaves the other fields unchanged', async () => {
    const [slug, foreign] = [newSlug(), newSlug()]
    const link = await links.createLink(ann, { slug })
    await links.createLink(ben, { slug: foreign })
    await refuses(
      link.id,
      { url: 'https://evil.example', label: 'x', slug: foreign },
      409,
      'Slug already exists',
    )
    expect((await links.fetch(`/${slug}`)).headers.get('location')).toBe(link.url)
  })

  test('the rules for each field are those of create', async () => {
    const { id } = await links.createLink(ann)
    await refuses(id, { custom_slug: 'x' }, 400, 'Unknown field "custom_slug"')
    await refuses(id, { allow_duplicate: true }, 400, 'Unknown field "allow_duplicate"')
    await refuses(id, { url: 'javascript:alert(1)' }, 400, 'url must use http or https')
    await refuses(id, { url: 'nowhere' }, 400, 'url must be a valid URL')
    const long = `https://example.com/${'x'.repeat(2029)}`
    await refuses(id, { url: long }, 400, 'url: must be at most 2048 characters')
    await refuses(id, { slug: '_x' }, 400, 'Slug must not start with underscore')
    await refuses(id, { slug: '' }, 400, 'Custom slug must not be empty')
    await refuses(id, { slug: 'robots.txt' }, 400, 'Slug is reserved')
    await refuses(id, { slug: '\u212aelvin' }, 400, expect.stringContaining('letter or number'))
    await refuses(id, { label: 'x'.repeat(501) }, 400, 'label: must be at most 500 characters')
    await refuses(id, { label: 5 }, 400, 'label: must be a string')
    await refuses(id, { expires_at: -1 }, 400, 'expires_at: must be at least 0')
    await refuses(id, { is_primary: 1, url: 5 }, 400, 'Unknown field "is_primary"')
  })

  test('the creator, time and channel of a link cannot be changed', async () => {
    const { id } = await links.createLink(ann)
    for (const field of [
      'created_by',
      'created_at',
      'created_via',
      'id',
      'disabled_at',
      'slugs',
      'total_clicks',
    ])
      await refuses(id, { [field]: 'ben@example.com' }, 400, `Unknown field "${field}"`)
  })

  test('L24.1: only the owner updates a link, also if only by a first custom slug', async () => {
    const { id } = await links.createLink(ann)
    const sentence = 'Only the link owner can update this link'
    await refuses(id, { url: 'https://evil.example' }, 403, sentence, ben)
    await refuses(id, { slug: newSlug() }, 403, sentence, ben)
    await refuses(id, {}, 403, sentence, ben)
  })

  test('L1.3: the owner is compared exactly: a name in another case is another person', async () => {
    const { id } = await links.createLink(ann)
    const shouting = await links.key('ANN@example.com')
    await refuses(id, { label: 'x' }, 403, 'Only the link owner can update this link', shouting)
  })

  test('a link that does not exist is 404 before the owner is checked', async () => {
    await refuses(999_999, { slug: newSlug() }, 404, 'Link not found')
  })

  test('clicks and creation stay with the link through every change', async () => {
    const slug = newSlug()
    const link = await links.createLink(ann, { slug })
    await links.fetch(`/${slug}`)
    links.advance(3600)
    const { body } = await update(link.id, { url: 'https://example.com/elsewhere', slug: newSlug() })
    expect(body).toMatchObject({ total_clicks: 1, created_at: link.created_at })
  })
})
