import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { eachDialect } from '@latchkey/database/testing'
import { type Transaction, sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { lockLinkRow } from '../../src/links/store.ts'
import { type Reply, type TestLinks, startTestLinks } from '../testing.ts'

/**
 * Invariants that hold after any order of writes, read from the database, because no route shows
 * all of them.
 */
async function expectSound(links: TestLinks): Promise<void> {
  const broken = {
    'a link whose primary slug is not one of its own, or disabled': `select link.id from link left join slug
      on slug.slug = link.primary_slug and slug.link_id = link.id where slug.slug is null or slug.disabled_at is not null`,
    'a link without exactly one automatic slug': `select link.id from link
      where (select count(*) from slug where slug.link_id = link.id and is_custom = 0) <> 1`,
    'a slug without a link': 'select slug from slug where link_id not in (select id from link)',
    'a click without a slug': 'select id from click where slug not in (select slug from slug)',
    'an hour without a slug': 'select slug from click_hour where slug not in (select slug from slug)',
    'a slug whose clicks are not its rows': `select slug from counted_slug as slug
      where clicks <> (select count(*) from click where click.slug = slug.slug)`,
    'a slug whose clicks are not its hours': `select slug from counted_slug as slug
      where clicks <> (select coalesce(sum(clicks), 0) from click_hour where click_hour.slug = slug.slug)`,
    'a member without a link': 'select link_id from bundle_link where link_id not in (select id from link)',
  }
  for (const [what, statement] of Object.entries(broken))
    expect([what, await links.rows(statement)]).toEqual([what, []])
  const errors = links.log.filter((line) => line['level'] === 'error')
  expect(errors).toEqual([])
}

function statuses(replies: readonly Reply[]): Record<number, number> {
  const counts: Record<number, number> = {}
  for (const { status } of replies) counts[status] = (counts[status] ?? 0) + 1
  return counts
}

/** Polls until the value holds. On other nodes, a change may take a second to show (L12.5). */
async function withTimeout(ms: number, holds: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + ms
  // Reads once more: the value may have been read before the change arrived.
  while (!(await holds()) && performance.now() < deadline);
  expect(await holds()).toBe(true)
}

/** Lets everything run that does not wait for the outside, while the transaction is at work. */
async function waitTurns(tx: Transaction<Tables>, count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) {
    await sql`select 1`.execute(tx)
    await new Promise((resolve) => setImmediate(resolve))
  }
}

/** The status of a visit that ends while the transaction is at work. */
async function visitDuring(tx: Transaction<Tables>, visit: Promise<Response>): Promise<number> {
  let isDone = false
  void visit.finally(() => (isDone = true))
  while (!isDone) await waitTurns(tx, 1)
  return (await visit).status
}

