import { beforeAll, describe, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { addLegacyPath, deleteLegacyPath } from '../src/links/legacy/write.ts'
import { recordChanges } from '../src/record-changes.ts'
import { findLegacyPathProblem } from '../src/urls/legacy-path.ts'
import { DESKTOP } from './actions.ts'
import { until } from './test-database.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

const GO = 'go.example.com'
const L = 'l.example.org'
/** A visitor whom the loopback mode of the admin side does not admit. */
const VISITOR = '203.0.113.9'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_BASE_URL: `http://${GO}`, LINKS_DOMAINS: L })
  let ann: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
  })
  const visit = (path: string, init: RequestInit = {}, host = GO) =>
    links.fetch(`http://${host}${path}`, init, VISITOR)
  const follow = async (path: string, host = GO) => {
    const { status, headers } = await visit(path, {}, host)
    return headers.get('location') ?? status
  }
  /** The context of the command, which is another program than the service. */
  const command = ({ database } = links) => ({
    database: recordChanges(database, { identity: 'operator', via: 'cli', now: links.now }),
    origin: `http://${GO}`,
    sites: {
      domainOf: (host: string) => ({ [GO]: null, [L]: L })[host],
      of: () => ({ aliasOf: undefined }),
    } as unknown as Parameters<typeof addLegacyPath>[0]['sites'],
    now: links.now,
  })
  const add = (path: string, slug: string, domain: string | null = null) =>
    addLegacyPath(command(), { domain, path, slug })
  const refusalOf = (work: Promise<unknown>) =>
    work.then(
      () => 'nothing was refused',
      (error: unknown) => (error as Error).message,
    )
  /** A link whose destination ends in its slug, with these legacy paths, once the service knows them. */
  async function createLink(slug: string, ...paths: string[]) {
    const link = await links.createLink(ann, { url: `https://example.com/${slug}`, slug })
    for (const path of paths) await add(path, slug)
    const [first] = paths
    if (first !== undefined)
      await until(
        'the service knows it',
        async () => (await follow(`/${encodeURI(first)}`)) === `https://example.com/${slug}`,
      )
    return link
  }
  const readLink = async (id: number) => (await links.call('GET', `/links/${id}`, { key: ann })).body

  describe('answers', () => {
    test('L43.1a: a legacy path leads where its link does, exactly as it is written', async () => {
      await createLink('may', '2BG', 'news/May', 'Привет', 'a b+c', 'x%2Fy', '_under')
      for (const path of [
        '/2BG',
        '/news/May',
        '/%D0%9F%D1%80%D0%B8%D0%B2%D0%B5%D1%82',
        '/a%20b+c',
        '/x%252Fy',
        '/_under',
        '/%32BG',
      ])
        expect([path, await follow(path)]).toEqual([path, 'https://example.com/may'])
      for (const path of [
        '/2bg',
        '/2Bg',
        '/news/may',
        '/news%2FMay',
        '/news//May',
        '/x%2Fy',
        '/_Under',
        '/%FF',
        '/%00x',
        `/_${'x'.repeat(600)}`,
      ])
        expect([path, await follow(path)]).toEqual([path, 404])
    })

    test('L43.1b: a slug answers every spelling that is no legacy path', async () => {
      await createLink('promo')
      await createLink('other', 'Promo')
      expect(await follow('/promo')).toBe('https://example.com/promo')
      expect(await follow('/PROMO')).toBe('https://example.com/promo')
      expect(await follow('/Promo')).toBe('https://example.com/other')
    })

    test('L43.3: a slash at the end answers as without it, after the exact path', async () => {
      await createLink('one', 'Slash', 'deep/Path')
      await createLink('two', 'Slash/')
      await until('the service knows it', async () => (await follow('/Slash/')) === 'https://example.com/two')
      expect(await follow('/Slash')).toBe('https://example.com/one')
      expect(await follow('/deep/Path/')).toBe('https://example.com/one')
      expect(await follow('/deep/Path//')).toBe(404)
      expect(await follow('/ONE/')).toBe('https://example.com/one')
    })

    test('L43.1c: a legacy path belongs to the domain of its link', async () => {
      await links.call('POST', `/domains/${L}/links`, {
        key: ann,
        body: { url: 'https://example.com/there', slug: 'there' },
      })
      await add('There', 'there', L)
      await until(
        'the service knows it',
        async () => (await follow('/There', L)) === 'https://example.com/there',
      )
      expect(await follow('/There')).toBe(404)
    })

    test('L43.1d L12.5: a change of the link takes effect at its legacy paths', async () => {
      const { id } = await createLink('change', 'CHANGE/Me')
      await links.call('PUT', `/links/${id}`, { key: ann, body: { url: 'https://example.com/changed' } })
      expect(await follow('/CHANGE/Me')).toBe('https://example.com/changed')
      await links.call('POST', `/links/${id}/disable`, { key: ann })
      expect(await follow('/CHANGE/Me')).toBe(404)
      await links.call('POST', `/links/${id}/enable`, { key: ann })
      expect(await follow('/CHANGE/Me')).toBe('https://example.com/changed')
      await deleteLegacyPath(command(), { domain: null, path: '/CHANGE/Me' })
      await until('the service knows it', async () => (await follow('/CHANGE/Me')) === 404)
      await add('CHANGE/Me', 'change')
      await links.call('DELETE', `/links/${id}?force=true`, { key: ann })
      await until('the service knows it', async () => (await follow('/CHANGE/Me')) === 404)
    })

    test('L43.1e: a click names the legacy path, and counts for the primary slug', async () => {
      const { id } = await createLink('clicked', 'Clicked')
      const before = (await readLink(id)).total_clicks
      await visit('/Clicked?utm_source=print', { headers: { 'User-Agent': DESKTOP } })
      await visit('/clicked', { headers: { 'User-Agent': DESKTOP } })
      const { slugs, total_clicks } = await readLink(id)
      expect(total_clicks).toBe(before + 2)
      expect(slugs.find(({ slug }: { slug: string }) => slug === 'clicked').click_count).toBe(total_clicks)
      const rows = await links.rows(
        `select slug, legacy_path, utm_source from click where link_id = ${id} order by id desc limit 2`,
      )
      expect(rows).toEqual([
        { slug: 'clicked', legacy_path: null, utm_source: null },
        { slug: 'clicked', legacy_path: 'Clicked', utm_source: 'print' },
      ])
    })

    testOnSqlite('L43.1f: the owner of a disabled link reads why its legacy path is dead', async () => {
      const local = await startTestLinks(await newUrl())
      const { body: link } = await local.callAdmin('POST', '/links', {
        body: { url: 'https://example.com/owned', slug: 'owned' },
      })
      await addLegacyPath(command(local), { domain: null, path: 'Owned', slug: 'owned' })
      await local.callAdmin('POST', `/links/${link.id}/disable`)
      const page = await local.fetch('/Owned')
      expect([page.status, await page.text()]).toEqual([
        404,
        expect.stringContaining(`/_/admin/links/${link.id}`),
      ])
      expect(await (await local.fetch('/Owned', {}, VISITOR)).text()).not.toContain('/_/admin')
    })
  })

  describe('legacy paths of a link', () => {
    test('L43.1g: a link names its legacy paths, and only such a link has the field', async () => {
      const { id } = await createLink('named', 'NAMED', 'A/b')
      expect((await readLink(id)).legacy_paths).toEqual([
        { path: 'A/b', source: 'cli', created_at: links.now },
        { path: 'NAMED', source: 'cli', created_at: links.now },
      ])
      expect(await readLink((await links.createLink(ann)).id)).not.toHaveProperty('legacy_paths')
      const { body: matches } = await links.call('GET', '/links?search=/a/b', { key: ann })
      expect(matches.map((link: { id: number }) => link.id)).toContain(id)
    })

    test('L43.1h: legacy paths are listed in pages, and looked up exactly', async () => {
      const { id } = await createLink('listed', 'Listed/1', 'Listed/2', 'Listed.3')
      const all = await links.call('GET', '/legacy?limit=1000', { key: ann })
      let [next, paged]: [string | undefined, { path: string }[]] = ['/legacy?limit=2', []]
      while (next !== undefined) {
        const page: Awaited<ReturnType<typeof links.call>> = await links.call('GET', next, { key: ann })
        paged = [...paged, ...page.body]
        const query = /<[^>]*(\?[^>]*)>/.exec(page.headers.get('link') ?? '')?.[1]
        next = query === undefined ? undefined : `/legacy${query}`
      }
      expect(paged).toEqual(all.body)
      expect(all.headers.get('x-total-count')).toBe(String(all.body.length))
      const { body } = await links.call('GET', '/legacy?path=/Listed/2', { key: ann })
      expect(body).toEqual([{ path: 'Listed/2', source: 'cli', created_at: links.now, link_id: id }])
      expect((await links.call('GET', '/legacy?path=listed/2', { key: ann })).body).toEqual([])
      expect((await links.call('GET', '/legacy?cursor=none', { key: ann })).status).toBe(400)
    })

    test('L43.1i: each write is one change and one event of the link, and can be undone', async () => {
      const { id } = await createLink('history', 'HISTORY')
      const history = () => links.call('GET', `/links/${id}/history`, { key: ann })
      const [change] = (await history()).body
      expect(change).toMatchObject({ kind: 'link.updated', identity: 'operator', via: 'cli' })
      expect(change.before).toEqual({ legacy_paths: [] })
      expect(change.after).toEqual({
        legacy_paths: [{ path: 'HISTORY', source: 'cli', created_at: links.now }],
      })
      await deleteLegacyPath(command(), { domain: null, path: 'HISTORY' })
      expect((await history()).body).toHaveLength(3)
      const { body } = await links.call('GET', '/events?after=0&types=link.updated&limit=500', { key: ann })
      const own = body.events.filter((event: { data: { link_id?: number } }) => event.data.link_id === id)
      expect(own.map((event: { data: { changed: string[] } }) => event.data.changed)).toEqual([
        ['legacy_paths'],
        ['legacy_paths'],
      ])
      await links.call('POST', `/links/${id}/restore`, { key: ann, body: { change_id: change.id } })
      expect((await readLink(id)).legacy_paths).toHaveLength(1)
      expect(await follow('/HISTORY')).toBe('https://example.com/history')
    })
  })

  describe('refusals', () => {
    test('L43.1j: a path is of one link, and a link exists for it', async () => {
      await createLink('first', 'TAKEN')
      await createLink('second')
      expect(await refusalOf(add('TAKEN', 'second'))).toBe(
        'The path "TAKEN" is already one of the link of the slug "first"',
      )
      expect(await refusalOf(add('Free', 'nobody'))).toBe('There is no slug "nobody"')
      expect(await refusalOf(deleteLegacyPath(command(), { domain: null, path: 'Free' }))).toBe(
        'There is no legacy path "Free"',
      )
    })

    testOnSqlite('L43.1k: paths of the service, slugs and what browsers change are refused', async () => {
      await createLink('target')
      const refused = {
        '': 'must not be empty',
        '_/admin': 'is a path of the service itself',
        _: 'is a path of the service itself',
        '.well-known/x': 'is a path of the service itself',
        'robots.txt': 'is a path of the service itself',
        'oauth/token': 'is a path of the service itself',
        'promo/preview': 'is a path of the service itself',
        'Promo/preview': 'is a path of the service itself',
        'promo+': 'is a path of the service itself',
        'a/../b': 'has a part of dots, which browsers resolve',
        'a/.': 'has a part of dots, which browsers resolve',
        'a\u0000b': 'has characters that no path can have',
        'a\nb': 'has characters that no path can have',
        'a\ud800': 'has characters that no path can have',
        launch: 'is a slug, which a link gets without this',
        [`${'a'.repeat(511)}é`]: 'is longer than 512 bytes',
      }
      for (const [path, problem] of Object.entries(refused)) {
        expect([path, findLegacyPathProblem(path)]).toEqual([path, problem])
        expect(await refusalOf(add(path, 'target'))).toBe(`The path "${path}" ${problem}`)
      }
      for (const path of [
        'a/preview/b',
        'a/b/preview',
        'A',
        'x'.repeat(129),
        `${'a'.repeat(510)}é`,
        '2BG/',
        'a//b',
      ])
        expect([path, findLegacyPathProblem(path)]).toEqual([path, undefined])
    })

    testOnSqlite('L43.1l L26.5: no legacy path leads a visitor back to its link', async () => {
      await links.createLink(ann, { url: `http://${GO}/Round/Me`, slug: 'loop' })
      expect(await refusalOf(add('Round/Me', 'loop'))).toBe('The link would lead visitors back to itself')
      const { id } = await createLink('around', 'Around')
      await links.createLink(ann, { url: `http://${GO}/Around`, slug: 'back' })
      await links.expectRefusal('PUT', `/links/${id}`, { key: ann, body: { url: `http://${GO}/back` } }, [
        400,
        'The link would lead visitors back to itself',
      ])
    })
  })
})
