import { expect, test } from 'bun:test'
import { MappingPairs, mappableFields as serverFields, mappingOf } from '../../../transfer/mapping.ts'
import { isMapped, isRepeated, mappableFields, mappingPairs } from './columns.ts'

test('a table is mapped with a destination and at most one column for each field', () => {
  expect(isMapped(['url', 'slug', null, null])).toBe(true)
  expect(isMapped([null, 'slug'])).toBe(false)
  expect(isMapped(['url', 'slug', 'slug'])).toBe(false)
  expect(isMapped([])).toBe(false)
  expect([0, 1, 2, 3].map((at) => isRepeated(['slug', null, 'slug', null], at))).toEqual([
    true,
    false,
    true,
    false,
  ])
})

test('the mapping names the column of every field of the server, and none for fields without a column', () => {
  expect(mappableFields.toSorted()).toEqual(serverFields.toSorted())
  const columns = ['a = b', 'label', 'Kurz'].map((name) => ({ name, samples: [], field: null }))
  const pairs = mappingPairs({ format: 'csv', columns, problem: null }, ['url', null, 'slug'])
  expect(MappingPairs.safeParse(pairs).success).toBe(true)
  expect(mappingOf(pairs)).toMatchObject({ url: 'a = b', slug: 'Kurz', label: '', tags: '' })
})
