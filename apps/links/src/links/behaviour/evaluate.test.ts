import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { referrerHost } from '../../clicks/referrer.ts'
import { classifyUserAgent } from '../../clicks/user-agent.ts'
import { DESKTOP, PHONE } from '../../../test/actions.ts'
import { compile } from './compile.ts'
import type { Visit } from './conditions.ts'
import { findClosed, chooseLocation } from './evaluate.ts'
import { parseProgram } from './program.ts'
import { NewBehaviour } from './schema.ts'

type Rule = NonNullable<NewBehaviour['rules']>[number]
type When = Rule['when']
type Parts = NonNullable<NewBehaviour['split']>

const OWN_URL = 'https://own.example/path?kept=1#part'
const LINK_ID = 7

// A second evaluator, which interprets the document itself, step by step.

interface Expected {
  outcome: 'early' | 'expired' | 'open'
  location: string | null
  variant: string | null
}

function interpret(document: NewBehaviour, expiresAt: number | null, visit: Visit): Expected {
  const closed = (outcome: 'early' | 'expired', url: string | undefined): Expected => ({
    outcome,
    location: url === undefined ? null : new URL(url).href,
    variant: null,
  })
  if (document.starts_at !== undefined && visit.now < document.starts_at)
    return closed('early', document.before_url)
  if (expiresAt !== null && visit.now >= expiresAt) return closed('expired', document.after_url)
  const { url, variant } = chooseUrl(document, visit)
  return { outcome: 'open', location: withQuery(new URL(url).href, document.forward_query, visit), variant }
}

function chooseUrl(document: NewBehaviour, visit: Visit): { url: string; variant: string | null } {
  let number = 0
  for (const rule of document.rules ?? []) {
    number++
    if (!allHold(rule.when, visit)) continue
    if (typeof rule.to === 'string') return { url: rule.to, variant: `${number}` }
    return chooseFromParts(rule.to.split, rule.to.stick ?? 'day', { visit, number })
  }
  if (document.split) return chooseFromParts(document.split, document.stick ?? 'day', { visit, number: 0 })
  return { url: OWN_URL, variant: null }
}

function chooseFromParts(
  parts: Parts,
  stick: 'day' | 'visit',
  { visit, number }: { visit: Visit; number: number },
) {
  const tickets = parts.flatMap(({ weight }, index) => Array<number>(weight).fill(index))
  const visitor = stick === 'day' ? visit.visitorFp() : null
  const draw =
    visitor === null
      ? Math.floor(visit.random() * tickets.length)
      : Number(Bun.hash.xxHash64(`${LINK_ID} ${visitor}`) % BigInt(tickets.length))
  const index = tickets[draw] ?? -1
  return { url: parts[index]?.url ?? '', variant: `${number}.${index + 1}` }
}

function allHold(when: When, visit: Visit): boolean {
  for (const [field, value] of Object.entries(when)) {
    if (value === undefined) continue
    const isTwin = field.startsWith('not_')
    const result = holds(field.replace(/^not_/, ''), value, visit)
    if (isTwin ? result : !result) return false
  }
  return true
}

function holds(field: string, value: unknown, visit: Visit): boolean {
  const client = classifyUserAgent(visit.userAgent)
  const list = value as (string | null)[]
  if (field === 'device') return list.includes(client.deviceType ?? '?')
  if (field === 'os') return list.includes(client.os ?? '?')
  if (field === 'browser') return list.includes(client.browser ?? '?')
  if (field === 'country') return list.includes(visit.country() ?? '?')
  if (field === 'referrer_host') return list.includes(referrerHost(visit.referrer) ?? '?')
  if (field === 'after') return visit.now >= (value as number)
  if (field === 'before') return !(visit.now >= (value as number))
  if (field === 'language') return holdsLanguage(value as string[], visit.acceptLanguage)
  if (field === 'query') return holdsQuery(value as { name: string; is?: string }[], visit.query)
  if (field === 'hours') return holdsHours(value as NonNullable<When['hours']>, visit.now)
  throw new Error(`No condition is called ${field}`)
}

