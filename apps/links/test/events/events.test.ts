import { expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { deleteOldEvents } from '../../src/events/store.ts'
import { expireLinks } from '../../src/events/expiry.ts'
import { releaseVisit } from '../../src/links/behaviour/store.ts'
import { FROM_BROWSER, clickLink, recordClicks } from '../actions.ts'
import { type Reply, sharedTestLinks } from '../testing.ts'

const ann = 'ann@example.com'

let count = 0
const url = () => `https://example.com/event/${++count}`

eachDialect((dialect, newUrl) => {
  const links = sharedTestLinks(newUrl)

  const events = async (query = '', key?: string): Promise<Reply> =>
    links.call('GET', `/events${query}`, { key: key ?? (await links.key(ann)) })
  const newest = async (): Promise<number> => (await events()).body.last_seq

  test('L30.2c: without after, nothing is returned but the number to go on from', async () => {
    await links.createLink(await links.key(ann))
    const { status, body } = await events()
    expect(status).toBe(200)
    expect(body).toEqual({ events: [], last_seq: expect.any(Number) })
    expect(body.last_seq).toBeGreaterThan(0)
  })

  test('L30.1: an event has the link after the change, what changed, and no secrets', async () => {
    const key = await links.key(ann)
    const after = await newest()
    const link = await links.createLink(key, { url: url(), label: 'One' })
    await links.call('PATCH', `/links/${link.id}`, { key, body: { label: 'Two' } })
    await links.call('PUT', `/links/${link.id}/behaviour`, { key, body: { password: 'correct horse' } })
    await links.call('DELETE', `/links/${link.id}`, { key })
    const { body } = await events(`?after=${after}`)
    const of = (label: string, more = {}) =>
      expect.objectContaining({
        link: expect.objectContaining({ label, ...more }),
        link_id: link.id,
        identity: ann,
      })
    expect(body.events).toEqual([
      { seq: expect.any(Number), type: 'link.created', at: links.now, data: of('One') },
      { seq: expect.any(Number), type: 'link.updated', at: links.now, data: of('Two') },
      { seq: expect.any(Number), type: 'link.updated', at: links.now, data: of('Two', { password: 'set' }) },
      { seq: expect.any(Number), type: 'link.deleted', at: links.now, data: of('Two') },
    ])
    expect(body.events[1].data.changed).toEqual(['label'])
    expect(body.last_seq).toBe(body.events[3].seq)
    expect(JSON.stringify(body)).not.toContain('argon2')
  })

  test('L30.2d: types are selected, and last_seq passes the others', async () => {
    const key = await links.key(ann)
    const after = await newest()
    const { id } = await links.createLink(key)
    await links.call('POST', `/links/${id}/disable`, { key })
    await links.call('POST', `/links/${id}/enable`, { key })
    const { body } = await events(`?after=${after}&types=link.created,link.enabled`)
    expect(body.events.map(({ type }: { type: string }) => type)).toEqual(['link.created', 'link.enabled'])
    const none = await events(`?after=${after}&types=bundle.created`)
    expect(none.body).toEqual({ events: [], last_seq: await newest() })
    expect((await events('?types=link.invented')).body).toEqual({
      error: 'types: must be types of events, separated by commas',
    })
  })

  test('L30.2b: pages follow each other without gaps or repetitions', async () => {
    const key = await links.key(ann)
    const start = await newest()
    const { id } = await links.createLink(key)
    for (let index = 0; index < 6; index++)
      await links.call('PATCH', `/links/${id}`, { key, body: { label: `Label ${index}` } })
    const all = (await events(`?after=${start}`)).body.events
    const paged: unknown[] = []
    for (let after = start; ;) {
      const { body } = await events(`?after=${after}&limit=2`)
      if (body.events.length === 0) break
      expect(body.events.length).toBeLessThanOrEqual(2)
      paged.push(...body.events)
      after = body.last_seq
    }
    expect(paged).toEqual(all)
    expect(all).toHaveLength(7)
  })

  test('L30.2e: a request waits for the next event, and no longer than it asked to', async () => {
    const key = await links.key(ann)
    const after = await newest()
    const waiting = events(`?after=${after}&wait=20`, key)
    const { id } = await links.createLink(key)
    const { body } = await waiting
    expect(
      body.events.map(({ type, data }: { type: string; data: { link_id: number } }) => [type, data.link_id]),
    ).toEqual([['link.created', id]])
    expect((await events(`?after=${body.last_seq}&wait=1`)).body).toEqual({ ...body, events: [] })
    expect((await events('?wait=26')).status).toBe(400)
  })

  test('L30.2e: a request whose key is revoked while it waits gets no event', async () => {
    const key = await links.key('leaver@example.com')
    const [after, mine] = [await newest(), await links.key(ann)]
    const waiting = events(`?after=${after}&wait=20`, key)
    await links.database.write((tx) =>
      tx.deleteFrom('api_key').where('identity', '=', 'leaver@example.com').execute(),
    )
    await links.createLink(mine)
    const { status, body, headers } = await waiting
    expect([status, body.events, headers.get('x-error-code')]).toEqual([401, undefined, 'unauthorized'])
  })

  test('L30.2a, L30.1a: clicks come in events, without anything of their visitors', async () => {
    const { id, slugs } = await links.createLink(await links.key(ann))
    const after = await newest()
    for (let index = 0; index < 3; index++) await clickLink(links, slugs[0].slug)
    const clicks: { link_id: number }[] = []
    for (let position = after; clicks.length < 3;) {
      const { body } = await events(`?after=${position}&types=link.clicked&wait=20`)
      clicks.push(...body.events.flatMap(({ data }: { data: { clicks: typeof clicks } }) => data.clicks))
      position = body.last_seq
    }
    expect(clicks).toHaveLength(3)
    expect(Object.keys(clicks[0] ?? {}).toSorted()).toEqual([
      'browser',
      'clicked_at',
      'country',
      'device_type',
      'id',
      'link_id',
      'os',
      'slug',
    ])
    expect(clicks[0]?.link_id).toBe(id)
  })

  test('L30.1a: imported clicks, which happened long ago, are no events', async () => {
    const { id, slugs } = await links.createLink(await links.key(ann))
    const after = await newest()
    await recordClicks(links.url, [{ slug: slugs[0].slug, linkId: id, clickedAt: 1_700_000_000 }])
    expect((await links.rows(`select * from click where link_id = ${id}`)).length).toBe(1)
    expect((await events(`?after=${after}`)).body.events).toEqual([])
  })

  test('L30.1b, L30.2: a link expires once, whether its time passes or is set to the past', async () => {
    const key = await links.key(ann)
    await expireLinks(links.database, links.now)
    const after = await newest()
    const soon = await links.createLink(key, { url: url(), expires_at: links.now + 60 })
    const expired = async () =>
      (await events(`?after=${after}&types=link.expired`)).body.events.map(
        ({ data }: { data: { link_id: number } }) => data.link_id,
      )
    await expireLinks(links.database, links.now)
    expect(await expired()).toEqual([])
    await Promise.all([1, 2, 3].map(() => expireLinks(links.database, links.now + 60)))
    expect(await expired()).toEqual([soon.id])
    const past = await links.createLink(key, { url: url(), expires_at: links.now - 3_600 })
    await expireLinks(links.database, links.now + 90)
    expect(await expired()).toEqual([soon.id, past.id])
  })

  test('L30.1c: a limit is reached once, by many visitors at once and after a returned place, and again once it is another', async () => {
    const key = await links.key(ann)
    const { id, slugs } = await links.createLink(key)
    const setLimit = (max_clicks: number) =>
      links.call('PUT', `/links/${id}/behaviour`, { key, body: { max_clicks } })
    await setLimit(3)
    const after = await newest()
    const reached = async () =>
      (await events(`?after=${after}&types=link.limit_reached`)).body.events.map(
        ({ at, data }: { at: number; data: { link_id: number; link: { behaviour: unknown } } }) => [
          at,
          data.link_id,
          data.link.behaviour,
        ],
      )
    const visit = () => links.fetch(`/${slugs[0].slug}`, FROM_BROWSER)
    for (let index = 0; index < 2; index++) await visit()
    expect(await reached()).toEqual([])
    await Promise.all(Array.from({ length: 20 }, visit))
    const first = [links.now, id, { max_clicks: 3 }]
    expect(await reached()).toEqual([first])
    await releaseVisit(links.database, id)
    await visit()
    expect(await reached()).toEqual([first])
    await setLimit(1)
    expect(await reached()).toEqual([first])
    await visit()
    expect(await reached()).toEqual([first, [links.now, id, { max_clicks: 1 }]])
  })

  test('L30.1d: a new plan has one event, and none when it is discarded', async () => {
    const key = await links.key(ann)
    const after = await newest()
    const ops = [{ operation: 'createLink', body: { url: url() } }]
    const { id } = (await links.call('POST', '/plans', { key, body: { ops } })).body
    await links.call('POST', `/plans/${id}/discard`, { key })
    const { body } = await events(`?after=${after}`)
    // Clicks of earlier tests may be counted meanwhile.
    const others = body.events.filter(({ type }: { type: string }) => type !== 'link.clicked')
    expect(others).toMatchObject([{ type: 'plan.pending', data: { plan_id: id, identity: ann } }])
  })

  test('L30.2f, L30.1e: old events are deleted, and a reader who missed some of them is refused', async () => {
    await links.createLink(await links.key(ann))
    const { id } = await links.createLink(await links.key(ann))
    const seq = await newest()
    await links.call('PATCH', `/links/${id}`, { key: await links.key(ann), body: { label: 'New' } })
    await links.database.write((tx) =>
      tx
        .updateTable('event')
        .set({ at: links.now - 8 * 86_400 })
        .where('seq', '<=', seq)
        .execute(),
    )
    await deleteOldEvents(links.database, links.now)
    expect((await events(`?after=${seq}&types=link.updated`)).body.events).toMatchObject([
      { data: { link_id: id } },
    ])
    const refused = await events(`?after=${seq - 1}`)
    expect([refused.status, refused.body]).toEqual([
      410,
      { error: 'The events after this one are not stored any more: start again without after' },
    ])
    expect((await events(`?after=${seq + 1_000_000}`)).status).toBe(410)
    expect((await events('?after=0')).status).toBe(200)
  })

  if (dialect === 'postgres')
    test('L30.2: events that are committed at once are read in order, and none is passed over', async () => {
      const key = await links.key(ann)
      const start = await newest()
      const writers = Promise.all(Array.from({ length: 40 }, () => links.createLink(key, { url: url() })))
      const seen: number[] = []
      let isDone = false
      void writers.then(() => (isDone = true))
      for (let after = start; ;) {
        const wasDone = isDone
        const { body } = await events(`?after=${after}`, key)
        seen.push(...body.events.map(({ data }: { data: { link_id: number } }) => data.link_id))
        after = body.last_seq
        if (wasDone && body.events.length === 0) break
      }
      const created = (await writers).map(({ id }) => id)
      expect(seen.toSorted((a, b) => a - b)).toEqual(created.toSorted((a, b) => a - b))
    })
})
