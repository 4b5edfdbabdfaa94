import { describe, expect, test } from 'bun:test'
import { parseTrusted } from '@latchkey/http/client-address'
import fc from 'fast-check'
import { DESKTOP } from '../../test/actions.ts'
import { type JournalledClick, classifyClick } from '../clicks/click.ts'
import type { Journal } from '../counting/journal.ts'
import { compile } from '../links/behaviour/compile.ts'
import type { Destination } from '../links/behaviour/evaluate.ts'
import { parseProgram } from '../links/behaviour/program.ts'
import { NewBehaviour } from '../links/behaviour/schema.ts'
import { NOW, behaviours, moments, nullable, visitFacts } from '../links/behaviour/testing.ts'
import { DEFAULT_SITE } from '../domains/testing.ts'
import { ClickLimits } from '../redirect/click-limits.ts'
import { NotFoundUrl } from '../redirect/not-found-url.ts'
import { PasswordCheck } from '../redirect/password-check.ts'
import { Redirect } from '../redirect/redirect.ts'
import { type ExplainedLink, explainVisit } from './explain.ts'

const OWN_URL = 'https://own.example/path?kept=1#part'
const TITLE_AGENT = 'Latchkey title fetch'
const CLICKS: readonly string[] = ['human', 'bot', 'self']

interface Conditions {
  clicksLeft: number | undefined
  hasPassword: boolean
  isDisabled: boolean
  asksToConfirm: boolean
  notFoundUrl: string | null
  status: number
}

interface RequestFacts {
  now: number
  random: number
  visitorFp: string | null
  country: string | null
}

function destinationOf(input: object, expiresAt: number | null, hasPassword = false): Destination {
  const text = compile(NewBehaviour.parse(input), hasPassword)
  const program = text === null ? null : parseProgram(text)
  return { linkId: 7, location: new URL(OWN_URL).href, expiresAt, program }
}

function linkOf(destination: Destination, conditions: Partial<Conditions> = {}): ExplainedLink {
  const { clicksLeft, isDisabled = false, notFoundUrl = null, status = 302 } = conditions
  const disabledAt = isDisabled ? NOW : null
  return {
    slug: 'slug',
    key: 'slug',
    site: { ...DEFAULT_SITE, status },
    slugDisabledAt: disabledAt,
    disabledAt: null,
    clicksLeft,
    destination,
    version: 1,
    notFoundUrl,
  }
}

function visitOptions({ country, visitorFp, random }: RequestFacts) {
  return {
    publicHost: null,
    titleUserAgent: TITLE_AGENT,
    proxies: { header: null, trusted: parseTrusted([]) },
    countryHeader: null,
    countryOf: () => country,
    visitorOf: () => visitorFp,
    peerOf: () => '192.0.2.1',
    isLean: false,
    honorsGpc: true,
    random: () => random,
  }
}

/** Sends the request to a redirect of its own, and returns its answer and its click. */
async function redirectOf(
  destination: Destination,
  { clicksLeft, isDisabled, notFoundUrl, status }: Conditions,
  { request, facts, query }: { request: Request; facts: RequestFacts; query: string | null },
) {
  const clicks: JournalledClick[] = []
  const redirect = new Redirect({
    ...visitOptions(facts),
    lookup: { find: () => (isDisabled ? undefined : destination), close: async () => undefined },
    journal: { append: async (click: JournalledClick) => clicks.push(click) > 0 } as unknown as Journal,
    limits: new ClickLimits({
      reserve: async (_, wanted) => Math.min(wanted, clicksLeft ?? wanted),
      hasVisitsLeft: async () => clicksLeft !== 0,
      release: async () => undefined,
    }),
    passwords: new PasswordCheck(
      { findHash: async () => undefined, isRight: async () => true },
      () => facts.now * 1000,
    ),
    notFoundUrl: new NotFoundUrl(async () => notFoundUrl),
    ownerPage: async () => undefined,
    now: () => facts.now * 1000,
    onLookupError: (error) => {
      throw error
    },
  })
  const response = await redirect.answer({
    request,
    path: 'slug',
    query,
    server: { requestIP: () => null },
    site: { ...DEFAULT_SITE, status },
  })
  const [click] = clicks.map(classifyClick)
  const counted: string | undefined = click && (click.isBot ? 'bot' : click.isSelfReferrer ? 'self' : 'human')
  return {
    status: response.status,
    location: response.headers.get('location'),
    variant: click?.variant,
    counted,
  }
}

const requests = visitFacts.chain((facts) =>
  fc.record({
    facts: fc.constant(facts),
    method: fc.constantFrom('GET', 'GET', 'GET', 'HEAD', 'POST'),
    headers: fc.constantFrom<Record<string, string>>(
      {},
      {},
      { 'sec-purpose': 'prefetch' },
      { 'user-agent': TITLE_AGENT },
      { referer: 'http://short.example/other' },
      { referer: 'http://short.example/other', 'sec-gpc': '1' },
      { 'user-agent': `${'x'.repeat(1000)} bot` },
    ),
  }),
)
const conditionsOfLinks = fc.record<Conditions>({
  clicksLeft: fc.constantFrom(undefined, undefined, 0, 1),
  hasPassword: fc.constantFrom(false, false, false, true),
  isDisabled: fc.constantFrom(false, false, false, false, true),
  asksToConfirm: fc.boolean(),
  notFoundUrl: nullable(fc.constant('https://lost.example/')),
  status: fc.constantFrom(301, 302, 307, 308),
})