function shuffle<Item>(items: Item[]): Item[] {
  return items
    .map((item) => ({ item, at: Math.random() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}

function times<Result>(count: number, work: (n: number) => Promise<Result>): Promise<Result[]> {
  return Promise.all(Array.from({ length: count }, (_, n) => work(n)))
}

function pick<Item>(items: readonly Item[]): Item {
  return items[Math.floor(Math.random() * items.length)] as Item
}

eachDialect((dialect, newUrl) => {
  /** One node on SQLite; two nodes on one PostgreSQL database, used in turn. */
  async function startNodes() {
    const url = await newUrl()
    const nodes = [await startTestLinks(url)]
    if (dialect === 'postgres') nodes.push(await startTestLinks(url))
    const [first] = nodes as [TestLinks]
    let turn = 0
    const nextNode = () => nodes[turn++ % nodes.length] as TestLinks
    const call: TestLinks['call'] = (...args) => nextNode().call(...args)
    const settle = async (key: string) => {
      for (const node of nodes) await node.call('GET', '/links?limit=1', { key })
      for (const node of nodes) await expectSound(node)
    }
    return {
      url,
      nodes,
      first,
      call,
      nextNode,
      settle,
      ann: await first.key('ann@example.com'),
      ben: await first.key('ben@example.com'),
    }
  }
  test('L8.1a L24.5: twenty creates of one slug at once end in one 201 and nineteen 409', async () => {
    const { first, call, settle, ann } = await startNodes()
    const replies = await times(20, (n) =>
      call('POST', '/links', {
        key: ann,
        body: { url: `https://example.com/${n}`, slug: n % 2 ? 'One' : 'one' },
      }),
    )
    expect(statuses(replies)).toEqual({ 201: 1, 409: 19 })
    expect(await first.rows('select count(*) as links from link')).toEqual([{ links: 1 }])
    await settle(ann)
  })

  test('L6.2c L24.5: twenty creates of one URL by one identity at once end in one link', async () => {
    const { first, call, settle, ann } = await startNodes()
    const body = { url: 'https://example.com/same' }
    const replies = await times(20, () => call('POST', '/links', { key: ann, body }))
    expect(statuses(replies)).toEqual({ 201: 1, 200: 19 })
    expect(new Set(replies.map((reply) => reply.body.id)).size).toBe(1)
    expect(await first.rows('select count(*) as links from link')).toEqual([{ links: 1 }])
    await settle(ann)
  })

  test('creates of one URL by two identities at once end in at most one link each, without an error', async () => {
    const { first, call, settle, ann, ben } = await startNodes()
    const body = { url: 'https://example.com/same' }
    const replies = await times(20, (n) => call('POST', '/links', { key: n % 2 ? ann : ben, body }))
    for (const { status } of replies) expect([200, 201]).toContain(status)
    const made = await first.rows<{ created_by: string }>('select created_by from link')
    expect(new Set(made.map((row) => row.created_by)).size).toBe(made.length)
    await settle(ann)
  })

  test('L24.5: two slugs made primary at once leave exactly one of them primary', async () => {
    const { first, call, settle, ann } = await startNodes()
    const link = await first.createLink(ann, { slug: 'left' })
    await call('POST', `/links/${link.id}/slugs`, { key: ann, body: { slug: 'right' } })
    const replies = await times(20, (n) =>
      call('POST', `/slugs/${n % 2 ? 'left' : 'right'}/primary`, { key: ann }),
    )
    expect(statuses(replies)).toEqual({ 200: 20 })
    const { body } = await call('GET', `/links/${link.id}`, { key: ann })
    expect(body.slugs.filter((slug: { is_primary: number }) => slug.is_primary)).toHaveLength(1)
    await settle(ann)
  })

  test('a slug disabled while it becomes primary is never both', async () => {
    const { first, call, settle, ann } = await startNodes()
    for (let round = 0; round < 5; round++) {
      const slug = `both-${round}`
      const { id } = await first.createLink(ann)
      await call('POST', `/links/${id}/slugs`, { key: ann, body: { slug } })
      const work = shuffle([
        'disable',
        'primary',
        'enable',
        'disable',
        'primary',
        'disable',
        'enable',
        'primary',
      ])
      const replies = await Promise.all(
        work.map((verb) => call('POST', `/links/${id}/slugs/${slug}/${verb}`, { key: ann })),
      )
      for (const { status } of replies) expect([200, 400]).toContain(status)
    }
    await settle(ann)
  })

  test('L24.5a: slugs removed while others become primary leave one enabled primary slug', async () => {
    const { first, call, settle, ann } = await startNodes()
    const { id } = await first.createLink(ann)
    const slugs = Array.from({ length: 8 }, (_, n) => `gone-${n}`)
    for (const slug of slugs) await call('POST', `/links/${id}/slugs`, { key: ann, body: { slug } })
    const work = shuffle(
      slugs.flatMap(
        (slug) =>
          [
            ['DELETE', slug],
            ['POST', `${slug}/primary`],
          ] as const,
      ),
    )
    const replies = await Promise.all(
      work.map(([method, path]) => call(method, `/links/${id}/slugs/${path}`, { key: ann })),
    )
    for (const { status } of replies) expect([200, 404]).toContain(status)
    expect((await call('GET', `/links/${id}`, { key: ann })).body.slugs).toHaveLength(1)
    await settle(ann)
  })

  test('links deleted while they are clicked leave no click behind, and every visitor gets an answer', async () => {
    const { first, nextNode, settle, ann } = await startNodes()
    for (let round = 0; round < 5; round++) {
      const slug = `burn-${round}`
      const { id } = await first.createLink(ann, { slug })
      const visit = async (node = nextNode()) => (await node.fetch(`/${slug}`)).status
      const visits = times(20, () => visit())
      const node = nextNode()
      const deleted = node.call('DELETE', `/links/${id}?force=true`, { key: ann })
      const after = times(20, () => visit())
      expect((await deleted).status).toBe(200)
      expect(await visit(node)).toBe(404)
      for (const status of [...(await visits), ...(await after)]) expect([302, 404]).toContain(status)
      await withTimeout(1000, async () => (await visit()) === 404 && (await visit()) === 404)
    }
    await settle(ann)
  })

  test('a delete without force that races with clicks is refused or, on one node, precedes all of them', async () => {
    const { first, nodes, call, nextNode, settle, ann } = await startNodes()
    for (let round = 0; round < 20; round++) {
      const slug = `guard-${round}`
      const { id } = await first.createLink(ann, { slug })
      const [deleted, visits] = await Promise.all([
        call('DELETE', round % 2 ? `/links/${id}` : `/slugs/${slug}`, { key: ann }),
        times(5, async () => (await nextNode().fetch(`/${slug}`)).status),
      ])
      expect([200, 400]).toContain(deleted.status)
      if (deleted.status === 200 && nodes.length === 1) expect(visits).not.toContain(302)
    }
    await settle(ann)
  })

  test('a click that arrives while a delete waits for another writer counts: the delete is refused', async () => {
    const { url, first, settle, ann } = await startNodes()
    const other = openDatabase<Tables>(url)
    for (const path of ['/links/', '/slugs/']) {
      const slug = `late-${path.slice(1, 2)}`
      const { id } = await first.createLink(ann, { slug })
      const held = await other.write(async (tx) => {
        await lockLinkRow(tx, other, id)
        const deleted = first.call('DELETE', path + (path === '/links/' ? id : slug), { key: ann })
        await waitTurns(tx, 50)
        return { deleted, visit: await visitDuring(tx, first.fetch(`/${slug}`)) }
      })
      expect(held.visit).toBe(302)
      expect((await held.deleted).status).toBe(400)
      expect((await first.call('GET', `/links/${id}`, { key: ann })).body.total_clicks).toBe(1)
    }
    await other.close()
    await settle(ann)
  })

  test('a create that finds a link under deletion creates another one', async () => {
    const { url, first, settle, ann, ben } = await startNodes()
    const other = openDatabase<Tables>(url)
    await first.createLink(ben, { slug: 'busy' })
    const theirs = await first.createLink(ben, { url: 'https://example.com/twice' })
    const held = await other.write(async (tx) => {
      await lockLinkRow(tx, other, theirs.id)
      const created = first.call('POST', '/links', { key: ann, body: { url: 'https://example.com/twice' } })
      await waitTurns(tx, 50)
      const deleted = first.call('DELETE', `/links/${theirs.id}`, { key: ben })
      await waitTurns(tx, 50)
      // The answers wait until this click is counted.
      await visitDuring(tx, first.fetch('/busy'))
      return { created, deleted }
    })
    const { status, body } = await held.created
    expect([200, 201]).toContain(status)
    expect(body.url).toBe('https://example.com/twice')
    expect((await held.deleted).status).toBe(200)
    await other.close()
    await settle(ann)
  })

  test('one slug added to two links at once belongs to one of them', async () => {
    const { first, call, settle, ann, ben } = await startNodes()
    const [one, two] = [await first.createLink(ann), await first.createLink(ben)]
    const replies = await times(20, (n) =>
      n % 2
        ? call('POST', `/links/${one.id}/slugs`, { key: ann, body: { slug: 'wanted' } })
        : call('POST', '/slugs', { key: ben, body: { link_id: two.id, slug: 'wanted' } }),
    )
    expect(statuses(replies)).toEqual({ 201: 1, 409: 19 })
    await settle(ann)
  })

  test('a slug claimed by update and by create at once belongs to one, and the losers change nothing', async () => {
    const { first, call, settle, ann } = await startNodes()
    const { id } = await first.createLink(ann, { label: 'Before' })
    const replies = await times(20, (n) =>
      n % 2
        ? call('PATCH', `/links/${id}`, { key: ann, body: { slug: 'claimed', label: 'After' } })
        : call('POST', '/links', { key: ann, body: { url: `https://example.com/${n}`, slug: 'claimed' } }),
    )
    for (const { status } of replies) expect([200, 201, 409]).toContain(status)
    const [row] = await first.rows<{ link_id: number }>(`select link_id from slug where slug = 'claimed'`)
    const wonByUpdate = row?.link_id === id
    expect(statuses(replies)).toEqual(wonByUpdate ? { 200: 10, 409: 10 } : { 201: 1, 409: 19 })
    expect((await call('GET', `/links/${id}`, { key: ann })).body.label).toBe(
      wonByUpdate ? 'After' : 'Before',
    )
    await settle(ann)
  })

  test('two links that request each other’s slugs at once are both answered', async () => {
    const { first, call, settle, ann } = await startNodes()
    const [one, two] = [
      await first.createLink(ann, { slug: 'mine' }),
      await first.createLink(ann, { slug: 'yours' }),
    ]
    const replies = await times(20, (n) =>
      n % 2
        ? call('PATCH', `/links/${one.id}`, { key: ann, body: { slug: 'yours' } })
        : call('PATCH', `/links/${two.id}`, { key: ann, body: { slug: 'mine' } }),
    )
    expect(statuses(replies)).toEqual({ 409: 20 })
    await settle(ann)
  })

  test('one link deleted twenty times at once is deleted once', async () => {
    const { first, call, settle, ann } = await startNodes()
    const { id } = await first.createLink(ann, { slug: 'once' })
    const replies = await times(20, () => call('DELETE', `/links/${id}`, { key: ann }))
    expect(statuses(replies)).toEqual({ 200: 1, 404: 19 })
    await settle(ann)
  })

  test('L24.5: random concurrent writers on a few links cause no fault, and all invariants hold afterwards', async () => {
    const { first, call, nextNode, settle, ann } = await startNodes()
    const ids = await times(3, async () => (await first.createLink(ann)).id as number)
    const slugs = ['r1', 'r2', 'r3', 'r4']
    const actions = [
      () => call('POST', `/links/${pick(ids)}/slugs`, { key: ann, body: { slug: pick(slugs) } }),
      () => call('POST', `/slugs/${pick(slugs)}/primary`, { key: ann }),
      () => call('POST', `/slugs/${pick(slugs)}/disable`, { key: ann }),
      () => call('POST', `/slugs/${pick(slugs)}/enable`, { key: ann }),
      () => call('DELETE', `/slugs/${pick(slugs)}?force=true`, { key: ann }),
      () => call('PATCH', `/links/${pick(ids)}`, { key: ann, body: { slug: pick(slugs), label: 'x' } }),
      () =>
        call('POST', '/links', { key: ann, body: { url: 'https://example.com/crowd', slug: pick(slugs) } }),
      () => call('POST', `/links/${pick(ids)}/disable`, { key: ann }),
      () => call('POST', `/links/${pick(ids)}/enable`, { key: ann }),
      () => call('DELETE', `/links/${pick(ids)}`, { key: ann }),
      () => call('GET', `/slugs/${pick(slugs)}`, { key: ann }),
      async () => ({
        status: (await nextNode().fetch(`/${pick(slugs)}`)).status,
        body: null,
        headers: new Headers(),
      }),
    ]
    // More at once may get the answer that all connections are busy.
    for (let wave = 0; wave < 10; wave++)
      for (const { status, body } of await times(40, () => pick(actions)()))
        expect([status < 500, body]).toEqual([true, body])
    await settle(ann)
  })
})
