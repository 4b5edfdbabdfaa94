import * as fc from 'fast-check'
import type { View } from './scan.ts'
import { Range } from '../../src/time/schema.ts'
import { type ClassifiedClick, classifyClick } from '../../src/clicks/click.ts'
import { NOW } from '../test-database.ts'

const HOUR = 3600
const DAY = 24 * HOUR

/**
 * Zones with whole, half and quarter hours, with a half-hour summer time, and beyond the date line.
 */
export const zones = [
  'UTC',
  'Europe/Stockholm',
  'America/New_York',
  'Asia/Kolkata',
  'Asia/Kathmandu',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Pacific/Apia',
  'America/St_Johns',
]

const agents = [
  null,
  'curl/8.0',
  'Googlebot/2.1',
  'Mozilla/5.0 (X11; Linux x86_64) Chrome/140.0.0.0 Safari/537.36',
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Mobile/15E148 Safari/604.1',
  'Mozilla/5.0 (Windows NT 10.0) Gecko/20100101 Firefox/140.0',
]
const referrers = [
  null,
  'https://go.example.com/',
  'https://go.example.com/other',
  'https://www.example.org/a',
  'https://example.org/b',
  'android-app://com.slack/',
  'https://mail.google.com/',
  'nonsense',
]

/** Ages in seconds, clustered in a few hours, at the ends of windows and at clock changes. */
export const ages = fc.oneof(
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.constantFrom(0, 1, 3, 26, 50, 700, 2_000, 9_000, 15_000), fc.integer({ min: 0, max: HOUR }))
      .map(([hours, seconds]) => hours * HOUR + seconds),
  },
  { weight: 1, arbitrary: fc.integer({ min: -2 * HOUR, max: 3 * HOUR }) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 800 * DAY }) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(
        fc.constantFrom(1, 7, 30, 90, 365),
        fc.constantFrom(1, 2),
        fc.constantFrom(-HOUR, -1, 0, 1, HOUR),
      )
      .map(([days, times, offset]) => times * days * DAY + offset),
  },
)

/** A click on one of the slugs, given by the indexes of its link and of the slug. */
const clicks = fc.record({
  age: ages,
  slug: fc.nat(),
  agent: fc.constantFrom(...agents),
  referrer: fc.constantFrom(...referrers),
  country: fc.constantFrom(null, 'SE', 'ID', 'NO'),
  query: fc.constantFrom(
    null,
    '?utm_medium=qr',
    '?utm_source=a&utm_campaign=x',
    '?utm_source=b&utm_medium=email',
  ),
  visitor: fc.constantFrom(null, 'a', 'b', 'c', 'd'),
  variant: fc.constantFrom(null, null, '1', '2.1', '0.2'),
})

export const histories = fc.array(clicks, { maxLength: 120 })
export const batches = fc.array(clicks, { maxLength: 60 })
type GeneratedClick = typeof histories extends fc.Arbitrary<(infer Click)[]> ? Click : never

export interface Slug {
  linkId: number
  slug: string
}

/** The hash of a visitor changes with the UTC day, as in the service. */
export function classifyGenerated(
  { age, slug, agent, visitor, ...rest }: GeneratedClick,
  slugs: readonly Slug[],
): ClassifiedClick {
  const clickedAt = NOW - age
  return classifyClick({
    ...(slugs[slug % slugs.length] as Slug),
    ...rest,
    clickedAt,
    host: 'go.example.com',
    userAgent: agent,
    visitorFp: visitor && `${visitor}${Math.floor(clickedAt / DAY)}`,
  })
}

/** The end of the history or some time before it. */
export const views: fc.Arbitrary<View> = fc.record({
  range: fc.constantFrom(...Range.options),
  now: fc.oneof(fc.constant(NOW), fc.integer({ min: NOW - 500 * DAY, max: NOW + 2 * HOUR })),
  tz: fc.constantFrom(...zones),
  filters: fc.record({ bots: fc.boolean(), selfReferrers: fc.boolean() }),
})
