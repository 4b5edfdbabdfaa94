import { expect, test } from 'bun:test'
import fc from 'fast-check'
import ipaddr from 'ipaddr.js'
import { prefixOf, widerPrefix, widerPrefixes } from './client-prefix.ts'

test('a client is counted by its IPv4 address or the /64 of its IPv6 address', () => {
  expect(prefixOf('192.0.2.7')).toBe('192.0.2.7')
  expect(prefixOf('2001:db8:0:1::7')).toBe('2001:db8:0:1::/64')
  expect(prefixOf('')).toBe('')
})

test('networks around a client widen by the steps in which providers assign them', () => {
  expect(widerPrefixes('192.0.2.7')).toEqual(['192.0.2.0/24', '192.0.0.0/16'])
  expect(widerPrefixes('2001:db8:1:2ff::/64')).toEqual([
    '2001:db8:1:200::/56',
    '2001:db8:1::/48',
    '2001:db8::/32',
  ])
  expect(widerPrefixes('::/64')).toEqual(['::/56', '::/48', '::/32'])
  expect(widerPrefixes('2001:0:0:1::/64')).toEqual(['2001::/56', '2001::/48', '2001::/32'])
})

test('each network holds the client, and is written the same for all clients in it', () => {
  fc.assert(
    fc.property(fc.ipV6(), (address) => {
      const own = ipaddr.IPv6.parse(address)
      const networks = widerPrefixes(prefixOf(own.toRFC5952String()))
      expect(networks.map((network) => Number(network.split('/')[1]))).toEqual([56, 48, 32])
      for (const network of networks) {
        expect(own.match(ipaddr.IPv6.parseCIDR(network))).toBe(true)
        expect(ipaddr.IPv6.networkAddressFromCIDR(network).toNormalizedString()).toBe(
          ipaddr.IPv6.parse(network.split('/')[0] ?? '').toNormalizedString(),
        )
      }
    }),
  )
})

test('anything other than a prefix has no network around it', () => {
  for (const key of [
    '',
    'alice',
    'alice@example.com',
    'auth|7/24',
    'x:y/64',
    '::1/7',
    '2001:db8::/32',
    '10.0.0.0/16',
    '/64',
  ])
    expect([key, widerPrefix(key)]).toEqual([key, undefined])
})
