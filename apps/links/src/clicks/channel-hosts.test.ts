import { expect, test } from 'bun:test'
import { channelOfHost } from './channel-hosts.ts'

test('an entry covers its subdomains but neither its parent nor look-alike domains', () => {
  expect(channelOfHost('bing.com')).toBe('search')
  expect(channelOfHost('a.b.bing.com')).toBe('search')
  for (const host of ['com', 'xbing.com', 'bing.com.example', 'bing', '', '.', 'bing.com.']) {
    expect(channelOfHost(host)).toBeUndefined()
  }
})

test('the most specific entry wins', () => {
  expect(channelOfHost('google.com')).toBe('search')
  expect(channelOfHost('mail.google.com')).toBe('email')
  expect(channelOfHost('docs.google.com')).toBe('referral')
  expect(channelOfHost('search.yahoo.com')).toBe('search')
  expect(channelOfHost('mail.yahoo.com')).toBe('email')
  expect(channelOfHost('finance.yahoo.com')).toBe('referral')
})

test('search engines are recognised under their country domains', () => {
  for (const suffix of ['com', 'de', 'se', 'co.uk', 'co.id', 'co.jp', 'com.br', 'com.tr', 'co.za', 'cat']) {
    expect(channelOfHost(`google.${suffix}`)).toBe('search')
  }
  expect(channelOfHost('google.example')).toBeUndefined()
})
