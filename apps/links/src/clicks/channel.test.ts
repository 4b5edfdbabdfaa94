import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { channelOf, linkModeOf, type Utm, utmOf } from './channel.ts'
import { referrerHost } from './referrer.ts'

const NONE: Utm = { source: null, medium: null, campaign: null, term: null, content: null }

function channel(query: string | null, referrer: string | null, ownHost: string | null = 'lk.example') {
  const utm = utmOf(query)
  return channelOf({
    linkMode: linkModeOf(utm),
    utm,
    referrer,
    referrerHost: referrerHost(referrer),
    ownHost,
  })
}

describe('utm values', () => {
  test('are read in lower case', () => {
    const query =
      '?utm_source=News&utm_medium=EMAIL&utm_campaign=Spring+Sale&utm_term=%C3%84pple&utm_content=B&x=1'
    expect(utmOf(query)).toEqual({
      source: 'news',
      medium: 'email',
      campaign: 'spring sale',
      term: 'äpple',
      content: 'b',
    })
  })

  test('are null when missing, empty or blank', () => {
    const queries = [
      null,
      '',
      '?',
      '?utm_source',
      '?utm_source=',
      '?utm_source=%20',
      '?utm_source=%00',
      '?a=b',
    ]
    for (const query of queries) expect(utmOf(query)).toEqual(NONE)
  })

  test('use the first value of a repeated key', () => {
    expect(utmOf('?utm_source=a&utm_source=b').source).toBe('a')
    expect(utmOf('?utm_source=&utm_source=b').source).toBeNull()
  })

  test('have at most 200 characters', () => {
    expect(utmOf(`?utm_term=${'x'.repeat(500)}`).term).toBe('x'.repeat(200))
    expect(utmOf(`?utm_term=${'😀'.repeat(300)}`).term).toBe('😀'.repeat(200))
    // U+0130 becomes two code points in lower case.
    expect(Array.from(utmOf(`?utm_term=${'İ'.repeat(200)}`).term ?? '')).toHaveLength(200)
  })

  test('survive malformed percent-encoding', () => {
    for (const bad of ['%', '%E', '%ZZ', '%E0%A4%A', '%FF', '%C3']) {
      expect(utmOf(`?utm_source=a${bad}&utm_medium=QR`)).toMatchObject({ medium: 'qr' })
      expect(utmOf(`?${bad}=1&utm_source=b`).source).toBe('b')
    }
  })

  test('never throw, and are storable', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const source = utmOf(`?utm_source=${text}`).source ?? ''
        expect(source.isWellFormed() && !source.includes('\0')).toBe(true)
        expect(Array.from(source).length).toBeLessThanOrEqual(200)
      }),
    )
  })

  test('survive the encoding of a query', () => {
    const plain = fc.string({ unit: 'grapheme', maxLength: 50 }).filter((text) => text.trim() !== '')
    fc.assert(
      fc.property(plain, (text) => {
        const query = `?${new URLSearchParams({ utm_campaign: text }).toString()}`
        expect(utmOf(query).campaign).toBe(text.toLowerCase().replaceAll('\0', '') || null)
      }),
    )
  })
})

describe('the link mode', () => {
  test('is qr if utm_medium is qr in any case, otherwise link', () => {
    for (const query of ['?utm_medium=qr', '?utm_medium=QR', '?utm_medium=Qr']) {
      expect(linkModeOf(utmOf(query))).toBe('qr')
    }
    for (const query of [null, '?utm_medium=qrcode', '?utm_medium=', '?utm_source=qr', '?medium=qr']) {
      expect(linkModeOf(utmOf(query))).toBe('link')
    }
  })
})

