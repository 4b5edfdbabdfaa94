import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { referrerHost } from '../../clicks/referrer.ts'
import { classifyUserAgent } from '../../clicks/user-agent.ts'
import { compile } from './compile.ts'
import type { Visit } from './conditions.ts'
import { findClosedReason, chooseLocation } from './evaluate.ts'
import { parseProgram } from './program.ts'
import { NewBehaviour } from './schema.ts'
import { NOW, URLS, behaviours, moments, nullable, visits } from './testing.ts'

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
  const target = document.parameters ? withParameters(url, visit.parameters) : new URL(url).href
  return { outcome: 'open', location: withQuery(target, document.forward_query, visit), variant }
}

function chooseUrl(document: NewBehaviour, visit: Visit): { url: string; variant: string | null } {
  let number = 0
  for (const rule of document.rules ?? []) {
    number++
    if (!allHold(rule.when, visit)) continue
    if (typeof rule.to === 'string') return { url: rule.to, variant: `${number}` }
    return chooseFromParts(rule.to.split, rule.to.sticky ?? 'day', { visit, number })
  }
  if (document.split) return chooseFromParts(document.split, document.sticky ?? 'day', { visit, number: 0 })
  return { url: OWN_URL, variant: null }
}

function chooseFromParts(
  parts: Parts,
  sticky: 'day' | 'visit',
  { visit, number }: { visit: Visit; number: number },
) {
  const tickets = parts.flatMap(({ weight }, index) => Array<number>(weight).fill(index))
  const visitor = sticky === 'day' ? visit.visitorFp() : null
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

/** Fills the URL as it is written, before it is normalised. */
function withParameters(url: string, parameters: readonly string[]): string {
  const [beforeQuery = '', ...rest] = url.split('?')
  const [first = '', second = ''] = parameters.map((each) => encodeURIComponent(each))
  const fill = (text: string, path: string) =>
    text.split('{path}').join(path).split('{1}').join(first).split('{2}').join(second)
  const path = parameters.map((each) => encodeURIComponent(each)).join('/')
  const target = [
    fill(beforeQuery, path),
    ...rest.map((each) => fill(each, encodeURIComponent(parameters.join('/')))),
  ]
  return new URL(target.join('?')).href
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

test('L26.9, L26.1: the compiled behaviour leads every visit where the document says', () => {
  const seen = new Set<string>()
  fc.assert(
    fc.property(behaviours, nullable(moments), visits, (input, expiresAt, visit) => {
      const document = NewBehaviour.parse(input)
      const text = compile(document, false)
      const program = text === null ? null : parseProgram(text)
      const destination = { linkId: LINK_ID, location: new URL(OWN_URL).href, expiresAt, program }
      const closed = findClosedReason(destination, visit.now)
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

test('L26.10: by day, a visitor stays with a part, and visitors are spread by weight', () => {
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
        parameters: [],
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
