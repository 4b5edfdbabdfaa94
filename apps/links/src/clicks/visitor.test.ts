import { expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import * as fc from 'fast-check'
import { visitorHasher } from './visitor.ts'

const NOON = Date.UTC(2026, 0, 15, 12) / 1000
const DAY = 86_400
const fingerprint = visitorHasher((day) => `salt of ${day}`)

test('a visitor hash is SHA-256 over the salt of the UTC day, the address and the user agent', () => {
  const expected = createHash('sha256')
    .update(`salt of ${NOON - DAY / 2}9:192.0.2.7Firefox`)
    .digest('base64url')
  expect(fingerprint('192.0.2.7', 'Firefox', NOON)).toBe(expected)
  expect(expected).toMatch(/^[\w-]{43}$/)
})

test('a visitor keeps its hash throughout a UTC day and gets another on the next', () => {
  const midnight = NOON - DAY / 2
  const today = fingerprint('192.0.2.7', 'Firefox', NOON)
  expect(fingerprint('192.0.2.7', 'Firefox', midnight)).toBe(today)
  expect(fingerprint('192.0.2.7', 'Firefox', midnight + DAY - 1)).toBe(today)
  expect(fingerprint('192.0.2.7', 'Firefox', midnight - 1)).not.toBe(today)
  expect(fingerprint('192.0.2.7', 'Firefox', midnight + DAY)).not.toBe(today)
  expect(fingerprint('192.0.2.7', 'Firefox', NOON)).toBe(today)
})

test('two nodes agree with the same salt and differ with two salts', () => {
  const today = fingerprint('192.0.2.7', 'Firefox', NOON)
  expect(visitorHasher((day) => `salt of ${day}`)('192.0.2.7', 'Firefox', NOON)).toBe(today)
  expect(visitorHasher(() => 'another')('192.0.2.7', 'Firefox', NOON)).not.toBe(today)
})

test('L13.1 an address or a user agent is enough, and without both there is no visitor', () => {
  expect(fingerprint(null, 'Firefox', NOON)).toHaveLength(43)
  expect(fingerprint('192.0.2.7', null, NOON)).toHaveLength(43)
  expect(fingerprint(null, null, NOON)).toBeNull()
  expect(fingerprint('', '', NOON)).toBeNull()
})

test('text moved between address and user agent gives another visitor', () => {
  const pairs: [string | null, string | null][] = [
    ['1.2.3.4', 'x'],
    ['1.2.3.', '4x'],
    ['1.2.3.4x', null],
    [null, '1.2.3.4x'],
    ['7:1.2.3.4', 'x'],
    [null, '7:1.2.3.4x'],
  ]
  expect(new Set(pairs.map(([address, userAgent]) => fingerprint(address, userAgent, NOON))).size).toBe(
    pairs.length,
  )
})

test('two visitors never share a hash, whatever their strings contain', () => {
  const text = fc.string({ unit: 'grapheme', maxLength: 6 })
  fc.assert(
    fc.property(text, text, text, text, (a, b, c, d) => {
      const same = fingerprint(a, b, NOON) === fingerprint(c, d, NOON)
      expect(same).toBe(a === c && b === d)
    }),
  )
})

test('neither the address nor the user agent appears in the result', () => {
  expect(fingerprint('192.0.2.7', 'Firefox', NOON)).not.toContain('192.0.2.7')
  expect(fingerprint('192.0.2.7', 'Firefox', NOON)).not.toContain('Firefox')
})
