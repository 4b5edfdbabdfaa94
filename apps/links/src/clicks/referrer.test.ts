import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { isAppReferrer, isSelfReferrer, referrerHost } from './referrer.ts'

const APPS: [string, string][] = [
  ['com.linkedin.android', 'linkedin.com'],
  ['com.twitter.android', 'x.com'],
  ['com.facebook.katana', 'facebook.com'],
  ['com.facebook.lite', 'facebook.com'],
  ['com.instagram.android', 'instagram.com'],
  ['com.zhiliaoapp.musically', 'tiktok.com'],
  ['com.ss.android.ugc.trill', 'tiktok.com'],
  ['com.reddit.frontpage', 'reddit.com'],
  ['com.pinterest', 'pinterest.com'],
  ['com.Slack', 'slack.com'],
  ['com.discord', 'discord.com'],
  ['org.telegram.messenger', 'telegram.org'],
  ['com.whatsapp', 'whatsapp.com'],
  ['com.google.android.youtube', 'youtube.com'],
  ['com.google.android.gm', 'gmail.com'],
  ['com.microsoft.office.outlook', 'outlook.com'],
  ['com.google.android.googlequicksearchbox', 'google.com'],
  ['com.facebook.orca', 'messenger.com'],
  ['com.linkedin.android.lite', 'linkedin.com'],
  ['org.telegram.messenger.web', 'telegram.org'],
  ['com.google.android.apps.docs', 'docs.google.com'],
]

describe('the referrer host', () => {
  test.each([
    ['https://example.com/', 'example.com'],
    ['https://example.com', 'example.com'],
    ['https://www.example.com/a?b=c#d', 'example.com'],
    ['HTTPS://WWW.Example.COM/Path', 'example.com'],
    ['https://www2.example.com/', 'www2.example.com'],
    ['https://a.www.example.com/', 'a.www.example.com'],
    ['http://example.com:8080/', 'example.com'],
    ['http://user:secret@example.com/', 'example.com'],
    ['http://192.0.2.7/', '192.0.2.7'],
    ['http://[2001:DB8::1]:80/', '[2001:db8::1]'],
    ['https://bücher.example/', 'xn--bcher-kva.example'],
  ])('of %s is %s', (referrer, host) => {
    expect(referrerHost(referrer)).toBe(host)
  })

  test('L13.3 is null when the referrer is missing, has no host or cannot be parsed', () => {
    const bad = [null, '', ' ', 'google.com', '/path', 'not a url', 'http://', 'https://www.', 'http://a b/']
    for (const referrer of [...bad, 'about:blank', 'mailto:a@b.example', 'file:///etc', 'http://[::', '\0']) {
      expect(referrerHost(referrer)).toBeNull()
    }
  })

  test.each(APPS)('L13.3 of the app %s is %s', (app, host) => {
    expect(referrerHost(`android-app://${app}`)).toBe(host)
    expect(referrerHost(`android-app://${app}/`)).toBe(host)
    expect(referrerHost(`ios-app://${app}/https/example.com/a`)).toBe(host)
    expect(referrerHost(`ANDROID-APP://${app}/`)).toBe(host)
  })

  test('is null for an app that is not listed', () => {
    const apps = ['com.example', 'constructor', 'google.com', 'com.pinterest.lite', '429047995', '']
    for (const app of apps) expect(referrerHost(`android-app://${app}/`)).toBeNull()
  })

  test('is null or lower case without www., and no string throws', () => {
    fc.assert(
      fc.property(fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' })), (referrer) => {
        const host = referrerHost(referrer)
        expect(host === null || (host !== '' && host === host.toLowerCase())).toBe(true)
      }),
    )
  })
})

describe('an app referrer', () => {
  test('is recognised by its scheme alone', () => {
    for (const referrer of ['android-app://com.example', 'ios-app://1/x', 'Android-App://a']) {
      expect(isAppReferrer(referrer)).toBe(true)
    }
    for (const referrer of [
      'https://android-app.example/',
      'android-app:com',
      'https://a/?android-app://b',
      '',
    ]) {
      expect(isAppReferrer(referrer)).toBe(false)
    }
  })
})

describe('a self-referrer', () => {
  test.each([
    ['the front page', 'https://lk.example/', 'lk.example'],
    ['the front page without a slash', 'https://lk.example', 'lk.example'],
    ['another short link', 'https://lk.example/spring', 'lk.example'],
    ['another short link with a query', 'https://lk.example/spring?utm_medium=qr', 'lk.example'],
    ['a short link with an underscore inside', 'https://lk.example/a_b', 'lk.example'],
    ['www. on the referrer only', 'https://www.lk.example/spring', 'lk.example'],
    ['www. on our host only', 'https://lk.example/spring', 'www.lk.example'],
    ['upper case', 'HTTPS://LK.example/spring', 'lk.EXAMPLE'],
    ['a port behind a proxy', 'https://lk.example/spring', 'lk.example:8080'],
    ['a port in the address bar', 'http://localhost:8080/spring', 'localhost'],
    ['an IPv6 host', 'http://[::1]:8080/spring', '[::1]:8080'],
  ])('is %s', (_, referrer, ownHost) => {
    expect(isSelfReferrer(referrer, ownHost)).toBe(true)
  })

  test.each([
    ['nothing', null, 'lk.example'],
    ['an unknown own host', 'https://lk.example/', null],
    ['an empty own host', 'https://www./', ''],
    ['another host', 'https://other.example/', 'lk.example'],
    ['a subdomain', 'https://a.lk.example/', 'lk.example'],
    ['a host that ends in ours', 'https://evillk.example/', 'lk.example'],
    ['our host in the user part', 'https://lk.example@evil.example/', 'lk.example'],
    ['our host in the path', 'https://evil.example/lk.example', 'lk.example'],
    ['the front page with a query', 'https://lk.example/?q=1', 'lk.example'],
    ['the front page with a fragment', 'https://lk.example/#a', 'lk.example'],
    ['an admin page', 'https://lk.example/_/admin/dashboard', 'lk.example'],
    ['the reserved segment', 'https://lk.example/_', 'lk.example'],
    ['a reserved name', 'https://lk.example/_x', 'lk.example'],
    ['two segments', 'https://lk.example/a/b', 'lk.example'],
    ['a trailing slash', 'https://lk.example/a/', 'lk.example'],
    ['an app with our name', 'android-app://lk.example/', 'lk.example'],
    ['another scheme', 'ftp://lk.example/a', 'lk.example'],
    ['no URL', 'lk.example', 'lk.example'],
  ])('is not %s', (_, referrer, ownHost) => {
    expect(isSelfReferrer(referrer, ownHost)).toBe(false)
  })

  test('never throws', () => {
    const text = fc.oneof(fc.webUrl(), fc.string({ unit: 'binary' }))
    fc.assert(fc.property(text, text, (a, b) => typeof isSelfReferrer(a, b) === 'boolean'))
  })
})
