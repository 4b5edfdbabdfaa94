import { expect, test } from 'bun:test'
import { newSqliteUrls } from './test-database.ts'
import { sharedTestLinks } from './testing.ts'

const newUrl = newSqliteUrls()

const IMAGE = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'no-cors',
  'Sec-Fetch-Dest': 'image',
}
const NAVIGATION = {
  'Sec-Fetch-Site': 'cross-site',
  'Sec-Fetch-Mode': 'navigate',
  'Sec-Fetch-Dest': 'document',
}
const REFUSED = { error: 'Cross-site request refused' }
const LOGOUT = 'https://access.example/logout'

const limited = sharedTestLinks(newUrl, { LINKS_RATE_LIMIT: '2/min' })
const links = sharedTestLinks(newUrl, { LINKS_ACCESS_LOGOUT_URL: LOGOUT })

test('L3.2a L3.7: the API refuses images of another site without using the rate limit of the visitor', async () => {
  for (const _ of Array(5)) {
    const { status, headers, body } = await limited.call('GET', '/links', { headers: IMAGE })
    expect([status, body, headers.has('ratelimit-remaining')]).toEqual([403, REFUSED, false])
  }
  for (const status of [401, 401, 429]) expect((await limited.call('GET', '/links')).status).toBe(status)
})

test('a key is sufficient proof: no page of another site can send one', async () => {
  const key = await links.key('ann@example.com')
  expect((await links.call('GET', '/links', { key, headers: IMAGE })).status).toBe(200)
  expect((await links.call('GET', '/links', { headers: NAVIGATION })).status).toBe(401)
})

test('L16.2: the admin API refuses images of another site, with or without a session', async () => {
  for (const path of ['/settings', '/links', '/export?format=csv'])
    expect(await links.callAdmin('GET', path, { headers: IMAGE })).toMatchObject({
      status: 403,
      body: REFUSED,
    })
  expect((await links.callAdmin('GET', '/settings', { headers: NAVIGATION })).status).toBe(200)
  const own = { ...IMAGE, 'Sec-Fetch-Site': 'same-origin' }
  expect((await links.callAdmin('GET', '/settings', { headers: own })).status).toBe(200)
})

test('L16.3: only own pages sign a person out at the access layer', async () => {
  const signOut = async (headers: Record<string, string>) => {
    const answer = await links.fetch('/_/admin/logout', { headers })
    return [answer.status, answer.headers.get('location')]
  }
  const own = { ...NAVIGATION, 'Sec-Fetch-Site': 'same-origin' }
  expect(await signOut(own)).toEqual([302, LOGOUT])
  for (const headers of [NAVIGATION, IMAGE, { Origin: 'https://evil.example' }])
    expect(await signOut(headers)).toEqual([403, null])
})

test('L12.5: every answer except a redirect forbids embedding by other sites and a window shared with them', async () => {
  const key = await links.key('ann@example.com')
  const { id } = await links.createLink(key, { slug: 'target' })
  const authorized = { headers: { Authorization: `Bearer ${key}` } }
  const requests: [path: string, init?: RequestInit][] = [
    ['/'],
    ['/none'],
    ['/target', { method: 'POST' }],
    ['/a/b'],
    ['/favicon.ico'],
    ['/robots.txt'],
    ['/_/health'],
    ['/_/ready'],
    ['/_/metrics'],
    ['/_/api/openapi.json'],
    ['/_/api/links'],
    ['/_/api/links', authorized],
    [`/_/api/links/${id}/qr`, authorized],
    ['/_/api/none', authorized],
    ['/_/admin/api/settings'],
    ['/_/admin/nothing'],
    ['/_/mcp'],
    ['/.well-known/oauth-protected-resource'],
  ]
  for (const [path, init] of requests) {
    const { headers } = await links.fetch(path, init)
    const policies = ['resource', 'opener'].map((name) => headers.get(`cross-origin-${name}-policy`))
    expect([path, ...policies]).toEqual([path, 'same-origin', 'same-origin'])
  }
  const redirect = await links.fetch('/target', { headers: IMAGE })
  expect(redirect.status).toBe(302)
  expect([...redirect.headers.keys()].filter((name) => name.startsWith('cross-origin'))).toEqual([])
})
