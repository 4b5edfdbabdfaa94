import { expect, test } from 'bun:test'
import { findBadSubjects } from './commit-subjects.ts'

test('a subject that begins with its area and is short enough passes', () => {
  expect(
    findBadSubjects([
      'links: add a thing',
      'links, web: add a thing',
      'sdk-python: fix a thing',
      `docs: ${'x'.repeat(59)}`,
    ]),
  ).toEqual([])
})

test('a subject without an area, or with more than 65 characters, is reported', () => {
  const bad = ['Add a thing', 'links: Add a thing', 'links add a thing', `docs: ${'x'.repeat(60)}`]
  expect(findBadSubjects(['rooms: add a thing', ...bad])).toEqual(bad)
})
