import { describe, expect, test } from 'bun:test'
import { isPublicAddress } from './outbound-address.ts'

describe('a public address', () => {
  const PRIVATE = {
    unspecified: ['0.0.0.0', '0.1.2.3', '::'],
    loopback: ['127.0.0.1', '127.255.255.254', '::1'],
    private: [
      '10.0.0.1',
      '172.16.0.1',
      '172.31.255.255',
      '192.168.0.1',
      'fc00::1',
      'fd00:ec2::254',
      'fec0::1',
    ],
    'link-local and metadata': [
      '169.254.0.1',
      '169.254.169.254',
      'fe80::1',
      'fe80::1%eth0',
      'febf::1',
      '168.63.129.16',
    ],
    'carrier-grade NAT': ['100.64.0.1', '100.100.100.200', '100.127.255.255'],
    'multicast and broadcast': ['224.0.0.1', '239.255.255.255', '255.255.255.255', 'ff02::1'],
    'reserved and for protocols': [
      '240.0.0.1',
      '192.0.0.1',
      '192.0.0.192',
      '192.88.99.1',
      '100::1',
      '4000::1',
      '5f00::1',
    ],
    documentation: ['192.0.2.1', '198.51.100.1', '203.0.113.1', '2001:db8::1', '3fff::1'],
    benchmarking: ['198.18.0.1', '198.19.255.255', '2001:2::1'],
    'mapped, translated or tunnelled': [
      '::ffff:127.0.0.1',
      '::ffff:8.8.8.8',
      '::ffff:808:808',
      '::8.8.8.8',
      '::ffff:0:8.8.8.8',
      '64:ff9b::7f00:1',
      '64:ff9b:1::1',
      '2002:7f00:1::',
      '2001::1',
      '2001:0:4136:e378:8000:63bf:3fff:fdd2',
    ],
    'not an address in its ordinary notation': [
      '',
      'localhost',
      '2130706433',
      '0x7f.1',
      '127.1',
      '010.8.8.8',
      '8.8.8.8 ',
      '[2606:4700::1111]',
    ],
  }

  for (const [kind, addresses] of Object.entries(PRIVATE))
    test(`is none that is ${kind}`, () => {
      expect(addresses.filter(isPublicAddress)).toEqual([])
    })

  test('is any other', () => {
    const addresses = [
      '8.8.8.8',
      '1.1.1.1',
      '172.15.0.1',
      '172.32.0.1',
      '100.63.0.1',
      '2606:4700::1111',
      '2a00:1450::1',
    ]
    expect(addresses.filter((address) => !isPublicAddress(address))).toEqual([])
  })
})
