import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { readCandidates } from './candidate.ts'

const read = (candidate: string, relayOnly = false) =>
  readCandidates([{ candidate, sdpMid: '0' }], relayOnly)[0]?.candidate
const at = (address: string, port = 50_000, rest = 'typ host') =>
  read(`candidate:1 1 udp 2122252543 ${address} ${port} ${rest}`)

test('R33.9c: candidates of browsers are passed on without the addresses behind a NAT', () => {
  expect(
    [
      'candidate:3851 1 udp 2113937151 b8070df2-e187-4d56-8656-9ed81e6da665.local 57737 typ host generation 0 ufrag kA6Y network-cost 999',
      'candidate:0 1 UDP 2122187007 192.168.1.20 40526 typ host',
      'candidate:1 1 udp 1677729535 2001:470::1 40526 typ srflx raddr 10.0.0.7 rport 40526 generation 0',
      'candidate:2 1 udp 41885439 8.8.4.4 49160 typ relay raddr 198.51.100.7 rport 1234',
      '',
    ].map((candidate) => read(candidate)),
  ).toEqual([
    'candidate:3851 1 udp 2113937151 b8070df2-e187-4d56-8656-9ed81e6da665.local 57737 typ host',
    'candidate:0 1 udp 2122187007 192.168.1.20 40526 typ host',
    'candidate:1 1 udp 1677729535 2001:470::1 40526 typ srflx raddr 0.0.0.0 rport 0',
    'candidate:2 1 udp 41885439 8.8.4.4 49160 typ relay raddr 0.0.0.0 rport 0',
    '',
  ])
})

test.each([
  ['of the machine itself', at('127.0.0.1')],
  ['of the machine itself in IPv6', at('::1')],
  ['of no machine', at('0.0.0.0')],
  ['of a cloud’s metadata', at('169.254.169.254')],
  ['of a link', at('fe80::1')],
  ['of many machines', at('224.0.0.251')],
  ['of many machines in IPv6', at('ff02::fb')],
  ['of all machines', at('255.255.255.255')],
  ['of IPv4 within IPv6', at('::ffff:127.0.0.1')],
  ['of IPv4 within NAT64', at('64:ff9b::7f00:1')],
  ['of IPv4 within 6to4', at('2002:7f00:1::')],
  ['that is a name', at('internal.example')],
  ['that is a name without a UUID', at('printer.local')],
  ['in other notation', at('2130706433')],
  ['in octal notation', at('0177.0.0.1')],
  ['with a zone', at('fe80::1%eth0')],
  ['at the port of a service', at('8.8.8.8', 53)],
  ['at port 0', at('8.8.8.8', 0)],
  ['at no port', at('8.8.8.8', 65_536)],
  ['over TCP', read('candidate:1 1 tcp 1 8.8.8.8 50000 typ host tcptype passive')],
  ['of an unknown type', at('8.8.8.8', 50_000, 'typ host2')],
  ['with a second line', at('8.8.8.8', 50_000, 'typ host\r\na=sendrecv')],
  ['without a prefix', read('1 1 udp 1 8.8.8.8 50000 typ host')],
])('R33.9b, R33.9c: a candidate %s is not passed on', (_what, passed) => {
  expect(passed).toBeUndefined()
})

test('R33.2, R33.9c: with ROOMS_VOICE_RELAY_ONLY, candidates of TURN servers only are passed on', () => {
  expect(read('candidate:1 1 udp 1 8.8.8.8 50000 typ host', true)).toBeUndefined()
  expect(read('candidate:1 1 udp 1 8.8.8.8 50000 typ srflx raddr 10.0.0.7 rport 1', true)).toBeUndefined()
  expect(read('candidate:1 1 udp 1 8.8.8.8 50000 typ relay raddr 10.0.0.7 rport 1', true)).toEndWith(
    'typ relay raddr 0.0.0.0 rport 0',
  )
})

test('R33.9: a candidate for another section or with a malformed user fragment is not passed on', () => {
  const candidate = 'candidate:1 1 udp 1 8.8.8.8 50000 typ host'
  expect(
    readCandidates(
      [
        { candidate, sdpMid: '4' },
        { candidate, sdpMid: 'x' },
        { candidate, sdpMid: '0', usernameFragment: 'a\r\nb' },
      ],
      false,
    ),
  ).toEqual([])
  expect(
    readCandidates([{ candidate, sdpMid: null, sdpMLineIndex: 0, usernameFragment: 'a+/9' }], false),
  ).toHaveLength(1)
})

test('R33.9: whatever is sent as a candidate, what is passed on is passed on again as it is', () => {
  const part = fc.oneof(
    fc.constantFrom(
      'candidate:1',
      '1',
      '2',
      'udp',
      'tcp',
      '7',
      '8.8.8.8',
      '::1',
      '127.0.0.1',
      '50000',
      'typ',
      'host',
      'relay',
      'raddr',
      'rport',
    ),
    fc.ipV4(),
    fc.ipV6(),
    fc.string({ maxLength: 8 }),
  )
  const valid = ['candidate:1', '1', 'udp', '7', '8.8.8.8', '50000', 'typ', 'host']
  const Edited = fc
    .array(fc.tuple(fc.nat(valid.length), part), { maxLength: 2 })
    .map((edits) =>
      edits.reduce((parts, [index, text]) => parts.with(index % parts.length, text), valid).join(' '),
    )
  fc.assert(
    fc.property(Edited, (text) => {
      const passed = read(text)
      if (passed !== undefined)
        expect([read(passed), passed]).toEqual([passed, expect.not.stringMatching(/[\r\n]| 127\.| ::1 /)])
    }),
  )
})
