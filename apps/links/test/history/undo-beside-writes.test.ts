import { expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { waitFor } from '../actions.ts'
import { type Reply, type TestLinks, startTestLinks } from '../testing.ts'

const ann = 'ann@example.com'

eachDialect((dialect, newUrl) => {
  /** Two nodes on one PostgreSQL database, each with a key of the same person; one node on SQLite. */
  async function startNodes() {
    const url = await newUrl()
    const one = await startTestLinks(url)
    const other = dialect === 'postgres' ? await startTestLinks(url) : one
    const [program, own] = [await one.key(ann), await one.key(ann)]
    await one.createLink(program)
    const { body: changes } = await one.call('GET', '/changes?limit=1', { key: program })
    const assistant: string = changes[0].assistant
    one.advance(10)
    other.advance(10)
    return { url, one, other, program, own, assistant, since: one.now }
  }

  const label = (links: TestLinks, key: string, id: number, text: string) =>
    links.call('PUT', `/links/${id}`, { key, body: { label: text } })

  /** Returns the links whose change was answered 200 and is not stored. */
  async function findLost(links: TestLinks, key: string, changes: readonly (readonly [number, Reply])[]) {
    const lost: number[] = []
    for (const [id, { status, body: answered }] of changes) {
      if (status !== 200) continue
      const { body } = await links.call('GET', `/links/${id}`, { key })
      if (body.label !== answered.label) lost.push(id)
    }
    return lost
  }

  /** Performs `start` while a transaction holds the link, then `beside`, and lets go once both wait or are done. */
  async function besideHeldLink(
    { url }: { url: string },
    held: number,
    [start, beside]: readonly [() => Promise<Reply>, () => Promise<Reply>],
  ): Promise<readonly [Reply, Reply]> {
    const database = openDatabase<Tables>(url)
    const countWaiting = async () => {
      const { rows } = await sql`select 1 from pg_stat_activity
        where wait_event_type = 'Lock' and datname = current_database()`.execute(database.read)
      return rows.length
    }
    try {
      return await database
        .write(async (tx) => {
          await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
          await tx.selectFrom('link').select('id').where('id', '=', held).forUpdate().execute()
          const first = start()
          await waitFor(countWaiting, (count) => count >= 1)
          let isDone = false
          const second = beside().finally(() => (isDone = true))
          await waitFor(countWaiting, (count) => isDone || count >= 2)
          return [first, second] as const
        })
        .then((replies) => Promise.all(replies))
    } finally {
      await database.close()
    }
  }

  const undoings = [
    [
      'an undo of changes',
      ({ one, own, since, assistant }: Awaited<ReturnType<typeof startNodes>>) =>
        one.call('POST', '/changes/undo', { key: own, body: { since, assistant } }),
    ],
    [
      'an undo of a plan',
      ({ one, program }: Awaited<ReturnType<typeof startNodes>>, planId: number) =>
        one.call('POST', `/plans/${planId}/undo`, { key: program }),
    ],
  ] as const
  for (const [what, undo] of undoings)
    for (const [which, isHeld] of [
      ['first', (at: number) => at === 0],
      ['last', (at: number) => at === 2],
    ] as const)
      if (dialect === 'postgres')
        test(`L29.3 L29.4: ${what} that waits for its ${which} link keeps what another program changes`, async () => {
          const nodes = await startNodes()
          const { one, other, program, own } = nodes
          const urls = ['https://example.com/1', 'https://example.com/2', 'https://example.com/3']
          const ops = urls.map((url) => ({ operation: 'createLink', body: { url } }))
          const { body: plan } = await one.call('POST', '/plans', { key: program, body: { ops } })
          const { body: applied } = await one.call('POST', `/plans/${plan.id}/apply`, { key: program })
          const ids: number[] = applied.diff.map((change: { link_id: number }) => change.link_id)
          const held = ids.find((_, at) => isHeld(at)) ?? 0
          const [undone, change] = await besideHeldLink(nodes, held, [
            () => undo(nodes, plan.id),
            () => label(other, own, ids[1] ?? 0, 'Kept'),
          ])
          expect(undone.status).toBe(200)
          expect([200, 404]).toContain(change.status)
          expect(await findLost(other, own, [[ids[1] ?? 0, change]])).toEqual([])
        })

  async function createMany(links: TestLinks, key: string, count: number): Promise<number[]> {
    const items = Array.from({ length: count }, (_, n) => ({ url: `https://example.com/many/${n}` }))
    const { body } = await links.call('POST', '/bulk/links', { key, body: { items } })
    return body.results.map((result: Reply['body']) => result.link.id)
  }

  test('L29.4: two undos at once of the same deletions bring each link back once', async () => {
    const { one, other, program, own, assistant, since } = await startNodes()
    const ids = await createMany(one, own, 10)
    for (const id of ids) await one.call('DELETE', `/links/${id}`, { key: program })
    const undone = await Promise.all(
      [one, other].map((links) =>
        links.call('POST', '/changes/undo', { key: own, body: { since, assistant } }),
      ),
    )
    expect(undone.map(({ status }) => status)).toEqual([200, 200])
    expect(new Set(undone.map(({ body }) => body.undone))).toEqual(new Set([0, 10]))
    for (const id of ids) expect((await one.call('GET', `/links/${id}`, { key: own })).status).toBe(200)
  })

  test('L24.5b L29.4: undos beside changes of the same links and bundles lose none of these', async () => {
    const { one, other, program, own, assistant, since } = await startNodes()
    const ids = await createMany(one, program, 60)
    const { body: bundle } = await one.call('POST', '/bundles', { key: program, body: { name: 'Both' } })
    const { body: foreign } = await one.call('POST', '/bundles', { key: own, body: { name: 'Own' } })
    await one.call('PATCH', '/bulk/links', { key: program, body: { ids, set: { bundle: bundle.id } } })
    const undo = (links: TestLinks) =>
      links.call('POST', '/changes/undo', { key: own, body: { since, assistant } })
    const labelled = ids.filter((_, at) => at % 3 === 0)
    const expiring = ids.filter((_, at) => at % 5 === 0)
    const added = ids.filter((_, at) => at % 7 === 0)
    const expires_at = since + 86_400
    const undos = [undo(one), undo(other)]
    const labels = labelled.map((id, at) => label(at % 2 ? one : other, own, id, `Kept ${id}`))
    const bulk = other.call('PATCH', '/bulk/links', {
      key: own,
      body: { ids: expiring.toReversed(), set: { expires_at } },
    })
    const additions = added.map((id) =>
      other.call('POST', `/bundles/${foreign.id}/links`, { key: own, body: { link_id: id } }),
    )
    const others = [other.call('DELETE', `/bundles/${bundle.id}`, { key: own })]
    const replies = await Promise.all([...undos, ...labels, bulk, ...additions, ...others])
    // A slow machine may refuse a request, but only with advice to try it again.
    for (const { status, headers } of replies)
      expect([status === 500, status >= 500 && !headers.has('Retry-After')]).toEqual([false, false])
    expect(
      await findLost(
        one,
        own,
        await Promise.all(labels.map(async (reply, at) => [labelled[at] ?? 0, await reply] as const)),
      ),
    ).toEqual([])
    const { results = [] } = (await bulk).body
    for (const { status, link } of results)
      if (status === 200)
        expect((await one.call('GET', `/links/${link.id}`, { key: own })).body).toMatchObject({ expires_at })
    const members = await one.call('GET', `/bundles/${foreign.id}/links?limit=200`, { key: own })
    const memberIds = members.body.map(({ id }: { id: number }) => id)
    for (const [at, id] of added.entries())
      if ((await additions[at])?.status === 200) expect(memberIds).toContain(id)
  })
})
