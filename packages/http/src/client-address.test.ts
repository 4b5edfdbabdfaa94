import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { clientAddress, forwardedOrigin, isLoopback, parseTrusted } from './client-address.ts'
import { parseForwarded } from './forwarded.ts'

const PROXY = '10.0.0.1'
const trusted = parseTrusted(['10.0.0.0/8', '2001:db8:aaaa::/48'])

function request(headers: Record<string, string> = {}, url = 'http://go.example.com/x'): Request {
  return new Request(url, { headers })
}

function address(value: string, { peer = PROXY, header = 'X-Forwarded-For' } = {}): string {
  return clientAddress(request({ [header]: value }), peer, { header, trusted })
}

function addressFromForwarded(value: string): string {
  return address(value, { header: 'Forwarded' })
}

const forwardedHeaders = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Host': 'go.example.com:8443' }
const origin = (headers: Record<string, string>, peer = PROXY, header = 'X-Forwarded-For') =>
  forwardedOrigin(request(headers, 'http://links:8080/_/api'), peer, { header, trusted })

describe('clientAddress', () => {
  test('without a trusted header, the peer is the client, for any headers of the request', () => {
    const forged = request({ 'X-Forwarded-For': '1.2.3.4', Forwarded: 'for=1.2.3.4', 'X-Real-IP': '1.2.3.4' })
    expect(clientAddress(forged, PROXY, { header: null, trusted })).toBe(PROXY)
    expect(clientAddress(forged, '::ffff:192.0.2.1', { header: null, trusted })).toBe('192.0.2.1')
  })

  test('the header of a peer that is not a trusted proxy is ignored', () => {
    for (const peer of ['203.0.113.7', '11.0.0.1', '2001:db8:bbbb::1', '::1', '', 'unknown'])
      expect(address('1.2.3.4', { peer })).toBe(peer)
  })

  test('a header other than the configured one is ignored', () => {
    const forged = request({ Forwarded: 'for=1.2.3.4', 'X-Real-IP': '1.2.3.4' })
    expect(clientAddress(forged, PROXY, { header: 'X-Forwarded-For', trusted })).toBe(PROXY)
  })

  test('a single address is the client', () => {
    expect(address('203.0.113.7')).toBe('203.0.113.7')
    expect(address('203.0.113.7', { header: 'CF-Connecting-IP' })).toBe('203.0.113.7')
    expect(address('203.0.113.7', { peer: '::ffff:10.0.0.1' })).toBe('203.0.113.7')
    expect(address('203.0.113.7', { peer: '2001:db8:aaaa::9' })).toBe('203.0.113.7')
  })

  test('the rightmost address that is not a proxy counts, whatever a client forges before it', () => {
    expect(address('6.6.6.6, 203.0.113.7')).toBe('203.0.113.7')
    expect(address('6.6.6.6,203.0.113.7 , 10.9.9.9,\t2001:db8:aaaa::1')).toBe('203.0.113.7')
    expect(address('garbage, 203.0.113.7')).toBe('203.0.113.7')
  })

  test('when all are proxies, the one furthest away is the client', () => {
    expect(address('10.3.3.3, 10.2.2.2')).toBe('10.3.3.3')
    expect(address('10.3.3.3')).toBe('10.3.3.3')
  })

  test('an entry that is not an address ends the search at the last valid hop', () => {
    const garbage = [
      '',
      ' ',
      'unknown',
      '_hidden',
      '1.2.3',
      '01.2.3.4',
      '1.2.3.4.5',
      '999.1.1.1',
      '[::1',
      '::1]:80',
    ]
    for (const entry of [
      ...garbage,
      '1.2.3.4:',
      '1.2.3.4:x',
      '1.2.3.4:123456',
      '[1.2.3.4]',
      '[]',
      '1.2.3.4;',
      '"1.2.3.4"',
    ]) {
      expect(address(entry)).toBe(PROXY)
      expect(address(`203.0.113.7, ${entry}`)).toBe(PROXY)
      expect(address(`203.0.113.7, ${entry}, 10.2.2.2`)).toBe('10.2.2.2')
    }
  })

  test('ports, brackets, mapped IPv4 and notations of IPv6 are normalised', () => {
    const forms = {
      '1.2.3.4:567': '1.2.3.4',
      '::1': '::1',
      '[::1]:80': '::1',
      '[2001:DB8:0:0::1]': '2001:db8::1',
      '2001:db8:0:0:0:0:0:1': '2001:db8::1',
      '::ffff:1.2.3.4': '1.2.3.4',
      '[::ffff:102:304]:9': '1.2.3.4',
      'fe80::1%eth0': 'fe80::1',
    }
    for (const [entry, expected] of Object.entries(forms)) expect(address(entry)).toBe(expected)
  })

  test('a proxy in mapped notation is still a proxy', () => {
    expect(address('203.0.113.7, ::ffff:10.2.2.2, [::ffff:10.3.3.3]:80')).toBe('203.0.113.7')
  })

  test('Forwarded is parsed according to RFC 7239', () => {
    expect(addressFromForwarded('for=192.0.2.60;proto=http;by=203.0.113.43')).toBe('192.0.2.60')
    expect(addressFromForwarded('For="[2001:db8:cafe::17]:4711"')).toBe('2001:db8:cafe::17')
    expect(addressFromForwarded('for=6.6.6.6, for=192.0.2.43, for=10.0.0.9;proto=https')).toBe('192.0.2.43')
    expect(addressFromForwarded('for=192.0.2.43, for=unknown')).toBe(PROXY)
    expect(addressFromForwarded('for=192.0.2.43, proto=https')).toBe(PROXY)
    expect(addressFromForwarded('192.0.2.43, 192.0.2.44')).toBe(PROXY)
  })

  test('a quote cannot move an address from one hop to another', () => {
    expect(address('for="6.6.6.6, for=192.0.2.43', { header: 'Forwarded' })).toBe(PROXY)
    expect(address('for="a,for=6.6.6.6", for=192.0.2.43', { header: 'Forwarded' })).toBe('192.0.2.43')
  })

  test('no header value makes it throw or return anything but an address', () => {
    const piece = fc.oneof(
      fc.ipV4(),
      fc.ipV6(),
      fc.constantFrom(',', ';', '"', 'for=', ':', '[', ']', '%', ' ', '\\', 'unknown', '10.0.0.2'),
      fc.string({ maxLength: 3 }),
    )
    const value = fc
      .array(piece, { maxLength: 12 })
      .map((pieces) => pieces.join('').replaceAll(/[^ -~]/g, ''))
    fc.assert(
      fc.property(value, fc.constantFrom('X-Forwarded-For', 'Forwarded'), (headerValue, header) => {
        expect(ipaddr.isValid(address(headerValue, { header }))).toBe(true)
      }),
    )
  })
})

