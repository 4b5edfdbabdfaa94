import { expect, test } from 'bun:test'
import { partsOfUrl } from './url-parts.ts'

const hostOf = (url: string) => partsOfUrl(url)?.host

test('L29.5c: the host is the one that browsers ask, however the URL is written', () => {
  const user = 'x'.repeat(150)
  expect(partsOfUrl(`https://bank.example%2F${user}@evil.example/bank.example?a#b`)).toEqual({
    scheme: 'https://',
    userInfo: `bank.example%2F${user}`,
    host: 'evil.example',
    rest: '/bank.example?a#b',
    isAsWritten: true,
  })
  expect(hostOf('https://evil.example\\@bank.example/')).toBe('evil.example')
  expect(hostOf('https:evil.example/@bank.example')).toBe('evil.example')
  expect(hostOf('https://bank.example:443@evil.example:8443')).toBe('evil.example:8443')
  expect(hostOf('https://bank.example%2Eevil.example')).toBe('bank.example.evil.example')
  expect(hostOf('https://bank.example\u00AD.evil.example')).toBe('bank.example.evil.example')
  expect(hostOf('https://bаnk.example/')).toBe('xn--bnk-6cd.example')
  expect(hostOf('https://[::1]:80/x')).toBe('[::1]:80')
  expect(hostOf('not a url')).toBeUndefined()
})

test('L29.5c: the parts of a URL are all of it', () => {
  for (const url of [
    'https://a:b@example.com:81/å\u202E?x=%20#y',
    'https://:b@example.com',
    'HTTPS://Example.COM/é',
    `http://example.com/${'a'.repeat(2000)}`,
  ]) {
    const parts = partsOfUrl(url)
    if (!parts) throw new Error(url)
    const { scheme, userInfo, host, rest, isAsWritten } = parts
    const whole = `${scheme}${userInfo && `${userInfo}@`}${host}${rest}`
    expect(whole).toBe(isAsWritten ? url : new URL(url).href)
  }
})
