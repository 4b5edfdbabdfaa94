import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { FROM_BROWSER } from '../actions.ts'
import { ann, ben } from './assistants.ts'
import { shareToolService } from './tool-service.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

onSqlite((newUrl) => {
  const { links, asAnn, asBen, created } = shareToolService(newUrl)

  test('L26: set_link_behaviour replaces the behaviour of an own link, and explain_redirect says where it leads', async () => {
    const { id } = (await asAnn('create_link', { url: 'https://example.com/own', custom_slug: 'explained' }))
      .value
    const behaviour = { rules: [{ when: { country: ['SE'] }, to: 'https://example.com/se' }] }
    expect((await asAnn('set_link_behaviour', { link_id: id, behaviour })).value).toEqual(behaviour)
    expect((await asBen('get_link_behaviour', { link_id: id })).value).toEqual(behaviour)
    const visit = { slug: 'Explained', country: 'SE', at: 1_800_000_000 }
    expect((await asBen('explain_redirect', visit)).value).toMatchObject({
      outcome: 'open',
      location: 'https://example.com/se',
      as_of: 1_800_000_000,
    })
    const before = await links.databaseState()
    const refused = await asBen('set_link_behaviour', { link_id: id, behaviour: {} })
    expect(refused.text).toStartWith('Only the link owner can update this link')
    expect(await links.databaseState()).toEqual(before)
    expect((await asAnn('set_link_behaviour', { link_id: id, behaviour: {} })).value).toEqual({})
  })

  test('L29.4: an assistant plans, applies and undoes changes, and lists them', async () => {
    const { id } = (await asAnn('create_link', { url: 'https://example.com/planned' })).value
    const op = { operation: 'updateLink', params: { id }, body: { label: 'Planned' } }
    const plan = (await asAnn('plan_changes', { title: 'Labels', ops: [op] })).value
    expect(plan).toMatchObject({ state: 'open', via: 'mcp', diff: [{ after: { label: 'Planned' } }] })
    expect((await asAnn('get_plan', { plan_id: plan.id })).value).toEqual(plan)
    expect((await asBen('get_plan', { plan_id: plan.id })).text).toStartWith('Plan not found')
    expect((await asAnn('apply_plan', { plan_id: plan.id })).value).toMatchObject({ state: 'applied' })
    expect((await asAnn('discard_plan', { plan_id: plan.id })).text).toStartWith('The plan is not open')
    const { results } = (await asAnn('list_changes', { via: 'mcp', limit: 1 })).value
    expect(results).toMatchObject([{ link_id: id, tool: 'apply_plan', plan_id: plan.id }])
    expect((await asAnn('undo_plan', { plan_id: plan.id })).value).toMatchObject({
      undone: 1,
      remaining: [],
      plan: { state: 'undone' },
    })
    expect((await asAnn('get_link', { link_id: id })).value.label).toBeNull()
  })

  test('L29.4: an assistant cannot plan to delete clicks', async () => {
    const { id } = (await asAnn('create_link', { url: 'https://example.com/clicked' })).value
    const ops = [{ operation: 'deleteLink', params: { id }, query: { force: true } }]
    const refused = await asAnn('plan_changes', { ops })
    expect(refused.text).toStartWith('ops: force is not possible here')
    expect(refused.isError).toBe(true)
  })

  describe('creating', () => {
    test('L3.8: a resource is marked as created over MCP and belongs to the caller', async () => {
      expect(created.first).toMatchObject({ created_via: 'mcp', created_by: ann, slug_rejections: [] })
      expect((await asBen('create_bundle', { name: 'Ben’s' })).value).toMatchObject({
        created_via: 'mcp',
        created_by: ben,
        accent: 'orange',
      })
    })

    test('L28.7: many links are created, each for itself', async () => {
      const many = [
        { url: 'https://example.com/many/1', label: 'One', slug: 'many-1' },
        { url: 'https://example.com/many/2', slug: 'many-1' },
        { url: 'https://example.com/many/1' },
      ]
      const { results } = (await asAnn('create_links', { links: many })).value
      expect(results).toMatchObject([
        { index: 0, status: 201, link: { label: 'One', created_via: 'mcp', created_by: ann } },
        { index: 1, status: 409, error: 'Slug already exists', code: 'slug_taken' },
        { index: 2, status: 200, link: { id: results[0].link.id, duplicate: true } },
      ])
      expect(results[0].link.short_url).toEndWith('/many-1')
      const tooMany = Array.from({ length: 101 }, (_, n) => ({ url: `https://example.com/many/${n}` }))
      for (const refused of [
        [],
        tooMany,
        [{ url: 'nonsense' }],
        [{ url: 'https://a.example', custom_slug: 'x' }],
      ])
        expect((await asAnn('create_links', { links: refused })).isError).toBe(true)
    })

    test('L19.4: a repeated call changes nothing, and a slug that the link already has is no rejection', async () => {
      const call = {
        url: 'https://example.com/again',
        custom_slug: ['Again-1', 'again-2', 'first', '_x', ''],
      }
      const made = (await asAnn('create_link', call)).value
      expect(made.slug_rejections).toEqual([
        { slug: 'first', reason: 'Slug already exists' },
        { slug: '_x', reason: 'Slug must not start with underscore' },
        { slug: '', reason: 'Custom slug must not be empty' },
      ])
      expect(made.slugs.map((s: { slug: string }) => s.slug)).toEqual([
        expect.any(String),
        'again-1',
        'again-2',
      ])
      expect(made.slugs.find((s: { is_primary: number }) => s.is_primary === 1).slug).toBe('again-1')
      expect(made.duplicate).toBeUndefined()
      const before = await links.databaseState()
      const again = (await asAnn('create_link', call)).value
      expect(again).toEqual({ ...made, duplicate: true, duplicate_count: 1 })
      expect(await links.databaseState()).toEqual(before)
    })

    test('returns the short URL for visitors, which leads to the URL', async () => {
      const url = 'https://example.com/address'
      const { short_url } = (await asAnn('create_link', { url, custom_slug: 'Address' })).value
      expect(new URL(short_url).pathname).toBe('/address')
      const response = await links.fetch(new URL(short_url).pathname, FROM_BROWSER)
      expect(response.headers.get('location')).toBe(url)
    })

    test('with slugs never changes a link of another person, and without them returns it', async () => {
      const url = 'https://example.com/shared'
      const own = (await asAnn('create_link', { url })).value
      expect((await asBen('create_link', { url })).value).toMatchObject({ id: own.id, duplicate: true })
      const bens = (await asBen('create_link', { url, custom_slug: 'bens-own' })).value
      expect(bens.id).not.toBe(own.id)
      expect(bens).toMatchObject({ created_by: ben, slug_rejections: [] })
      expect(bens.duplicate).toBeUndefined()
    })

    test('the same call many times at once creates one link', async () => {
      const call = { url: 'https://example.com/at-once', custom_slug: 'at-once' }
      const made = await Promise.all(Array.from({ length: 8 }, () => asAnn('create_link', call)))
      expect(new Set(made.map(({ value }) => value.id)).size).toBe(1)
      expect(made.flatMap(({ value }) => value.slug_rejections)).toEqual([])
    })

    test('a look-alike of a slug is rejected and never treated as that slug', async () => {
      const url = 'https://example.com/kelvin'
      await asAnn('create_link', { url, custom_slug: 'kelvin' })
      const { value } = await asAnn('create_link', { url, custom_slug: '\u{212A}elvin' })
      expect(value.slug_rejections).toEqual([
        { slug: '\u{212A}elvin', reason: expect.stringMatching(/^Custom slug must start and end/) },
      ])
    })
  })

  describe('refusals', () => {
    test('L24.18: a script or another scheme is no destination, in create and update', async () => {
      const before = await links.databaseState()
      for (const url of ['javascript:alert(1)', 'data:text/html,x', ' JaVaScRiPt:alert(1)', 'ftp://a.b/']) {
        const outcome = await asAnn('create_link', { url })
        expect(outcome).toMatchObject({
          isError: true,
          text: expect.stringMatching(/^url must use http or https\n/),
        })
        expect((await asAnn('create_link', { url, custom_slug: 'bad' })).isError).toBe(true)
        expect((await asAnn('update_link', { link_id: created.first.id, url })).text).toMatch(
          /^url must use http or https\n/,
        )
      }
      expect(await links.databaseState()).toEqual(before)
    })

    test('L24.1: every write by a person who is not the owner, by any tool, changes nothing', async () => {
      const own = (
        await asAnn('create_link', { url: 'https://example.com/owned', custom_slug: ['own-a', 'own-b'] })
      ).value
      await asAnn('add_link_to_bundle', { bundle_id: created.bundleId, link_id: own.id })
      const link_id = own.id
      const slug = 'own-b'
      const bundle_id = created.bundleId
      const before = await links.databaseState()
      const writes: [tool: string, args: Record<string, unknown>, text: string][] = [
        [
          'update_link',
          { link_id, url: 'https://evil.example/' },
          'Only the link owner can update this link',
        ],
        ['update_link', { link_id, label: null }, 'Only the link owner can update this link'],
        ['disable_link', { link_id }, 'Only the link owner can disable this link'],
        ['enable_link', { link_id }, 'Only the link owner can enable this link'],
        ['delete_link', { link_id }, 'Only the link owner can delete this link'],
        ['disable_slug', { link_id, slug }, 'Only the link owner can disable slugs on this link'],
        ['enable_slug', { link_id, slug }, 'Only the link owner can enable slugs on this link'],
        ['set_primary_slug', { link_id, slug }, 'Only the link owner can change the primary slug'],
        ['remove_slug', { link_id, slug }, 'Only the link owner can remove slugs on this link'],
        ['update_bundle', { bundle_id, name: 'Mine' }, 'Only the bundle owner can update this bundle'],
        ['archive_bundle', { bundle_id }, 'Only the bundle owner can archive this bundle'],
        ['unarchive_bundle', { bundle_id }, 'Only the bundle owner can unarchive this bundle'],
        ['delete_bundle', { bundle_id }, 'Only the bundle owner can delete this bundle'],
        [
          'remove_link_from_bundle',
          { bundle_id, link_id },
          'Only the bundle owner can remove links from this bundle',
        ],
      ]
      for (const [tool, args, text] of writes) {
        const outcome = await asBen(tool, args)
        expect([tool, outcome.isError, outcome.text.split('\n')[0]]).toEqual([tool, true, text])
        expect(outcome.text).toContain('created_by')
      }
      expect(await links.databaseState()).toEqual(before)
      // The writes that anyone may make do not change the destination or the primary slug.
      expect((await asBen('add_custom_slug', { link_id, slug: 'from-ben' })).value).toMatchObject({
        is_primary: 0,
      })
      expect((await asBen('add_link_to_bundle', { bundle_id, link_id })).value).toEqual({ added: true })
    })

    test('bad arguments are answered with tool, field and limit, in the words of the API', async () => {
      const cases: [tool: string, args: Record<string, unknown>, text: string][] = [
        ['create_link', {}, 'url: is required'],
        ['create_link', { url: 'https://a.example', colour: 'red' }, 'Unknown field "colour"'],
        [
          'create_link',
          { url: `https://a.example/${'x'.repeat(2048)}` },
          'url: must be at most 2048 characters',
        ],
        ['create_link', { url: 'https://a.example', slug_length: 2 }, 'slug_length: must be at least 3'],
        ['create_link', { url: 'https://a.example', expires_at: -1 }, 'expires_at: must be at least 0'],
        [
          'create_link',
          { url: 'https://a.example', custom_slug: Array.from({ length: 101 }, (_, n) => `many-${n}`) },
          'custom_slug: must have at most 100 items',
        ],
        ['get_link', { link_id: 0 }, 'link_id: must be at least 1'],
        ['get_link', { link_id: 1, range: '2d' }, 'range: must be one of: 24h, 7d, 30d, 90d, 1y, all'],
        ['get_link', { link_id: 1, force: true }, 'Unknown field "force"'],
        ['delete_link', { link_id: 1, force: true }, 'Unknown field "force"'],
        [
          'get_link_breakdown',
          { link_id: 1, dimension: 'country', limit: 101 },
          'limit: must be at most 100',
        ],
        ['create_bundle', { name: ' ' }, 'name must not be blank'],
        ['search_links', { query: 'x'.repeat(257) }, 'query: must be at most 256 characters'],
      ]
      for (const [tool, args, text] of cases) {
        const outcome = await asAnn(tool, args)
        expect([tool, outcome.text]).toEqual([
          tool,
          `${text}\nCorrect the arguments of ${tool}; its input schema names every limit.`,
        ])
      }
    })

    test('a failure starts with the message of the API and suggests a next step', async () => {
      const cases: [tool: string, args: Record<string, unknown>, text: string, hint: string][] = [
        ['get_link', { link_id: 987 }, 'Link not found', 'search_links'],
        ['get_bundle', { bundle_id: 987 }, 'Bundle not found', 'list_bundles'],
        [
          'disable_slug',
          { link_id: created.first.id, slug: 'zz9' },
          'Slug not found on this link',
          'get_link',
        ],
        ['enable_slug', { link_id: created.first.id, slug: '../x' }, 'Not Found', 'letters'],
        ['add_custom_slug', { link_id: created.second.id, slug: 'first' }, 'Slug already exists', 'another'],
        [
          'delete_link',
          { link_id: created.first.id },
          'Cannot delete a link with clicks, disable it instead',
          'disable_link',
        ],
        [
          'remove_slug',
          { link_id: created.first.id, slug: 'first' },
          'Cannot remove a slug with clicks, disable it instead',
          'disable_slug',
        ],
      ]
      for (const [tool, args, text, hint] of cases) {
        const outcome = await asAnn(tool, args)
        expect([tool, outcome.isError, outcome.text.split('\n')[0]]).toEqual([tool, true, text])
        expect(outcome.text.split('\n')[1]).toContain(hint)
      }
    })
  })

  test('a link, a slug and a bundle go through all states by tools alone', async () => {
    const { value: link } = await asAnn('create_link', { url: 'https://example.com/life', slug_length: 9 })
    const link_id = link.id
    expect(link.slugs[0].slug).toHaveLength(9)
    const changed = { link_id, url: 'https://example.com/new/', label: ' New ', expires_at: links.now + 60 }
    expect((await asAnn('update_link', changed)).value).toMatchObject({
      url: 'https://example.com/new',
      label: 'New',
      expires_at: links.now + 60,
    })
    expect((await asAnn('update_link', { link_id, label: null, expires_at: null })).value).toMatchObject({
      label: null,
      expires_at: null,
    })
    expect((await asAnn('add_custom_slug', { link_id, slug: 'Life' })).value).toMatchObject({
      slug: 'life',
      is_primary: 1,
    })
    expect((await asAnn('disable_slug', { link_id, slug: 'LIFE' })).value.disabled_at).toBe(links.now)
    expect((await asAnn('set_primary_slug', { link_id, slug: 'life' })).text).toContain('enable_slug')
    expect((await asAnn('enable_slug', { link_id, slug: 'life' })).value.disabled_at).toBeNull()
    expect((await asAnn('set_primary_slug', { link_id, slug: 'life' })).value.slugs[1].is_primary).toBe(1)
    expect((await asAnn('disable_link', { link_id })).value.disabled_at).toBe(links.now)
    expect((await links.fetch('/life')).status).toBe(404)
    expect((await asAnn('enable_link', { link_id })).value.disabled_at).toBeNull()
    const { value: bundle } = await asAnn('create_bundle', { name: 'Life', description: 'd', accent: 'blue' })
    const bundle_id = bundle.id
    expect((await asAnn('update_bundle', { bundle_id, description: null, name: 'L' })).value).toMatchObject({
      name: 'L',
      description: null,
      accent: 'blue',
    })
    expect((await asAnn('add_link_to_bundle', { bundle_id, link_id })).value).toEqual({ added: true })
    expect((await asAnn('remove_link_from_bundle', { bundle_id, link_id })).value).toEqual({ removed: true })
    expect((await asAnn('remove_link_from_bundle', { bundle_id, link_id })).value).toEqual({ removed: false })
    expect((await asAnn('archive_bundle', { bundle_id })).value.archived_at).toBe(links.now)
    expect((await asAnn('list_bundles', { filter: 'archived' })).value.results).toMatchObject([
      { id: bundle_id },
    ])
    expect((await asAnn('unarchive_bundle', { bundle_id })).value.archived_at).toBeNull()
    expect((await asAnn('delete_bundle', { bundle_id })).value).toEqual({ deleted: true })
    expect((await asAnn('remove_slug', { link_id, slug: 'life' })).value).toEqual({ removed: true })
    expect((await asAnn('delete_link', { link_id })).value).toEqual({ deleted: true })
  })

  test('L24.17: hostile text is returned as data', async () => {
    const hostile = `</script><script>alert(1)</script> "'&%_\\ \u202E 👩‍👩‍👧 {{7*7}} __proto__`
    const { value } = await asAnn('create_link', {
      url: 'https://example.com/?q=%3Cscript%3E&x="><img>',
      label: hostile,
    })
    const search = await asAnn('search_links', { query: `"'&%_\\` })
    expect(search.value.results.map((link: { id: number }) => link.id)).toEqual([value.id])
    // Labels lose the characters that could make them look like another text.
    expect(search.value.results[0].label).toBe(hostile.replace('\u202E', ''))
    const { value: bundle } = await asAnn('create_bundle', { name: hostile.slice(0, 100), icon: '<b>' })
    expect(bundle).toMatchObject({ name: hostile.slice(0, 100), icon: '<b>' })
    for (const label of ['\0', '\uD800'])
      expect((await asAnn('update_link', { link_id: value.id, label })).text).toMatch(
        /^label: must be well-formed Unicode/,
      )
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await asAnn('create_bundle', { name })).value.name).toBe(name)
  })
})
