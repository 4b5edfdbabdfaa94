import { expect, test } from 'bun:test'
import { excerptOf } from './excerpt.ts'

test('R29.2: an excerpt is one line of at most 120 characters as people count them, never half of one', () => {
  expect(excerptOf('  one\n\ttwo \n')).toBe('one two')
  expect(excerptOf('x'.repeat(120))).toBe('x'.repeat(120))
  expect(excerptOf('x'.repeat(121))).toBe(`${'x'.repeat(120)}…`)
  const family = '👩‍❤️‍💋‍👨'
  expect(excerptOf(family.repeat(121))).toBe(`${family.repeat(120)}…`)
  expect(excerptOf(`${'x'.repeat(119)} and more`)).toBe(`${'x'.repeat(119)}…`)
})
