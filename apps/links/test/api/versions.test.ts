import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { sharedTestLinks } from '../testing.ts'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_ADMINS: 'ann@example.com, ben@example.com' })
  let ann: string
  let ben: string
  beforeAll(async () => {
    ann = await links.key('ann@example.com')
    ben = await links.key('ben@example.com')
  })
  let count = 0
  const newSlug = () => `v-${++count}`
  const versionOf = async (id: number) => {
    const { headers } = await links.call('GET', `/links/${id}`, { key: ben })
    return Number(/^"(\d+)"$/.exec(headers.get('etag') ?? '')?.[1])
  }

  testOnSqlite('L25.3: each write of a link and its slugs raises its version by one', async () => {
    const [custom, second, third] = [newSlug(), newSlug(), newSlug()]
    const { id } = await links.createLink(ann)
    const writes: [method: string, path: string, body?: unknown][] = [
      ['PUT', `/links/${id}`, { url: 'https://example.com/v', slug: custom, label: 'v' }],
      ['PATCH', `/links/${id}`, { slug: second }],
      ['POST', `/links/${id}/disable`],
      ['POST', `/links/${id}/enable`],
      ['POST', `/links/${id}/slugs`, { slug: third }],
      ['POST', `/slugs/${second}/disable`],
      ['POST', `/links/${id}/slugs/${second}/enable`],
      ['POST', `/slugs/${third}/primary`],
      ['DELETE', `/slugs/${third}`],
    ]
    for (const [method, path, body] of writes) {
      const before = await versionOf(id)
      const { status, headers, body: answer } = await links.call(method, path, { key: ann, body })
      expect([path, status < 300]).toEqual([path, true])
      expect([path, await versionOf(id)]).toEqual([path, before + 1])
      const holdsLink = answer.url !== undefined
      expect([path, headers.get('etag')]).toEqual([path, holdsLink ? `"${before + 1}"` : null])
    }
  })

  testOnSqlite(
    'L25.3: reads and requests that change nothing raise no version, and JSON has none',
    async () => {
      const slug = newSlug()
      const link = await links.createLink(ann, { slug })
      await links.call('POST', `/slugs/${slug}/enable`, { key: ann })
      await links.call('PATCH', `/links/${link.id}`, { key: ann, body: {} })
      await links.call('PATCH', `/links/${link.id}`, { key: ben, body: { label: 'not mine' } })
      const { headers, body } = await links.call('GET', `/slugs/${slug}`, { key: ben })
      expect([headers.get('etag'), Object.keys(body)]).toEqual([
        '"1"',
        Object.keys(link).filter((name) => name !== 'duplicate'),
      ])
      expect(body).not.toHaveProperty('version')
    },
  )

  testOnSqlite('L25.3: If-Match with another version is 412, and nothing is written', async () => {
    const slug = newSlug()
    const { id } = await links.createLink(ann, { slug })
    const writes: [method: string, path: string, body?: unknown][] = [
      ['PUT', `/links/${id}`, { label: 'late' }],
      ['POST', `/links/${id}/disable`],
      ['POST', `/links/${id}/slugs`, { slug: newSlug() }],
      ['POST', '/slugs', { link_id: id, slug: newSlug() }],
      ['POST', `/slugs/${slug}/disable`],
      ['POST', `/links/${id}/slugs/${slug}/primary`],
      ['DELETE', `/links/${id}/slugs/${slug}`],
      ['DELETE', `/links/${id}?force=true`],
    ]
    const refused = [412, 'The link was changed meanwhile'] as const
    for (const [method, path, body] of writes)
      await links.expectRefusal(method, path, { key: ann, body, headers: { 'If-Match': '"7"' } }, refused)
    for (const tag of ['1', 'W/"1"', '"01"', '""'])
      await links.expectRefusal(
        'PATCH',
        `/links/${id}`,
        { key: ann, body: { label: 'x' }, headers: { 'If-Match': tag } },
        refused,
      )
  })

  testOnSqlite(
    'L25.3: If-Match with the version, a list that has it, or a star lets the write through',
    async () => {
      const { id } = await links.createLink(ann)
      for (const [version, tag] of ['"1"', '"9", "2"', '*'].entries()) {
        const reply = await links.call('PATCH', `/links/${id}`, {
          key: ann,
          body: { label: tag },
          headers: { 'If-Match': tag },
        })
        expect([reply.status, reply.headers.get('etag')]).toEqual([200, `"${version + 2}"`])
      }
    },
  )

  test('L25.3: of two writes of the same version, one is refused', async () => {
    const { id } = await links.createLink(ann)
    const write = (label: string) =>
      links.call('PATCH', `/links/${id}`, { key: ann, body: { label }, headers: { 'If-Match': '"1"' } })
    const statuses = (await Promise.all([write('a'), write('b')])).map(({ status }) => status)
    expect(new Set(statuses)).toEqual(new Set([200, 412]))
    expect(await versionOf(id)).toBe(2)
  })

  testOnSqlite('L25.3: the admin side answers and checks the same versions', async () => {
    const { body: link, headers } = await links.callAdmin('POST', '/links', {
      body: { url: 'https://example.com/admin-version' },
    })
    expect(headers.get('etag')).toBe('"1"')
    const late = await links.callAdmin('PATCH', `/links/${link.id}`, {
      body: { label: 'late' },
      headers: { 'If-Match': '"3"' },
    })
    expect([late.status, late.body.code]).toEqual([412, 'link_changed'])
  })
})
