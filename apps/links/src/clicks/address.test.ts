import { expect, test } from 'bun:test'
import { isAddress } from './address.ts'

test('L37.3 an address as a whole is recognised in every notation', () => {
  for (const address of [
    '198.51.100.7',
    ' 198.51.100.7 ',
    '198.51.100.7:443',
    '2001:db8::7',
    '::ffff:198.51.100.7',
    '[2001:db8::7]',
    '[2001:db8::7]:443',
    'fe80::1%eth0',
  ])
    expect([address, isAddress(address)]).toEqual([address, true])
})

test('L37.3 a text that only contains an address or a version is none', () => {
  for (const text of [
    '',
    'example.com',
    'Mozilla/5.0 Chrome/131.0.0.0 Safari/537.36',
    'http://198.51.100.7/',
    '198.51.100',
    '198.51.100.256',
    'spring:sale',
    '1.2.3.4.5',
    `198.51.100.7${' '.repeat(80)}x`,
  ])
    expect([text, isAddress(text)]).toEqual([text, false])
})
