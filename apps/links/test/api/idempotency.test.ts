import { beforeAll, expect, test } from 'bun:test'
import { openDatabase } from '@latchkey/database/database'
import { ALLOW_IDLE_TRANSACTION } from '@latchkey/database/session'
import { eachDialect } from '@latchkey/database/testing'
import { sql } from 'kysely'
import type { Tables } from '../../src/db/tables.ts'
import { deleteExpiredAnswers } from '../../src/idempotency/store.ts'
import { lockUrl } from '../../src/links/store.ts'
import { type Reply, type TestLinks, sharedTestLinks, startTestLinks } from '../testing.ts'

/** Statements with which every new link fails, and one that ends it. */
const failing = {
  sqlite: {
    begin: [`create trigger broken before insert on link begin select raise(abort, 'broken'); end`],
    end: 'drop trigger broken',
  },
  postgres: {
    begin: [
      `create function break_link() returns trigger language plpgsql as $$ begin raise exception 'broken'; end $$`,
      'create trigger broken before insert on link for each row execute function break_link()',
    ],
    end: 'drop trigger broken on link',
  },
}

let count = 0
const newKey = () => `order-${++count}`
const newBody = (fields: object = {}) => ({
  url: `https://example.com/${++count}`,
  allow_duplicate: true,
  ...fields,
})

