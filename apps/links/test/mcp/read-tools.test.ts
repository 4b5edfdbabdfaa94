import { expect, setDefaultTimeout, test } from 'bun:test'
import { onSqlite } from '@latchkey/database/testing'
import { sql } from 'kysely'
import { ann, ben } from './assistants.ts'
import { shareToolService, signedInAs } from './tool-service.ts'

// Whole services and real clients, on machines that are busy with other tests.
setDefaultTimeout(30_000)

onSqlite((newUrl) => {
  const { links, asAnn, asBen, created, readAsAnn } = shareToolService(newUrl)

  /**
   * Returns the value without short URLs, after checking that each leads to the primary slug of its
   * link.
   */
  function withoutAddress(value: unknown): unknown {
    return JSON.parse(JSON.stringify(value), (_, part) => {
      if (!Array.isArray(part?.slugs)) return part
      const { short_url, ...link } = part
      const { slug } = link.slugs.find((own: { is_primary: number }) => own.is_primary === 1)
      expect(short_url).toBe(`http://localhost:8080/${slug}`)
      return link
    })
  }

  /** The list of the admin side also names the bundles of each link (L17.1). */
  const withoutBundles = (list: unknown) =>
    (list as { bundles: unknown }[]).map(({ bundles: _, ...link }) => link)

  test('L14.3 L19.4e L24.8: results equal those of the admin side for the same person, preceded by the range', async () => {
    const ids = () => ({ link_id: created.first.id })
    const bundle = () => ({ bundle_id: created.bundleId })
    const cases: [tool: string, args: Record<string, unknown>, path: string, pick?: string][] = [
      ['list_links', {}, '/links?range=30d', 'results'],
      ['list_links', { range: 'all' }, '/links?range=all', 'results'],
      ['get_link', ids(), `/links/${created.first.id}?range=30d`],
      ['get_link', { ...ids(), range: '24h' }, `/links/${created.first.id}?range=24h`],
      ['search_links', { query: 'FIRST' }, '/links?range=30d&search=first', 'results'],
      ['list_links_by_owner', { owner: ann }, `/links?range=30d&owner=${ann}`, 'results'],
      ['get_link_analytics', ids(), `/links/${created.first.id}/analytics`],
      ['get_link_timeline', ids(), `/links/${created.first.id}/timeline`],
      ['get_dashboard_stats', { range: '7d' }, '/dashboard?range=7d'],
      ['list_bundles', {}, '/bundles', 'results'],
      ['list_bundles', { filter: 'all' }, '/bundles?archived=all', 'results'],
      ['get_bundle', bundle(), `/bundles/${created.bundleId}`],
      ['get_bundle_analytics', bundle(), `/bundles/${created.bundleId}/analytics`],
    ]
    for (const [tool, args, path, pick] of cases) {
      const { value, structured } = await asAnn(tool, args)
      const { range_used, range_label, range_note, count: _, ...rest } = value
      const result = pick ? rest[pick] : rest
      const isOfLinks = path.startsWith('/links?') || tool === 'get_link'
      const own = await readAsAnn(path)
      expect([tool, isOfLinks ? withoutAddress(result) : result]).toEqual([
        tool,
        path.startsWith('/links?') ? withoutBundles(own) : own,
      ])
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
      await readAsAnn(`/bundles/${created.bundleId}/links`),
    )
    expect((await asAnn('list_bundles_for_link', ids())).value).toEqual(
      await readAsAnn(`/links/${created.first.id}/bundles`),
    )
  })

  test('every breakdown equals that of the admin side', async () => {
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
      const { value } = await asAnn('get_link_breakdown', { link_id: created.first.id, dimension })
      const { items } = (await readAsAnn(
        `/links/${created.first.id}/breakdown?dimension=${list}&limit=25`,
      )) as {
        items: unknown
      }
      expect([dimension, value.results]).toEqual([dimension, items])
    }
  })

  test('statistics of the instance exclude the clicks that the viewer filters', async () => {
    const all = { range: 'all' }
    expect((await asAnn('get_total_clicks', all)).value.total_clicks).toBe(3)
    expect((await asAnn('get_trending_links', all)).value.results).toEqual([
      { link_id: created.first.id, clicks: 2, url: created.first.url, label: null },
      { link_id: created.second.id, clicks: 1, url: created.second.url, label: 'Second' },
    ])
    expect((await asAnn('get_trending_links', { ...all, limit: 1 })).value).toMatchObject({
      results: [{ link_id: created.first.id }],
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
    expect((await asAnn('get_clicks_by_device', all)).value.results).toEqual([{ name: 'desktop', count: 3 }])
    expect((await asAnn('get_clicks_by_device', { ...all, dimension: 'os' })).value.results).toEqual([
      { name: 'windows', count: 3 },
    ])
    expect((await asAnn('get_clicks_by_device', { dimension: 'browser' })).value.results).toEqual([
      { name: 'Chrome', count: 3 },
    ])
    const raw = { body: { filter_bots: false }, ...signedInAs(ben) }
    expect((await links.callAdmin('PUT', '/settings', raw)).status).toBe(200)
    expect((await asBen('get_total_clicks', all)).value).toEqual({
      range_used: 'all',
      range_label: 'all time',
      range_note: 'Clicks of all time are counted, without those of self-referrers.',
      total_clicks: 4,
    })
  })

  test('links are compared in the requested order, and a missing one fails the call by id', async () => {
    const { value } = await asAnn('compare_links', { link_ids: [created.second.id, created.first.id] })
    expect(value.results).toEqual([
      {
        link_id: created.second.id,
        url: created.second.url,
        label: 'Second',
        total_clicks: 1,
        top_country: 'DE',
        top_referrer: 'news.example.org',
      },
      {
        link_id: created.first.id,
        url: created.first.url,
        label: null,
        total_clicks: 2,
        top_country: 'SE',
        top_referrer: 'google.com',
      },
    ])
    const missing = await asAnn('compare_links', { link_ids: [created.first.id, 987] })
    expect(missing).toMatchObject({ isError: true, text: expect.stringMatching(/^Link 987 not found\n/) })
    expect((await asAnn('compare_links', { link_ids: [created.first.id] })).isError).toBe(true)
  })

  test('the default range of the caller is used without a range', async () => {
    const change = { body: { default_range: '1y' }, ...signedInAs(ben) }
    expect((await links.callAdmin('PUT', '/settings', change)).status).toBe(200)
    expect((await asBen('get_link', { link_id: created.first.id })).value).toMatchObject({
      range_used: '1y',
      range_label: '12 months',
      range_note: expect.stringContaining('the default range of your settings'),
    })
  })

  test('a search without a match or a query finds nothing and suggests a next step', async () => {
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

  test('L24.9: a QR code equals that of the admin side, for any slug and any origin', async () => {
    const { value, content } = await asAnn('get_link_qr', { link_id: created.first.id })
    expect(value).toMatchObject({
      link_id: created.first.id,
      slug: 'first',
      encodes: 'http://localhost:8080/first?utm_medium=qr',
    })
    expect(content[1]).toMatchObject({ type: 'image', mimeType: 'image/svg+xml' })
    const svg = Buffer.from(content[1]?.data ?? '', 'base64').toString()
    expect(svg).toBe(String(await readAsAnn(`/links/${created.first.id}/qr?size=400&format=svg`)))
    const auto = created.first.slugs[0].slug
    const other = { link_id: created.first.id, slug: auto.toUpperCase(), base_url: 'https://go.example.com/' }
    expect((await asAnn('get_link_qr', other)).value.encodes).toBe(
      `https://go.example.com/${auto}?utm_medium=qr`,
    )
    for (const base_url of ['javascript:alert(1)', 'https://go.example.com/x', 'go.example.com', ''])
      expect((await asAnn('get_link_qr', { link_id: created.first.id, base_url })).isError).toBe(true)
    expect((await asAnn('get_link_qr', { link_id: created.first.id, slug: 'elsewhere' })).text).toMatch(
      /^Slug not found\n/,
    )
  })

  test('the health equals that of the health check', async () => {
    const { value } = await asAnn('health')
    const { body } = await links.fetch('/_/health').then(async (r) => ({ body: await r.json() }))
    expect({ ...value, timestamp: 0 }).toEqual({ ...(body as object), timestamp: 0 })
  })

  test('L19.4f: lists end at a thousand entries and state the total', async () => {
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
