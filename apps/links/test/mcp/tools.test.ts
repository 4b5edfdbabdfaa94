import { beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { type Reply, sharedTestLinks } from '../testing.ts'
import { ann, ben, createToolCaller, settings } from './assistants.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

const BROWSER = 'Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/130.0 Safari/537.36'
const people = (identity: string) => ({ headers: { 'X-Forwarded-Email': identity } })
const GOOGLE = 'https://www.google.com/'

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl, { ...settings, LINKS_COUNTRY_HEADER: 'CF-IPCountry' })
  const keys = { ann: '', ben: '' }
  const asAnn = createToolCaller(links, () => keys.ann)
  const asBen = createToolCaller(links, () => keys.ben)
  let first: Reply['body']
  let second: Reply['body']
  let bundleId: number

  /** What the admin side shows Ann, with her filters and default range. */
  async function shown(path: string): Promise<unknown> {
    const { status, body } = await links.callAdmin('GET', path, people(ann))
    expect([path, status]).toEqual([path, 200])
    return body
  }

  async function click(slug: string, headers: Record<string, string> = {}): Promise<void> {
    const response = await links.fetch(`/${slug}`, { headers: { 'User-Agent': BROWSER, ...headers } })
    expect(response.status).toBe(302)
  }

  beforeAll(async () => {
    keys.ann = await links.key(ann)
    keys.ben = await links.key(ben)
    first = (await asAnn('create_link', { url: 'https://example.com/first', custom_slug: 'first' })).value
    second = (await asAnn('create_link', { url: 'https://example.com/second', label: 'Second' })).value
    bundleId = (await asAnn('create_bundle', { name: 'Spring', icon: '🌷' })).value.id
    await asAnn('add_link_to_bundle', { bundle_id: bundleId, link_id: first.id })
    await click('first', { 'CF-IPCountry': 'SE', Referer: GOOGLE })
    await click('first', { 'CF-IPCountry': 'SE' })
    await click('first', { 'CF-IPCountry': 'ID', 'User-Agent': 'Googlebot/2.1' })
    await click(second.slugs[0].slug, { 'CF-IPCountry': 'DE', Referer: 'https://news.example.org/x' })
  })

  /** As it was given, when each link in it has the address that leads to its URL. */
  function withoutAddress(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, part) => {
      if (!Array.isArray(part?.slugs)) return part
      const { short_url, ...link } = part
      const { slug } = link.slugs.find((own: { is_primary: number }) => own.is_primary === 1)
      expect(short_url).toBe(`http://localhost:8080/${slug}`)
      return link
    })
  }

  describe('what is read', () => {
    test('L14.3 L19.4 L24.8 is what the admin side shows the same person, with its range in front', async () => {
      const ids = () => ({ link_id: first.id })
      const bundle = () => ({ bundle_id: bundleId })
      const cases: [tool: string, args: Record<string, unknown>, path: string, pick?: string][] = [
        ['list_links', {}, '/links?range=30d', 'results'],
        ['list_links', { range: 'all' }, '/links?range=all', 'results'],
        ['get_link', ids(), `/links/${first.id}?range=30d`],
        ['get_link', { ...ids(), range: '24h' }, `/links/${first.id}?range=24h`],
        ['search_links', { query: 'FIRST' }, '/links?range=30d&search=first', 'results'],
        ['list_links_by_owner', { owner: ann }, `/links?range=30d&owner=${ann}`, 'results'],
        ['get_link_analytics', ids(), `/links/${first.id}/analytics`],
        ['get_link_timeline', ids(), `/links/${first.id}/timeline`],
        ['get_dashboard_stats', { range: '7d' }, '/dashboard?range=7d'],
        ['list_bundles', {}, '/bundles', 'results'],
        ['list_bundles', { filter: 'all' }, '/bundles?archived=all', 'results'],
        ['get_bundle', bundle(), `/bundles/${bundleId}`],
        ['get_bundle_analytics', bundle(), `/bundles/${bundleId}/analytics`],
      ]
      for (const [tool, args, path, pick] of cases) {
        const { value, structured } = await asAnn(tool, args)
        const { range_used, range_label, range_note, count: _, ...rest } = value
        const result = pick ? rest[pick] : rest
        const isOfLinks = path.startsWith('/links?') || tool === 'get_link'
        expect([tool, isOfLinks ? withoutAddress(result) : result]).toEqual([tool, await shown(path)])
        expect(Object.keys(value).slice(0, 3)).toEqual(['range_used', 'range_label', 'range_note'])
        expect([range_used, range_label]).toEqual(
          { '24h': ['24h', '24 hours'], '7d': ['7d', '7 days'], all: ['all', 'all time'] }[
            String(args['range'])
          ] ?? ['30d', '30 days'],
        )
        expect(range_note).toMatch(/^Clicks of .* without those of bots and self-referrers\.$/)
        expect(structured).toEqual(value)
      }
      expect(withoutAddress((await asAnn('list_bundle_links', bundle())).value)).toEqual(
        await shown(`/bundles/${bundleId}/links`),
      )
      expect((await asAnn('list_bundles_for_link', ids())).value).toEqual(
        await shown(`/links/${first.id}/bundles`),
      )
    })

    test('every breakdown is the one of the admin side', async () => {
      const dimensions = {
        country: 'countries',
        referrer_host: 'referrer_hosts',
        device_type: 'devices',
        os: 'os',
        browser: 'browsers',
        link_mode: 'link_modes',
        channel: 'channels',
      }
      for (const [dimension, list] of Object.entries(dimensions)) {
        const { value } = await asAnn('get_link_breakdown', { link_id: first.id, dimension })
        const { items } = (await shown(`/links/${first.id}/breakdown?dimension=${list}&limit=25`)) as {
          items: unknown
        }
        expect([dimension, value.results]).toEqual([dimension, items])
      }
    })

    test('figures of the whole instance leave out what the viewer does not want to see', async () => {
      const all = { range: 'all' }
      expect((await asAnn('get_total_clicks', all)).value.total_clicks).toBe(3)
      expect((await asAnn('get_trending_links', all)).value.results).toEqual([
        { link_id: first.id, clicks: 2, url: first.url, label: null },
        { link_id: second.id, clicks: 1, url: second.url, label: 'Second' },
      ])
      expect((await asAnn('get_trending_links', { ...all, limit: 1 })).value).toMatchObject({
        results: [{ link_id: first.id }],
        truncated: true,
        total: 2,
      })
      expect((await asAnn('get_clicks_by_country', all)).value.results).toEqual([
        { name: 'SE', count: 2 },
        { name: 'DE', count: 1 },
      ])
      expect((await asAnn('get_clicks_by_referrer', all)).value.results).toEqual([
        { name: 'google.com', count: 1 },
        { name: 'news.example.org', count: 1 },
      ])
      expect((await asAnn('get_clicks_by_device', all)).value.results).toEqual([
        { name: 'desktop', count: 3 },
      ])
      expect((await asAnn('get_clicks_by_device', { ...all, dimension: 'os' })).value.results).toEqual([
        { name: 'windows', count: 3 },
      ])
      expect((await asAnn('get_clicks_by_device', { dimension: 'browser' })).value.results).toEqual([
        { name: 'Chrome', count: 3 },
      ])
      const raw = { body: { filter_bots: false }, ...people(ben) }
      expect((await links.callAdmin('PUT', '/settings', raw)).status).toBe(200)
      expect((await asBen('get_total_clicks', all)).value).toEqual({
        range_used: 'all',
        range_label: 'all time',
        range_note: 'Clicks of all time are counted, without those of self-referrers.',
        total_clicks: 4,
      })
    })

    test('links are compared in the order asked for, and a missing one fails the call by name', async () => {
      const { value } = await asAnn('compare_links', { link_ids: [second.id, first.id] })
      expect(value.results).toEqual([
        {
          link_id: second.id,
          url: second.url,
          label: 'Second',
          total_clicks: 1,
          top_country: 'DE',
          top_referrer: 'news.example.org',
        },
        {
          link_id: first.id,
          url: first.url,
          label: null,
          total_clicks: 2,
          top_country: 'SE',
          top_referrer: 'google.com',
        },
      ])
      const missing = await asAnn('compare_links', { link_ids: [first.id, 987] })
      expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/^Link 987 not found\n/) })
      expect((await asAnn('compare_links', { link_ids: [first.id] })).isError).toBe(true)
    })

    test('the caller’s default range is used when none is given', async () => {
      const change = { body: { default_range: '1y' }, ...people(ben) }
      expect((await links.callAdmin('PUT', '/settings', change)).status).toBe(200)
      expect((await asBen('get_link', { link_id: first.id })).value).toMatchObject({
        range_used: '1y',
        range_label: '12 months',
        range_note: expect.stringContaining('the default range of your settings'),
      })
    })

    test('a search without a match or without a query finds nothing and says what to do', async () => {
      for (const [tool, args] of [
        ['search_links', { query: 'nothing like it' }],
        ['search_links', { query: ' \t ' }],
        ['search_links', { query: '%' }],
        ['list_links_by_owner', { owner: 'nobody@example.com' }],
        ['list_links_by_owner', { owner: ' ' }],
      ] as const) {
        const { value } = await asAnn(tool, args)
        expect(value).toMatchObject({ results: [], count: 0, message: expect.stringMatching(/\w/) })
      }
    })

    test('L24.9 a QR code is the one of the admin side, for any slug and any origin', async () => {
      const { value, content } = await asAnn('get_link_qr', { link_id: first.id })
      expect(value).toMatchObject({
        link_id: first.id,
        slug: 'first',
        encodes: 'http://localhost:8080/first?utm_medium=qr',
      })
      expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/svg+xml' })
      const svg = Buffer.from(content[1]?.data ?? '', 'base64').toString()
      expect(svg).toBe(String(await shown(`/links/${first.id}/qr?size=400&format=svg`)))
      const auto = first.slugs[0].slug
      const other = { link_id: first.id, slug: auto.toUpperCase(), base_url: 'https://go.example.com/' }
      expect((await asAnn('get_link_qr', other)).value.encodes).toBe(
        `https://go.example.com/${auto}?utm_medium=qr`,
      )
      for (const base_url of ['javascript:alert(1)', 'https://go.example.com/x', 'go.example.com', ''])
        expect((await asAnn('get_link_qr', { link_id: first.id, base_url })).isError).toBe(true)
      expect((await asAnn('get_link_qr', { link_id: first.id, slug: 'elsewhere' })).text).toMatch(
        /^Slug not found\n/,
      )
    })

    test('the health is that of the health check', async () => {
      const { value } = await asAnn('health')
      const { body } = await links.fetch('/_/health').then(async (r) => ({ body: await r.json() }))
      expect({ ...value, timestamp: 0 }).toEqual({ ...(body as object), timestamp: 0 })
    })
  })

  describe('what is created', () => {
    test('L3.8 is marked as made by an assistant and belongs to the caller', async () => {
      expect(first).toMatchObject({ created_via: 'mcp', created_by: ann, slug_rejections: [] })
      expect((await asBen('create_bundle', { name: 'Ben’s' })).value).toMatchObject({
        created_via: 'mcp',
        created_by: ben,
        accent: 'orange',
      })
    })

    test('L19.4 repeating a call changes nothing, and a slug it has already is no rejection', async () => {
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

    test('tells the address to give to people, which leads to the URL', async () => {
      const url = 'https://example.com/address'
      const { short_url } = (await asAnn('create_link', { url, custom_slug: 'Address' })).value
      expect(new URL(short_url).pathname).toBe('/address')
      const response = await links.fetch(new URL(short_url).pathname, { headers: { 'User-Agent': BROWSER } })
      expect(response.headers.get('location')).toBe(url)
    })

    test('with slugs never changes another person’s link, and without them answers with it', async () => {
      const url = 'https://example.com/shared'
      const own = (await asAnn('create_link', { url })).value
      expect((await asBen('create_link', { url })).value).toMatchObject({ id: own.id, duplicate: true })
      const bens = (await asBen('create_link', { url, custom_slug: 'bens-own' })).value
      expect(bens.id).not.toBe(own.id)
      expect(bens).toMatchObject({ created_by: ben, slug_rejections: [] })
      expect(bens.duplicate).toBeUndefined()
    })

    test('the same call many times at once makes one link', async () => {
      const call = { url: 'https://example.com/at-once', custom_slug: 'at-once' }
      const made = await Promise.all(Array.from({ length: 8 }, () => asAnn('create_link', call)))
      expect(new Set(made.map(({ value }) => value.id)).size).toBe(1)
      expect(made.flatMap(({ value }) => value.slug_rejections)).toEqual([])
    })

    test('a look-alike of a slug is rejected and never taken for it', async () => {
      const url = 'https://example.com/kelvin'
      await asAnn('create_link', { url, custom_slug: 'kelvin' })
      const { value } = await asAnn('create_link', { url, custom_slug: '\u{212A}elvin' })
      expect(value.slug_rejections).toEqual([
        { slug: '\u{212A}elvin', reason: expect.stringMatching(/^Custom slug must start and end/) },
      ])
    })
  })

  describe('what is refused', () => {
    test('L24.18 a script or another scheme is no target, in create and update', async () => {
      const before = await links.databaseState()
      for (const url of ['javascript:alert(1)', 'data:text/html,x', ' JaVaScRiPt:alert(1)', 'ftp://a.b/']) {
        const created = await asAnn('create_link', { url })
        expect(created).toMatchObject({
          isError: true,
          text: expect.stringMatching(/^url must use http or https\n/),
        })
        expect((await asAnn('create_link', { url, custom_slug: 'bad' })).isError).toBe(true)
        expect((await asAnn('update_link', { link_id: first.id, url })).text).toMatch(
          /^url must use http or https\n/,
        )
      }
      expect(await links.databaseState()).toEqual(before)
    })

    test('L24.1 every write by someone who is not the owner, by any tool, and nothing changes', async () => {
      const own = (
        await asAnn('create_link', { url: 'https://example.com/owned', custom_slug: ['own-a', 'own-b'] })
      ).value
      await asAnn('add_link_to_bundle', { bundle_id: bundleId, link_id: own.id })
      const link_id = own.id
      const slug = 'own-b'
      const bundle_id = bundleId
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
      // What anyone may do does not retarget the link or change its primary slug.
      expect((await asBen('add_custom_slug', { link_id, slug: 'from-ben' })).value).toMatchObject({
        is_primary: 0,
      })
      expect((await asBen('add_link_to_bundle', { bundle_id, link_id })).value).toEqual({ added: true })
    })

    test('bad arguments name the tool, the field and the limit, in the words of the API', async () => {
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

    test('a failure begins with the text of the API and says how to go on', async () => {
      const cases: [tool: string, args: Record<string, unknown>, text: string, hint: string][] = [
        ['get_link', { link_id: 987 }, 'Link not found', 'search_links'],
        ['get_bundle', { bundle_id: 987 }, 'Bundle not found', 'list_bundles'],
        ['disable_slug', { link_id: first.id, slug: 'zz9' }, 'Slug not found on this link', 'get_link'],
        ['enable_slug', { link_id: first.id, slug: '../x' }, 'Not Found', 'letters'],
        ['add_custom_slug', { link_id: second.id, slug: 'first' }, 'Slug already exists', 'another'],
        [
          'delete_link',
          { link_id: first.id },
          'Cannot delete a link with clicks, disable it instead',
          'disable_link',
        ],
        [
          'remove_slug',
          { link_id: first.id, slug: 'first' },
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

  test('the life of a link, a slug and a bundle, by tools alone', async () => {
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

  test('L24.17 hostile text comes back as data, whatever it holds', async () => {
    const hostile = `</script><script>alert(1)</script> "'&%_\\ \u202E 👩‍👩‍👧 {{7*7}} __proto__`
    const { value } = await asAnn('create_link', {
      url: 'https://example.com/?q=%3Cscript%3E&x="><img>',
      label: hostile,
    })
    const found = await asAnn('search_links', { query: `"'&%_\\` })
    expect(found.value.results.map((link: { id: number }) => link.id)).toEqual([value.id])
    // Labels lose what could make them show as another text.
    expect(found.value.results[0].label).toBe(hostile.replace('\u202E', ''))
    const { value: bundle } = await asAnn('create_bundle', { name: hostile.slice(0, 100), icon: '<b>' })
    expect(bundle).toMatchObject({ name: hostile.slice(0, 100), icon: '<b>' })
    for (const label of ['\0', '\uD800'])
      expect((await asAnn('update_link', { link_id: value.id, label })).text).toMatch(
        /^label: must be well-formed Unicode/,
      )
    for (const name of ['__proto__', 'constructor', 'toString'])
      expect((await asAnn('create_bundle', { name })).value.name).toBe(name)
  })

  test('L19.4 lists end at a thousand and say how many there are', async () => {
    const { value: bundle } = await asBen('create_bundle', { name: 'Large' })
    const [{ last } = { last: 0 }] = await links.rows<{ last: number }>('select max(id) as last from link')
    const owner = 'many@example.com'
    await links.database.write(async (tx) => {
      for (let id = last + 1; id <= last + 1001; id++) {
        const primary_slug = `many-${id}`
        await sql`insert into link (id, url, url_key, label, created_via, created_by, created_at, primary_slug, search_text)
          values (${id}, ${`https://example.com/many/${id}`}, ${id}, null, 'import', ${owner}, ${links.now},
            ${primary_slug}, ${`one of many ${id}`})`.execute(tx)
        await sql`insert into slug (slug, link_id, is_custom, created_at)
          values (${primary_slug}, ${id}, 0, ${links.now})`.execute(tx)
        await sql`insert into bundle_link (bundle_id, link_id) values (${bundle.id}, ${id})`.execute(tx)
      }
    })
    for (const [tool, args] of [
      ['search_links', { query: 'one of many' }],
      ['list_links_by_owner', { owner }],
      ['list_bundle_links', { bundle_id: bundle.id }],
    ] as const) {
      const { value, structured } = await asAnn(tool, args)
      expect([tool, value.results.length, value.truncated, value.total]).toEqual([tool, 1000, true, 1001])
      expect(structured.total).toBe(1001)
    }
    const { value } = await asAnn('list_links')
    expect([value.results.length, value.truncated, value.total > 1001]).toEqual([1000, true, true])
  })
})
