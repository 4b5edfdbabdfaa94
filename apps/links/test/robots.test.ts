import { beforeAll, describe, expect, test } from 'bun:test'
import { PREVIEW_ROBOTS } from '../src/http/preview-robots.ts'
import { newSqliteUrls } from './test-database.ts'
import { sharedTestLinks, startTestLinks } from './testing.ts'

const newUrl = newSqliteUrls()
const L = 'l.example.org'

/** The rules of RFC 9309 section 2.2.2 for one robot: whether it may fetch the path. */
function mayFetch(file: string, robot: string, path: string): boolean {
  const groups = file.split('\n\n').map((text) => {
    const lines = text
      .trim()
      .split('\n')
      .map((line) => line.split(': ') as [string, string])
    const valuesOf = (name: string) => lines.filter(([field]) => field === name).map(([, value]) => value)
    return { agents: valuesOf('User-agent'), allowed: valuesOf('Allow'), disallowed: valuesOf('Disallow') }
  })
  const named = groups.filter(({ agents }) =>
    agents.some((agent) => agent.toLowerCase() === robot.toLowerCase()),
  )
  const own = named.length > 0 ? named : groups.filter(({ agents }) => agents.includes('*'))
  const longest = (rules: string[]) =>
    Math.max(-1, ...rules.filter((rule) => path.startsWith(rule)).map((rule) => rule.length))
  return (
    longest(own.flatMap(({ allowed }) => allowed)) >= longest(own.flatMap(({ disallowed }) => disallowed))
  )
}

/** Names that robots of search engines and archives send. */
const SEARCH_ROBOTS =
  'Googlebot Googlebot-Image Google-Extended bingbot Applebot DuckDuckBot Baiduspider YandexBot GPTBot CCBot ia_archiver AhrefsBot Amazonbot Slurp PetalBot'.split(
    ' ',
  )

/** User agents of robots that read `robots.txt` or the page for a preview, with their tokens. */
const PREVIEWERS: readonly [token: string, userAgent: string][] = [
  ['LinkedInBot', 'LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient +http://www.linkedin.com)'],
  ['Twitterbot', 'Twitterbot/1.0'],
  ['Slackbot', 'Slackbot 1.0 (+https://api.slack.com/robots)'],
  ['Slackbot-LinkExpanding', 'Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)'],
  ['Discordbot', 'Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)'],
  ['facebookexternalhit', 'facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)'],
  ['WhatsApp', 'WhatsApp/2.23.20.0'],
  ['TelegramBot', 'TelegramBot (like TwitterBot)'],
  ['Mastodon', 'Mastodon/4.4.0 (http.rb/5.2.0; +https://mastodon.example/) Bot'],
  ['SkypeUriPreview', 'Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5'],
  ['Google-PageRenderer', 'Google-PageRenderer Google (+https://developers.google.com/+/web/snippet/)'],
  ['Bluesky', 'Mozilla/5.0 (compatible; Bluesky Cardyb/1.1; +mailto:support@bsky.app)'],
]

describe('robots.txt', () => {
  const links = sharedTestLinks(newUrl, { LINKS_BASE_URL: 'https://go.example.com', LINKS_DOMAINS: L })
  const fileOf = async (host = 'go.example.com') => (await links.fetch(`http://${host}/robots.txt`)).text()
  const setRobots = async (host: string, robots: string | null) =>
    (await links.callAdmin('PUT', `/domains/${host}`, { body: { robots } })).body
  beforeAll(async () => {
    const key = await links.key('ann@example.com')
    await links.createLink(key, { url: 'https://example.com/card', slug: 'card' })
  })

  test('L31.5a: robots of previews may fetch short URLs, those of search engines may not', async () => {
    const file = await fileOf()
    for (const robot of PREVIEW_ROBOTS) {
      expect([robot, mayFetch(file, robot, '/card'), mayFetch(file, robot, '/a/b')]).toEqual([
        robot,
        true,
        true,
      ])
      for (const path of ['/_/api/links', '/_/admin', '/_', '/_/stats/secret'])
        expect([robot, path, mayFetch(file, robot, path)]).toEqual([robot, path, false])
    }
    for (const robot of SEARCH_ROBOTS)
      for (const path of ['/card', '/', '/_/admin'])
        expect([robot, path, mayFetch(file, robot, path)]).toEqual([robot, path, false])
  })

  test('L31.5: no name of a preview robot is part of the name of a search engine', () => {
    for (const robot of SEARCH_ROBOTS.map((name) => name.toLowerCase()))
      for (const preview of PREVIEW_ROBOTS) expect(robot).not.toContain(preview.toLowerCase())
    for (const preview of PREVIEW_ROBOTS) expect(preview).toMatch(/^[A-Za-z_-]+$/)
  })

  test('L31.5: a preview robot that obeys robots.txt reaches the destination', async () => {
    for (const [token, userAgent] of PREVIEWERS) {
      const headers = { 'User-Agent': userAgent }
      const file = await (await links.fetch('/robots.txt', { headers })).text()
      expect([token, mayFetch(file, token, '/card')]).toEqual([token, true])
      const answer = await links.fetch('/card', { headers })
      expect([token, answer.status, answer.headers.get('location')]).toEqual([
        token,
        302,
        'https://example.com/card',
      ])
    }
  })

  test('L31.5: each domain admits all robots, previews or none, but none to system paths', async () => {
    expect((await setRobots(L, 'allow')).robots).toBe('allow')
    const all = await fileOf(L)
    for (const robot of [...SEARCH_ROBOTS, 'Twitterbot'])
      expect([mayFetch(all, robot, '/card'), mayFetch(all, robot, '/_/admin')]).toEqual([true, false])
    await setRobots(L, 'disallow')
    const none = await fileOf(L)
    for (const robot of [...SEARCH_ROBOTS, 'Twitterbot']) expect(mayFetch(none, robot, '/card')).toBe(false)
    expect(mayFetch(await fileOf(), 'Twitterbot', '/card')).toBe(true)
    expect((await setRobots(L, null)).robots).toBeNull()
    expect(await fileOf(L)).toBe(await fileOf())
  })

  test('L31.5: LINKS_ROBOTS is the value of domains that set none', async () => {
    const closed = await startTestLinks(await newUrl(), { LINKS_ROBOTS: 'disallow' })
    expect(await (await closed.fetch('/robots.txt')).text()).toBe('User-agent: *\nDisallow: /\n')
    const problem = await startTestLinks(await newUrl(), { LINKS_ROBOTS: 'maybe' }).catch(String)
    expect(problem).toContain('LINKS_ROBOTS must be one of disallow, previews, allow')
  })

  test('L31.5: the specification lists the robots of previews', async () => {
    const text = await Bun.file(
      new URL('../../../docs/specification/links.md', import.meta.url).pathname,
    ).text()
    const rule = /\*\*L31\.5\*\*.*?(?=\n\n## )/s.exec(text)?.[0] ?? ''
    const listed = [...(/kept list: (.*?)\.\n/s.exec(rule)?.[1] ?? '').matchAll(/`([^`]+)`/g)].map(
      ([, name]) => name,
    )
    expect(listed).toEqual([...PREVIEW_ROBOTS])
  })
})
