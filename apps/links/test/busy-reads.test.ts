import { renameSync } from 'node:fs'
import { expect, test } from 'bun:test'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { sqlitePath } from '@latchkey/database/url'
import { sql } from 'kysely'
import { TestLinks, startTestLinks } from './testing.ts'

/** The lock that lists wait for on PostgreSQL. */
const LOCK = sql.lit(77)

/**
 * Makes every later list of all links slow, like a search among millions of links: on SQLite for
 * seconds, on PostgreSQL until the lock is released.
 */
async function slowDown({ database }: TestLinks, numbers: number): Promise<void> {
  const nap =
    database.dialect === 'sqlite'
      ? sql`(with recursive series (i) as (select 1 union all select i + 1 from series where i < ${sql.lit(numbers)})
          select max(i) as most from series)`
      : sql`(select pg_advisory_xact_lock_shared(${LOCK}))`
  await database.write(async (tx) => {
    await sql`alter table link_count rename to link_count_kept`.execute(tx)
    await sql`create view link_count as select link_count_kept.* from ${nap} as nap cross join link_count_kept`.execute(
      tx,
    )
  })
}

/** Ends the slow lists. On SQLite they end without it. */
async function holdLists({ database }: TestLinks): Promise<() => Promise<void>> {
  if (database.dialect === 'sqlite') return async () => {}
  const [held, ended] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  const holding = database.write(async (tx) => {
    await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
    await sql`select pg_advisory_xact_lock(${LOCK})`.execute(tx)
    held.resolve()
    await ended.promise
  })
  await held.promise
  return () => {
    ended.resolve()
    return holding
  }
}

eachDialect((dialect, newUrl) => {
  test('redirects, single reads and changes of links do not wait for lists', async () => {
    const links = new TestLinks()
    // Allows for a busy machine: one thread reads both lists.
    await links.start(await newUrl(), {}, { statementLimitMs: 60_000 })
    const key = await links.key('ann@example.com')
    const { id } = await links.createLink(key, { slug: 'here', url: 'https://example.com/there' })
    await slowDown(links, 12_000_000)
    const letListsEnd = await holdLists(links)
    const answered: string[] = []
    const lists = [links.call('GET', '/links', { key }), links.callAdmin('GET', '/links?page=1')].map(
      (list) =>
        list.then(({ status, headers }) => {
          answered.push('list')
          return [status, headers.get('x-total-count')]
        }),
    )
    const response = await links.fetch('/here')
    expect([response.status, response.headers.get('location')]).toEqual([302, 'https://example.com/there'])
    expect((await links.fetch('/_/health')).status).toBe(200)
    expect((await links.fetch('/', {}, '203.0.113.5')).status).toBe(200)
    expect((await links.call('GET', '/slugs/here', { key })).body.id).toBe(id)
    answered.push('others')
    await letListsEnd()
    expect(await Promise.all(lists)).toEqual([
      [200, '1'],
      [200, '1'],
    ])
    expect(answered).toEqual(['others', 'list', 'list'])
    await links.close()
  })

  if (dialect === 'postgres') return

  test('redirects do not wait for an export', async () => {
    const links = new TestLinks()
    await links.start(await newUrl(), {}, { statementLimitMs: 60_000 })
    await links.createLink(await links.key('ann@example.com'), { slug: 'here' })
    await links.database.write(async (tx) => {
      const [view] = await links.rows<{ sql: string }>(
        `select sql from sqlite_master where type = 'view' and name = 'counted_slug'`,
      )
      await sql`drop view counted_slug`.execute(tx)
      await sql.raw(String(view?.sql).replace('counted_slug', 'counted_slug_kept')).execute(tx)
      await sql`create view counted_slug as select kept.* from (with recursive series (i) as
          (select 1 union all select i + 1 from series where i < 12000000) select max(i) as most from series) as nap
        cross join counted_slug_kept as kept`.execute(tx)
    })
    const answered: string[] = []
    const file = await links.fetch('/_/admin/api/export')
    const exported = file.text().then((text) => {
      answered.push('export')
      return text
    })
    expect((await links.fetch('/here')).status).toBe(302)
    expect((await links.fetch('/_/health')).status).toBe(200)
    answered.push('others')
    expect(await exported).toContain('"slug":"here"')
    expect(answered).toEqual(['others', 'export'])
    await links.close()
  })

  test('a list whose thread cannot read is 503 with Retry-After, redirects continue, and the next list works', async () => {
    const links = await startTestLinks(await newUrl())
    const key = await links.key('ann@example.com')
    await links.createLink(key, { slug: 'here' })
    const path = sqlitePath(links.url)
    renameSync(path, `${path}.away`)
    const refused = await links.call('GET', '/links', { key })
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5'])
    expect((await links.fetch('/here')).status).toBe(302)
    renameSync(`${path}.away`, path)
    expect((await links.call('GET', '/links', { key })).body).toHaveLength(1)
  })

  test('the service closes during a list, which is answered with 503', async () => {
    const links = new TestLinks()
    await links.start(await newUrl())
    const key = await links.key('ann@example.com')
    await links.createLink(key)
    expect((await links.call('GET', '/links', { key })).status).toBe(200)
    // Longer than closing waits for it.
    await slowDown(links, 12_000_000)
    const list = links.call('GET', '/links', { key })
    // Others are answered, which proves that the list has begun.
    expect((await links.fetch('/_/health')).status).toBe(200)
    await links.close()
    expect((await list).status).toBe(503)
  })
})
