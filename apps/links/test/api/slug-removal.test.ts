import { beforeAll, expect, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'
import { createSlugActions } from './slug-actions.ts'

onSqlite((newUrl) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const { newSlug, read, primaryOf, redirects, forms } = createSlugActions(links, () => ann)

  for (const { form, missing, path, addSlug, act, newLink } of forms) {
    const remove = (id: number, slug: string, query = '', key = ann) =>
      links.call('DELETE', `${path(id, slug)}${query}`, { key })

    test(`${form}: a removed slug stops redirecting and is free for anyone`, async () => {
      const slug = newSlug()
      const { id } = await newLink(slug)
      const { status, body } = await remove(id, slug)
      expect([status, body]).toEqual([200, { removed: true }])
      expect(await redirects(slug)).toBe(false)
      expect((await links.createLink(ben, { slug })).slugs[1].slug).toBe(slug)
      expect((await read(id)).slugs).toHaveLength(1)
    })

    test(`L7 ${form}: after the removal of the primary slug, the oldest enabled custom slug takes over, or else the automatic one`, async () => {
      const [oldest, disabled, middle, primary] = [newSlug(), newSlug(), newSlug(), newSlug()]
      const { id, auto } = await newLink()
      for (const slug of [disabled, oldest, middle, primary]) {
        await addSlug(id, slug)
        links.advance(1)
      }
      await act('disable', id, disabled)
      await act('primary', id, primary)
      await remove(id, primary)
      expect(await primaryOf(id)).toEqual([oldest])
      await remove(id, oldest)
      expect(await primaryOf(id)).toEqual([middle])
      await remove(id, middle)
      expect(await primaryOf(id)).toEqual([auto])
    })

    test(`${form}: removing a slug that is not primary keeps the primary`, async () => {
      const [primary, other] = [newSlug(), newSlug()]
      const { id } = await newLink(primary, other)
      await remove(id, other)
      expect(await primaryOf(id)).toEqual([primary])
    })

    test(`L8.3a ${form}: a slug with clicks is removed only by force, with its clicks`, async () => {
      const [clicked, other] = [newSlug(), newSlug()]
      const { id } = await newLink(clicked, other)
      for (const slug of [clicked, other]) await links.fetch(`/${slug}`)
      // The click is not counted yet when the removal arrives. The removal counts it before its
      // check.
      const refused = await remove(id, clicked)
      expect([refused.status, refused.body]).toEqual([
        400,
        { error: 'Cannot remove a slug with clicks, disable it instead' },
      ])
      await links.expectRefusal('DELETE', `${path(id, clicked)}?force=false`, { key: ann }, [
        400,
        'Cannot remove a slug with clicks, disable it instead',
      ])
      expect((await remove(id, clicked, '?force=true')).body).toEqual({ removed: true })
      expect(await links.rows(`select slug from click where link_id = ${id}`)).toEqual([{ slug: other }])
      expect((await read(id)).total_clicks).toBe(1)
    })

    test(`${form}: others may change nothing, not even by force`, async () => {
      const slug = newSlug()
      const { id } = await newLink(slug)
      const refusals: [string, string, string][] = [
        ['POST', '/disable', 'Only the link owner can disable slugs on this link'],
        ['POST', '/enable', 'Only the link owner can enable slugs on this link'],
        ['POST', '/primary', 'Only the link owner can change the primary slug'],
        ['DELETE', '', 'Only the link owner can remove slugs on this link'],
        ['DELETE', '?force=true', 'Only the link owner can remove slugs on this link'],
      ]
      for (const [method, suffix, sentence] of refusals)
        await links.expectRefusal(method, `${path(id, slug)}${suffix}`, { key: ben }, [403, sentence])
    })

    test(`${form}: a person who added a slug to the link of another has no rights over it afterwards`, async () => {
      const slug = newSlug()
      const { id } = await newLink()
      await addSlug(id, slug, ben)
      await links.expectRefusal('POST', `${path(id, slug)}/disable`, { key: ben }, [
        403,
        'Only the link owner can disable slugs on this link',
      ])
      expect((await act('disable', id, slug)).status).toBe(200)
    })

    test(`L8.4 ${form}: an unknown slug is 404 with the message of the form`, async () => {
      const { id } = await newLink()
      for (const suffix of ['/disable', '/enable', '/primary'])
        await links.expectRefusal('POST', `${path(id, 'no-such-slug')}${suffix}`, { key: ben }, [
          404,
          missing,
        ])
      await links.expectRefusal('DELETE', path(id, 'no-such-slug'), { key: ben }, [404, missing])
    })

    test(`L8.3 L24.6 ${form}: paths accept a slug in any case and percent-encoded once`, async () => {
      const slug = `a.b_c~${newSlug()}`
      const { id } = await newLink(slug)
      expect((await act('disable', id, slug.toUpperCase())).status).toBe(200)
      const encoded = Array.from(slug, (letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
      expect((await act('enable', id, encoded)).body.slug).toBe(slug)
      await links.expectRefusal('POST', `${path(id, encoded.replaceAll('%', '%25'))}/disable`, { key: ann }, [
        404,
        'Not Found',
      ])
    })

    test(`L8.3 ${form}: a path with an impossible slug is not found`, async () => {
      const { id } = await newLink()
      for (const bad of [
        '_x',
        'x-',
        'a%20b',
        'a%2Fb',
        '%E2%84%AA',
        'caf%C3%A9',
        'x'.repeat(129),
        '%FF',
        '%00',
        '%',
      ])
        for (const [method, suffix] of [
          ['POST', '/disable'],
          ['POST', '/primary'],
          ['DELETE', ''],
        ] as const)
          await links.expectRefusal(method, `${path(id, bad)}${suffix}`, { key: ann }, [404, 'Not Found'])
    })
  }
})