eachDialect((dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_DOMAINS: 'go.example.org' })
  let ann: string
  beforeAll(async () => (ann = await links.key('ann@example.com')))

  const post = (path: string, key: string, body?: object, apiKey = ann, to: TestLinks = links) =>
    to.call('POST', path, {
      key: apiKey,
      headers: { 'Idempotency-Key': key },
      ...(body && { body }),
    })
  const isReplay = ({ headers }: Reply) => headers.get('idempotent-replay') === 'true'
  const countOf = async (url: string) => (await links.rows(`select id from link where url = '${url}'`)).length

  test('L28.2: the same key and body get the stored answer, and nothing is done again', async () => {
    const [key, body] = [newKey(), newBody()]
    const first = await post('/links', key, body)
    expect([first.status, isReplay(first)]).toEqual([201, false])
    await links.call('PATCH', `/links/${first.body.id}`, { key: ann, body: { label: 'changed since' } })
    const second = await post('/links', key, body)
    expect([second.status, isReplay(second), second.body]).toEqual([201, true, first.body])
    for (const name of ['etag', 'content-type'])
      expect(second.headers.get(name)).toBe(first.headers.get(name))
    expect(second.headers.get('x-request-id')).not.toBe(first.headers.get('x-request-id'))
    expect(await countOf(body.url)).toBe(1)
  })

  test('L28.2: 50 equal requests at once create one link and get 50 equal answers', async () => {
    const [key, body] = [newKey(), newBody()]
    const replies = await Promise.all(Array.from({ length: 50 }, () => post('/links', key, body)))
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([201]))
    expect(new Set(replies.map((reply) => JSON.stringify(reply.body))).size).toBe(1)
    expect(replies.filter(isReplay)).toHaveLength(49)
    expect(await countOf(body.url)).toBe(1)
  })

  testOnSqlite('L28.2a: another body with the key is refused, and another path too', async () => {
    const [key, body] = [newKey(), newBody()]
    await post('/links', key, body)
    const options = { key: ann, headers: { 'Idempotency-Key': key } }
    const other = await links.expectRefusal('POST', '/links', { ...options, body: { ...body, label: 'x' } }, [
      422,
      'Idempotency-Key was used with another body',
    ])
    expect(other.headers.get('x-error-code')).toBe('idempotency_key_other_body')
    const path = '/domains/go.example.org/links'
    const elsewhere = await links.expectRefusal('POST', path, { ...options, body }, [
      422,
      'Idempotency-Key was used on another path',
    ])
    expect(elsewhere.headers.get('x-error-code')).toBe('idempotency_key_other_path')
  })

  testOnSqlite(
    'L28.2b: the same key of another API key is another key, also of the same person',
    async () => {
      const [key, body] = [newKey(), newBody()]
      const first = await post('/links', key, body)
      const second = await post('/links', key, body, await links.key('ann@example.com'))
      expect([second.status, isReplay(second)]).toEqual([201, false])
      expect(second.body.id).not.toBe(first.body.id)
    },
  )

  testOnSqlite('L28.2c: refusals are replayed too, of rules and of values', async () => {
    const slug = `used-${++count}`
    const holder = await links.createLink(ann, { slug })
    const [key, body] = [newKey(), newBody({ slug })]
    expect((await post('/links', key, body)).status).toBe(409)
    await links.call('DELETE', `/links/${holder.id}`, { key: ann })
    const again = await post('/links', key, body)
    expect([again.status, isReplay(again), again.body]).toEqual([409, true, { error: 'Slug already exists' }])
    expect(again.headers.get('x-error-code')).toBe('slug_taken')
    expect(await countOf(body.url)).toBe(0)

    const invalid = newKey()
    expect((await post('/links', invalid, { url: 'nonsense' })).status).toBe(400)
    expect(isReplay(await post('/links', invalid, { url: 'nonsense' }))).toBe(true)
    expect((await post('/links', invalid, newBody())).status).toBe(422)
  })

  test('L28.2c: a failure of the service is not replayed: the next request is performed', async () => {
    const [key, body] = [newKey(), newBody({ label: 'refused' })]
    await links.database.write(async (tx) => {
      for (const statement of failing[dialect].begin) await sql.raw(statement).execute(tx)
    })
    expect((await post('/links', key, body)).status).toBe(500)
    await links.database.write((tx) => sql.raw(failing[dialect].end).execute(tx))
    const next = await post('/links', key, body)
    expect([next.status, isReplay(next)]).toEqual([201, false])
    expect(await countOf(body.url)).toBe(1)
  })

  test('L28.2: an answer is kept for 24 hours, and then deleted', async () => {
    const [key, body] = [newKey(), newBody()]
    const first = await post('/links', key, body)
    links.advance(86_399)
    expect(isReplay(await post('/links', key, body))).toBe(true)
    links.advance(1)
    const second = await post('/links', key, body)
    expect([second.status, isReplay(second)]).toEqual([201, false])
    expect(second.body.id).not.toBe(first.body.id)
    expect(isReplay(await post('/links', key, body))).toBe(true)
    await deleteExpiredAnswers(links.database, links.now)
    const ages = await links.rows<{ created_at: number }>('select created_at from idempotent_answer')
    expect(new Set(ages.map((row) => row.created_at))).toEqual(new Set([links.now]))
  })

  testOnSqlite('L28.2: a key has 1 to 64 visible characters', async () => {
    for (const key of ['a', '!~', 'x'.repeat(64)])
      expect((await post('/links', key, newBody())).status).toBe(201)
    for (const key of ['', 'a b', 'å', 'x'.repeat(65)]) {
      const options = { key: ann, body: newBody(), headers: { 'Idempotency-Key': key } }
      const text = 'Idempotency-Key: must be 1 to 64 visible characters'
      const { headers } = await links.expectRefusal('POST', '/links', options, [400, text])
      expect(headers.get('x-error-code')).toBe('idempotency_key_invalid')
    }
  })

  testOnSqlite('L28.2: every POST takes a key, and other methods ignore it', async () => {
    const { id } = await links.createLink(ann)
    const { body: bundle } = await links.call('POST', '/bundles', { key: ann, body: { name: 'One' } })
    const slug = `once-${++count}`
    const calls: [path: string, body?: object][] = [
      [`/links/${id}/slugs`, { slug }],
      [`/links/${id}/disable`],
      [`/links/${id}/enable`],
      [`/slugs/${slug}/primary`],
      ['/slugs', { link_id: id, slug: `${slug}-more` }],
      ['/bundles', { name: 'Two' }],
      [`/bundles/${bundle.id}/links`, { link_id: id }],
      [`/bundles/${bundle.id}/archive`],
      ['/domains/go.example.org/links', newBody()],
    ]
    for (const [path, body] of calls) {
      const key = newKey()
      const first = await post(path, key, body)
      const second = await post(path, key, body)
      expect([path, first.status < 300, isReplay(second), second.body]).toEqual([
        path,
        true,
        true,
        first.body,
      ])
    }
    const options = { key: ann, headers: { 'Idempotency-Key': newKey() } }
    for (const label of ['a', 'b']) {
      const { body } = await links.call('PATCH', `/links/${id}`, { ...options, body: { label } })
      expect(body.label).toBe(label)
    }
  })

  testOnSqlite('L28.2b: the answers of a revoked API key are deleted, and it gets 401', async () => {
    const [apiKey, key, body] = [await links.key('ann@example.com'), newKey(), newBody()]
    await post('/links', key, body, apiKey)
    const last = await links.rows<{ id: number }>('select max(id) as id from api_key')
    await links.database.write((tx) =>
      tx
        .deleteFrom('api_key')
        .where('id', '=', last[0]?.id ?? 0)
        .execute(),
    )
    expect(await links.rows(`select * from idempotent_answer where idempotency_key = '${key}'`)).toEqual([])
    expect((await post('/links', key, body, apiKey)).status).toBe(401)
  })

  testOnSqlite('L28.2c: 429 is not replayed', async () => {
    const limited = await startTestLinks(await newUrl(), { LINKS_RATE_LIMIT: '1/hour' })
    const [apiKey, key, body] = [await limited.key('ann@example.com'), newKey(), newBody()]
    await limited.call('GET', '/config', { key: apiKey })
    expect((await post('/links', key, body, apiKey, limited)).status).toBe(429)
    expect(await limited.rows('select * from idempotent_answer')).toEqual([])
  })

  // SQLite has one writer: a second request waits for it, and is answered by the first one.
  if (dialect === 'postgres')
    test('L28.2g: while the first request runs, others get 409 with Retry-After', async () => {
      const [key, body] = [newKey(), { url: `https://example.com/${++count}` }]
      const other = openDatabase<Tables>(links.url)
      const [locked, release] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
      const lock = other.write(async (tx) => {
        // The first request holds on as long as the second one waits.
        await sql.raw(ALLOW_IDLE_TRANSACTION).execute(tx)
        await lockUrl(tx, other, body.url)
        locked.resolve()
        await release.promise
      })
      await locked.promise
      const first = post('/links', key, body)
      await Bun.sleep(100)
      const second = await post('/links', key, body)
      expect([second.status, second.headers.get('retry-after')]).toEqual([409, '1'])
      expect(second.headers.get('x-error-code')).toBe('idempotency_key_running')
      release.resolve()
      await lock
      await other.close()
      const { status, body: link } = await first
      expect(status).toBe(201)
      expect((await post('/links', key, body)).body).toEqual(link)
    })
})