describe('parseTrusted', () => {
  test('an empty list trusts no address', () => {
    for (const each of ['127.0.0.1', '::1', '']) expect(parseTrusted([]).has(each)).toBe(false)
  })

  test('ranges include their first and last addresses, but not the addresses around them', () => {
    const list = parseTrusted(['192.0.2.64/26', '192.0.2.5', '2001:db8::/127'])
    for (const inside of [
      '192.0.2.64',
      '192.0.2.127',
      '192.0.2.5',
      '2001:db8::',
      '2001:db8::1',
      '2001:DB8:0::1',
    ])
      expect(list.has(inside)).toBe(true)
    for (const outside of [
      '192.0.2.63',
      '192.0.2.128',
      '192.0.2.4',
      '2001:db8::2',
      '2001:db7:ffff::',
      '',
      'x',
    ])
      expect(list.has(outside)).toBe(false)
  })

  test('a range that is written with an inner or mapped address, or that has all addresses, matches its addresses', () => {
    expect(parseTrusted(['10.20.30.40/8']).has('10.255.0.1')).toBe(true)
    expect(parseTrusted(['::ffff:10.0.0.0/104']).has('10.1.2.3')).toBe(true)
    expect(parseTrusted(['::ffff:10.0.0.0/104']).has('11.1.2.3')).toBe(false)
    expect(parseTrusted(['::ffff:10.0.0.1']).has('10.0.0.1')).toBe(true)
    expect(parseTrusted(['0.0.0.0/0']).has('203.0.113.7')).toBe(true)
    expect(parseTrusted(['0.0.0.0/0']).has('2001:db8::1')).toBe(false)
    expect(parseTrusted(['::/0']).has('2001:db8::1')).toBe(true)
  })

  test('anything that is not an address or a range is refused', () => {
    for (const bad of [
      '',
      'x',
      '10.0.0.0/33',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '::/129',
      '10.0.0',
      '/8',
      '10.0.0.0/-1',
    ])
      expect(() => parseTrusted([bad])).toThrow(TypeError)
  })

  test('agrees with ipaddr.js on any IPv4 and IPv6 range', () => {
    const v4 = fc.tuple(fc.ipV4(), fc.integer({ min: 0, max: 32 }), fc.ipV4())
    const v6 = fc.tuple(fc.ipV6(), fc.integer({ min: 0, max: 128 }), fc.ipV6())
    fc.assert(
      fc.property(fc.oneof(v4, v6), ([base, bits, other]) => {
        const expected = ipaddr.parse(other).match(ipaddr.parse(base), bits)
        const isMapped = [base, other].some((ip) =>
          ipaddr.parse(ip).toNormalizedString().startsWith('0:0:0:0:0:ffff:'),
        )
        fc.pre(!isMapped)
        expect(parseTrusted([`${base}/${bits}`]).has(other)).toBe(expected)
        expect(parseTrusted([`${base}/${bits}`]).has(base)).toBe(true)
      }),
    )
  })
})