test('L27.1: 3,000 random requests are explained as they are answered and counted', async () => {
  const seen = new Set<string>()
  await fc.assert(
    fc.asyncProperty(
      behaviours,
      nullable(moments),
      conditionsOfLinks,
      requests,
      async (input, expiresAt, conditions, { facts, method, headers }) => {
        const { hasPassword, clicksLeft } = conditions
        const limit =
          clicksLeft === undefined
            ? {}
            : { max_clicks: 5, ...(conditions.asksToConfirm && { confirm_visit: true }) }
        const destination = destinationOf({ ...input, ...limit }, expiresAt, hasPassword)
        const query = facts.query ?? ''
        const url = `http://short.example/slug${query}`
        const own: Record<string, string | null> = {
          'user-agent': facts.userAgent,
          'accept-language': facts.acceptLanguage,
          referer: facts.referrer,
          host: 'short.example',
          ...headers,
        }
        const sent = new Headers(
          Object.entries(own).filter((entry): entry is [string, string] => entry[1] !== null),
        )
        const body = method === 'POST' ? new URLSearchParams({ password: 'right' }) : null
        const request = new Request(url, { method, headers: sent, ...(body && { body }) })
        const actual = await redirectOf(destination, conditions, { request, facts, query: facts.query })
        const explanation = explainVisit(
          linkOf(destination, conditions),
          {
            request: new Request('http://short.example/_/api', { headers: sent }),
            peer: '192.0.2.1',
            options: visitOptions(facts),
          },
          {
            query: { method, ...(facts.query !== null && { query }), at: facts.now },
            now: facts.now,
          },
        )
        const { status, location, variant, counted } = explanation
        const isClick = CLICKS.includes(counted.as)
        seen.add(counted.as)
        expect({
          status,
          location,
          variant: isClick ? variant : undefined,
          counted: isClick ? counted.as : undefined,
        } as typeof actual).toEqual(actual)
      },
    ),
    { numRuns: 3_000 },
  )
  expect([...seen].toSorted()).toEqual(
    [
      ...CLICKS,
      'head',
      'prefetch',
      'own_check',
      'confirm',
      'preview',
      'locked',
      'early',
      'expired',
      'used_up',
    ]
      .concat(['disabled', 'method'])
      .toSorted(),
  )
})

describe('changes_at', () => {
  const facts = { now: NOW, random: 0, visitorFp: null, country: 'SE' }
  const changesOf = (input: object, expiresAt: number | null, at: number) =>
    explainVisit(
      linkOf(destinationOf(input, expiresAt)),
      {
        request: new Request('http://short.example/', { headers: { 'User-Agent': DESKTOP } }),
        peer: '192.0.2.1',
        options: visitOptions(facts),
      },
      { query: { at }, now: NOW },
    ).changes_at
  const to = 'https://example.com/to'

  test('L27.4: are the moments at which a link starts, a rule begins and ends, and the link expires', () => {
    const when = { after: NOW + 100, before: NOW + 200 }
    const input = { starts_at: NOW + 50, rules: [{ when, to }] }
    expect(changesOf(input, NOW + 300, NOW)).toEqual([NOW + 50, NOW + 100, NOW + 200, NOW + 300])
    expect(changesOf(input, NOW + 300, NOW + 100)).toEqual([NOW + 200, NOW + 300])
    expect(changesOf(input, NOW + 300, NOW + 300)).toEqual([])
  })

  test('L27.4: are none at which the answer stays the same', () => {
    const input = { rules: [{ when: { after: NOW + 100, country: ['DE'] }, to }] }
    expect(changesOf(input, null, NOW)).toEqual([])
    expect(changesOf({ starts_at: NOW + 50 }, NOW + 20, NOW)).toEqual([NOW + 50])
  })

  test('L27.4: are at most ten, of hours that recur, exact where the clocks change', () => {
    const hours = { from: '02:30', to: '04:00', tz: 'Europe/Stockholm' }
    const at = (text: string) => Temporal.Instant.from(text).epochMilliseconds / 1000
    const changes = changesOf({ rules: [{ when: { hours }, to }] }, null, at('2027-03-27T12:00:00Z'))
    // On 28 March, 02:00 is followed by 03:00.
    expect(changes.slice(0, 3)).toEqual(
      ['2027-03-28T01:00:00Z', '2027-03-28T02:00:00Z', '2027-03-29T00:30:00Z'].map(at),
    )
    expect(changes).toHaveLength(10)
    const autumn = changesOf({ rules: [{ when: { hours }, to }] }, null, at('2027-10-30T12:00:00Z'))
    // On 31 October, 02:30 comes twice.
    expect(autumn.slice(0, 4)).toEqual(
      ['2027-10-31T00:30:00Z', '2027-10-31T01:00:00Z', '2027-10-31T01:30:00Z', '2027-10-31T03:00:00Z'].map(
        at,
      ),
    )
  })

  test('L27.4: are every minute at which a random behaviour leads elsewhere, until the last of them', () => {
    fc.assert(
      fc.property(behaviours, nullable(moments), moments, (input, expiresAt, from) => {
        const start = from - (from % 60)
        const changes = changesOf(input, expiresAt, start)
        const end = changes.length === 10 ? (changes[9] ?? 0) : start + 2 * 86_400
        const answerAt = (at: number) => {
          const { status, location } = explainVisit(
            linkOf(destinationOf(input, expiresAt)),
            {
              request: new Request('http://short.example/', { headers: { 'User-Agent': DESKTOP } }),
              peer: '192.0.2.1',
              options: visitOptions(facts),
            },
            { query: { at }, now: NOW },
          )
          return `${status} ${location}`
        }
        for (const step of [60, 3600, 7200, 43_200, 86_400])
          if (start + step < end && !changes.some((at) => at > start && at <= start + step))
            expect(answerAt(start + step)).toBe(answerAt(start))
      }),
      { numRuns: 200 },
    )
  })
})
