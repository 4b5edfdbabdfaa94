import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Failure } from '@latchkey/http/failure'
import fc from 'fast-check'
import { description } from '../../../test/voice/call.ts'
import { parseSessionDescription, sourcesOf, writeSessionDescription } from './session-description.ts'

/** As sent by a browser, with its camera on. */
const recorded = (browser: string) =>
  readFileSync(join(import.meta.dirname, '../../../test/voice', `${browser}-offer.sdp`), 'utf8').replaceAll(
    '\n',
    '\r\n',
  )
const listener = description('offer', {}).sdp

/** What the recipient gets. */
const rewrite = (sdp: string) => writeSessionDescription(parseSessionDescription('offer', sdp))

test.each(['chromium', 'firefox'])(
  'R33.9a: a description of %s is passed on with what it sends, and without its addresses',
  (browser) => {
    const sdp = recorded(browser)
    const parsed = parseSessionDescription('offer', sdp)
    expect(sourcesOf(parsed)).toEqual(['microphone', 'camera'])
    const text = writeSessionDescription(parsed)
    expect(parseSessionDescription('offer', text)).toEqual(parsed)
    expect(sdp).toMatch(/candidate:/)
    expect(text).not.toMatch(/candidate|192\.0\.2|127\.0\.0|fd00|\.local/)
  },
)

test.each<[string, string, string]>([
  ['a direction with a value', 'a=recvonly', 'a=recvonly\r\na=sendrecv:x'],
  ['a direction with an empty value', 'a=recvonly', 'a=recvonly\r\na=sendrecv:'],
  ['a direction with a second word', 'a=recvonly', 'a=sendonly x'],
  ['a direction with a space after it', 'a=recvonly', 'a=sendonly '],
  ['two directions', 'a=recvonly', 'a=recvonly\r\na=sendonly'],
  ['a direction twice', 'a=recvonly', 'a=recvonly\r\na=recvonly'],
  ['no direction in a section', 'a=recvonly\r\n', ''],
  ['a direction of the session only', 'a=recvonly\r\n', '\r\na=recvonly'],
  ['a rejected section', 'm=audio 9', 'm=audio 0'],
  ['a malformed mark of a bundled section', 'm=audio 9', 'm=audio 0\r\na=bundle-only:x'],
  ['a line that ends with LF', 'a=recvonly\r\n', 'a=recvonly\na=sendrecv\r\n'],
  ['a line that ends with CR', 'a=recvonly\r\n', 'a=recvonly\ra=sendrecv\r\n'],
  ['a line that ends with CR twice', 'a=recvonly\r\n', 'a=recvonly\r\r\n'],
  ['an empty line', 'a=recvonly\r\n', 'a=recvonly\r\n\r\n'],
  ['NUL', 'a=recvonly', 'a=recvonly\0'],
  ['a line separator of Unicode', 'a=recvonly', 'a=recvonly\u2028a=sendrecv'],
  ['a space before a line', 'a=recvonly', ' a=recvonly'],
  ['a data channel', 'm=audio 9 UDP/TLS/RTP/SAVPF 111', 'm=application 9 UDP/DTLS/SCTP webrtc-datachannel'],
  ['a section of another kind', 'm=video', 'm=audio'],
  ['a section in the place of another', 'a=mid:1', 'a=mid:0'],
  ['several ports', 'm=audio 9', 'm=audio 9/2'],
  ['no encryption', 'UDP/TLS/RTP/SAVPF', 'RTP/AVP'],
  ['a section without the attributes of encryption', 'a=setup:actpass\r\n', ''],
  ['a format twice', 'SAVPF 111', 'SAVPF 111 111'],
  ['an answer in an offer', 'a=setup:actpass', 'a=setup:active'],
  ['sections that are not bundled', 'a=group:BUNDLE 0 1 2 3', 'a=group:BUNDLE 0'],
  ['two groups', 'a=group:BUNDLE 0 1 2 3', 'a=group:BUNDLE 0 1 2 3\r\na=group:LS 0 1'],
  ['a bandwidth', 'c=IN IP4 0.0.0.0', 'c=IN IP4 0.0.0.0\r\nb=AS:1'],
  ['a second connection line', 'c=IN IP4 0.0.0.0', 'c=IN IP4 0.0.0.0\r\nc=IN IP4 0.0.0.0'],
])('R33.9b: a description with %s is refused', (_what, part, replacement) => {
  expect(listener).toContain(part)
  expect(() => rewrite(listener.replace(part, replacement))).toThrow(Failure)
})

test('R33.9: a description with one section more or less is refused', () => {
  const sections = listener.split(/(?=m=)/)
  expect(() => rewrite(sections.slice(0, -1).join(''))).toThrow(Failure)
  expect(() => rewrite(`${listener}${sections.at(-1)}`)).toThrow(Failure)
  expect(rewrite(listener)).toBe(listener)
})

