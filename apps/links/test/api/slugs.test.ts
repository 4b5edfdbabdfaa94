import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'
import { fillGuestSlugs, fillSlugs, createSlugActions } from './slug-actions.ts'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl)
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  const { newSlug, read, primaryOf, redirects, forms } = createSlugActions(links, () => ann)

  for (const { form, path, add, addSlug, act, newLink } of forms) {
    testOnSqlite(
      `L8.2 L23 ${form}: a link has at most 5,000 slugs in total, across people and routes`,
      async () => {
        const { id } = await newLink()
        await fillSlugs(links, id, 1)
        const [last, more] = [newSlug(), newSlug()]
        expect((await addSlug(id, last, ben)).status).toBe(201)
        const refused = [
          await addSlug(id, more),
          await addSlug(id, more, ben),
          await links.call('PATCH', `/links/${id}`, { key: ann, body: { slug: more } }),
        ]
        for (const { status, body } of refused)
          expect([status, body]).toEqual([400, { error: 'A link has at most 5000 slugs' }])
        expect((await links.call('GET', `/slugs/${more}`, { key: ann })).status).toBe(404)
        expect((await read(id)).slugs).toHaveLength(5_000)
        expect((await links.call('PATCH', `/links/${id}`, { key: ann, body: { slug: last } })).status).toBe(
          200,
        )
      },
    )

    test(`L4.3 L8.2 ${form}: a person adds at most 50 slugs to the link of another, also concurrently`, async () => {
      const { id } = await newLink()
      const slugs = await fillGuestSlugs(links, id, ben)
      await links.call('DELETE', `/slugs/${slugs[0]}`, { key: ann })
      const both = await Promise.all([addSlug(id, newSlug(), ben), addSlug(id, newSlug(), ben)])
      expect(both.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([201, 400])
      const refused = await addSlug(id, newSlug(), ben)
      expect([refused.status, refused.body]).toEqual([
        400,
        { error: 'You can add at most 50 slugs to a link that you do not own' },
      ])
      expect((await read(id)).slugs).toHaveLength(51)
      // Other people may still add slugs, and this person may add slugs to other links.
      expect((await addSlug(id, newSlug())).status).toBe(201)
      expect((await addSlug(id, newSlug(), await links.key('carl@example.com'))).status).toBe(201)
      expect((await addSlug((await newLink()).id, newSlug(), ben)).status).toBe(201)
    })

    testOnSqlite(
      `L4.3 ${form}: the owner disables and removes slugs that others added, with their clicks`,
      async () => {
        const [clicked, silent] = [newSlug(), newSlug()]
        const { id } = await newLink()
        for (const slug of [clicked, silent]) await addSlug(id, slug, ben)
        await links.fetch(`/${clicked}`)
        expect((await act('disable', id, clicked)).status).toBe(200)
        expect(await redirects(clicked)).toBe(false)
        expect((await links.call('DELETE', path(id, silent), { key: ben })).status).toBe(403)
        expect((await links.call('DELETE', path(id, silent), { key: ann })).status).toBe(200)
        expect((await links.call('DELETE', path(id, clicked), { key: ann })).status).toBe(400)
        expect((await links.call('DELETE', `${path(id, clicked)}?force=true`, { key: ann })).status).toBe(200)
        expect(await read(id)).toMatchObject({ total_clicks: 0, slugs: [{ is_custom: 0 }] })
      },
    )

    testOnSqlite(`L8.3 ${form}: an added slug is returned in full and redirects at once`, async () => {
      const { id } = await newLink()
      const slug = newSlug()
      const { status, body } = await addSlug(id, slug.toUpperCase())
      expect([status, body]).toEqual([
        201,
        {
          link_id: id,
          slug,
          is_custom: 1,
          is_primary: 1,
          click_count: 0,
          created_at: links.now,
          disabled_at: null,
        },
      ])
      expect((await read(id)).slugs[1]).toEqual(body)
      expect(await redirects(slug)).toBe(true)
    })

    testOnSqlite(
      `L8.5 ${form}: the owner's first custom slug becomes primary, later ones do not`,
      async () => {
        const [first, second] = [newSlug(), newSlug()]
        const { id } = await newLink(first, second)
        expect(await primaryOf(id)).toEqual([first])
      },
    )

    testOnSqlite(
      `L8.5 ${form}: anyone may add a slug, and slugs of others never become primary`,
      async () => {
        const [foreign, own] = [newSlug(), newSlug()]
        const { id, auto } = await newLink()
        const { status, body } = await addSlug(id, foreign, ben)
        expect([status, body.is_primary]).toEqual([201, 0])
        expect(await primaryOf(id)).toEqual([auto])
        expect((await addSlug(id, own)).body.is_primary).toBe(1)
      },
    )

    testOnSqlite(
      `${form}: a slug that is taken, disabled or automatic elsewhere is 409 and changes nothing`,
      async () => {
        const slug = newSlug()
        const { id, auto } = await newLink(slug)
        const other = await newLink()
        await act('disable', id, slug)
        for (const takenSlug of [slug, slug.toUpperCase(), auto]) {
          const [address, body] = add(other.id, takenSlug)
          await links.expectRefusal('POST', address, { key: ann, body }, [409, 'Slug already exists'])
        }
        const [address, body] = add(id, slug)
        await links.expectRefusal('POST', address, { key: ann, body }, [409, 'Slug already exists'])
      },
    )

    testOnSqlite(`L8.2 ${form}: an invalid slug is 400 with the message for its problem`, async () => {
      const { id } = await newLink()
      const symbols =
        'Custom slug must start and end with a letter or number; allowed symbols in the middle: . _ ~ -'
      const problems: [unknown, string][] = [
        [undefined, 'slug is required'],
        ['', 'Custom slug must not be empty'],
        ['_x', 'Slug must not start with underscore'],
        ['x'.repeat(129), 'Slug must be 128 characters or fewer'],
        ['🎈'.repeat(129), 'Slug must be 128 characters or fewer'],
        ['x-', symbols],
        ['\u212a', symbols],
        ['robots.txt', 'Slug is reserved'],
        ['SW.js', 'Slug is reserved'],
        [5, 'slug: must be a string'],
        [null, 'slug: must be a string'],
      ]
      for (const [slug, error] of problems) {
        const [address, body] = add(id, slug)
        await links.expectRefusal('POST', address, { key: ann, body }, [400, error])
      }
      const [address, body] = add(id, '_x')
      await links.expectRefusal('POST', address, { key: ann, body: { ...body, primary: true } }, [
        400,
        'Unknown field "primary"',
      ])
    })

    testOnSqlite(`${form}: a link that does not exist accepts no slug`, async () => {
      const [address, body] = add(999_999, newSlug())
      await links.expectRefusal('POST', address, { key: ann, body }, [404, 'Link not found'])
    })

    testOnSqlite(
      `${form}: a disabled slug stops redirecting, stays taken and leaves the others unchanged`,
      async () => {
        const [first, second] = [newSlug(), newSlug()]
        const { id, auto } = await newLink(first, second)
        links.advance(5)
        const { status, body } = await act('disable', id, second)
        expect([status, body]).toMatchObject([200, { slug: second, disabled_at: links.now, is_primary: 0 }])
        expect([await redirects(first), await redirects(second), await redirects(auto)]).toEqual([
          true,
          false,
          true,
        ])
        expect(await primaryOf(id)).toEqual([first])
      },
    )

    testOnSqlite(`L7 ${form}: when the primary slug is disabled, the automatic one takes over`, async () => {
      const [first, second] = [newSlug(), newSlug()]
      const { id, auto } = await newLink(first, second)
      await act('disable', id, first)
      expect(await primaryOf(id)).toEqual([auto])
    })

    testOnSqlite(`${form}: disabling twice is 200 and keeps the first moment`, async () => {
      const slug = newSlug()
      const { id } = await newLink(slug)
      const first = await act('disable', id, slug)
      links.advance(9)
      const before = await links.databaseState()
      expect(await act('disable', id, slug)).toMatchObject({ status: 200, body: first.body })
      expect(await links.databaseState()).toEqual(before)
    })

    testOnSqlite(
      `${form}: an enabled slug redirects again without becoming primary; twice is 200`,
      async () => {
        const slug = newSlug()
        const { id, auto } = await newLink(slug)
        await act('disable', id, slug)
        const enabled = await act('enable', id, slug)
        expect([enabled.status, enabled.body]).toMatchObject([
          200,
          { slug, disabled_at: null, is_primary: 0 },
        ])
        expect([await redirects(slug), await primaryOf(id)]).toEqual([true, [auto]])
        const before = await links.databaseState()
        expect(await act('enable', id, slug)).toMatchObject({ status: 200, body: enabled.body })
        expect(await links.databaseState()).toEqual(before)
      },
    )

    testOnSqlite(
      `L8.3a ${form}: the automatic slug can be neither disabled nor removed, even by force; enabling it is a no-op`,
      async () => {
        const { id, auto } = await newLink(newSlug())
        await links.expectRefusal('POST', `${path(id, auto)}/disable`, { key: ann }, [
          400,
          'Cannot disable the system-generated slug; only custom slugs can be disabled. Disable the whole link instead.',
        ])
        for (const query of ['', '?force=true'])
          await links.expectRefusal('DELETE', `${path(id, auto)}${query}`, { key: ann }, [
            400,
            'Cannot remove the system-generated slug; only custom slugs can be removed. Delete the whole link instead.',
          ])
        expect((await act('enable', id, auto)).status).toBe(200)
      },
    )

    testOnSqlite(`${form}: any enabled slug can become the one primary slug, repeatedly`, async () => {
      const [first, second] = [newSlug(), newSlug()]
      const { id, auto } = await newLink(first, second)
      for (const slug of [second, auto, first, first]) {
        const { status, body } = await act('primary', id, slug)
        expect([status, body]).toEqual([200, await read(id)])
        expect(await primaryOf(id)).toEqual([slug])
      }
    })

    testOnSqlite(`${form}: a disabled slug cannot become primary`, async () => {
      const slug = newSlug()
      const { id } = await newLink(slug)
      await act('disable', id, slug)
      await links.expectRefusal('POST', `${path(id, slug)}/primary`, { key: ann }, [
        400,
        'Cannot make a disabled slug primary, enable it first',
      ])
    })
  }

  test('L5: the slugs of a link are listed automatic first, then by age, then by name', async () => {
    const { id, slugs } = await links.createLink(ann)
    for (const slug of ['order-b', 'order-a'])
      await links.call('POST', `/links/${id}/slugs`, { key: ann, body: { slug } })
    links.advance(1)
    await links.call('POST', `/links/${id}/slugs`, { key: ben, body: { slug: '0-late' } })
    const listed = (await read(id)).slugs.map((each: { slug: string }) => each.slug)
    expect(listed).toEqual([slugs[0].slug, 'order-a', 'order-b', '0-late'])
  })

  testOnSqlite(
    'L8.4: a slug of another link is not found below a link, and an unknown link is not found',
    async () => {
      const [own, foreign] = [
        await links.createLink(ann, { slug: newSlug() }),
        await links.createLink(ann, { slug: newSlug() }),
      ]
      const slug = foreign.slugs[1].slug
      for (const suffix of ['/disable', '/enable', '/primary'])
        await links.expectRefusal('POST', `/links/${own.id}/slugs/${slug}${suffix}`, { key: ann }, [
          404,
          'Slug not found on this link',
        ])
      await links.expectRefusal('DELETE', `/links/${own.id}/slugs/${slug}?force=true`, { key: ann }, [
        404,
        'Slug not found on this link',
      ])
      await links.expectRefusal('DELETE', `/links/999999/slugs/${slug}`, { key: ann }, [
        404,
        'Link not found',
      ])
      expect(await redirects(slug)).toBe(true)
    },
  )

  testOnSqlite(
    'L8.3: looking up a slug returns its link to anyone, in any case, disabled or not',
    async () => {
      const slug = newSlug()
      const link = await links.createLink(ann, { slug })
      for (const each of [slug, slug.toUpperCase(), link.slugs[0].slug])
        expect((await links.call('GET', `/slugs/${each}`, { key: ben })).body).toEqual(link)
      await links.call('POST', `/slugs/${slug}/disable`, { key: ann })
      await links.call('POST', `/links/${link.id}/disable`, { key: ann })
      const { status, body } = await links.call('GET', `/slugs/${slug}`, { key: ben })
      expect([status, body]).toEqual([200, await read(link.id)])
      await links.expectRefusal('GET', '/slugs/no-such-slug', { key: ben }, [404, 'Link not found'])
      await links.expectRefusal('GET', '/slugs/_x', { key: ben }, [404, 'Not Found'])
    },
  )

  testOnSqlite('looking up a slug accepts a range, like reading the link', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug })
    await links.fetch(`/${slug}`)
    links.advance(8 * 86_400)
    await links.fetch(`/${slug}`)
    const link = await links.call('GET', `/slugs/${slug}?range=7d`, { key: ben })
    expect(link.body).toMatchObject({ id, total_clicks: 1 })
    await links.expectRefusal('GET', `/slugs/${slug}?range=8d`, { key: ben }, [
      400,
      expect.stringMatching(/^range: /),
    ])
  })

  test('L24.13: a thousand slugs on one link are listed, searched and deleted with it', async () => {
    const { id } = await links.createLink(ann)
    const slugs = Array.from({ length: 1000 }, (_, n) => `many-${id}-${n}`)
    const rows = slugs.map((slug) => ({ slug, link_id: id, is_custom: 1, created_at: 1 }))
    await links.database.write((tx) => tx.insertInto('slug').values(rows).execute())
    expect((await read(id)).slugs).toHaveLength(1001)
    expect((await links.call('GET', `/links/${id}?range=7d`, { key: ann })).body.slugs).toHaveLength(1001)
    expect((await links.call('DELETE', `/links/${id}`, { key: ann })).body).toEqual({ deleted: true })
  })
})
