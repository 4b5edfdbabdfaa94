import { expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  const check = async (slug: string) =>
    (await links.callAdmin('GET', `/slug-check?slug=${encodeURIComponent(slug)}`)).body

  test('L17.3: a slug is available unless it is taken, in any case, or could not be created', async () => {
    const body = { url: 'https://example.com/', slug: 'taken' }
    expect(await check('Taken')).toEqual({ available: true, code: null })
    await links.callAdmin('POST', '/links', { body })
    expect(await check('Taken')).toEqual({ available: false, code: 'slug_taken' })
    for (const [slug, code] of [
      ['', 'slug_required'],
      ['_a', 'slug_invalid'],
      ['a b', 'slug_invalid'],
      ['x'.repeat(129), 'slug_too_long'],
      ['robots.txt', 'slug_reserved'],
    ] as const) {
      expect([slug, await check(slug)]).toEqual([slug, { available: false, code }])
      const { status } = await links.callAdmin('POST', '/links', { body: { ...body, slug } })
      expect([slug, status]).toEqual([slug, 400])
    }
    // A look-up claims nothing.
    expect(await check('later')).toEqual({ available: true, code: null })
    expect((await links.callAdmin('POST', '/links', { body: { ...body, slug: 'later' } })).status).toBe(201)
  })
})