test.each([
  'a=SENDRECV',
  'a=simulcast:send h;l',
  'a=rid:h send',
  'a=candidate:1 1 udp 1 127.0.0.1 22 typ host',
  'a=remote-candidates:1 127.0.0.1 22',
  'a=inactivity:1',
  'a=constructor',
  'a=__proto__:x',
])('R33.9b: %s is not passed on', (line) => {
  expect(rewrite(listener.replace('a=recvonly', `a=recvonly\r\n${line}`))).toBe(listener)
  expect(rewrite(listener.replace('t=0 0', `t=0 0\r\n${line}`))).toBe(listener)
})

test('R33.9: streams are passed on of sections that send only', () => {
  const streams = ['a=msid:- camera', 'a=ssrc-group:FID 1 2', 'a=ssrc:1 cname:x', 'a=ssrc:2 cname:x']
  const withStreams = (sdp: string) => sdp.replace('a=rtpmap:96', `${streams.join('\r\n')}\r\na=rtpmap:96`)
  const sender = description('offer', { camera: 'sendonly' }).sdp
  expect(rewrite(withStreams(listener))).toBe(listener)
  expect(rewrite(withStreams(sender))).toBe(withStreams(sender))
})

const LINES = [
  ...['sendrecv', 'sendonly', 'recvonly', 'inactive'].flatMap((direction) => [
    `a=${direction}`,
    `a=${direction}:x`,
    `a=${direction} x`,
    `A=${direction}`,
  ]),
  ...[listener, recorded('chromium'), recorded('firefox')].flatMap((sdp) => sdp.split('\r\n')),
  'm=audio 0 UDP/TLS/RTP/SAVPF 111',
  'a=bundle-only',
  'a=simulcast:send 1;2',
  'a=candidate:1 1 tcp 1 10.0.0.1 22 typ host tcptype passive',
]
const Line = fc.oneof({ weight: 4, arbitrary: fc.constantFrom(...LINES) }, fc.string({ maxLength: 30 }))
const Edit = fc.record({
  at: fc.nat(200),
  removed: fc.nat(1),
  added: fc.array(Line, { maxLength: 2 }),
  end: fc.oneof(
    { weight: 9, arbitrary: fc.constant('\r\n') },
    fc.constantFrom('\n', '\r', '\r\r\n', ' \r\n'),
  ),
})

/** A description with some lines replaced, removed or added, or that ends differently. */
const Edited = fc
  .tuple(
    fc.constantFrom(listener, recorded('chromium'), recorded('firefox')),
    fc.array(Edit, { minLength: 1, maxLength: 3 }),
  )
  .map(([sdp, edits]) => {
    const lines = sdp.split('\r\n').slice(0, -1)
    const ends = lines.map(() => '\r\n')
    for (const { at, removed, added, end } of edits) {
      const index = at % (lines.length + 1)
      lines.splice(index, removed, ...added)
      ends.splice(index, removed, ...added.map(() => end))
    }
    return lines.map((line, index) => `${line}${ends[index]}`).join('')
  })

test('R33.9a: whatever is sent, what is passed on has four sections with one direction each, and parses to itself', () => {
  let accepted = 0
  fc.assert(
    fc.property(fc.oneof({ weight: 9, arbitrary: Edited }, fc.string()), (sdp) => {
      let parsed
      try {
        parsed = parseSessionDescription('offer', sdp)
      } catch (error) {
        expect(error).toBeInstanceOf(Failure)
        return
      }
      accepted++
      const text = writeSessionDescription(parsed)
      expect(parseSessionDescription('offer', text)).toEqual(parsed)
      expect(text).toMatch(/^(?:[vosc amt]=[\x20-\x7e]+\r\n)+$/)
      const [session = '', ...sections] = text.split(/(?=^m=)/m)
      expect(sections.map((section) => section.slice(0, 7))).toEqual([
        'm=audio',
        'm=video',
        'm=video',
        'm=audio',
      ])
      const directions = sections.map((section) => section.match(/^a=(?:send|recv|inactive)[^\r]*/gim))
      expect(directions.every((lines) => lines?.length === 1)).toBe(true)
      expect(sourcesOf(parsed)).toEqual(
        (['microphone', 'camera', 'screen', 'screenSound'] as const).filter((_source, index) =>
          ['a=sendrecv', 'a=sendonly'].includes(directions[index]?.[0] ?? ''),
        ),
      )
      expect(session).not.toMatch(/^a=(?!group:)/m)
      expect(text).not.toMatch(/^a=(?:candidate|simulcast|rid)/m)
    }),
    { numRuns: 1_000 },
  )
  expect(accepted).toBeGreaterThan(20)
})
