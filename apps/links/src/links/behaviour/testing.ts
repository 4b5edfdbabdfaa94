// Random documents and visits, from few values, so that conditions often hold.
import * as fc from 'fast-check'
import { DESKTOP, PHONE } from '../../../test/actions.ts'
import type { Visit } from './conditions.ts'

export const NOW = 1_795_000_000
const WEEK = 7 * 86_400
const TIME = fc
  .tuple(fc.nat(23), fc.nat(59))
  .map((parts) => parts.map((n) => `${n}`.padStart(2, '0')).join(':'))
export const URLS = [
  'https://a.example',
  'https://b.example/x?utm_source=own&b=1',
  'https://c.example/?redirect_uri=%2F&b=1&b=2#f',
  'https://d.example/of/{2}/{path}?q={1}#{path}',
]
const url = fc.constantFrom(...URLS)
export const moments = fc.integer({ min: NOW - WEEK, max: NOW + WEEK })
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
  after: moments,
  before: moments,
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
const sticky = fc.constantFrom('day', 'visit')
const rule = fc.record({
  when,
  to: fc.oneof(url, fc.record({ split: parts, sticky }, { requiredKeys: ['split'] })),
})
export const behaviours = fc
  .record(
    {
      rules: fc.array(rule, { minLength: 1, maxLength: 4 }),
      split: parts,
      sticky,
      starts_at: moments,
      before_url: url,
      after_url: url,
      forward_query: fc.constantFrom('none', 'utm', 'all'),
      parameters: fc.constant(true as const),
    },
    { requiredKeys: [] },
  )
  .map(({ sticky: chosen, before_url, ...rest }) => ({
    ...rest,
    ...(rest.split && chosen && { sticky: chosen }),
    ...(rest.starts_at !== undefined && before_url && { before_url }),
  }))
export const nullable = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: null })
/** The facts of a visit, which its request states or the service knows. */
export const visitFacts = fc.record({
  now: moments,
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
  parameters: fc.constantFrom([], ['123'], ['a b', 'å/?#', '{1}']),
  country: nullable(fc.constantFrom('SE', 'DE', 'US')),
  visitorFp: nullable(fc.string({ minLength: 8, maxLength: 8 })),
  random: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
})

export const visits = visitFacts.map(({ country, visitorFp, random, ...rest }): Visit => ({
  ...rest,
  country: () => country,
  visitorFp: () => visitorFp,
  random: () => random,
}))
