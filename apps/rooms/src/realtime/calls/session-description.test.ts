import { expect, test } from 'bun:test'
import { countSentMedia } from './session-description.ts'

const sdp = (...lines: string[]) => ['v=0', 's=-', ...lines, ''].join('\r\n')

test.each([
  ['nothing', sdp(), { audio: 0, video: 0, other: 0 }],
  ['a section that only receives', sdp('m=audio 9 X 0', 'a=recvonly'), { audio: 0, video: 0, other: 0 }],
  ['an inactive section', sdp('m=video 9 X 0', 'a=inactive'), { audio: 0, video: 0, other: 0 }],
  ['both directions', sdp('m=audio 9 X 0', 'a=sendrecv'), { audio: 1, video: 0, other: 0 }],
  ['a section without a direction', sdp('m=video 9 X 0'), { audio: 0, video: 1, other: 0 }],
  ['a direction of the session', sdp('a=recvonly', 'm=video 9 X 0'), { audio: 0, video: 0, other: 0 }],
  ['several directions', sdp('m=audio 9 X 0', 'a=recvonly', 'a=sendonly'), { audio: 1, video: 0, other: 0 }],
  ['a rejected section', sdp('m=audio 0 X 0', 'a=sendrecv'), { audio: 0, video: 0, other: 0 }],
  [
    'a bundled section',
    sdp('m=audio 0 X 0', 'a=bundle-only', 'a=sendrecv'),
    { audio: 1, video: 0, other: 0 },
  ],
  ['a data channel', sdp('m=application 9 X webrtc-datachannel'), { audio: 0, video: 0, other: 1 }],
  ['lines that end with LF or CR', 'v=0\nm=audio 9 X 0\ra=sendonly', { audio: 1, video: 0, other: 0 }],
])('R33.4: a description with %s sends what it says', (_what, text, sent) => {
  expect(countSentMedia(text)).toEqual(sent)
})
