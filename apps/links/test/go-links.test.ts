import { beforeAll, expect, test } from 'bun:test'
import { eachDialect } from '@latchkey/database/testing'
import { DESKTOP } from './actions.ts'
import { sharedTestLinks } from './testing.ts'

/** Another machine: this one gets other pages for slugs that do not redirect (L12.6). */
const STRANGER = '198.51.100.9'

eachDialect((_dialect, newUrl, testOnSqlite) => {
  const links = sharedTestLinks(newUrl, { LINKS_BASE_URL: 'https://go.example.com' })
  let key: string
  beforeAll(async () => {
    key = await links.key('ann@example.com')
  })
  let count = 0
  const newLink = async (url: string, behaviour: object) => {
    const slug = `go-${++count}`
    const { id } = await links.createLink(key, { slug, url, allow_duplicate: true })
    const { status } = await links.call('PUT', `/links/${id}/behaviour`, { key, body: behaviour })
    expect(status).toBe(200)
    return { id: id as number, slug }
  }
  const visit = async (path: string, init: RequestInit = {}) => {
    const response = await links.fetch(`/${path}`, { headers: { 'User-Agent': DESKTOP }, ...init }, STRANGER)
    return [response.status, response.headers.get('location')] as const
  }

  test('L47.3: what follows the slug fills the destination of a link that says so, and is a click on it', async () => {
    const { id, slug } = await newLink('https://git.example/pull/{1}?all={path}', { parameters: true })
    expect(await visit(`${slug}/123`)).toEqual([302, 'https://git.example/pull/123?all=123'])
    expect(await visit(`${slug.toUpperCase()}/1%20/2/?x=1`)).toEqual([
      302,
      'https://git.example/pull/1%20?all=1%20%2F2',
    ])
    expect(await visit(slug)).toEqual([302, 'https://git.example/pull/?all='])
    expect(await visit(`${slug}/`)).toEqual([302, 'https://git.example/pull/?all='])
    const { body } = await links.call('GET', `/links/${id}`, { key })
    expect(body.total_clicks).toBe(4)
  })

  test('L47.3a: a path below a link that does not say so, or below no link, is the page for unknown slugs', async () => {
    const { slug } = await newLink('https://git.example/{1}', { forward_query: 'all' })
    const { slug: goLink } = await newLink('https://git.example/{1}', { parameters: true })
    expect(await visit(slug)).toEqual([302, 'https://git.example/%7B1%7D'])
    const unknown = await links.fetch('/no/such', {}, STRANGER)
    for (const path of [`${slug}/123`, 'nothing/123', `${goLink}/..%2f..`, `${goLink}/%ff`]) {
      const response = await links.fetch(`/${path}`, {}, STRANGER)
      expect([path, response.status, await response.text()]).toEqual([
        path,
        unknown.status,
        await unknown.clone().text(),
      ])
    }
    expect((await visit(`${slug}/123`, { method: 'POST' }))[0]).toBe(405)
  })

  testOnSqlite('L47.3: rules, splits and forwarded queries are filled too, fallbacks are not', async () => {
    const { slug } = await newLink('https://git.example/own', {
      parameters: true,
      forward_query: 'all',
      rules: [{ when: { device: ['desktop'] }, to: 'https://desk.example/{1}' }],
      starts_at: links.now + 60,
      before_url: 'https://soon.example/{1}',
    })
    expect(await visit(`${slug}/7?a=1`)).toEqual([302, 'https://soon.example/%7B1%7D'])
    links.advance(60)
    expect(await visit(`${slug}/7?a=1`)).toEqual([302, 'https://desk.example/7?a=1'])
  })

  testOnSqlite('L47.3c: a link that a visitor could lead back to itself is refused', async () => {
    const { id, slug } = await newLink('https://git.example/{1}', { parameters: true })
    const lead = (url: string) => links.call('PATCH', `/links/${id}`, { key, body: { url } })
    for (const path of ['{1}', 'x{path}', `${slug}/{1}`, `${slug}/a/b`]) {
      const { status, headers } = await lead(`https://go.example.com/${path}`)
      expect([path, status, headers.get('x-error-code')]).toEqual([path, 400, 'redirect_loop'])
    }
    const { slug: other } = await newLink('https://git.example/{path}', { parameters: true })
    expect((await lead(`https://go.example.com/${other}/{1}`)).status).toBe(200)
    expect(await visit(`${slug}/5`)).toEqual([302, `https://go.example.com/${other}/5`])
  })

  testOnSqlite('L47.3d: an explanation says what a path fills', async () => {
    const { id } = await newLink('https://git.example/{1}', { parameters: true })
    const { body } = await links.call('GET', `/links/${id}/explain?path=12%2F3`, { key })
    expect(body.location).toBe('https://git.example/12')
    expect(body.steps).toContainEqual({ check: 'parameters', saw: '12/3', result: 'added' })
    const none = await links.call('GET', `/links/${id}/explain?path=..`, { key })
    expect(none.body.location).toBe('https://git.example/')
  })
})
