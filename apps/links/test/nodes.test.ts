import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { FROM_BROWSER } from './actions.ts'
import { startTestLinks } from './testing.ts'

/**
 * L12.5, L20.3: several nodes on one PostgreSQL give the same answers, a change within one second.
 */
eachDialect((dialect, newUrl) => {
  if (dialect === 'sqlite') return

  async function startTwo(settings = {}) {
    const url = await newUrl()
    const [here, there] = [await startTestLinks(url, settings), await startTestLinks(url, settings)]
    return { here, there, ann: await here.key('ann@example.com') }
  }

  /** Polls until the value is the expected one, for at most the second of the contract. */
  async function soon<Value>(ask: () => Promise<Value>, expected: Value): Promise<void> {
    const deadline = performance.now() + 1000
    // Cached answers need no turn of the event loop, but events of the other node do.
    while ((await ask()) !== expected && performance.now() < deadline)
      await new Promise((resolve) => setImmediate(resolve))
    expect(await ask()).toEqual(expected as never)
  }

  test('L3.9 L12.5 L20.3: every change on one node applies on the other within a second', async () => {
    const { here, there, ann } = await startTwo()
    const readLocation = async () => (await there.fetch('/shared', FROM_BROWSER)).headers.get('location')
    const act = (method: string, path: string, body?: unknown) => here.call(method, path, { key: ann, body })
    expect(await readLocation()).toBeNull()
    const { id } = await here.createLink(ann, { slug: 'shared', url: 'https://example.com/one' })
    await soon(readLocation, 'https://example.com/one')
    await act('PATCH', `/links/${id}`, { url: 'https://example.com/two' })
    await soon(readLocation, 'https://example.com/two')
    await act('POST', '/slugs/shared/disable')
    await soon(readLocation, null)
    await act('POST', '/slugs/shared/enable')
    await soon(readLocation, 'https://example.com/two')
    await act('PATCH', `/links/${id}`, { expires_at: here.now })
    await soon(readLocation, null)
    await act('PATCH', `/links/${id}`, { expires_at: null })
    await soon(readLocation, 'https://example.com/two')
    await act('POST', `/links/${id}/disable`)
    await soon(readLocation, null)
    await act('DELETE', `/links/${id}?force=true`)
    await soon(readLocation, null)
  })

  test('L25.1: a behaviour that one node writes applies on the other within a second', async () => {
    const { here, there, ann } = await startTwo()
    const { id } = await here.createLink(ann, { slug: 'rules', url: 'https://example.com/own' })
    const readLocation = async () =>
      (await there.fetch('/rules', FROM_BROWSER, '198.51.100.7')).headers.get('location')
    await soon(readLocation, 'https://example.com/own')
    const body = { rules: [{ when: { os: ['windows'] }, to: 'https://example.com/rule' }] }
    await here.call('PUT', `/links/${id}/behaviour`, { key: ann, body })
    await soon(readLocation, 'https://example.com/rule')
    await here.callAdmin('PUT', '/settings', { body: { not_found_url: 'https://example.com/lost' } })
    await here.call('DELETE', `/links/${id}?force=true`, { key: ann })
    await soon(readLocation, 'https://example.com/lost')
  })

  test('L31.1f: settings of a domain that one node writes apply on the other within a second', async () => {
    const host = 'l.example.org'
    const { here, there, ann } = await startTwo({
      LINKS_BASE_URL: 'https://go.example.com',
      LINKS_DOMAINS: host,
    })
    const ask = (path: string) => there.fetch(`http://${host}${path}`, FROM_BROWSER)
    const readLocation = async (path: string) => (await ask(path)).headers.get('location')
    const set = (body: object) => here.callAdmin('PUT', `/domains/${host}`, { body })
    await here.createLink(ann, { slug: 'launch', url: 'https://example.com/default' })
    expect([await readLocation('/'), await readLocation('/launch')]).toEqual([null, null])
    await set({ root_url: 'https://example.com/welcome', alias_of: 'go.example.com', status: 307 })
    await soon(() => readLocation('/'), 'https://example.com/welcome')
    expect([(await ask('/launch')).status, await readLocation('/launch')]).toEqual([
      307,
      'https://example.com/default',
    ])
    await set({})
    await soon(() => readLocation('/launch'), null)
  })

  test('L26.3e, L30.1: two nodes together let exactly max_clicks people through, and reach the limit once', async () => {
    const { here, there, ann } = await startTwo()
    const { id } = await here.createLink(ann, { slug: 'few' })
    await here.call('PUT', `/links/${id}/behaviour`, { key: ann, body: { max_clicks: 50 } })
    const visits = Array.from({ length: 128 }, (_, n) => (n % 2 ? here : there).fetch('/few', FROM_BROWSER))
    const statuses = (await Promise.all(visits)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 302)).toHaveLength(50)
    expect(statuses.filter((status) => status === 404)).toHaveLength(78)
    const reached = await here.call('GET', '/events?after=0&types=link.limit_reached', { key: ann })
    expect(reached.body.events).toMatchObject([{ data: { link_id: id } }])
  })

  test('a link that the other node has seen disabled redirects there within a second of being enabled', async () => {
    const { here, there, ann } = await startTwo()
    const { id } = await here.createLink(ann, { slug: 'back' })
    await here.call('POST', `/links/${id}/disable`, { key: ann })
    const status = async () => (await there.fetch('/back', FROM_BROWSER)).status
    await soon(status, 404)
    await here.call('POST', `/links/${id}/enable`, { key: ann })
    await soon(status, 302)
  })

  test('L20.3: each click counts once, whichever node sent it, and both nodes return the same number', async () => {
    const { here, there, ann } = await startTwo()
    const { id } = await here.createLink(ann, { slug: 'both' })
    await Promise.all(
      Array.from({ length: 60 }, (_, n) => (n % 3 ? here : there).fetch('/both', FROM_BROWSER)),
    )
    for (const node of [here, there]) await node.call('GET', `/links/${id}`, { key: ann })
    for (const node of [here, there]) {
      const { body } = await node.call('GET', `/links/${id}?range=24h`, { key: ann })
      expect(body.total_clicks).toBe(60)
    }
    expect(await here.rows('select count(*) as clicks from click')).toEqual([{ clicks: 60 }])
  })

  test('a visitor has the same hash on every node', async () => {
    const { here, there, ann } = await startTwo()
    await here.createLink(ann, { slug: 'visitor' })
    for (const node of [here, there]) {
      await node.fetch('/visitor', FROM_BROWSER, '198.51.100.7')
      await node.databaseState()
    }
    const names = await here.rows<{ visitor_fp: string }>('select distinct visitor_fp from click')
    expect(names).toHaveLength(1)
  })

  test('L20.3: keys and settings are shared, and all nodes refuse a revoked key', async () => {
    const { here, there } = await startTwo()
    const { body } = await here.callAdmin('POST', '/keys', { body: { title: 'x', scope: 'read' } })
    const status = async () => (await there.call('GET', '/links', { key: body.raw_key })).status
    await soon(status, 200)
    await here.callAdmin('DELETE', `/keys/${body.key.id}`)
    await soon(status, 401)
    await here.callAdmin('PUT', '/settings', { body: { slug_default_length: 9 } })
    const length = async () => (await there.callAdmin('GET', '/settings')).body.slug_default_length
    await soon(length, 9)
  })
})
