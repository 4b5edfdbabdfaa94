import { describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import * as fc from 'fast-check'
import { clickLink } from '../actions.ts'
import { type Reply, sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'
const ben = 'ben@example.com'
const admin = 'admin@example.com'

let count = 0
const newSlug = () => `past-${++count}`

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_ADMINS: admin })

  const history = async (key: string, id: number, query = ''): Promise<Reply> =>
    links.call('GET', `/links/${id}/history${query}`, { key })
  const lastChange = async (key: string, id: number) =>
    (await history(key, id, '?limit=1')).body[0].id as number
  const restore = (key: string, id: number, changeId: number, headers = {}) =>
    links.call('POST', `/links/${id}/restore`, { key, body: { change_id: changeId }, headers })

  /** The link without what every write changes. */
  async function read(key: string, id: number): Promise<unknown> {
    const { body: link } = await links.call('GET', `/links/${id}`, { key })
    const { body: behaviour } = await links.call('GET', `/links/${id}/behaviour`, { key })
    return { link, behaviour }
  }

  describe('L29.2: the history of a link', () => {
    test('L29.2c: has its changes, newest first, in pages', async () => {
      const key = await links.key(ann)
      const { id } = await links.createLink(key, { label: 'One' })
      await links.call('PATCH', `/links/${id}`, { key, body: { label: 'Two' } })
      await links.call('POST', `/links/${id}/disable`, { key })
      const { body, headers } = await history(key, id)
      expect(body).toMatchObject([
        {
          kind: 'link.disabled',
          version: 3,
          before: { disabled_at: null },
          after: { disabled_at: links.now },
        },
        { kind: 'link.updated', version: 2, before: { label: 'One' }, after: { label: 'Two' } },
        { kind: 'link.created', version: 1, before: null, after: { label: 'One', created_by: ann } },
      ])
      expect(headers.get('link')).toBeNull()
      const paged: unknown[] = []
      for (let path: string | undefined = `/links/${id}/history?limit=2`; path !== undefined;) {
        const page: Reply = await links.call('GET', path, { key })
        paged.push(...page.body)
        path = /<\/_\/api(.*)>/.exec(page.headers.get('link') ?? '')?.[1]
      }
      expect(paged).toEqual(body)
    })

    test('L29.1g, L29.2: of a deleted link stays, and that of a link that never was is 404', async () => {
      const key = await links.key(ann)
      const { id } = await links.createLink(key, { label: 'Gone' })
      await links.call('DELETE', `/links/${id}`, { key })
      expect((await history(key, id)).body).toMatchObject([
        { kind: 'link.deleted', before: { label: 'Gone', created_by: ann }, after: null, version: null },
        { kind: 'link.created' },
      ])
      expect((await history(key, 999_999)).body).toEqual({ error: 'Link not found' })
    })

    testOnSqlite(
      'L29.2a: shows the title of an API key to its person and to administrators only',
      async () => {
        const key = await links.key(ann)
        const { id } = await links.createLink(key)
        const titleFor = async (identity: string) =>
          (await history(await links.key(identity), id)).body[0].assistant_name
        expect([await titleFor(ann), await titleFor(admin), await titleFor(ben)]).toEqual([
          'test',
          'test',
          null,
        ])
      },
    )

    testOnSqlite('L29.2c: an invalid cursor, or one of another link, is refused', async () => {
      const key = await links.key(ann)
      const [first, second] = [(await links.createLink(key)).id, (await links.createLink(key)).id]
      await links.call('PATCH', `/links/${first}`, { key, body: { label: 'x' } })
      const { headers } = await history(key, first, '?limit=1')
      const cursor = /cursor=([^>&]+)/.exec(headers.get('link') ?? '')?.[1]
      expect((await history(key, first, `?cursor=${cursor}`)).status).toBe(200)
      for (const [id, value] of [
        [second, cursor],
        [first, 'nonsense'],
      ])
        expect((await history(key, Number(id), `?cursor=${value}`)).body).toEqual({
          error: 'cursor: is not valid with these parameters',
        })
    })
  })

  describe('L29.2: a restoration', () => {
    test('L29.2d: to any change gives the link the values that it had then, whatever came later', async () => {
      const key = await links.key(ann)
      const steps: Record<string, fc.Arbitrary<(id: number) => [string, string, unknown?]>> = {
        label: fc.constantFrom('A', 'B', null).map((label) => (id) => ['PATCH', `/links/${id}`, { label }]),
        url: fc
          .constantFrom(1, 2)
          .map((n) => (id) => [
            'PATCH',
            `/links/${id}`,
            { url: `https://example.com/v/${n}`, expires_at: 4e9 + n },
          ]),
        slug: fc.constant((id) => ['POST', `/links/${id}/slugs`, { slug: newSlug() }]),
        primary: fc.constant((id) => ['PATCH', `/links/${id}`, { slug: newSlug() }]),
        state: fc.constantFrom('disable', 'enable').map((verb) => (id) => ['POST', `/links/${id}/${verb}`]),
        behaviour: fc
          .constantFrom({}, { max_clicks: 5 }, { after_url: 'https://example.com/after' })
          .map((body) => (id) => ['PUT', `/links/${id}/behaviour`, body]),
      }
      const write = fc.oneof(...Object.values(steps))
      const slugWrite = fc.constantFrom('DELETE', 'disable', 'enable')
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.tuple(write, fc.option(slugWrite)), { maxLength: 6 }),
          async (writes) => {
            const { id } = await links.createLink(key)
            const states = new Map([[await lastChange(key, id), await read(key, id)]])
            for (const [next, slugVerb] of writes) {
              links.advance(1)
              const [method, path, body] = next(id)
              await links.call(method, path, { key, body })
              states.set(await lastChange(key, id), await read(key, id))
              const custom = (await links.call('GET', `/links/${id}`, { key })).body.slugs[1]
              if (!slugVerb || !custom) continue
              const target = `/links/${id}/slugs/${custom.slug}`
              await (slugVerb === 'DELETE'
                ? links.call('DELETE', target, { key })
                : links.call('POST', `${target}/${slugVerb}`, { key }))
              states.set(await lastChange(key, id), await read(key, id))
            }
            for (const [changeId, state] of fc.sample(fc.shuffledSubarray([...states]), 1)[0] ?? []) {
              expect((await restore(key, id, changeId)).status).toBe(200)
              expect(await read(key, id)).toEqual(state)
            }
          },
        ),
        { numRuns: 12 },
      )
    })

    testOnSqlite(
      'L3.4: a slug with the name of a property of objects is restored like any other',
      async () => {
        const key = await links.key(ann)
        const { id } = await links.createLink(key)
        const first = await lastChange(key, id)
        await links.call('POST', `/links/${id}/slugs`, { key, body: { slug: 'constructor' } })
        const second = await lastChange(key, id)
        const slugsAfter = async (changeId: number) =>
          (await restore(key, id, changeId)).body.slugs.map(({ slug }: { slug: string }) => slug).slice(1)
        expect(await slugsAfter(first)).toEqual([])
        expect(await slugsAfter(second)).toEqual(['constructor'])
      },
    )

    testOnSqlite('L29.2e: keeps the owner, and is one change', async () => {
      const key = await links.key(ann)
      const { id } = await links.createLink(key, { label: 'Mine' })
      const first = await lastChange(key, id)
      await links.call('PATCH', `/links/${id}`, { key, body: { label: 'Changed' } })
      await links.call('POST', `/links/${id}/transfer`, { key, body: { owner: ben, confirm: true } })
      await links.expectRefusal('POST', `/links/${id}/restore`, { key, body: { change_id: first } }, [
        403,
        'Only the link owner can restore this link',
      ])
      const bens = await links.key(ben)
      expect((await restore(bens, id, first)).body).toMatchObject({ label: 'Mine', created_by: ben })
      expect((await history(bens, id)).body).toMatchObject([
        { kind: 'link.updated', identity: ben, before: { label: 'Changed' }, after: { label: 'Mine' } },
        { kind: 'link.transferred', identity: ann },
        { kind: 'link.updated' },
        { kind: 'link.created' },
      ])
    })

    testOnSqlite(
      'L29.2f: disables a later slug that has clicks, and refuses a slug that is taken since',
      async () => {
        const key = await links.key(ann)
        const { id } = await links.createLink(key)
        const first = await lastChange(key, id)
        const [clicked, freed] = [newSlug(), newSlug()]
        for (const slug of [clicked, freed])
          await links.call('POST', `/links/${id}/slugs`, { key, body: { slug } })
        const both = await lastChange(key, id)
        await clickLink(links, clicked)
        const { body: restored } = await restore(key, id, first)
        expect(restored.slugs).toMatchObject([{ is_custom: 0 }, { slug: clicked, disabled_at: links.now }])
        expect(restored.total_clicks).toBe(1)
        await links.createLink(key, { slug: freed })
        await links.expectRefusal('POST', `/links/${id}/restore`, { key, body: { change_id: both } }, [
          409,
          'Slug already exists',
        ])
      },
    )

    testOnSqlite(
      'L29.2g: removes a later password, keeps one, and refuses one that was removed',
      async () => {
        const key = await links.key(ann)
        const { id } = await links.createLink(key)
        const open = await lastChange(key, id)
        const put = (body: object) => links.call('PUT', `/links/${id}/behaviour`, { key, body })
        await put({ password: 'first' })
        const locked = await lastChange(key, id)
        await put({ password: 'second', after_url: 'https://example.com/later' })
        expect((await restore(key, id, locked)).status).toBe(200)
        expect((await links.call('GET', `/links/${id}/behaviour`, { key })).body).toEqual({ password: true })
        expect((await restore(key, id, open)).status).toBe(200)
        expect((await links.call('GET', `/links/${id}/behaviour`, { key })).body).toEqual({})
        await links.expectRefusal('POST', `/links/${id}/restore`, { key, body: { change_id: locked } }, [
          400,
          'The link had a password then, which history does not keep; set a new one first',
        ])
      },
    )

    testOnSqlite('L29.2h: is refused for a change of another link, and for another version', async () => {
      const key = await links.key(ann)
      const [id, other] = [(await links.createLink(key)).id, (await links.createLink(key)).id]
      const foreign = await lastChange(key, other)
      for (const change_id of [foreign, 999_999_999])
        await links.expectRefusal('POST', `/links/${id}/restore`, { key, body: { change_id } }, [
          404,
          'Change not found',
        ])
      expect((await restore(key, id, await lastChange(key, id), { 'If-Match': '"9"' })).status).toBe(412)
    })
  })

  describe('L29.2: the changes of people', () => {
    test('L29.2b: are one’s own; administrators read those of all', async () => {
      const [anns, bens, admins] = [await links.key(ann), await links.key(ben), await links.key(admin)]
      const made = { ann: (await links.createLink(anns)).id, ben: (await links.createLink(bens)).id }
      const idsFor = async (key: string, query = '') =>
        (await links.call('GET', `/changes?limit=200${query}`, { key })).body.map(
          (change: { link_id: number }) => change.link_id,
        )
      expect(await idsFor(bens)).toContain(made.ben)
      expect(await idsFor(bens)).not.toContain(made.ann)
      expect(await idsFor(bens, `&identity=${ben}`)).toEqual(await idsFor(bens))
      expect((await idsFor(admins)).slice(0, 2)).toEqual([made.ben, made.ann])
      expect((await idsFor(admins, `&identity=${ann}`))[0]).toBe(made.ann)
      expect((await links.call('GET', `/changes?identity=${ann}`, { key: bens })).body).toEqual({
        error: 'Only administrators of the instance can read the changes of others',
      })
    })

    test('L29.2b: match every filter, in pages', async () => {
      const person = `filters-${++count}@example.com`
      const [first, second] = [await links.key(person), await links.key(person)]
      for (const key of [first, second, first]) {
        links.advance(10)
        await links.createLink(key)
      }
      const find = async (query: string) =>
        (await links.call('GET', `/changes?${query}`, { key: first })).body
      const all = await find('')
      expect(all.map((change: { changed_at: number }) => links.now - change.changed_at)).toEqual([0, 10, 20])
      const [latest, middle] = all
      expect(await find(`since=${links.now - 10}`)).toEqual([latest, middle])
      expect(await find(`assistant=${middle.assistant}`)).toEqual([middle])
      expect(await find('via=mcp')).toEqual([])
      expect(await find(`via=api&since=${links.now}&assistant=${latest.assistant}`)).toEqual([latest])
      const page = await links.call('GET', '/changes?limit=2&via=api', { key: first })
      const next = /<\/_\/api(.*)>/.exec(page.headers.get('link') ?? '')?.[1] ?? ''
      expect([...page.body, ...(await links.call('GET', next, { key: first })).body]).toEqual(all)
      for (const query of ['via=nothing', 'since=-1', 'limit=201', 'cursor=x'])
        expect((await links.call('GET', `/changes?${query}`, { key: first })).status).toBe(400)
    })
  })
})
