import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import type { ListedLink } from '../../src/links/schema.ts'
import { PHONE, recordClicks } from '../actions.ts'
import { sharedTestLinks } from '../testing.ts'

const DAY = 86_400

eachDialect((_dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)
  /** The ids of the links by their labels. */
  const ids: Record<string, number> = {}
  let bundle: number
  let archived: number

  const admin = async (method: string, path: string, body?: unknown) =>
    (await links.callAdmin(method, path, body === undefined ? {} : { body })).body

  beforeAll(async () => {
    const ann = await links.key('ann@example.com')
    const create = async (label: string, fields: object, key?: string) => {
      const body = { url: `https://${label}.example/`, label, ...fields }
      const reply = await (key
        ? links.call('POST', '/links', { key, body })
        : links.callAdmin('POST', '/links', { body }))
      ids[label] = reply.body.id
      links.advance(1)
    }
    await create('plain', { slug: 'zulu' })
    await create('soon', { slug: 'mike', expires_at: links.now + 2 * DAY })
    await create('later', { slug: 'alpha', expires_at: links.now + 30 * DAY })
    await create('gone', { slug: 'bravo', expires_at: links.now - DAY })
    await create('off', { slug: 'kilo', expires_at: links.now + DAY })
    await create('ported', { slug: 'lima', url: 'https://Plain.example:8443/x' }, ann)
    await admin('POST', `/links/${ids['off']}/disable`)
    bundle = (await admin('POST', '/bundles', { name: 'Spring', icon: '🌱', accent: 'green' })).id
    archived = (await admin('POST', '/bundles', { name: 'Autumn' })).id
    for (const id of [ids['plain'], ids['off']])
      await admin('POST', `/bundles/${bundle}/links`, { link_id: id })
    await admin('POST', `/bundles/${archived}/links`, { link_id: ids['soon'] })
    await admin('POST', `/bundles/${archived}/archive`)
  })

  const list = async (query: string) => {
    const { status, body } = await links.callAdmin('GET', `/links?${query}`)
    return status === 200 ? body.map(({ label }: { label: string }) => label) : body.error
  }
  const counts = (query = '') => admin('GET', `/link-counts?${query}`)

  test('L17.1: the list is filtered by source, host, bundle, no bundle and expiry, and by several at once', async () => {
    expect(await list('source=api')).toEqual(['ported'])
    expect(await list('source=mcp')).toEqual([])
    expect(await list('host=PLAIN.example')).toEqual(['plain'])
    expect(await list('host=plain.example:8443')).toEqual(['ported'])
    expect(await list(`bundle=${bundle}`)).toEqual(['off', 'plain'])
    expect(await list('no_bundle=true')).toEqual(['ported', 'gone', 'later'])
    expect(await list('no_bundle=false&source=api')).toEqual(['ported'])
    expect(await list('status=expiring')).toEqual(['soon'])
    expect(await list(`bundle=${bundle}&status=active&host=plain.example&source=app`)).toEqual(['plain'])
    expect(await list(`bundle=${bundle}&search=spring off`)).toEqual(['off'])
    expect(await list(`bundle=${bundle}&sort=clicks`)).toEqual(['off', 'plain'])
  })

  test('L17.1b: the list names the parts of behaviours, and is filtered by whether a link has one', async () => {
    const to = 'https://example.com/to'
    const split = [
      { url: to, weight: 1 },
      { url: to, weight: 1 },
    ]
    const behaviours = {
      plain: { rules: [{ when: { os: ['ios'] }, to }], split, forward_query: 'utm' },
      off: { starts_at: 1, max_clicks: 5, after_url: to, password: 'secret' },
    }
    for (const [label, body] of Object.entries(behaviours))
      await admin('PUT', `/links/${ids[label]}/behaviour`, body)
    const { body } = await links.callAdmin('GET', '/links')
    expect(Object.fromEntries(body.map((link: ListedLink) => [link.label, link.behaviour]))).toMatchObject({
      plain: ['rules', 'split', 'query'],
      off: ['start', 'limit', 'password', 'fallback'],
      ported: undefined,
    })
    expect(body.find(({ label }: ListedLink) => label === 'ported')).not.toHaveProperty('behaviour')
    for (const more of ['', '&sort=clicks', '&per_page=5', '&host=', '&no_bundle=false'])
      expect([more, await list(`has_behaviour=true${more}`)]).toEqual([more, ['off', 'plain']])
    expect(await list('has_behaviour=true&status=active')).toEqual(['plain'])
    expect(await list('has_behaviour=true&search=zulu')).toEqual(['plain'])
    expect(await list('has_behaviour=false')).toHaveLength(6)
    const { total, states } = await counts('has_behaviour=true')
    expect([total, states.active, states.disabled]).toEqual([2, 1, 1])
    for (const label of Object.keys(behaviours)) await admin('PUT', `/links/${ids[label]}/behaviour`, {})
    expect(await list('has_behaviour=true')).toEqual([])
  })

  test('a filter that names nothing is refused, and the public list has fewer', async () => {
    expect(await list('source=else')).toStartWith('source:')
    expect(await list('bundle=x')).toStartWith('bundle:')
    expect(await list('status=never')).toStartWith('status:')
    const key = await links.key('ann@example.com')
    const reply = await links.call('GET', '/links?source=api', { key })
    expect(reply.body).toHaveLength(6)
    expect(reply.body[0]).not.toHaveProperty('bundles')
    expect((await links.call('GET', '/links?status=expiring', { key })).status).toBe(400)
    expect((await links.call('GET', '/links?sort=slug', { key })).status).toBe(400)
  })

  test('L17.1a: the list is sorted by slug, expiry or age in either direction', async () => {
    expect(await list('sort=slug')).toEqual(['later', 'gone', 'off', 'ported', 'soon', 'plain'])
    expect(await list('sort=slug&order=desc&per_page=2')).toEqual(['plain', 'soon'])
    expect(await list('sort=expires')).toEqual(['gone', 'off', 'soon', 'later', 'plain', 'ported'])
    expect(await list('sort=expires&order=desc&page=2&per_page=3')).toEqual(['soon', 'off', 'gone'])
    expect(await list('order=asc')).toEqual(['plain', 'soon', 'later', 'gone', 'off', 'ported'])
    expect(await list('sort=slug&search=example plain')).toEqual(['ported', 'plain'])
  })

  test('L17.1b: each link of the list names its active bundles', async () => {
    const rows = await admin('GET', '/links')
    const bundles = rows.map((link: { label: string; bundles: unknown }) => [link.label, link.bundles])
    const spring = { id: bundle, name: 'Spring', accent: 'green', icon: '🌱' }
    expect(bundles).toEqual([
      ['ported', []],
      ['off', [spring]],
      ['gone', []],
      ['later', []],
      ['soon', []],
      ['plain', [spring]],
    ])
  })

  test('L17.1c: links of a numbered page have their clicks on each of the last 30 UTC days', async () => {
    const midnight = links.now - (links.now % DAY)
    const at = (clickedAt: number, userAgent = PHONE) => ({
      slug: 'zulu',
      linkId: ids['plain'] ?? 0,
      clickedAt,
      userAgent,
    })
    const days = [midnight, midnight, midnight - 1, midnight - 29 * DAY, midnight - 29 * DAY - 1]
    await recordClicks(links.url, [...days.map((moment) => at(moment)), at(midnight, 'Googlebot/2.1')])
    const trendOf = async (label: string, query: string) => {
      const rows = await admin('GET', `/links?${query}`)
      return rows.find((link: { label: string }) => link.label === label).trend
    }
    const trend = [1, ...Array.from({ length: 27 }, () => 0), 1, 3]
    await admin('PUT', '/settings', { filter_bots: false })
    expect(await trendOf('plain', 'page=1')).toEqual(trend)
    await admin('PUT', '/settings', { filter_bots: true })
    expect(await trendOf('plain', 'page=1&range=7d')).toEqual(trend.with(29, 2))
    expect(await trendOf('off', 'page=1')).toBeUndefined()
    expect(await trendOf('plain', 'limit=10')).toBeUndefined()
  })

  test('L17.2: counts ignore the filter that they would replace and apply all others', async () => {
    const states = { active: 4, disabled: 1, expired: 1, expiring: 1 }
    const everyone = [
      { name: 'admin@localhost', count: 5 },
      { name: 'ann@example.com', count: 1 },
    ]
    const sources = [
      { name: 'app', count: 5 },
      { name: 'api', count: 1 },
    ]
    expect(await counts()).toEqual({ total: 6, states, sources, owners: everyone, exact: true })
    expect(await counts('status=disabled')).toEqual({
      total: 1,
      states,
      sources: [{ name: 'app', count: 1 }],
      owners: [{ name: 'admin@localhost', count: 1 }],
      exact: true,
    })
    expect(await counts('owner=ann@example.com&source=app')).toEqual({
      total: 0,
      states: { active: 0, disabled: 0, expired: 0, expiring: 0 },
      sources: [{ name: 'api', count: 1 }],
      owners: [{ name: 'admin@localhost', count: 5 }],
      exact: true,
    })
    expect(await counts(`bundle=${bundle}&status=active`)).toEqual({
      total: 1,
      states: { active: 1, disabled: 1, expired: 0, expiring: 0 },
      sources: [{ name: 'app', count: 1 }],
      owners: [{ name: 'admin@localhost', count: 1 }],
      exact: true,
    })
    expect((await counts('search=plain example')).total).toBe(2)
  })

  test('L17.2: the total of the counts is that of the list for every filter', async () => {
    for (const query of [
      '',
      'status=active',
      'status=expiring',
      'source=app',
      'host=off.example',
      'search=zu',
      'no_bundle=true',
      `bundle=${archived}`,
      'owner=ann@example.com&status=active',
    ]) {
      const { headers } = await links.callAdmin('GET', `/links?${query}`)
      expect([query, (await counts(query)).total]).toEqual([query, Number(headers.get('x-total-count'))])
    }
  })
})
