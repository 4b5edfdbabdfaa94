import { expect, test } from 'bun:test'
import { initialsOf, nameColor } from './name-color.ts'

test('initials are those of the first and the last word of a name or an address', () => {
  expect(initialsOf('anna.lindqvist@example.com')).toBe('AL')
  expect(initialsOf('Per Olof af Ström')).toBe('PS')
  expect(initialsOf('admin@localhost')).toBe('A')
  expect(initialsOf('𐐨x.éva@example.com')).toBe('𐐀É')
  expect(initialsOf('@')).toBe('?')
})

test('a name has one of the six colours of charts, always the same', () => {
  const names = Array.from({ length: 60 }, (_, index) => `person-${index}`)
  const colors = new Set(names.map(nameColor))
  expect([...colors].toSorted()).toEqual([1, 2, 3, 4, 5, 6].map((index) => `var(--chart-${index})`))
  expect(names.map(nameColor)).toEqual(names.map(nameColor))
})
