import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { countryFromHeader, openCountryLookup } from './country.ts'

const countryOf = openCountryLookup()

describe('the country of an address', () => {
  // Universities and public resolvers: addresses that have stayed in one country for decades.
  test.each([
    ['8.8.8.8', 'US'],
    ['130.237.28.40', 'SE'],
    ['129.132.19.216', 'CH'],
    ['133.11.0.1', 'JP'],
    ['200.160.2.3', 'BR'],
    ['2001:4860:4860::8888', 'US'],
    ['2001:67c:2e8:22::c100:68b', 'NL'],
  ])('%s is %s', (address, country) => {
    expect(countryOf(address)).toBe(country)
  })

  test('is found for every notation of an IPv4-mapped IPv6 address', () => {
    const spellings = [
      '::ffff:130.237.28.40',
      '::FFFF:130.237.28.40',
      '::ffff:82ed:1c28',
      '0:0:0:0:0:ffff:130.237.28.40',
      '0000:0000:0000:0000:0000:FFFF:82ED:1C28',
      '::ffff:130.237.28.40%eth0',
    ]
    for (const address of spellings) expect(countryOf(address)).toBe('SE')
  })

  test('is found despite a zone id', () => {
    expect(countryOf('2001:4860:4860::8888%eth0')).toBe('US')
  })

  test.each<string[]>([
    ['this network', '0.0.0.0', '0.1.2.3', '::'],
    ['loopback', '127.0.0.1', '127.255.0.1', '::1'],
    ['private', '10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd12::1'],
    ['link-local', '169.254.1.1', 'fe80::1', 'fe80::1%eth0', 'FEBF::1'],
    ['carrier-grade NAT', '100.64.0.1', '100.99.0.1', '100.127.255.255'],
    ['documentation', '192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '2001:0DB8::1'],
    ['benchmarking', '198.18.0.1', '198.19.255.255'],
    ['multicast and reserved', '224.0.0.1', '239.1.1.1', '240.0.0.1', '255.255.255.255', 'ff02::1'],
    ['mapped private', '::ffff:192.168.1.1', '::ffff:c0a8:101', '0:0:0:0:0:ffff:c0a8:101'],
  ])('is null for %s addresses', (_, ...addresses) => {
    for (const address of addresses) expect(countryOf(address)).toBeNull()
  })

  test('is found next to ranges without a country', () => {
    const neighbours = [
      '9.9.9.9',
      '11.0.0.1',
      '100.63.255.1',
      '100.128.0.1',
      '172.15.0.1',
      '172.32.0.1',
      '192.167.1.1',
    ]
    for (const address of [
      ...neighbours,
      '192.169.1.1',
      '198.17.0.1',
      '198.20.0.1',
      '223.5.5.5',
      '2001:200::1',
    ]) {
      expect(countryOf(address)).not.toBeNull()
    }
  })

  test('is null for a string that is not an address', () => {
    const bad = [
      '',
      ' ',
      'unknown',
      'localhost',
      '8.8.8',
      '8.8.8.8.8',
      '8.8.8.256',
      '08.8.8.8',
      '8.8.8.8 ',
      '-1',
    ]
    const worse = [
      '8.8.8.8:80',
      '[2001:4860:4860::8888]',
      '1::2::3',
      ':::',
      '::ffff:',
      '::ffff:999.1.1.1',
      '%eth0',
    ]
    for (const address of [...bad, ...worse, '134744072', '0x08080808', '8.8.8.8%eth0', '8.8.8.8\0']) {
      expect(countryOf(address)).toBeNull()
    }
  })

  test('is an ISO 3166-1 code or null for any string', () => {
    const anything = fc.oneof(fc.ipV4(), fc.ipV6(), fc.ipV4Extended(), fc.string({ unit: 'binary' }))
    fc.assert(
      fc.property(anything, (address) => {
        const country = countryOf(address)
        expect(countryFromHeader(country)).toBe(country)
      }),
      // The database has XK for the first address.
      { numRuns: 1000, examples: [['38.110.128.1'], ['8.8.8.8']] },
    )
  })
})

describe('the country of the edge header', () => {
  test('is accepted in any case', () => {
    for (const value of ['SE', 'se', 'Se', 'sE']) expect(countryFromHeader(value)).toBe('SE')
    expect(countryFromHeader('gb')).toBe('GB')
    expect(countryFromHeader('NO')).toBe('NO')
  })

  test('is absent for codes that are not assigned to a country', () => {
    const codes = [
      'XX',
      'xx',
      'T1',
      't1',
      'A1',
      'A2',
      'O1',
      'ZZ',
      'EU',
      'AP',
      'UK',
      'EL',
      'XK',
      'AN',
      'SU',
      'AA',
    ]
    for (const value of codes) expect(countryFromHeader(value)).toBeNull()
  })

  test('is absent for values other than two letters', () => {
    const bad = [
      null,
      '',
      ' ',
      'S',
      'SWE',
      'Sweden',
      ' SE',
      'SE ',
      'SE,US',
      '46',
      'S1',
      'ß',
      'ﬁ',
      'ﬀ',
      'ſe',
      'Å',
      'SE\n',
    ]
    for (const value of bad) expect(countryFromHeader(value)).toBeNull()
  })

  test('is one of the 249 codes that ISO 3166-1 assigns, each of which has a name', () => {
    const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('')
    const codes = letters.flatMap((a) => letters.map((b) => a + b)).filter((code) => countryFromHeader(code))
    expect(codes).toHaveLength(249)
    const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })
    expect(codes.filter((code) => names.of(code) === undefined)).toEqual([])
  })

  test('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 3 }), (value) => countryFromHeader(value) !== ''),
    )
  })
})
