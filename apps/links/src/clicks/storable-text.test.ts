import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { storableText } from './storable-text.ts'

test('ordinary text is unchanged', () => {
  for (const text of ['a', ' a ', 'Ünïcödé', '😀', 'a\tb']) expect(storableText(text, 5_000)).toBe(text)
})

test('the limit counts code points, not UTF-16 units, and never splits one', () => {
  expect(storableText('😀😀😀', 2)).toBe('😀😀')
  expect(storableText('a😀b', 2)).toBe('a😀')
  expect(storableText('abc', 3)).toBe('abc')
  expect(storableText('abcd', 3)).toBe('abc')
})

test('NUL is removed, and a lone surrogate becomes the replacement character', () => {
  expect(storableText('a\0b\0', 10)).toBe('ab')
  expect(storableText('a\ud83d', 10)).toBe('a\ufffd')
  expect(storableText('\ude00b', 10)).toBe('\ufffdb')
})

test('blank text is absent, even if only the cut made it blank', () => {
  for (const text of ['', ' ', '\t\n', '\0', ' \0 ']) expect(storableText(text, 10)).toBeNull()
  expect(storableText('   x', 3)).toBeNull()
})

test('any output is storable and within the limit', () => {
  const unit = fc.integer({ min: 0, max: 0xffff }).map((code) => String.fromCharCode(code))
  const text = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.array(unit).map((units) => units.join('')),
  )
  fc.assert(
    fc.property(text, fc.integer({ min: 1, max: 20 }), (value, limit) => {
      const stored = storableText(value, limit) ?? ''
      expect(Array.from(stored).length).toBeLessThanOrEqual(limit)
      expect(stored.isWellFormed()).toBe(true)
      expect(stored).not.toContain('\0')
      expect(storableText(stored, limit) ?? '').toBe(stored)
    }),
  )
})