describe('isLoopback', () => {
  test('is true for this machine only', () => {
    for (const own of ['127.0.0.1', '127.255.0.9', '::1', '0:0:0:0:0:0:0:1', '::ffff:127.0.0.1'])
      expect(isLoopback(own)).toBe(true)
    for (const other of [
      '',
      '128.0.0.1',
      '10.0.0.1',
      '0.0.0.0',
      '::',
      '::2',
      'localhost',
      '::ffff:10.0.0.1',
      '127.1',
      '1::1',
    ])
      expect(isLoopback(other)).toBe(false)
  })
})

describe('forwardedOrigin', () => {
  test('a trusted peer may correct scheme and host, each without the other', () => {
    expect(origin(forwardedHeaders)).toBe('https://go.example.com:8443')
    expect(origin({ 'X-Forwarded-Proto': 'HTTPS' })).toBe('https://links:8080')
    expect(origin({ 'X-Forwarded-Host': 'Go.example.com' })).toBe('http://go.example.com')
    expect(forwardedOrigin(request(forwardedHeaders), PROXY, { header: null, trusted })).toBe(
      'https://go.example.com:8443',
    )
  })

  test('any other peer is ignored', () => {
    expect(origin(forwardedHeaders, '203.0.113.7')).toBe('http://links:8080')
    expect(origin({ Forwarded: 'host=evil.example;proto=https' }, '203.0.113.7', 'Forwarded')).toBe(
      'http://links:8080',
    )
  })

  test('only the family of headers that the proxies write is read', () => {
    expect(origin({ Forwarded: 'host=evil.example' })).toBe('http://links:8080')
    expect(origin(forwardedHeaders, PROXY, 'Forwarded')).toBe('http://links:8080')
    expect(origin({ Forwarded: 'for=1.2.3.4;host="go.example.com";proto=https' }, PROXY, 'Forwarded')).toBe(
      'https://go.example.com',
    )
  })

  test('in a list, the value that our own proxy added counts', () => {
    const list = { 'X-Forwarded-Host': 'evil.example, go.example.com', 'X-Forwarded-Proto': 'http,https' }
    expect(origin(list)).toBe('https://go.example.com')
    expect(origin({ Forwarded: 'host=evil.example, host=go.example.com' }, PROXY, 'Forwarded')).toBe(
      'http://go.example.com',
    )
  })

  test('a value that is not a host or scheme is ignored', () => {
    for (const host of [
      '',
      'a b',
      'a/b',
      'user@a',
      'a?b',
      'a#b',
      'a\\b',
      '[::1',
      'a:b',
      'a:99999',
      '<script>',
      '[zz]',
    ])
      expect(origin({ 'X-Forwarded-Host': host, 'X-Forwarded-Proto': 'javascript' })).toBe(
        'http://links:8080',
      )
    expect(origin({ 'X-Forwarded-Host': '[::1]:8080' })).toBe('http://[::1]:8080')
  })
})

describe('parseForwarded', () => {
  test('parses tokens, quoted strings, any case and blanks', () => {
    expect(parseForwarded('For="[2001:db8::1]:80" ; PROTO=https ,for=_x;secret=1')).toEqual([
      { for: '[2001:db8::1]:80', proto: 'https' },
      { for: '_x' },
    ])
    expect(parseForwarded('host="a\\"b"')).toEqual([{ host: 'a"b' }])
    expect(parseForwarded('constructor=1;__proto__=2;for=1.1.1.1')).toEqual([{ for: '1.1.1.1' }])
  })

  test('a header that is not well-formed has no elements', () => {
    for (const bad of [
      'for',
      '=1',
      'for="1',
      'for=1 2',
      'for=1;;proto=x',
      'for=1,,for=2',
      'for=1;for=2',
      'a b=1',
      '"',
      ',',
    ])
      expect(parseForwarded(bad)).toEqual([])
  })
})
