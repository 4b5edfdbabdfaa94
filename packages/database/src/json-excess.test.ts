import { expect, test } from 'bun:test'
import { findExcess } from './json-excess.ts'

const nestedArray = (levels: number) => '['.repeat(levels) + ']'.repeat(levels)

test('an entry has at most 32 levels of brackets of any kind', () => {
  expect(findExcess(nestedArray(32))).toBeUndefined()
  expect(findExcess(nestedArray(33))).toBe('is nested more than 32 levels deep')
  expect(findExcess(`${'{"a":['.repeat(16)}{`)).toBe('is nested more than 32 levels deep')
  expect(findExcess(Array.from({ length: 1_000 }, () => nestedArray(3)).join(','))).toBeUndefined()
})

test('brackets, commas and quotes within strings are text', () => {
  for (const text of ['[', '{', ',', String.raw`\"[`, String.raw`\\`])
    expect(findExcess(`["${text.repeat(60_000)}",["a"]]`)).toBeUndefined()
  expect(findExcess(String.raw`["\\",${nestedArray(32)}]`)).toBe('is nested more than 32 levels deep')
  expect(findExcess('"never closed [[[[')).toBeUndefined()
})

test('an entry has at most 50,000 values and 2 MiB', () => {
  expect(findExcess(`[${'0,'.repeat(40_000)}0]`)).toBeUndefined()
  expect(findExcess(`[${'0,'.repeat(60_000)}0]`)).toBe('has more than 50000 values')
  expect(findExcess(`"${'x'.repeat(2 * 1024 ** 2 - 2)}"`)).toBeUndefined()
  expect(findExcess(`"${'x'.repeat(2 * 1024 ** 2 - 1)}"`)).toBe('is longer than 2 MiB')
})
