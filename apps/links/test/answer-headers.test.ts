import { describe, expect, test } from 'bun:test'
import { ANSWER_HEADERS } from '@latchkey/http/answer-headers'
import { adminOperations, apiOperations } from '../src/http/operations.ts'
import { rootNames } from '../src/urls/reserved.ts'
import { newSqliteUrls } from './test-database.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

const newUrl = newSqliteUrls()
const HSTS = 'max-age=31536000'
const GO = 'https://go.example.com'
const L = 'l.example.org'

/** The paths of all operations, with something for each parameter. */
const pathsOf = (base: string, operations: typeof apiOperations) =>
  operations.flatMap(({ methods, path }) =>
    methods.map((method) => [method, base + path.replaceAll(/\{\w+\}/g, '1')] as const),
  )

const SYSTEM_PATHS = [
  '/',
  '/_',
  '/_/',
  '/_/nothing',
  '/none',
  '/none/',
  '/a/b',
  '/%ff',
  '/.well-known/assetlinks.json',
  '/.well-known/gpc.json',
  '/.well-known/oauth-protected-resource',
  '/oauth/token',
  '/_/health',
  '/_/ready',
  '/_/metrics',
  '/_/domain-check?domain=l.example.org',
  '/_/domain-check',
  '/_/fonts/none.woff2',
  '/_/privacy',
  '/_/privacy.json',
  '/_/stats/none',
  '/_/mcp',
  '/_/links',
  '/_/api',
  '/_/api/none',
  '/_/api/docs',
  '/_/api/docs/scalar.js',
  '/_/api/openapi.json',
  '/_/admin',
  '/_/admin/dashboard',
  '/_/admin/nothing',
  '/_/admin/assets/none.js',
  '/_/admin/logout',
  '/_/admin/api/none',
  ...rootNames.map((name) => `/${name}`),
]

describe('headers of answers', () => {
  const links = sharedTestLinks(newUrl, { LINKS_BASE_URL: GO, LINKS_DOMAINS: L, LINKS_RATE_LIMIT: 'off' })

  test('L12.7, L1.2: every answer of every route but a redirect has them and sets no cookie, with a key and without', async () => {
    const key = await links.key('ann@example.com')
    const requests = [
      ...pathsOf('/_/api', apiOperations),
      ...pathsOf('/_/admin/api', adminOperations),
      ...SYSTEM_PATHS.flatMap((path) =>
        ['GET', 'HEAD', 'POST', 'PUT'].map((method) => [method, path] as const),
      ),
    ].filter(([, path]) => !path.endsWith('/live') && !path.endsWith('/events'))
    const cases = requests.flatMap(([method, path]) =>
      ['localhost', L].flatMap((host) =>
        ['', `Bearer ${key}`].map((Authorization) => ({ method, path, host, headers: { Authorization } })),
      ),
    )
    for (const { method, path, host, headers } of cases) {
      const answer = await links.fetch(`http://${host}${path}`, { method, headers })
      await answer.body?.cancel()
      for (const [name, value] of ANSWER_HEADERS)
        expect([method, path, name, answer.headers.get(name)]).toEqual([method, path, name, value])
      expect([method, path, answer.headers.getSetCookie()]).toEqual([method, path, []])
      const isAdmin = path.startsWith('/_/admin')
      const policy = isAdmin && host !== L ? 'same-origin' : 'no-referrer'
      const isRedirect = answer.headers.has('location') && !isAdmin
      expect([path, answer.headers.get('referrer-policy')]).toEqual([path, isRedirect ? null : policy])
      expect([path, answer.headers.get('strict-transport-security')]).toEqual([path, HSTS])
    }
  }, 60_000)

  test('L12.7: redirects keep browsers on https, and do not touch the referrer', async () => {
    await links.createLink(await links.key('ann@example.com'), { slug: 'known' })
    const { status, headers } = await links.fetch('/known')
    expect([status, [...headers.keys()].toSorted()]).toEqual([
      302,
      ['cache-control', 'location', 'strict-transport-security'],
    ])
  })

  test('L12.7: HSTS needs https, from the base URL or from a trusted proxy', async () => {
    const hstsOf = async (settings: Record<string, string>, headers: Record<string, string> = {}) => {
      const service = await startTestLinks(await newUrl(), settings)
      const paths = ['/none', '/robots.txt', '/_/api/links']
      const values = await Promise.all(
        paths.map(async (path) =>
          (await service.fetch(path, { headers }, '10.0.0.1')).headers.get('strict-transport-security'),
        ),
      )
      return [...new Set(values)]
    }
    const https = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'go.example.com' }
    expect(await hstsOf({ LINKS_BASE_URL: 'http://go.example.com' }, https)).toEqual([null])
    expect(await hstsOf({ LINKS_BASE_URL: 'https://localhost:8443' })).toEqual([null])
    expect(await hstsOf({}, https)).toEqual([null])
    expect(await hstsOf({ TRUSTED_PROXIES: '10.0.0.2' }, https)).toEqual([null])
    expect(await hstsOf({ TRUSTED_PROXIES: '10.0.0.1' })).toEqual([null])
    expect(await hstsOf({ TRUSTED_PROXIES: '10.0.0.1' }, https)).toEqual([HSTS])
  })
})
