import { expect, test } from 'bun:test'
import { mayConnect } from './address-policy.ts'

test('C120: hosts of the operator may have any address except link-local, cloud metadata and unusable ones', () => {
  for (const address of [
    '10.0.0.1',
    '192.168.1.1',
    '127.0.0.1',
    '::1',
    'fd12::1',
    '100.64.0.1',
    '8.8.8.8',
    '2606:4700::1111',
    '::ffff:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '198.18.0.1',
  ])
    expect([address, mayConnect(address, 'private')]).toEqual([address, true])
  for (const address of [
    '169.254.169.254',
    '169.254.0.1',
    '::ffff:169.254.169.254',
    '::169.254.169.254',
    '64:ff9b::169.254.169.254',
    '2002:a9fe:a9fe::',
    '::ffff:0:169.254.169.254',
    'fe80::1',
    'fd00:ec2::254',
    'fd20:ce::254',
    '100.100.100.200',
    '::ffff:100.100.100.200',
    '168.63.129.16',
    '192.0.0.192',
    '0.0.0.0',
    '::',
    '255.255.255.255',
    '224.0.0.1',
    'ff02::1',
    '',
    'localhost',
  ])
    for (const reach of ['private', 'public'] as const)
      expect([address, reach, mayConnect(address, reach)]).toEqual([address, reach, false])
})

test('C120: other hosts must be public', () => {
  for (const address of ['8.8.8.8', '2606:4700::1111', '::ffff:8.8.8.8', '64:ff9b::8.8.8.8'])
    expect([address, mayConnect(address, 'public')]).toEqual([address, true])
  for (const address of [
    '10.0.0.1',
    '127.0.0.1',
    '::1',
    '::ffff:127.0.0.1',
    '::127.0.0.1',
    '64:ff9b::127.0.0.1',
    '100.64.0.1',
    'fd12::1',
    '192.0.2.1',
    '198.18.0.1',
  ])
    expect([address, mayConnect(address, 'public')]).toEqual([address, false])
})
