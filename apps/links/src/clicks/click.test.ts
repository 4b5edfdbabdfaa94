import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { classifyClick, type JournalledClick } from './click.ts'

const FIREFOX = 'Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:125.0) Gecko/20100101 Firefox/125.0'

const CLICK: JournalledClick = {
  slug: 'spring',
  linkId: 7,
  clickedAt: 1_768_478_400,
  host: 'lk.example',
  query: null,
  referrer: null,
  userAgent: FIREFOX,
  country: 'SE',
  visitorFp: 'f'.repeat(43),
}

test('a click from a search page has every property', () => {
  const query = '?utm_term=Shoes&utm_content=B'
  expect(classifyClick({ ...CLICK, query, referrer: 'https://www.Google.se/search?q=a' })).toEqual({
    linkId: 7,
    slug: 'spring',
    clickedAt: 1_768_478_400,
    referrer: 'https://www.Google.se/search?q=a',
    referrerHost: 'google.se',
    country: 'SE',
    deviceType: 'desktop',
    os: 'windows',
    browser: 'Firefox',
    linkMode: 'link',
    channel: 'search',
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: 'shoes',
    utmContent: 'b',
    userAgent: FIREFOX,
    isBot: 0,
    isSelfReferrer: 0,
    visitorFp: 'f'.repeat(43),
    variant: null,
    legacyPath: null,
  })
})

test('a click without headers and query is a direct one by a bot', () => {
  const bare = { ...CLICK, host: null, userAgent: null, country: null, visitorFp: null }
  expect(classifyClick(bare)).toEqual({
    linkId: 7,
    slug: 'spring',
    clickedAt: 1_768_478_400,
    referrer: null,
    referrerHost: null,
    country: null,
    deviceType: null,
    os: null,
    browser: null,
    linkMode: 'link',
    channel: 'direct',
    utmSource: null,
    utmMedium: null,
    utmCampaign: null,
    utmTerm: null,
    utmContent: null,
    userAgent: null,
    isBot: 1,
    isSelfReferrer: 0,
    visitorFp: null,
    variant: null,
    legacyPath: null,
  })
})

test('a scanned code counts as qr and keeps its campaign', () => {
  const query = '?utm_source=Poster&utm_medium=QR&utm_campaign=Fair'
  expect(classifyClick({ ...CLICK, query })).toMatchObject({
    linkMode: 'qr',
    channel: 'qr',
    utmSource: 'poster',
    utmMedium: 'qr',
    utmCampaign: 'fair',
  })
})

test('L13.3a a click from our own start page is a self-referrer, one from an admin page is not, and both are direct', () => {
  const front = classifyClick({ ...CLICK, referrer: 'https://lk.example/' })
  expect(front).toMatchObject({ isSelfReferrer: 1, channel: 'direct', referrerHost: 'lk.example' })
  const admin = classifyClick({ ...CLICK, referrer: 'https://lk.example/_/admin/links/7' })
  expect(admin).toMatchObject({ isSelfReferrer: 0, channel: 'direct' })
})

test('a listed app has its host, and an unlisted one is a referral without host', () => {
  const knownApp = classifyClick({ ...CLICK, referrer: 'android-app://com.linkedin.android/' })
  expect(knownApp).toMatchObject({ referrerHost: 'linkedin.com', channel: 'social' })
  const unknown = classifyClick({ ...CLICK, referrer: 'android-app://com.example/' })
  expect(unknown).toMatchObject({ referrerHost: null, channel: 'referral', isSelfReferrer: 0 })
})

test('L13.1 a long user agent keeps its first 1000 characters and a long referrer its first 2048', () => {
  const long = classifyClick({
    ...CLICK,
    userAgent: FIREFOX + '😀'.repeat(2000),
    referrer: 'https://example.com/' + 'é'.repeat(5000),
  })
  expect(Array.from(long.userAgent ?? '')).toHaveLength(1000)
  expect(Array.from(long.referrer ?? '')).toHaveLength(2048)
  expect(long).toMatchObject({ browser: 'Firefox', referrerHost: 'example.com' })
  const exact = { userAgent: 'a'.repeat(1000), referrer: 'https://example.com/'.padEnd(2048, 'a') }
  expect(classifyClick({ ...CLICK, ...exact })).toMatchObject(exact)
})

test('an empty or blank header is stored as absent', () => {
  for (const blank of ['', ' ', '\t', '\0']) {
    expect(classifyClick({ ...CLICK, userAgent: blank, referrer: blank })).toMatchObject({
      userAgent: null,
      referrer: null,
      isBot: 1,
      os: null,
      channel: 'direct',
    })
  }
})

test('hostile text is stored unchanged, except for characters that no database accepts', () => {
  const userAgent = `<script>alert(1)</script> ' OR 1=1 -- ${FIREFOX}`
  expect(classifyClick({ ...CLICK, userAgent }).userAgent).toBe(userAgent)
  expect(classifyClick({ ...CLICK, userAgent: `a\0b\ud83d` }).userAgent).toBe('ab\ufffd')
})

test('no input throws, every text is storable, and a stored click classifies to itself', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
  const broken = fc.array(unit).map((units) => units.join(''))
  const text = fc.option(fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' }), broken))
  fc.assert(
    fc.property(text, text, text, text, (host, query, referrer, userAgent) => {
      const classified = classifyClick({ ...CLICK, host, query, referrer, userAgent })
      for (const value of Object.values(classified)) {
        if (typeof value === 'string') expect(value.isWellFormed() && !value.includes('\0')).toBe(true)
      }
      const { referrer: keptReferrer, userAgent: keptUserAgent } = classified
      expect(
        classifyClick({ ...CLICK, host, query, referrer: keptReferrer, userAgent: keptUserAgent }),
      ).toEqual(classified)
    }),
    { numRuns: 500 },
  )
})
