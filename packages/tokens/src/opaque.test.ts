import { describe, expect, test } from 'bun:test'
import { createToken, equalTokens, hashToken } from './opaque.ts'

describe('createToken', () => {
  test('an API key is sk_ and 48 lower-case hex digits', () => {
    expect(createToken('sk_', 24)).toMatch(/^sk_[0-9a-f]{48}$/)
  })

  test('no two tokens are the same', () => {
    expect(new Set(Array.from({ length: 1000 }, () => createToken('', 16))).size).toBe(1000)
  })

  test('fewer than 16 random bytes are refused', () => {
    for (const bytes of [15, 8, 1, 0, -1, Number.NaN])
      expect(() => createToken('sk_', bytes)).toThrow('A token needs at least 16 random bytes')
  })
})

describe('hashToken', () => {
  test('is SHA-256 in lower-case hex', () => {
    expect(hashToken('abc')).toBe('ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad')
    expect(hashToken('')).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855')
  })

  test('does not contain the token', () => {
    const token = createToken('sk_', 24)
    expect(hashToken(token)).not.toContain(token.slice(3))
  })
})

describe('equalTokens', () => {
  test('is true for equal tokens only', () => {
    expect(equalTokens('5f0c', '5f0c')).toBe(true)
    for (const other of ['', '5f0', '5f0c ', '5F0C', '5f0d', '5f0c\u0000', '5f0c5f0c'])
      expect(equalTokens(other, '5f0c')).toBe(false)
  })

  test('accepts tokens of any length and with any characters', () => {
    expect(equalTokens('é', 'é')).toBe(true)
    expect(equalTokens('a'.repeat(100_000), 'a')).toBe(false)
  })
})