function holdsLanguage(prefixes: string[], header: string | null): boolean {
  const entries = (header ?? '')
    .split(',')
    .map((entry) => {
      const [tag, quality] = entry.trim().toLowerCase().split(';q=')
      return { tag: tag ?? '', quality: quality === undefined ? 1 : Number(quality) }
    })
    .filter(({ tag, quality }) => tag !== '' && tag !== '*' && quality > 0)
  const [best] = entries.toSorted((a, b) => b.quality - a.quality)
  return best !== undefined && prefixes.some((prefix) => `${best.tag}-`.startsWith(`${prefix}-`))
}

function holdsQuery(parameters: { name: string; is?: string }[], query: string | null): boolean {
  const pairs = (query ?? '?').slice(1).split('&').filter(Boolean)
  return pairs.some((pair) => {
    const [name = '', ...rest] = pair.split('=')
    const decoded = decodeURIComponent(name)
    const text = decodeURIComponent(rest.join('='))
    return parameters.some((wanted) => wanted.name === decoded && (wanted.is ?? text) === text)
  })
}

const DAYS = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun']

function holdsHours({ days, from, to, tz }: NonNullable<When['hours']>, now: number): boolean {
  const format = new Intl.DateTimeFormat('en', {
    timeZone: tz,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  const at = Object.fromEntries(format.formatToParts(now * 1000).map(({ type, value }) => [type, value]))
  const time = `${at['hour']}:${at['minute']}`
  const today = DAYS.indexOf(at['weekday'] ?? '') + 1
  const yesterday = today === 1 ? 7 : today - 1
  const isDay = (day: number) => days === undefined || days.includes(day)
  if (from < to) return time >= from && time < to && isDay(today)
  if (time >= from && isDay(today)) return true
  return time < to && isDay(yesterday)
}

function withQuery(url: string, mode: 'none' | 'utm' | 'all' | undefined, visit: Visit): string {
  if (mode === undefined || mode === 'none' || visit.query === null) return url
  const names = [...new URL(url).searchParams.keys()]
  const pairs = visit.query
    .slice(1)
    .split('&')
    .filter((pair) => {
      const name = decodeURIComponent(pair.split('=')[0] ?? '')
      return pair !== '' && !names.includes(name) && (mode === 'all' || name.startsWith('utm_'))
    })
  if (pairs.length === 0 || pairs.join('&').length > 4096) return url
  const [before = '', fragment] = url.split('#')
  return (
    before +
    (before.includes('?') ? '&' : '?') +
    pairs.join('&') +
    (fragment === undefined ? '' : `#${fragment}`)
  )
}

// Random documents and visits, from few values, so that conditions often hold.

const NOW = 1_795_000_000
const WEEK = 7 * 86_400
const TIME = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((n) => `${n}`.padStart(2, '0')).join(':'))
const URLS = [
  'https://a.example',
  'https://b.example/x?utm_source=own&b=1',
  'https://c.example/?redirect_uri=%2F&b=1&b=2#f',
]
const url = fc.constantFrom(...URLS)
const moment = fc.integer({ min: NOW - WEEK, max: NOW + WEEK })
const some = <T>(...values: T[]) => fc.uniqueArray(fc.constantFrom(...values), { minLength: 1, maxLength: 3 })
const hours = fc.record(
  {
    days: fc.uniqueArray(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 7 }),
    from: TIME,
    to: TIME,
    tz: fc.constantFrom('UTC', 'Europe/Stockholm', 'Asia/Jakarta', 'America/St_Johns', 'Pacific/Apia'),
  },
  { requiredKeys: ['from', 'to', 'tz'] },
)
const parameters = some<object>(
  { name: 'a' },
  { name: 'b', is: '1' },
  { name: 'å', is: '' },
  { name: 'utm_source' },
)
const values = {
  device: some('mobile', 'tablet', 'desktop'),
  os: some('ios', 'windows', 'other'),
  browser: some('Safari', 'Chrome', 'Other'),
  country: some('SE', 'DE'),
  language: some('sv', 'pt', 'pt-br'),
  referrer_host: some('example.org', 'linkedin.com'),
  query: parameters,
  after: moment,
  before: moment,
  hours,
}
const twins = Object.fromEntries(Object.entries(values).map(([name, value]) => [`not_${name}`, value]))
const when = fc
  .record<Record<string, unknown>>({ ...values, ...twins }, { requiredKeys: [] })
  .map((all) => Object.fromEntries(Object.entries(all).slice(0, 3)))
  .filter((conditions) => Object.keys(conditions).length > 0)