describe('the channel', () => {
  test.each([
    ['qr', '?utm_medium=qr&utm_source=poster', 'https://mail.google.com/'],
    ['email', '?utm_medium=email', 'https://www.google.com/'],
    ['email', '?utm_medium=E-Mail', null],
    ['email', '?utm_medium=newsletter&utm_campaign=a', null],
    ['social', '?utm_medium=Social&utm_source=x', 'https://mail.google.com/'],
    ['campaign', '?utm_medium=cpc', 'https://t.co/a'],
    ['campaign', '?utm_source=partner', 'https://www.google.com/'],
    ['campaign', '?utm_campaign=spring', null],
    ['campaign', '?utm_source=email', null],
    ['search', '?utm_term=shoes&utm_content=b', 'https://www.google.com/'],
    ['direct', '?utm_term=shoes&utm_content=b', null],
  ])('is %s with %s, before the referrer %p is asked', (expected, query, referrer) => {
    expect(channel(query, referrer)).toBe(expected as ReturnType<typeof channel>)
  })

  test.each([
    'https://mail.google.com/mail/u/0/',
    'https://outlook.live.com/',
    'https://outlook.office365.com/mail/',
    'https://eu-north.outlook.office.com/',
    'https://mail.yahoo.com/',
    'https://mail.proton.me/',
    'https://e.mail.ru/',
    'https://deref-gmx.net/mail/client/x',
    'android-app://com.google.android.gm/',
    'android-app://com.microsoft.office.outlook',
    'android-app://com.yahoo.mobile.client.android.mail',
    'android-app://com.aol.mobile.aolapp',
    'android-app://ch.protonmail.android',
    'android-app://de.gmx.mobile.android.mail',
    'android-app://com.basecamp.hey',
  ])('is email from %s', (referrer) => {
    expect(channel(null, referrer)).toBe('email')
  })

  test.each([
    'https://www.google.com/',
    'https://google.co.uk/',
    'https://www.google.com.au/search?q=a',
    'https://www.google.de/',
    'https://news.google.se/',
    'https://www.bing.com/',
    'https://duckduckgo.com/',
    'https://r.search.yahoo.com/x',
    'https://uk.search.yahoo.com/',
    'https://search.yahoo.co.jp/',
    'https://yandex.ru/',
    'https://www.baidu.com/',
    'https://www.ecosia.org/',
    'https://search.brave.com/',
    'https://search.naver.com/',
    'android-app://com.google.android.googlequicksearchbox/',
    'android-app://com.google.android.googlequicksearchbox/https/www.google.com',
    'android-app://com.duckduckgo.mobile.android',
  ])('is search from %s', (referrer) => {
    expect(channel(null, referrer)).toBe('search')
  })

  test.each([
    'https://t.co/abc',
    'https://x.com/a/status/1',
    'https://lnkd.in/',
    'https://www.linkedin.com/feed/',
    'https://l.facebook.com/l.php',
    'https://lm.facebook.com/',
    'https://m.facebook.com/',
    'https://l.instagram.com/',
    'https://out.reddit.com/',
    'https://old.reddit.com/',
    'https://www.youtube.com/redirect',
    'https://www.pinterest.co.uk/',
    'https://go.bsky.app/',
    'https://web.whatsapp.com/',
    'https://news.ycombinator.com/',
    'https://away.vk.com/',
    'https://tieba.baidu.com/',
    'android-app://com.Slack/',
    'android-app://com.facebook.orca/',
    'android-app://com.linkedin.android',
    'android-app://com.reddit.frontpage',
    'android-app://jp.naver.line.android',
    'android-app://com.tencent.mm',
    'android-app://xyz.blueskyweb.app',
    'android-app://org.joinmastodon.android',
    'android-app://org.telegram.messenger/',
    'ios-app://com.twitter.android/',
  ])('is social from %s', (referrer) => {
    expect(channel(null, referrer)).toBe('social')
  })

  test.each([
    'https://example.com/',
    'https://google.evil.example/',
    'https://notgoogle.com/',
    'https://google.com.evil.example/',
    'https://netflix.com/',
    'https://microsoft.co/',
    'https://docs.google.com/document/d/1',
    'https://ycombinator.com/',
    'https://a.lk.example/',
    'http://localhost:3000/',
    'http://192.0.2.7/',
    `https://${'a.'.repeat(400)}google.com/`,
    'android-app://com.google.android.apps.docs/',
    'android-app://com.google.android.apps.messaging/',
    'android-app://com.example/',
    'ios-app://429047995/pinterest/',
  ])('is referral from %s', (referrer) => {
    expect(channel(null, referrer)).toBe('referral')
  })

  test.each([
    null,
    'not a url',
    'google.com',
    'about:blank',
    'https://lk.example/',
    'https://lk.example/_/admin/links/1',
    'https://www.lk.example:8443/a',
  ])('is direct from %p', (referrer) => {
    expect(channel(null, referrer)).toBe('direct')
  })

  test('of our own pages is direct, with any port and with or without www. in the Host header', () => {
    for (const ownHost of ['lk.example', 'LK.Example', 'www.lk.example', 'lk.example:8080']) {
      expect(channel(null, 'https://lk.example/a', ownHost)).toBe('direct')
    }
    for (const ownHost of [null, '', 'other.example', ':80']) {
      expect(channel(null, 'https://lk.example/a', ownHost)).toBe('referral')
    }
  })

  test('is one of the seven for any input', () => {
    const seven = ['qr', 'email', 'social', 'campaign', 'search', 'referral', 'direct']
    const text = fc.option(fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })))
    fc.assert(
      fc.property(text, text, text, (query, referrer, ownHost) => {
        expect(seven).toContain(channel(query, referrer, ownHost))
      }),
    )
  })
})
