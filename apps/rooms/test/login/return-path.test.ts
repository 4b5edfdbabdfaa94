import { describe, expect, test } from 'bun:test'
import { parseReturnPath } from '../../src/login/return-path.ts'
import { ORIGIN, openRooms } from '../rooms.ts'
import { ALICE } from '../provider/hostile.ts'
import { CLICK_HEADERS, target } from './steps.ts'

// The usual collections of open-redirect payloads (OWASP, PayloadsAllTheThings, Burp), with
// evil.example as the host.
const PAYLOADS = [
  '//evil.example',
  '//evil.example/',
  '//evil.example/%2f..',
  '//evil.example/%2e%2e',
  '//evil.example/..;/css',
  '//evil%2f..',
  '//evil%00.example',
  '//evil%E3%80%82example',
  '///evil.example',
  '////evil.example',
  '/////evil.example/',
  '//\\evil.example',
  '/\\evil.example',
  '/\\/evil.example',
  '\\/evil.example',
  '\\/\\/evil.example/',
  '\\\\evil.example',
  '/\t/evil.example',
  '/\n/evil.example',
  '/\r/evil.example',
  '\t//evil.example',
  ' //evil.example',
  '\u0000//evil.example',
  '\u0008//evil.example',
  '/\u0000/evil.example',
  '/rooms\u0000',
  '/rooms\r\nSet-Cookie: a=b',
  '/%0d%0aSet-Cookie:a=b',
  '/%00/evil.example',
  '/%09/evil.example',
  '/%0a/evil.example',
  '/%0d/evil.example',
  '/%2f/evil.example',
  '/%2fevil.example',
  '/%2f%2fevil.example',
  '/%5cevil',
  '/%5cevil.example',
  '/%5c%5cevil.example',
  '/%5c/evil.example',
  '%2f%2fevil.example',
  '%5c%5cevil.example',
  '/.//evil.example',
  '/..//evil.example',
  '/./\\evil.example',
  '/a/..//evil.example',
  '/a/../\\evil.example',
  '/%2e//evil.example',
  '/%2e%2e//evil.example',
  '/;/../\\/evil.example',
  'https:evil',
  'https:evil.example',
  'https:/evil.example',
  'https:/\\evil.example',
  'https:\\\\evil.example',
  'https://evil.example',
  'https://evil.example/rooms',
  'HTTPS://EVIL.EXAMPLE',
  'http://rooms.example.com/',
  'https://rooms.example.com:8443/',
  'https://rooms.example.com.evil.example/',
  'https://rooms.example.com@evil.example/',
  'https://rooms.example.com%40evil.example/',
  'https://rooms.example.com%2eevil.example/',
  'https://rooms.example.com\\@evil.example/',
  'https://rooms.example.com//evil.example',
  'https://rooms.example.com/\\evil.example',
  'https://user@rooms.example.com/',
  'https://user:password@rooms.example.com/',
  'https://evil.example#rooms.example.com/',
  'https://evil.example?rooms.example.com/',
  'https://evil.example\\rooms.example.com',
  'https://[::1]/',
  'https://2130706433/',
  '//rooms.example.com/rooms/7',
  '//google.com%00@rooms.example.com',
  'ftp://rooms.example.com/',
  'ws://rooms.example.com/',
  'javascript:alert(1)',
  'JaVaScRiPt:alert(1)',
  'java\nscript:alert(1)',
  'javascript://rooms.example.com/%0aalert(1)',
  'data:text/html,<script>alert(1)</script>',
  'vbscript:msgbox(1)',
  'blob:https://rooms.example.com/1',
  'about:blank',
  'evil.example',
  'rooms/7',
  '.',
  '..',
  '?returnTo=//evil.example',
  '#//evil.example',
  '',
  ' ',
  '/%',
  '/%ff',
  '/%c0%af/evil.example',
  `/${'a'.repeat(2048)}`,
  `/${'ä'.repeat(1024)}`,
  '〱evil.example',
  '/\u2028/evil.example\u0007',
]

test.each(PAYLOADS.map((payload) => [JSON.stringify(payload).slice(0, 60), payload]))(
  'C106: %s becomes the start page',
  (_name, payload) => {
    expect(parseReturnPath(payload, ORIGIN)).toBe('/')
  },
)

describe('R5.2 C106: a local path is kept', () => {
  test.each([
    ['/', '/'],
    ['/rooms/7', '/rooms/7'],
    ['/rooms/7?a=b&c=//evil.example#top', '/rooms/7?a=b&c=//evil.example#top'],
    ['/invite/aB3-_x', '/invite/aB3-_x'],
    ['/rooms/../invite/x', '/invite/x'],
    ['/rooms/b%C3%A5t', '/rooms/b%C3%A5t'],
    ['/rooms/båt', '/rooms/b%C3%A5t'],
    ['/@evil.example', '/@evil.example'],
    ['/javascript:alert(1)', '/javascript:alert(1)'],
    [`${ORIGIN}/rooms/7?a=b`, '/rooms/7?a=b'],
    [ORIGIN, '/'],
    [`/${'a'.repeat(2047)}`, `/${'a'.repeat(2047)}`],
  ])('%s', (path, expected) => {
    expect(parseReturnPath(path, ORIGIN)).toBe(expected)
    expect(new URL(ORIGIN + expected).origin).toBe(ORIGIN)
  })
})

test('C106 R28.12: every return path ends at a local address, also through the sign-in page', async () => {
  const t = await openRooms({ limits: { login_start_per_minute: 1000, callback_per_minute: 1000 } })
  for (const payload of PAYLOADS) {
    const browser = t.browser()
    const query = `returnTo=${encodeURIComponent(payload.toWellFormed())}`
    const started = await browser.send(`/api/auth/login?${query}`, { headers: CLICK_HEADERS })
    const finished = await browser.send(t.idp.authorize(started.headers.get('location') ?? '', ALICE))
    expect([payload, finished.headers.get('location')]).toEqual([payload, `${ORIGIN}/`])
    const unasked = await browser.send(`/api/auth/login?${query}`, {
      headers: { 'sec-fetch-mode': 'navigate', 'sec-fetch-dest': 'document', 'sec-fetch-site': 'cross-site' },
    })
    expect([payload, target(unasked)]).toEqual([payload, '/login'])
  }
  await t.close()
}, 60_000)

test('C106: the return path is never sent to the provider', async () => {
  const t = await openRooms()
  const url = await t.browser().startLogin('/rooms/secret-room')
  expect(decodeURIComponent(url)).not.toContain('secret-room')
  await t.close()
})