const parts = fc.array(fc.record({ url, weight: fc.integer({ min: 1, max: 1000 }) }), {
  minLength: 2,
  maxLength: 4,
})
const stick = fc.constantFrom('day', 'visit')
const rule = fc.record({
  when,
  to: fc.oneof(url, fc.record({ split: parts, stick }, { requiredKeys: ['split'] })),
})
const behaviour = fc
  .record(
    {
      rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
      split: parts,
      stick,
      starts_at: moment,
      before_url: url,
      after_url: url,
      forward_query: fc.constantFrom('none', 'utm', 'all'),
    },
    { requiredKeys: [] },
  )
  .map(({ stick: chosen, before_url, ...rest }) => ({
    ...rest,
    ...(rest.split && chosen && { stick: chosen }),
    ...(rest.starts_at !== undefined && before_url && { before_url }),
  }))
const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
const visits = fc
  .record({
    now: moment,
    userAgent: nullable(fc.constantFrom(DESKTOP, PHONE, '', 'curl/8')),
    acceptLanguage: nullable(
      fc.constantFrom(
        'sv',
        'pt-BR,pt;q=0.9',
        'de;q=0.5,SV-se;q=0.8',
        '*',
        'sv;q=0,de;q=0.1',
        'pt;q=0.7,sv;q=0.7',
      ),
    ),
    referrer: nullable(
      fc.constantFrom('https://www.example.org/a', 'android-app://com.linkedin.android', 'nonsense'),
    ),
    query: nullable(
      fc.constantFrom(
        '?',
        '?a=1',
        '?b=1&utm_source=x&utm_term=y',
        '?%C3%A5=&a',
        '?b=2&b=1&c=%26',
        `?a=${'x'.repeat(4100)}`,
      ),
    ),
    country: nullable(fc.constantFrom('SE', 'DE', 'US')),
    visitorFp: nullable(fc.string({ minLength: 8, maxLength: 8 })),
    random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  })
  .map(({ country, visitorFp, random, ...rest }): Visit => ({
    ...rest,
    country: () => country,
    visitorFp: () => visitorFp,
    random: () => random,
  }))

test('L26.1: the compiled behaviour leads every visit where the document says', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(behaviour, nullable(moment), visits, (input, expiresAt, visit) => {
      const document = NewBehaviour.parse(input)
      const text = compile(document, false)
      const program = text === null ? null : parseProgram(text)
      const destination = { linkId: LINK_ID, location: new URL(OWN_URL).href, expiresAt, program }
      const closed = findClosed(destination, visit.now)
      const target = closed ? undefined : chooseLocation(destination, visit)
      const actual = {
        outcome: closed?.outcome ?? 'open',
        location: closed ? closed.fallback : (target?.location ?? null),
        variant: target?.variant ?? null,
      }
      seen.add(`${actual.outcome} ${actual.variant ?? 'none'}`)
      expect(actual as Expected).toEqual(interpret(document, expiresAt, visit))
    }),
    { numRuns: 10_000 },
  )
  for (const each of ['early none', 'expired none', 'open none', 'open 1', 'open 2.1', 'open 0.2'])
    expect(seen).toContain(each)
})

test('L26: by day, a visitor stays with a part, and visitors are spread by weight', () => {
  const split = [
    { url: URLS[0] ?? '', weight: 3 },
    { url: URLS[1] ?? '', weight: 1 },
  ]
  const program = parseProgram(compile({ split }, false) ?? '')
  const variantOf = (visitor: string | null, random: number) =>
    chooseLocation(
      { linkId: LINK_ID, location: OWN_URL, expiresAt: null, program },
      {
        now: NOW,
        userAgent: null,
        acceptLanguage: null,
        referrer: null,
        query: null,
        country: () => null,
        visitorFp: () => visitor,
        random: () => random,
      },
    ).variant
  const variants = Array.from({ length: 4000 }, (_, index) => variantOf(`visitor ${index}`, Math.random()))
  for (const [index, variant] of variants.slice(0, 100).entries())
    expect(variantOf(`visitor ${index}`, Math.random())).toBe(variant)
  const first = variants.filter((variant) => variant === '0.1').length
  expect(first).toBeGreaterThan(2850)
  expect(first).toBeLessThan(3150)
  expect([variantOf(null, 0.74), variantOf(null, 0.76)]).toEqual(['0.1', '0.2'])
})
