import { beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { DESKTOP, PHONE } from './actions.ts'
import { newSqliteUrls } from './test-database.ts'
import { sharedTestLinks } from './testing.ts'

/** Another machine: this one gets other pages for slugs that do not redirect (L12.6). */
const STRANGER = '198.51.100.9'
const PASSWORD = 'right'

/**
 * A URL with `redirect_uri`, a signature and repeated names, as sign-in pages and signed links
 * have.
 */
const OWN = 'https://own.example/cb?redirect_uri=https%3A%2F%2Fapp.example%2F&sig=%2b%2F%3D&a=1&a=2#part'
const RULE = 'https://rule.example/r?next=%2Fhome&to='
const PARTS = ['https://one.example/?u=%F0%9F%94%91', 'https://two.example/x#y?z']
const FALLBACK = 'https://fallback.example/f?url=https://kept.example'
const DESTINATIONS = [OWN, RULE, ...PARTS]

describe('whatever a visitor sends', () => {
  const links = sharedTestLinks(newSqliteUrls(), { TRUSTED_PROXIES: '127.0.0.1' })
  const slugs = { all: '', utm: '', locked: '', early: '', limited: '' }
  beforeAll(async () => {
    const key = await links.key('ann@example.com')
    const rules = [
      { when: { query: [{ name: 'ref' }] }, to: RULE },
      { when: { os: ['ios'] }, to: { split: PARTS.map((url) => ({ url, weight: 1 })), sticky: 'visit' } },
    ]
    const behaviours = {
      all: { rules, forward_query: 'all' },
      utm: { rules, forward_query: 'utm' },
      locked: { rules, forward_query: 'all', password: PASSWORD },
      early: { starts_at: links.now + 60, before_url: FALLBACK, forward_query: 'all' },
      limited: { rules, forward_query: 'all', max_clicks: 1_000_000_000, after_url: FALLBACK },
    }
    for (const [name, body] of Object.entries(behaviours)) {
      const slug = `open-${name}`
      const { id } = await links.createLink(key, { slug, url: OWN, allow_duplicate: true })
      expect((await links.call('PUT', `/links/${id}/behaviour`, { key, body })).status).toBe(200)
      slugs[name as keyof typeof slugs] = slug
    }
  })

  const hostile = fc.constantFrom(
    'https://evil.example',
    '//evil.example/%2f..',
    'evil.example',
    '%0d%0aLocation:%20https://evil.example',
    '@evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    '.evil.example/',
  )
  const name = fc.constantFrom('redirect_uri', 'sig', 'a', 'next', 'to', 'url', 'u', 'ref', 'utm_source', '')
  /** Pairs with the names of the destinations, in odd spellings too, and pure noise. */
  const query = fc.array(
    fc.oneof(
      fc.tuple(name, hostile).map(([key, value]) => `${key}=${value}`),
      fc
        .tuple(name, hostile)
        .map(([key, value]) => `%${key.charCodeAt(0).toString(16)}${key.slice(1)}=${value}`),
      fc.string({ unit: fc.constantFrom(...'?#&=/@:;\\%a1. å'.split('')), maxLength: 20 }),
    ),
    { maxLength: 5 },
  )
  const header = fc.constantFrom('evil.example', 'evil.example:443', 'own.example@evil.example', 'a b', '')
  const headers = fc.record(
    {
      Host: header,
      'X-Forwarded-Host': header,
      'X-Forwarded-Proto': fc.constantFrom('javascript', 'http', 'https'),
      Forwarded: fc.constant('host=evil.example;proto=https'),
      'X-Original-URL': hostile,
      Referer: hostile,
      'Accept-Language': hostile,
      Cookie: hostile,
      'User-Agent': fc.constantFrom(DESKTOP, PHONE),
    },
    { requiredKeys: ['User-Agent'] },
  )

  /** Follows a short URL, or posts a form to it, and returns where it leads. */
  async function follow(path: string, init: RequestInit): Promise<string> {
    const response = await links.fetch(path, init, STRANGER)
    const location = response.headers.get('location')
    expect([path, response.status]).toEqual([path, init.method === 'POST' ? 303 : 302])
    return location ?? ''
  }

  const spell = fc.constantFrom(
    (slug: string) => slug,
    (slug: string) => slug.toUpperCase(),
    (slug: string) => `%${slug.charCodeAt(0).toString(16)}${slug.slice(1)}`,
  )
  const seen = new Set<string>()

  /** Follows a link with random input, often, and compares each location with its destinations. */
  const expectOwnDestinations = (which: keyof typeof slugs, numRuns: number) =>
    fc.assert(
      fc.asyncProperty(spell, query, headers, hostile, async (spelled, pairs, sent, evil) => {
        const path = `/${spelled(slugs[which])}?${pairs.join('&')}`
        const form = new URLSearchParams({ password: PASSWORD, redirect_uri: evil, url: evil, next: evil })
        const isLocked = which === 'locked'
        const location = await follow(path, {
          headers: sent,
          ...(isLocked && { method: 'POST', body: form }),
        })
        const [head = '', fragment] = location.split('#')
        const destination = DESTINATIONS.find((each) => head.startsWith(each.split('#')[0] ?? ''))
        if (destination === undefined) throw new Error(`${path} leads to ${location}`)
        seen.add(destination)
        const [target, reached] = [new URL(destination), new URL(location)]
        expect(reached.origin + reached.pathname).toBe(target.origin + target.pathname)
        expect(fragment).toBe(destination.split('#')[1] as string)
        for (const key of target.searchParams.keys())
          expect([path, key, reached.searchParams.getAll(key)]).toEqual([
            path,
            key,
            target.searchParams.getAll(key),
          ])
        if (which === 'utm')
          for (const key of reached.searchParams.keys())
            expect(target.searchParams.has(key) || key.startsWith('utm_')).toBe(true)
      }),
      { numRuns },
    )

  test('L26.2: no input changes the host of a destination, or touches a name that it has', async () => {
    for (const which of ['all', 'utm', 'limited'] as const) await expectOwnDestinations(which, 700)
    // Each password takes some 30 ms.
    await expectOwnDestinations('locked', 20)
    expect(seen).toEqual(new Set(DESTINATIONS))
  })

  test('L26.2: a fallback is reached exactly as it is stored', async () => {
    await fc.assert(
      fc.asyncProperty(query, headers, async (pairs, sent) => {
        expect(await follow(`/${slugs.early}?${pairs.join('&')}`, { headers: sent })).toBe(FALLBACK)
      }),
      { numRuns: 300 },
    )
  })
})
