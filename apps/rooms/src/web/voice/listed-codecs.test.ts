import { expect, test } from 'bun:test'
import { withListedCodecs } from './listed-codecs.ts'

const sdp = (lines: readonly string[]) => lines.map((line) => `${line}\r\n`).join('')

const audio = [
  'm=audio 9 UDP/TLS/RTP/SAVPF 109 96',
  'a=sendrecv',
  'a=rtpmap:109 opus/48000/2',
  'a=fmtp:109 stereo=1',
  'a=rtcp-fb:96 nack',
]

test('attributes of codecs that a section does not list are removed, in this section only', () => {
  const video = ['m=video 0 UDP/TLS/RTP/SAVPF 120 124', 'a=mid:1', 'a=fmtp:124 apt=120']
  const stale = ['a=rtcp-fb:96 nack pli', 'a=rtpmap:97 rtx/90000', 'a=fmtp:97 apt=96']
  const offer = ['v=0', 'a=group:BUNDLE 0 1', ...audio, ...video]
  expect(withListedCodecs(sdp([...offer, ...stale, 'a=rtcp-fb:120 nack']))).toBe(
    sdp([...offer, 'a=rtcp-fb:120 nack']),
  )
})

test('a description that lists all of its codecs stays as it is', () => {
  expect(withListedCodecs(sdp(['v=0', ...audio]))).toBe(sdp(['v=0', ...audio]))
})
